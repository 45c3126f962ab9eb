// Between types: convert, stochastic-convert, and compare, whose result is a pred.

#include <bit>
#include <limits>

#include "evaluator/kernels.h"
#include "types/narrow.h"

namespace subfloor::evaluator {
namespace {

using hlo::ComparisonDirection;

/// Towards zero, saturating; NaN gives 0. For pred: x != 0, which a NaN is.
template <typename R>
int64_t RealToInt(ElementType to, R x) {
  if (IsPred(to)) return !(x == 0);
  if (IsNaN(x)) return 0;
  const int width = BitWidth(to);
  if (IsSigned(to)) {
    const R limit = Ldexp(R{1}, width - 1);
    if (x >= limit) return static_cast<int64_t>((uint64_t{1} << (width - 1)) - 1);
    if (x < -limit) return static_cast<int64_t>(~((uint64_t{1} << (width - 1)) - 1));
    return static_cast<int64_t>(x);
  }
  if (x >= Ldexp(R{1}, width)) return WrapInt(to, -1);
  return x <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(x));
}

/// One rounding from an exact source to type `to`, as a wide value.
double QuadToDouble(ElementType to, Quad x) {
  to = ComponentType(to);
  if (to == ElementType::kF32) return static_cast<float>(x);
  return ToDouble(to, FromQuad(to, x));
}

/// A part of a value: from wide type From to wide type To, for element types `from` and `to`.
template <typename From, typename To>
To ConvertPart(ElementType from, ElementType to, From x) {
  if constexpr (std::is_same_v<From, int64_t> && std::is_same_v<To, int64_t>) {
    return WrapInt(to, x);
  } else if constexpr (std::is_same_v<From, int64_t> && std::is_same_v<To, double>) {
    return BitWidth(from) <= 32 ? static_cast<double>(x) : IntToDouble(to, from, x);
  } else if constexpr (std::is_same_v<From, int64_t>) {
    return IntToQuad(from, x);
  } else if constexpr (std::is_same_v<To, int64_t>) {
    return RealToInt(to, x);
  } else if constexpr (std::is_same_v<From, Quad> && std::is_same_v<To, double>) {
    return QuadToDouble(to, x);
  } else {
    return static_cast<To>(x);
  }
}

template <typename From, typename To>
struct Converter {
  To operator()(const ElementOp& op, From x) const {
    return ConvertPart<From, To>(op.in_types[0], op.out_type, x);
  }
};
template <typename From, typename R>
struct Converter<From, Complex<R>> {
  Complex<R> operator()(const ElementOp& op, From x) const {
    return {ConvertPart<From, R>(op.in_types[0], op.out_type, x), 0};
  }
};
/// Complex to real takes the real part; to pred, whether either part is not zero.
template <typename R, typename To>
struct Converter<Complex<R>, To> {
  To operator()(const ElementOp& op, Complex<R> z) const {
    if (IsPred(op.out_type)) return static_cast<To>(!(z.re == 0) || !(z.im == 0));
    return ConvertPart<R, To>(op.in_types[0], op.out_type, z.re);
  }
};
template <typename R1, typename R2>
struct Converter<Complex<R1>, Complex<R2>> {
  Complex<R2> operator()(const ElementOp& op, Complex<R1> z) const {
    return {ConvertPart<R1, R2>(op.in_types[0], op.out_type, z.re),
            ConvertPart<R1, R2>(op.in_types[0], op.out_type, z.im)};
  }
};

/// The bits as a sign-magnitude integer: IEEE totalOrder, -NaN first and +NaN last.
__int128 TotalOrderKey(double x) {
  const auto bits = std::bit_cast<int64_t>(x);
  return bits >= 0 ? bits : std::numeric_limits<int64_t>::min() - bits - 1;
}
__int128 TotalOrderKey(Quad x) {
  const auto bits = std::bit_cast<__int128>(x);
  constexpr __int128 kMin = static_cast<__int128>(1) << 127;
  return bits >= 0 ? bits : kMin - bits - 1;
}

template <typename T>
int64_t Holds(ComparisonDirection direction, T a, T b) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return a == b;
    case ComparisonDirection::kNe:
      return a != b;
    case ComparisonDirection::kGe:
      return a >= b;
    case ComparisonDirection::kGt:
      return a > b;
    case ComparisonDirection::kLe:
      return a <= b;
    case ComparisonDirection::kLt:
      break;
  }
  return a < b;
}

template <typename R>
ElementOp::Kernel CompareReal(bool total_order) {
  if (total_order) {
    return MakeKernel<int64_t, R, R>([](const ElementOp& op, R a, R b) {
      return Holds(op.direction, TotalOrderKey(a), TotalOrderKey(b));
    });
  }
  return MakeKernel<int64_t, R, R>([](const ElementOp& op, R a, R b) { return Holds(op.direction, a, b); });
}

template <typename R>
ElementOp::Kernel CompareComplex() {
  return MakeKernel<int64_t, Complex<R>, Complex<R>>([](const ElementOp& op, Complex<R> a, Complex<R> b) {
    const bool equal = a.re == b.re && a.im == b.im;
    return static_cast<int64_t>(equal == (op.direction == ComparisonDirection::kEq));
  });
}

/// |x| is cut to an integer, which goes up by one with the probability of the cut fraction: when the random
/// bits, read as a fraction, are below it. Saturates; NaN gives 0.
template <typename R>
int64_t StochasticConvert(const ElementOp& op, R x, int64_t random) {
  if (IsNaN(x)) return 0;
  const R magnitude = SignBit(x) ? -x : x;
  R whole = Floor(magnitude);
  if (IsFinite(magnitude)) {
    const R threshold = Ldexp(magnitude - whole, BitWidth(op.in_types[1]));
    const auto drawn = static_cast<Quad>(static_cast<uint64_t>(random));
    if (drawn < static_cast<Quad>(threshold)) whole += 1;
  }
  return RealToInt(op.out_type, SignBit(x) ? -whole : whole);
}

}  // namespace

ElementOp::Kernel CompareKernel(WideKind kind, ElementType type, bool total_order) {
  switch (kind) {
    case WideKind::kInt:
      if (IsSigned(type)) {
        return MakeKernel<int64_t, int64_t, int64_t>(
            [](const ElementOp& op, int64_t a, int64_t b) { return Holds(op.direction, a, b); });
      }
      return MakeKernel<int64_t, int64_t, int64_t>([](const ElementOp& op, int64_t a, int64_t b) {
        return Holds(op.direction, static_cast<uint64_t>(a), static_cast<uint64_t>(b));
      });
    case WideKind::kDouble:
      return CompareReal<double>(total_order);
    case WideKind::kQuad:
      return CompareReal<Quad>(total_order);
    case WideKind::kComplexDouble:
      return CompareComplex<double>();
    case WideKind::kComplexQuad:
      break;
  }
  return CompareComplex<Quad>();
}

ElementOp::Kernel ConvertKernel(WideKind from, WideKind to) {
  return WithWide(from, [to]<typename From>() {
    return WithWide(to, []<typename To>() { return MakeKernel<To, From>(Converter<From, To>{}); });
  });
}

ElementOp::Kernel StochasticConvertKernel(WideKind from) {
  if (from == WideKind::kQuad) {
    return MakeKernel<int64_t, Quad, int64_t>(
        [](const ElementOp& op, Quad x, int64_t random) { return StochasticConvert(op, x, random); });
  }
  return MakeKernel<int64_t, double, int64_t>(
      [](const ElementOp& op, double x, int64_t random) { return StochasticConvert(op, x, random); });
}

}  // namespace subfloor::evaluator
