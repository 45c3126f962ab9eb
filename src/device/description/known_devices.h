#pragma once

#include <span>
#include <string_view>

namespace subfloor::device {

/// A text of src/device/specs, put into the library when it is built.
struct DeviceText {
  std::string_view file, text;
};

/// All of them, sorted by file name.
std::span<const DeviceText> DeviceTexts();

}  // namespace subfloor::device
