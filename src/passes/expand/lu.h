#pragma once

#include "hlo/builder.h"

namespace subfloor::passes {

/// The LU factors of [.., m, n] matrices with the rows exchanged by partial pivoting, as LAPACK's getrf
/// leaves them: (array with the unit lower factor below the diagonal and the upper one from it on, s32[..,
/// min(m, n)] row that row i was exchanged with, counting from 1, s32[..] 0 or the first exact zero pivot,
/// counting from 1). As many steps as pivots, each of a matrix' size. Errors: those of the builder.
Result<hlo::Instruction*> MakeLu(hlo::Builder& b, hlo::Instruction* a);

}  // namespace subfloor::passes
