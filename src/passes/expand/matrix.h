#pragma once

#include "hlo/builder.h"

/// Batches of matrices in the last two dimensions, as cholesky and triangular-solve step through them.
namespace subfloor::passes {

/// [.., m, k] times [.., k, n].
hlo::Instruction* BatchMatMul(hlo::Builder& b, hlo::Instruction* lhs, hlo::Instruction* rhs);
/// The last two dimensions swapped.
hlo::Instruction* SwapLastTwo(hlo::Builder& b, hlo::Instruction* x);
/// Every imaginary part negated; x itself if it is real.
hlo::Instruction* Conjugate(hlo::Builder& b, hlo::Instruction* x);
/// One line `i` (an s32 scalar) along dimension `d`, and the same line written.
hlo::Instruction* TakeLine(hlo::Builder& b, hlo::Instruction* x, int64_t d, hlo::Instruction* i);
hlo::Instruction* PutLine(hlo::Builder& b, hlo::Instruction* x, hlo::Instruction* line, int64_t d,
                          hlo::Instruction* i);

}  // namespace subfloor::passes
