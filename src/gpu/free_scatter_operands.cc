#include "gpu/free_scatter_operands.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "dispatch/cpu_dispatch.h"
#include "hlo/running_computations.h"
#include "passes/fuse/outline.h"

namespace subfloor::gpu {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// The value of an instruction of the fusion's body, computed in front of the fusion: as a fusion of its own,
// or a copy of an operand.
Instruction* InFront(Instruction& fusion, const Instruction* value) {
  Computation& outside = *fusion.parent();
  if (value->IsParameter()) {
    Instruction* operand = fusion.operand(value->parameter_number());
    return outside.Add(Opcode::kCopy, operand->shape(), {operand});
  }
  absl::flat_hash_set<const Instruction*> needed = {value};
  std::vector<Instruction*> order = fusion.called()->MakePostOrder();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (!needed.contains(*it)) continue;
    for (const Instruction* operand : (*it)->operands()) needed.insert(operand);
  }
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  std::vector<Instruction*> members;
  for (const Instruction* original : order) {
    if (!needed.contains(original)) continue;
    if (original->IsParameter()) {
      copies[original] = fusion.operand(original->parameter_number());
      continue;
    }
    std::vector<Instruction*> operands;
    for (const Instruction* operand : original->operands()) operands.push_back(copies.at(operand));
    members.push_back(copies[original] = outside.AddClone(*original, original->shape(), operands));
  }
  Instruction* root = copies.at(value);
  return passes::OutlineFusion(members, {&root, 1});
}

// The scatter of a fusion whose operands are not all its own to update; null if there is nothing to do.
Instruction* ScatterToFree(const Instruction& fusion) {
  Instruction* root = fusion.called()->root();
  if (root->opcode() == Opcode::kTuple && root->operand_count() > 0 &&
      root->operand(0)->opcode() == Opcode::kGetTupleElement) {
    root = root->operand(0)->operand(0);
  }
  if (root->opcode() != Opcode::kScatter) return nullptr;
  const bool all_in_place = !dispatch::InPlaceUpdates(*fusion.called()).empty();
  return all_in_place ? nullptr : root;
}

}  // namespace

Result<bool> FreeScatterOperands(hlo::Module& module, passes::PassContext&) {
  bool changed = false;
  for (Computation* computation : hlo::RunningComputations(module)) {
    for (Instruction* fusion : computation->MakePostOrder()) {
      if (fusion->opcode() != Opcode::kFusion) continue;
      Instruction* scatter = ScatterToFree(*fusion);
      if (scatter == nullptr) continue;
      Computation* body = fusion->called();
      std::vector<Instruction*> operands = fusion->operands();
      for (int64_t i = 0; i < scatter->operand_count() / 2; ++i) {
        Instruction* given = InFront(*fusion, scatter->operand(i));
        Instruction* parameter =
            body->AddParameter(static_cast<int64_t>(operands.size()), scatter->operand(i)->shape());
        scatter->ReplaceOperand(i, parameter);
        operands.push_back(given);
      }
      Instruction* freed = computation->Add(Opcode::kFusion, fusion->shape(), operands,
                                            fusion->As<hlo::FusionAttributes>(), {{body}}, fusion->name());
      computation->Replace(fusion, freed);
      // What only the operand needed goes; parameters stay, with their arrays.
      std::vector<Instruction*> left(body->instructions().begin(), body->instructions().end());
      for (auto it = left.rbegin(); it != left.rend(); ++it) {
        if ((*it)->use_count() == 0 && !(*it)->IsRoot() && !(*it)->IsParameter()) body->Remove(*it);
      }
      changed = true;
    }
  }
  return changed;
}

}  // namespace subfloor::gpu
