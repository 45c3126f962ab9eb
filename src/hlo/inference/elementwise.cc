#include "hlo/inference/rules.h"
#include "hlo/shape_inference.h"

/// One result element from the elements at the same index.
namespace subfloor::hlo::inference {
namespace {

// Which element types an operation takes, as a set of classes.
enum : unsigned { kP = 1, kI = 2, kF = 4, kC = 8, kSignedOnly = 16 };

struct Domain {
  unsigned classes;
  std::string_view text;
};

Domain DomainOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
      return {kI | kF | kC | kSignedOnly, "signed integers, floats or complex numbers"};
    case Opcode::kNegate:
    case Opcode::kSign:
    case Opcode::kSubtract:
    case Opcode::kDivide:
      return {kI | kF | kC, "integers, floats or complex numbers"};
    case Opcode::kRemainder:
      return {kI | kF, "integers or floats"};
    case Opcode::kCeil:
    case Opcode::kFloor:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kIsFinite:
    case Opcode::kErf:
    case Opcode::kCbrt:
    case Opcode::kReducePrecision:
      return {kF, "floats"};
    case Opcode::kNot:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return {kP | kI, "pred or integers"};
    case Opcode::kCountLeadingZeros:
    case Opcode::kPopcnt:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kMulhi:
      return {kI, "integers"};
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return {kP | kI | kF, "pred, integers or floats"};
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kPower:
    case Opcode::kCopy:
    case Opcode::kCompare:
      return {kP | kI | kF | kC, "arrays"};
    default:
      return {kF | kC, "floats or complex numbers"};  // the transcendental ones, real, imag, atan2
  }
}

Status WantDomain(const OpView& op, size_t i) {
  SF_CHECK(WantArray(op, i));
  const Domain domain = DomainOf(op.opcode);
  const ElementType type = op.operand(i).element_type();
  unsigned found = 0;
  switch (ClassOf(type)) {
    case ElementClass::kPredClass:
      found = kP;
      break;
    case ElementClass::kSignedClass:
      found = kI;
      break;
    case ElementClass::kUnsignedClass:
      found = domain.classes & kSignedOnly ? 0u : kI;
      break;
    case ElementClass::kFloatClass:
      found = kF;
      break;
    case ElementClass::kComplexClass:
      found = kC;
      break;
    case ElementClass::kOtherClass:
      break;
  }
  if (domain.classes & found) return {};
  return WrongOperand(op, i, domain.text);
}

// The common sizes of some operands, dynamic where any of them is, with the given type.
Result<Shape> Merge(const OpView& op, std::span<const size_t> operands, ElementType type) {
  const Shape& first = op.operand(operands[0]);
  Dims dims;
  for (int64_t d = 0; d < first.rank(); ++d) dims.AddFrom(first, d);
  for (size_t i : operands.subspan(1)) {
    const Shape& other = op.operand(i);
    if (!DimensionsAgree(first, other)) {
      return BadInput("operand {} is {} but operand {} is {}; {} wants equal sizes", i, other.ToString(false),
                      operands[0], first.ToString(false), op.name());
    }
    for (int64_t d = 0; d < first.rank(); ++d) {
      const auto k = static_cast<size_t>(d);
      if (dims.sizes[k] == Shape::kUnbounded) {
        dims.sizes[k] = other.dimension(d), dims.dynamic[k] = other.IsDynamic(d);
      } else if (other.dimension(d) != Shape::kUnbounded) {
        dims.dynamic[k] |= other.IsDynamic(d) ? 1 : 0;
      }
    }
  }
  return dims.Make(type);
}

Result<ElementType> CommonType(const OpView& op, size_t a, size_t b) {
  const ElementType x = op.operand(a).element_type(), y = op.operand(b).element_type();
  if (!SameUpToPrecision(x, y)) {
    return BadInput("operand {} is {} but operand {} is {}; {} wants equal element types", b,
                    op.operand(b).ToString(false), a, op.operand(a).ToString(false), op.name());
  }
  return HigherPrecision(x, y);
}

}  // namespace

Result<Shape> InferUnary(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantDomain(op, 0));
  const Shape& x = op.operand(0);
  switch (op.opcode) {
    case Opcode::kIsFinite:
      return Retyped(x, ElementType::kPred);
    case Opcode::kAbs:
    case Opcode::kReal:
    case Opcode::kImag:
      return Retyped(x, ComponentType(x.element_type()));
    default:
      return Retyped(x, x.element_type());
  }
}

Result<Shape> InferBinary(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  const size_t both[] = {0, 1};
  if (op.opcode == Opcode::kComplex) {
    SF_CHECK(WantArrays(op));
    const ElementType type = op.operand(0).element_type();
    for (size_t i : both) {
      const ElementType found = op.operand(i).element_type();
      if (found != type || (found != ElementType::kF32 && found != ElementType::kF64)) {
        return WrongOperand(op, i, "two f32 or two f64 operands");
      }
    }
    return Merge(op, both, type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
  }
  for (size_t i : both) SF_CHECK(WantDomain(op, i));
  return Merge(op, both, SF_TRY(CommonType(op, 0, 1)));
}

Result<Shape> InferCompare(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantArrays(op));
  const ElementType type = SF_TRY(CommonType(op, 0, 1));
  const auto& attributes = op.As<CompareAttributes>();
  if (IsComplex(type) && attributes.direction != ComparisonDirection::kEq &&
      attributes.direction != ComparisonDirection::kNe) {
    return WrongOperand(op, 0, "EQ or NE for complex numbers, which have no order");
  }
  const size_t both[] = {0, 1};
  return Merge(op, both, ElementType::kPred);
}

Result<Shape> InferSelect(const OpView& op) {
  SF_CHECK(WantOperands(op, 3, 3));
  const Shape& pred = op.operand(0);
  if (!pred.IsArray() || !IsPred(pred.element_type())) return WrongOperand(op, 0, "pred there");
  // Tuples and tokens may be chosen as a whole, by a scalar.
  if (!op.operand(1).IsArray()) {
    if (!pred.IsScalar()) return WrongOperand(op, 0, "a scalar pred to choose between whole values");
    if (!op.operand(1).Compatible(op.operand(2))) return WrongOperand(op, 2, op.operand(1).ToString(false));
    return op.operand(1).WithoutLayout();
  }
  SF_CHECK(WantArray(op, 2));
  const ElementType type = SF_TRY(CommonType(op, 1, 2));
  const size_t all[] = {1, 2, 0};
  return Merge(op, pred.IsScalar() ? std::span<const size_t>(all).first(2) : std::span<const size_t>(all),
               type);
}

Result<Shape> InferClamp(const OpView& op) {
  SF_CHECK(WantOperands(op, 3, 3));
  SF_CHECK(WantArrays(op));
  const ElementType low = SF_TRY(CommonType(op, 1, 0));
  const ElementType high = SF_TRY(CommonType(op, 1, 2));
  if (IsComplex(low)) return WrongOperand(op, 1, "ordered values");
  std::vector<size_t> sized = {1};
  for (size_t i : {size_t{0}, size_t{2}}) {
    if (!op.operand(i).IsScalar()) sized.push_back(i);
  }
  return Merge(op, sized, HigherPrecision(low, high));
}

Result<Shape> InferConvert(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  if (!op.written->IsArray())
    return BadInput("convert to {}; it wants an array", op.written->ToString(false));
  const ElementType from = op.operand(0).element_type(), to = op.written->element_type();
  if (IsComplex(from) && !IsComplex(to)) {
    return BadInput("convert from {} to {}; use real or imag to drop a component", ToString(from),
                    ToString(to));
  }
  return Retyped(op.operand(0), to);
}

Result<Shape> InferStochasticConvert(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantArrays(op));
  if (!IsFloat(op.operand(0).element_type())) return WrongOperand(op, 0, "floats");
  const ElementType random = op.operand(1).element_type();
  if (!IsUnsigned(random) || BitWidth(random) != BitWidth(op.operand(0).element_type())) {
    return WrongOperand(op, 1, "unsigned random bits of operand 0's width");
  }
  if (!op.written->IsArray() ||
      (!IsSigned(op.written->element_type()) && !IsFloat(op.written->element_type()))) {
    return BadInput("stochastic-convert to {}; it wants signed integers or floats",
                    op.written->ToString(false));
  }
  const size_t both[] = {0, 1};
  return Merge(op, both, op.written->element_type());
}

Result<Shape> InferReducePrecision(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantDomain(op, 0));
  const auto& attributes = op.As<ReducePrecisionAttributes>();
  if (attributes.exponent_bits < 1) {
    return BadInput("exponent_bits of reduce-precision is {}; it wants 1 or more", attributes.exponent_bits);
  }
  if (attributes.mantissa_bits < 0) {
    return BadInput("mantissa_bits of reduce-precision is {}; it wants 0 or more", attributes.mantissa_bits);
  }
  return Retyped(op.operand(0), op.operand(0).element_type());
}

Result<Shape> InferBitcastConvert(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  const Shape& from = op.operand(0);
  const Shape& to = *op.written;
  if (!to.IsArray()) return BadInput("bitcast-convert to {}; it wants an array", to.ToString(false));
  if (IsComplex(from.element_type()) != IsComplex(to.element_type())) {
    return BadInput("bitcast-convert from {} to {}; complex numbers go to complex numbers only",
                    ToString(from.element_type()), ToString(to.element_type()));
  }
  const int from_bits = BitWidth(from.element_type()), to_bits = BitWidth(to.element_type());
  Dims dims;
  for (int64_t d = 0; d < from.rank(); ++d) dims.AddFrom(from, d);
  if (from_bits > to_bits) {
    if (from_bits % to_bits != 0) {
      return BadInput("bitcast-convert from {} to {} bits; one must divide the other", from_bits, to_bits);
    }
    dims.Add(from_bits / to_bits, false);
  } else if (from_bits < to_bits) {
    if (to_bits % from_bits != 0) {
      return BadInput("bitcast-convert from {} to {} bits; one must divide the other", from_bits, to_bits);
    }
    const int64_t ratio = to_bits / from_bits;
    if (dims.sizes.empty() || dims.sizes.back() != ratio) {
      return WrongOperand(
          op, 0, fmt::format("a last dimension of {} to make {} of", ratio, ToString(to.element_type())));
    }
    dims.sizes.pop_back(), dims.dynamic.pop_back();
  }
  return dims.Make(to.element_type());
}

Result<Shape> InferMap(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantCalled(op, 1));
  SF_CHECK(WantArrays(op));
  const auto& dimensions = op.As<DimensionsAttributes>().dimensions;
  const Shape& first = op.operand(0);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] != static_cast<int64_t>(i)) {
      return BadInput("dimensions of map are {{{}}}; it wants all of them in order",
                      fmt::join(dimensions, ","));
    }
  }
  if (static_cast<int64_t>(dimensions.size()) != first.rank() && !dimensions.empty()) {
    return BadInput("map names {} dimensions of {}; it wants all of them", dimensions.size(), first.rank());
  }
  std::vector<Shape> scalars;
  std::vector<size_t> all;
  for (size_t i = 0; i < op.operand_count(); ++i) {
    scalars.push_back(Shape::Scalar(op.operand(i).element_type()));
    all.push_back(i);
  }
  std::vector<const Shape*> wanted;
  for (const Shape& scalar : scalars) wanted.push_back(&scalar);
  SF_CHECK(WantParameters(op, *op.called[0], "function", wanted));
  const Shape* root = SF_TRY(RootShape(op, *op.called[0]));
  if (!root->IsScalar()) {
    return BadInput("the function of map, %{}, returns {}; it wants a scalar", op.called[0]->name(),
                    root->ToString(false));
  }
  return Merge(op, all, root->element_type());
}

}  // namespace subfloor::hlo::inference
