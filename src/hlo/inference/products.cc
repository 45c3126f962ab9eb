#include <algorithm>

#include "hlo/inference/rules.h"
#include "hlo/shape_inference.h"

/// dot and its relatives, and convolution.
namespace subfloor::hlo::inference {
namespace {

// The result's element type: the operands' common one, or the written one if products may be summed in it.
Result<ElementType> ProductType(const OpView& op) {
  const ElementType a = op.operand(0).element_type(), b = op.operand(1).element_type();
  const bool same = SameUpToPrecision(a, b) || (IsIntegral(a) && IsIntegral(b));
  if (!same) {
    return BadInput(
        "operand 0 is {} but operand 1 is {}; {} wants element types that differ in precision only",
        op.operand(0).ToString(false), op.operand(1).ToString(false), op.name());
  }
  const ElementType natural = HigherPrecision(a, b);
  if (op.written == nullptr || !op.written->IsArray()) return natural;
  const ElementType wanted = op.written->element_type();
  if (wanted == natural) return natural;
  const bool narrower = !IsFloat(natural) && BitWidth(wanted) < BitWidth(natural);
  if (narrower || IsPred(wanted) || IsComplex(natural) != IsComplex(wanted)) {
    return BadInput("{} of {} and {} gives {}; {} or a wider type works", op.name(), ToString(a), ToString(b),
                    ToString(wanted), ToString(natural));
  }
  return wanted;
}

bool Contains(const IntList& list, int64_t value) { return std::ranges::find(list, value) != list.end(); }

// Checks the batch and contracting dimensions of both sides.
Status WantDotDimensions(const OpView& op, const DotAttributes& dot) {
  const Shape& lhs = op.operand(0);
  const Shape& rhs = op.operand(1);
  SF_CHECK(WantSameSize(op, "the batch dimensions", dot.lhs_batch, dot.rhs_batch));
  SF_CHECK(WantSameSize(op, "the contracting dimensions", dot.lhs_contracting, dot.rhs_contracting));
  const auto both = [](const IntList& a, const IntList& b) {
    IntList all = a;
    all.insert(all.end(), b.begin(), b.end());
    return all;
  };
  SF_CHECK(WantDimensions(op, "lhs_batch_dims with lhs_contracting_dims",
                          both(dot.lhs_batch, dot.lhs_contracting), lhs.rank()));
  SF_CHECK(WantDimensions(op, "rhs_batch_dims with rhs_contracting_dims",
                          both(dot.rhs_batch, dot.rhs_contracting), rhs.rank()));
  const auto pairs = [&](std::string_view what, const IntList& a, const IntList& b) -> Status {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!SizesAgree(lhs.dimension(a[i]), rhs.dimension(b[i]))) {
        return BadInput(
            "{} dimension {} of operand 0, {}, meets dimension {} of operand 1, {}; the sizes must be equal",
            what, a[i], lhs.ToString(false), b[i], rhs.ToString(false));
      }
    }
    return {};
  };
  SF_CHECK(pairs("batch", dot.lhs_batch, dot.rhs_batch));
  return pairs("contracting", dot.lhs_contracting, dot.rhs_contracting);
}

// Batch dimensions, then the free ones of the left, then of the right side (without `skipped` ones).
Dims DotResult(const OpView& op, const DotAttributes& dot, const IntList& skipped = {}) {
  const Shape& lhs = op.operand(0);
  const Shape& rhs = op.operand(1);
  Dims dims;
  for (int64_t d : dot.lhs_batch) dims.AddFrom(lhs, d);
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (!Contains(dot.lhs_batch, d) && !Contains(dot.lhs_contracting, d)) dims.AddFrom(lhs, d);
  }
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (!Contains(dot.rhs_batch, d) && !Contains(dot.rhs_contracting, d) && !Contains(skipped, d))
      dims.AddFrom(rhs, d);
  }
  return dims;
}

}  // namespace

Result<Shape> InferDot(const OpView& op) {
  const auto& dot = op.As<DotAttributes>();
  if (!dot.sparsity.text.empty()) return NotSupported("dot with sparsity; a dense dot works");
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantArrays(op));
  SF_CHECK(WantDotDimensions(op, dot));
  return DotResult(op, dot).Make(SF_TRY(ProductType(op)));
}

Result<Shape> InferRaggedDot(const OpView& op) {
  const auto& dot = op.As<DotAttributes>();
  SF_CHECK(WantOperands(op, 3, 3));
  SF_CHECK(WantArrays(op));
  SF_CHECK(WantDotDimensions(op, dot));
  const Shape& lhs = op.operand(0);
  const Shape& rhs = op.operand(1);
  const Shape& groups = op.operand(2);
  if (!IsIntegral(groups.element_type()) || groups.rank() < 1)
    return WrongOperand(op, 2, "integer group sizes there");
  const int64_t group_count = groups.dimension(groups.rank() - 1);
  if (dot.lhs_ragged.size() != 1)
    return BadInput("ragged-dot has {} lhs_ragged_dims; it wants one", dot.lhs_ragged.size());
  SF_CHECK(WantDimensions(op, "lhs_ragged_dims", dot.lhs_ragged, lhs.rank()));
  SF_CHECK(WantDimensions(op, "rhs_group_dims", dot.rhs_group, rhs.rank()));
  const int64_t ragged = dot.lhs_ragged[0];
  const bool contracting = Contains(dot.lhs_contracting, ragged);
  const bool free = !contracting && !Contains(dot.lhs_batch, ragged);
  if (dot.rhs_group.size() != (free ? 1 : 0)) {
    return BadInput("ragged-dot has {} rhs_group_dims; with a {} ragged dimension it wants {}",
                    dot.rhs_group.size(),
                    free          ? "free"
                    : contracting ? "contracting"
                                  : "batch",
                    free ? 1 : 0);
  }
  if (free) {
    const int64_t group = dot.rhs_group[0];
    if (Contains(dot.rhs_batch, group) || Contains(dot.rhs_contracting, group)) {
      return BadInput("rhs_group_dims of ragged-dot names dimension {}, which is batch or contracting",
                      group);
    }
    if (!SizesAgree(rhs.dimension(group), group_count)) {
      return WrongOperand(op, 1, fmt::format("{} groups in dimension {}", group_count, group));
    }
  }
  Dims dims = DotResult(op, dot, dot.rhs_group);
  if (contracting) dims.InsertFrom(0, groups, groups.rank() - 1);
  return dims.Make(SF_TRY(ProductType(op)));
}

Result<Shape> InferScaledDot(const OpView& op) {
  const auto& dot = op.As<DotAttributes>();
  SF_CHECK(WantOperands(op, 4, 4));
  SF_CHECK(WantArrays(op));
  SF_CHECK(WantDotDimensions(op, dot));
  if (op.operand(2).IsScalar() && op.operand(3).IsScalar()) {
    return WrongOperand(op, 2, "one scale at least that is no scalar");
  }
  for (size_t side : {size_t{0}, size_t{1}}) {
    const Shape& operand = op.operand(side);
    const Shape& scale = op.operand(side + 2);
    if (scale.IsScalar()) continue;  // stands for no scale
    bool fits = scale.rank() == operand.rank();
    for (int64_t d = 0; fits && d < operand.rank(); ++d) {
      const int64_t size = scale.dimension(d);
      fits = size == operand.dimension(d) || (size > 0 && operand.dimension(d) % size == 0);
    }
    if (!fits) {
      return WrongOperand(op, side + 2,
                          fmt::format("a scale whose sizes divide those of {}", operand.ToString(false)));
    }
  }
  return DotResult(op, dot).Make(SF_TRY(ProductType(op)));
}

Result<Shape> InferConvolution(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantArrays(op));
  const auto& conv = op.As<ConvolutionAttributes>();
  const ConvolutionDimensions& labels = conv.dimensions;
  const Shape& input = op.operand(0);
  const Shape& kernel = op.operand(1);
  if (!conv.sparsity_config.text.empty())
    return NotSupported("convolution with sparsity_config; a dense one works");
  const auto spatial = static_cast<int64_t>(labels.input_spatial.size());
  SF_CHECK(CheckWindow(op, conv.window));
  if (static_cast<int64_t>(conv.window.size()) != spatial ||
      static_cast<int64_t>(labels.kernel_spatial.size()) != spatial ||
      static_cast<int64_t>(labels.output_spatial.size()) != spatial) {
    return BadInput(
        "convolution has a window of {} dimensions; its dim_labels name {} in the input, {} in the kernel, "
        "{} in "
        "the output",
        conv.window.size(), spatial, labels.kernel_spatial.size(), labels.output_spatial.size());
  }
  for (size_t i : {size_t{0}, size_t{1}}) {
    if (op.operand(i).rank() != spatial + 2) {
      return WrongOperand(op, i, fmt::format("{} dimensions there, as dim_labels name", spatial + 2));
    }
  }
  const auto whole = [](int64_t a, int64_t b, const std::vector<int64_t>& rest) {
    IntList all = {a, b};
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  };
  SF_CHECK(WantDimensions(op, "dim_labels (input)",
                          whole(labels.input_batch, labels.input_feature, labels.input_spatial),
                          spatial + 2));
  SF_CHECK(WantDimensions(
      op, "dim_labels (kernel)",
      whole(labels.kernel_input_feature, labels.kernel_output_feature, labels.kernel_spatial), spatial + 2));
  SF_CHECK(WantDimensions(op, "dim_labels (output)",
                          whole(labels.output_batch, labels.output_feature, labels.output_spatial),
                          spatial + 2));
  const int64_t groups = conv.feature_group_count, batch_groups = conv.batch_group_count;
  if (groups < 1 || batch_groups < 1 || (groups > 1 && batch_groups > 1)) {
    return BadInput(
        "convolution has feature_group_count={} and batch_group_count={}; one of them may exceed 1", groups,
        batch_groups);
  }
  const int64_t features = input.dimension(labels.input_feature);
  const int64_t kernel_in = kernel.dimension(labels.kernel_input_feature);
  const int64_t kernel_out = kernel.dimension(labels.kernel_output_feature);
  const int64_t batch = input.dimension(labels.input_batch);
  if (features >= 0 && kernel_in >= 0 && (features % groups != 0 || features / groups != kernel_in)) {
    return BadInput(
        "convolution has {} input features in {} groups and a kernel for {}; features / groups must equal "
        "that",
        features, groups, kernel_in);
  }
  if (kernel_out >= 0 && (kernel_out % groups != 0 || kernel_out % batch_groups != 0)) {
    return BadInput("convolution has {} output features; {} groups must divide them", kernel_out,
                    std::max(groups, batch_groups));
  }
  if (batch >= 0 && batch % batch_groups != 0) {
    return BadInput("convolution has a batch of {}; batch_group_count={} must divide it", batch,
                    batch_groups);
  }
  Dims dims;
  dims.sizes.resize(static_cast<size_t>(spatial + 2));
  dims.dynamic.resize(static_cast<size_t>(spatial + 2));
  const auto put = [&](int64_t at, int64_t size, bool dynamic) {
    dims.sizes[static_cast<size_t>(at)] = size;
    dims.dynamic[static_cast<size_t>(at)] = dynamic;
  };
  put(labels.output_batch, batch < 0 ? batch : batch / batch_groups, input.IsDynamic(labels.input_batch));
  put(labels.output_feature, kernel_out, kernel.IsDynamic(labels.kernel_output_feature));
  Dims base;
  for (int64_t d : labels.input_spatial) base.AddFrom(input, d);
  const Shape base_shape = SF_TRY(base.Make(input.element_type()));
  const Dims windows = SF_TRY(WindowOutput(op, base_shape, conv.window));
  for (int64_t i = 0; i < spatial; ++i) {
    const auto k = static_cast<size_t>(i);
    if (!SizesAgree(kernel.dimension(labels.kernel_spatial[k]), conv.window[k].size)) {
      return BadInput("the window of convolution has size {} in dimension {}; the kernel is {}",
                      conv.window[k].size, i, kernel.ToString(false));
    }
    put(labels.output_spatial[k], windows.sizes[k], windows.dynamic[k] != 0);
  }
  return dims.Make(SF_TRY(ProductType(op)));
}

}  // namespace subfloor::hlo::inference
