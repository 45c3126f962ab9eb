#include "codegen/elemental/math/core.h"
#include "codegen/elemental/math/functions.h"

namespace subfloor::codegen::elemental {
// Long division in steps of many bits. With n = round(r / (d 2^j)) below 2^mantissa, n (d 2^j) differs from r
// by less than d 2^j and both are multiples of the last place of d 2^j, so the fma is exact; when the
// quotient was rounded up, the rest is negative and one d 2^j comes back, exactly too.
V Remainder(const V& x, const V& y) {
  return CallHelper1("remainder", {x, y}, [](std::span<const V> args) {
    const V &x = args[0], &y = args[1];
    const int step = MantissaBits(x) - 2;
    const double infinity = HUGE_VAL;
    V invalid = ~(Lt(Abs(x), infinity) & Ne(y, 0.0)) | IsNan(y);
    V divisor = Select(invalid, 1.0, Abs(y));
    std::vector<V> state = {Select(invalid, 0.0, Abs(x)), divisor,
                            FloorLog2(Select(Eq(divisor, infinity), 1.0, divisor))};
    state = While(
        state, [](std::span<const V> s) { return AnyLane(Ge(s[0], s[1])); },
        [&](std::span<const V> s) {
          V rest = s[0];
          V active = Ge(rest, s[1]);
          V distance = FloorLog2(Select(active, rest, 1.0)) - s[2] - step;
          distance = Select(Gt(distance, 2 * Bias(x)), 2 * Bias(x), distance);  // a power of two must hold it
          V shift = Select(active & Gt(distance, 0), distance, 0);
          V divisor = Select(active, ScaleByPowerOfTwo(s[1], shift), 1.0);
          V left = Fma(-Trunc(rest / divisor), divisor, rest);
          left = Select(Lt(left, 0.0), left + divisor, left);
          return std::vector<V>{Select(active, left, rest), s[1], s[2]};
        });
    return Select(invalid, Num(x, NAN), CopySign(state[0], x));
  });
}

}  // namespace subfloor::codegen::elemental
