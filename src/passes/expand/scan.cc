#include "passes/expand/scan.h"

#include "passes/expand/matrix.h"
#include "passes/expand/replace.h"

namespace subfloor::passes {

using hlo::Builder;
using hlo::Instruction;
using hlo::Opcode;

Result<bool> ExpandScan(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) { return op.opcode() == Opcode::kScan; };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& op) -> Result<Instruction*> {
    const auto attributes = op.As<hlo::ScanAttributes>();
    const auto carries = static_cast<size_t>(attributes.num_carries);
    const auto inputs = static_cast<size_t>(op.operand_count()) - carries;
    const int64_t along = attributes.dimensions[0];
    const int64_t length = op.operand(0)->shape().dimension(along);
    const bool tuple = op.shape().IsTuple();
    const size_t outputs = (tuple ? static_cast<size_t>(op.shape().tuple_size()) : 1) - carries;

    // Inputs, carries, outputs.
    std::vector<Instruction*> initial = op.operands();
    for (size_t k = 0; k < outputs; ++k) {
      initial.push_back(b.Full(tuple ? op.shape().tuple_shape(static_cast<int64_t>(k)) : op.shape(), 0));
    }
    const auto step = [&](Builder& body, Instruction* i,
                          std::span<Instruction* const> state) -> Result<std::vector<Instruction*>> {
      Instruction* at =
          attributes.is_reverse ? body.Subtract(body.ScalarInt(ElementType::kS32, length - 1), i) : i;
      std::vector<Instruction*> arguments;
      for (size_t k = 0; k < inputs; ++k) {
        Instruction* slice = TakeLine(body, state[k], along, at);
        arguments.push_back(
            body.Reshape(slice, op.called()->parameter(static_cast<int64_t>(k))->shape().dimensions()));
      }
      arguments.insert(arguments.end(), state.begin() + static_cast<int64_t>(inputs),
                       state.begin() + static_cast<int64_t>(inputs + carries));
      Instruction* result = body.Call(arguments, op.called());
      SF_CHECK(body.status());
      const auto value = [&](size_t k) {
        return result->shape().IsTuple() ? body.GetTupleElement(result, static_cast<int64_t>(k)) : result;
      };
      std::vector<Instruction*> next(state.begin(), state.end());
      for (size_t k = 0; k < carries; ++k) next[inputs + k] = value(outputs + k);
      for (size_t k = 0; k < outputs; ++k) {
        Instruction*& stacked = next[inputs + carries + k];
        std::vector<int64_t> line(stacked->shape().dimensions().begin(), stacked->shape().dimensions().end());
        line[static_cast<size_t>(along)] = 1;
        stacked = PutLine(body, stacked, body.Reshape(value(k), line), along, at);
      }
      return next;
    };
    // Without a step there is no line that the body could take.
    const std::vector<Instruction*> state =
        length == 0 ? initial : SF_TRY(MakeCountedLoop(b, length, initial, "scan", step));
    std::vector<Instruction*> results(state.begin() + static_cast<int64_t>(inputs + carries), state.end());
    results.insert(results.end(), state.begin() + static_cast<int64_t>(inputs),
                   state.begin() + static_cast<int64_t>(inputs + carries));
    return tuple ? b.Tuple(results) : results[0];
  });
}

}  // namespace subfloor::passes
