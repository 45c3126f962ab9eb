#include "codegen/lowering/kernel_lowering.h"

#include "codegen/lowering/atomics.h"
#include "device/description/kernel_abi.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen {

namespace LLVM = mlir::LLVM;

AliasScopes::AliasScopes(sf::KernelOp kernel) {
  mlir::MLIRContext* context = kernel.getContext();
  auto text = [&](llvm::Twine t) { return mlir::StringAttr::get(context, t); };
  auto domain = LLVM::AliasScopeDomainAttr::get(context, text(kernel.getSymName()));
  const size_t count = kernel.getArgumentTypes().size();
  for (size_t i = 0; i < count; ++i)
    scopes_.push_back(LLVM::AliasScopeAttr::get(domain, text("arg" + llvm::Twine(i))));
  may_alias_.assign(count, std::vector<bool>(count, false));
  if (auto pairs = kernel.getMayAlias()) {
    for (size_t i = 0; i + 1 < pairs->size(); i += 2) {
      const auto a = static_cast<size_t>((*pairs)[i]), b = static_cast<size_t>((*pairs)[i + 1]);
      may_alias_[a][b] = may_alias_[b][a] = true;
    }
  }
  // An operand is never written unless it is also a result.
  for (size_t i = 0; i < count; ++i) {
    bool alone = true;
    for (size_t j = 0; j < count; ++j) alone &= !may_alias_[i][j];
    alone_.push_back(alone);
    invariant_.push_back(alone && i < kernel.getInputs());
  }
}

mlir::ArrayAttr AliasScopes::OthersThan(size_t argument) const {
  llvm::SmallVector<mlir::Attribute> others;
  for (size_t j = 0; j < scopes_.size(); ++j) {
    if (j != argument && !may_alias_[argument][j]) others.push_back(scopes_[j]);
  }
  if (others.empty()) return {};
  return mlir::ArrayAttr::get(scopes_[argument].getContext(), others);
}

KernelLowering::KernelLowering(sf::KernelOp kernel)
    : kernel_(kernel),
      name_(kernel.getSymName().str()),
      aliases_(kernel),
      b_(kernel.getLoc(), kernel.getContext()) {}

void KernelLowering::Run() {
  b_.setInsertionPoint(kernel_);
  LLVM::LLVMFuncOp function = MakeFunction();
  function.getBody().takeBody(kernel_.getBody());
  entry_ = &function.getBody().front();
  const unsigned buffers = entry_->getNumArguments();
  b_.setInsertionPointToStart(entry_);
  Enter(*entry_);

  llvm::SmallVector<mlir::Operation*> ours;
  function.walk([&](mlir::Operation* op) {
    // A yield goes with its update.
    if (mlir::isa<sf::SFDialect>(op->getDialect()) && !mlir::isa<sf::YieldOp>(op)) ours.push_back(op);
  });
  // A region's ops come before the op that holds it: what an atomic update moves away is lowered by then.
  for (mlir::Operation* op : ours) {
    b_.setInsertionPoint(op);
    b_.setLoc(op->getLoc());
    Lower(op);
  }
  for (mlir::Operation* op : llvm::reverse(ours)) op->erase();
  entry_->eraseArguments(0, buffers);
  kernel_.erase();
}

void KernelLowering::Lower(mlir::Operation* op) {
  llvm::TypeSwitch<mlir::Operation*>(op)
      .Case([&](sf::LoadOp load) { LowerLoad(load); })
      .Case([&](sf::StoreOp store) { LowerStore(store); })
      .Case([&](sf::ConstantOp constant) { LowerConstant(constant); })
      .Case([&](sf::LocalOp local) { LowerLocal(local); })
      .Case([&](sf::ViewOp view) { LowerView(view); })
      .Case([&](sf::SharedOp shared) {
        others_[shared.getBuffer().getAsOpaquePointer()] = LowerShared(shared);
      })
      .Case([&](sf::AtomicOp atomic) { LowerAtomic(atomic); })
      .Case([&](sf::AtomicUpdateOp update) { LowerAtomicUpdate(update); })
      .Case([&](sf::ReturnOp) { LowerReturn(); })
      .Default([&](mlir::Operation* other) {
        mlir::Value value = LowerThreadOp(other);
        if (value) other->getResult(0).replaceAllUsesWith(value);
      });
}

mlir::Value KernelLowering::Number(mlir::Type type, int64_t value) {
  return LLVM::ConstantOp::create(b_, type, b_.getIntegerAttr(type, value));
}

std::optional<size_t> KernelLowering::ArgumentOf(mlir::Value buffer) {
  if (auto view = buffer.getDefiningOp<sf::ViewOp>()) buffer = view.getSource();
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(buffer);
  if (!argument) return std::nullopt;
  return argument.getArgNumber();
}

mlir::Value KernelLowering::BaseOf(mlir::Value buffer) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(buffer);
  return argument ? pointers_[argument.getArgNumber()] : others_.at(buffer.getAsOpaquePointer());
}

mlir::Value KernelLowering::Address(mlir::Value buffer, mlir::Value offset) {
  mlir::Value base = BaseOf(buffer);
  return LLVM::GEPOp::create(b_, base.getType(), mlir::cast<sf::BufferType>(buffer.getType()).storageType(),
                             base, llvm::ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
}

namespace {

unsigned Alignment(mlir::Type type, std::optional<uint64_t> given) {
  if (given) return static_cast<unsigned>(*given);
  return mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

int64_t BytesOf(mlir::Type type) {
  const auto unit = static_cast<int64_t>(mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8);
  auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  return vector ? unit * vector.getNumElements() : unit;
}

}  // namespace

void KernelLowering::LowerLoad(sf::LoadOp load) {
  const mlir::Type type = load.getValue().getType();
  mlir::Value address = Checked(load, Address(load.getBuffer(), load.getOffset()), BytesOf(type));
  auto lowered = LLVM::LoadOp::create(b_, type, address, Alignment(type, load.getAlignment()));
  if (auto argument = ArgumentOf(load.getBuffer())) {
    aliases_.Describe(lowered, *argument);
    lowered.setInvariant(aliases_.invariant(*argument));
  } else if (load.getBuffer().getDefiningOp<sf::ConstantOp>()) {
    lowered.setInvariant(true);
  }
  load.getValue().replaceAllUsesWith(lowered);
}

void KernelLowering::LowerStore(sf::StoreOp store) {
  const mlir::Type type = store.getValue().getType();
  mlir::Value address = Checked(store, Address(store.getBuffer(), store.getOffset()), BytesOf(type));
  auto lowered = LLVM::StoreOp::create(b_, store.getValue(), address, Alignment(type, store.getAlignment()));
  if (auto argument = ArgumentOf(store.getBuffer())) aliases_.Describe(lowered, *argument);
}

void KernelLowering::LowerConstant(sf::ConstantOp constant) {
  const auto bytes = constant.getBytes();
  auto array = LLVM::LLVMArrayType::get(b_.getI8Type(), bytes.size());
  auto module = constant->getParentOfType<mlir::ModuleOp>();
  mlir::OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(module.getBody());
  llvm::StringRef raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto global = LLVM::GlobalOp::create(b_, array, /*isConstant=*/true, LLVM::Linkage::Private,
                                       (name_ + ".constant" + llvm::Twine(others_.size())).str(),
                                       b_.getStringAttr(raw), SUBFLOOR_BUFFER_ALIGNMENT, constant_space());
  b_.setInsertionPoint(constant);
  others_[constant.getBuffer().getAsOpaquePointer()] = LLVM::AddressOfOp::create(b_, global);
}

void KernelLowering::LowerLocal(sf::LocalOp local) {
  const sf::BufferType type = local.getBuffer().getType();
  mlir::OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(entry_);
  mlir::Value count = Number(b_.getI64Type(), type.unitCount());
  others_[local.getBuffer().getAsOpaquePointer()] = LLVM::AllocaOp::create(
      b_, Pointer(stack_space()), type.storageType(), count, SUBFLOOR_BUFFER_ALIGNMENT);
}

void KernelLowering::LowerView(sf::ViewOp view) {
  mlir::Value base = BaseOf(view.getSource());
  mlir::Value bytes = Number(b_.getI64Type(), static_cast<int64_t>(view.getByteOffset()));
  others_[view.getBuffer().getAsOpaquePointer()] =
      LLVM::GEPOp::create(b_, base.getType(), b_.getI8Type(), base, llvm::ArrayRef<LLVM::GEPArg>{bytes});
}

void KernelLowering::LowerAtomic(sf::AtomicOp atomic) {
  mlir::Value address =
      Checked(atomic, Address(atomic.getBuffer(), atomic.getOffset()), BytesOf(atomic.getValue().getType()));
  CombineAtomically(b_, atomic.getCombiner(), atomic.getBuffer().getType().getElement(), atomic.getValue(),
                    address, atomic_scope());
}

void KernelLowering::LowerAtomicUpdate(sf::AtomicUpdateOp update) {
  const mlir::Type type = update.getBuffer().getType().storageType();
  mlir::Value address = Checked(update, Address(update.getBuffer(), update.getOffset()), BytesOf(type));
  UpdateAtomically(b_, type, address, update.getBody().front(), atomic_scope());
}

}  // namespace subfloor::codegen
