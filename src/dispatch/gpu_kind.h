#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hlo/instruction.h"

namespace subfloor::dispatch {

/// What sort of fusion it is: the answer of the first decision.
enum class GpuKind : uint8_t {
  kLoop,
  kReduction,
  kTranspose,
  kConcatenate,
  kScatter,
  kSort,
  kTriton,
  kCudnn,
  kCustom
};

/// Who writes the kernels: the answer of the second decision.
enum class GpuEmitter : uint8_t {
  kLoop,
  kConcatenate,
  kInPlaceUpdate,
  kScatterPerUpdate,
  kScatterPerIndexRun,
  kTransposeTiled,
  kTransposePacked,
  kReductionRow,
  kReductionMultiRow,
  kReductionColumn,
  kReductionSmallColumn,
  kSort,
  kMemcpy,  ///< copies on the device; no kernel
  kTriton,
  kCudnn,
  kCustom
};

/// "loop", "reduction", ... as docs/explain.md lists them.
std::string_view ToString(GpuKind kind);
/// "loop", "in_place_update", "scatter_per_index_run", ...
std::string_view ToString(GpuEmitter emitter);

/// What a backend_config says of who owns a fusion.
struct GpuStamp {
  /// The kind that settles dispatch; none when the fusion is ours to inspect.
  std::optional<GpuKind> kind;
  /// The word of the config: "__triton_gemm"; empty if there is none.
  std::string word;
  /// False when a config is there and cannot be read: then it counts as absent.
  bool readable = true;
};

/// Reads the stamp of a fusion instruction: `fusion_backend_config.kind` of its backend_config, a JSON object
/// as a dictionary or a quoted string. Words that nobody owns leave `kind` empty.
GpuStamp ReadGpuStamp(const hlo::Instruction& fusion);

}  // namespace subfloor::dispatch
