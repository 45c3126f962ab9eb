#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/lowering/kernel_lowering.h"
#include "codegen/target/gpu_kernels.h"

/// The three ways in which a GPU's kernel becomes a function; inside codegen/target/ only.
namespace subfloor::codegen {

class GpuLowering : public KernelLowering {
 public:
  using KernelLowering::KernelLowering;

 protected:
  mlir::Value LowerThreadOp(mlir::Operation* op) override;

  virtual mlir::Value ThreadId(sf::Dimension dimension) = 0;  ///< i32
  virtual mlir::Value BlockId(sf::Dimension dimension) = 0;   ///< i32
  virtual void Barrier(mlir::Operation* op) = 0;
  /// Of 32 bits.
  virtual mlir::Value ShuffleDown(mlir::Operation* op, mlir::Value value, int64_t distance) = 0;

  mlir::Value Intrinsic(mlir::Type result, llvm::StringRef name, mlir::ValueRange operands = {});
  /// x, y, z.
  static char Letter(sf::Dimension dimension) { return "xyz"[static_cast<int>(dimension)]; }

 private:
  mlir::Value Shuffle(sf::ShuffleDownOp op);
};

/// Devices: buffers are pointers to global memory, shared memory is a global variable of its own space.
class DeviceLowering : public GpuLowering {
 public:
  using GpuLowering::GpuLowering;

 protected:
  mlir::LLVM::LLVMFuncOp MakeFunction() override;
  void Enter(mlir::Block& entry) override;
  void LowerReturn() override;
  mlir::Value LowerShared(sf::SharedOp op) override;

  virtual mlir::LLVM::CConv convention() const = 0;
  /// LLVM's string attributes of the function: name and value.
  virtual std::vector<std::pair<std::string, std::string>> attributes() = 0;
  static constexpr unsigned kGlobal = 1, kShared = 3;

 private:
  int shared_ = 0;
};

std::unique_ptr<KernelLowering> MakeNvptxLowering(sf::KernelOp kernel);
std::unique_ptr<KernelLowering> MakeAmdgpuLowering(sf::KernelOp kernel, int64_t threads_per_warp);
std::unique_ptr<KernelLowering> MakeSimulatorLowering(sf::KernelOp kernel, bool checked,
                                                      device::SimulatedKernelPlan* plan);

}  // namespace subfloor::codegen
