#include "passes/make.h"

#include <algorithm>
#include <cstring>

namespace subfloor::passes {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

Shape ArrayShape(ElementType type, std::span<const int64_t> dimensions) {
  Shape shape = Shape::ArrayOf(type, dimensions);
  shape.set_layout(Layout::RowMajor(shape.rank()));
  return shape;
}

Shape WithType(const Shape& like, ElementType type) { return ArrayShape(type, like.dimensions()); }

Instruction* MakeReshape(Instruction* x, std::span<const int64_t> dimensions) {
  if (std::ranges::equal(x->shape().dimensions(), dimensions)) return x;
  return x->parent()->Add(Opcode::kReshape, ArrayShape(x->shape().element_type(), dimensions), {x});
}

Instruction* MakeTranspose(Instruction* x, std::span<const int64_t> permutation) {
  if (IsIdentityPermutation(permutation)) return x;
  return x->parent()->Add(
      Opcode::kTranspose,
      ArrayShape(x->shape().element_type(), Permute(x->shape().dimensions(), permutation)), {x},
      hlo::DimensionsAttributes{{permutation.begin(), permutation.end()}});
}

Instruction* MakeBroadcast(Instruction* x, std::span<const int64_t> dimensions,
                           std::span<const int64_t> mapping) {
  if (std::ranges::equal(x->shape().dimensions(), dimensions)) return x;
  return x->parent()->Add(Opcode::kBroadcast, ArrayShape(x->shape().element_type(), dimensions), {x},
                          hlo::DimensionsAttributes{{mapping.begin(), mapping.end()}});
}

Instruction* MakeSlice(Instruction* x, hlo::SliceRanges ranges) {
  std::vector<int64_t> sizes;
  for (const hlo::SliceDimension& d : ranges) {
    sizes.push_back(d.limit <= d.start ? 0 : (d.limit - d.start - 1) / d.stride + 1);
  }
  if (std::ranges::equal(x->shape().dimensions(), sizes)) return x;
  return x->parent()->Add(Opcode::kSlice, ArrayShape(x->shape().element_type(), sizes), {x},
                          hlo::SliceAttributes{std::move(ranges)});
}

Instruction* MakeConcatenate(std::span<Instruction* const> parts, int64_t dimension) {
  if (parts.size() == 1) return parts[0];
  const Shape& first = parts[0]->shape();
  std::vector<int64_t> sizes(first.dimensions().begin(), first.dimensions().end());
  int64_t& along = sizes[static_cast<size_t>(dimension)];
  along = 0;
  for (const Instruction* part : parts) along += part->shape().dimension(dimension);
  return parts[0]->parent()->Add(Opcode::kConcatenate, ArrayShape(first.element_type(), sizes), parts,
                                 hlo::DimensionsAttributes{{dimension}});
}

Instruction* MakeConvert(Instruction* x, ElementType type) {
  if (x->shape().element_type() == type) return x;
  return x->parent()->Add(Opcode::kConvert, WithType(x->shape(), type), {x});
}

Instruction* MakeUnary(Opcode opcode, Instruction* x) {
  return x->parent()->Add(opcode, WithType(x->shape(), x->shape().element_type()), {x});
}

Instruction* MakeBinary(Opcode opcode, Instruction* x, Instruction* y) {
  return x->parent()->Add(opcode, WithType(x->shape(), x->shape().element_type()), {x, y});
}

Instruction* MakeSelect(Instruction* condition, Instruction* on_true, Instruction* on_false) {
  return condition->parent()->Add(Opcode::kSelect,
                                  WithType(on_true->shape(), on_true->shape().element_type()),
                                  {condition, on_true, on_false});
}

Instruction* MakeTuple(Computation* computation, std::span<Instruction* const> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Instruction* element : elements) shapes.push_back(element->shape());
  return computation->Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), elements, hlo::NoAttributes{});
}

Instruction* MakeGetTupleElement(Instruction* tuple, int64_t index) {
  if (tuple->opcode() == Opcode::kTuple) return tuple->operand(index);
  return tuple->parent()->Add(Opcode::kGetTupleElement, tuple->shape().tuple_shape(index), {tuple},
                              hlo::GetTupleElementAttributes{index});
}

Literal ScalarLiteral(ElementType type, int64_t value) {
  Literal literal = *Literal::Zeros(Shape::Scalar(type));
  const auto put = [&](auto number) { std::memcpy(literal.mutable_bytes().data(), &number, sizeof(number)); };
  switch (ComponentType(type)) {
    case ElementType::kF64:
      put(static_cast<double>(value));
      break;
    case ElementType::kF32:
      put(static_cast<float>(value));
      break;
    case ElementType::kPred:
      put(static_cast<uint8_t>(value != 0));
      break;
    default:
      if (IsIntegral(type)) SetBitsAt(literal, 0, static_cast<uint64_t>(value));
  }
  return literal;
}

Instruction* MakeScalar(Computation* computation, ElementType type, int64_t value) {
  return MakeSplat(computation, ScalarLiteral(type, value), {});
}

Instruction* MakeSplat(Computation* computation, const Literal& scalar, std::span<const int64_t> dimensions) {
  Literal literal = scalar;
  literal.set_shape_layout(ArrayShape(scalar.element_type(), {}));
  return MakeBroadcast(computation->AddConstant(std::move(literal)), dimensions, {});
}

Instruction* MakeZeros(Computation* computation, const Shape& shape) {
  return MakeSplat(computation, *Literal::Zeros(Shape::Scalar(shape.element_type())), shape.dimensions());
}

bool IsScalarBroadcast(const Instruction* x) {
  return x->opcode() == Opcode::kBroadcast && x->operand(0)->shape().IsScalar();
}

std::optional<Literal> SplatOf(const Instruction* x) {
  while (x->opcode() == Opcode::kBroadcast || x->opcode() == Opcode::kReshape) x = x->operand(0);
  if (!x->IsConstant() || !x->shape().IsArray()) return std::nullopt;
  const Literal& literal = x->literal();
  const auto bytes = literal.bytes();
  const auto width = static_cast<size_t>(ByteWidth(literal.element_type()));
  if (bytes.empty()) return std::nullopt;
  // Equal elements: the bytes equal themselves shifted by one element.
  if (bytes.size() > width && std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) != 0)
    return std::nullopt;
  auto scalar = Literal::FromBytes(Shape::Scalar(literal.element_type()), bytes.first(width));
  if (!scalar) return std::nullopt;
  return *std::move(scalar);
}

std::optional<int64_t> IntegerSplatOf(const Instruction* x) {
  const ElementType type = x->shape().element_type();
  if (!IsIntegral(type) && !IsPred(type)) return std::nullopt;
  const std::optional<Literal> splat = SplatOf(x);
  if (!splat) return std::nullopt;
  return IntegerAt(*splat, 0);
}

uint64_t BitsAt(const Literal& array, int64_t i) {
  const auto width = static_cast<size_t>(ByteWidth(array.element_type()));
  uint64_t bits = 0;
  std::memcpy(&bits, array.bytes().data() + static_cast<size_t>(i) * width, std::min(width, sizeof(bits)));
  return bits;
}

int64_t IntegerAt(const Literal& array, int64_t i) {
  const uint64_t bits = BitsAt(array, i);
  const ElementType type = array.element_type();
  if (IsPred(type)) return bits != 0;
  const int unused = 64 - BitWidth(type);
  return IsSigned(type) ? static_cast<int64_t>(bits << unused) >> unused
                        : static_cast<int64_t>(bits << unused >> unused);
}

void SetBitsAt(Literal& array, int64_t i, uint64_t bits) {
  const ElementType type = array.element_type();
  const auto width = static_cast<size_t>(ByteWidth(type));
  if (BitWidth(type) < 64) bits &= (uint64_t{1} << BitWidth(type)) - 1;
  std::memcpy(array.mutable_bytes().data() + static_cast<size_t>(i) * width, &bits,
              std::min(width, sizeof(bits)));
}

bool IsPositiveZero(const Literal& scalar) {
  return std::ranges::all_of(scalar.bytes(), [](std::byte b) { return b == std::byte{0}; });
}

bool IsNegativeZero(const Literal& scalar) {
  const ElementType type = scalar.element_type();
  return IsFloat(type) && FormatOf(type).has_negative_zero &&
         BitsAt(scalar, 0) == uint64_t{1} << (BitWidth(type) - 1);
}

bool IsOne(const Literal& scalar) {
  const ElementType type = scalar.element_type();
  if (IsIntegral(type) || IsPred(type)) return IntegerAt(scalar, 0) == 1;
  if (!IsFloat(type)) return false;
  const FloatFormat format = FormatOf(type);
  return BitsAt(scalar, 0) == static_cast<uint64_t>(format.bias) << format.mantissa_bits;
}

bool HasControlEdges(const Instruction* instruction) {
  return !instruction->control_predecessors().empty() || !instruction->control_successors().empty();
}

std::vector<int64_t> WithoutOnes(std::span<const int64_t> dimensions) {
  std::vector<int64_t> kept;
  std::ranges::copy_if(dimensions, std::back_inserter(kept), [](int64_t size) { return size != 1; });
  return kept;
}

bool TransposeIsReshape(std::span<const int64_t> dimensions, std::span<const int64_t> permutation) {
  int64_t last = -1;
  for (const int64_t d : permutation) {
    if (dimensions[static_cast<size_t>(d)] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

std::vector<int64_t> InversePermutation(std::span<const int64_t> permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return inverse;
}

std::vector<int64_t> Permute(std::span<const int64_t> values, std::span<const int64_t> permutation) {
  std::vector<int64_t> result(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) result[i] = values[static_cast<size_t>(permutation[i])];
  return result;
}

bool IsIdentityPermutation(std::span<const int64_t> permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace subfloor::passes
