#include "evaluator/scalar_program.h"

#include <cstring>
#include <unordered_map>

#include "evaluator/kernels.h"
#include "evaluator/plan.h"

namespace subfloor::evaluator {

using hlo::Instruction;
using hlo::Opcode;

/// Walks a computation in order and gives every value its registers (several for a tuple). Calls are expanded
/// in place.
class ScalarCompiler {
 public:
  explicit ScalarCompiler(ScalarProgram& program) : program_(program) {}

  /// False when something in it is not for a ScalarProgram.
  bool Compile(const hlo::Computation& computation, const std::vector<std::vector<size_t>>& arguments,
               int depth, std::vector<size_t>& results) {
    constexpr int kDepthLimit = 32;
    constexpr size_t kStepLimit = 1 << 16;
    if (depth > kDepthLimit) return false;
    const Plan plan = MakePlan(computation);
    std::vector<std::vector<size_t>> values(plan.steps.size());
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const Plan::Step& step = plan.steps[i];
      std::vector<const std::vector<size_t>*> operands;
      for (int32_t slot : step.operands) operands.push_back(&values[static_cast<size_t>(slot)]);
      if (!CompileOne(*step.instruction, operands, arguments, depth, values[i])) return false;
      if (program_.steps_.size() > kStepLimit) return false;
    }
    results = values[static_cast<size_t>(plan.root_slot)];
    return true;
  }

  size_t AddRegister(ElementType type, WideKind kind) {
    program_.registers_.push_back(
        {type, std::vector<std::byte>(static_cast<size_t>(ScalarProgram::kWidth * WideSize(kind)))});
    kinds_.push_back(kind);
    return program_.registers_.size() - 1;
  }

 private:
  using Values = std::vector<const std::vector<size_t>*>;

  bool CompileOne(const Instruction& instruction, const Values& operands,
                  const std::vector<std::vector<size_t>>& arguments, int depth, std::vector<size_t>& value) {
    switch (instruction.opcode()) {
      case Opcode::kParameter:
        value = arguments[static_cast<size_t>(instruction.parameter_number())];
        return true;
      case Opcode::kTuple:
        for (const auto* operand : operands) {
          if (operand->size() != 1) return false;
          value.push_back((*operand)[0]);
        }
        return true;
      case Opcode::kGetTupleElement: {
        const auto index = static_cast<size_t>(instruction.As<hlo::GetTupleElementAttributes>().index);
        if (index >= operands[0]->size() || !instruction.shape().IsArray()) return false;
        value = {(*operands[0])[index]};
        return true;
      }
      case Opcode::kCall:
      case Opcode::kFusion: {
        std::vector<std::vector<size_t>> inner;
        for (const auto* operand : operands) inner.push_back(*operand);
        return Compile(*instruction.called(), inner, depth + 1, value);
      }
      case Opcode::kOptBarrier:
        value = *operands[0];
        return true;
      case Opcode::kReshape:
      case Opcode::kBroadcast:
      case Opcode::kTranspose:
      case Opcode::kBitcast:
      case Opcode::kCopy:
        // Of scalar to scalar they do nothing.
        if (!instruction.shape().IsScalar() || !instruction.operand(0)->shape().IsScalar()) return false;
        if (instruction.shape().element_type() != instruction.operand(0)->shape().element_type())
          return false;
        value = *operands[0];
        return true;
      case Opcode::kConstant:
        return CompileConstant(instruction, value);
      default:
        return CompileElementwise(instruction, operands, value);
    }
  }

  bool CompileConstant(const Instruction& instruction, std::vector<size_t>& value) {
    if (!instruction.shape().IsScalar()) return false;
    const ElementType type = instruction.shape().element_type();
    value = {AddRegister(type, WideKindOf(type))};
    LoadAs(WideKindOf(type), type, instruction.literal().bytes().data(), 0, ScalarProgram::kWidth,
           program_.registers_[value[0]].bytes.data(), /*stride=*/0);
    return true;
  }

  bool CompileElementwise(const Instruction& instruction, const Values& operands,
                          std::vector<size_t>& value) {
    if (!instruction.IsElementwise() && instruction.opcode() != Opcode::kBitcastConvert) return false;
    if (!instruction.shape().IsScalar()) return false;
    const Result<ElementOp> op = ResolveElementOp(instruction);
    if (!op) return false;  // whoever evaluates the computation reports it
    ScalarProgram::Step step{*op, {}, 0};
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i]->size() != 1) return false;
      step.in[i] = Widened((*operands[i])[0], op->in_kinds[i]);
    }
    step.out = AddRegister(op->out_type, op->out_kind);
    program_.steps_.push_back(step);
    value = {step.out};
    return true;
  }

  /// The register itself, or one that holds its values in a wider kind.
  size_t Widened(size_t source, WideKind kind) {
    if (kinds_[source] == kind) return source;
    ElementOp op;
    op.operand_count = 1;
    op.in_types[0] = op.out_type = program_.registers_[source].type;
    op.in_kinds[0] = kinds_[source];
    op.out_kind = kind;
    op.kernel = ConvertKernel(kinds_[source], kind);
    const size_t wide = AddRegister(op.out_type, kind);
    program_.steps_.push_back({op, {source, 0, 0}, wide});
    return wide;
  }

  ScalarProgram& program_;
  std::vector<WideKind> kinds_;
};

std::optional<ScalarProgram> ScalarProgram::Compile(const hlo::Computation& computation) {
  ScalarProgram program;
  ScalarCompiler compiler(program);
  std::vector<std::vector<size_t>> arguments;
  for (const Instruction* parameter : computation.parameters()) {
    if (!parameter->shape().IsScalar()) return std::nullopt;
    const ElementType type = parameter->shape().element_type();
    arguments.push_back({compiler.AddRegister(type, WideKindOf(type))});
    program.parameters_.push_back(arguments.back()[0]);
  }
  if (!compiler.Compile(computation, arguments, /*depth=*/0, program.results_)) return std::nullopt;
  return program;
}

void ScalarProgram::Run(int64_t count) {
  for (const Step& step : steps_) {
    std::array<const void*, 3> in{};
    for (size_t i = 0; i < static_cast<size_t>(step.op.operand_count); ++i)
      in[i] = registers_[step.in[i]].bytes.data();
    void* out = registers_[step.out].bytes.data();
    step.op.kernel(step.op, in.data(), out, count);
    if (!IsPred(step.op.out_type)) RoundAs(step.op.out_kind, step.op.out_type, out, count);
  }
}

void ConvertWide(ElementType type, WideKind from, const void* in, WideKind to, void* out, int64_t count) {
  if (from == to) {
    std::memcpy(out, in, static_cast<size_t>(count * WideSize(from)));
    return;
  }
  ElementOp op;
  op.in_types[0] = op.out_type = type;
  ConvertKernel(from, to)(op, &in, out, count);
}

}  // namespace subfloor::evaluator
