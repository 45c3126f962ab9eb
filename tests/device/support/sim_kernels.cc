#include "device/support/sim_kernels.h"

namespace subfloor::device::sim {

int32_t AddWholeBlock(const SubfloorKernelCall* call) {
  const uint64_t first = call->workgroup_id[0] * 128;
  const float* a = static_cast<const float*>(call->arguments[0].data) + first;
  const float* b = static_cast<const float*>(call->arguments[1].data) + first;
  float* sum = static_cast<float*>(call->arguments[2].data) + first;
  for (int i = 0; i < 128; ++i) sum[i] = a[i] + b[i];
  return SUBFLOOR_KERNEL_OK;
}

}  // namespace subfloor::device::sim
