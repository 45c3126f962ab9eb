#pragma once

#include "base/error.h"
#include "libraries/gemm/gemm_kernels.h"
#include "types/element_type.h"

namespace subfloor::libraries::gemm {

/// The best set this machine has, or the one that SUBFLOOR_GEMM_ISA names if it has it ("avx512", "avx2",
/// "baseline").
const InstructionSet& HostInstructionSet();

/// Errors: bad input if SUBFLOOR_GEMM_ISA names no set there is.
Status CheckForcedInstructionSet();

/// How the kernels see operands and results of a product.
struct Typing {
  const Kernels* kernels = nullptr;  ///< null: no kernel takes these types
  Storage lhs = Storage::kNative, rhs = Storage::kNative, out = Storage::kNative;
};
Typing TypingOf(ElementType lhs, ElementType rhs, ElementType out);

}  // namespace subfloor::libraries::gemm
