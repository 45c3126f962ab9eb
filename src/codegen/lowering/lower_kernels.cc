#include "codegen/lowering/lower_kernels.h"

#include <cstddef>

#include "codegen/dialect/sf.h"
#include "device/description/kernel_abi.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace subfloor::codegen {
namespace {

namespace LLVM = mlir::LLVM;

// Who may be the same memory as whom, told to LLVM as one alias scope a buffer.
class AliasScopes {
 public:
  AliasScopes(sf::KernelOp kernel) {
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
      bool constant = i < kernel.getInputs();
      for (size_t j = 0; j < count; ++j) constant &= !may_alias_[i][j];
      invariant_.push_back(constant);
    }
  }

  template <typename Access>
  void Describe(Access access, size_t argument) const {
    llvm::SmallVector<mlir::Attribute> others;
    for (size_t j = 0; j < scopes_.size(); ++j) {
      if (j != argument && !may_alias_[argument][j]) others.push_back(scopes_[j]);
    }
    access.setAliasScopesAttr(mlir::ArrayAttr::get(access.getContext(), {scopes_[argument]}));
    if (!others.empty()) access.setNoaliasScopesAttr(mlir::ArrayAttr::get(access.getContext(), others));
  }
  bool invariant(size_t argument) const { return invariant_[argument]; }

 private:
  std::vector<LLVM::AliasScopeAttr> scopes_;
  std::vector<std::vector<bool>> may_alias_;
  std::vector<bool> invariant_;
};

class KernelLowering {
 public:
  explicit KernelLowering(sf::KernelOp kernel)
      : kernel_(kernel), aliases_(kernel), b_(kernel.getLoc(), kernel.getContext()) {}

  void Run() {
    mlir::MLIRContext* context = kernel_.getContext();
    b_.setInsertionPoint(kernel_);
    const auto ptr = LLVM::LLVMPointerType::get(context);
    auto function = LLVM::LLVMFuncOp::create(b_, kernel_.getSymName(),
                                             LLVM::LLVMFunctionType::get(b_.getI32Type(), {ptr}));
    function.getBody().takeBody(kernel_.getBody());
    mlir::Block& entry = function.getBody().front();
    mlir::Value call = entry.addArgument(ptr, kernel_.getLoc());
    b_.setInsertionPointToStart(&entry);

    auto field = [&](mlir::Type type, mlir::Value base, size_t offset) -> mlir::Value {
      mlir::Value address = LLVM::GEPOp::create(b_, ptr, b_.getI8Type(), base,
                                                llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
      auto load = LLVM::LoadOp::create(b_, type, address);
      load.setInvariant(true);
      return load;
    };
    mlir::Value arguments = field(ptr, call, offsetof(SubfloorKernelCall, arguments));
    const size_t count = entry.getNumArguments() - 1;
    for (size_t i = 0; i < count; ++i) {
      const mlir::BlockArgument buffer = entry.getArgument(static_cast<unsigned>(i));
      if (buffer.use_empty()) {
        pointers_.push_back({});
        continue;
      }
      pointers_.push_back(field(ptr, arguments, i * sizeof(SubfloorKernelArgument)));
      AssumeAligned(pointers_.back());
    }
    workgroup_ = field(b_.getI64Type(), call, offsetof(SubfloorKernelCall, workgroup_id));
    entry_ = &entry;

    llvm::SmallVector<mlir::Operation*> ours;
    function.walk([&](mlir::Operation* op) {
      if (mlir::isa<sf::SFDialect>(op->getDialect())) ours.push_back(op);
    });
    for (mlir::Operation* op : ours) {
      b_.setInsertionPoint(op);
      b_.setLoc(op->getLoc());
      Lower(op);
    }
    for (mlir::Operation* op : llvm::reverse(ours)) op->erase();
    entry.eraseArguments(0, static_cast<unsigned>(count));
    kernel_.erase();
  }

 private:
  void AssumeAligned(mlir::Value pointer) {
    mlir::Value yes = LLVM::ConstantOp::create(b_, b_.getI1Type(), b_.getBoolAttr(true));
    mlir::Value bytes =
        LLVM::ConstantOp::create(b_, b_.getI64Type(), b_.getI64IntegerAttr(SUBFLOOR_BUFFER_ALIGNMENT));
    LLVM::AssumeOp::create(b_, yes, LLVM::AssumeAlignTag(), pointer, bytes);
  }

  void Lower(mlir::Operation* op) {
    llvm::TypeSwitch<mlir::Operation*>(op)
        .Case([&](sf::LoadOp load) { LowerLoad(load); })
        .Case([&](sf::StoreOp store) { LowerStore(store); })
        .Case([&](sf::ConstantOp constant) { LowerConstant(constant); })
        .Case([&](sf::LocalOp local) { LowerLocal(local); })
        .Case([&](sf::ViewOp view) {
          mlir::Value base = BaseOf(view.getSource());
          mlir::Value bytes = LLVM::ConstantOp::create(b_, b_.getI64Type(), view.getByteOffsetAttr());
          others_[view.getBuffer().getAsOpaquePointer()] =
              LLVM::GEPOp::create(b_, LLVM::LLVMPointerType::get(b_.getContext()), b_.getI8Type(), base,
                                  llvm::ArrayRef<LLVM::GEPArg>{bytes});
        })
        .Case([&](sf::WorkgroupIdOp id) { id.getId().replaceAllUsesWith(workgroup_); })
        .Case([&](sf::ReturnOp) {
          mlir::Value ok =
              LLVM::ConstantOp::create(b_, b_.getI32Type(), b_.getI32IntegerAttr(SUBFLOOR_KERNEL_OK));
          LLVM::ReturnOp::create(b_, mlir::ValueRange{ok});
        });
  }

  // The kernel argument a buffer is or is a part of; nothing for constants and locals.
  std::optional<size_t> ArgumentOf(mlir::Value buffer) const {
    if (auto view = buffer.getDefiningOp<sf::ViewOp>()) buffer = view.getSource();
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(buffer);
    if (!argument) return std::nullopt;
    return argument.getArgNumber();
  }

  mlir::Value BaseOf(mlir::Value buffer) {
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(buffer);
    return argument ? pointers_[argument.getArgNumber()] : others_.at(buffer.getAsOpaquePointer());
  }

  mlir::Value Address(mlir::Value buffer, mlir::Value offset) {
    return LLVM::GEPOp::create(b_, LLVM::LLVMPointerType::get(b_.getContext()),
                               mlir::cast<sf::BufferType>(buffer.getType()).storageType(), BaseOf(buffer),
                               llvm::ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
  }

  static unsigned Alignment(mlir::Type type, std::optional<uint64_t> given) {
    if (given) return static_cast<unsigned>(*given);
    return mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
  }

  void LowerLoad(sf::LoadOp load) {
    mlir::Value address = Address(load.getBuffer(), load.getOffset());
    auto lowered = LLVM::LoadOp::create(b_, load.getValue().getType(), address,
                                        Alignment(load.getValue().getType(), load.getAlignment()));
    if (auto argument = ArgumentOf(load.getBuffer())) {
      aliases_.Describe(lowered, *argument);
      lowered.setInvariant(aliases_.invariant(*argument));
    } else if (load.getBuffer().getDefiningOp<sf::ConstantOp>()) {
      lowered.setInvariant(true);
    }
    load.getValue().replaceAllUsesWith(lowered);
  }

  void LowerStore(sf::StoreOp store) {
    mlir::Value address = Address(store.getBuffer(), store.getOffset());
    auto lowered = LLVM::StoreOp::create(b_, store.getValue(), address,
                                         Alignment(store.getValue().getType(), store.getAlignment()));
    if (auto argument = ArgumentOf(store.getBuffer())) aliases_.Describe(lowered, *argument);
  }

  void LowerConstant(sf::ConstantOp constant) {
    const auto bytes = constant.getBytes();
    auto array = LLVM::LLVMArrayType::get(b_.getI8Type(), bytes.size());
    auto module = kernel_->getParentOfType<mlir::ModuleOp>();
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(module.getBody());
    llvm::StringRef raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto global =
        LLVM::GlobalOp::create(b_, array, /*isConstant=*/true, LLVM::Linkage::Private,
                               (kernel_.getSymName() + ".constant" + llvm::Twine(others_.size())).str(),
                               b_.getStringAttr(raw), SUBFLOOR_BUFFER_ALIGNMENT);
    b_.setInsertionPoint(constant);
    others_[constant.getBuffer().getAsOpaquePointer()] = LLVM::AddressOfOp::create(b_, global);
  }

  void LowerLocal(sf::LocalOp local) {
    const sf::BufferType type = local.getBuffer().getType();
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(entry_);
    mlir::Value count = LLVM::ConstantOp::create(b_, b_.getI64Type(), b_.getI64IntegerAttr(type.unitCount()));
    others_[local.getBuffer().getAsOpaquePointer()] =
        LLVM::AllocaOp::create(b_, LLVM::LLVMPointerType::get(b_.getContext()), type.storageType(), count,
                               SUBFLOOR_BUFFER_ALIGNMENT);
  }

  sf::KernelOp kernel_;
  AliasScopes aliases_;
  mlir::ImplicitLocOpBuilder b_;
  mlir::Block* entry_ = nullptr;
  std::vector<mlir::Value> pointers_;
  llvm::DenseMap<const void*, mlir::Value> others_;
  mlir::Value workgroup_;
};

struct LowerKernels : mlir::PassWrapper<LowerKernels, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerKernels)
  llvm::StringRef getArgument() const override { return "lower-kernels"; }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override {
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<sf::KernelOp>()))
      KernelLowering(kernel).Run();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> LowerKernelsPass() { return std::make_unique<LowerKernels>(); }

}  // namespace subfloor::codegen
