#pragma once

#include <stddef.h>
#include <stdint.h>

/// The calling convention of every kernel that a code image exports: a C ABI, versioned, the same for code
/// that was compiled a moment ago and for code that was loaded from a file. Fields are only ever added at the
/// end of a struct, and then the version grows.
#ifdef __cplusplus
extern "C" {
#endif

#define SUBFLOOR_KERNEL_ABI_VERSION 2

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

/// What a simulated GPU's kernel asks of the simulator, on behalf of the thread that it runs as. Only kernels
/// made for the simulator call these.
typedef struct SubfloorKernelThread SubfloorKernelThread;
typedef struct SubfloorThreadHooks {
  /// Returns when every thread of the block has arrived. `site`: see `access`.
  void (*barrier)(const SubfloorKernelThread* thread, uint32_t site);
  /// `value` of the thread `distance` lanes further in the same warp; its own where there is none. Every
  /// thread of the warp must take part.
  uint32_t (*shuffle_down)(const SubfloorKernelThread* thread, uint32_t site, uint32_t value,
                           uint32_t distance);
  /// Checked images only, before every access to memory. `site` numbers the place in the kernel, from 0; the
  /// kernel's plan says which op that is. Answers where to access instead: `address` itself, or spare memory
  /// where the access must not happen.
  void* (*access)(const SubfloorKernelThread* thread, uint32_t site, void* address, uint32_t bytes,
                  uint32_t kind);
} SubfloorThreadHooks;

/// Kinds of access, to be combined.
enum SubfloorAccessKind {
  SUBFLOOR_ACCESS_LOAD = 1,
  SUBFLOOR_ACCESS_STORE = 2,
  SUBFLOOR_ACCESS_ATOMIC = 4,
  SUBFLOOR_ACCESS_SHARED = 8,  ///< the block's shared memory, else a buffer
};

/// One thread of a simulated block.
struct SubfloorKernelThread {
  uint64_t thread_id[3];
  void* shared;  ///< the block's shared memory, aligned to 1024 bytes; null if the plan asks for none
  const SubfloorThreadHooks* hooks;
};

/// One call = one workgroup; of a kernel for the simulated GPU, one thread of a block or all of them, as its
/// plan says. Arguments: operand buffers in order, then result buffers in order (a result that
/// shares an operand's buffer is passed again), then, if the kernel's plan asks for scratch, one scratch
/// buffer.
typedef struct SubfloorKernelCall {
  uint32_t abi_version;
  uint32_t argument_count;
  const SubfloorKernelArgument* arguments;
  uint64_t workgroup_id[3];
  uint64_t workgroup_count[3];
  const SubfloorKernelHost* host;
  SubfloorKernelError* error;          ///< never null; written only on failure
  const SubfloorKernelThread* thread;  ///< kernels for the simulated GPU; null otherwise. Since version 2.
} SubfloorKernelCall;

/// 0 on success, else the error code that was also written to call->error.
typedef int32_t (*SubfloorKernel)(const SubfloorKernelCall* call);

/// Every buffer handed to a kernel starts at a multiple of this many bytes.
#define SUBFLOOR_BUFFER_ALIGNMENT 64

#ifdef __cplusplus
}  // extern "C"
#endif
