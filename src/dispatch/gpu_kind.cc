#include "dispatch/gpu_kind.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace subfloor::dispatch {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<std::string_view, GpuKind>, 6> kWords = {{
    {"__custom_fusion", GpuKind::kCustom},
    {"__triton", GpuKind::kTriton},
    {"__triton_gemm", GpuKind::kTriton},
    {"__triton_nested_gemm_fusion", GpuKind::kTriton},
    {"__triton_collective", GpuKind::kTriton},
    {"__cudnn$fusion", GpuKind::kCudnn},
}};

Json ParseQuietly(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

}  // namespace

std::string_view ToString(GpuKind kind) {
  constexpr std::array<std::string_view, 9> kNames = {
      "loop", "reduction", "transpose", "concatenate", "scatter", "sort", "triton", "cudnn", "custom"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view ToString(GpuEmitter emitter) {
  constexpr std::array<std::string_view, 16> kNames = {"loop",
                                                       "concatenate",
                                                       "in_place_update",
                                                       "scatter_per_update",
                                                       "scatter_per_index_run",
                                                       "transpose_tiled",
                                                       "transpose_packed",
                                                       "reduction_row",
                                                       "reduction_multi_row",
                                                       "reduction_column",
                                                       "reduction_small_column",
                                                       "sort",
                                                       "memcpy",
                                                       "triton",
                                                       "cudnn",
                                                       "custom"};
  return kNames[static_cast<size_t>(emitter)];
}

GpuStamp ReadGpuStamp(const hlo::Instruction& fusion) {
  GpuStamp stamp;
  const std::string& text = fusion.annotations().backend_config;
  if (text.empty()) return stamp;
  Json config = ParseQuietly(text);
  if (config.is_string()) {  // the dictionary may be written as one string
    if (config.get_ref<const std::string&>().empty()) return stamp;
    config = ParseQuietly(config.get<std::string>());
  }
  stamp.readable = config.is_object();
  if (!stamp.readable) return stamp;
  const auto inner = config.find("fusion_backend_config");
  if (inner == config.end() || !inner->is_object()) return stamp;
  const auto word = inner->find("kind");
  if (word == inner->end() || !word->is_string()) return stamp;
  stamp.word = word->get<std::string>();
  for (const auto& [known, kind] : kWords) {
    if (stamp.word == known) stamp.kind = kind;
  }
  return stamp;
}

}  // namespace subfloor::dispatch
