// The kernels for baseline; compiled with that instruction set's flags (src/CMakeLists.txt).

#include "libraries/gemm/gemm_kernels.h"

#define SUBFLOOR_GEMM_NAMESPACE baseline
#define SUBFLOOR_VECTOR_BYTES 16
#define SUBFLOOR_GEMM_ROWS 4
#include "libraries/gemm/kernels.inc"

namespace subfloor::libraries::gemm {

// s32 is computed as u32, which wraps.
const InstructionSet kBaseline{"baseline", baseline::KernelsOf<float>(), baseline::KernelsOf<double>(),
                               baseline::KernelsOf<uint32_t>()};

}  // namespace subfloor::libraries::gemm
