#include "codegen/target/gpu_kernels.h"

#include "codegen/target/gpu_lowering.h"
#include "device/description/kernel_abi.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen {

namespace LLVM = mlir::LLVM;

// All GPUs. -------------------------------------------------------------------------------------------------

mlir::Value GpuLowering::LowerThreadOp(mlir::Operation* op) {
  const auto widened = [&](mlir::Value id) -> mlir::Value {
    const mlir::Type wanted = op->getResult(0).getType();
    return id.getType() == wanted ? id : LLVM::ZExtOp::create(b_, wanted, id).getResult();
  };
  return llvm::TypeSwitch<mlir::Operation*, mlir::Value>(op)
      .Case([&](sf::ThreadIdOp id) { return widened(ThreadId(id.getDimension())); })
      .Case([&](sf::BlockIdOp id) { return widened(BlockId(id.getDimension())); })
      .Case([&](sf::BarrierOp barrier) {
        Barrier(barrier);
        return mlir::Value();
      })
      .Case([&](sf::ShuffleDownOp shuffle) { return Shuffle(shuffle); })
      .Default([](mlir::Operation*) { return mlir::Value(); });
}

// Hardware moves 32 bits: narrower values are widened, wider ones go in two.
mlir::Value GpuLowering::Shuffle(sf::ShuffleDownOp op) {
  const mlir::Type type = op.getValue().getType();
  const unsigned bits = type.getIntOrFloatBitWidth();
  const mlir::Type word = b_.getI32Type(), whole = b_.getIntegerType(bits);
  const auto as = [&](mlir::Type to, mlir::Value value) -> mlir::Value {
    return value.getType() == to ? value : LLVM::BitcastOp::create(b_, to, value).getResult();
  };
  const auto move = [&](mlir::Value value) {
    return ShuffleDown(op, value, static_cast<int64_t>(op.getDistance()));
  };
  mlir::Value value = as(whole, op.getValue());
  if (bits == 32) return as(type, move(value));
  if (bits < 32) {
    mlir::Value wide = move(LLVM::ZExtOp::create(b_, word, value));
    return as(type, LLVM::TruncOp::create(b_, whole, wide));
  }
  mlir::Value half = Number(whole, 32);
  mlir::Value low = move(LLVM::TruncOp::create(b_, word, value));
  mlir::Value high = move(LLVM::TruncOp::create(b_, word, LLVM::LShrOp::create(b_, value, half).getResult()));
  mlir::Value upper = LLVM::ShlOp::create(b_, LLVM::ZExtOp::create(b_, whole, high).getResult(), half);
  return as(type, LLVM::OrOp::create(b_, upper, LLVM::ZExtOp::create(b_, whole, low).getResult()));
}

mlir::Value GpuLowering::Intrinsic(mlir::Type result, llvm::StringRef name, mlir::ValueRange operands) {
  auto call = LLVM::CallIntrinsicOp::create(b_, result, b_.getStringAttr(name), operands);
  return call->getNumResults() > 0 ? call->getResult(0) : mlir::Value();
}

// Devices. --------------------------------------------------------------------------------------------------

LLVM::LLVMFuncOp DeviceLowering::MakeFunction() {
  mlir::MLIRContext* context = b_.getContext();
  const std::vector<mlir::Type> types(kernel_.getArgumentTypes().size(), Pointer(kGlobal));
  auto function = LLVM::LLVMFuncOp::create(
      b_, name_, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
  function.setCConv(convention());
  llvm::SmallVector<mlir::Attribute> passthrough;
  for (const auto& [name, value] : attributes())
    passthrough.push_back(b_.getStrArrayAttr({llvm::StringRef(name), llvm::StringRef(value)}));
  function.setPassthroughAttr(b_.getArrayAttr(passthrough));
  for (unsigned i = 0; i < types.size(); ++i) {
    auto type = mlir::cast<sf::BufferType>(kernel_.getArgumentTypes()[i]);
    const int64_t bytes = type.unitCount() * type.storageType().getIntOrFloatBitWidth() / 8;
    function.setArgAttr(i, "llvm.align", b_.getI64IntegerAttr(SUBFLOOR_BUFFER_ALIGNMENT));
    if (bytes > 0) function.setArgAttr(i, "llvm.dereferenceable", b_.getI64IntegerAttr(bytes));
    if (aliases_.alone(i)) function.setArgAttr(i, "llvm.noalias", b_.getUnitAttr());
    if (aliases_.invariant(i)) function.setArgAttr(i, "llvm.readonly", b_.getUnitAttr());
  }
  return function;
}

void DeviceLowering::Enter(mlir::Block& entry) {
  const unsigned buffers = entry.getNumArguments();
  for (unsigned i = 0; i < buffers; ++i)
    pointers_.push_back(entry.addArgument(Pointer(kGlobal), b_.getLoc()));
}

void DeviceLowering::LowerReturn() { LLVM::ReturnOp::create(b_, mlir::ValueRange{}); }

mlir::Value DeviceLowering::LowerShared(sf::SharedOp op) {
  const sf::BufferType type = op.getBuffer().getType();
  auto array = LLVM::LLVMArrayType::get(type.storageType(), static_cast<uint64_t>(type.unitCount()));
  auto module = op->getParentOfType<mlir::ModuleOp>();
  mlir::OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(module.getBody());
  auto global = LLVM::GlobalOp::create(b_, array, /*isConstant=*/false, LLVM::Linkage::Internal,
                                       (name_ + ".shared" + llvm::Twine(shared_++)).str(),
                                       /*value=*/mlir::Attribute(), SUBFLOOR_BUFFER_ALIGNMENT, kShared);
  b_.setInsertionPoint(op);
  return LLVM::AddressOfOp::create(b_, global);
}

// The pass. -------------------------------------------------------------------------------------------------

namespace {

struct LowerGpuKernels : mlir::PassWrapper<LowerGpuKernels, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerGpuKernels)
  LowerGpuKernels(GpuTarget target, device::SimulatedKernelPlan* plan) : target(target), plan(plan) {}
  LowerGpuKernels(const LowerGpuKernels& other)
      : PassWrapper(other), target(other.target), plan(other.plan) {}

  llvm::StringRef getArgument() const override { return "lower-gpu-kernels"; }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override {
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<sf::KernelOp>())) {
      if (!kernel.getBlock()) {
        kernel.emitError("has no block of threads: not for a GPU");
        return signalPassFailure();
      }
      Make(kernel)->Run();
    }
  }

  std::unique_ptr<KernelLowering> Make(sf::KernelOp kernel) const {
    switch (target.kind) {
      case GpuKind::kNvptx:
        return MakeNvptxLowering(kernel);
      case GpuKind::kAmdgpu:
        return MakeAmdgpuLowering(kernel, target.threads_per_warp);
      case GpuKind::kSimulator:
      case GpuKind::kSimulatorChecked:
        break;
    }
    return MakeSimulatorLowering(kernel, target.kind == GpuKind::kSimulatorChecked, plan);
  }

  GpuTarget target;
  device::SimulatedKernelPlan* plan;
};

}  // namespace

std::unique_ptr<mlir::Pass> LowerGpuKernelsPass(GpuTarget target, device::SimulatedKernelPlan* plan) {
  return std::make_unique<LowerGpuKernels>(target, plan);
}

}  // namespace subfloor::codegen
