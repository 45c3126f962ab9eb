#include "hlo/called_attributes.h"

#include <array>

namespace subfloor::hlo {
namespace {

constexpr std::array kWhile = {CalledAttribute{"condition", 0, false}, CalledAttribute{"body", 1, false}};
constexpr std::array kConditional = {CalledAttribute{"true_computation", 0, false},
                                     CalledAttribute{"false_computation", 1, false},
                                     CalledAttribute{"branch_computations", 0, true}};
constexpr std::array kSelectAndScatter = {CalledAttribute{"select", 0, false},
                                          CalledAttribute{"scatter", 1, false}};
constexpr std::array kCalls = {CalledAttribute{"calls", 0, false}};
constexpr std::array kCustomCall = {CalledAttribute{"called_computations", 0, true},
                                    CalledAttribute{"to_apply", 0, false}};
constexpr std::array kToApply = {CalledAttribute{"to_apply", 0, false}};

}  // namespace

std::span<const CalledAttribute> CalledAttributesOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kWhile:
      return kWhile;
    case Opcode::kConditional:
      return kConditional;
    case Opcode::kSelectAndScatter:
      return kSelectAndScatter;
    case Opcode::kFusion:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return kCalls;
    case Opcode::kCustomCall:
      return kCustomCall;
    case Opcode::kCall:
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
    case Opcode::kSort:
    case Opcode::kScan:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return kToApply;
    default:
      return {};
  }
}

int LeastCalled(Opcode opcode) {
  switch (opcode) {
    case Opcode::kWhile:
    case Opcode::kSelectAndScatter:
      return 2;
    case Opcode::kCustomCall:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return 0;
    default:
      return CalledAttributesOf(opcode).empty() ? 0 : 1;
  }
}

}  // namespace subfloor::hlo
