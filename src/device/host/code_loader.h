#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "device/description/code_image.h"
#include "device/description/kernel_abi.h"

namespace subfloor::device {

/// Host code that is mapped and ready to be called. Its destruction unmaps it: kernels found in it must not
/// run then. Threads: any number may call Find and the kernels.
class LoadedImage {
 public:
  ~LoadedImage();
  LoadedImage(const LoadedImage&) = delete;
  LoadedImage& operator=(const LoadedImage&) = delete;

  /// Errors: bad input, naming the symbol, if the image exports none of that name.
  Result<SubfloorKernel> Find(const std::string& symbol) const;

 private:
  friend Result<std::unique_ptr<LoadedImage>> LoadCodeImage(const CodeImage& image);
  explicit LoadedImage(void* handle) : handle_(handle) {}
  void* handle_;
};

/// Loads an image made for the host. The bytes may be freed afterwards; no file is left behind.
///
/// Errors: not supported, if the image is for another architecture, needs a CPU feature that this machine
/// lacks, or was made for another kernel ABI version; bad input, if the bytes are no whole ELF shared object
/// or import something unknown; out of resources, if there is no memory or no file descriptor left. Threads:
/// any.
Result<std::unique_ptr<LoadedImage>> LoadCodeImage(const CodeImage& image);

}  // namespace subfloor::device
