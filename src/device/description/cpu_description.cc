#include "device/description/cpu_description.h"

#include <fmt/ranges.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/nearest.h"
#include "device/description/cgroup.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace subfloor::device {
namespace {

// The levels of the x86-64 psABI in LLVM's feature names, each without what the levels below have.
constexpr std::array kLevel2 = {"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"};
constexpr std::array kLevel3 = {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"};
constexpr std::array kLevel4 = {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"};

CpuDescription Level(int level) {
  CpuDescription cpu;
  cpu.name = fmt::format("x86-64-v{}", level);
  cpu.features.assign(kLevel2.begin(), kLevel2.end());
  if (level >= 3) cpu.features.insert(cpu.features.end(), kLevel3.begin(), kLevel3.end());
  if (level >= 4) cpu.features.insert(cpu.features.end(), kLevel4.begin(), kLevel4.end());
  std::ranges::sort(cpu.features);
  cpu.vector_bits = level >= 4 ? 512 : level >= 3 ? 256 : 128;
  return cpu;
}

CpuDescription Aarch64() {
  CpuDescription cpu;
  cpu.triple = "aarch64-linux-gnu";
  cpu.name = "generic";
  cpu.features = {"fp-armv8", "neon"};
  cpu.vector_bits = 128;
  return cpu;
}

#if defined(__x86_64__)

struct CpuidWord {
  unsigned leaf, subleaf;
  enum { kEax, kEbx, kEcx, kEdx } reg;
};

// What the operating system must save across context switches before a feature may be used (bits of XCR0).
constexpr uint64_t kNoState = 0, kAvxState = 0x6, kAvx512State = 0xe6, kAmxState = 0x60000;

struct FeatureBit {
  const char* name;
  CpuidWord word;
  int bit;
  uint64_t state;
};

constexpr CpuidWord k1Ecx{1, 0, CpuidWord::kEcx}, k7Ebx{7, 0, CpuidWord::kEbx}, k7Ecx{7, 0, CpuidWord::kEcx},
    k7Edx{7, 0, CpuidWord::kEdx}, k71Eax{7, 1, CpuidWord::kEax}, k71Edx{7, 1, CpuidWord::kEdx},
    kExtEcx{0x80000001, 0, CpuidWord::kEcx};

// Sources: Intel's Software Developer's Manual, volume 2A, CPUID; AMD's Architecture Programmer's Manual,
// volume 3, appendix E.
constexpr FeatureBit kFeatureBits[] = {
    {"sse3", k1Ecx, 0, kNoState},
    {"pclmul", k1Ecx, 1, kNoState},
    {"ssse3", k1Ecx, 9, kNoState},
    {"fma", k1Ecx, 12, kAvxState},
    {"cx16", k1Ecx, 13, kNoState},
    {"sse4.1", k1Ecx, 19, kNoState},
    {"sse4.2", k1Ecx, 20, kNoState},
    {"movbe", k1Ecx, 22, kNoState},
    {"popcnt", k1Ecx, 23, kNoState},
    {"aes", k1Ecx, 25, kNoState},
    {"xsave", k1Ecx, 27, kNoState},  // bit 27: the system has enabled it
    {"avx", k1Ecx, 28, kAvxState},
    {"f16c", k1Ecx, 29, kAvxState},
    {"sahf", kExtEcx, 0, kNoState},
    {"lzcnt", kExtEcx, 5, kNoState},
    {"bmi", k7Ebx, 3, kNoState},
    {"avx2", k7Ebx, 5, kAvxState},
    {"bmi2", k7Ebx, 8, kNoState},
    {"avx512f", k7Ebx, 16, kAvx512State},
    {"avx512dq", k7Ebx, 17, kAvx512State},
    {"adx", k7Ebx, 19, kNoState},
    {"avx512ifma", k7Ebx, 21, kAvx512State},
    {"avx512cd", k7Ebx, 28, kAvx512State},
    {"avx512bw", k7Ebx, 30, kAvx512State},
    {"avx512vl", k7Ebx, 31, kAvx512State},
    {"avx512vbmi", k7Ecx, 1, kAvx512State},
    {"avx512vbmi2", k7Ecx, 6, kAvx512State},
    {"gfni", k7Ecx, 8, kNoState},
    {"vaes", k7Ecx, 9, kAvxState},
    {"vpclmulqdq", k7Ecx, 10, kAvxState},
    {"avx512vnni", k7Ecx, 11, kAvx512State},
    {"avx512bitalg", k7Ecx, 12, kAvx512State},
    {"avx512vpopcntdq", k7Ecx, 14, kAvx512State},
    {"amx-bf16", k7Edx, 22, kAmxState},
    {"avx512fp16", k7Edx, 23, kAvx512State},
    {"amx-tile", k7Edx, 24, kAmxState},
    {"amx-int8", k7Edx, 25, kAmxState},
    {"avxvnni", k71Eax, 4, kAvxState},
    {"avx512bf16", k71Eax, 5, kAvx512State},
    {"amx-fp16", k71Eax, 21, kAmxState},
    {"avxifma", k71Eax, 23, kAvxState},
    {"avxvnniint8", k71Edx, 4, kAvxState},
    {"avxneconvert", k71Edx, 5, kAvxState},
};

bool Cpuid(unsigned leaf, unsigned subleaf, std::array<unsigned, 4>& out) {
  return __get_cpuid_count(leaf, subleaf, &out[0], &out[1], &out[2], &out[3]) != 0;
}

uint64_t EnabledState() {
  std::array<unsigned, 4> regs;
  if (!Cpuid(1, 0, regs) || !(regs[CpuidWord::kEcx] >> 27 & 1)) return 0;
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  uint64_t state = static_cast<uint64_t>(high) << 32 | low;
  // Linux hands out AMX's tile registers to a process only when asked.
  constexpr int kArchReqXcompPerm = 0x1023, kTileData = 18;
  if ((state & kAmxState) == kAmxState && syscall(SYS_arch_prctl, kArchReqXcompPerm, kTileData) != 0)
    state &= ~kAmxState;
  return state;
}

// The scheduling model that fits best. Never decides what may be used: that is the features' business alone.
std::string SchedulingName(const CpuDescription& cpu) {
  std::array<unsigned, 4> regs;
  if (!Cpuid(0, 0, regs)) return "x86-64";
  const bool amd = regs[CpuidWord::kEbx] == signature_AMD_ebx,
             intel = regs[CpuidWord::kEbx] == signature_INTEL_ebx;
  Cpuid(1, 0, regs);
  unsigned family = regs[0] >> 8 & 0xf, model = regs[0] >> 4 & 0xf;
  if (family == 0xf) family += regs[0] >> 20 & 0xff;
  if (family >= 6) model |= (regs[0] >> 16 & 0xf) << 4;
  const bool wide = cpu.Has("avx512f");
  if (amd && family == 0x17) return model >= 0x30 ? "znver2" : "znver1";
  if (amd && family == 0x19) return wide ? "znver4" : "znver3";
  if (amd && family == 0x1a) return wide ? "znver5" : "znver3";
  if (intel && family == 6) {
    if (cpu.Has("avx512fp16")) return "sapphirerapids";
    if (cpu.Has("avx512vbmi2")) return "icelake-server";
    if (wide) return cpu.Has("avx512vnni") ? "cascadelake" : "skylake-avx512";
    if (cpu.Has("avxvnni")) return "alderlake";
    if (cpu.Has("avx2")) return cpu.Has("adx") ? "skylake" : "haswell";
  }
  auto has_all = [&](auto& level) { return std::ranges::all_of(level, [&](auto f) { return cpu.Has(f); }); };
  if (!has_all(kLevel2)) return "x86-64";
  if (!has_all(kLevel3)) return "x86-64-v2";
  return has_all(kLevel4) ? "x86-64-v4" : "x86-64-v3";
}

void DetectFeatures(CpuDescription& cpu) {
  cpu.features.clear();
  const uint64_t state = EnabledState();
  for (const FeatureBit& feature : kFeatureBits) {
    std::array<unsigned, 4> regs;
    if (!Cpuid(feature.word.leaf, 0, regs)) continue;
    if (feature.word.leaf == 7 && feature.word.subleaf > regs[0])
      continue;  // EAX of leaf 7: the last sub-leaf
    if (!Cpuid(feature.word.leaf, feature.word.subleaf, regs)) continue;
    if ((regs[feature.word.reg] >> feature.bit & 1) && (state & feature.state) == feature.state)
      cpu.features.emplace_back(feature.name);
  }
  std::ranges::sort(cpu.features);
  // 512-bit registers pay where they do not lower the clock: the first such chips are also the first with
  // vbmi2.
  cpu.vector_bits = cpu.Has("avx512vbmi2") && cpu.Has("avx512vl") ? 512 : cpu.Has("avx") ? 256 : 128;
  cpu.name = SchedulingName(cpu);
}

#else

void DetectFeatures(CpuDescription& cpu) { cpu = Aarch64(); }

#endif

int UsableCores() {
  cpu_set_t set;
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cores = CPU_COUNT(&set);
  if (std::optional<int> limit = CgroupCpuLimit(OwnCgroups(), "/sys/fs/cgroup"))
    cores = std::min(cores, *limit);
  return std::max(cores, 1);
}

CpuDescription Detect() {
  CpuDescription cpu;
  DetectFeatures(cpu);
  auto cache = [](int name, int64_t& bytes) {
    if (long found = sysconf(name); found > 0) bytes = found;
  };
  cache(_SC_LEVEL1_DCACHE_SIZE, cpu.l1_bytes);
  cache(_SC_LEVEL2_CACHE_SIZE, cpu.l2_bytes);
  cache(_SC_LEVEL3_CACHE_SIZE, cpu.l3_bytes);
  cpu.cores = UsableCores();
  return cpu;
}

constexpr std::array<std::string_view, 5> kNames = {"host", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"};

}  // namespace

bool CpuDescription::Has(std::string_view feature) const {
  return std::ranges::binary_search(features, feature, {}, [](const auto& f) { return std::string_view(f); });
}

std::string CpuDescription::FeatureString() const {
  std::string text;
  for (const std::string& feature : features) {
    if (!text.empty()) text += ',';
    text += '+';
    text += feature;
  }
  return text;
}

const CpuDescription& HostCpu() {
  static const CpuDescription cpu = Detect();
  return cpu;
}

Result<CpuDescription> CpuByName(std::string_view name) {
  if (name == "host") return HostCpu();
  if (name == "x86-64-v2") return Level(2);
  if (name == "x86-64-v3") return Level(3);
  if (name == "x86-64-v4") return Level(4);
  if (name == "aarch64") return Aarch64();
  std::string_view shown = name.substr(0, 60);
  const std::string_view nearest = Nearest(shown, kNames);
  return BadInput("there is no CPU called '{}'{}; known are: {}", shown,
                  nearest.empty() ? "" : fmt::format("; the nearest is '{}'", nearest),
                  fmt::join(kNames, ", "));
}

}  // namespace subfloor::device
