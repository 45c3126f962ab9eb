#include <array>
#include <cstddef>

#include "codegen/target/gpu_lowering.h"
#include "device/description/kernel_abi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace subfloor::codegen {
namespace {

namespace LLVM = mlir::LLVM;

class SimulatorLowering : public GpuLowering {
 public:
  SimulatorLowering(sf::KernelOp kernel, bool checked, device::SimulatedKernelPlan* plan)
      : GpuLowering(kernel), checked_(checked), plan_(plan) {}

 protected:
  LLVM::LLVMFuncOp MakeFunction() override {
    bool synchronises = false;
    kernel_.walk(
        [&](mlir::Operation* op) { synchronises |= mlir::isa<sf::BarrierOp, sf::ShuffleDownOp>(op); });
    // A block without a meeting of its threads is one call, so that they cost a loop each and no more.
    whole_block_ = !synchronises && !checked_;
    if (plan_ != nullptr) {
      plan_->symbol = name_;
      plan_->checked = checked_;
      plan_->synchronises = synchronises;
      plan_->whole_block = whole_block_;
      for (size_t d = 0; d < 3; ++d) {
        plan_->grid[d] = static_cast<uint64_t>((*kernel_.getGrid())[d]);
        plan_->block[d] = static_cast<uint64_t>((*kernel_.getBlock())[d]);
      }
    }
    if (whole_block_) LoopOverThreads();
    return LLVM::LLVMFuncOp::create(b_, name_, LLVM::LLVMFunctionType::get(b_.getI32Type(), {Pointer()}));
  }

  void Enter(mlir::Block& entry) override {
    const unsigned buffers = entry.getNumArguments();
    mlir::Value call = entry.addArgument(Pointer(), b_.getLoc());
    mlir::Value arguments = Field(Pointer(), call, offsetof(SubfloorKernelCall, arguments));
    for (unsigned i = 0; i < buffers; ++i) {
      const bool used = !entry.getArgument(i).use_empty();
      pointers_.push_back(used ? Field(Pointer(), arguments, i * sizeof(SubfloorKernelArgument))
                               : mlir::Value());
    }
    for (size_t d = 0; d < 3; ++d) {
      blocks_[d] = Narrow(
          Field(b_.getI64Type(), call, offsetof(SubfloorKernelCall, workgroup_id) + d * sizeof(uint64_t)));
    }
    thread_ = Field(Pointer(), call, offsetof(SubfloorKernelCall, thread));
    shared_ = Field(Pointer(), thread_, offsetof(SubfloorKernelThread, shared));
    if (whole_block_) return;
    hooks_ = Field(Pointer(), thread_, offsetof(SubfloorKernelThread, hooks));
    for (size_t d = 0; d < 3; ++d) {
      threads_[d] = Narrow(
          Field(b_.getI64Type(), thread_, offsetof(SubfloorKernelThread, thread_id) + d * sizeof(uint64_t)));
    }
  }

  void LowerReturn() override {
    if (plan_ != nullptr) plan_->shared_bytes = static_cast<uint64_t>(shared_bytes_);
    LLVM::ReturnOp::create(b_, mlir::ValueRange{Number(b_.getI32Type(), SUBFLOOR_KERNEL_OK)});
  }

  mlir::Value ThreadId(sf::Dimension dimension) override { return threads_[static_cast<size_t>(dimension)]; }
  mlir::Value BlockId(sf::Dimension dimension) override { return blocks_[static_cast<size_t>(dimension)]; }

  void Barrier(mlir::Operation* op) override {
    Hook(offsetof(SubfloorThreadHooks, barrier), {}, {thread_, Site(op)});
  }
  mlir::Value ShuffleDown(mlir::Operation* op, mlir::Value value, int64_t distance) override {
    return Hook(offsetof(SubfloorThreadHooks, shuffle_down), b_.getI32Type(),
                {thread_, Site(op), value, Number(b_.getI32Type(), distance)});
  }

  mlir::Value LowerShared(sf::SharedOp op) override {
    const sf::BufferType type = op.getBuffer().getType();
    mlir::Value base = LLVM::GEPOp::create(b_, Pointer(), b_.getI8Type(), shared_,
                                           llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(shared_bytes_)});
    const int64_t bytes = type.unitCount() * type.storageType().getIntOrFloatBitWidth() / 8;
    constexpr int64_t kAlignment = SUBFLOOR_BUFFER_ALIGNMENT;
    shared_bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return base;
  }

  mlir::Value Checked(mlir::Operation* op, mlir::Value address, int64_t bytes) override {
    if (!checked_) return address;
    mlir::Value buffer;
    int64_t kind = SUBFLOOR_ACCESS_ATOMIC;
    if (auto load = mlir::dyn_cast<sf::LoadOp>(op)) {
      buffer = load.getBuffer();
      kind = SUBFLOOR_ACCESS_LOAD;
    } else if (auto store = mlir::dyn_cast<sf::StoreOp>(op)) {
      buffer = store.getBuffer();
      kind = SUBFLOOR_ACCESS_STORE;
    } else if (auto atomic = mlir::dyn_cast<sf::AtomicOp>(op)) {
      buffer = atomic.getBuffer();
    } else if (auto update = mlir::dyn_cast<sf::AtomicUpdateOp>(op)) {
      buffer = update.getBuffer();
    }
    // A thread's own memory and constants of the image are nobody else's.
    if (buffer.getDefiningOp<sf::LocalOp>() || buffer.getDefiningOp<sf::ConstantOp>()) return address;
    if (buffer.getDefiningOp<sf::SharedOp>()) kind |= SUBFLOOR_ACCESS_SHARED;
    const mlir::Type word = b_.getI32Type();
    const std::optional<size_t> argument = ArgumentOf(buffer);
    return Hook(offsetof(SubfloorThreadHooks, access), Pointer(),
                {thread_, Site(op, argument ? static_cast<int>(*argument) : -1), address, Number(word, bytes),
                 Number(word, kind)});
  }

 private:
  mlir::Value Field(mlir::Type type, mlir::Value base, size_t offset) {
    mlir::Value address = LLVM::GEPOp::create(b_, Pointer(), b_.getI8Type(), base,
                                              llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    auto load = LLVM::LoadOp::create(b_, type, address);
    load.setInvariant(true);
    return load;
  }
  mlir::Value Narrow(mlir::Value wide) { return LLVM::TruncOp::create(b_, b_.getI32Type(), wide); }

  mlir::Value Site(mlir::Operation* op, int argument = -1) {
    if (plan_ != nullptr) {
      device::SimulatedSite site{.op = op->getName().stripDialect().str(), .argument = argument};
      if (auto loc = mlir::dyn_cast<mlir::NameLoc>(op->getLoc())) site.instruction = loc.getName().str();
      plan_->sites.push_back(std::move(site));
    }
    return Number(b_.getI32Type(), site_++);
  }

  mlir::Value Hook(size_t offset, mlir::Type result, llvm::ArrayRef<mlir::Value> operands) {
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value operand : operands) types.push_back(operand.getType());
    auto type =
        LLVM::LLVMFunctionType::get(result ? result : LLVM::LLVMVoidType::get(b_.getContext()), types);
    llvm::SmallVector<mlir::Value> callee = {Field(Pointer(), hooks_, offset)};
    callee.append(operands.begin(), operands.end());
    auto call = LLVM::CallOp::create(b_, type, callee);
    return result ? call.getResult() : mlir::Value();
  }

  // The kernel's body inside of loops over the threads of the block.
  void LoopOverThreads() {
    mlir::Block& body = kernel_.getBody().front();
    mlir::Operation* last = &body.back();  // sf.return
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(&body);
    mlir::Operation* first = nullptr;
    const llvm::ArrayRef<int64_t> block = *kernel_.getBlock();
    const auto number = [&](int64_t value) -> mlir::Value {
      return mlir::arith::ConstantIntOp::create(b_, value, 32);
    };
    mlir::Block* inner = &body;
    for (size_t d = 3; d-- > 0;) {
      mlir::Value low = number(0), high = number(block[d]), step = number(1);
      auto loop = mlir::scf::ForOp::create(b_, low, high, step);
      if (first == nullptr) first = loop;
      threads_[d] = loop.getInductionVar();
      inner = loop.getBody();
      b_.setInsertionPoint(inner->getTerminator());
    }
    inner->getOperations().splice(inner->getTerminator()->getIterator(), body.getOperations(),
                                  std::next(first->getIterator()), last->getIterator());
  }

  bool checked_, whole_block_ = false;
  device::SimulatedKernelPlan* plan_;
  int64_t site_ = 0, shared_bytes_ = 0;
  std::array<mlir::Value, 3> blocks_, threads_;
  mlir::Value thread_, shared_, hooks_;
};

}  // namespace

std::unique_ptr<KernelLowering> MakeSimulatorLowering(sf::KernelOp kernel, bool checked,
                                                      device::SimulatedKernelPlan* plan) {
  return std::make_unique<SimulatorLowering>(kernel, checked, plan);
}

}  // namespace subfloor::codegen
