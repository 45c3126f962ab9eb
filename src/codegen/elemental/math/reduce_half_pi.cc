#include "codegen/elemental/math/core.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen::elemental {
namespace {

namespace llvm_ir = mlir::LLVM;

/// Up to here pi/2 in three parts is enough, and n fits where RoundProduct puts it.
double ModerateLimit(const V& x) { return Pick(x, 1e5, 1e9); }

Quadrant ReduceModerate(const V& x) {
  const auto half_pi = Pick(x, kHalfPiF32, kHalfPiF64);
  Whole n = RoundProduct(x, M_2_PI);
  V first = Fma(-n.number, half_pi[0], x);  // exact: a multiple of the part's last place, below 1
  Pair second = TwoProduct(n.number, Num(x, half_pi[1]));
  Pair r = TwoSum(first, -second.hi);
  V rest = r.lo - second.lo;
  return {FastTwoSum(r.hi, Fma(-n.number, half_pi[2], rest)), n.integer};
}

/// The address of the module's copy of 2/pi.
mlir::Value TwoOverPi(mlir::ImplicitLocOpBuilder& b) {
  constexpr int64_t kWords = std::size(kTwoOverPi);
  constexpr const char* kName = "sf.two_over_pi";
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>();
  if (!module.lookupSymbol<llvm_ir::GlobalOp>(kName)) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    std::vector<int64_t> words(kTwoOverPi, kTwoOverPi + kWords);
    auto values = mlir::DenseIntElementsAttr::get(mlir::RankedTensorType::get({kWords}, b.getI64Type()),
                                                  llvm::ArrayRef<int64_t>(words));
    llvm_ir::GlobalOp::create(b, llvm_ir::LLVMArrayType::get(b.getI64Type(), kWords), /*isConstant=*/true,
                              llvm_ir::Linkage::Internal, kName, values, /*alignment=*/8);
  }
  return llvm_ir::AddressOfOp::create(b, llvm_ir::LLVMPointerType::get(b.getContext()), kName);
}

/// The full product of two unsigned 64-bit numbers.
struct Wide {
  V high, low;
};
Wide MultiplyFull(const V& x, const V& y) {
  auto product = mlir::arith::MulUIExtendedOp::create(x.builder(), x.get(), y.get());
  return {V(x.builder(), product.getHigh()), V(x.builder(), product.getLow())};
}

// Payne and Hanek: x = M 2^e; of 2/pi only the 192 bits matter that lie behind those which give whole turns
// with 2^e. Their product with M, modulo 2^192, is x 2/pi modulo 4 with 190 bits behind the point. Takes one
// f64 of 2^-10 or more in magnitude, gives (r, r_lo, q).
std::vector<V> ReduceHuge(const V& x) {
  mlir::ImplicitLocOpBuilder& b = x.builder();
  V table(b, TwoOverPi(b));
  auto pointer = llvm_ir::LLVMPointerType::get(b.getContext());
  V bits = AsInt(Abs(x));
  V m = (bits & ((int64_t{1} << 52) - 1)) | (int64_t{1} << 52);
  V start = Shr(bits, 52) - (1075 + 2 - 64);  // the table begins with 64 zero bits
  V word = Shr(start, 6), shift = start & 63;
  V words[4];
  for (int i = 0; i < 4; ++i) {
    mlir::Value at = llvm_ir::GEPOp::create(b, pointer, b.getI64Type(), table.get(),
                                            llvm::ArrayRef<llvm_ir::GEPArg>{(word + i).get()});
    words[i] = V(b, llvm_ir::LoadOp::create(b, b.getI64Type(), at));
  }
  auto window = [&](int i) { return Shl(words[i], shift) | Shr(Shr(words[i + 1], 1), 63 - shift); };
  Wide p1 = MultiplyFull(m, window(1)), p2 = MultiplyFull(m, window(2));
  V low = p2.low;
  V middle = p2.high + p1.low;
  V carry = ZExt(ULt(middle, p1.low), 64);
  V high = m * window(0) + p1.high + carry;

  // Two bits of quadrant, then the fraction, taken as signed so that it is the nearest quadrant's.
  V f_high = Shl(high, 2) | Shr(middle, 62), f_low = Shl(middle, 2) | Shr(low, 62);
  V q = Shr(high, 62) + Shr(f_high, 63);
  V negative = Lt(f_high, 0);
  V negated_high = ~f_high + ZExt(Eq(f_low, 0), 64);
  f_high = Select(negative, negated_high, f_high);
  f_low = Select(negative, -f_low, f_low);
  mlir::Type f64 = b.getF64Type();
  V top = SIntToFloat(f_high & ~int64_t{0x7ff}, f64) * std::ldexp(1.0, -64);
  V rest = SIntToFloat(f_high & 0x7ff, f64) * std::ldexp(1.0, -64) +
           SIntToFloat(Shr(f_low, 1), f64) * std::ldexp(1.0, -127);
  Pair fraction = FastTwoSum(top, rest);
  V hi = fraction.hi * kHalfPiF64[0];
  V lo = Fma(fraction.hi, kHalfPiF64[0], -hi) + (fraction.hi * kHalfPiF64[1] + fraction.lo * kHalfPiF64[0]);
  Pair r = FastTwoSum(hi, lo);
  V x_negative = Lt(AsInt(x), 0);
  V flip = negative ^ x_negative;
  return {Select(flip, -r.hi, r.hi), Select(flip, -r.lo, r.lo), Select(x_negative, -q, q)};
}

/// Lane by lane: such arguments are rare, and the code is large.
std::vector<V> ReduceHugeLanes(const V& x) {
  const int64_t lanes = x.lanes();
  std::vector<V> hi, lo, q;
  for (int64_t i = 0; i < std::max<int64_t>(lanes, 1); ++i) {
    std::vector<V> one = CallHelper("reduce_huge", std::array{ToF64(Lane(x, i))},
                                    [](std::span<const V> a) { return ReduceHuge(a[0]); });
    V r_hi = x.is_f64() ? one[0] : ToF32(one[0]);
    hi.push_back(r_hi);
    lo.push_back(x.is_f64() ? one[1] : ToF32((one[0] - ToF64(r_hi)) + one[1]));
    q.push_back(TruncTo(one[2], x.bits()));
  }
  return {FromLanes(hi, lanes), FromLanes(lo, lanes), FromLanes(q, lanes)};
}

}  // namespace

Quadrant ReduceByHalfPi(const V& x) {
  V a = Abs(x);
  V huge = Gt(a, ModerateLimit(x)) & Lt(a, HUGE_VAL);
  Quadrant moderate = ReduceModerate(x);
  const V otherwise[] = {moderate.r.hi, moderate.r.lo, moderate.q};
  std::vector<V> chosen = IfElse(
      AnyLane(huge),
      [&] {
        std::vector<V> reduced = CallHelper("reduce_huge_lanes", std::array{Select(huge, x, 1e10)},
                                            [](std::span<const V> a) { return ReduceHugeLanes(a[0]); });
        for (size_t i = 0; i < reduced.size(); ++i) reduced[i] = Select(huge, reduced[i], otherwise[i]);
        return reduced;
      },
      otherwise);
  return {{chosen[0], chosen[1]}, chosen[2]};
}

}  // namespace subfloor::codegen::elemental
