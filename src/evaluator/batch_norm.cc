// batch-norm-training, -inference and -grad: statistics of each feature over all other dimensions, in the
// wide type.

#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"
#include "evaluator/wide_math.h"

namespace subfloor::evaluator {
namespace {

// The elements of each feature.
class Features {
 public:
  Features(const Shape& shape, int64_t dim)
      : count_(shape.dimension(dim)), stride_(RowMajorStrides(shape.dimensions())[static_cast<size_t>(dim)]) {
    const std::array<int64_t, 1> listed = {dim};
    offsets_ = OffsetsOver(shape, OtherDimensions(shape.rank(), listed));
  }
  int64_t count() const { return count_; }
  size_t size() const { return offsets_.size(); }  // elements of one feature
  size_t At(int64_t feature, size_t i) const { return static_cast<size_t>(offsets_[i] + feature * stride_); }

 private:
  int64_t count_, stride_;
  std::vector<int64_t> offsets_;
};

template <typename R>
struct Statistics {
  R mean = 0, variance = 0;  // the biased one
};

template <typename R>
Statistics<R> StatisticsOf(const Features& features, int64_t feature, const std::vector<R>& x) {
  Statistics<R> result;
  const auto n = static_cast<R>(features.size());
  for (size_t i = 0; i < features.size(); ++i) result.mean += x[features.At(feature, i)];
  result.mean /= n;
  for (size_t i = 0; i < features.size(); ++i) {
    const R distance = x[features.At(feature, i)] - result.mean;
    result.variance += distance * distance;
  }
  result.variance /= n;
  return result;
}

// y = (x - mean) / sqrt(variance + epsilon) * scale + offset for one feature.
template <typename R>
void Normalize(const Features& features, int64_t feature, const std::vector<R>& x, Statistics<R> s, R epsilon,
               R scale, R offset, std::vector<R>& y) {
  const R factor = Rsqrt(s.variance + epsilon) * scale;
  for (size_t i = 0; i < features.size(); ++i) {
    const size_t at = features.At(feature, i);
    y[at] = (x[at] - s.mean) * factor + offset;
  }
}

template <typename R>
Result<Literal> Stored(const std::vector<R>& values, const Shape& shape) {
  Literal literal = SF_TRY(Literal::Zeros(shape));
  StoreAll(values, literal);
  return literal;
}

template <typename R>
Result<Literal> Training(const hlo::Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.As<hlo::BatchNormAttributes>();
  const Features features(operands[0]->shape(), attributes.feature_index);
  const auto x = LoadAll<R>(*operands[0]), scale = LoadAll<R>(*operands[1]),
             offset = LoadAll<R>(*operands[2]);
  std::vector<R> y(x.size()), mean, variance;
  for (int64_t f = 0; f < features.count(); ++f) {
    const Statistics<R> s = StatisticsOf(features, f, x);
    Normalize<R>(features, f, x, s, attributes.epsilon, scale[static_cast<size_t>(f)],
                 offset[static_cast<size_t>(f)], y);
    mean.push_back(s.mean);
    variance.push_back(s.variance);
  }
  const Shape& shape = instruction.shape();
  return Literal::Tuple({SF_TRY(Stored(y, shape.tuple_shape(0))), SF_TRY(Stored(mean, shape.tuple_shape(1))),
                         SF_TRY(Stored(variance, shape.tuple_shape(2)))});
}

template <typename R>
Result<Literal> Inference(const hlo::Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.As<hlo::BatchNormAttributes>();
  const Features features(operands[0]->shape(), attributes.feature_index);
  const auto x = LoadAll<R>(*operands[0]), scale = LoadAll<R>(*operands[1]),
             offset = LoadAll<R>(*operands[2]), mean = LoadAll<R>(*operands[3]),
             variance = LoadAll<R>(*operands[4]);
  std::vector<R> y(x.size());
  for (int64_t f = 0; f < features.count(); ++f) {
    const auto at = static_cast<size_t>(f);
    Normalize<R>(features, f, x, {mean[at], variance[at]}, attributes.epsilon, scale[at], offset[at], y);
  }
  return Stored(y, instruction.shape());
}

// With r = rsqrt(variance + epsilon) and sums over the n elements of a feature:
//   d scale = r sum(dy (x - mean)),  d offset = sum(dy),
//   d x = scale r (dy - sum(dy) / n - (x - mean) r^2 sum(dy (x - mean)) / n).
template <typename R>
Result<Literal> Gradient(const hlo::Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.As<hlo::BatchNormAttributes>();
  const Features features(operands[0]->shape(), attributes.feature_index);
  const auto x = LoadAll<R>(*operands[0]), scale = LoadAll<R>(*operands[1]), mean = LoadAll<R>(*operands[2]),
             variance = LoadAll<R>(*operands[3]), dy = LoadAll<R>(*operands[4]);
  std::vector<R> dx(x.size()), dscale, doffset;
  const auto n = static_cast<R>(features.size());
  for (int64_t f = 0; f < features.count(); ++f) {
    const auto feature = static_cast<size_t>(f);
    R sum = 0, weighted = 0;
    for (size_t i = 0; i < features.size(); ++i) {
      const size_t at = features.At(f, i);
      sum += dy[at];
      weighted += dy[at] * (x[at] - mean[feature]);
    }
    const R inverse = 1 / (variance[feature] + static_cast<R>(attributes.epsilon));
    const R r = Sqrt(inverse);
    for (size_t i = 0; i < features.size(); ++i) {
      const size_t at = features.At(f, i);
      dx[at] = scale[feature] * r * (dy[at] - sum / n - (x[at] - mean[feature]) * inverse * weighted / n);
    }
    dscale.push_back(r * weighted);
    doffset.push_back(sum);
  }
  const Shape& shape = instruction.shape();
  return Literal::Tuple({SF_TRY(Stored(dx, shape.tuple_shape(0))),
                         SF_TRY(Stored(dscale, shape.tuple_shape(1))),
                         SF_TRY(Stored(doffset, shape.tuple_shape(2)))});
}

template <typename R>
Result<Literal> Any(const hlo::Instruction& instruction, Operands operands) {
  switch (instruction.opcode()) {
    case hlo::Opcode::kBatchNormTraining:
      return Training<R>(instruction, operands);
    case hlo::Opcode::kBatchNormInference:
      return Inference<R>(instruction, operands);
    default:
      return Gradient<R>(instruction, operands);
  }
}

}  // namespace

Result<Literal> EvaluateBatchNorm(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const ElementType type = operands[0]->element_type();
  if (!IsFloat(type))
    return BadInput("{} of {}; a real floating-point type is wanted", hlo::ToString(instruction.opcode()),
                    ToString(type));
  return type == ElementType::kF64 ? Any<Quad>(instruction, operands) : Any<double>(instruction, operands);
}

}  // namespace subfloor::evaluator
