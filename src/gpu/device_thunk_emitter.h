#pragma once

#include "cpu/buffer_assignment.h"
#include "cpu/step_order.h"
#include "cpu/value_flow.h"
#include "gpu/kernel_set.h"
#include "hlo/module.h"
#include "runtime/gpu/device_executable.h"

namespace subfloor::gpu {

/// Turns the steps into thunks: a launch or copies for each fusion, a copy for each transfer that was not
/// elided, control flow with what it holds. Gives a program without its code. Errors: not supported, naming
/// the op and what would work.
Result<runtime::DeviceExecutable::Parts> EmitDeviceThunks(const hlo::Module& module,
                                                          const cpu::ValueFlow& flow,
                                                          const cpu::StepOrder& order,
                                                          const cpu::BufferAssignment& assignment,
                                                          const DeviceKernels& kernels);

}  // namespace subfloor::gpu
