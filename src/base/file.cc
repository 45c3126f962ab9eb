#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace subfloor {

Result<std::string> ReadFile(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return BadInput("cannot read {}: {}", path, std::strerror(errno));
  std::string bytes;
  size_t used = 0;
  while (true) {
    bytes.resize(std::max<size_t>(bytes.size() * 2, 1 << 16));
    const size_t got = std::fread(bytes.data() + used, 1, bytes.size() - used, file.get());
    used += got;
    if (got == 0) break;
  }
  // A folder opens and fails here.
  if (std::ferror(file.get()) != 0) return BadInput("cannot read {}: {}", path, std::strerror(errno));
  bytes.resize(used);
  return bytes;
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return BadInput("cannot write {}: {}", path, std::strerror(errno));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;  // a full disk may show only here
  if (!written || !closed) return OutOfResources("cannot write {}: {}", path, std::strerror(errno));
  return {};
}

}  // namespace subfloor
