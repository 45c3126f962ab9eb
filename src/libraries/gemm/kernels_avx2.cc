// The kernels for avx2; compiled with that instruction set's flags (src/CMakeLists.txt).
#if defined(__x86_64__)
#include <immintrin.h>

#include "libraries/gemm/gemm_kernels.h"

#define SUBFLOOR_GEMM_NAMESPACE avx2
#define SUBFLOOR_VECTOR_BYTES 32
#define SUBFLOOR_GEMM_ROWS 6
#include "libraries/gemm/kernels.inc"

namespace subfloor::libraries::gemm {

// s32 is computed as u32, which wraps.
const InstructionSet kAvx2{"avx2", avx2::KernelsOf<float>(), avx2::KernelsOf<double>(),
                           avx2::KernelsOf<uint32_t>()};

}  // namespace subfloor::libraries::gemm
#endif
