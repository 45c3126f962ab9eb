#include "libraries/fft_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>

namespace subfloor::libraries {
namespace {

// Radices above the ones with code of their own cost radix^2 each; from here on Bluestein's algorithm is
// cheaper.
constexpr int64_t kLargestRadix = 31;

// Factors of `length`, 4 first; empty if one is too large.
std::vector<int64_t> Factors(int64_t length) {
  std::vector<int64_t> factors;
  for (int64_t factor : {4, 2, 3, 5})
    for (; length % factor == 0; length /= factor) factors.push_back(factor);
  for (int64_t factor = 7; factor <= kLargestRadix; factor += 2)
    for (; length % factor == 0; length /= factor) factors.push_back(factor);
  if (length != 1) factors.clear();
  return factors;
}

template <typename T>
FftComplex<T> TimesI(FftComplex<T> a, T sign) {
  return {-sign * a.im, sign * a.re};
}

// out[k] = sum over j of x[j] exp(sign 2 pi i jk / Radix), in place. `sign` is -1 or +1.
template <typename T>
void Butterfly2(FftComplex<T>* x) {
  const FftComplex<T> a = x[0];
  x[0] = a + x[1];
  x[1] = a - x[1];
}

template <typename T>
void Butterfly3(FftComplex<T>* x, T sign) {
  constexpr T kHalfRoot = static_cast<T>(0.866025403784438646763723170752936183L);  // sqrt(3) / 2
  const FftComplex<T> sum = x[1] + x[2], difference = TimesI(kHalfRoot * (x[1] - x[2]), sign);
  const FftComplex<T> middle = x[0] - static_cast<T>(0.5) * sum;
  x[0] = x[0] + sum;
  x[1] = middle + difference;
  x[2] = middle - difference;
}

template <typename T>
void Butterfly4(FftComplex<T>* x, T sign) {
  const FftComplex<T> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = TimesI(x[1] - x[3], sign);
  x[0] = a + c;
  x[1] = b + d;
  x[2] = a - c;
  x[3] = b - d;
}

template <typename T>
void Butterfly5(FftComplex<T>* x, T sign) {
  // Cosines and sines of 2 pi / 5 and 4 pi / 5.
  constexpr T kC1 = static_cast<T>(0.309016994374947424102293417182819059L),
              kC2 = static_cast<T>(-0.809016994374947424102293417182819059L);
  constexpr T kS1 = static_cast<T>(0.951056516295153572116439333379382143L),
              kS2 = static_cast<T>(0.587785252292473129168705954639072769L);
  const FftComplex<T> a = x[1] + x[4], b = x[1] - x[4], c = x[2] + x[3], d = x[2] - x[3];
  const FftComplex<T> p = x[0] + kC1 * a + kC2 * c, q = x[0] + kC2 * a + kC1 * c;
  const FftComplex<T> r = TimesI(kS1 * b + kS2 * d, sign), s = TimesI(kS2 * b - kS1 * d, sign);
  x[0] = x[0] + a + c;
  x[1] = p + r;
  x[2] = q + s;
  x[3] = q - s;
  x[4] = p - r;
}

}  // namespace

template <typename T>
FftComplex<T> RootOfUnity(int64_t numerator, int64_t denominator) {
  // Reduced to the first octant, where sine and cosine lose nothing.
  int64_t n = 8 * numerator;
  const int64_t octant = n / denominator;
  n -= octant * denominator;
  if (octant % 2 == 1) n = denominator - n;
  const long double angle = std::numbers::pi_v<long double> / 4 * static_cast<long double>(n) /
                            static_cast<long double>(denominator);
  T c, s;
  if constexpr (sizeof(T) == 4) {
    c = static_cast<T>(std::cos(static_cast<double>(angle)));
    s = static_cast<T>(std::sin(static_cast<double>(angle)));
  } else {
    c = static_cast<T>(std::cos(angle));
    s = static_cast<T>(std::sin(angle));
  }
  switch (octant) {
    case 0:
      return {c, s};
    case 1:
      return {s, c};
    case 2:
      return {-s, c};
    case 3:
      return {-c, s};
    case 4:
      return {-c, -s};
    case 5:
      return {-s, -c};
    case 6:
      return {s, -c};
    default:
      return {c, -s};
  }
}

template FftComplex<float> RootOfUnity(int64_t, int64_t);
template FftComplex<double> RootOfUnity(int64_t, int64_t);

template <typename T>
FftPlan<T>::FftPlan(int64_t length, int sign) : length_(length), sign_(sign) {
  if (length_ == 1) return;
  MakeStages();
  if (stages_.empty()) MakeBluestein();
}

template <typename T>
void FftPlan<T>::MakeStages() {
  int64_t length = length_;
  for (int64_t radix : Factors(length_)) {
    Stage stage{radix, length / radix, {}, {}};
    stage.twiddles.reserve(static_cast<size_t>(stage.rest * (radix - 1)));
    for (int64_t p = 0; p < stage.rest; ++p)
      for (int64_t k = 1; k < radix; ++k) {
        FftComplex<T> root = RootOfUnity<T>(p * k, length);
        stage.twiddles.push_back(sign_ < 0 ? Conjugate(root) : root);
      }
    if (radix > 5)
      for (int64_t k = 0; k < radix; ++k) {
        FftComplex<T> root = RootOfUnity<T>(k, radix);
        stage.roots.push_back(sign_ < 0 ? Conjugate(root) : root);
      }
    stages_.push_back(std::move(stage));
    length /= radix;
  }
}

template <typename T>
void FftPlan<T>::MakeBluestein() {
  const int64_t padded = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * length_ - 1)));
  convolution_.emplace_back(padded, -1);
  convolution_.emplace_back(padded, +1);
  chirp_.resize(static_cast<size_t>(length_));
  for (int64_t k = 0, square = 0; k < length_; ++k) {  // square = k^2 mod 2 length
    FftComplex<double> root = RootOfUnity<double>(square, 2 * length_);
    chirp_[static_cast<size_t>(k)] = sign_ < 0 ? Conjugate(root) : root;
    square = (square + 2 * k + 1) % (2 * length_);
  }
  chirp_spectrum_.assign(static_cast<size_t>(padded), {0, 0});
  for (int64_t k = 0; k < length_; ++k) {
    const FftComplex<double> value =
        (1.0 / static_cast<double>(padded)) * Conjugate(chirp_[static_cast<size_t>(k)]);
    chirp_spectrum_[static_cast<size_t>(k)] = value;
    if (k > 0) chirp_spectrum_[static_cast<size_t>(padded - k)] = value;
  }
  std::vector<double> scratch(static_cast<size_t>(convolution_[0].scratch_elements()));
  convolution_[0].Run(chirp_spectrum_.data(), scratch.data());
}

template <typename T>
int64_t FftPlan<T>::scratch_elements() const {
  if (convolution_.empty()) return 2 * length_;
  const int64_t doubles = 2 * convolution_[0].length() + convolution_[0].scratch_elements();
  return doubles * static_cast<int64_t>(sizeof(double) / sizeof(T));
}

template <typename T>
void FftPlan<T>::Run(FftComplex<T>* data, T* scratch) const {
  if (!convolution_.empty()) return RunBluestein(data, reinterpret_cast<FftComplex<double>*>(scratch));
  // Stockham's order: each stage reads one array and writes the other, and the result comes out sorted.
  FftComplex<T>* from = data;
  FftComplex<T>* to = reinterpret_cast<FftComplex<T>*>(scratch);
  int64_t stride = 1;
  for (const Stage& stage : stages_) {
    RunStage(stage, stride, from, to);
    stride *= stage.radix;
    std::swap(from, to);
  }
  if (from != data) std::copy_n(from, length_, data);
}

template <typename T>
void FftPlan<T>::RunStage(const Stage& stage, int64_t stride, const FftComplex<T>* in,
                          FftComplex<T>* out) const {
  const int64_t radix = stage.radix, rest = stage.rest;
  const T sign = static_cast<T>(sign_);
  // For each p and q: gather radix elements, transform them, turn them by the twiddles.
  auto each = [&](auto radix_constant, auto&& butterfly) {
    constexpr int64_t kRadix = radix_constant;
    for (int64_t p = 0; p < rest; ++p) {
      FftComplex<T> w[kRadix];
      for (int64_t k = 1; k < kRadix; ++k)
        w[k] = stage.twiddles[static_cast<size_t>(p * (kRadix - 1) + k - 1)];
      const FftComplex<T>* from = in + stride * p;
      FftComplex<T>* to = out + stride * kRadix * p;
      for (int64_t q = 0; q < stride; ++q) {
        FftComplex<T> x[kRadix];
        for (int64_t j = 0; j < kRadix; ++j) x[j] = from[q + stride * rest * j];
        butterfly(x);
        to[q] = x[0];
        for (int64_t k = 1; k < kRadix; ++k) to[q + stride * k] = w[k] * x[k];
      }
    }
  };
  switch (radix) {
    case 2:
      return each(std::integral_constant<int64_t, 2>(), [](FftComplex<T>* x) { Butterfly2(x); });
    case 3:
      return each(std::integral_constant<int64_t, 3>(), [&](FftComplex<T>* x) { Butterfly3(x, sign); });
    case 4:
      return each(std::integral_constant<int64_t, 4>(), [&](FftComplex<T>* x) { Butterfly4(x, sign); });
    case 5:
      return each(std::integral_constant<int64_t, 5>(), [&](FftComplex<T>* x) { Butterfly5(x, sign); });
    default:
      break;
  }
  for (int64_t p = 0; p < rest; ++p)
    for (int64_t q = 0; q < stride; ++q)
      for (int64_t k = 0; k < radix; ++k) {
        FftComplex<T> sum = in[q + stride * p];
        for (int64_t j = 1, turn = k; j < radix; ++j, turn = (turn + k) % radix)
          sum = sum + in[q + stride * (p + rest * j)] * stage.roots[static_cast<size_t>(turn)];
        if (k > 0) sum = stage.twiddles[static_cast<size_t>(p * (radix - 1) + k - 1)] * sum;
        out[q + stride * (radix * p + k)] = sum;
      }
}

template <typename T>
void FftPlan<T>::RunBluestein(FftComplex<T>* data, FftComplex<double>* scratch) const {
  const int64_t padded = convolution_[0].length();
  double* inner = reinterpret_cast<double*>(scratch + padded);
  for (int64_t k = 0; k < length_; ++k)
    scratch[k] = FftComplex<double>{data[k].re, data[k].im} * chirp_[static_cast<size_t>(k)];
  std::fill(scratch + length_, scratch + padded, FftComplex<double>{0, 0});
  convolution_[0].Run(scratch, inner);
  for (int64_t k = 0; k < padded; ++k) scratch[k] = scratch[k] * chirp_spectrum_[static_cast<size_t>(k)];
  convolution_[1].Run(scratch, inner);
  for (int64_t k = 0; k < length_; ++k) {
    const FftComplex<double> value = scratch[k] * chirp_[static_cast<size_t>(k)];
    data[k] = {static_cast<T>(value.re), static_cast<T>(value.im)};
  }
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace subfloor::libraries
