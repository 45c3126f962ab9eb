#include "passes/loops/rebuild_loop.h"

#include <algorithm>

#include "passes/loops/loop_analysis.h"
#include "passes/make.h"
#include "passes/simplify/dead_code.h"

namespace subfloor::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

bool ReadByElement(const Instruction* tuple) {
  return std::ranges::all_of(
      tuple->uses(), [](const hlo::Use& use) { return use.user->opcode() == Opcode::kGetTupleElement; });
}

// Gives `tuple` its new shape and renumbers what reads it; readers of elements that went are removed.
void Renumber(Instruction* tuple, const Shape& shape, std::span<const int64_t> new_index) {
  tuple->mutable_shape() = shape;
  for (Instruction* element : tuple->users()) {
    int64_t& index = element->MutableAs<hlo::GetTupleElementAttributes>().index;
    if (new_index[static_cast<size_t>(index)] >= 0)
      index = new_index[static_cast<size_t>(index)];
    else if (element->use_count() == 0 && !element->IsRoot())
      element->parent()->Remove(element);
  }
}

}  // namespace

bool CanRebuildLoop(const Instruction& loop) {
  if (loop.opcode() != Opcode::kWhile || !loop.shape().IsTuple()) return false;
  for (const Computation* computation : loop.called_computations()) {
    if (computation->parameter(0)->IsRoot() || !ReadByElement(computation->parameter(0))) return false;
  }
  return loop.called(1)->root()->opcode() == Opcode::kTuple;
}

std::vector<Instruction*> RebuildLoop(Instruction& loop, std::span<const int64_t> kept,
                                      std::span<Instruction* const> added) {
  Computation *condition = loop.called(0), *body = loop.called(1);
  std::vector<int64_t> new_index(static_cast<size_t>(loop.shape().tuple_size()), -1);
  for (size_t i = 0; i < kept.size(); ++i) new_index[static_cast<size_t>(kept[i])] = static_cast<int64_t>(i);

  std::vector<Instruction*> inits;
  for (const int64_t k : kept) inits.push_back(MakeGetTupleElement(loop.operand(0), k));
  inits.insert(inits.end(), added.begin(), added.end());
  Instruction* init = MakeTuple(loop.parent(), inits);
  const Shape shape = init->shape();

  // What is made in the body reads the parameter in its new shape, but is numbered after the old ones are.
  Instruction* parameter = body->parameter(0);
  Instruction* old_root = body->root();
  std::vector<Instruction*> results;
  for (const int64_t k : kept) results.push_back(old_root->operand(k));
  std::vector<Instruction*> added_inside;
  Instruction* placeholder = nullptr;
  if (!added.empty()) placeholder = MakeTuple(body, {});
  for (size_t i = 0; i < added.size(); ++i) {
    added_inside.push_back(body->Add(Opcode::kGetTupleElement, added[i]->shape(), {placeholder},
                                     hlo::GetTupleElementAttributes{static_cast<int64_t>(kept.size() + i)}));
    results.push_back(added_inside.back());
  }
  body->set_root(MakeTuple(body, results));
  if (old_root->use_count() == 0) body->Remove(old_root);
  RemoveDeadInstructions(*body);
  Renumber(parameter, shape, new_index);
  for (Instruction* element : added_inside) element->ReplaceOperand(0, parameter);
  if (placeholder) body->Remove(placeholder);

  RemoveDeadInstructions(*condition);
  Renumber(condition->parameter(0), shape, new_index);

  loop.ReplaceOperand(0, init);
  if (kept.size() == new_index.size()) {
    // Every old element is there under its old number; whole uses of the loop need the old shape.
    const std::vector<hlo::Use> uses(loop.uses().begin(), loop.uses().end());
    const bool whole = loop.IsRoot() || !ReadByElement(&loop);
    const Shape old_shape = loop.shape();
    loop.mutable_shape() = shape;
    if (whole) {
      std::vector<Instruction*> elements;
      for (const int64_t k : kept) elements.push_back(MakeGetTupleElement(&loop, k));
      Instruction* tuple = MakeTuple(loop.parent(), elements);
      for (const hlo::Use& use : uses) {
        if (use.user->opcode() != Opcode::kGetTupleElement)
          use.user->ReplaceOperand(use.operand_index, tuple);
      }
      if (loop.IsRoot()) loop.parent()->set_root(tuple);
    }
  } else {
    Renumber(&loop, shape, new_index);
  }
  if (loop.has_annotations()) {
    // Facts about elements by number no longer hold; the trip count does.
    std::string& config = loop.mutable_annotations().backend_config;
    const auto trip_count = config.empty() ? std::nullopt : KnownTripCount(loop);
    config = trip_count ? fmt::format("{{\"known_trip_count\":{{\"n\":\"{}\"}}}}", *trip_count) : "";
  }
  return added_inside;
}

}  // namespace subfloor::passes
