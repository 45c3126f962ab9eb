#include "codegen/dialect/sf.h"

#include <algorithm>

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

#include "codegen/dialect/sf_dialect.cc.inc"
#include "codegen/dialect/sf_enums.cc.inc"

#define GET_TYPEDEF_CLASSES
#include "codegen/dialect/sf_types.cc.inc"

namespace subfloor::codegen::sf {
namespace {

// `[%i]`, or `[%i : i32]` for an offset of 32 bits.
mlir::ParseResult parseOffset(mlir::OpAsmParser& parser, mlir::OpAsmParser::UnresolvedOperand& offset,
                              mlir::Type& type) {
  type = parser.getBuilder().getI64Type();
  if (parser.parseLSquare() || parser.parseOperand(offset)) return mlir::failure();
  if (mlir::succeeded(parser.parseOptionalColon()) && parser.parseType(type)) return mlir::failure();
  return parser.parseRSquare();
}

void printOffset(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::Value offset, mlir::Type type) {
  printer << "[" << offset;
  if (!type.isInteger(64)) printer << " : " << type;
  printer << "]";
}

// Ops on threads stand in kernels that have some.
mlir::LogicalResult VerifyInBlock(mlir::Operation* op) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (kernel && kernel.getBlock()) return mlir::success();
  return op->emitOpError("wants to stand in an sf.kernel with a grid and a block");
}

}  // namespace
}  // namespace subfloor::codegen::sf

#define GET_OP_CLASSES
#include "codegen/dialect/sf_ops.cc.inc"

namespace subfloor::codegen::sf {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

void SFDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "codegen/dialect/sf_types.cc.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "codegen/dialect/sf_ops.cc.inc"
      >();
}

// Types. ----------------------------------------------------------------------------------------------------

mlir::Type MemoryType(mlir::MLIRContext* context, ElementType element) {
  const ElementType component = ComponentType(element);
  if (component == ElementType::kF32) return mlir::Float32Type::get(context);
  if (component == ElementType::kF64) return mlir::Float64Type::get(context);
  return mlir::IntegerType::get(context, static_cast<unsigned>(ByteWidth(component) * 8));
}

int64_t BufferType::unitCount() const {
  int64_t count = IsComplex(getElement()) ? 2 : 1;
  for (int64_t size : getSizes()) count *= size;
  return count;
}

mlir::Type BufferType::storageType() const { return MemoryType(getContext(), getElement()); }

mlir::Type BufferType::parse(mlir::AsmParser& parser) {
  llvm::SmallVector<int64_t> sizes;
  llvm::StringRef name;
  if (parser.parseLess() || parser.parseDimensionList(sizes, /*allowDynamic=*/false)) return {};
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseKeyword(&name)) return {};
  auto element = ElementTypeFromString(std::string_view(name.data(), name.size()));
  if (!element || !IsArrayType(*element)) {
    parser.emitError(where, "'") << name << "' is no element type of an array";
    return {};
  }
  if (parser.parseGreater()) return {};
  // Counts of units and bytes stay far from overflow.
  constexpr int64_t kMostElements = int64_t{1} << 56;
  int64_t count = 1;
  for (int64_t size : sizes) {
    if (__builtin_mul_overflow(count, std::max<int64_t>(size, 1), &count) || count > kMostElements) {
      parser.emitError(where, "a buffer of so many elements is larger than memory can be");
      return {};
    }
  }
  return get(parser.getContext(), sizes, *element);
}

void BufferType::print(mlir::AsmPrinter& printer) const {
  printer << "<";
  for (int64_t size : getSizes()) printer << size << "x";
  const std::string_view name = ToString(getElement());
  printer << llvm::StringRef(name.data(), name.size()) << ">";
}

// Kernels. --------------------------------------------------------------------------------------------------

mlir::ParseResult KernelOp::parse(mlir::OpAsmParser& parser, mlir::OperationState& result) {
  auto build = [](mlir::Builder& builder, llvm::ArrayRef<mlir::Type> inputs,
                  llvm::ArrayRef<mlir::Type> results, mlir::function_interface_impl::VariadicFlag,
                  std::string&) -> mlir::Type { return builder.getFunctionType(inputs, results); };
  return mlir::function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), build,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(mlir::OpAsmPrinter& printer) {
  mlir::function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                                 getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                                 getResAttrsAttrName());
}

void KernelOp::getAsmBlockArgumentNames(mlir::Region& region, mlir::OpAsmSetValueNameFn set_name) {
  int64_t i = 0;
  for (mlir::BlockArgument argument : region.getArguments()) {
    const bool input = i < static_cast<int64_t>(getInputs());
    set_name(argument,
             (input ? "in" : "out") + std::to_string(input ? i : i - static_cast<int64_t>(getInputs())));
    ++i;
  }
}

// Checks: arguments are buffers; no results; inputs and the alias pairs name arguments; at least one
// workgroup.
LogicalResult KernelOp::verify() {
  const auto arguments = static_cast<int64_t>(getArgumentTypes().size());
  for (mlir::Type type : getArgumentTypes()) {
    if (!mlir::isa<BufferType>(type)) return emitOpError("takes buffers only, found ") << type;
  }
  if (!getResultTypes().empty()) return emitOpError("gives no results");
  if (static_cast<int64_t>(getInputs()) < 0) return emitOpError("has fewer than no inputs");
  if (static_cast<int64_t>(getInputs()) > arguments) return emitOpError("has more inputs than arguments");
  if (static_cast<int64_t>(getWorkgroups()) < 1) return emitOpError("wants at least one workgroup");
  if (getGrid().has_value() != getBlock().has_value())
    return emitOpError("has one of grid and block without the other");
  if (getGrid()) {
    for (llvm::ArrayRef<int64_t> sizes : {*getGrid(), *getBlock()}) {
      if (sizes.size() != 3 || !llvm::all_of(sizes, [](int64_t size) { return size >= 1; }))
        return emitOpError("wants three sizes of at least 1 for grid and block");
    }
    // The arithmetic on thread numbers is exact in 32 bits.
    constexpr int64_t kMostThreads = int64_t{1} << 31;
    if ((*getBlock())[0] >= kMostThreads || (*getBlock())[1] >= kMostThreads ||
        (*getBlock())[2] >= kMostThreads)
      return emitOpError("has a block that no device can run");
  }
  if (auto pairs = getMayAlias()) {
    if (pairs->size() % 2 != 0) return emitOpError("may_alias wants pairs");
    for (int64_t argument : *pairs) {
      if (argument < 0 || argument >= arguments)
        return emitOpError("may_alias names no argument: ") << argument;
    }
  }
  return success();
}

// Memory. ---------------------------------------------------------------------------------------------------

namespace {

// One unit, or a vector of rank 1 of them.
LogicalResult VerifyAccess(mlir::Operation* op, mlir::Type value, BufferType buffer,
                           std::optional<uint64_t> alignment) {
  int64_t lanes = 1;
  mlir::Type unit = value;
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(value)) {
    if (vector.getRank() != 1 || vector.isScalable())
      return op->emitOpError("wants a fixed vector of rank 1, found ") << value;
    lanes = vector.getNumElements();
    unit = vector.getElementType();
  }
  if (unit != buffer.storageType()) {
    return op->emitOpError("moves ") << unit << " but " << buffer << " holds " << buffer.storageType();
  }
  if (lanes > buffer.unitCount())
    return op->emitOpError("moves ") << lanes << " lanes, more than " << buffer << " has";
  if (alignment && (*alignment == 0 || (*alignment & (*alignment - 1)) != 0)) {
    return op->emitOpError("alignment is no power of two");
  }
  return success();
}

}  // namespace

LogicalResult LoadOp::verify() {
  return VerifyAccess(*this, getValue().getType(), getBuffer().getType(), getAlignment());
}
LogicalResult StoreOp::verify() {
  return VerifyAccess(*this, getValue().getType(), getBuffer().getType(), getAlignment());
}

LogicalResult ConstantOp::verify() {
  const int64_t unit = getBuffer().getType().storageType().getIntOrFloatBitWidth() / 8;
  const int64_t wanted = getBuffer().getType().unitCount() * unit;
  if (static_cast<int64_t>(getBytes().size()) != wanted) {
    return emitOpError("holds ") << getBytes().size() << " bytes, its type wants " << wanted;
  }
  return success();
}

namespace {
int64_t BytesOf(BufferType type) {
  return type.unitCount() * static_cast<int64_t>(type.storageType().getIntOrFloatBitWidth() / 8);
}
}  // namespace

LogicalResult ViewOp::verify() {
  const auto offset = static_cast<int64_t>(getByteOffset());
  if (getSource().getType().getElement() != ElementType::kU8) return emitOpError("wants a source of bytes");
  if (offset < 0 || offset % 64 != 0) return emitOpError("wants an offset that is a multiple of 64");
  if (offset > BytesOf(getSource().getType()) - BytesOf(getBuffer().getType()))
    return emitOpError("reaches beyond its source");
  return success();
}

namespace {
LogicalResult VerifyUnit(mlir::Operation* op, mlir::Type value, BufferType buffer) {
  if (mlir::failed(VerifyInBlock(op))) return failure();
  if (value == buffer.storageType()) return success();
  return op->emitOpError("combines ")
         << value << " into " << buffer << ", which holds " << buffer.storageType();
}
}  // namespace

LogicalResult AtomicOp::verify() { return VerifyUnit(*this, getValue().getType(), getBuffer().getType()); }

LogicalResult AtomicUpdateOp::verify() {
  mlir::Block& block = getBody().front();
  if (block.getNumArguments() != 1) return emitOpError("wants a region of one argument, the old value");
  if (mlir::failed(VerifyUnit(*this, block.getArgument(0).getType(), getBuffer().getType())))
    return failure();
  auto yield = mlir::dyn_cast<YieldOp>(block.back());
  if (!yield) return emitOpError("wants a region that ends in sf.yield");
  return VerifyUnit(*this, yield.getValue().getType(), getBuffer().getType());
}

LogicalResult LocalOp::verify() {
  constexpr int64_t kLimit = 64 << 10;
  const BufferType type = getBuffer().getType();
  if (BytesOf(type) > kLimit) {
    return emitOpError("is larger than 64 KiB; use scratch");
  }
  return success();
}

}  // namespace subfloor::codegen::sf
