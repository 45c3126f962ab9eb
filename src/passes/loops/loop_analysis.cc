#include "passes/loops/loop_analysis.h"

#include <charconv>
#include <string>

#include "passes/make.h"

namespace subfloor::passes {
namespace {

using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;

// The element of the computation's parameter that this is, or nullopt.
std::optional<int64_t> ParameterElement(const Instruction* x) {
  if (x->opcode() != Opcode::kGetTupleElement || !x->operand(0)->IsParameter()) return std::nullopt;
  return x->As<hlo::GetTupleElementAttributes>().index;
}

const Instruction* BodyResult(const Instruction& loop, int64_t k) {
  const Instruction* root = loop.called(1)->root();
  return root->opcode() == Opcode::kTuple ? root->operand(k) : nullptr;
}

std::optional<int64_t> InitialConstant(const Instruction& loop, int64_t k) {
  const Instruction* init = loop.operand(0);
  return init->opcode() == Opcode::kTuple ? IntegerSplatOf(init->operand(k)) : std::nullopt;
}

// A constant, or an element that keeps its constant start.
std::optional<int64_t> ConstantInLoop(const Instruction& loop, const Instruction* x) {
  if (const auto value = IntegerSplatOf(x)) return value;
  const auto element = ParameterElement(x);
  return element && IsLoopInvariant(loop, *element) ? InitialConstant(loop, *element) : std::nullopt;
}

// What the body adds to element k.
std::optional<int64_t> StepOf(const Instruction& loop, int64_t k) {
  const Instruction* next = BodyResult(loop, k);
  if (next == nullptr || (next->opcode() != Opcode::kAdd && next->opcode() != Opcode::kSubtract))
    return std::nullopt;
  const auto is_old = [&](const Instruction* x) { return ParameterElement(x) == k; };
  if (is_old(next->operand(0))) {
    const auto step = ConstantInLoop(loop, next->operand(1));
    return step && next->opcode() == Opcode::kSubtract ? std::optional<int64_t>(-*step) : step;
  }
  if (next->opcode() == Opcode::kAdd && is_old(next->operand(1)))
    return ConstantInLoop(loop, next->operand(0));
  return std::nullopt;
}

ComparisonDirection Mirrored(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kLt:
      return ComparisonDirection::kGt;
    case ComparisonDirection::kGt:
      return ComparisonDirection::kLt;
    case ComparisonDirection::kLe:
      return ComparisonDirection::kGe;
    case ComparisonDirection::kGe:
      return ComparisonDirection::kLe;
    default:
      return direction;
  }
}

// Times that `value direction bound` holds for value = init, init + step, ...; nullopt if that is endless or
// would leave the range of the type, [least, largest].
std::optional<int64_t> Count(__int128 init, __int128 step, ComparisonDirection direction, __int128 bound,
                             __int128 least, __int128 largest) {
  __int128 count = 0;
  switch (direction) {
    case ComparisonDirection::kLe:
      return Count(init, step, ComparisonDirection::kLt, bound + 1, least, largest);
    case ComparisonDirection::kGe:
      return Count(init, step, ComparisonDirection::kGt, bound - 1, least, largest);
    case ComparisonDirection::kGt:
      return Count(-init, -step, ComparisonDirection::kLt, -bound, -largest, -least);
    case ComparisonDirection::kNe:
      if (init == bound) break;
      if (step == 0 || (bound - init) % step != 0 || (bound - init) / step < 0) return std::nullopt;
      count = (bound - init) / step;
      break;
    case ComparisonDirection::kLt:
      if (init >= bound) break;
      if (step <= 0) return std::nullopt;
      count = (bound - init + step - 1) / step;
      break;
    case ComparisonDirection::kEq:
      if (init != bound) break;
      if (step == 0) return std::nullopt;
      count = 1;
      break;
  }
  const __int128 end = init + count * step;
  if (end < least || end > largest || count > (__int128{1} << 62)) return std::nullopt;
  return static_cast<int64_t>(count);
}

// {"known_trip_count":{"n":"5"},...}, in quotes that are escaped or not.
std::optional<int64_t> TripCountOfConfig(const std::string& config) {
  const size_t key = config.find("known_trip_count");
  if (key == std::string::npos) return std::nullopt;
  const size_t name = config.find("n", config.find('{', key));
  const size_t digits = name == std::string::npos ? name : config.find_first_of("0123456789}", name);
  if (digits == std::string::npos || config[digits] == '}') return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(config.data() + digits, config.data() + config.size(), value);
  return error == std::errc() ? std::optional<int64_t>(value) : std::nullopt;
}

}  // namespace

bool IsLoopInvariant(const Instruction& loop, int64_t k) {
  const Instruction* next = BodyResult(loop, k);
  return next != nullptr && ParameterElement(next) == k;
}

std::optional<LoopCounter> FindLoopCounter(const Instruction& loop) {
  if (loop.opcode() != Opcode::kWhile || !loop.shape().IsTuple()) return std::nullopt;
  const Instruction* condition = loop.called(0)->root();
  if (condition->opcode() != Opcode::kCompare) return std::nullopt;
  const auto& compare = condition->As<hlo::CompareAttributes>();
  for (int side = 0; side < 2; ++side) {
    const auto k = ParameterElement(condition->operand(side));
    const auto bound = ConstantInLoop(loop, condition->operand(1 - side));
    if (!k || !bound) continue;
    const ElementType type = condition->operand(side)->shape().element_type();
    // u64 values beyond int64 are seldom counters; they are not told apart from negative ones here.
    if (!IsIntegral(type) || type == ElementType::kU64) continue;
    const bool natural = compare.type == hlo::ComparisonType::kDefault ||
                         (compare.type == hlo::ComparisonType::kSigned) == IsSigned(type);
    const auto init = InitialConstant(loop, *k);
    const auto step = StepOf(loop, *k);
    if (!natural || !init || !step) continue;
    const int bits = BitWidth(type);
    const __int128 largest = (__int128{1} << (IsSigned(type) ? bits - 1 : bits)) - 1;
    const __int128 least = IsSigned(type) ? -largest - 1 : 0;
    const auto direction = side == 0 ? compare.direction : Mirrored(compare.direction);
    const auto count = Count(*init, *step, direction, *bound, least, largest);
    if (count) return LoopCounter{*k, *init, *step, *count};
  }
  return std::nullopt;
}

std::optional<int64_t> KnownTripCount(const Instruction& loop) {
  if (loop.opcode() != Opcode::kWhile) return std::nullopt;
  if (const auto counter = FindLoopCounter(loop)) return counter->trip_count;
  return TripCountOfConfig(loop.annotations().backend_config);
}

}  // namespace subfloor::passes
