#include "evaluator/element_op.h"

#include <algorithm>

#include "evaluator/kernels.h"

namespace subfloor::evaluator {
namespace {

using hlo::Instruction;
using hlo::Opcode;

template <typename W>
struct PickOne {
  W operator()(int64_t pred, W on_true, W on_false) const { return pred != 0 ? on_true : on_false; }
};

template <typename R>
ElementOp::Kernel ComponentKernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::kReal:
      return MakeKernel<R, Complex<R>>([](Complex<R> z) { return z.re; });
    case Opcode::kImag:
      return MakeKernel<R, Complex<R>>([](Complex<R> z) { return z.im; });
    case Opcode::kAbs:
      return MakeKernel<R, Complex<R>>([](Complex<R> z) { return Hypot(z.re, z.im); });
    case Opcode::kComplex:
      return MakeKernel<Complex<R>, R, R>([](R re, R im) { return Complex<R>{re, im}; });
    case Opcode::kIsFinite:
      return MakeKernel<int64_t, R>([](R x) { return static_cast<int64_t>(IsFinite(x)); });
    default:
      return nullptr;
  }
}

/// bitcast-convert between types of one width: the bits of each value, through their storage form.
void ReinterpretKernel(const ElementOp& op, const void* const* in, void* out, int64_t count) {
  constexpr int64_t kRun = 64;
  std::array<std::byte, kRun * 16> bits;
  const int64_t in_size = WideSize(op.in_kinds[0]), out_size = WideSize(op.out_kind);
  for (int64_t first = 0; first < count; first += kRun) {
    const int64_t run = std::min(kRun, count - first);
    StoreAs(op.in_kinds[0], op.in_types[0], bits.data(), 0, run,
            static_cast<const std::byte*>(in[0]) + first * in_size);
    LoadAs(op.out_kind, op.out_type, bits.data(), 0, run, static_cast<std::byte*>(out) + first * out_size);
  }
}

/// The wider of two kinds; complex is wider than real, quad than double.
WideKind Wider(WideKind a, WideKind b) {
  if (a == WideKind::kInt || b == WideKind::kInt) return a == WideKind::kInt ? b : a;
  auto is_complex = [](WideKind k) { return k == WideKind::kComplexDouble || k == WideKind::kComplexQuad; };
  auto is_quad = [](WideKind k) { return k == WideKind::kQuad || k == WideKind::kComplexQuad; };
  const bool quad = is_quad(a) || is_quad(b);
  if (is_complex(a) || is_complex(b)) return quad ? WideKind::kComplexQuad : WideKind::kComplexDouble;
  return quad ? WideKind::kQuad : WideKind::kDouble;
}

/// The kernel of an op whose operands and result share one wide type.
ElementOp::Kernel PlainKernel(Opcode opcode, ElementType type, WideKind kind) {
  switch (kind) {
    case WideKind::kInt:
      return IntKernel(opcode, type);
    case WideKind::kDouble:
    case WideKind::kQuad:
      return RealKernel(opcode, kind);
    default:
      return ComplexKernel(opcode, kind);
  }
}

}  // namespace

Result<ElementOp> ResolveElementOp(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (!instruction.IsElementwise() && opcode != Opcode::kBitcastConvert) {
    return InternalError("{} is not elementwise", hlo::ToString(opcode));
  }
  ElementOp op;
  op.operand_count = static_cast<int>(instruction.operand_count());
  op.out_type = instruction.shape().element_type();
  if (op.operand_count < 1 || op.operand_count > 3) {
    return InternalError("{} with {} operands", hlo::ToString(opcode), op.operand_count);
  }
  for (size_t i = 0; i < static_cast<size_t>(op.operand_count); ++i) {
    op.in_types[i] = instruction.operand(static_cast<int64_t>(i))->shape().element_type();
    if (!IsArrayType(op.in_types[i])) {
      return BadInput("operand {} of {} is {}, but must be an array", i, hlo::ToString(opcode),
                      instruction.operand(static_cast<int64_t>(i))->shape().ToString());
    }
    op.in_kinds[i] = WideKindOf(op.in_types[i]);
  }
  op.out_kind = WideKindOf(op.out_type);

  switch (opcode) {
    case Opcode::kCopy:
    case Opcode::kConvert:
      op.kernel = ConvertKernel(op.in_kinds[0], op.out_kind);
      break;
    case Opcode::kStochasticConvert:
      if (op.in_kinds[0] == WideKind::kDouble || op.in_kinds[0] == WideKind::kQuad) {
        op.kernel = StochasticConvertKernel(op.in_kinds[0]);
      }
      break;
    case Opcode::kBitcastConvert:
      if (BitWidth(op.in_types[0]) != BitWidth(op.out_type)) {
        return NotSupported("bitcast-convert of single elements between {} and {}: the widths differ",
                            ToString(op.in_types[0]), ToString(op.out_type));
      }
      op.kernel = ReinterpretKernel;
      break;
    case Opcode::kSelect:
      op.in_kinds[1] = op.in_kinds[2] = op.out_kind;
      op.kernel =
          WithWide(op.out_kind, []<typename W>() { return MakeKernel<W, int64_t, W, W>(PickOne<W>{}); });
      break;
    case Opcode::kCompare: {
      const auto& attributes = instruction.As<hlo::CompareAttributes>();
      op.direction = attributes.direction;
      op.in_kinds[0] = op.in_kinds[1] = Wider(op.in_kinds[0], op.in_kinds[1]);
      op.kernel =
          CompareKernel(op.in_kinds[0], op.in_types[0], attributes.type == hlo::ComparisonType::kTotalOrder);
      break;
    }
    case Opcode::kReal:
    case Opcode::kImag: {
      // A real operand is its own real part.
      if (op.in_kinds[0] == WideKind::kDouble) op.in_kinds[0] = WideKind::kComplexDouble;
      if (op.in_kinds[0] == WideKind::kQuad) op.in_kinds[0] = WideKind::kComplexQuad;
      op.kernel = op.in_kinds[0] == WideKind::kComplexQuad ? ComponentKernel<Quad>(opcode)
                                                           : ComponentKernel<double>(opcode);
      break;
    }
    case Opcode::kIsFinite:
      if (op.in_kinds[0] == WideKind::kDouble) op.kernel = ComponentKernel<double>(opcode);
      if (op.in_kinds[0] == WideKind::kQuad) op.kernel = ComponentKernel<Quad>(opcode);
      break;
    case Opcode::kComplex:
      op.kernel =
          op.in_kinds[0] == WideKind::kQuad ? ComponentKernel<Quad>(opcode) : ComponentKernel<double>(opcode);
      break;
    case Opcode::kAbs:
      if (IsComplex(op.in_types[0])) {
        op.kernel = op.in_kinds[0] == WideKind::kComplexQuad ? ComponentKernel<Quad>(opcode)
                                                             : ComponentKernel<double>(opcode);
        break;
      }
      op.kernel = PlainKernel(opcode, op.out_type, op.out_kind);
      break;
    case Opcode::kReducePrecision: {
      const auto& attributes = instruction.As<hlo::ReducePrecisionAttributes>();
      if (attributes.exponent_bits < 1 || attributes.exponent_bits > 30 || attributes.mantissa_bits < 0 ||
          attributes.mantissa_bits > 200) {
        return BadInput("reduce-precision to {} exponent and {} mantissa bits", attributes.exponent_bits,
                        attributes.mantissa_bits);
      }
      op.exponent_bits = static_cast<int>(attributes.exponent_bits);
      op.mantissa_bits = static_cast<int>(attributes.mantissa_bits);
      op.kernel = PlainKernel(opcode, op.out_type, op.out_kind);
      break;
    }
    default:
      for (size_t i = 0; i < static_cast<size_t>(op.operand_count); ++i) op.in_kinds[i] = op.out_kind;
      op.kernel = PlainKernel(opcode, op.out_type, op.out_kind);
      break;
  }
  if (op.kernel == nullptr) {
    return BadInput("{} is not defined on {}", hlo::ToString(opcode), ToString(op.in_types[0]));
  }
  return op;
}

Result<ElementOp> ResolveBinary(Opcode opcode, ElementType type) {
  ElementOp op;
  op.operand_count = 2;
  op.in_types = {type, type, type};
  op.out_type = type;
  op.out_kind = WideKindOf(type);
  op.in_kinds = {op.out_kind, op.out_kind, op.out_kind};
  op.kernel = PlainKernel(opcode, type, op.out_kind);
  if (op.kernel == nullptr) return BadInput("{} is not defined on {}", hlo::ToString(opcode), ToString(type));
  return op;
}

}  // namespace subfloor::evaluator
