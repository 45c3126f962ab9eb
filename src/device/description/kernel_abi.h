#pragma once

#include <stddef.h>
#include <stdint.h>

/// The calling convention of every kernel that a code image exports: a C ABI, versioned, the same for code
/// that was compiled a moment ago and for code that was loaded from a file. Fields are only ever added at the
/// end of a struct, and then the version grows.
#ifdef __cplusplus
extern "C" {
#endif

#define SUBFLOOR_KERNEL_ABI_VERSION 1

/// One buffer. Alignment is SUBFLOOR_BUFFER_ALIGNMENT at least; the size is exact, not padded.
typedef struct SubfloorKernelArgument {
  void* data;
  uint64_t size_bytes;
} SubfloorKernelArgument;

/// Where a kernel says what went wrong. Codes: see SubfloorKernelErrorCode. `site` tells places in one kernel
/// apart.
typedef struct SubfloorKernelError {
  int32_t code;
  int32_t site;
  int64_t value[2];
} SubfloorKernelError;

enum SubfloorKernelErrorCode { SUBFLOOR_KERNEL_OK = 0, SUBFLOOR_KERNEL_INDEX_OUT_OF_BOUNDS = 1 };

/// What a kernel may ask of its caller. A null function is not offered.
typedef struct SubfloorKernelHost {
  void* context;
  /// Runs body(body_context, i) for i in [0, count), in any order, perhaps in parallel, and returns when all
  /// have run.
  void (*parallel_for)(void* context, int64_t count, void (*body)(void* body_context, int64_t index),
                       void* body_context);
} SubfloorKernelHost;

/// One call = one workgroup. Arguments: operand buffers in order, then result buffers in order (a result that
/// shares an operand's buffer is passed again), then, if the kernel's plan asks for scratch, one scratch
/// buffer.
typedef struct SubfloorKernelCall {
  uint32_t abi_version;
  uint32_t argument_count;
  const SubfloorKernelArgument* arguments;
  uint64_t workgroup_id[3];
  uint64_t workgroup_count[3];
  const SubfloorKernelHost* host;
  SubfloorKernelError* error;  ///< never null; written only on failure
} SubfloorKernelCall;

/// 0 on success, else the error code that was also written to call->error.
typedef int32_t (*SubfloorKernel)(const SubfloorKernelCall* call);

/// Every buffer handed to a kernel starts at a multiple of this many bytes.
#define SUBFLOOR_BUFFER_ALIGNMENT 64

#ifdef __cplusplus
}  // extern "C"
#endif
