#include "evaluator/combiner.h"

#include <algorithm>
#include <cstring>

namespace subfloor::evaluator {
namespace {

using hlo::Instruction;
using hlo::Opcode;

bool IsCombining(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

/// True when the instruction combines parameters c and N+c, in either order.
bool CombinesComponent(const Instruction& instruction, int64_t component, int64_t components) {
  if (!IsCombining(instruction.opcode())) return false;
  const Instruction *a = instruction.operand(0), *b = instruction.operand(1);
  if (!a->IsParameter() || !b->IsParameter()) return false;
  const auto [low, high] = std::minmax({a->parameter_number(), b->parameter_number()});
  return low == component && high == components + component;
}

/// What the components' results are computed by: the root, or the operands of a root tuple.
std::vector<const Instruction*> ComponentRoots(const hlo::Computation& computation) {
  std::vector<const Instruction*> roots;
  if (computation.root()->opcode() == Opcode::kTuple) {
    for (const Instruction* operand : computation.root()->operands()) roots.push_back(operand);
  } else {
    roots.push_back(computation.root());
  }
  return roots;
}

constexpr int64_t kWidth = ScalarProgram::kWidth;
constexpr int64_t kWidest = sizeof(Complex<Quad>);

}  // namespace

Accumulators::Accumulators(std::span<const ElementType> types, int64_t count)
    : types_(types.begin(), types.end()), count_(count) {
  for (ElementType type : types_)
    values_.emplace_back(static_cast<size_t>(count * WideSize(WideKindOf(type))));
}

std::byte* Accumulators::at(size_t component, int64_t index) {
  return values_[component].data() + index * WideSize(WideKindOf(types_[component]));
}

void Accumulators::Fill(size_t component, int64_t first, int64_t count, const Literal& literal,
                        int64_t from) {
  LoadAs(WideKindOf(types_[component]), literal.element_type(), literal.bytes().data(), from, count,
         at(component, first), /*stride=*/0);
}

void Accumulators::Read(size_t component, int64_t first, int64_t count, const Literal& literal,
                        int64_t from) {
  LoadAs(WideKindOf(types_[component]), literal.element_type(), literal.bytes().data(), from, count,
         at(component, first));
}

void Accumulators::Write(size_t component, int64_t first, int64_t count, Literal& literal, int64_t to) const {
  const WideKind kind = WideKindOf(types_[component]);
  StoreAs(kind, types_[component], literal.mutable_bytes().data(), to, count,
          values_[component].data() + first * WideSize(kind));
}

Result<Combiner> Combiner::Make(Context& context, const hlo::Computation& computation, int64_t components) {
  Combiner combiner;
  combiner.context_ = &context;
  combiner.computation_ = &computation;
  combiner.buffer_.resize(static_cast<size_t>(kWidth * kWidest));
  if (computation.parameter_count() != 2 * components) {
    return BadInput("computation {} has {} parameters to combine {} values, but needs {}", computation.name(),
                    computation.parameter_count(), components, 2 * components);
  }
  const Shape& result = computation.root()->shape();
  const int64_t results = result.IsTuple() ? result.tuple_size() : 1;
  if (results != components) {
    return BadInput("computation {} gives {} values, but combines {}", computation.name(), results,
                    components);
  }
  for (int64_t c = 0; c < components; ++c) {
    const Shape& shape = result.IsTuple() ? result.tuple_shape(c) : result;
    if (!shape.IsScalar()) {
      return BadInput("computation {} gives {}, but must give scalars", computation.name(),
                      result.ToString());
    }
    combiner.types_.push_back(shape.element_type());
  }

  const std::vector<const Instruction*> roots = ComponentRoots(computation);
  if (static_cast<int64_t>(roots.size()) == components) {
    for (int64_t c = 0; c < components; ++c) {
      const Instruction& root = *roots[static_cast<size_t>(c)];
      if (!CombinesComponent(root, c, components)) break;
      combiner.recognised_.push_back(
          SF_TRY(ResolveBinary(root.opcode(), combiner.types_[static_cast<size_t>(c)])));
      combiner.opcodes_.push_back(root.opcode());
    }
    if (static_cast<int64_t>(combiner.recognised_.size()) != components) combiner.recognised_.clear();
  }
  if (!combiner.recognised()) {
    if (auto program = ScalarProgram::Compile(computation)) {
      combiner.program_ = std::make_shared<ScalarProgram>(*std::move(program));
    }
  }
  return combiner;
}

Status Combiner::FoldEach(Accumulators& acc, int64_t first, std::span<const Literal* const> values,
                          int64_t value_first, int64_t count) {
  const size_t components = types_.size();
  if (!recognised() && program_ == nullptr) {
    for (int64_t i = 0; i < count; ++i) SF_CHECK(CallOnce(acc, first + i, values, value_first + i));
    return {};
  }
  for (int64_t done = 0; done < count; done += kWidth) {
    const int64_t run = std::min(kWidth, count - done);
    if (recognised()) {
      for (size_t c = 0; c < components; ++c) {
        const ElementOp& op = recognised_[c];
        LoadAs(op.out_kind, values[c]->element_type(), values[c]->bytes().data(), value_first + done, run,
               buffer_.data());
        std::byte* at = acc.at(c, first + done);
        const void* in[] = {at, buffer_.data()};
        op.kernel(op, in, at, run);
      }
      continue;
    }
    for (size_t c = 0; c < components; ++c) {
      const auto own = static_cast<int64_t>(c), other = static_cast<int64_t>(components + c);
      const ElementType acc_type = program_->parameter_type(own),
                        value_type = program_->parameter_type(other);
      ConvertWide(acc_type, WideKindOf(types_[c]), acc.at(c, first + done), WideKindOf(acc_type),
                  program_->parameter(own), run);
      if (acc_type != types_[c]) RoundAs(WideKindOf(acc_type), acc_type, program_->parameter(own), run);
      LoadAs(WideKindOf(value_type), values[c]->element_type(), values[c]->bytes().data(), value_first + done,
             run, program_->parameter(other));
    }
    program_->Run(run);
    for (size_t c = 0; c < components; ++c) {
      std::memcpy(acc.at(c, first + done), program_->result(static_cast<int64_t>(c)),
                  static_cast<size_t>(run * WideSize(WideKindOf(types_[c]))));
    }
  }
  return {};
}

Status Combiner::FoldRun(Accumulators& acc, int64_t index, std::span<const Literal* const> values,
                         int64_t value_first, int64_t count, int64_t stride) {
  if (!recognised()) {
    for (int64_t i = 0; i < count; ++i) SF_CHECK(FoldEach(acc, index, values, value_first + i * stride, 1));
    return {};
  }
  for (size_t c = 0; c < types_.size(); ++c) {
    const ElementOp& op = recognised_[c];
    const int64_t size = WideSize(op.out_kind);
    for (int64_t done = 0; done < count; done += kWidth) {
      int64_t run = std::min(kWidth, count - done);
      LoadAs(op.out_kind, values[c]->element_type(), values[c]->bytes().data(), value_first + done * stride,
             run, buffer_.data(), stride);
      // The order is free: halves are folded onto each other, which is fast and errs least.
      while (run > 1) {
        const int64_t half = run / 2;
        const void* in[] = {buffer_.data(), buffer_.data() + (run - half) * size};
        op.kernel(op, in, buffer_.data(), half);
        run -= half;
      }
      std::byte* at = acc.at(c, index);
      const void* in[] = {at, buffer_.data()};
      op.kernel(op, in, at, 1);
    }
  }
  return {};
}

Status Combiner::CallOnce(Accumulators& acc, int64_t index, std::span<const Literal* const> values,
                          int64_t value_index) {
  const size_t components = types_.size();
  std::vector<Literal> arguments;
  for (size_t p = 0; p < 2 * components; ++p) {
    const ElementType type = computation_->parameter(static_cast<int64_t>(p))->shape().element_type();
    Literal argument = SF_TRY(Literal::Zeros(Shape::Scalar(type)));
    std::byte* bytes = argument.mutable_bytes().data();
    if (p < components) {
      ConvertWide(type, WideKindOf(types_[p]), acc.at(p, index), WideKindOf(type), buffer_.data(), 1);
    } else {
      const Literal& value = *values[p - components];
      LoadAs(WideKindOf(type), value.element_type(), value.bytes().data(), value_index, 1, buffer_.data());
    }
    StoreAs(WideKindOf(type), type, bytes, 0, 1, buffer_.data());
    arguments.push_back(std::move(argument));
  }
  const Literal result = SF_TRY(context_->Call(*computation_, std::move(arguments)));
  for (size_t c = 0; c < components; ++c) {
    acc.Read(c, index, 1, result.shape().IsTuple() ? result.elements()[c] : result, 0);
  }
  return {};
}

}  // namespace subfloor::evaluator
