#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hlo/computation.h"

namespace subfloor::dispatch {

/// A fusion as the decisions see it: the ops inside, without the things that only hold them together. Tuples
/// at the root and get-tuple-elements are invisible, parameters and, for a single op, its operands are
/// outside.
///
/// Points into the computation, which must outlive it unchanged. Threads: any may read it.
class FusionView {
 public:
  /// The body of a fusion.
  static FusionView OfBody(const hlo::Computation& body);
  /// One op, as the fusion that would hold it alone: its operands are the parameters.
  static FusionView OfInstruction(const hlo::Instruction& instruction);

  /// What becomes outputs, in order, tuples flattened, duplicates kept; an op of several results once for
  /// each get-tuple-element that is an output, or once if it is the root itself.
  std::span<const hlo::Instruction* const> roots() const { return roots_; }
  /// What comes from outside: parameters of the body, operands of the single op (each once).
  std::span<const hlo::Instruction* const> parameters() const { return parameters_; }

  bool Contains(const hlo::Instruction* instruction) const;
  /// What the value is made by: get-tuple-elements of ops and of tuples inside are seen through.
  const hlo::Instruction* Resolve(const hlo::Instruction* value) const;
  /// Operands, resolved; some may be outside.
  std::vector<const hlo::Instruction*> Operands(const hlo::Instruction* instruction) const;
  /// Ops inside that read the value, tuples and get-tuple-elements seen through; each once.
  std::vector<const hlo::Instruction*> Users(const hlo::Instruction* value) const;

  enum class Step : uint8_t { kAdvance, kSkip, kStop };
  /// Breadth first from the roots given towards operands; each op inside is visited once. kSkip does not go
  /// on to the op's operands.
  void VisitFromConsumers(std::span<const hlo::Instruction* const> from,
                          const std::function<Step(const hlo::Instruction*)>& visit) const;
  /// True if `test` holds for any op inside that the roots reach.
  bool AnyOf(const std::function<bool(const hlo::Instruction*)>& test) const;

 private:
  const hlo::Computation* body_ = nullptr;         // null for a single op
  const hlo::Instruction* instruction_ = nullptr;  // null for a body
  std::vector<const hlo::Instruction*> roots_, parameters_;
};

}  // namespace subfloor::dispatch
