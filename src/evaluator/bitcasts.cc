// The same bits under another type: bitcast-convert by logical order, bitcast by physical order.

#include <algorithm>

#include "evaluator/op_functions.h"
#include "evaluator/strided_copy.h"

namespace subfloor::evaluator {
namespace {

using hlo::Instruction;

/// The bits of a run of elements, packed without gaps, element 0 in the low bits; pred counts as 8 bits.
std::vector<std::byte> Pack(const Literal& literal) {
  const int bits = BitWidth(literal.element_type());
  const std::span<const std::byte> bytes = literal.bytes();
  if (bits % 8 == 0) return {bytes.begin(), bytes.end()};
  std::vector<std::byte> packed((bytes.size() * static_cast<size_t>(bits) + 7) / 8, std::byte{0});
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int b = 0; b < bits; ++b) {
      const size_t at = i * static_cast<size_t>(bits) + static_cast<size_t>(b);
      if ((bytes[i] >> b & std::byte{1}) != std::byte{0}) packed[at / 8] |= std::byte{1} << (at % 8);
    }
  }
  return packed;
}

void Unpack(std::span<const std::byte> packed, Literal& literal) {
  const int bits = BitWidth(literal.element_type());
  std::span<std::byte> bytes = literal.mutable_bytes();
  if (bits % 8 == 0) {
    std::copy_n(packed.begin(), std::min(packed.size(), bytes.size()), bytes.begin());
    if (IsPred(literal.element_type())) {
      for (std::byte& byte : bytes) byte = byte == std::byte{0} ? std::byte{0} : std::byte{1};
    }
    return;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int b = 0; b < bits; ++b) {
      const size_t at = i * static_cast<size_t>(bits) + static_cast<size_t>(b);
      if (at / 8 >= packed.size()) return;
      if ((packed[at / 8] >> (at % 8) & std::byte{1}) != std::byte{0}) bytes[i] |= std::byte{1} << b;
    }
  }
}

/// Dimensions from major to minor as they lie in memory.
std::vector<int64_t> MajorToMinor(const Shape& shape) {
  std::vector<int64_t> order;
  if (const Layout* layout = shape.layout(); layout != nullptr && !layout->minor_to_major.empty()) {
    order.assign(layout->minor_to_major.rbegin(), layout->minor_to_major.rend());
  } else {
    for (int64_t i = 0; i < shape.rank(); ++i) order.push_back(i);
  }
  return order;
}

bool IsRowMajor(const Shape& shape) { return shape.layout() == nullptr || shape.layout()->IsRowMajor(); }

bool IsTiled(const Shape& shape) {
  return shape.layout() != nullptr && shape.layout()->extras != nullptr &&
         !shape.layout()->extras->tiles.empty();
}

/// The array whose dimensions stand in the order of memory, so that its row-major order is the physical one.
Shape PhysicalShape(const Shape& shape) {
  std::vector<int64_t> sizes;
  for (int64_t dimension : MajorToMinor(shape)) sizes.push_back(shape.dimension(dimension));
  return Shape::ArrayOf(shape.element_type(), sizes);
}

Result<Literal> ToPhysicalOrder(const Literal& literal, const Shape& shape) {
  if (IsRowMajor(shape)) return literal;
  const Shape physical = PhysicalShape(shape);
  Literal result = SF_TRY(Literal::Zeros(physical));
  const std::vector<int64_t> logical_strides = RowMajorStrides(shape.dimensions());
  StridedView from;
  for (int64_t dimension : MajorToMinor(shape))
    from.strides.push_back(logical_strides[static_cast<size_t>(dimension)]);
  CopyBlock(result.mutable_bytes().data(), {0, RowMajorStrides(physical.dimensions())},
            literal.bytes().data(), from, physical.dimensions(), ByteWidth(shape.element_type()));
  return result;
}

Result<Literal> FromPhysicalOrder(const Literal& literal, const Shape& shape) {
  if (IsRowMajor(shape)) return literal.Reshaped(shape);
  const Shape physical = PhysicalShape(shape);
  Literal result = SF_TRY(Literal::Zeros(shape));
  const std::vector<int64_t> logical_strides = RowMajorStrides(shape.dimensions());
  StridedView to;
  for (int64_t dimension : MajorToMinor(shape))
    to.strides.push_back(logical_strides[static_cast<size_t>(dimension)]);
  CopyBlock(result.mutable_bytes().data(), to, literal.bytes().data(),
            {0, RowMajorStrides(physical.dimensions())}, physical.dimensions(),
            ByteWidth(shape.element_type()));
  return result;
}

}  // namespace

Result<Literal> EvaluateBitcastConvert(Context& context, const Instruction& instruction, Operands operands) {
  const Shape& shape = instruction.shape();
  if (shape.element_type() == operands[0]->element_type()) return operands[0]->Reshaped(shape);
  Literal result = SF_TRY(Literal::Zeros(shape));
  const int64_t found = operands[0]->shape().element_count() * BitWidth(operands[0]->element_type());
  const int64_t wanted = shape.element_count() * BitWidth(shape.element_type());
  if (found != wanted) return BadInput("{} bits cannot be taken as {} bits", found, wanted);
  Unpack(Pack(*operands[0]), result);
  return result;
}

Result<Literal> EvaluateBitcast(Context& context, const Instruction& instruction, Operands operands) {
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  if (!from.IsArray() || !to.IsArray()) return *operands[0];
  if (IsTiled(from) || IsTiled(to)) {
    return NotSupported(
        "bitcast between {} and {}: tiled layouts are not evaluated, a transpose and a reshape are",
        from.ToString(), to.ToString());
  }
  Literal physical = SF_TRY(ToPhysicalOrder(*operands[0], from));
  if (from.element_type() == to.element_type() && from.element_count() == to.element_count()) {
    return FromPhysicalOrder(physical, to);
  }
  // Another type, or the first part of the bytes.
  Literal reread = SF_TRY(Literal::Zeros(PhysicalShape(to)));
  Unpack(Pack(physical), reread);
  return FromPhysicalOrder(reread, to);
}

}  // namespace subfloor::evaluator
