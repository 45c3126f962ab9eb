#pragma once

#include <cstdint>

#include "base/error.h"
#include "types/literal.h"

namespace subfloor {

struct RandomLiteralOptions {
  /// Integers are drawn from [int_min, int_max], cut to their type's range; types of at most two bits use all
  /// they have.
  int64_t int_min = 0;
  int64_t int_max = 3;
  /// Mixes in NaN, infinities, both zeros, subnormals, the ends of every type and arbitrary patterns: about
  /// half the elements.
  bool edge = false;
};

/// A value of any shape, the same for the same shape, seed and options on every machine. Floats and both
/// parts of complex numbers lie in about [-1, 1) with a few round and a few small numbers among them,
/// f8e8m0fnu in 2^-3 to 2^3, pred is half and half. Tokens stay tokens. Errors: those of Literal::Zeros.
/// Threads: pure.
Result<Literal> RandomLiteral(const Shape& shape, uint64_t seed, const RandomLiteralOptions& options = {});

}  // namespace subfloor
