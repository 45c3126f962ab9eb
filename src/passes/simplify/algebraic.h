#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces instructions by cheaper ones of equal value, one at a time: neutral operands, inverse pairs,
/// movers that compose or move nothing, reductions over nothing, selections that are settled. Only rewrites
/// that keep every bit (NaN payloads of arithmetic aside, which the numeric contract leaves open): x + 0
/// stays for floats, since -0 + 0 is +0. The rules stand in algebra/, one file a family of ops; rules.h says
/// what a rule may assume. Takes: any module; instructions with layouts that are not row-major, dynamic sizes
/// or control edges are left alone. Gives: the same entry signature. Errors: none. Place: in the
/// simplification group, several times over.
Result<bool> SimplifyAlgebra(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
