#include <algorithm>

#include "hlo/inference/rules.h"
#include "hlo/shape_inference.h"

/// Batch norm, FFT, linear algebra and random numbers.
namespace subfloor::hlo::inference {
namespace {

bool IsLinearAlgebraType(ElementType type) { return IsFloat(type) || IsComplex(type); }

}  // namespace

Result<Shape> InferBatchNorm(const OpView& op) {
  const bool training = op.opcode == Opcode::kBatchNormTraining,
             gradient = op.opcode == Opcode::kBatchNormGrad;
  SF_CHECK(WantOperands(op, training ? 3 : 5, training ? 3 : 5));
  SF_CHECK(WantArrays(op));
  const Shape& x = op.operand(0);
  const int64_t feature = op.As<BatchNormAttributes>().feature_index;
  if (feature < 0 || feature >= x.rank()) {
    return BadInput("feature_index of {} is {}; operand 0 is {} and has {} dimensions", op.name(), feature,
                    x.ToString(false), x.rank());
  }
  for (size_t i = 0; i < op.operand_count(); ++i) {
    const Shape& operand = op.operand(i);
    if (!IsFloat(operand.element_type())) return WrongOperand(op, i, "floats");
    if (i == 0) continue;
    if (gradient && i == 4) {
      if (!DimensionsAgree(operand, x))
        return WrongOperand(op, i, fmt::format("the sizes of {}", x.ToString(false)));
    } else if (operand.rank() != 1 || !SizesAgree(operand.dimension(0), x.dimension(feature))) {
      return WrongOperand(op, i, fmt::format("a vector of {} features there", x.dimension(feature)));
    }
  }
  Shape whole = Retyped(x, x.element_type());
  if (op.opcode == Opcode::kBatchNormInference) return whole;
  Shape features = Retyped(op.operand(1), op.operand(1).element_type());
  return Shape::Tuple({std::move(whole), features, features});
}

Result<Shape> InferFft(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  const auto& fft = op.As<FftAttributes>();
  const Shape& x = op.operand(0);
  const auto rank = static_cast<int64_t>(fft.fft_length.size());
  if (rank < 1 || rank > 3) return BadInput("fft_length has {} numbers; fft wants 1 to 3", rank);
  if (x.rank() < rank) return WrongOperand(op, 0, fmt::format("{} dimensions or more", rank));
  const ElementType type = x.element_type();
  Dims dims;
  for (int64_t d = 0; d < x.rank(); ++d) dims.AddFrom(x, d);
  const auto inner = [&](int64_t i) { return x.dimension(x.rank() - rank + i); };
  const auto length = [&](int64_t i) { return fft.fft_length[static_cast<size_t>(i)]; };
  for (int64_t i = 0; i < rank; ++i) {
    if (length(i) < 0) return BadInput("fft_length is {}; sizes are 0 or more", length(i));
    int64_t wanted = length(i);
    if (fft.fft_type == FftType::kIrfft && i + 1 == rank && inner(i) != 0) wanted = wanted / 2 + 1;
    if (!SizesAgree(inner(i), wanted)) {
      return WrongOperand(op, 0,
                          fmt::format("size {} in dimension {} for fft_length={{{}}}", wanted,
                                      x.rank() - rank + i, fmt::join(fft.fft_length, ",")));
    }
  }
  switch (fft.fft_type) {
    case FftType::kFft:
    case FftType::kIfft:
      if (!IsComplex(type)) return WrongOperand(op, 0, "complex numbers");
      return dims.Make(type);
    case FftType::kRfft:
      if (type != ElementType::kF32 && type != ElementType::kF64)
        return WrongOperand(op, 0, "f32 or f64 for RFFT");
      if (dims.sizes.back() > 0) dims.sizes.back() = dims.sizes.back() / 2 + 1;
      return dims.Make(type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
    case FftType::kIrfft:
      if (!IsComplex(type)) return WrongOperand(op, 0, "complex numbers");
      if (dims.sizes.back() != 0) dims.sizes.back() = fft.fft_length.back();
      return dims.Make(ComponentType(type));
  }
  return InternalError("an unknown fft_type");
}

Result<Shape> InferCholesky(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  const Shape& a = op.operand(0);
  if (!IsLinearAlgebraType(a.element_type())) return WrongOperand(op, 0, "floats or complex numbers");
  if (a.rank() < 2 || !SizesAgree(a.dimension(a.rank() - 1), a.dimension(a.rank() - 2))) {
    return WrongOperand(op, 0, "square matrices in the last two dimensions");
  }
  return Retyped(a, a.element_type());
}

Result<Shape> InferTriangularSolve(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantArrays(op));
  const Shape& a = op.operand(0);
  const Shape& b = op.operand(1);
  if (!IsLinearAlgebraType(a.element_type())) return WrongOperand(op, 0, "floats or complex numbers");
  if (a.rank() < 2 || !SizesAgree(a.dimension(a.rank() - 1), a.dimension(a.rank() - 2))) {
    return WrongOperand(op, 0, "square matrices in the last two dimensions");
  }
  bool fits = b.rank() == a.rank() && SameUpToPrecision(a.element_type(), b.element_type());
  for (int64_t d = 0; fits && d + 2 < a.rank(); ++d) fits = SizesAgree(a.dimension(d), b.dimension(d));
  const int64_t side = op.As<TriangularSolveAttributes>().left_side ? 2 : 1;
  if (!fits || !SizesAgree(b.dimension(b.rank() - side), a.dimension(a.rank() - 1))) {
    return WrongOperand(op, 1,
                        fmt::format("a right-hand side that fits {} from the {}", a.ToString(false),
                                    side == 2 ? "left" : "right"));
  }
  return Retyped(b, HigherPrecision(a.element_type(), b.element_type()));
}

Result<Shape> InferRng(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  const Shape& shape = *op.written;
  if (!shape.IsArray() || IsComplex(shape.element_type())) {
    return BadInput("rng of {}; it wants an array of pred, integers or floats", shape.ToString(false));
  }
  for (size_t i = 0; i < 2; ++i) {
    if (!op.operand(i).IsScalar() || !SameUpToPrecision(op.operand(i).element_type(), shape.element_type())) {
      return WrongOperand(op, i, fmt::format("a scalar {} there", ToString(shape.element_type())));
    }
  }
  if (op.As<RngAttributes>().distribution == RandomDistribution::kNormal && !IsFloat(shape.element_type())) {
    return BadInput("rng of {} with distribution=rng_normal; it wants floats", shape.ToString(false));
  }
  return shape.WithoutLayout();
}

Result<Shape> InferRngBitGenerator(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  const Shape& state = op.operand(0);
  const Shape& shape = *op.written;
  const bool wanted_state = state.IsArray() && state.rank() == 1 &&
                            state.element_type() == ElementType::kU64 &&
                            (state.dimension(0) == 2 || state.dimension(0) == 3);
  if (!wanted_state) return WrongOperand(op, 0, "a state u64[2] or u64[3]");
  if (op.As<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::kThreeFry && state.dimension(0) != 2) {
    return WrongOperand(op, 0, "a state u64[2] for rng_three_fry");
  }
  if (shape.tuple_size() != 2 || !shape.tuple_shape(0).Compatible(state) || !shape.tuple_shape(1).IsArray() ||
      IsPred(shape.tuple_shape(1).element_type()) || IsComplex(shape.tuple_shape(1).element_type())) {
    return BadInput("rng-bit-generator gives {}; it wants ({}, an array of integers or floats)",
                    shape.ToString(false), state.ToString(false));
  }
  return shape.WithoutLayout();
}

Result<Shape> InferRngState(const OpView& op) {
  SF_CHECK(WantOperands(op, 0, 0));
  if (!op.written->IsArray() || !IsUnsigned(op.written->element_type())) {
    return BadInput("rng-get-and-update-state gives {}; it wants an array of unsigned integers",
                    op.written->ToString(false));
  }
  return op.written->WithoutLayout();
}

}  // namespace subfloor::hlo::inference
