#include "libraries/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace subfloor::libraries {
namespace {

using C = std::complex<double>;

std::vector<C> Numbers(int64_t count, bool real) {
  std::vector<C> values;
  uint32_t seed = 7;
  auto next = [&] {
    seed = seed * 1664525 + 1013904223;
    return static_cast<double>(seed >> 8) / (1 << 24) - 0.5;
  };
  for (int64_t i = 0; i < count; ++i) {
    const double re = next(), im = next();
    values.emplace_back(re, real ? 0 : im);
  }
  return values;
}

int64_t Count(const std::vector<int64_t>& lengths) {
  int64_t count = 1;
  for (int64_t length : lengths) count *= length;
  return count;
}

// The definition, one dimension after the other, in long double.
std::vector<C> Reference(std::vector<C> data, const std::vector<int64_t>& lengths, int sign) {
  int64_t stride = 1;
  for (size_t dim = lengths.size(); dim-- > 0;) {
    const int64_t n = lengths[dim];
    std::vector<std::complex<long double>> roots;
    for (int64_t k = 0; k < n; ++k) {
      const long double angle = 2 * std::numbers::pi_v<long double> * k / n * sign;
      roots.emplace_back(std::cos(angle), std::sin(angle));
    }
    std::vector<C> next(data.size());
    for (size_t i = 0; i < data.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i), k = at / stride % n, base = at - k * stride;
      std::complex<long double> sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum += std::complex<long double>(data[static_cast<size_t>(base + j * stride)]) *
               roots[static_cast<size_t>(j * k % n)];
      next[i] = C(sum);
    }
    data = std::move(next);
    stride *= n;
  }
  return data;
}

// The largest error relative to the root mean square of the exact result.
double ErrorOf(const std::vector<C>& got, const std::vector<C>& exact) {
  double worst = 0, squares = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    worst = std::max(worst, std::abs(got[i] - exact[i]));
    squares += std::norm(exact[i]);
  }
  return worst / std::sqrt(squares / static_cast<double>(exact.size()));
}

// Keeps the first last/2 + 1 elements of each line.
std::vector<C> HalfOf(const std::vector<C>& full, int64_t last) {
  std::vector<C> half;
  for (size_t i = 0; i < full.size(); ++i)
    if (static_cast<int64_t>(i) % last <= last / 2) half.push_back(full[i]);
  return half;
}

template <typename T>
std::vector<C> RunFft(const FftDescription& d, const std::vector<C>& input) {
  const bool real_in = d.kind == FftKind::kRfft, real_out = d.kind == FftKind::kIrfft;
  std::vector<T> in, out(static_cast<size_t>(d.output_bytes()) / sizeof(T), 99);
  for (const C& value : input) {
    in.push_back(static_cast<T>(value.real()));
    if (!real_in) in.push_back(static_cast<T>(value.imag()));
  }
  EXPECT_EQ(in.size() * sizeof(T), static_cast<size_t>(d.input_bytes()));
  auto fft = Fft::Create(d);
  if (!fft) {
    ADD_FAILURE() << fft.error().ToString();
    return {};
  }
  for (int64_t b = 0; b < d.batch; ++b) EXPECT_TRUE((*fft)->Run(b, in.data(), out.data()));
  std::vector<C> result;
  for (size_t i = 0; i < out.size(); i += real_out ? 1 : 2)
    result.emplace_back(out[i], real_out ? 0 : out[i + 1]);
  return result;
}

template <typename T>
void CheckAs(const std::vector<int64_t>& lengths, ElementType type, double bound) {
  SCOPED_TRACE(::testing::PrintToString(lengths));
  const int64_t n = Count(lengths);
  const double scale = 1 / static_cast<double>(n);
  auto rounded = [](std::vector<C> values) {
    for (C& v : values) v = C(static_cast<T>(v.real()), static_cast<T>(v.imag()));
    return values;
  };
  const std::vector<C> complex_in = rounded(Numbers(n, false)), real_in = rounded(Numbers(n, true));

  FftDescription d{.kind = FftKind::kFft, .real_type = type, .lengths = lengths};
  EXPECT_LT(ErrorOf(RunFft<T>(d, complex_in), Reference(complex_in, lengths, -1)), bound);
  d.kind = FftKind::kIfft;
  std::vector<C> inverse = Reference(complex_in, lengths, +1);
  for (C& v : inverse) v *= scale;
  EXPECT_LT(ErrorOf(RunFft<T>(d, complex_in), inverse), bound);
  d.kind = FftKind::kRfft;
  const std::vector<C> spectrum = Reference(real_in, lengths, -1);
  EXPECT_LT(ErrorOf(RunFft<T>(d, real_in), HalfOf(spectrum, lengths.back())), bound);
  d.kind = FftKind::kIrfft;
  EXPECT_LT(ErrorOf(RunFft<T>(d, rounded(HalfOf(spectrum, lengths.back()))), real_in), 2 * bound);
}

void Check(const std::vector<int64_t>& lengths) {
  CheckAs<float>(lengths, ElementType::kF32, 2e-6);
  CheckAs<double>(lengths, ElementType::kF64, 4e-15);
}

TEST(Fft, ByHand) {
  // [1, 2, 3, 4]: sums 10, then -2+2i, -2, -2-2i.
  FftDescription d{.kind = FftKind::kFft, .lengths = {4}};
  EXPECT_EQ(RunFft<float>(d, {1, 2, 3, 4}), (std::vector<C>{{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}}));
  d.kind = FftKind::kRfft;
  EXPECT_EQ(RunFft<float>(d, {1, 2, 3, 4}), (std::vector<C>{{10, 0}, {-2, 2}, {-2, 0}}));
  d.kind = FftKind::kIrfft;
  EXPECT_EQ(RunFft<float>(d, {{10, 0}, {-2, 2}, {-2, 0}}), (std::vector<C>{1, 2, 3, 4}));
  // Imaginary parts that a real line cannot have are ignored.
  EXPECT_EQ(RunFft<float>(d, {{10, 5}, {-2, 2}, {-2, 7}}), (std::vector<C>{1, 2, 3, 4}));
}

TEST(Fft, NoMemoryToWorkInIsAnAnswer) {
  // The copy of the spectrum would take 2^58 bytes; neither array is touched.
  FftDescription d{.kind = FftKind::kIrfft, .lengths = {1 << 20, 1 << 20, 1 << 16}};
  auto fft = Fft::Create(d);
  ASSERT_TRUE(fft) << fft.error().ToString();
  EXPECT_FALSE((*fft)->Run(0, nullptr, nullptr));
}

TEST(Fft, SmallLengths) {
  for (int64_t n = 1; n <= 40; ++n) Check({n});
}

TEST(Fft, LargerLengths) {
  for (int64_t n : {64, 77, 97, 101, 120, 128, 210, 243, 343, 500, 997, 1024}) Check({n});
}

TEST(Fft, SeveralDimensions) {
  Check({3, 4});
  Check({8, 15});
  Check({2, 3, 5});
  Check({7, 1, 6});
  Check({5, 37});
}

TEST(Fft, Batches) {
  FftDescription d{.kind = FftKind::kFft, .batch = 3, .lengths = {6}};
  const std::vector<C> in = Numbers(18, false);
  std::vector<C> out = RunFft<float>(d, in);
  for (size_t b = 0; b < 3; ++b) {
    std::vector<C> part(in.begin() + static_cast<std::ptrdiff_t>(6 * b),
                        in.begin() + static_cast<std::ptrdiff_t>(6 * b + 6));
    std::vector<C> got(out.begin() + static_cast<std::ptrdiff_t>(6 * b),
                       out.begin() + static_cast<std::ptrdiff_t>(6 * b + 6));
    EXPECT_LT(ErrorOf(got, Reference(part, {6}, -1)), 1e-6);
  }
}

TEST(Fft, WhatIsRefused) {
  EXPECT_FALSE(Fft::Create({.lengths = {}}));
  EXPECT_FALSE(Fft::Create({.lengths = {4, 0}}));
  EXPECT_FALSE(Fft::Create({.lengths = {int64_t{1} << 40}}));
  EXPECT_FALSE(Fft::Create({.batch = int64_t{1} << 60, .lengths = {1 << 20}}));
  EXPECT_EQ(Fft::Create({.real_type = ElementType::kF16, .lengths = {4}}).error().kind(),
            ErrorKind::kNotSupported);
}

}  // namespace
}  // namespace subfloor::libraries
