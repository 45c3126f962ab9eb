#include "codegen/elemental/value.h"

#include <fmt/format.h>

#include <string>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen::elemental {
namespace {

namespace arith = mlir::arith;
namespace llvm_ir = mlir::LLVM;

template <typename Op, typename... Args>
V Emit(const V& like, Args&&... args) {
  mlir::ImplicitLocOpBuilder& b = like.builder();
  return V(b, Op::create(b, std::forward<Args>(args)...));
}
template <typename FloatOp, typename IntOp>
V Binary(const V& a, const V& b) {
  return a.is_float() ? Emit<FloatOp>(a, a.get(), b.get()) : Emit<IntOp>(a, a.get(), b.get());
}
template <typename Op>
V Intrinsic(const V& a) {
  return Emit<Op>(a, a.get());
}
template <typename Op>
V Cast(const V& a, mlir::Type element) {
  return Emit<Op>(a, a.With(element), a.get());
}
V Compare(const V& a, const V& b, arith::CmpFPredicate float_predicate, arith::CmpIPredicate int_predicate) {
  return a.is_float() ? Emit<arith::CmpFOp>(a, float_predicate, a.get(), b.get())
                      : Emit<arith::CmpIOp>(a, int_predicate, a.get(), b.get());
}

std::string TypeName(mlir::Type type) {
  std::string name;
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    name = fmt::format("v{}", vector.getNumElements());
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  return name + fmt::format("{}{}", mlir::isa<mlir::FloatType>(element) ? "f" : "i",
                            element.getIntOrFloatBitWidth());
}

std::vector<V> Wrap(mlir::ImplicitLocOpBuilder& b, mlir::ValueRange values) {
  std::vector<V> wrapped;
  for (mlir::Value value : values) wrapped.emplace_back(b, value);
  return wrapped;
}
std::vector<mlir::Value> Unwrap(std::span<const V> values) {
  std::vector<mlir::Value> plain;
  for (const V& value : values) plain.push_back(value.get());
  return plain;
}
std::vector<mlir::Type> TypesOf(std::span<const V> values) {
  std::vector<mlir::Type> types;
  for (const V& value : values) types.push_back(value.type());
  return types;
}

}  // namespace

V V::Number(const V& like, double value) {
  mlir::Type element = like.element();
  if (!like.is_float()) return Number(like, static_cast<int64_t>(value));
  auto attribute = like.builder().getFloatAttr(element, value);
  if (like.lanes() == 0) return Emit<arith::ConstantOp>(like, attribute);
  return Emit<arith::ConstantOp>(
      like, mlir::DenseElementsAttr::get(mlir::cast<mlir::ShapedType>(like.type()), attribute.getValue()));
}

V V::Number(const V& like, int64_t value) {
  if (like.is_float()) return Number(like, static_cast<double>(value));
  llvm::APInt bits(like.bits(), static_cast<uint64_t>(value), /*isSigned=*/true, /*implicitTrunc=*/true);
  if (like.lanes() == 0)
    return Emit<arith::ConstantOp>(like, like.builder().getIntegerAttr(like.element(), bits));
  return Emit<arith::ConstantOp>(
      like, mlir::DenseElementsAttr::get(mlir::cast<mlir::ShapedType>(like.type()), bits));
}

int64_t V::lanes() const {
  auto vector = mlir::dyn_cast<mlir::VectorType>(value_.getType());
  return vector ? vector.getNumElements() : 0;
}
mlir::Type V::With(mlir::Type element) const {
  auto vector = mlir::dyn_cast<mlir::VectorType>(value_.getType());
  return vector ? mlir::Type(mlir::VectorType::get(vector.getShape(), element)) : element;
}
mlir::Type V::IntType(int bits) const { return b_->getIntegerType(static_cast<unsigned>(bits)); }

V operator+(const V& a, const V& b) { return Binary<arith::AddFOp, arith::AddIOp>(a, b); }
V operator-(const V& a, const V& b) { return Binary<arith::SubFOp, arith::SubIOp>(a, b); }
V operator*(const V& a, const V& b) { return Binary<arith::MulFOp, arith::MulIOp>(a, b); }
V operator/(const V& a, const V& b) { return Emit<arith::DivFOp>(a, a.get(), b.get()); }
V operator-(const V& a) { return a.is_float() ? Intrinsic<arith::NegFOp>(a) : Num(a, 0) - a; }
V operator&(const V& a, const V& b) { return Emit<arith::AndIOp>(a, a.get(), b.get()); }
V operator|(const V& a, const V& b) { return Emit<arith::OrIOp>(a, a.get(), b.get()); }
V operator^(const V& a, const V& b) { return Emit<arith::XOrIOp>(a, a.get(), b.get()); }
V operator~(const V& a) { return a ^ -1; }
V Shl(const V& a, const V& amount) { return Emit<arith::ShLIOp>(a, a.get(), amount.get()); }
V Shr(const V& a, const V& amount) { return Emit<arith::ShRUIOp>(a, a.get(), amount.get()); }
V Sar(const V& a, const V& amount) { return Emit<arith::ShRSIOp>(a, a.get(), amount.get()); }

V Eq(const V& a, const V& b) { return Compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq); }
V Ne(const V& a, const V& b) { return Compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne); }
V Lt(const V& a, const V& b) { return Compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt); }
V Le(const V& a, const V& b) { return Compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle); }
V Gt(const V& a, const V& b) { return Compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt); }
V Ge(const V& a, const V& b) { return Compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge); }
V ULt(const V& a, const V& b) { return Emit<arith::CmpIOp>(a, arith::CmpIPredicate::ult, a.get(), b.get()); }
V UGe(const V& a, const V& b) { return Emit<arith::CmpIOp>(a, arith::CmpIPredicate::uge, a.get(), b.get()); }
V UGt(const V& a, const V& b) { return Emit<arith::CmpIOp>(a, arith::CmpIPredicate::ugt, a.get(), b.get()); }
V ULe(const V& a, const V& b) { return Emit<arith::CmpIOp>(a, arith::CmpIPredicate::ule, a.get(), b.get()); }
V IsNan(const V& a) { return Ne(a, a); }

V Select(const V& condition, const V& if_true, const V& if_false) {
  return Emit<arith::SelectOp>(if_true, condition.get(), if_true.get(), if_false.get());
}

V Fma(const V& a, const V& b, const V& c) {
  return Emit<llvm_ir::FMAOp>(a, a.type(), a.get(), b.get(), c.get());
}
V Abs(const V& a) { return Intrinsic<llvm_ir::FAbsOp>(a); }
V Sqrt(const V& a) { return Intrinsic<llvm_ir::SqrtOp>(a); }
V Floor(const V& a) { return Intrinsic<llvm_ir::FFloorOp>(a); }
V Ceil(const V& a) { return Intrinsic<llvm_ir::FCeilOp>(a); }
V Trunc(const V& a) { return Intrinsic<llvm_ir::FTruncOp>(a); }
V RoundEven(const V& a) { return Intrinsic<llvm_ir::RoundEvenOp>(a); }
V CopySign(const V& magnitude, const V& sign) {
  return Emit<llvm_ir::CopySignOp>(magnitude, magnitude.get(), sign.get());
}
V Maximum(const V& a, const V& b) { return Emit<arith::MaximumFOp>(a, a.get(), b.get()); }
V Minimum(const V& a, const V& b) { return Emit<arith::MinimumFOp>(a, a.get(), b.get()); }

V AsInt(const V& a) { return a.is_float() ? Cast<arith::BitcastOp>(a, a.IntType(a.bits())) : a; }
V AsFloat(const V& a) {
  if (a.is_float()) return a;
  mlir::Type element =
      a.bits() == 64 ? mlir::Type(a.builder().getF64Type()) : mlir::Type(a.builder().getF32Type());
  return Cast<arith::BitcastOp>(a, element);
}
V ZExt(const V& a, int bits) { return a.bits() == bits ? a : Cast<arith::ExtUIOp>(a, a.IntType(bits)); }
V SExt(const V& a, int bits) { return a.bits() == bits ? a : Cast<arith::ExtSIOp>(a, a.IntType(bits)); }
V TruncTo(const V& a, int bits) { return a.bits() == bits ? a : Cast<arith::TruncIOp>(a, a.IntType(bits)); }
V ToF64(const V& a) { return a.is_f64() ? a : Cast<arith::ExtFOp>(a, a.builder().getF64Type()); }
V ToF32(const V& a) { return a.is_f64() ? Cast<arith::TruncFOp>(a, a.builder().getF32Type()) : a; }
V SIntToFloat(const V& a, mlir::Type float_element) { return Cast<arith::SIToFPOp>(a, float_element); }
V UIntToFloat(const V& a, mlir::Type float_element) { return Cast<arith::UIToFPOp>(a, float_element); }
V FloatToSInt(const V& a, int bits) { return Cast<arith::FPToSIOp>(a, a.IntType(bits)); }

V SplatTo(const V& a, int64_t lanes) {
  if (lanes == 0 || a.lanes() != 0) return a;
  return Emit<mlir::vector::BroadcastOp>(a, mlir::VectorType::get({lanes}, a.element()), a.get());
}
V AnyLane(const V& condition) {
  if (condition.lanes() == 0) return condition;
  return Emit<mlir::vector::ReductionOp>(condition, mlir::vector::CombiningKind::OR, condition.get());
}
V Lane(const V& a, int64_t i) {
  if (a.lanes() == 0) return a;
  return Emit<mlir::vector::ExtractOp>(a, a.get(), llvm::ArrayRef<int64_t>{i});
}
V FromLanes(std::span<const V> scalars, int64_t lanes) {
  const V& first = scalars[0];
  if (lanes == 0) return first;
  std::vector<mlir::Value> values = Unwrap(scalars);
  return Emit<mlir::vector::FromElementsOp>(first, mlir::VectorType::get({lanes}, first.element()), values);
}

V Polynomial(const V& x, std::span<const double> coefficients) {
  V sum = Num(x, coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) sum = Fma(sum, x, coefficients[i]);
  return sum;
}

std::vector<V> CallHelper(std::string_view name, std::span<const V> args,
                          const std::function<std::vector<V>(std::span<const V>)>& body) {
  mlir::ImplicitLocOpBuilder& b = args[0].builder();
  mlir::Operation* parent = b.getInsertionBlock()->getParentOp();
  auto module = mlir::isa<mlir::ModuleOp>(parent) ? mlir::cast<mlir::ModuleOp>(parent)
                                                  : parent->getParentOfType<mlir::ModuleOp>();
  std::string symbol = fmt::format("sf.{}", name);
  for (const V& arg : args) symbol += "." + TypeName(arg.type());

  auto function = module.lookupSymbol<mlir::func::FuncOp>(symbol);
  if (!function) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    std::vector<mlir::Type> inputs = TypesOf(args);
    function = mlir::func::FuncOp::create(b, symbol, b.getFunctionType(inputs, {}));
    function.setPrivate();
    function->setAttr("llvm.linkage", llvm_ir::LinkageAttr::get(b.getContext(), llvm_ir::Linkage::Internal));
    b.setInsertionPointToStart(function.addEntryBlock());
    std::vector<V> results = body(Wrap(b, function.getArguments()));
    mlir::func::ReturnOp::create(b, Unwrap(results));
    function.setFunctionType(b.getFunctionType(inputs, TypesOf(results)));
  }
  auto call = mlir::func::CallOp::create(b, function, Unwrap(args));
  return Wrap(b, call.getResults());
}

std::vector<V> IfElse(const V& condition, const std::function<std::vector<V>()>& then_body,
                      std::span<const V> otherwise) {
  mlir::ImplicitLocOpBuilder& b = condition.builder();
  auto branch = mlir::scf::IfOp::create(b, TypesOf(otherwise), condition.get(), /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  mlir::scf::YieldOp::create(b, Unwrap(then_body()));
  b.setInsertionPointToStart(branch.elseBlock());
  mlir::scf::YieldOp::create(b, Unwrap(otherwise));
  return Wrap(b, branch.getResults());
}

std::vector<V> While(std::span<const V> state, const std::function<V(std::span<const V>)>& condition,
                     const std::function<std::vector<V>(std::span<const V>)>& body) {
  mlir::ImplicitLocOpBuilder& b = state[0].builder();
  std::vector<mlir::Type> types = TypesOf(state);
  std::vector<mlir::Location> locations(types.size(), b.getLoc());
  auto loop = mlir::scf::WhileOp::create(b, types, Unwrap(state));
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::Block* before = b.createBlock(&loop.getBefore(), {}, types, locations);
  std::vector<V> seen = Wrap(b, before->getArguments());
  mlir::scf::ConditionOp::create(b, condition(seen).get(), before->getArguments());
  mlir::Block* after = b.createBlock(&loop.getAfter(), {}, types, locations);
  mlir::scf::YieldOp::create(b, Unwrap(body(Wrap(b, after->getArguments()))));
  return Wrap(b, loop.getResults());
}

}  // namespace subfloor::codegen::elemental
