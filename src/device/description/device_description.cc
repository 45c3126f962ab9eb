#include "device/description/device_description.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include "base/nearest.h"
#include "device/description/known_devices.h"

namespace subfloor::device {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

template <typename T>
bool ReadNumber(std::string_view text, T& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size();
}

using Member = std::variant<std::string DeviceDescription::*, Capability DeviceDescription::*,
                            int64_t DeviceDescription::*, double DeviceDescription::*,
                            std::pair<std::array<int64_t, 3> DeviceDescription::*, int>>;
using D = DeviceDescription;

// One row a key: where its value goes and the least it may be. The limits of least are what launch plans
// count on, so that no description leads to an illegal one.
struct Key {
  std::string_view name;
  Member member;
  int64_t least = 1;
};

constexpr int64_t kAnyNumber = 0;
constexpr std::array kKeys = {
    Key{"name", &D::name},
    Key{"model", &D::model},
    Key{"capability", &D::capability},
    Key{"threads_per_warp", &D::threads_per_warp, 32},
    Key{"threads_per_block_limit", &D::threads_per_block_limit, 1024},
    Key{"threads_per_core_limit", &D::threads_per_core_limit, 1024},
    Key{"blocks_per_core_limit", &D::blocks_per_core_limit},
    Key{"block_limit_x_threads", std::pair(&D::block_limit, 0), 1024},
    Key{"block_limit_y_threads", std::pair(&D::block_limit, 1)},
    Key{"block_limit_z_threads", std::pair(&D::block_limit, 2)},
    Key{"grid_limit_x_blocks", std::pair(&D::grid_limit, 0), 65535},
    Key{"grid_limit_y_blocks", std::pair(&D::grid_limit, 1), 65535},
    Key{"grid_limit_z_blocks", std::pair(&D::grid_limit, 2), 65535},
    Key{"grid_threads_limit", &D::grid_threads_limit, int64_t{65535} * 1024},
    Key{"core_count", &D::core_count},
    Key{"fpus_per_core", &D::fpus_per_core},
    Key{"shared_per_block_bytes", &D::shared_per_block_bytes, 16 << 10},
    Key{"shared_per_block_optin_bytes", &D::shared_per_block_optin_bytes, 16 << 10},
    Key{"shared_per_core_bytes", &D::shared_per_core_bytes, 16 << 10},
    Key{"shared_reserved_per_block_bytes", &D::shared_reserved_per_block_bytes, kAnyNumber},
    Key{"registers_per_block", &D::registers_per_block},
    Key{"registers_per_core", &D::registers_per_core},
    Key{"vector_access_bits", &D::vector_access_bits, 32},
    Key{"l2_bytes", &D::l2_bytes},
    Key{"memory_bytes", &D::memory_bytes},
    Key{"memory_bandwidth_bytes_per_second", &D::memory_bandwidth_bytes_per_second},
    Key{"clock_ghz", &D::clock_ghz},
};

Status SetNumber(const Key& key, std::string_view value, int64_t& number) {
  if (!ReadNumber(value, number)) return BadInput("{} wants an integer, found '{}'", key.name, value);
  if (number < key.least) return BadInput("{} wants {} or more, found {}", key.name, key.least, number);
  return {};
}

Status SetKey(const Key& key, std::string_view value, DeviceDescription& description) {
  if (value.empty()) return BadInput("{} has no value", key.name);
  if (const auto* text = std::get_if<std::string D::*>(&key.member)) {
    description.*(*text) = value;
  } else if (const auto* capability = std::get_if<Capability D::*>(&key.member)) {
    description.*(*capability) = SF_TRY(ParseCapability(value));
  } else if (const auto* number = std::get_if<int64_t D::*>(&key.member)) {
    return SetNumber(key, value, description.*(*number));
  } else if (const auto* real = std::get_if<double D::*>(&key.member)) {
    double& place = description.*(*real);
    if (!ReadNumber(value, place) || !(place > 0) || place > 1e6) {
      return BadInput("{} wants a positive number, found '{}'", key.name, value);
    }
  } else {
    const auto& [member, i] = std::get<std::pair<std::array<int64_t, 3> D::*, int>>(key.member);
    return SetNumber(key, value, (description.*member)[static_cast<size_t>(i)]);
  }
  return {};
}

Result<const Key*> FindKey(std::string_view name) {
  const auto* found = std::ranges::find(kKeys, name, &Key::name);
  if (found != kKeys.end()) return found;
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) names.push_back(key.name);
  const std::string_view nearest = Nearest(name, names);
  if (nearest.empty()) return BadInput("unknown key '{}'; docs/devices.md lists all", name);
  return BadInput("unknown key '{}'; the nearest is '{}'", name, nearest);
}

// What no single key can tell.
Status CheckTogether(const DeviceDescription& d) {
  if (d.threads_per_warp != 32 && d.threads_per_warp != 64) {
    return BadInput("threads_per_warp wants 32 or 64, found {}", d.threads_per_warp);
  }
  if (d.vector_access_bits > 1024 || (d.vector_access_bits & (d.vector_access_bits - 1)) != 0) {
    return BadInput("vector_access_bits wants a power of two up to 1024, found {}", d.vector_access_bits);
  }
  if (d.shared_per_block_optin_bytes < d.shared_per_block_bytes) {
    return BadInput("shared_per_block_optin_bytes wants {} (shared_per_block_bytes) or more, found {}",
                    d.shared_per_block_bytes, d.shared_per_block_optin_bytes);
  }
  // Products of these are taken; no device comes near.
  constexpr int64_t kMost = int64_t{1} << 31;
  for (int64_t limit : {d.core_count, d.threads_per_core_limit, d.threads_per_block_limit,
                        d.shared_per_block_optin_bytes, d.shared_per_core_bytes}) {
    if (limit > kMost) return BadInput("a limit of {} is more than {}", limit, kMost);
  }
  return {};
}

struct ParsedText {
  DeviceDescription description;
  std::vector<std::string> aliases;
};

Result<ParsedText> Parse(std::string_view text, std::string_view file) {
  ParsedText parsed;
  std::map<std::string_view, int> lines;  // key -> line
  int line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const char* line_begin = line.data();
    line = Trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto at_line = [&](Error error) {
      return std::unexpected(
          error.At({std::string(file), line_number, static_cast<int>(line.data() - line_begin) + 1}));
    };
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      return at_line(BadInput("found '{}', wanted 'key: value'", line).error());
    }
    const std::string_view name = Trim(line.substr(0, colon));
    const std::string_view value = Trim(line.substr(colon + 1));
    if (const auto [it, is_new] = lines.emplace(name, line_number); !is_new) {
      return at_line(BadInput("{} is given twice, first in line {}", name, it->second).error());
    }
    if (name == "aliases") {
      for (std::string_view rest = value; !rest.empty();) {
        const size_t comma = rest.find(',');
        parsed.aliases.emplace_back(Trim(rest.substr(0, comma)));
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
      }
      continue;
    }
    const Result<const Key*> key = FindKey(name);
    if (!key) return at_line(key.error());
    if (Status set = SetKey(**key, value, parsed.description); !set) return at_line(set.error());
  }
  std::string missing;
  for (const Key& key : kKeys) {
    if (!lines.contains(key.name)) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", key.name);
  }
  Status whole = missing.empty() ? CheckTogether(parsed.description) : BadInput("missing: {}", missing);
  if (!whole) return std::unexpected(Error(whole.error()).At({std::string(file), 0, 0}));
  return parsed;
}

// What a person may write differently.
std::string Plain(std::string_view name) {
  std::string plain;
  for (char c : name) {
    if (c == '-' || c == '_' || c == ' ') continue;
    plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return plain;
}

std::string_view NameOfFile(std::string_view file) { return file.substr(0, file.rfind('.')); }

}  // namespace

Result<Capability> ParseCapability(std::string_view text) {
  if (text.starts_with("sm_")) {
    CudaCapability capability;
    std::string_view digits = text.substr(3);
    if (digits.ends_with('a')) capability.feature = CudaCapability::Feature::kArchitecture;
    if (digits.ends_with('f')) capability.feature = CudaCapability::Feature::kFamily;
    if (capability.feature != CudaCapability::Feature::kNone) digits.remove_suffix(1);
    int number = 0;
    if (digits.size() >= 2 && digits.size() <= 3 && ReadNumber(digits, number) && number >= 10) {
      capability.major = number / 10;
      capability.minor = number % 10;
      return capability;
    }
  } else if (text.starts_with("gfx")) {
    AmdCapability capability;
    size_t colon = text.find(':');
    capability.arch = text.substr(0, colon);
    bool good = capability.arch.size() >= 6 && capability.arch.size() <= 8 &&
                std::ranges::all_of(capability.arch.substr(3),
                                    [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    while (good && colon != std::string_view::npos) {
      const size_t next = text.find(':', colon + 1);
      const std::string_view word =
          text.substr(colon + 1, next == std::string_view::npos ? next : next - colon - 1);
      const auto setting = word.ends_with('+') ? AmdCapability::Setting::kOn : AmdCapability::Setting::kOff;
      if (word == "sramecc+" || word == "sramecc-") {
        capability.sramecc = setting;
      } else if (word == "xnack+" || word == "xnack-") {
        capability.xnack = setting;
      } else {
        good = false;
      }
      colon = next;
    }
    if (good) return capability;
  }
  return BadInput(
      "capability wants a form like sm_90a, sm_100f, gfx942 or gfx90a:sramecc+:xnack-, found '{}'", text);
}

std::string ToString(const Capability& capability) {
  if (const auto* cuda = std::get_if<CudaCapability>(&capability)) {
    constexpr std::array kSuffix = {"", "f", "a"};
    return fmt::format("sm_{}{}{}", cuda->major, cuda->minor, kSuffix[static_cast<size_t>(cuda->feature)]);
  }
  const auto& amd = std::get<AmdCapability>(capability);
  std::string text = amd.arch;
  const auto add = [&](std::string_view name, AmdCapability::Setting setting) {
    if (setting == AmdCapability::Setting::kAny) return;
    text += fmt::format(":{}{}", name, setting == AmdCapability::Setting::kOn ? '+' : '-');
  };
  add("sramecc", amd.sramecc);
  add("xnack", amd.xnack);
  return text;
}

Result<DeviceDescription> ParseDeviceDescription(std::string_view text, std::string_view file) {
  return SF_TRY(Parse(text, file)).description;
}

std::string Print(const DeviceDescription& description) {
  std::string text;
  for (const Key& key : kKeys) {
    std::string value;
    if (const auto* words = std::get_if<std::string D::*>(&key.member)) {
      value = description.*(*words);
    } else if (const auto* capability = std::get_if<Capability D::*>(&key.member)) {
      value = ToString(description.*(*capability));
    } else if (const auto* number = std::get_if<int64_t D::*>(&key.member)) {
      value = fmt::format("{}", description.*(*number));
    } else if (const auto* real = std::get_if<double D::*>(&key.member)) {
      value = fmt::format("{}", description.*(*real));
    } else {
      const auto& [member, i] = std::get<std::pair<std::array<int64_t, 3> D::*, int>>(key.member);
      value = fmt::format("{}", (description.*member)[static_cast<size_t>(i)]);
    }
    text += fmt::format("{}: {}\n", key.name, value);
  }
  return text;
}

std::vector<std::string_view> KnownDevices() {
  std::vector<std::string_view> names;
  for (const DeviceText& text : DeviceTexts()) names.push_back(NameOfFile(text.file));
  std::ranges::sort(names);
  return names;
}

Result<DeviceDescription> DeviceByName(std::string_view name) {
  const std::string wanted = Plain(name);
  for (const DeviceText& text : DeviceTexts()) {
    ParsedText parsed = SF_TRY(Parse(text.text, text.file));
    if (Plain(NameOfFile(text.file)) == wanted ||
        std::ranges::find(parsed.aliases, wanted, [](const std::string& alias) { return Plain(alias); }) !=
            parsed.aliases.end()) {
      return std::move(parsed.description);
    }
  }
  const std::vector<std::string_view> names = KnownDevices();
  std::string all;
  for (std::string_view known : names) all += fmt::format("{}{}", all.empty() ? "" : ", ", known);
  const std::string_view nearest = Nearest(name, names);
  if (nearest.empty()) return BadInput("no device is called '{}'; known are {}", name, all);
  return BadInput("no device is called '{}'; the nearest is {}; known are {}", name, nearest, all);
}

}  // namespace subfloor::device
