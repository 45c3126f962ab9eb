#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.h"
#include "device/description/cpu_description.h"
#include "device/description/device_description.h"
#include "llvm/Target/TargetMachine.h"

namespace subfloor::codegen {

/// What LLVM makes code for, in its own words.
struct MachineSpec {
  std::string triple, name;
  std::string features;  ///< "+avx2,+fma"

  static MachineSpec Of(const device::CpuDescription& cpu) {
    return {cpu.triple, cpu.name, cpu.FeatureString()};
  }
  static MachineSpec Of(const device::DeviceDescription& gpu);
};

/// LLVM's code generators that were used before: the tables that one builds for its CPU cost as much as a
/// small kernel. Threads: any; a machine is used by one thread at a time.
class MachinePool {
 public:
  /// Hands its machine back to the pool when it goes.
  class Lease {
   public:
    Lease(MachinePool& pool, std::string key, std::unique_ptr<llvm::TargetMachine> machine)
        : pool_(&pool), key_(std::move(key)), machine_(std::move(machine)) {}
    Lease(Lease&&) = default;
    ~Lease();
    llvm::TargetMachine& operator*() const { return *machine_; }

   private:
    MachinePool* pool_;
    std::string key_;
    std::unique_ptr<llvm::TargetMachine> machine_;
  };
  /// Errors: not supported, for a target that LLVM was built or linked without.
  Result<Lease> Take(const MachineSpec& spec);
  static MachinePool& Global();

 private:
  struct Idle {
    std::string key;  // triple, name, features
    std::unique_ptr<llvm::TargetMachine> machine;
  };
  std::mutex mutex_;
  std::vector<Idle> idle_;
};

}  // namespace subfloor::codegen
