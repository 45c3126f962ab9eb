#include "runtime/aligned_bytes.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "device/description/kernel_abi.h"

namespace subfloor::runtime {

void AlignedBytes::Free::operator()(std::byte* data) const { std::free(data); }

Result<AlignedBytes> AlignedBytes::Allocate(int64_t size_bytes) {
  constexpr int64_t kHugePage = 2 << 20;
  const int64_t alignment = size_bytes >= 2 * kHugePage ? kHugePage : SUBFLOOR_BUFFER_ALIGNMENT;
  constexpr int64_t kMost = int64_t{1} << 46;  // no process has more addresses
  if (size_bytes < 0 || size_bytes > kMost) return OutOfResources("no buffer can have {} bytes", size_bytes);
  const int64_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
  AlignedBytes result;
  result.size_ = size_bytes;
  // Never null, so that an empty buffer has an address, too.
  void* data = std::aligned_alloc(static_cast<size_t>(alignment),
                                  static_cast<size_t>(rounded > 0 ? rounded : alignment));
  if (data == nullptr) return OutOfResources("no memory for a buffer of {} bytes", size_bytes);
  if (alignment == kHugePage)
    madvise(data, static_cast<size_t>(rounded), MADV_HUGEPAGE);  // a wish: fewer page faults
  result.data_.reset(static_cast<std::byte*>(data));
  return result;
}

Result<AlignedBytes> AlignedBytes::CopyOf(std::span<const std::byte> bytes) {
  AlignedBytes result = SF_TRY(Allocate(static_cast<int64_t>(bytes.size())));
  if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

}  // namespace subfloor::runtime
