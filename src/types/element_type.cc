#include "types/element_type.h"

#include <array>

namespace subfloor {
namespace {

struct Entry {
  std::string_view text;
  int bits;
  ElementClass cls;
};

constexpr std::array kEntries = {
#define X(enumerator, text, bits, cls) Entry{text, bits, ElementClass::cls},
    SUBFLOOR_ELEMENT_TYPES(X)
#undef X
};

const Entry& EntryOf(ElementType type) { return kEntries[static_cast<size_t>(type)]; }

}  // namespace

std::string_view ToString(ElementType type) { return EntryOf(type).text; }

std::optional<ElementType> ElementTypeFromString(std::string_view text) {
  for (size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].text == text) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

int BitWidth(ElementType type) { return EntryOf(type).bits; }
int ByteWidth(ElementType type) { return (EntryOf(type).bits + 7) / 8; }
ElementClass ClassOf(ElementType type) { return EntryOf(type).cls; }

ElementType ComponentType(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

FloatFormat FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return {5, 10, 15, true, true, true, true};
    case ElementType::kBF16:
      return {8, 7, 127, true, true, true, true};
    case ElementType::kF64:
      return {11, 52, 1023, true, true, true, true};
    case ElementType::kF8E5M2:
      return {5, 2, 15, true, true, true, true};
    case ElementType::kF8E4M3:
      return {4, 3, 7, true, true, true, true};
    case ElementType::kF8E3M4:
      return {3, 4, 3, true, true, true, true};
    case ElementType::kF8E4M3FN:
      return {4, 3, 7, false, true, true, true};
    case ElementType::kF8E4M3B11FNUZ:
      return {4, 3, 11, false, true, false, true};
    case ElementType::kF8E4M3FNUZ:
      return {4, 3, 8, false, true, false, true};
    case ElementType::kF8E5M2FNUZ:
      return {5, 2, 16, false, true, false, true};
    case ElementType::kF8E8M0FNU:
      return {8, 0, 127, false, true, false, false};
    case ElementType::kF4E2M1FN:
      return {2, 1, 1, false, false, true, true};
    case ElementType::kF6E2M3FN:
      return {2, 3, 1, false, false, true, true};
    case ElementType::kF6E3M2FN:
      return {3, 2, 3, false, false, true, true};
    default:
      return {8, 23, 127, true, true, true, true};  // f32
  }
}

}  // namespace subfloor
