// Elementwise ops on whole arrays: runs of elements are widened, computed and rounded.

#include <algorithm>
#include <array>

#include "evaluator/element_op.h"
#include "evaluator/op_functions.h"

namespace subfloor::evaluator {
namespace {

constexpr int64_t kRun = 512;
constexpr int64_t kWidest = sizeof(Complex<Quad>);

/// Room for a run of any wide type.
struct Run {
  alignas(32) std::array<std::byte, static_cast<size_t>(kRun* kWidest)> bytes;
};

}  // namespace

Result<Literal> EvaluateElementwise(Context& context, const hlo::Instruction& instruction,
                                    Operands operands) {
  const ElementOp op = SF_TRY(ResolveElementOp(instruction));
  Literal result = SF_TRY(Literal::Zeros(instruction.shape()));
  const int64_t count = instruction.shape().element_count();
  if (count == 0) return result;

  std::array<Run, 3> in;
  Run out;
  std::array<const void*, 3> in_pointers{};
  std::array<bool, 3> repeats{};  // scalar operands of clamp and select are the same for every element
  for (size_t i = 0; i < operands.size(); ++i) {
    const int64_t elements = operands[i]->shape().element_count();
    repeats[i] = operands[i]->shape().rank() == 0;
    if (!repeats[i] && elements != count) {
      return BadInput("operand {} is {}, but the result is {}", i, operands[i]->shape().ToString(),
                      instruction.shape().ToString());
    }
    if (repeats[i]) {
      LoadAs(op.in_kinds[i], op.in_types[i], operands[i]->bytes().data(), 0, std::min(kRun, count),
             in[i].bytes.data(),
             /*stride=*/0);
    }
    in_pointers[i] = in[i].bytes.data();
  }
  std::byte* elements = result.mutable_bytes().data();
  for (int64_t first = 0; first < count; first += kRun) {
    const int64_t run = std::min(kRun, count - first);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (repeats[i]) continue;
      LoadAs(op.in_kinds[i], op.in_types[i], operands[i]->bytes().data(), first, run, in[i].bytes.data());
    }
    op.kernel(op, in_pointers.data(), out.bytes.data(), run);
    StoreAs(op.out_kind, op.out_type, elements, first, run, out.bytes.data());
  }
  return result;
}

}  // namespace subfloor::evaluator
