#include "codegen/target/gpu_lowering.h"

namespace subfloor::codegen {
namespace {

namespace LLVM = mlir::LLVM;

class NvptxLowering : public DeviceLowering {
 public:
  using DeviceLowering::DeviceLowering;

 protected:
  LLVM::CConv convention() const override { return LLVM::CConv::PTX_Kernel; }
  unsigned constant_space() const override { return kGlobal; }
  std::string_view atomic_scope() const override { return "device"; }

  std::vector<std::pair<std::string, std::string>> attributes() override {
    const llvm::ArrayRef<int64_t> block = *kernel_.getBlock();
    std::string sizes;
    for (int64_t size : block) sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    return {{"nvvm.reqntid", sizes}};
  }

  mlir::Value ThreadId(sf::Dimension dimension) override {
    return Intrinsic(b_.getI32Type(), std::string("llvm.nvvm.read.ptx.sreg.tid.") + Letter(dimension));
  }
  mlir::Value BlockId(sf::Dimension dimension) override {
    return Intrinsic(b_.getI32Type(), std::string("llvm.nvvm.read.ptx.sreg.ctaid.") + Letter(dimension));
  }
  void Barrier(mlir::Operation*) override {
    Intrinsic({}, "llvm.nvvm.barrier.cta.sync.aligned.all", {Number(b_.getI32Type(), 0)});
  }
  mlir::Value ShuffleDown(mlir::Operation*, mlir::Value value, int64_t distance) override {
    const mlir::Type word = b_.getI32Type();
    return Intrinsic(word, "llvm.nvvm.shfl.sync.down.i32",
                     {Number(word, -1), value, Number(word, distance), Number(word, 31)});
  }
};

}  // namespace

std::unique_ptr<KernelLowering> MakeNvptxLowering(sf::KernelOp kernel) {
  return std::make_unique<NvptxLowering>(kernel);
}

}  // namespace subfloor::codegen
