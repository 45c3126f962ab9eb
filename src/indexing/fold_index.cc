#include "indexing/fold_index.h"

#include <algorithm>

namespace subfloor::indexing {
namespace {

using hlo::Instruction;
using hlo::IntList;
using hlo::Opcode;

bool Has(std::span<const int64_t> list, int64_t v) {
  return std::find(list.begin(), list.end(), v) != list.end();
}

FoldTerm Reduce(const Instruction& op, const Index& index, const Index& at) {
  const int64_t inputs = op.operand_count() / 2;
  Index read;
  size_t next = 0;
  for (int64_t d = 0; d < op.operand(0)->shape().rank(); ++d) {
    const auto it = std::find(op.dimensions().begin(), op.dimensions().end(), d);
    read.push_back(it == op.dimensions().end() ? index[next++] : nullptr);
  }
  // FoldSizes lists reduced dimensions in ascending order.
  next = 0;
  for (Expr& e : read) {
    if (e == nullptr) e = at[next++];
  }
  FoldTerm term;
  for (int64_t i = 0; i < inputs; ++i) term.reads.push_back({i, read, {}});
  return term;
}

// The coordinate that window position `at` of output `out` has in the base, with the conditions that it is in
// there.
Expr WindowCoordinate(Context& c, const hlo::WindowDimension& w, int64_t base_size, Expr out, Expr at,
                      std::vector<Bound>& conditions) {
  Expr p = c.Add(c.Add(c.Mul(out, w.stride), c.Mul(at, w.window_dilation)), -w.padding_low);
  conditions.push_back({p, 0, (base_size - 1) * w.base_dilation});
  if (w.base_dilation > 1) conditions.push_back({c.Mod(p, w.base_dilation), 0, 0});
  return c.FloorDiv(p, w.base_dilation);
}

FoldTerm ReduceWindow(Context& c, const Instruction& op, const Index& index, const Index& at) {
  const auto& window = op.As<hlo::WindowAttributes>().window;
  FoldTerm term;
  Index read;
  for (size_t d = 0; d < index.size(); ++d) {
    if (d >= window.size()) {
      read.push_back(index[d]);
      continue;
    }
    Expr k = window[d].reversal ? c.Sub(c.Constant(window[d].size - 1), at[d]) : at[d];
    read.push_back(WindowCoordinate(c, window[d], op.operand(0)->shape().dimension(static_cast<int64_t>(d)),
                                    index[d], k, term.conditions));
  }
  for (int64_t i = 0; i < op.operand_count() / 2; ++i) term.reads.push_back({i, read, {}});
  return term;
}

FoldTerm Dot(const Instruction& op, const Index& index, const Index& at) {
  const auto& a = op.As<hlo::DotAttributes>();
  size_t next = a.lhs_batch.size();
  auto side = [&](const Shape& shape, const IntList& batch, const IntList& contracting) {
    Index read(static_cast<size_t>(shape.rank()), nullptr);
    for (size_t i = 0; i < batch.size(); ++i) read[static_cast<size_t>(batch[i])] = index[i];
    for (size_t i = 0; i < contracting.size(); ++i) read[static_cast<size_t>(contracting[i])] = at[i];
    for (Expr& e : read) {
      if (e == nullptr) e = index[next++];
    }
    return read;
  };
  FoldTerm term;
  term.reads.push_back({0, side(op.operand(0)->shape(), a.lhs_batch, a.lhs_contracting), {}});
  term.reads.push_back({1, side(op.operand(1)->shape(), a.rhs_batch, a.rhs_contracting), {}});
  return term;
}

FoldTerm Convolution(Context& c, const Instruction& op, const Index& index, const Index& at) {
  const auto& a = op.As<hlo::ConvolutionAttributes>();
  const auto& d = a.dimensions;
  const Shape& input_shape = op.operand(0)->shape();
  const Shape& kernel_shape = op.operand(1)->shape();
  auto of = [](const Index& i, int64_t k) { return i[static_cast<size_t>(k)]; };
  FoldTerm term;
  Index input(static_cast<size_t>(input_shape.rank()), c.Constant(0));
  Index kernel(static_cast<size_t>(kernel_shape.rank()), c.Constant(0));
  for (size_t s = 0; s < a.window.size(); ++s) {
    const auto& w = a.window[s];
    input[static_cast<size_t>(d.input_spatial[s])] =
        WindowCoordinate(c, w, input_shape.dimension(d.input_spatial[s]), of(index, d.output_spatial[s]),
                         at[s], term.conditions);
    kernel[static_cast<size_t>(d.kernel_spatial[s])] =
        w.reversal ? c.Sub(c.Constant(w.size - 1), at[s]) : at[s];
  }
  Expr feature = of(index, d.output_feature), batch = of(index, d.output_batch), in = at.back();
  const int64_t features = op.shape().dimension(d.output_feature);
  kernel[static_cast<size_t>(d.kernel_input_feature)] = in;
  kernel[static_cast<size_t>(d.kernel_output_feature)] = feature;
  if (a.feature_group_count > 1) {
    Expr group = c.FloorDiv(feature, features / a.feature_group_count);
    in = c.Add(in, c.Mul(group, kernel_shape.dimension(d.kernel_input_feature)));
  }
  if (a.batch_group_count > 1) {
    Expr group = c.FloorDiv(feature, features / a.batch_group_count);
    batch = c.Add(batch, c.Mul(group, op.shape().dimension(d.output_batch)));
  }
  input[static_cast<size_t>(d.input_feature)] = in;
  input[static_cast<size_t>(d.input_batch)] = batch;
  term.reads.push_back({0, std::move(input), {}});
  term.reads.push_back({1, std::move(kernel), {}});
  return term;
}

}  // namespace

bool IsFold(const Instruction& op) {
  return op.opcode() == Opcode::kReduce || op.opcode() == Opcode::kReduceWindow ||
         op.opcode() == Opcode::kDot || op.opcode() == Opcode::kConvolution;
}

std::vector<int64_t> FoldSizes(const Instruction& op) {
  std::vector<int64_t> sizes;
  switch (op.opcode()) {
    case Opcode::kReduce:
      for (int64_t d = 0; d < op.operand(0)->shape().rank(); ++d) {
        if (Has(op.dimensions(), d)) sizes.push_back(op.operand(0)->shape().dimension(d));
      }
      break;
    case Opcode::kReduceWindow:
      for (const auto& w : op.As<hlo::WindowAttributes>().window) sizes.push_back(w.size);
      break;
    case Opcode::kDot:
      for (int64_t d : op.As<hlo::DotAttributes>().lhs_contracting)
        sizes.push_back(op.operand(0)->shape().dimension(d));
      break;
    case Opcode::kConvolution: {
      const auto& a = op.As<hlo::ConvolutionAttributes>();
      for (const auto& w : a.window) sizes.push_back(w.size);
      sizes.push_back(op.operand(1)->shape().dimension(a.dimensions.kernel_input_feature));
      break;
    }
    default:
      break;
  }
  return sizes;
}

std::span<const int64_t> FoldResultSizes(const Instruction& op) {
  return (op.shape().IsTuple() ? op.shape().tuple_shape(0) : op.shape()).dimensions();
}

FoldTerm FoldTermAt(Context& context, const Instruction& op, const Index& index, const Index& at) {
  switch (op.opcode()) {
    case Opcode::kReduceWindow:
      return ReduceWindow(context, op, index, at);
    case Opcode::kDot:
      return Dot(op, index, at);
    case Opcode::kConvolution:
      return Convolution(context, op, index, at);
    default:
      return Reduce(op, index, at);
  }
}

}  // namespace subfloor::indexing
