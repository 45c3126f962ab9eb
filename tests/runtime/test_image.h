#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "device/description/code_image.h"
#include "device/description/cpu_description.h"
#include "device/description/kernel_abi.h"

namespace subfloor::runtime {

/// The kernels of runtime_kernels.c.
inline device::CodeImage TestImage() {
  std::ifstream file(SUBFLOOR_RUNTIME_KERNELS, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  device::CodeImage image;
  image.bytes.resize(bytes.size());
  std::memcpy(image.bytes.data(), bytes.data(), bytes.size());
  image.triple = device::HostCpu().triple;
  image.kernel_abi_version = SUBFLOOR_KERNEL_ABI_VERSION;
  return image;
}

}  // namespace subfloor::runtime
