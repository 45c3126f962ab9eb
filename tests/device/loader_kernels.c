// Kernels of the loader's tests, built as a code image is: a shared object that imports nothing.
#include "device/description/kernel_abi.h"

// out[i] = in[i] + 1, each workgroup a share.
int32_t add_one(const SubfloorKernelCall* call) {
  const float* in = (const float*)call->arguments[0].data;
  float* out = (float*)call->arguments[1].data;
  const uint64_t count = call->arguments[1].size_bytes / sizeof(float);
  const uint64_t share = (count + call->workgroup_count[0] - 1) / call->workgroup_count[0];
  const uint64_t begin = share * call->workgroup_id[0];
  for (uint64_t i = begin; i < begin + share && i < count; ++i) out[i] = in[i] + 1.0f;
  return 0;
}

// A data segment of its own, so that two loads of the same bytes can be told apart.
static int32_t counter;
int32_t count_calls(const SubfloorKernelCall* call) {
  *(int32_t*)call->arguments[0].data = ++counter;
  return 0;
}
