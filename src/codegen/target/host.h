#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "codegen/lowering/pipeline.h"
#include "device/description/code_image.h"
#include "device/description/cpu_description.h"
#include "device/description/device_description.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen {

using ObjectBytes = std::vector<std::byte>;

/// Processor time that the calling thread has used so far: what others run meanwhile is not counted.
std::chrono::nanoseconds ThreadTime();

/// By that clock.
struct ObjectTimes {
  std::chrono::nanoseconds optimize{};  ///< LLVM's IR and its optimisation
  std::chrono::nanoseconds generate{};  ///< machine code
};

/// Compiles a module in the LLVM dialect to a relocatable object for `cpu`. Functions that `exported` does
/// not name become internal. Dumps the stages "llvm" (after optimisation) and "asm". Errors: internal, with
/// what LLVM said; not supported for a triple that LLVM was built without. Threads: any, one module (and its
/// context) per thread.
Result<ObjectBytes> CompileObject(mlir::ModuleOp module, std::span<const std::string> exported,
                                  const device::CpuDescription& cpu, ObjectTimes& times,
                                  const DumpFunction& dump = {});

/// PTX text for an NVIDIA GPU, of a module that was lowered for NVPTX. Errors, dumps, threads: as
/// CompileObject.
Result<std::string> CompilePtx(mlir::ModuleOp module, std::span<const std::string> exported,
                               const device::DeviceDescription& gpu, ObjectTimes& times,
                               const DumpFunction& dump = {});
/// A relocatable object for an AMD GPU, of a module that was lowered for AMDGPU. As CompileObject.
Result<ObjectBytes> CompileGpuObject(mlir::ModuleOp module, std::span<const std::string> exported,
                                     const device::DeviceDescription& gpu, ObjectTimes& times,
                                     const DumpFunction& dump = {});

/// Links objects into a shared object that imports nothing. Errors: internal, naming an import that is left.
/// Threads: any; links one at a time.
Result<device::CodeImage> LinkImage(std::span<const ObjectBytes> objects, std::vector<std::string> exported,
                                    const device::CpuDescription& cpu);

}  // namespace subfloor::codegen
