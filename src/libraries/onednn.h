#pragma once

#include <cstdint>

namespace subfloor::libraries {

/// The one function of oneDNN that we call and those of the OpenMP runtime that it brings along. Opened at
/// run time: mapping the library takes longer than everything else before main.
struct OneDnn {
  /// Row-major C = alpha op(A) op(B) + beta C, as dnnl_sgemm of oneDNN 1 to 3; answers 0 if all is well.
  int (*sgemm)(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, float alpha,
               const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
  int (*get_threads)();      ///< null in a build without OpenMP
  void (*set_threads)(int);  ///< likewise

  /// Null where no oneDNN is to be found. Threads: any.
  static const OneDnn* Get();
};

}  // namespace subfloor::libraries
