#include "passes/fuse/outline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "hlo/module.h"
#include "passes/make.h"

namespace subfloor::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

class Outliner {
 public:
  Outliner(std::span<Instruction* const> members, std::span<Instruction* const> outputs)
      : members_(members),
        outputs_(outputs),
        parent_(members.front()->parent()),
        inside_(members.begin(), members.end()) {}

  Instruction* Run() {
    const std::string name = fmt::format("{}_fusion", outputs_[0]->name());
    body_ = parent_->parent()->AddComputation(name + ".body");
    bool reduces = false;
    for (const Instruction* member : members_) {
      std::vector<Instruction*> operands;
      operands.reserve(static_cast<size_t>(member->operand_count()));
      for (int64_t i = 0; i < member->operand_count(); ++i) operands.push_back(InBody(member->operand(i)));
      values_[member] = body_->AddClone(*member, member->shape(), operands);
      reduces |= member->opcode() == Opcode::kReduce;
    }
    std::vector<Instruction*> roots;
    for (const Instruction* output : outputs_) roots.push_back(values_[output]);
    body_->set_root(roots.size() == 1 ? roots[0] : MakeTuple(body_, roots));

    Instruction* fusion =
        parent_->Add(Opcode::kFusion, body_->root()->shape(), operands_,
                     hlo::FusionAttributes{reduces ? hlo::FusionKind::kInput : hlo::FusionKind::kLoop, {}},
                     {{body_}}, name);
    if (outputs_[0]->has_annotations()) {
      fusion->mutable_annotations().metadata = outputs_[0]->annotations().metadata;
      fusion->mutable_annotations().frontend_attributes = outputs_[0]->annotations().frontend_attributes;
    }
    fusion->set_position(outputs_[0]->line(), outputs_[0]->column());
    MoveControlEdges(fusion);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      ReplaceOutside(outputs_[i],
                     outputs_.size() == 1 ? fusion : MakeGetTupleElement(fusion, static_cast<int64_t>(i)));
    }
    // Users before operands; what others still read stays.
    for (auto it = members_.rbegin(); it != members_.rend(); ++it) {
      if ((*it)->use_count() == 0 && !(*it)->IsRoot()) parent_->Remove(*it);
    }
    return fusion;
  }

 private:
  Instruction* InBody(Instruction* operand) {
    auto [it, fresh] = values_.try_emplace(operand, nullptr);
    if (!fresh) return it->second;
    Instruction* value = nullptr;
    if (operand->IsConstant() && operand->shape().IsScalar()) {
      value = body_->AddClone(*operand, operand->shape(), {});
    } else {
      value = body_->AddParameter(static_cast<int64_t>(operands_.size()), operand->shape());
      operands_.push_back(operand);
    }
    values_[operand] = value;
    return value;
  }

  // What waited for a member waits for the fusion, and the other way round; a member that waits for another
  // waits no more: the fusion may not wait for itself.
  void MoveControlEdges(Instruction* fusion) {
    for (Instruction* member : members_) {
      const std::vector<Instruction*> before(member->control_predecessors().begin(),
                                             member->control_predecessors().end());
      const std::vector<Instruction*> after(member->control_successors().begin(),
                                            member->control_successors().end());
      if (before.empty() && after.empty()) continue;
      member->RemoveControlEdges();
      for (Instruction* other : before) {
        if (!inside_.contains(other)) other->AddControlSuccessor(fusion);
      }
      for (Instruction* other : after) {
        if (!inside_.contains(other)) fusion->AddControlSuccessor(other);
      }
    }
  }

  void ReplaceOutside(Instruction* output, Instruction* value) {
    const std::vector<hlo::Use> uses(output->uses().begin(), output->uses().end());
    for (const hlo::Use& use : uses) {
      if (!inside_.contains(use.user)) use.user->ReplaceOperand(use.operand_index, value);
    }
    if (output->IsRoot()) parent_->set_root(value);
  }

  std::span<Instruction* const> members_, outputs_;
  Computation* parent_;
  Computation* body_ = nullptr;
  absl::flat_hash_set<const Instruction*> inside_;
  absl::flat_hash_map<const Instruction*, Instruction*> values_;
  std::vector<Instruction*> operands_;
};

}  // namespace

Instruction* OutlineFusion(std::span<Instruction* const> members, std::span<Instruction* const> outputs) {
  return Outliner(members, outputs).Run();
}

}  // namespace subfloor::passes
