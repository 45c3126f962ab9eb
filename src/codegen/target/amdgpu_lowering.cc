#include "codegen/target/gpu_lowering.h"

namespace subfloor::codegen {
namespace {

namespace LLVM = mlir::LLVM;

class AmdgpuLowering : public DeviceLowering {
 public:
  AmdgpuLowering(sf::KernelOp kernel, int64_t threads_per_warp)
      : DeviceLowering(kernel), threads_per_warp_(threads_per_warp) {}

 protected:
  LLVM::CConv convention() const override { return LLVM::CConv::AMDGPU_KERNEL; }
  unsigned constant_space() const override { return 4; }
  unsigned stack_space() const override { return 5; }
  std::string_view atomic_scope() const override { return "agent"; }

  std::vector<std::pair<std::string, std::string>> attributes() override {
    int64_t threads = 1;
    for (int64_t size : *kernel_.getBlock()) threads *= size;
    const std::string exactly = std::to_string(threads) + "," + std::to_string(threads);
    return {{"amdgpu-flat-work-group-size", exactly}, {"uniform-work-group-size", "true"}};
  }

  mlir::Value ThreadId(sf::Dimension dimension) override {
    return Intrinsic(b_.getI32Type(), std::string("llvm.amdgcn.workitem.id.") + Letter(dimension));
  }
  mlir::Value BlockId(sf::Dimension dimension) override {
    return Intrinsic(b_.getI32Type(), std::string("llvm.amdgcn.workgroup.id.") + Letter(dimension));
  }
  void Barrier(mlir::Operation*) override {
    LLVM::FenceOp::create(b_, LLVM::AtomicOrdering::release, "workgroup");
    Intrinsic({}, "llvm.amdgcn.s.barrier");
    LLVM::FenceOp::create(b_, LLVM::AtomicOrdering::acquire, "workgroup");
  }
  mlir::Value ShuffleDown(mlir::Operation*, mlir::Value value, int64_t distance) override {
    const mlir::Type word = b_.getI32Type();
    mlir::Value all = Number(word, -1);
    mlir::Value low = Intrinsic(word, "llvm.amdgcn.mbcnt.lo", {all, Number(word, 0)});
    mlir::Value lane = Intrinsic(word, "llvm.amdgcn.mbcnt.hi", {all, low});
    mlir::Value other = LLVM::AddOp::create(b_, lane, Number(word, distance));
    mlir::Value there =
        LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ult, other, Number(word, threads_per_warp_));
    mlir::Value from = LLVM::SelectOp::create(b_, there, other, lane);
    mlir::Value bytes = LLVM::ShlOp::create(b_, from, Number(word, 2));
    return Intrinsic(word, "llvm.amdgcn.ds.bpermute", {bytes, value});
  }

 private:
  int64_t threads_per_warp_;
};

}  // namespace

std::unique_ptr<KernelLowering> MakeAmdgpuLowering(sf::KernelOp kernel, int64_t threads_per_warp) {
  return std::make_unique<AmdgpuLowering>(kernel, threads_per_warp);
}

}  // namespace subfloor::codegen
