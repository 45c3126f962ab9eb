#include "device/sim/device_heap.h"

#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace subfloor::device::sim {
namespace {

constexpr uint64_t kPage = 4096;
constexpr int kRedByte = 0xfd, kFreshByte = 0xff;

const std::array<std::byte, Allocation::kRedZone>& RedZone() {
  static const auto zone = [] {
    std::array<std::byte, Allocation::kRedZone> bytes;
    bytes.fill(std::byte{kRedByte});
    return bytes;
  }();
  return zone;
}

// The first byte of `zone` that has changed; all are put right.
std::optional<int64_t> Mend(std::byte* zone) {
  if (std::memcmp(zone, RedZone().data(), Allocation::kRedZone) == 0) return std::nullopt;
  int64_t at = 0;
  while (zone[at] == std::byte{kRedByte}) ++at;
  std::memcpy(zone, RedZone().data(), Allocation::kRedZone);
  return at;
}

}  // namespace

Allocation::~Allocation() { munmap(mapped, mapped_bytes); }

std::optional<int64_t> Allocation::MendRedZones() {
  const auto before = Mend(mapped);
  const auto after = Mend(data + size);
  if (after) return static_cast<int64_t>(size) + *after;
  if (before) return *before - static_cast<int64_t>(kRedZone);
  return std::nullopt;
}

Result<DeviceMemory> DeviceHeap::Allocate(uint64_t size_bytes) {
  if (size_bytes > capacity_ - used_)
    return OutOfResources("cannot allocate {} bytes: {} of the simulated device's {} bytes are free",
                          size_bytes, capacity_ - used_, capacity_);
  const uint64_t mapped_bytes = (size_bytes + kPage - 1) / kPage * kPage + 2 * Allocation::kRedZone;
  void* mapped =
      mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return OutOfResources("the host has no {} bytes for the simulated device: {}", mapped_bytes,
                          std::strerror(errno));
  auto allocation = std::make_unique<Allocation>(static_cast<std::byte*>(mapped), mapped_bytes, size_bytes);
  std::memset(allocation->data, kFreshByte, size_bytes);
  std::memset(allocation->mapped, kRedByte, Allocation::kRedZone);
  std::memset(allocation->data + size_bytes, kRedByte, Allocation::kRedZone);
  const DeviceMemory memory = {allocation->data, size_bytes};
  used_ += size_bytes;
  allocations_.emplace(memory.address, std::move(allocation));
  return memory;
}

Status DeviceHeap::Free(DeviceMemory memory) {
  auto found = allocations_.find(memory.address);
  if (found == allocations_.end() || found->second->size != memory.size_bytes)
    return BadInput("cannot free {} bytes at {}: this is no allocation, or was freed", memory.size_bytes,
                    fmt::ptr(memory.address));
  used_ -= memory.size_bytes;
  allocations_.erase(found);
  return {};
}

Result<Allocation*> DeviceHeap::Find(DeviceMemory memory) const {
  auto after = allocations_.upper_bound(memory.address);
  if (after != allocations_.begin()) {
    Allocation& allocation = *std::prev(after)->second;
    const auto offset = static_cast<uint64_t>(memory.address - allocation.data);
    if (offset <= allocation.size && memory.size_bytes <= allocation.size - offset) return &allocation;
    if (offset < allocation.size)
      return BadInput("{} bytes from offset {} of an allocation of {} bytes", memory.size_bytes, offset,
                      allocation.size);
  }
  return BadInput("{} bytes at {} are not memory of this device, or were freed", memory.size_bytes,
                  fmt::ptr(memory.address));
}

}  // namespace subfloor::device::sim
