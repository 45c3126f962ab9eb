// The kernels for avx512; compiled with that instruction set's flags (src/CMakeLists.txt).
#if defined(__x86_64__)
#include <immintrin.h>

#include "libraries/gemm/gemm_kernels.h"

#define SUBFLOOR_GEMM_NAMESPACE avx512
#define SUBFLOOR_VECTOR_BYTES 64
#define SUBFLOOR_GEMM_ROWS 12
#include "libraries/gemm/kernels.inc"

namespace subfloor::libraries::gemm {

// s32 is computed as u32, which wraps.
const InstructionSet kAvx512{"avx512", avx512::KernelsOf<float>(), avx512::KernelsOf<double>(),
                             avx512::KernelsOf<uint32_t>()};

}  // namespace subfloor::libraries::gemm
#endif
