#include "hlo/fingerprint_fields.h"

#include <xxhash.h>

#include <bit>
#include <optional>
#include <type_traits>

namespace subfloor::hlo::fingerprint {
namespace {

Fingerprint HashOf(const void* data, size_t size) {
  const XXH128_hash_t hash = XXH3_128bits(data, size);
  return {hash.high64, hash.low64};
}

// One Add for every type of field that the Visit lists mention.
struct AttributeVisitor {
  Bytes& bytes;

  template <typename T>
  void operator()(std::string_view name, const T& value) {
    bytes.Add(name);
    Value(value);
  }
  template <typename T>
  void Optional(std::string_view name, const T& value, const T&) {
    bytes.Add(name);
    Value(value);
  }
  template <typename T>
  void Positional(const T& value) {
    Value(value);
  }
  void LayoutConstraints(std::string_view name, const std::vector<Shape>& shapes, bool present) {
    bytes.Add(name);
    bytes.Add(static_cast<int64_t>(present));
    Value(shapes);
  }

  template <typename T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  void Value(T value) {
    bytes.Add(static_cast<int64_t>(value));
  }
  void Value(double value) { bytes.Add(std::bit_cast<int64_t>(value)); }
  void Value(const RawText& value) { bytes.Add(std::string_view(value.text)); }
  void Value(const QuotedText& value) { bytes.Add(std::string_view(value.text)); }
  void Value(const Shape& value) { bytes.Add(value); }
  void Value(const Literal& value) { bytes.Add(value); }
  void Value(const ConstantAttributes& value) { bytes.Add(value.literal); }
  void Value(const WindowDimension& w) {
    for (int64_t part : {w.size, w.stride, w.padding_low, w.padding_high, w.base_dilation, w.window_dilation,
                         static_cast<int64_t>(w.reversal)}) {
      bytes.Add(part);
    }
  }
  void Value(const PaddingDimension& p) {
    for (int64_t part : {p.low, p.high, p.interior}) bytes.Add(part);
  }
  void Value(const SliceDimension& s) {
    for (int64_t part : {s.start, s.limit, s.stride}) bytes.Add(part);
  }
  void Value(const ConvolutionDimensions& d) {
    for (int64_t part : {d.input_batch, d.input_feature, d.kernel_input_feature, d.kernel_output_feature,
                         d.output_batch, d.output_feature}) {
      bytes.Add(part);
    }
    for (const auto* spatial : {&d.input_spatial, &d.kernel_spatial, &d.output_spatial}) bytes.Add(*spatial);
  }
  void Value(const ReplicaGroups& groups) {
    // The ways to write groups are many; only a form that lists none counts as text.
    Value(groups.groups);
    bytes.Add(groups.groups.empty() ? std::string_view(groups.text) : std::string_view());
  }
  void Value(const OutputOperandAlias& alias) {
    bytes.Add(alias.output_index);
    bytes.Add(alias.operand);
    bytes.Add(alias.operand_index);
  }
  void Value(const std::pair<int64_t, int64_t>& pair) {
    bytes.Add(pair.first);
    bytes.Add(pair.second);
  }
  template <typename T>
  void Value(const std::vector<T>& values) {
    bytes.Add(static_cast<int64_t>(values.size()));
    for (const T& value : values) Value(value);
  }
  template <typename T>
  void Value(const std::optional<T>& value) {
    bytes.Add(static_cast<int64_t>(value.has_value()));
    if (value) Value(*value);
  }
};

}  // namespace

Fingerprint Bytes::Hash() const { return HashOf(bytes_.data(), bytes_.size()); }

void Bytes::Add(const Shape& root) {
  std::vector<const Shape*> pending = {&root};
  while (!pending.empty()) {
    const Shape& shape = *pending.back();
    pending.pop_back();
    Add(static_cast<int64_t>(shape.element_type()));
    Add(shape.tuple_size());
    for (size_t i = shape.tuple_shapes().size(); i-- > 0;) pending.push_back(&shape.tuple_shapes()[i]);
    if (!shape.IsArray()) continue;
    Add(shape.dimensions());
    for (int64_t d = 0; d < shape.rank(); ++d) Add(static_cast<int64_t>(shape.IsDynamic(d)));
    const Layout* layout = shape.layout();
    const bool plain = layout == nullptr || *layout == Layout::RowMajor(shape.rank());
    Add(std::string_view(plain ? std::string() : layout->ToString()));
  }
}

void Bytes::Add(const Literal& root) {
  std::vector<const Literal*> pending = {&root};
  Add(root.shape().WithoutLayout());
  while (!pending.empty()) {
    const Literal& literal = *pending.back();
    pending.pop_back();
    for (const Literal& element : literal.elements()) pending.push_back(&element);
    const auto data = literal.bytes();
    Add(HashOf(data.data(), data.size()));
  }
}

void AddInstruction(Bytes& bytes, const Instruction& instruction) {
  bytes.Add(static_cast<int64_t>(instruction.opcode()));
  bytes.Add(instruction.shape());
  bytes.Add(instruction.operand_count());
  instruction.attributes().VisitFields(AttributeVisitor{bytes});
  if (!instruction.has_annotations()) return;
  const Annotations& annotations = instruction.annotations();
  const std::pair<std::string_view, std::string_view> fields[] = {
      {"sharding", annotations.sharding},
      {"frontend_attributes", annotations.frontend_attributes},
      {"parameter_replication", annotations.parameter_replication},
      {"backend_config", annotations.backend_config},
  };
  for (const auto& [name, value] : fields) {
    if (value.empty()) continue;
    bytes.Add(name);
    bytes.Add(value);
  }
}

}  // namespace subfloor::hlo::fingerprint
