#include <cmath>

#include "codegen/elemental/math/complex/complex.h"
#include "codegen/elemental/math/core.h"
#include "codegen/elemental/math/functions.h"

/// Inverse functions after Hull, Fairgrieve and Tang (ACM TOMS 23, 1997): with r, s the distances of z from
/// -1 and 1 and a = (r + s) / 2, b = |x| / a, asin z = asin b + i log(a + sqrt(a^2 - 1)), each in the form
/// that does not cancel there.
namespace subfloor::codegen::elemental {
namespace {

/// For x, y >= 0: Re asin and Re acos of x + i y, and the common imaginary part's magnitude.
struct ArcParts {
  V asin, acos, im;
};

ArcParts Arc(const V& x, const V& y) {
  const double large_limit = std::ldexp(1.0, Bias(x) / 2 - 2);
  V large = Gt(x, large_limit) | Gt(y, large_limit);
  V u = Select(large, 0.5, x), v = Select(large, 0.5, y);  // what the middle formulas see
  V above = u + 1.0, off = u - 1.0;
  V distance = Abs(off);
  V inside = Lt(u, 1.0);

  V r = Modulus({above, v}), s = Modulus({off, v});
  V a = 0.5 * (r + s);
  V b = u / a;
  V v_squared = v * v;
  V left = v_squared / (r + above);                                    // r - (u + 1)
  V right = Select(inside, v_squared / (s + distance), s + distance);  // s - |u - 1| inside
  V a_minus_1 = 0.5 * (left + Select(Eq(v, 0.0) & inside, 0.0, right));
  V im_near = Log1p(a_minus_1 + Sqrt(a_minus_1 * (a + 1.0)));
  V im_far = Log(a + Sqrt(Fma(a, a, -1.0)));
  V im = Select(Lt(a, 1.5), im_near, im_far);

  // y so small that its square is lost beside the distance to the branch point.
  V flat = Le(v, Num(x, Pick(x, 0x1p-24, 0x1p-53)) * distance);
  V root = Sqrt(distance * above);
  V im_flat = Select(inside, v / root, Log1p(off + root));
  im = Select(flat & Ne(distance, 0.0), im_flat, im);

  // The opposite side of the triangle: sqrt(a^2 - x^2).
  V opposite_inside = Sqrt(0.5 * (a + u) * (left + (s + (1.0 - u))));
  V opposite_outside = v * Sqrt(0.5 * ((a + u) / (r + above) + (a + u) / (s + off)));
  V opposite = Select(Le(u, 1.0), opposite_inside, opposite_outside);
  opposite = Select(Eq(v, 0.0) & ~inside, 0.0, opposite);
  V gentle = Le(b, 0.6417);
  V asin = Select(gentle, Asin(b), Atan2(u, opposite));
  V acos = Select(gentle, Acos(b), Atan2(opposite, u));

  // Far out: a circle.
  V ln2 = Num(x, M_LN2);
  return {Select(large, Atan2(x, y), asin), Select(large, Atan2(y, x), acos),
          Select(large, LogHypot(x, y) + ln2, im)};
}

}  // namespace

C Asin(const C& z) {
  return CallComplex("asin", {z}, [](std::span<const C> args) {
    const C& z = args[0];
    ArcParts arc = Arc(Abs(z.re), Abs(z.im));
    return C{CopySign(arc.asin, z.re), CopySign(arc.im, z.im)};
  });
}

C Acos(const C& z) {
  return CallComplex("acos", {z}, [](std::span<const C> args) {
    const C& z = args[0];
    ArcParts arc = Arc(Abs(z.re), Abs(z.im));
    V negative = Lt(AsInt(z.re), 0);
    V mirrored = M_PI - arc.acos;
    return C{Select(negative, mirrored, arc.acos), -CopySign(arc.im, z.im)};
  });
}

C Asinh(const C& z) {
  C turned = Asin(C{z.im, z.re});
  return {turned.im, turned.re};
}

C Acosh(const C& z) {
  C angle = Acos(z);
  return {Abs(angle.im), CopySign(angle.re, z.im)};
}

// Re = log1p(4|x| / ((1 - |x|)^2 + y^2)) / 4, Im = atan2(2y, (1 - |x|)(1 + |x|) - y^2) / 2.
C Atanh(const C& z) {
  return CallComplex("atanh", {z}, [](std::span<const C> args) {
    const C& z = args[0];
    V x = Abs(z.re), y = Abs(z.im);
    const double large_limit = std::ldexp(1.0, Bias(x) / 2 - 2);
    V large = Gt(x, large_limit) | Gt(y, large_limit);
    V u = Select(large, 0.5, x), v = Select(large, 0.5, y);
    V off = 1.0 - u, above = 1.0 + u;
    V norm = Fma(off, off, v * v);
    V near_pole = Lt(norm, 0.0625);
    V re = Select(near_pole, 0.5 * (LogHypot(above, v) - LogHypot(off, v)),
                  0.25 * Log1p(4.0 * u / Select(near_pole, 1.0, norm)));
    V im = 0.5 * Atan2(v + v, Fma(off, above, -(v * v)));
    // Far out 1 / z, of which the real part is x / |z|^2.
    V length = Modulus({x, y});
    V far_re = Select(Eq(length, HUGE_VAL), 0.0, x / length / length);
    V far_im = Select(IsNan(x) | IsNan(y), x + y, Num(x, M_PI_2));
    re = Select(large, far_re, re),
    im = Select(large, Select(Eq(length, HUGE_VAL), Num(x, M_PI_2), far_im), im);
    return C{CopySign(re, z.re), CopySign(im, z.im)};
  });
}

}  // namespace subfloor::codegen::elemental
