#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/description/simulated_kernel.h"

namespace subfloor::device {

/// Machine code for one kind of device, as a file would hold it: for the host a position-independent ELF
/// shared object that imports nothing but what host_imports.h lists. Made by codegen/target, loaded by
/// device/; needs no compiler.
struct CodeImage {
  std::vector<std::byte> bytes;
  std::vector<std::string> symbols;  ///< exported kernels
  std::string triple;                ///< "x86_64-linux-gnu"
  std::string
      cpu_features;  ///< features the code relies on, "+avx2,+fma,..."; the loader refuses if one is missing
  uint32_t kernel_abi_version = 0;
  std::vector<SimulatedKernelPlan> simulated;  ///< of the symbols that are made for the simulated GPU
};

}  // namespace subfloor::device
