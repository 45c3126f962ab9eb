#include "libraries/gemm/instruction_set.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "device/description/cpu_description.h"

namespace subfloor::libraries::gemm {
namespace {

bool IsHalf(ElementType type) { return type == ElementType::kF16 || type == ElementType::kBF16; }

Storage StorageOf(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return Storage::kF16;
    case ElementType::kBF16:
      return Storage::kBF16;
    case ElementType::kS8:
      return Storage::kS8;
    case ElementType::kU8:
      return Storage::kU8;
    default:
      return Storage::kNative;
  }
}

std::string_view Forced() {
  const char* name = std::getenv("SUBFLOOR_GEMM_ISA");
  return name ? name : "";
}

const InstructionSet& Choose() {
#if defined(__x86_64__)
  const device::CpuDescription& cpu = device::HostCpu();
  auto has = [&](std::initializer_list<std::string_view> features) {
    for (std::string_view feature : features)
      if (!cpu.Has(feature)) return false;
    return true;
  };
  const std::string_view forced = Forced();
  const bool avx2 = has({"avx2", "fma", "f16c", "bmi", "bmi2"});
  const bool avx512 = avx2 && has({"avx512f", "avx512bw", "avx512dq", "avx512vl"});
  if (avx512 && (forced.empty() || forced == kAvx512.name)) return kAvx512;
  if (avx2 && forced != kBaseline.name) return kAvx2;
#endif
  return kBaseline;
}

}  // namespace

const InstructionSet& HostInstructionSet() {
  static const InstructionSet& chosen = Choose();
  return chosen;
}

Status CheckForcedInstructionSet() {
  const std::string_view forced = Forced();
  const std::initializer_list<std::string_view> known = {"", "avx512", "avx2", "baseline"};
  if (std::ranges::find(known, forced) != known.end()) return {};
  return BadInput("SUBFLOOR_GEMM_ISA={} names no instruction set; known are avx512, avx2 and baseline",
                  forced);
}

Typing TypingOf(ElementType lhs, ElementType rhs, ElementType out) {
  const InstructionSet& set = HostInstructionSet();
  Typing typing{nullptr, StorageOf(lhs), StorageOf(rhs), StorageOf(out)};
  auto float_operand = [](ElementType type) { return IsHalf(type) || type == ElementType::kF32; };
  auto byte = [](ElementType type) { return type == ElementType::kS8 || type == ElementType::kU8; };
  if (float_operand(lhs) && float_operand(rhs) && float_operand(out)) {
    typing.kernels = &set.f32;
  } else if (lhs == ElementType::kF64 && rhs == lhs && out == lhs) {
    typing.kernels = &set.f64;
  } else if (out == ElementType::kS32 && ((byte(lhs) && byte(rhs)) || (lhs == out && rhs == out))) {
    typing.kernels = &set.s32;
  }
  return typing;
}

}  // namespace subfloor::libraries::gemm
