// dot and scaled-dot: one batched matrix product in the wide type, rounded once.

#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"
#include "evaluator/products.h"

namespace subfloor::evaluator {
namespace {

using hlo::DotAttributes;

// An operand's elements, rearranged to [batch][rows][columns].
template <typename W>
std::vector<W> Pack(const std::vector<W>& values, std::span<const int64_t> batch,
                    std::span<const int64_t> rows, std::span<const int64_t> columns) {
  std::vector<W> packed;
  packed.reserve(values.size());
  for (int64_t b : batch) {
    for (int64_t r : rows) {
      for (int64_t c : columns) packed.push_back(values[static_cast<size_t>(b + r + c)]);
    }
  }
  return packed;
}

// The product of all batches: lhs [B][M][K] and rhs [B][K][N] give [B][M][N], the order of the result's
// dimensions.
template <typename W>
std::vector<W> MultiplyMatrices(const Shape& lhs_shape, const std::vector<W>& lhs, const Shape& rhs_shape,
                                const std::vector<W>& rhs, const DotAttributes& dims) {
  const auto lhs_batch = OffsetsOver(lhs_shape, dims.lhs_batch),
             rhs_batch = OffsetsOver(rhs_shape, dims.rhs_batch);
  const auto lhs_free =
      OffsetsOver(lhs_shape, OtherDimensions(lhs_shape.rank(), dims.lhs_batch, dims.lhs_contracting));
  const auto rhs_free =
      OffsetsOver(rhs_shape, OtherDimensions(rhs_shape.rank(), dims.rhs_batch, dims.rhs_contracting));
  const auto lhs_sum = OffsetsOver(lhs_shape, dims.lhs_contracting),
             rhs_sum = OffsetsOver(rhs_shape, dims.rhs_contracting);
  const std::vector<W> a = Pack<W>(lhs, lhs_batch, lhs_free, lhs_sum);
  const std::vector<W> b = Pack<W>(rhs, rhs_batch, rhs_sum, rhs_free);
  const size_t batches = lhs_batch.size(), rows = lhs_free.size(), columns = rhs_free.size(),
               depth = lhs_sum.size();
  std::vector<W> product(batches * rows * columns, W{});
  for (size_t batch = 0; batch < batches; ++batch) {
    for (size_t row = 0; row < rows; ++row) {
      W* sums = product.data() + (batch * rows + row) * columns;
      for (size_t k = 0; k < depth; ++k) {
        MultiplyAddRow<W>(sums, a[(batch * rows + row) * depth + k], b.data() + (batch * depth + k) * columns,
                          static_cast<int64_t>(columns));
      }
    }
  }
  return product;
}

Status RefuseSparsity(const DotAttributes& attributes) {
  if (attributes.sparsity.text.empty()) return {};
  return NotSupported("a dot with sparsity; the same dot on a dense operand would work");
}

// A scaled operand: each element times the scale of the block it lies in. A scalar stands for no scale.
template <typename W>
void ApplyScale(const Shape& shape, std::vector<W>& values, const Literal& scale) {
  if (scale.shape().IsScalar() || values.empty()) return;
  const std::vector<W> scales = LoadAll<W>(scale);
  const std::vector<int64_t> strides = RowMajorStrides(scale.shape().dimensions());
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()), 0);
  size_t i = 0;
  do {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      const int64_t block = shape.dimensions()[d] / scale.shape().dimensions()[d];
      at += index[d] / block * strides[d];
    }
    values[i] = values[i] * scales[static_cast<size_t>(at)];
    ++i;
  } while (NextIndex(index, shape.dimensions()));
}

}  // namespace

Result<Literal> EvaluateDot(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const auto& dims = instruction.As<DotAttributes>();
  SF_CHECK(RefuseSparsity(dims));
  const ElementType type = instruction.shape().element_type();
  const Literal lhs = SF_TRY(AsProductOperand(*operands[0], type));
  const Literal rhs = SF_TRY(AsProductOperand(*operands[1], type));
  Literal result = SF_TRY(Literal::Zeros(instruction.shape()));
  WithWide(ProductKind(type, lhs.element_type(), rhs.element_type()), [&]<typename W>() {
    StoreAll(MultiplyMatrices<W>(lhs.shape(), LoadAll<W>(lhs), rhs.shape(), LoadAll<W>(rhs), dims), result);
  });
  return result;
}

Result<Literal> EvaluateScaledDot(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const auto& dims = instruction.As<DotAttributes>();
  SF_CHECK(RefuseSparsity(dims));
  const ElementType type = instruction.shape().element_type();
  std::array<Literal, 4> parts;
  for (size_t i = 0; i < 4; ++i) {
    parts[i] = SF_TRY(AsProductOperand(*operands[i], type));
    // Scales come after the operands: lhs, rhs, lhs_scale, rhs_scale.
    const Shape& scaled = operands[i % 2]->shape();
    const Shape& scale = operands[i]->shape();
    if (i < 2 || scale.IsScalar()) continue;
    bool fits = scale.rank() == scaled.rank();
    for (int64_t d = 0; fits && d < scale.rank(); ++d) {
      fits = scale.dimension(d) > 0 && scaled.dimension(d) % scale.dimension(d) == 0;
    }
    if (!fits) {
      return BadInput(
          "a scale of shape {} for an operand of shape {}: each dimension wants to divide the operand's",
          scale.ToString(false), scaled.ToString(false));
    }
  }
  Literal result = SF_TRY(Literal::Zeros(instruction.shape()));
  WideKind kind = ProductKind(type, parts[0].element_type(), parts[1].element_type());
  if (ProductKind(type, parts[2].element_type(), parts[3].element_type()) == WideKind::kQuad)
    kind = WideKind::kQuad;
  WithWide(kind, [&]<typename W>() {
    std::vector<W> lhs = LoadAll<W>(parts[0]), rhs = LoadAll<W>(parts[1]);
    ApplyScale<W>(parts[0].shape(), lhs, parts[2]);
    ApplyScale<W>(parts[1].shape(), rhs, parts[3]);
    StoreAll(MultiplyMatrices<W>(parts[0].shape(), lhs, parts[1].shape(), rhs, dims), result);
  });
  return result;
}

}  // namespace subfloor::evaluator
