#include "hlo/opcode.h"

#include <array>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "hlo/name_table.h"

namespace subfloor::hlo {
namespace {

struct Entry {
  std::string_view text;
  int arity;
};

constexpr std::array kEntries = {
#define X(enumerator, text, arity, attributes) Entry{text, arity},
    SUBFLOOR_OPCODES(X)
#undef X
};
static_assert(kEntries.size() == kOpcodeCount);

}  // namespace

std::string_view ToString(Opcode opcode) { return kEntries[static_cast<size_t>(opcode)].text; }

std::optional<Opcode> OpcodeFromString(std::string_view text) {
  static const auto* const kByName = [] {
    auto* map = new absl::flat_hash_map<std::string_view, Opcode, NameHash>();
    for (size_t i = 0; i < kEntries.size(); ++i) map->emplace(kEntries[i].text, static_cast<Opcode>(i));
    return map;
  }();
  auto it = kByName->find(text);
  if (it == kByName->end()) return std::nullopt;
  return it->second;
}

std::optional<int> ArityOf(Opcode opcode) {
  const int arity = kEntries[static_cast<size_t>(opcode)].arity;
  return arity < 0 ? std::nullopt : std::optional<int>(arity);
}

bool IsElementwise(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kClamp:
    case Opcode::kCompare:
    case Opcode::kComplex:
    case Opcode::kConvert:
    case Opcode::kCopy:
    case Opcode::kCosine:
    case Opcode::kCosh:
    case Opcode::kCountLeadingZeros:
    case Opcode::kDivide:
    case Opcode::kErf:
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kFloor:
    case Opcode::kImag:
    case Opcode::kIsFinite:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kLogistic:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMulhi:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kPopcnt:
    case Opcode::kPower:
    case Opcode::kReal:
    case Opcode::kReducePrecision:
    case Opcode::kRemainder:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kRsqrt:
    case Opcode::kSelect:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSign:
    case Opcode::kSin:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kStochasticConvert:
    case Opcode::kSubtract:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

bool HasSideEffect(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceDone:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRaggedAllToAll:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kReduceScatter:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kSend:
    case Opcode::kSendDone:
      return true;
    default:
      return false;
  }
}

}  // namespace subfloor::hlo
