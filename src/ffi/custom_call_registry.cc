#include "ffi/custom_call_registry.h"

#include <utility>

namespace subfloor::ffi {

CustomCallRegistry& CustomCallRegistry::Global() {
  static auto* registry =
      new CustomCallRegistry;  // never destroyed: other libraries may call until the very end
  return *registry;
}

Status CustomCallRegistry::Register(std::string name, SubfloorCustomCall function) {
  std::lock_guard lock(mutex_);
  auto [place, added] = functions_.try_emplace(std::move(name), function);
  if (!added && place->second != function)
    return BadInput("custom call '{}' is registered already", place->first);
  return {};
}

std::optional<SubfloorCustomCall> CustomCallRegistry::Find(std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto place = functions_.find(name);
  if (place == functions_.end()) return std::nullopt;
  return place->second;
}

}  // namespace subfloor::ffi
