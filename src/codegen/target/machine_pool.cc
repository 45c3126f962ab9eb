#include "codegen/target/machine_pool.h"

#include <algorithm>

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

namespace subfloor::codegen {
namespace {

// What the build links, see cmake/StaticLlvm.cmake.
void StartTargets() {
#define SUBFLOOR_TARGET(name)         \
  LLVMInitialize##name##TargetInfo(); \
  LLVMInitialize##name##Target();     \
  LLVMInitialize##name##TargetMC();   \
  LLVMInitialize##name##AsmPrinter();
#include "codegen/targets.def"
#undef SUBFLOOR_TARGET
}

Result<std::unique_ptr<llvm::TargetMachine>> MakeMachine(const device::CpuDescription& cpu) {
  static std::once_flag once;
  std::call_once(once, StartTargets);
  std::string error;
  const llvm::Triple triple(cpu.triple);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return NotSupported("no code generator for {}: {}", cpu.triple, error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // the numeric contract: no contraction unasked
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, cpu.name, cpu.FeatureString(), options, llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) return NotSupported("no code generator for {} {}", cpu.triple, cpu.name);
  return machine;
}

}  // namespace

MachinePool::Lease::~Lease() {
  if (!machine_) return;
  std::lock_guard lock(pool_->mutex_);
  constexpr size_t kMostIdle = 16;  // as many as may be used at once
  if (pool_->idle_.size() < kMostIdle) pool_->idle_.push_back({std::move(key_), std::move(machine_)});
}

Result<MachinePool::Lease> MachinePool::Take(const device::CpuDescription& cpu) {
  std::string key = fmt::format("{} {} {}", cpu.triple, cpu.name, cpu.FeatureString());
  {
    std::lock_guard lock(mutex_);
    const auto it = std::ranges::find(idle_, key, &Idle::key);
    if (it != idle_.end()) {
      Idle idle = std::move(*it);
      idle_.erase(it);
      return Lease(*this, std::move(idle.key), std::move(idle.machine));
    }
  }
  auto machine = SF_TRY(MakeMachine(cpu));
  return Lease(*this, std::move(key), std::move(machine));
}

MachinePool& MachinePool::Global() {
  static auto* pool = new MachinePool;  // never destroyed: threads may outlive main's statics
  return *pool;
}

}  // namespace subfloor::codegen
