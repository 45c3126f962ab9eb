#include "cpu/kernel_work.h"

#include <algorithm>

#include "cpu/value_flow.h"
#include "dispatch/cpu_dispatch.h"

namespace subfloor::cpu {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// Cut off where products of three could overflow: far above anything that is asked for.
constexpr int64_t kMost = int64_t{1} << 20;
int64_t Elements(const Shape& shape) { return shape.IsArray() ? std::min(shape.element_count(), kMost) : 0; }

// Element operations of one instruction of a fusion's body.
int64_t Work(const Instruction& op) {
  int64_t results = 0;
  for (const Shape* leaf : Leaves(op.shape())) results = std::max(results, Elements(*leaf));
  switch (op.opcode()) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kReshape:
      return 0;
    case Opcode::kDot: {
      int64_t contracted = 1;
      for (int64_t d : op.As<hlo::DotAttributes>().lhs_contracting)
        contracted = std::min(contracted * std::min(op.operand(0)->shape().dimension(d), kMost), kMost);
      return 2 * results * contracted;
    }
    case Opcode::kConvolution:
      return 2 * results * Elements(op.operand(1)->shape());
    case Opcode::kReduce:
      return Elements(op.operand(0)->shape());
    case Opcode::kReduceWindow: {
      int64_t window = 1;
      for (const hlo::WindowDimension& dimension : op.As<hlo::WindowAttributes>().window)
        window = std::min(window * std::min(dimension.size, kMost), kMost);
      return results * window;
    }
    case Opcode::kScatter:
      return results + Elements(op.operand(op.operand_count() - 1)->shape());
    case Opcode::kSort: {
      int64_t log = 1;
      while ((int64_t{1} << log) < results) ++log;
      return 4 * results * log;
    }
    default:
      return results;
  }
}

}  // namespace

int64_t ElementOperations(const Instruction& fusion, int64_t enough) {
  const hlo::Computation& body = *fusion.called();
  // An update in place computes its update only.
  const std::vector<std::pair<int64_t, int64_t>> in_place = InPlaceOperands(fusion);
  const std::vector<const Instruction*> roots = dispatch::Roots(body);
  int64_t work = 0;
  for (const Instruction* op : body.instructions()) {
    bool updates = false;
    for (const auto& [operand, leaf] : in_place) updates |= roots[static_cast<size_t>(leaf)] == op;
    if (updates && op->opcode() == Opcode::kDynamicUpdateSlice) {
      work += Elements(op->operand(1)->shape());
    } else if (updates && op->opcode() == Opcode::kScatter) {
      work += Elements(op->operand(op->operand_count() - 1)->shape());
    } else {
      work += Work(*op);
    }
    if (work > enough) break;
  }
  return work;
}

}  // namespace subfloor::cpu
