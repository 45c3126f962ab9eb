#pragma once

#include <cstdint>
#include <vector>

namespace subfloor::libraries {

template <typename T>
struct FftComplex {
  T re, im;
};
template <typename T>
FftComplex<T> operator+(FftComplex<T> a, FftComplex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename T>
FftComplex<T> operator-(FftComplex<T> a, FftComplex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename T>
FftComplex<T> operator*(FftComplex<T> a, FftComplex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename T>
FftComplex<T> operator*(T a, FftComplex<T> b) {
  return {a * b.re, a * b.im};
}
template <typename T>
FftComplex<T> Conjugate(FftComplex<T> a) {
  return {a.re, -a.im};
}

/// exp(2 pi i numerator / denominator), correctly rounded or nearly so. 0 <= numerator < denominator.
template <typename T>
FftComplex<T> RootOfUnity(int64_t numerator, int64_t denominator);

/// One-dimensional complex transforms of one length, without scaling. Immutable.
template <typename T>
class FftPlan {
 public:
  /// `sign` is that of the exponent: -1 forward, +1 inverse. `length` is 1 or more.
  FftPlan(int64_t length, int sign);

  int64_t length() const { return length_; }
  /// Elements of T that Run wants as scratch.
  int64_t scratch_elements() const;
  /// Transforms data[0, length) in place. `scratch` at a multiple of 8.
  void Run(FftComplex<T>* data, T* scratch) const;

 private:
  struct Stage {
    int64_t radix, rest;                  // length of this stage's transforms = radix * rest
    std::vector<FftComplex<T>> twiddles;  // [rest][radix - 1]
    std::vector<FftComplex<T>> roots;  // of unity, radix of them; only for radices without code of their own
  };
  void MakeStages();
  void MakeBluestein();
  void RunStage(const Stage& stage, int64_t stride, const FftComplex<T>* in, FftComplex<T>* out) const;
  void RunBluestein(FftComplex<T>* data, FftComplex<double>* scratch) const;

  int64_t length_;
  int sign_;
  std::vector<Stage> stages_;
  // Bluestein's algorithm, always in f64: a transform of any length as a cyclic convolution of a power of
  // two.
  std::vector<FftPlan<double>> convolution_;        // forward and inverse, of the power of two
  std::vector<FftComplex<double>> chirp_;           // exp(sign pi i k^2 / length)
  std::vector<FftComplex<double>> chirp_spectrum_;  // of its conjugate, divided by the power of two
};

extern template class FftPlan<float>;
extern template class FftPlan<double>;

}  // namespace subfloor::libraries
