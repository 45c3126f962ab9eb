#include "passes/expand/batch_norm.h"

#include "passes/expand/replace.h"

namespace subfloor::passes {
namespace {

using hlo::Builder;
using hlo::Instruction;
using hlo::Opcode;

class BatchNorm {
 public:
  BatchNorm(Builder& b, Instruction& op)
      : b_(b),
        op_(op),
        attributes_(op.As<hlo::BatchNormAttributes>()),
        shape_(op.operand(0)->shape()),
        wide_(BitWidth(shape_.element_type()) < 32 ? ElementType::kF32 : shape_.element_type()) {
    double count = 1;
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      if (d == attributes_.feature_index) continue;
      others_.push_back(d);
      count *= static_cast<double>(shape_.dimension(d));
    }
    count_ = count;
  }

  Instruction* Training() {
    Instruction* x = Wide(0);
    Instruction* mean = Mean(x);
    Instruction* centred = b_.Subtract(x, Spread(mean));
    Instruction* variance = Mean(b_.Multiply(centred, centred));
    Instruction* y = Affine(centred, variance, Wide(1), Wide(2));
    return Tuple({y, mean, variance});
  }

  Instruction* Inference() {
    Instruction* y = Affine(b_.Subtract(Wide(0), Spread(Wide(3))), Wide(4), Wide(1), Wide(2));
    return b_.Convert(y, op_.shape().element_type());
  }

  // With r = 1 / sqrt(variance + epsilon) and c = x - mean: d scale = r sum(dy c), d offset = sum(dy) and
  // d x = scale r (dy - sum(dy) / n - c r^2 sum(dy c) / n).
  Instruction* Gradient() {
    Instruction* dy = Wide(4);
    Instruction* centred = b_.Subtract(Wide(0), Spread(Wide(2)));
    Instruction* inverse = InverseDeviation(Wide(3));
    Instruction* sum = Sum(dy);
    Instruction* weighted = Sum(b_.Multiply(dy, centred));
    Instruction* n = b_.Full(sum->shape(), count_);
    Instruction* slope = b_.Divide(b_.Multiply(b_.Multiply(inverse, inverse), weighted), n);
    Instruction* inner =
        b_.Subtract(b_.Subtract(dy, Spread(b_.Divide(sum, n))), b_.Multiply(centred, Spread(slope)));
    Instruction* dx = b_.Multiply(Spread(b_.Multiply(Wide(1), inverse)), inner);
    return Tuple({dx, b_.Multiply(inverse, weighted), sum});
  }

 private:
  Instruction* Wide(int64_t i) { return b_.Convert(op_.operand(i), wide_); }
  // A value for each feature, over the whole array.
  Instruction* Spread(Instruction* feature) {
    const int64_t mapping[] = {attributes_.feature_index};
    return b_.Broadcast(feature, shape_.dimensions(), mapping);
  }
  Instruction* Sum(Instruction* x) {
    if (add_ == nullptr) add_ = hlo::MakeScalarComputation(*b_.module(), Opcode::kAdd, wide_);
    return b_.Reduce(x, b_.Scalar(wide_, 0), others_, add_);
  }
  Instruction* Mean(Instruction* x) {
    Instruction* sum = Sum(x);
    return b_.Divide(sum, b_.Full(sum->shape(), count_));
  }
  Instruction* InverseDeviation(Instruction* variance) {
    Instruction* shifted = b_.Add(variance, b_.Full(variance->shape(), attributes_.epsilon));
    return b_.Divide(b_.Full(variance->shape(), 1), b_.Sqrt(shifted));
  }
  Instruction* Affine(Instruction* centred, Instruction* variance, Instruction* scale, Instruction* offset) {
    Instruction* factor = b_.Multiply(InverseDeviation(variance), scale);
    return b_.Add(b_.Multiply(centred, Spread(factor)), Spread(offset));
  }
  Instruction* Tuple(std::initializer_list<Instruction*> values) {
    std::vector<Instruction*> narrow;
    for (Instruction* value : values) {
      const auto i = static_cast<int64_t>(narrow.size());
      narrow.push_back(b_.Convert(value, op_.shape().tuple_shape(i).element_type()));
    }
    return b_.Tuple(narrow);
  }

  Builder& b_;
  Instruction& op_;
  const hlo::BatchNormAttributes attributes_;
  const Shape shape_;
  const ElementType wide_;
  std::vector<int64_t> others_;
  double count_ = 0;
  hlo::Computation* add_ = nullptr;
};

}  // namespace

Result<bool> ExpandBatchNorm(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) {
    return op.opcode() == Opcode::kBatchNormTraining || op.opcode() == Opcode::kBatchNormInference ||
           op.opcode() == Opcode::kBatchNormGrad;
  };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& op) -> Result<Instruction*> {
    BatchNorm norm(b, op);
    switch (op.opcode()) {
      case Opcode::kBatchNormTraining:
        return norm.Training();
      case Opcode::kBatchNormInference:
        return norm.Inference();
      default:
        return norm.Gradient();
    }
  });
}

}  // namespace subfloor::passes
