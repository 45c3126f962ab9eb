#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/error.h"
#include "device/executor.h"

namespace subfloor::device {

/// A kind of devices that this build knows how to run on.
struct Platform {
  std::string_view name;  ///< "sim"
  std::string_view what;  ///< one line for people
  /// Opens one of its devices, named as the platform names them: on "sim" a description ("mi300"), or nothing
  /// for any. Errors: bad input, if there is no such device.
  Result<std::unique_ptr<Executor>> (*open)(std::string_view device);
};

/// All platforms, best first.
std::span<const Platform> Platforms();

/// "PLATFORM" or "PLATFORM:DEVICE". Errors: bad input, naming the platforms; and those of the platform.
Result<std::unique_ptr<Executor>> OpenDevice(std::string_view name);

}  // namespace subfloor::device
