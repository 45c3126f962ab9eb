#include "passes/expand/map.h"

#include "absl/container/flat_hash_map.h"
#include "passes/expand/replace.h"

namespace subfloor::passes {
namespace {

using hlo::Builder;
using hlo::Instruction;
using hlo::Opcode;

// Operations on scalars that mean the same for each element of an array.
bool Spreads(const Instruction& op) {
  if (op.IsElementwise() || op.IsConstant() || op.IsParameter()) return op.shape().IsScalar();
  switch (op.opcode()) {
    case Opcode::kReshape:
    case Opcode::kBroadcast:
    case Opcode::kBitcastConvert:
      return op.shape().IsScalar() && op.operand(0)->shape().IsScalar();
    default:
      return false;
  }
}

Instruction* Spread(Builder& b, const Instruction& op, const Shape& sizes,
                    std::span<Instruction* const> operands) {
  if (op.IsConstant()) return b.Broadcast(b.Constant(op.literal()), sizes.dimensions(), {});
  if (op.opcode() == Opcode::kReshape || op.opcode() == Opcode::kBroadcast) return operands[0];
  Shape shape = sizes.WithElementType(op.shape().element_type());
  return b.MakeAs(shape, op.opcode(), operands, op.attributes());
}

}  // namespace

Result<bool> ExpandMap(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) { return op.opcode() == Opcode::kMap; };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& op) -> Result<Instruction*> {
    std::vector<Instruction*> body = op.called()->MakePostOrder();
    // A map inside, expanded before, still stands there.
    std::erase_if(body, [](const Instruction* inner) {
      return inner->use_count() == 0 && !inner->IsRoot() && !inner->IsParameter();
    });
    for (const Instruction* inner : body) {
      if (!Spreads(*inner)) return nullptr;
    }
    const Shape sizes = op.shape().WithoutLayout();
    absl::flat_hash_map<const Instruction*, Instruction*> values;
    for (const Instruction* inner : body) {
      if (inner->IsParameter()) {
        values[inner] = op.operand(inner->parameter_number());
        continue;
      }
      std::vector<Instruction*> operands;
      for (const Instruction* operand : inner->operands()) operands.push_back(values[operand]);
      values[inner] = Spread(b, *inner, sizes, operands);
      if (!b.ok()) break;
    }
    return values[op.called()->root()];
  });
}

}  // namespace subfloor::passes
