#include "device/platform.h"

#include <array>
#include <string>

#include "device/description/device_description.h"
#include "device/sim/sim_executor.h"

namespace subfloor::device {
namespace {

Result<std::unique_ptr<Executor>> OpenSim(std::string_view device) {
  const DeviceDescription description = SF_TRY(DeviceByName(device.empty() ? "h100" : device));
  return SF_TRY(sim::MakeSimExecutor(description));
}

constexpr std::array kPlatforms = {
    Platform{"sim", "a GPU simulated on the host: checks and counts, no timing", OpenSim},
};

}  // namespace

std::span<const Platform> Platforms() { return kPlatforms; }

Result<std::unique_ptr<Executor>> OpenDevice(std::string_view name) {
  const size_t colon = name.find(':');
  const std::string_view platform = name.substr(0, colon);
  const std::string_view device =
      colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
  std::string known;
  for (const Platform& candidate : kPlatforms) {
    if (candidate.name == platform) return candidate.open(device);
    known += known.empty() ? "" : ", ";
    known += candidate.name;
  }
  return BadInput("there is no platform called '{}'; this build has {}", platform, known);
}

}  // namespace subfloor::device
