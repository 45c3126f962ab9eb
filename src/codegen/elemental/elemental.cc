#include "codegen/elemental/elemental.h"

#include <cstring>

#include "codegen/elemental/convert/convert.h"
#include "codegen/elemental/lanes.h"
#include "codegen/elemental/value.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "types/narrow.h"

namespace subfloor::codegen::elemental {
namespace {

/// The constant whose bits (low BitWidth of the component) are given, as Element holds them.
V ConstantBits(mlir::ImplicitLocOpBuilder& b, ElementType component, uint64_t bits, int64_t lanes) {
  mlir::Type type = ValueType(b.getContext(), component, lanes);
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  auto constant = [&](auto value) -> V {
    if (lanes == 0) {
      if constexpr (std::is_same_v<decltype(value), llvm::APFloat>)
        return V(b, mlir::arith::ConstantOp::create(b, b.getFloatAttr(element, value)));
      else
        return V(b, mlir::arith::ConstantOp::create(b, b.getIntegerAttr(element, value)));
    }
    return V(b, mlir::arith::ConstantOp::create(
                    b, mlir::DenseElementsAttr::get(mlir::cast<mlir::ShapedType>(type), value)));
  };
  if (auto floating = mlir::dyn_cast<mlir::FloatType>(element)) {
    llvm::APInt pattern(floating.getWidth(), bits, /*isSigned=*/false, /*implicitTrunc=*/true);
    return constant(llvm::APFloat(floating.getFloatSemantics(), pattern));
  }
  int64_t value = static_cast<int64_t>(bits);
  if (IsSigned(component)) {  // sub-byte integers are held sign-extended
    const int unused = 64 - BitWidth(component);
    value = static_cast<int64_t>(bits << unused) >> unused;
  }
  return constant(llvm::APInt(element.getIntOrFloatBitWidth(), static_cast<uint64_t>(value),
                              /*isSigned=*/false, /*implicitTrunc=*/true));
}

}  // namespace

mlir::Type StorageType(mlir::MLIRContext* context, ElementType type) {
  const ElementType component = ComponentType(type);
  if (component == ElementType::kF32) return mlir::Float32Type::get(context);
  if (component == ElementType::kF64) return mlir::Float64Type::get(context);
  return mlir::IntegerType::get(context, static_cast<unsigned>(8 * ByteWidth(component)));
}

mlir::Type ValueType(mlir::MLIRContext* context, ElementType type, int64_t lanes) {
  mlir::Type scalar =
      IsPred(type) ? mlir::Type(mlir::IntegerType::get(context, 1)) : StorageType(context, type);
  return lanes == 0 ? scalar : mlir::Type(mlir::VectorType::get({lanes}, scalar));
}

int64_t LanesOf(const Element& element) {
  auto vector = mlir::dyn_cast<mlir::VectorType>(element.value.getType());
  return vector ? vector.getNumElements() : 0;
}

Element EmitConstant(mlir::ImplicitLocOpBuilder& b, const Literal& literal, int64_t linear_index,
                     int64_t lanes) {
  const ElementType type = literal.element_type();
  const ElementType component = ComponentType(type);
  const size_t width = static_cast<size_t>(ByteWidth(component));
  const int parts = IsComplex(type) ? 2 : 1;
  const std::byte* source =
      literal.bytes().data() + static_cast<size_t>(linear_index) * width * static_cast<size_t>(parts);
  auto part = [&](int i) {
    uint64_t bits = 0;
    std::memcpy(&bits, source + static_cast<size_t>(i) * width, width);
    if (IsPred(type)) bits = bits != 0;
    return ConstantBits(b, component, bits, lanes).get();
  };
  return {type, part(0), parts == 2 ? part(1) : mlir::Value()};
}

Element EmitNumber(mlir::ImplicitLocOpBuilder& b, ElementType type, double value, int64_t lanes) {
  const ElementType component = ComponentType(type);
  Element element{type, ConstantBits(b, component, FromDouble(component, value), lanes).get(), {}};
  if (IsComplex(type)) element.imag = ConstantBits(b, component, 0, lanes).get();
  return element;
}

Element EmitInteger(mlir::ImplicitLocOpBuilder& b, ElementType type, int64_t value, int64_t lanes) {
  return {type, ConstantBits(b, type, FromInt(type, value), lanes).get(), {}};
}

Element Splat(mlir::ImplicitLocOpBuilder& b, const Element& x, int64_t lanes) {
  Element wide{x.type, SplatTo(V(b, x.value), lanes).get(), {}};
  if (x.imag) wide.imag = SplatTo(V(b, x.imag), lanes).get();
  return wide;
}

Element Select(mlir::ImplicitLocOpBuilder& b, mlir::Value condition, const Element& if_true,
               const Element& if_false) {
  auto pick = [&](mlir::Value yes, mlir::Value no) {
    return Select(V(b, condition), V(b, yes), V(b, no)).get();
  };
  return {if_true.type, pick(if_true.value, if_false.value),
          if_true.imag ? pick(if_true.imag, if_false.imag) : mlir::Value()};
}

Element FromStorage(mlir::ImplicitLocOpBuilder& b, ElementType type, mlir::Value value, mlir::Value imag) {
  V x(b, value);
  if (IsPred(type)) return {type, Ne(x, 0).get(), {}};
  return {type, Normalize(type, x).get(), imag};
}

Element ToStorage(mlir::ImplicitLocOpBuilder& b, const Element& x) {
  if (IsPred(x.type)) return {x.type, ZExt(V(b, x.value), 8).get(), {}};
  return x;
}

V Normalize(ElementType type, const V& x) {
  if (!IsIntegral(type) || BitWidth(type) >= 8) return x;
  const int unused = 8 - BitWidth(type);
  if (IsSigned(type)) return Sar(Shl(x, unused), unused);
  return x & ((1 << BitWidth(type)) - 1);
}

}  // namespace subfloor::codegen::elemental
