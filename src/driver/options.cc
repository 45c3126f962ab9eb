#include "driver/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/nearest.h"
#include "device/description/cpu_description.h"

namespace subfloor::driver {
namespace {

constexpr std::array kOptions = {
    OptionInfo{"cpu", &Options::cpu, Effect::kResults,
               "code for this CPU: host, x86-64-v2, x86-64-v3, x86-64-v4, aarch64"},
    OptionInfo{"threads", &Options::threads, Effect::kSpeed,
               "threads to compile and run with, at most 1024; 0: as many as affinity and cgroup allow"},
    OptionInfo{"memory-limit", &Options::memory_limit, Effect::kDiagnosis,
               "refuse programs whose buffers exceed this many bytes; 0: RAM or the cgroup's limit"},
    OptionInfo{
        "rng-seed", &Options::rng_seed, Effect::kResults,
        "seed of rng and rng-get-and-update-state in the evaluator; compiled code starts from a fixed one"},
    OptionInfo{"deterministic", &Options::deterministic, Effect::kResults,
               "no sum of floats whose order a GPU would choose: scatters take their updates one by one"},
    OptionInfo{"verify-passes", &Options::verify_passes, Effect::kDiagnosis,
               "run the verifier after every pass"},
    OptionInfo{
        "skip-passes", &Options::skip_passes, Effect::kSpeed,
        "comma-separated names of passes not to run; without one that later steps need, compiling fails"},
    OptionInfo{"max-fusion-instructions", &Options::max_fusion_instructions, Effect::kSpeed,
               "no fusion holds more instructions than this", 1},
    OptionInfo{"max-folded-bytes", &Options::max_folded_bytes, Effect::kSpeed,
               "constants larger than this are not folded"},
    OptionInfo{"max-unrolled-instructions", &Options::max_unrolled_instructions, Effect::kSpeed,
               "loops are unrolled only if that makes no more instructions than this"},
    OptionInfo{"reproducer-dir", &Options::reproducer_dir, Effect::kDiagnosis,
               "folder for the program that met a bug of subfloor; empty: the system's for temporary files; "
               "none: keep none"},
};

std::string_view EffectName(Effect effect) {
  switch (effect) {
    case Effect::kResults:
      return "results";
    case Effect::kSpeed:
      return "speed";
    case Effect::kDiagnosis:
      return "diagnosis";
  }
  return "";
}

}  // namespace

int Options::ThreadCount() const {
  constexpr int64_t kMost = 1024;  // far more than help, far fewer than a system refuses to start
  return threads > 0 ? static_cast<int>(std::min(threads, kMost)) : device::HostCpu().cores;
}

Result<const OptionInfo*> FindOption(std::string_view name) {
  const auto* found = std::ranges::find(kOptions, name, &OptionInfo::name);
  if (found != kOptions.end()) return found;
  std::vector<std::string_view> names;
  for (const OptionInfo& option : kOptions) names.push_back(option.name);
  const std::string_view nearest = Nearest(name, names);
  if (nearest.empty()) return BadInput("unknown option '{}'; subfloor options lists all", name);
  return BadInput("unknown option '{}'; the nearest is '{}' (subfloor options lists all)", name, nearest);
}

Status SetOption(Options& options, std::string_view name, std::string_view value) {
  const OptionInfo* found = SF_TRY(FindOption(name));
  if (const auto* member = std::get_if<int64_t Options::*>(&found->member)) {
    int64_t number = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (problem != std::errc() || end != value.data() + value.size()) {
      return BadInput("option '{}' wants an integer, found '{}'", name, value);
    }
    if (number < found->least)
      return BadInput("option '{}' wants {} or more, found {}", name, found->least, number);
    options.*(*member) = number;
  } else if (const auto* flag = std::get_if<bool Options::*>(&found->member)) {
    if (value != "true" && value != "false")
      return BadInput("option '{}' wants true or false, found '{}'", name, value);
    options.*(*flag) = value == "true";
  } else {
    options.*std::get<std::string Options::*>(found->member) = value;
  }
  return {};
}

Result<std::string> DescribeOptions(const Options& options, std::span<const std::string> names) {
  std::vector<const OptionInfo*> shown;
  for (const std::string& name : names) shown.push_back(SF_TRY(FindOption(name)));
  if (names.empty()) {
    for (const OptionInfo& option : kOptions) shown.push_back(&option);
  }
  std::string text = fmt::format("{:<26} {:<10} {:<10} {}\n", "option", "changes", "default", "meaning");
  for (const OptionInfo* option : shown) {
    const std::string value =
        std::visit([&](auto member) { return fmt::format("{}", options.*member); }, option->member);
    text += fmt::format("{:<26} {:<10} {:<10} {}\n", option->name, EffectName(option->effect),
                        value.empty() ? "-" : value, option->help);
  }
  return text;
}

std::string ChangedOptions(const Options& options) {
  const Options defaults;
  std::string text;
  for (const OptionInfo& option : kOptions) {
    std::visit(
        [&](auto member) {
          if (options.*member != defaults.*member)
            text += fmt::format(" --set {}={}", option.name, options.*member);
        },
        option.member);
  }
  return text;
}

}  // namespace subfloor::driver
