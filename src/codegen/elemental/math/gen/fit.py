#!/usr/bin/env python3
"""Fits the polynomials of math/ and prints coefficients.h: `python3 fit.py > coefficients.h` (needs mpmath).

Each polynomial approximates the part of a function that is left once its exact leading terms are taken away, on the
interval that the argument reduction leaves. Least squares on Chebyshev points comes within a small factor of minimax; the
coefficients are rounded to the format one after the other, from the lowest, and the rest fitted again each time, so that
the rounding of one is made good by the next. The error printed beside each is that of the rounded polynomial.
"""
from mpmath import mp, mpf, matrix, lu_solve, exp, log, sin, cos, atan, asin, tanh, erf, erfc, sqrt, pi, root

mp.dps = 90


def rounder(bits):
    """To the nearest number of so many bits; exponents are far from any format's ends here."""
    def rounding(v):
        m, e = mp.frexp(v)
        return mp.ldexp(mp.nint(mp.ldexp(m, bits)), e - bits)
    return rounding


def fit(f, low, high, degree, rounding):
    low, high = mpf(low), mpf(high)
    count = 4 * (degree + 1)  # even: the middle, where many f are 0/0, is no point
    points = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    rest = [f(x) for x in points]
    fixed = []
    for first in range(degree + 1):
        size = degree + 1 - first
        powers = [[x ** (first + j) for j in range(size)] for x in points]
        normal, right = matrix(size, size), matrix(size, 1)
        for i in range(size):
            right[i] = sum(p[i] * r for p, r in zip(powers, rest))
            for j in range(i, size):
                normal[i, j] = sum(p[i] * p[j] for p in powers)
                normal[j, i] = normal[i, j]
        c = rounding(lu_solve(normal, right)[0])
        fixed.append(c)
        rest = [r - c * x ** first for r, x in zip(rest, points)]
    error = max(abs(f(x) - sum(c * x ** i for i, c in enumerate(fixed)))
                for x in [low + (high - low) * (i + mpf('0.5')) / 400 for i in range(400)])
    return fixed, error


def emit(name, comment, f, low, high, degree32, degree64):
    for suffix, degree, rounding in (('F32', degree32, rounder(24)), ('F64', degree64, rounder(53))):
        if degree is None:
            continue
        coefficients, error = fit(f, low[suffix] if isinstance(low, dict) else low,
                                  high[suffix] if isinstance(high, dict) else high, degree, rounding)
        print(f'// {comment}; error 2^{float(mp.log(error, 2)):.1f}')
        print(f'inline constexpr double k{name}{suffix}[] = {{')
        for c in coefficients:
            print(f'    {float(c).hex()},')
        print('};')


def split(name, comment, value, widths):
    """The value as a sum of numbers of the given widths in bits, the widest part first."""
    parts = []
    for bits in widths:
        part = rounder(bits)(value)
        parts.append(float(part).hex())
        value -= part
    print(f'// {comment}')
    print(f'inline constexpr double k{name}[] = {{{", ".join(parts)}}};')


print('''// Made by fit.py beside it; do not edit.
#pragma once

#include <cstdint>

namespace subfloor::codegen::elemental {
''')
ln2 = log(mpf(2))
half_ln2 = ln2 / 2 * mpf('1.001')
split('Ln2F32', 'ln 2: 15 bits, so that n ln 2 is exact for every exponent n, and two more parts', ln2, (15, 24, 24))
split('Ln2F64', 'ln 2: 40 bits, likewise', ln2, (40, 53, 53))
split('HalfPiF32', 'pi/2 in three parts', pi / 2, (24, 24, 24))
split('HalfPiF64', 'pi/2 in three parts', pi / 2, (53, 53, 53))
split('TwoThirdsF32', '2/3 in two parts', mpf(2) / 3, (24, 24))
split('TwoThirdsF64', '2/3 in two parts', mpf(2) / 3, (53, 53))
emit('Exp', '(e^r - 1 - r) / r^2', lambda r: (exp(r) - 1 - r) / r ** 2, -half_ln2, half_ln2, 4, 10)
emit('Log', '(log(1+f) - f + f^2/2) / f^3', lambda f: (log(1 + f) - f + f * f / 2) / f ** 3,
     sqrt(mpf('0.5')) - 1, sqrt(mpf(2)) - 1, 8, None)
s_max = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1) * mpf('1.0001')
atanh = lambda s: log((1 + s) / (1 - s))  # 2 atanh(s)
emit('LogS', '(2 atanh(s) - 2s) / s^3 in s^2', lambda z: (atanh(sqrt(z)) - 2 * sqrt(z)) / sqrt(z) ** 3, 0, s_max ** 2, 2, 6)
emit('LogTail', '(2 atanh(s) - 2s - 2/3 s^3) / s^5 in s^2',
     lambda z: (atanh(sqrt(z)) - 2 * sqrt(z) - mpf(2) / 3 * sqrt(z) ** 3) / sqrt(z) ** 5, 0, s_max ** 2, 3, 7)
quarter = (pi / 4 * mpf('1.001')) ** 2
emit('Sin', '(sin(r) - r) / r^3 in r^2', lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, 0, quarter, 3, 6)
emit('Cos', '(cos(r) - 1 + r^2/2) / r^4 in r^2', lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, 0, quarter, 3, 6)
emit('Atan', '(atan(x) - x) / x^3 in x^2', lambda z: (atan(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, 0,
     (sqrt(mpf(2)) - 1) ** 2 * mpf('1.001'), 5, 12)
emit('Asin', '(asin(x) - x) / x^3 in x^2', lambda z: (asin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, 0, mpf('0.2501'), 5, 13)
emit('Tanh', '(tanh(x) - x) / x^3 in x^2', lambda z: (tanh(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, 0, mpf('0.625') ** 2, 5, None)
emit('Erf', 'erf(x) / x - 1 in x^2', lambda z: erf(sqrt(z)) / sqrt(z) - 1, 0, 1, 7, 13)
emit('InverseCbrt', 'm^(-1/3)', lambda m: 1 / root(m, 3), 1, 8, 4, 4)
emit('LogErfc', 'log(erfc(a)) in a - 2', lambda t: log(erfc(t + 2)), -1, {'F32': 2, 'F64': 4}, 9, 28)


def two_over_pi_words(count):
    mp.prec = 64 * count + 100
    scaled = int(mp.floor(mp.ldexp(2 / mp.pi, 64 * (count - 1))))
    return [(scaled >> (64 * (count - 1 - i))) & (2 ** 64 - 1) for i in range(count)]


print('// 2/pi as a binary fraction behind 64 zero bits, most significant word first.')
print('inline constexpr uint64_t kTwoOverPi[] = {')
for word in two_over_pi_words(22):
    print(f'    0x{word:016x},')
print('''};

}  // namespace subfloor::codegen::elemental''')
