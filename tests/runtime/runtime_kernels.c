// Kernels of the runtime's tests, built as a code image is: a shared object that imports nothing.
#include "device/description/kernel_abi.h"

// out[i] = a[i] + b[i], each workgroup a share of the elements.
int32_t add_f32(const SubfloorKernelCall* call) {
  const float* a = (const float*)call->arguments[0].data;
  const float* b = (const float*)call->arguments[1].data;
  float* out = (float*)call->arguments[2].data;
  const uint64_t count = call->arguments[2].size_bytes / sizeof(float);
  const uint64_t share = (count + call->workgroup_count[0] - 1) / call->workgroup_count[0];
  const uint64_t begin = share * call->workgroup_id[0];
  for (uint64_t i = begin; i < begin + share && i < count; ++i) out[i] = a[i] + b[i];
  return 0;
}

// out = in < bound, on s32 scalars.
int32_t less_s32(const SubfloorKernelCall* call) {
  *(uint8_t*)call->arguments[2].data =
      *(int32_t*)call->arguments[0].data < *(int32_t*)call->arguments[1].data;
  return 0;
}

// value += 1 in place, on an s32 scalar.
int32_t increment_s32(const SubfloorKernelCall* call) {
  ++*(int32_t*)call->arguments[1].data;
  return 0;
}

// Each workgroup writes its number and the address of its scratch, which it fills.
int32_t use_scratch(const SubfloorKernelCall* call) {
  const SubfloorKernelArgument scratch = call->arguments[call->argument_count - 1];
  uint64_t* out = (uint64_t*)call->arguments[0].data + 2 * call->workgroup_id[0];
  for (uint64_t i = 0; i < scratch.size_bytes; ++i)
    ((volatile uint8_t*)scratch.data)[i] = (uint8_t)call->workgroup_id[0];
  out[0] = call->workgroup_id[0];
  out[1] = (uint64_t)(uintptr_t)scratch.data;
  return 0;
}

int32_t fail_at_five(const SubfloorKernelCall* call) {
  if (call->workgroup_count[0] > 1 && call->workgroup_id[0] != 3) return 0;
  call->error->code = SUBFLOOR_KERNEL_INDEX_OUT_OF_BOUNDS;
  call->error->site = 2;
  call->error->value[0] = 5;
  call->error->value[1] = 4;
  return SUBFLOOR_KERNEL_INDEX_OUT_OF_BOUNDS;
}

static void store_square(void* out, int64_t i) { ((int64_t*)out)[i] = i * i; }

// out[i] = i * i through the host's parallel_for.
int32_t squares(const SubfloorKernelCall* call) {
  call->host->parallel_for(call->host->context, (int64_t)(call->arguments[0].size_bytes / 8), store_square,
                           call->arguments[0].data);
  return 0;
}

// out = smallest subnormal * 1: zero where subnormals are flushed. out[1] = 1 + 2^-25 rounded.
int32_t float_environment(const SubfloorKernelCall* call) {
  volatile float tiny = 1e-45f, one = 1.0f, small = 0x1.8p-25f;
  ((float*)call->arguments[0].data)[0] = tiny * one;
  ((float*)call->arguments[0].data)[1] = one + small;
  return 0;
}
