#include "hlo/attributes.h"

namespace subfloor::hlo {

bool CustomCallAttributes::operator==(const CustomCallAttributes& o) const {
  const auto fields = [](const CustomCallAttributes& a) {
    return std::tie(a.target, a.window, a.dim_labels, a.feature_group_count, a.batch_group_count,
                    a.operand_layout_constraints, a.has_operand_layout_constraints, a.has_side_effect,
                    a.output_to_operand_aliasing, a.padding_type, a.operand_precision, a.schedule,
                    a.api_version);
  };
  if (fields(*this) != fields(o) || literal.has_value() != o.literal.has_value()) return false;
  return !literal || literal->Identical(*o.literal);
}

Attributes::Attributes(const Attributes& other) : index_(other.index_) {
  if (other.fields_ == nullptr) return;
  switch (index_) {
    case internal::AttributeIndex::kNoAttributes:
      break;
#define X(name)                                                   \
  case internal::AttributeIndex::k##name:                         \
    fields_ = new name(*static_cast<const name*>(other.fields_)); \
    break;
      SUBFLOOR_ATTRIBUTE_STRUCTS(X)
#undef X
  }
}

void Attributes::MakeFields() {
  switch (index_) {
    case internal::AttributeIndex::kNoAttributes:
      break;
#define X(name)                           \
  case internal::AttributeIndex::k##name: \
    fields_ = new name();                 \
    break;
      SUBFLOOR_ATTRIBUTE_STRUCTS(X)
#undef X
  }
}

const void* Attributes::DefaultFields() const {
  switch (index_) {
    case internal::AttributeIndex::kNoAttributes:
      break;
#define X(name)                               \
  case internal::AttributeIndex::k##name: {   \
    static const auto* kDefault = new name(); \
    return kDefault;                          \
  }
      SUBFLOOR_ATTRIBUTE_STRUCTS(X)
#undef X
  }
  return nullptr;
}

void Attributes::Destroy() {
  switch (index_) {
    case internal::AttributeIndex::kNoAttributes:
      break;
#define X(name)                           \
  case internal::AttributeIndex::k##name: \
    delete static_cast<name*>(fields_);   \
    break;
      SUBFLOOR_ATTRIBUTE_STRUCTS(X)
#undef X
  }
}

bool Attributes::operator==(const Attributes& other) const {
  if (index_ != other.index_) return false;
  if (fields_ == other.fields_) return true;  // the same object, or all fields at their defaults
  switch (index_) {
    case internal::AttributeIndex::kNoAttributes:
      return true;
#define X(name)                           \
  case internal::AttributeIndex::k##name: \
    return *static_cast<const name*>(fields()) == *static_cast<const name*>(other.fields());
      SUBFLOOR_ATTRIBUTE_STRUCTS(X)
#undef X
  }
  return false;
}

Attributes DefaultAttributes(Opcode opcode) {
  static constexpr internal::AttributeIndex kIndex[] = {
#define X(enumerator, text, arity, attributes) internal::AttributeTraits<attributes>::kIndex,
      SUBFLOOR_OPCODES(X)
#undef X
  };
  return Attributes(kIndex[static_cast<size_t>(opcode)]);
}

int64_t WindowOutputSize(int64_t base, const WindowDimension& window) {
  const auto dilated = [](int64_t size, int64_t dilation) {
    return size == 0 ? 0 : (size - 1) * dilation + 1;
  };
  const int64_t padded = dilated(base, window.base_dilation) + window.padding_low + window.padding_high;
  const int64_t reach = dilated(window.size, window.window_dilation);
  if (padded < reach || padded < 0) return 0;
  return (padded - reach) / window.stride + 1;
}

}  // namespace subfloor::hlo
