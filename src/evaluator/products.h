#pragma once

#include <type_traits>

#include "base/error.h"
#include "evaluator/number.h"
#include "evaluator/wide_math.h"

/// What dot and convolution share: operands of any types multiplied and summed in one wide type.
namespace subfloor::evaluator {

/// The wide type for sums of products of two operands: integers, reals or complex numbers as the result is,
/// in binary128 as soon as any of the three has 64-bit floats.
WideKind ProductKind(ElementType result, ElementType lhs, ElementType rhs);

/// An operand of the kind of number that the result is (integer or pred, real, complex): as it is, or
/// converted to the result's type. Operands of the same kind are taken exactly. Errors: bad input for a
/// complex operand of a real product.
Result<Literal> AsProductOperand(const Literal& operand, ElementType result);

/// sum += a * b. Integers wrap.
template <typename W>
void MultiplyAdd(W& sum, const W& a, const W& b) {
  if constexpr (std::is_same_v<W, int64_t>) {
    sum = static_cast<int64_t>(static_cast<uint64_t>(sum) +
                               static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    sum = sum + a * b;
  }
}

/// sums[i] += a * values[i].
template <typename W>
void MultiplyAddRow(W* sums, const W& a, const W* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) MultiplyAdd(sums[i], a, values[i]);
}

}  // namespace subfloor::evaluator
