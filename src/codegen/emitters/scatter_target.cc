#include "codegen/emitters/scatter_target.h"

#include <algorithm>

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace subfloor::codegen::emitters {
namespace {

namespace arith = mlir::arith;

bool In(const hlo::IntList& list, int64_t v) { return std::find(list.begin(), list.end(), v) != list.end(); }

}  // namespace

ScatterDimensions::ScatterDimensions(const hlo::Instruction& scatter) {
  const auto& a = scatter.As<hlo::ScatterAttributes>();
  const int64_t operands = (scatter.operand_count() - 1) / 2;
  for (int64_t d = 0; d < scatter.operand(operands + 1)->shape().rank(); ++d)
    (In(a.update_window_dims, d) ? window : places).push_back(d);
  for (int64_t d = 0; d < scatter.operand(0)->shape().rank(); ++d) {
    if (!In(a.inserted_window_dims, d) && !In(a.input_batching_dims, d)) windowed.push_back(d);
  }
}

Result<ScatterTarget> LocateScatter(Emission& emission, Frame& frame, const hlo::Instruction& scatter,
                                    const ScatterDimensions& dimensions, const Index& place) {
  mlir::ImplicitLocOpBuilder& b = emission.b();
  indexing::Context& c = emission.exprs();
  const auto& a = scatter.As<hlo::ScatterAttributes>();
  const int64_t operands = (scatter.operand_count() - 1) / 2;
  const Shape& shape = scatter.operand(0)->shape();
  const Shape& updates = scatter.operand(operands + 1)->shape();
  const hlo::Instruction& indices = *scatter.operand(operands);
  // The window along each of the operand's dimensions.
  std::vector<int64_t> sizes(static_cast<size_t>(shape.rank()), 1);
  for (size_t w = 0; w < dimensions.windowed.size(); ++w)
    sizes[static_cast<size_t>(dimensions.windowed[w])] = updates.dimension(a.update_window_dims[w]);
  ScatterTarget target;
  target.start.assign(static_cast<size_t>(shape.rank()), c.Constant(0));
  // Dimensions that no index moves must fit as well.
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (sizes[static_cast<size_t>(d)] > shape.dimension(d)) target.nowhere = true;
  }
  if (target.nowhere) return target;
  for (size_t k = 0; k < a.scatter_dims_to_operand_dims.size(); ++k) {
    const int64_t d = a.scatter_dims_to_operand_dims[k];
    Index at = place;
    if (a.index_vector_dim < indices.shape().rank())
      at.insert(at.begin() + a.index_vector_dim, c.Constant(static_cast<int64_t>(k)));
    Element number = SF_TRY(emission.Value(frame, indices, at));
    mlir::Value v = number.value;
    if (v.getType().getIntOrFloatBitWidth() < 64) {
      v = IsSigned(number.type) ? arith::ExtSIOp::create(b, b.getI64Type(), v).getResult()
                                : arith::ExtUIOp::create(b, b.getI64Type(), v).getResult();
    }
    // As unsigned numbers, negative starts are far too large.
    const int64_t last = shape.dimension(d) - sizes[static_cast<size_t>(d)];
    mlir::Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, v,
                                             arith::ConstantIntOp::create(b, b.getI64Type(), last));
    target.inside = target.inside ? arith::AndIOp::create(b, target.inside, fits).getResult() : fits;
    if (last == 0) continue;
    if (emission.index_type() != v.getType()) v = arith::TruncIOp::create(b, emission.index_type(), v);
    target.start[static_cast<size_t>(d)] = emission.Bind(v, {0, last});
  }
  for (size_t k = 0; k < a.input_batching_dims.size(); ++k) {
    int64_t position = a.scatter_indices_batching_dims[k];
    if (position > a.index_vector_dim) --position;
    target.start[static_cast<size_t>(a.input_batching_dims[k])] = place[static_cast<size_t>(position)];
  }
  return target;
}

}  // namespace subfloor::codegen::emitters
