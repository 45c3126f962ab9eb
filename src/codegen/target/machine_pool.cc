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

Result<std::unique_ptr<llvm::TargetMachine>> MakeMachine(const MachineSpec& spec) {
  static std::once_flag once;
  std::call_once(once, StartTargets);
  std::string error;
  const llvm::Triple triple(spec.triple);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return NotSupported("no code generator for {}: {}", spec.triple, error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // the numeric contract: no contraction unasked
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, spec.name, spec.features, options, llvm::Reloc::PIC_, std::nullopt,
                                  llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) return NotSupported("no code generator for {} {}", spec.triple, spec.name);
  return machine;
}

// What the oldest assembler says that knows the chip, so that as many as can be take the text.
std::string_view PtxFeature(const device::CudaCapability& capability) {
  if (capability.AtLeast(12)) return "+ptx87";
  if (capability.AtLeast(10)) return "+ptx86";
  if (capability.AtLeast(9)) return "+ptx80";
  return "+ptx71";
}

}  // namespace

MachineSpec MachineSpec::Of(const device::DeviceDescription& gpu) {
  if (const auto* cuda = std::get_if<device::CudaCapability>(&gpu.capability))
    return {"nvptx64-nvidia-cuda", device::ToString(gpu.capability), std::string(PtxFeature(*cuda))};
  const auto& amd = std::get<device::AmdCapability>(gpu.capability);
  std::string features;
  const auto add = [&](const char* name, device::AmdCapability::Setting setting) {
    if (setting == device::AmdCapability::Setting::kAny) return;
    if (!features.empty()) features += ",";
    features += setting == device::AmdCapability::Setting::kOn ? "+" : "-";
    features += name;
  };
  add("sramecc", amd.sramecc);
  add("xnack", amd.xnack);
  return {"amdgcn-amd-amdhsa", amd.arch, features};
}

MachinePool::Lease::~Lease() {
  if (!machine_) return;
  std::lock_guard lock(pool_->mutex_);
  constexpr size_t kMostIdle = 16;  // as many as may be used at once
  if (pool_->idle_.size() < kMostIdle) pool_->idle_.push_back({std::move(key_), std::move(machine_)});
}

Result<MachinePool::Lease> MachinePool::Take(const MachineSpec& spec) {
  std::string key = fmt::format("{} {} {}", spec.triple, spec.name, spec.features);
  {
    std::lock_guard lock(mutex_);
    const auto it = std::ranges::find(idle_, key, &Idle::key);
    if (it != idle_.end()) {
      Idle idle = std::move(*it);
      idle_.erase(it);
      return Lease(*this, std::move(idle.key), std::move(idle.machine));
    }
  }
  auto machine = SF_TRY(MakeMachine(spec));
  return Lease(*this, std::move(key), std::move(machine));
}

MachinePool& MachinePool::Global() {
  static auto* pool = new MachinePool;  // never destroyed: threads may outlive main's statics
  return *pool;
}

}  // namespace subfloor::codegen
