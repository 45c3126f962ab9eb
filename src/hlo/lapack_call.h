#pragma once

#include <optional>

#include "hlo/instruction.h"

namespace subfloor::hlo {

/// Custom calls that stand for operations of ours: what JAX makes of cholesky and triangular-solve when it
/// lowers for a CPU, `lapack_[sdcz]potrf_ffi` and `lapack_[sdcz]trsm_ffi`. Layouts don't matter: the matrix
/// is the array as the program means it. Absent for other calls, and for one whose operands, results or
/// backend_config are not those of its target.
///
/// potrf gives (array, s32[batch]): the factor in the triangle that it read and the operand in the other one;
/// and for each matrix 0, or 1 if it is not positive definite, which makes that triangle meaningless.
std::optional<CholeskyAttributes> AsLapackCholesky(const Instruction& call);

/// trsm solves op(a) x = b or x op(a) = b as triangular-solve does.
std::optional<TriangularSolveAttributes> AsLapackTriangularSolve(const Instruction& call);

/// `lapack_[sdcz]getrf_ffi`: LU factors with partial pivoting of [.., m, n] matrices, as (array, s32[..,
/// min(m, n)] rows exchanged, counting from 1, s32[..] 0 or the number of the first zero pivot).
bool IsLapackLu(const Instruction& call);

}  // namespace subfloor::hlo
