#include "codegen/lowering/lower_kernels.h"

#include <cstddef>

#include "codegen/lowering/kernel_lowering.h"
#include "device/description/kernel_abi.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen {
namespace {

namespace LLVM = mlir::LLVM;

// A function of the kernel ABI: one call is one workgroup.
class HostLowering : public KernelLowering {
 public:
  using KernelLowering::KernelLowering;

 protected:
  LLVM::LLVMFuncOp MakeFunction() override {
    return LLVM::LLVMFuncOp::create(b_, name_, LLVM::LLVMFunctionType::get(b_.getI32Type(), {Pointer()}));
  }

  void Enter(mlir::Block& entry) override {
    const unsigned buffers = entry.getNumArguments();
    mlir::Value call = entry.addArgument(Pointer(), b_.getLoc());
    auto field = [&](mlir::Type type, mlir::Value base, size_t offset) -> mlir::Value {
      mlir::Value address = LLVM::GEPOp::create(b_, Pointer(), b_.getI8Type(), base,
                                                llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
      auto load = LLVM::LoadOp::create(b_, type, address);
      load.setInvariant(true);
      return load;
    };
    mlir::Value arguments = field(Pointer(), call, offsetof(SubfloorKernelCall, arguments));
    for (unsigned i = 0; i < buffers; ++i) {
      if (entry.getArgument(i).use_empty()) {
        pointers_.push_back({});
        continue;
      }
      pointers_.push_back(field(Pointer(), arguments, i * sizeof(SubfloorKernelArgument)));
      AssumeAligned(pointers_.back());
    }
    workgroup_ = field(b_.getI64Type(), call, offsetof(SubfloorKernelCall, workgroup_id));
  }

  void LowerReturn() override {
    LLVM::ReturnOp::create(b_, mlir::ValueRange{Number(b_.getI32Type(), SUBFLOOR_KERNEL_OK)});
  }

  mlir::Value LowerThreadOp(mlir::Operation* op) override {
    return mlir::isa<sf::WorkgroupIdOp>(op) ? workgroup_ : mlir::Value();
  }
  mlir::Value LowerShared(sf::SharedOp) override { return {}; }

 private:
  void AssumeAligned(mlir::Value pointer) {
    mlir::Value yes = LLVM::ConstantOp::create(b_, b_.getI1Type(), b_.getBoolAttr(true));
    mlir::Value bytes = Number(b_.getI64Type(), SUBFLOOR_BUFFER_ALIGNMENT);
    LLVM::AssumeOp::create(b_, yes, LLVM::AssumeAlignTag(), pointer, bytes);
  }

  mlir::Value workgroup_;
};

struct LowerKernels : mlir::PassWrapper<LowerKernels, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerKernels)
  llvm::StringRef getArgument() const override { return "lower-kernels"; }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override {
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<sf::KernelOp>())) {
      if (kernel.getBlock()) {
        kernel.emitError("has a block of threads: not for a CPU");
        return signalPassFailure();
      }
      HostLowering(kernel).Run();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> LowerKernelsPass() { return std::make_unique<LowerKernels>(); }

}  // namespace subfloor::codegen
