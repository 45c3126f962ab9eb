// Integers and pred, on int64 that holds the value (u64: its bits). Results may leave the type's range:
// whoever stores them keeps the low bits.

#include <bit>

#include "evaluator/kernels.h"

namespace subfloor::evaluator {
namespace {

using hlo::Opcode;
using Int128 = __int128;
using Uint128 = unsigned __int128;

int64_t Add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t Subtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t Multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// The value's bits at its own width, the rest zero.
uint64_t BitsOf(const ElementOp& op, int64_t a) {
  const int width = BitWidth(op.out_type);
  return width == 64 ? static_cast<uint64_t>(a) : static_cast<uint64_t>(a) & ((uint64_t{1} << width) - 1);
}
bool PastWidth(const ElementOp& op, int64_t amount) {
  return static_cast<uint64_t>(amount) >= static_cast<uint64_t>(BitWidth(op.out_type));
}
int64_t SignExtend(const ElementOp& op, int64_t a) {
  const int shift = 64 - BitWidth(op.out_type);
  return static_cast<int64_t>(static_cast<uint64_t>(a) << shift) >> shift;
}

int64_t ShiftLeft(const ElementOp& op, int64_t a, int64_t amount) {
  return PastWidth(op, amount) ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << amount);
}
int64_t ShiftRightLogical(const ElementOp& op, int64_t a, int64_t amount) {
  return PastWidth(op, amount) ? 0 : static_cast<int64_t>(BitsOf(op, a) >> amount);
}
int64_t ShiftRightArithmetic(const ElementOp& op, int64_t a, int64_t amount) {
  return SignExtend(op, a) >> (PastWidth(op, amount) ? 63 : amount);
}

/// base^exponent modulo 2^64 for a non-negative exponent.
int64_t PowerOf(int64_t base, uint64_t exponent) {
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<int64_t>(result);
}
/// The truth in integers of 1/base^n is 0 unless base is 1 or -1.
int64_t SignedPower(int64_t base, int64_t exponent) {
  if (exponent >= 0) return PowerOf(base, static_cast<uint64_t>(exponent));
  if (base == 1) return 1;
  if (base == -1) return (exponent & 1) == 0 ? 1 : -1;
  return 0;
}

ElementOp::Kernel PredKernel(Opcode opcode) {
  using I = int64_t;
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr:
      return MakeKernel<I, I, I>([](I a, I b) { return a | b; });
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kAnd:
      return MakeKernel<I, I, I>([](I a, I b) { return a & b; });
    case Opcode::kXor:
      return MakeKernel<I, I, I>([](I a, I b) { return a ^ b; });
    case Opcode::kNot:
      return MakeKernel<I, I>([](I a) { return a ^ 1; });
    case Opcode::kPower:
      return MakeKernel<I, I, I>([](I a, I b) { return a | (b ^ 1); });
    case Opcode::kClamp:
      return MakeKernel<I, I, I, I>([](I low, I x, I high) { return (low | x) & high; });
    default:
      return nullptr;
  }
}

ElementOp::Kernel SignedKernel(Opcode opcode) {
  using I = int64_t;
  switch (opcode) {
    case Opcode::kAbs:
      return MakeKernel<I, I>([](I a) { return a < 0 ? Subtract(0, a) : a; });
    case Opcode::kSign:
      return MakeKernel<I, I>([](I a) { return static_cast<I>(a > 0) - static_cast<I>(a < 0); });
    case Opcode::kDivide:
      return MakeKernel<I, I, I>([](I a, I b) {
        if (b == 0) return I{-1};
        return b == -1 ? Subtract(0, a) : a / b;
      });
    case Opcode::kRemainder:
      return MakeKernel<I, I, I>([](I a, I b) {
        if (b == 0) return a;
        return b == -1 ? I{0} : a % b;
      });
    case Opcode::kMaximum:
      return MakeKernel<I, I, I>([](I a, I b) { return a > b ? a : b; });
    case Opcode::kMinimum:
      return MakeKernel<I, I, I>([](I a, I b) { return a < b ? a : b; });
    case Opcode::kClamp:
      return MakeKernel<I, I, I, I>([](I low, I x, I high) {
        const I raised = x > low ? x : low;
        return raised < high ? raised : high;
      });
    case Opcode::kMulhi:
      return MakeKernel<I, I, I>([](const ElementOp& op, I a, I b) {
        return static_cast<I>((static_cast<Int128>(a) * b) >> BitWidth(op.out_type));
      });
    case Opcode::kPower:
      return MakeKernel<I, I, I>([](I a, I b) { return SignedPower(a, b); });
    default:
      return nullptr;
  }
}

ElementOp::Kernel UnsignedKernel(Opcode opcode) {
  using I = int64_t;
  using U = uint64_t;
  switch (opcode) {
    case Opcode::kAbs:
      return MakeKernel<I, I>([](I a) { return a; });
    case Opcode::kSign:
      return MakeKernel<I, I>([](I a) { return static_cast<I>(a != 0); });
    case Opcode::kDivide:
      return MakeKernel<I, I, I>([](I a, I b) { return b == 0 ? I{-1} : static_cast<I>(U(a) / U(b)); });
    case Opcode::kRemainder:
      return MakeKernel<I, I, I>([](I a, I b) { return b == 0 ? a : static_cast<I>(U(a) % U(b)); });
    case Opcode::kMaximum:
      return MakeKernel<I, I, I>([](I a, I b) { return U(a) > U(b) ? a : b; });
    case Opcode::kMinimum:
      return MakeKernel<I, I, I>([](I a, I b) { return U(a) < U(b) ? a : b; });
    case Opcode::kClamp:
      return MakeKernel<I, I, I, I>([](I low, I x, I high) {
        const U raised = U(x) > U(low) ? U(x) : U(low);
        return static_cast<I>(raised < U(high) ? raised : U(high));
      });
    case Opcode::kMulhi:
      return MakeKernel<I, I, I>([](const ElementOp& op, I a, I b) {
        return static_cast<I>((static_cast<Uint128>(U(a)) * U(b)) >> BitWidth(op.out_type));
      });
    case Opcode::kPower:
      return MakeKernel<I, I, I>([](I a, I b) { return PowerOf(a, U(b)); });
    default:
      return nullptr;
  }
}

}  // namespace

ElementOp::Kernel IntKernel(Opcode opcode, ElementType type) {
  using I = int64_t;
  if (IsPred(type)) return PredKernel(opcode);
  switch (opcode) {
    case Opcode::kAdd:
      return MakeKernel<I, I, I>([](I a, I b) { return Add(a, b); });
    case Opcode::kSubtract:
      return MakeKernel<I, I, I>([](I a, I b) { return Subtract(a, b); });
    case Opcode::kMultiply:
      return MakeKernel<I, I, I>([](I a, I b) { return Multiply(a, b); });
    case Opcode::kNegate:
      return MakeKernel<I, I>([](I a) { return Subtract(0, a); });
    case Opcode::kAnd:
      return MakeKernel<I, I, I>([](I a, I b) { return a & b; });
    case Opcode::kOr:
      return MakeKernel<I, I, I>([](I a, I b) { return a | b; });
    case Opcode::kXor:
      return MakeKernel<I, I, I>([](I a, I b) { return a ^ b; });
    case Opcode::kNot:
      return MakeKernel<I, I>([](I a) { return ~a; });
    case Opcode::kPopcnt:
      return MakeKernel<I, I>([](const ElementOp& op, I a) { return I{std::popcount(BitsOf(op, a))}; });
    case Opcode::kCountLeadingZeros:
      return MakeKernel<I, I>([](const ElementOp& op, I a) {
        return I{std::countl_zero(BitsOf(op, a)) - (64 - BitWidth(op.out_type))};
      });
    case Opcode::kShiftLeft:
      return MakeKernel<I, I, I>([](const ElementOp& op, I a, I b) { return ShiftLeft(op, a, b); });
    case Opcode::kShiftRightLogical:
      return MakeKernel<I, I, I>([](const ElementOp& op, I a, I b) { return ShiftRightLogical(op, a, b); });
    case Opcode::kShiftRightArithmetic:
      return MakeKernel<I, I, I>(
          [](const ElementOp& op, I a, I b) { return ShiftRightArithmetic(op, a, b); });
    default:
      return IsSigned(type) ? SignedKernel(opcode) : UnsignedKernel(opcode);
  }
}

}  // namespace subfloor::evaluator
