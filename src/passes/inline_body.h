#pragma once

#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "hlo/computation.h"

namespace subfloor::passes {

/// What CopyBody made.
struct BodyCopy {
  std::vector<hlo::Instruction*> instructions;  ///< the copies, operands before users; no parameters
  absl::flat_hash_map<const hlo::Instruction*, hlo::Instruction*>
      of;  ///< by original; a parameter's is its argument

  hlo::Instruction* operator[](const hlo::Instruction* original) const { return of.at(original); }
};

/// Copies what the root of `body` needs into another computation, reading arguments[i] for parameter i, with
/// the control edges between what is copied. Precondition: an argument for each parameter.
BodyCopy CopyBody(const hlo::Computation& body, std::span<hlo::Instruction* const> arguments,
                  hlo::Computation& into);

/// Copies the body that `caller` (a call, fusion, asynchronous start ...) calls into the caller's
/// computation, reading the caller's operands, and returns the copy of its root. The caller itself stays;
/// control edges to and from it are copied onto what was inlined. Precondition: one called computation with
/// one parameter per operand.
hlo::Instruction* InlineBody(hlo::Instruction& caller);

}  // namespace subfloor::passes
