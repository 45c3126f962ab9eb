#include <algorithm>

#include "codegen/emitters/emission.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

/// Ops that move elements: the index of the result becomes that of an operand, perhaps under a condition.
namespace subfloor::codegen::emitters {

using hlo::Instruction;
using indexing::Bound;
using indexing::OperandRead;

Result<Element> Emission::Mover(Frame& frame, const Instruction& op, const Index& index) {
  indexing::Reads all = SF_TRY(indexing::ReadsOf(
      exprs_, op, index, [&](int64_t d, const Index& batch) { return Start(frame, op, d, batch); }));
  // Reads that cannot be, and those after one that must be, go.
  std::vector<OperandRead> reads;
  for (OperandRead& read : all) {
    bool possible = true, certain = true;
    for (const Bound& bound : read.conditions) {
      possible &= bound.Known() != Bound::Truth::kFalse;
      certain &= bound.Known() == Bound::Truth::kTrue;
    }
    if (!possible) continue;
    reads.push_back(std::move(read));
    if (certain) break;
  }
  if (reads.empty()) return InternalError("no operand of %{} holds the element", op.name());
  int64_t lanes = LanesOf(index);
  bool uniform = true;
  for (size_t i = 0; i + 1 < reads.size(); ++i) {
    for (const Bound& bound : reads[i].conditions) {
      if (bound.Known() == Bound::Truth::kUnknown && LanesOf(bound.value) != 0) uniform = false;
    }
  }
  if (!uniform) {
    for (const OperandRead& read : reads) lanes = std::max(lanes, LanesOf(read.index));
    Elements result = SF_TRY(LaneByLane(frame, op, index, lanes));
    return result[0];
  }
  return Alternatives(frame, op, reads, lanes);
}

Result<Element> Emission::Alternatives(Frame& frame, const Instruction& op,
                                       std::span<const OperandRead> reads, int64_t lanes) {
  auto value = [&](const OperandRead& read) { return Value(frame, *op.operand(read.operand), read.index); };
  if (reads.size() == 1) return value(reads[0]);
  const ElementType type = op.shape().element_type();
  llvm::SmallVector<mlir::Type> types(IsComplex(type) ? 2 : 1,
                                      elemental::ValueType(b_.getContext(), type, lanes));
  auto as_values = [&](Result<Element> element) -> Result<Values> {
    if (!element) return std::unexpected(std::move(element).error());
    Element full = lanes == 0 ? *element : elemental::Splat(b_, *element, lanes);
    return Flatten(std::span(&full, 1));
  };
  Values chosen = SF_TRY(If(
      Holds(reads[0].conditions), types, [&] { return as_values(value(reads[0])); },
      [&] { return as_values(Alternatives(frame, op, reads.subspan(1), lanes)); }));
  return Unflatten(chosen, std::span(&type, 1))[0];
}

Result<Elements> Emission::LaneByLane(Frame& frame, const Instruction& op, const Index& index,
                                      int64_t lanes) {
  llvm::SmallVector<mlir::Value> reals, imags;
  ElementType type = op.shape().element_type();
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Element element = SF_TRY(Value(frame, op, AtLane(index, lane)));
    reals.push_back(element.value);
    if (element.imag) imags.push_back(element.imag);
  }
  auto together = [&](llvm::ArrayRef<mlir::Value> parts) -> mlir::Value {
    return mlir::vector::FromElementsOp::create(b_, mlir::VectorType::get({lanes}, parts[0].getType()),
                                                parts);
  };
  Element result{type, together(reals), {}};
  if (!imags.empty()) result.imag = together(imags);
  return Elements{result};
}

}  // namespace subfloor::codegen::emitters
