#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "device/description/device_description.h"
#include "explain/gpu_report.h"
#include "hlo/module.h"

namespace subfloor::driver {

/// The device that `--target` names: one that Subfloor knows, or the description in a file. Errors: bad
/// input.
Result<device::DeviceDescription> FindDevice(const std::string& target);

/// True if the text marks a computation as ENTRY: it is a module. Without, it is the body of one fusion, the
/// last computation, with what that calls.
bool MarksEntry(std::string_view text);

/// Decides about every fusion for a GPU; compiles nothing and opens no library. Fusions of the entry and of
/// the bodies of its loops, branches and calls are explained, and ops that nothing fused, as the fusion
/// "wrapped_<name>" that each would become. With `as_fusion` the entry is one fusion's body.
explain::GpuReport ExplainForGpu(const hlo::Module& module, bool as_fusion,
                                 const device::DeviceDescription& device);

}  // namespace subfloor::driver
