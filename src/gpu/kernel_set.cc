#include "gpu/kernel_set.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "codegen/compile_gpu.h"
#include "codegen/deep_stack.h"
#include "codegen/fatal_errors.h"
#include "codegen/target/ptxas.h"
#include "dispatch/cpu_dispatch.h"
#include "hlo/fingerprint.h"

namespace subfloor::gpu {
namespace {

using dispatch::GpuChoice;
using dispatch::GpuEmitter;
using hlo::Instruction;

bool UpdatesInPlace(GpuEmitter emitter) {
  return emitter == GpuEmitter::kInPlaceUpdate || emitter == GpuEmitter::kScatterPerUpdate ||
         emitter == GpuEmitter::kScatterPerIndexRun;
}

// One distinct kernel while it is made.
struct Work {
  const Instruction* fusion = nullptr;
  const GpuChoice* choice = nullptr;
  std::string symbol;
  std::vector<std::pair<int64_t, int64_t>> shared;
  Status status = InternalError("not compiled");
  device::CodeImage image;
  NativeKernel native;
  decision::Log log;
};

class KernelMaker {
 public:
  explicit KernelMaker(const CompileOptions& options) : options_(options) {
    codegen_.cpu = options.host;
    codegen_.dump = options.dump;
    codegen_.leave_reproducer = options.leave_reproducer;
  }

  // Compiles several at a time; what a kernel's emitter refuses is left in its Work.
  Status MakeAll(std::span<Work> works) {
    std::atomic<size_t> next{0};
    const auto threads = static_cast<size_t>(std::max(1, options_.threads));
    return codegen::RunOnDeepStacks(std::min(threads, works.size()), [&] {
      for (size_t i; (i = next.fetch_add(1)) < works.size();) Make(works[i]);
    });
  }

 private:
  void Make(Work& work) {
    codegen::KernelJob job;
    job.name = work.symbol;
    job.body = work.fusion->called();
    job.instruction = work.fusion->id();
    job.in_place = work.shared;
    job.deterministic = options_.deterministic;
    const codegen::LlvmWork named(work.symbol, options_.leave_reproducer);
    work.status = options_.native ? MakeNative(job, work) : MakeSimulated(job, work);
  }

  Status MakeSimulated(const codegen::KernelJob& job, Work& work) const {
    work.image = SF_TRY(codegen::CompileSimulatedKernel(job, *work.choice, options_.device, options_.checked,
                                                        codegen_, &work.log));
    return {};
  }

  Status MakeNative(const codegen::KernelJob& job, Work& work) const {
    codegen::GpuKernelCode code =
        SF_TRY(codegen::CompileGpuKernel(job, *work.choice, options_.device, codegen_, &work.log));
    work.native = {std::move(code.symbol), std::move(code.ptx), std::move(code.object), ""};
    if (work.native.ptx.empty() || !ptxas_) return {};
    const auto assembled =
        SF_TRY(codegen::AssemblePtx(*ptxas_, work.native.ptx, device::ToString(options_.device.capability)));
    for (const codegen::PtxasKernel& kernel : assembled.kernels) {
      const int64_t spilled = kernel.spill_store_bytes + kernel.spill_load_bytes;
      work.native.assembled =
          fmt::format("{} registers, {}, {} bytes of shared memory", kernel.registers,
                      spilled == 0 ? "no spills" : fmt::format("{} bytes spilled and reloaded", spilled),
                      kernel.shared_bytes);
    }
    return {};
  }

  const CompileOptions& options_;
  codegen::CompileOptions codegen_;
  std::optional<std::string> ptxas_ = codegen::FindPtxas();
};

}  // namespace

Result<absl::flat_hash_map<const Instruction*, GpuChoice>> ChooseEmitters(
    std::span<const Instruction* const> fusions, const device::DeviceDescription& device,
    decision::Log* log) {
  absl::flat_hash_map<const Instruction*, GpuChoice> choices;
  for (const Instruction* fusion : fusions) {
    Result<GpuChoice> choice = dispatch::ChooseGpuEmitter(*fusion, device, log);
    if (!choice) return std::unexpected(std::move(choice).error().In(fusion->name()));
    choices.emplace(fusion, *std::move(choice));
  }
  return choices;
}

std::vector<std::pair<int64_t, int64_t>> InPlace(const Instruction& fusion, const GpuChoice& choice) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  if (!UpdatesInPlace(choice.emitter)) return pairs;
  for (auto [parameter, leaf] : dispatch::InPlaceUpdates(*fusion.called()))
    pairs.emplace_back(leaf, parameter);
  return pairs;
}

Result<DeviceKernels> MakeKernels(std::span<const Instruction* const> fusions,
                                  absl::flat_hash_map<const Instruction*, GpuChoice>& choices,
                                  const SharedBuffers& shared, const CompileOptions& options,
                                  Compiled& compiled) {
  decision::CompileReport& report = compiled.report;
  DeviceKernels kernels;
  // The first of equal kernels is made for all of them.
  std::map<std::tuple<hlo::Fingerprint, GpuEmitter, std::vector<std::pair<int64_t, int64_t>>>, size_t> first;
  std::set<std::string> used;
  std::vector<Work> works;
  absl::flat_hash_map<const Instruction*, size_t> work_of;
  for (const Instruction* fusion : fusions) {
    const GpuChoice& choice = choices.at(fusion);
    if (choice.emitter == GpuEmitter::kMemcpy) continue;
    const auto [it, is_new] = first.try_emplace(
        {hlo::FingerprintOf(*fusion->called()), choice.emitter, shared(*fusion)}, works.size());
    decision::Decide(&report.decisions, decision::Question::kKernelShared, !is_new,
                     is_new ? decision::Fact::kNone : decision::Fact::kSameStructure,
                     is_new ? 0 : works[it->second].fusion->id(), 0, fusion->id());
    work_of[fusion] = it->second;
    if (!is_new) continue;
    const std::string wanted = codegen::KernelSymbol(fusion->name());
    std::string symbol = wanted;
    for (int64_t i = 1; !used.insert(symbol).second; ++i) symbol = fmt::format("{}_{}", wanted, i);
    Work& work = works.emplace_back();
    work.fusion = fusion;
    work.choice = &choice;
    work.symbol = std::move(symbol);
    work.shared = shared(*fusion);
  }
  KernelMaker maker(options);
  SF_CHECK(maker.MakeAll(works));
  for (Work& work : works) {
    if (work.status || work.status.error().kind() != ErrorKind::kNotSupported ||
        work.choice->emitter == GpuEmitter::kLoop) {
      continue;
    }
    // What a special emitter does not take may be a plain loop all the same.
    auto loop = dispatch::FallBackToLoop(*work.fusion, options.device, &report.decisions);
    if (!loop) continue;
    GpuChoice& choice = choices.at(work.fusion);
    if (UpdatesInPlace(choice.emitter)) continue;  // its buffers are one already
    choice = *std::move(loop);
    work.choice = &choice;
    SF_CHECK(maker.MakeAll({&work, 1}));
  }
  for (Work& work : works) {
    report.decisions.Append(work.log);
    if (!work.status) return std::unexpected(std::move(work.status).error().In(work.fusion->name()));
    if (options.native) {
      report.code_bytes += static_cast<int64_t>(work.native.ptx.size() + work.native.object.size());
      compiled.kernels.push_back(std::move(work.native));
    } else {
      report.code_bytes += static_cast<int64_t>(work.image.bytes.size());
      compiled.parts.images.push_back(std::move(work.image));
    }
  }
  report.distinct_kernels = static_cast<int64_t>(works.size());
  for (const Instruction* fusion : fusions) {
    DeviceKernel& kernel = kernels[fusion];
    kernel.emitter = choices.at(fusion).emitter;
    kernel.in_place = InPlace(*fusion, choices.at(fusion));
    if (const auto it = work_of.find(fusion); it != work_of.end()) {
      const Work& work = works[it->second];
      kernel.emitter = work.choice->emitter;
      kernel.symbol = work.symbol;
      kernel.launch = *dispatch::FirstLaunch(work.choice->plan);
      continue;
    }
    for (const Instruction* root : choices.at(fusion).fusion.roots()) {
      const Instruction* source = choices.at(fusion).fusion.Resolve(root->operand(0));
      if (!source->IsParameter()) return InternalError("%{} copies what is no parameter", fusion->name());
      kernel.copied.push_back(source->parameter_number());
    }
  }
  return kernels;
}

}  // namespace subfloor::gpu
