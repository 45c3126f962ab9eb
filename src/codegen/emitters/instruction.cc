#include <algorithm>
#include <cstring>

#include "codegen/emitters/emission.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

/// One element of one instruction: the case distinction by opcode, and the ops that need little more.
namespace subfloor::codegen::emitters {

namespace arith = mlir::arith;
using hlo::Instruction;
using hlo::Opcode;

Result<Elements> Emission::Emit(Frame& frame, const Instruction& op, const Index& index) {
  auto single = [](Result<Element> element) -> Result<Elements> {
    if (!element) return std::unexpected(std::move(element).error());
    return Elements{*element};
  };
  switch (op.opcode()) {
    case Opcode::kParameter:
      return single(Parameter(frame, op, index));
    case Opcode::kConstant:
      return single(ArrayConstant(op, index));
    case Opcode::kIota:
      return single(Iota(op, index));
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      if (!indexing::IsMover(op)) return single(BitcastConvert(frame, op, index));
      break;
    case Opcode::kGetTupleElement: {
      Elements all = SF_TRY(AllValues(frame, *op.operand(0), index));
      return Elements{all[static_cast<size_t>(op.As<hlo::GetTupleElementAttributes>().index)]};
    }
    case Opcode::kAddDependency:
      return AllValues(frame, *op.operand(0), index);
    case Opcode::kFusion:
    case Opcode::kCall:
      return Inlined(frame, op, index);
    case Opcode::kMap:
      return Map(frame, op, index);
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kDot:
    case Opcode::kConvolution:
      return Fold(frame, op, index);
    default:
      break;
  }
  if (indexing::IsMover(op)) return single(Mover(frame, op, index));
  if (op.IsElementwise()) return single(Elementwise(frame, op, index));
  return NotSupported("no emitter takes {} inside a kernel; subfloor eval runs it",
                      hlo::ToString(op.opcode()));
}

Result<Element> Emission::Parameter(Frame& frame, const Instruction& op, const Index& index) {
  const auto number = static_cast<size_t>(op.parameter_number());
  if (number < frame.arguments.size()) return frame.arguments[number];
  if (frame.caller != nullptr)
    return Value(*frame.caller, *frame.call->operand(op.parameter_number()), index);
  if (number >= frame.buffers.size()) return InternalError("parameter {} has no buffer", number);
  return Load(frame.buffers[number], exprs_.Linearize(index, op.shape().dimensions()));
}

Result<Element> Emission::ArrayConstant(const Instruction& op, const Index& index) {
  const Literal& literal = op.literal();
  const auto bytes = literal.bytes();
  const auto width = static_cast<size_t>(ByteWidth(literal.element_type()));
  if (bytes.empty()) return InternalError("an element of an empty constant is wanted");
  bool uniform = true;
  for (size_t i = width; i < bytes.size() && uniform; i += width)
    uniform = std::memcmp(&bytes[i], bytes.data(), width) == 0;
  if (uniform) return elemental::EmitConstant(b_, literal, 0);
  Expr offset = exprs_.Linearize(index, op.shape().dimensions());
  if (offset->IsConstant()) return elemental::EmitConstant(b_, literal, offset->constant);
  mlir::Value& buffer = constants_[&op];
  if (!buffer) {
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Operation* kernel = b_.getInsertionBlock()->getParentOp();
    if (!mlir::isa<sf::KernelOp>(kernel)) kernel = kernel->getParentOfType<sf::KernelOp>();
    b_.setInsertionPointToStart(&mlir::cast<sf::KernelOp>(kernel).getBody().front());
    auto type = sf::BufferType::get(b_.getContext(), op.shape().dimensions(), literal.element_type());
    llvm::ArrayRef<int8_t> data(reinterpret_cast<const int8_t*>(bytes.data()), bytes.size());
    buffer = sf::ConstantOp::create(b_, type, data);
  }
  return Load(buffer, offset);
}

Result<Element> Emission::Iota(const Instruction& op, const Index& index) {
  Expr position = index[static_cast<size_t>(op.As<hlo::IotaAttributes>().iota_dimension)];
  return elemental::EmitFromIndex(b_, Materialize(position), op.shape().element_type());
}

Result<Element> Emission::Elementwise(Frame& frame, const Instruction& op, const Index& index) {
  std::vector<Element> operands;
  for (const Instruction* operand : op.operands()) {
    // select and clamp take scalars beside arrays.
    const bool scalar = operand->shape().rank() == 0;
    operands.push_back(SF_TRY(Value(frame, *operand, scalar ? Index{} : index)));
  }
  return elemental::EmitElementwise(b_, op, operands);
}

Result<Elements> Emission::Inlined(Frame& frame, const Instruction& op, const Index& index) {
  Frame*& inner = inlined_[{&frame, &op}];
  if (inner == nullptr) {
    frames_.push_back(std::make_unique<Frame>());
    inner = frames_.back().get();
    inner->computation = op.called();
    inner->caller = &frame;
    inner->call = &op;
    inner->level = frame.level;
  }
  const Instruction& root = *op.called()->root();
  if (root.opcode() != Opcode::kTuple) return AllValues(*inner, root, index);
  return NotSupported("a fusion inside a kernel gives a tuple; fuse it into the kernel's own computation");
}

Result<Elements> Emission::Map(Frame& frame, const Instruction& op, const Index& index) {
  std::vector<Element> arguments;
  for (const Instruction* operand : op.operands()) arguments.push_back(SF_TRY(Value(frame, *operand, index)));
  return Call(*op.called(), arguments);
}

Result<Element> Emission::BitcastConvert(Frame& frame, const Instruction& op, const Index& index) {
  const Instruction& operand = *op.operand(0);
  const ElementType from = operand.shape().element_type(), to = op.shape().element_type();
  const int from_bits = BitWidth(from), to_bits = BitWidth(to);
  if (op.opcode() == Opcode::kBitcastConvert && from_bits == to_bits) {
    Element value = SF_TRY(Value(frame, operand, index));
    return elemental::EmitElementwise(b_, op, std::span(&value, 1));
  }
  if (op.opcode() == Opcode::kBitcast && from_bits == to_bits) {
    return NotSupported("bitcast from {} to {}; write bitcast-convert", operand.shape().ToString(),
                        op.shape().ToString());
  }
  if (IsComplex(from) || IsComplex(to) || IsSubByte(from) || IsSubByte(to)) {
    return NotSupported("bitcast-convert from {} to {}; widths of 8 to 64 bits would work", ToString(from),
                        ToString(to));
  }
  // Both as the integers that hold their bits.
  auto lanes_type = [&](mlir::Value like, int bits) -> mlir::Type {
    mlir::Type type = b_.getIntegerType(static_cast<unsigned>(bits));
    auto vector = mlir::dyn_cast<mlir::VectorType>(like.getType());
    return vector ? mlir::Type(mlir::VectorType::get(vector.getShape(), type)) : type;
  };
  auto to_integer = [&](const Element& e) -> mlir::Value {
    mlir::Value v = elemental::ToStorage(b_, e).value;
    return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(v.getType()))
               ? arith::BitcastOp::create(b_, lanes_type(v, BitWidth(e.type)), v).getResult()
               : v;
  };
  auto from_integer = [&](mlir::Value v) -> Element {
    mlir::Type storage = elemental::StorageType(b_.getContext(), to);
    if (mlir::isa<mlir::FloatType>(storage)) {
      auto vector = mlir::dyn_cast<mlir::VectorType>(v.getType());
      v = arith::BitcastOp::create(
          b_, vector ? mlir::Type(mlir::VectorType::get(vector.getShape(), storage)) : storage, v);
    }
    return elemental::FromStorage(b_, to, v);
  };
  auto splat = [&](mlir::Value v, mlir::Value like) -> mlir::Value {
    auto vector = mlir::dyn_cast<mlir::VectorType>(like.getType());
    if (!vector || mlir::isa<mlir::VectorType>(v.getType())) return v;
    return mlir::vector::BroadcastOp::create(b_, mlir::VectorType::get(vector.getShape(), v.getType()), v);
  };
  if (from_bits > to_bits) {  // a new minor dimension, least significant part first
    const int64_t ratio = from_bits / to_bits;
    Index outer = index;
    Expr part = exprs_.Constant(0);
    if (op.opcode() == Opcode::kBitcastConvert) {
      part = outer.back();
      outer.pop_back();
    } else {
      Expr linear = exprs_.Linearize(index, op.shape().dimensions());
      part = exprs_.Mod(linear, ratio);
      outer = exprs_.Delinearize(exprs_.FloorDiv(linear, ratio), operand.shape().dimensions());
    }
    const int64_t lanes = LanesOf(index);
    if (LanesOf(part) == 0 || part->IsConstant()) {
      mlir::Value wide = to_integer(SF_TRY(Value(frame, operand, outer)));
      mlir::Value shift = Materialize(exprs_.Mul(part, to_bits));
      if (from_bits < 64)
        shift = arith::TruncIOp::create(b_, b_.getIntegerType(static_cast<unsigned>(from_bits)), shift);
      mlir::Value moved = arith::ShRUIOp::create(b_, wide, splat(shift, wide));
      return from_integer(arith::TruncIOp::create(b_, lanes_type(moved, to_bits), moved));
    }
    Elements by_lane = SF_TRY(LaneByLane(frame, op, index, lanes));
    return by_lane[0];
  }
  const int64_t ratio = to_bits / from_bits;
  mlir::Value all;
  for (int64_t i = 0; i < ratio; ++i) {
    Index inner = index;
    if (op.opcode() == Opcode::kBitcastConvert) {
      inner.push_back(exprs_.Constant(i));
    } else {
      Expr linear = exprs_.Linearize(index, op.shape().dimensions());
      inner = exprs_.Delinearize(exprs_.Add(exprs_.Mul(linear, ratio), i), operand.shape().dimensions());
    }
    mlir::Value narrow = to_integer(SF_TRY(Value(frame, operand, inner)));
    mlir::Value part = arith::ExtUIOp::create(b_, lanes_type(narrow, to_bits), narrow);
    if (i > 0) {
      mlir::Value shift = arith::ConstantIntOp::create(b_, i * from_bits, static_cast<unsigned>(to_bits));
      part = arith::ShLIOp::create(b_, part, splat(shift, part));
    }
    all = all ? arith::OrIOp::create(b_, all, part).getResult() : part;
  }
  return from_integer(all);
}

}  // namespace subfloor::codegen::emitters
