#include "gpu/kernel_set.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <tuple>

#include "codegen/compile_gpu.h"
#include "codegen/deep_stack.h"
#include "codegen/fatal_errors.h"
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
  Result<device::CodeImage> image = InternalError("not compiled");
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
    const codegen::LlvmWork named(work.symbol, options_.leave_reproducer);
    work.image = codegen::CompileSimulatedKernel(job, *work.choice, options_.device, options_.checked,
                                                 codegen_, &work.log);
  }

  const CompileOptions& options_;
  codegen::CompileOptions codegen_;
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
                                  std::vector<device::CodeImage>& images, decision::CompileReport& report) {
  DeviceKernels kernels;
  // The first of equal kernels is made for all of them.
  std::map<std::tuple<hlo::Fingerprint, GpuEmitter, std::vector<std::pair<int64_t, int64_t>>>, size_t> first;
  std::map<std::string, int64_t> used;
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
    const std::string symbol = codegen::KernelSymbol(fusion->name());
    const int64_t number = used[symbol]++;
    Work& work = works.emplace_back();
    work.fusion = fusion;
    work.choice = &choice;
    work.symbol = number == 0 ? symbol : fmt::format("{}_{}", symbol, number);
    work.shared = shared(*fusion);
  }
  KernelMaker maker(options);
  SF_CHECK(maker.MakeAll(works));
  for (Work& work : works) {
    if (work.image || work.image.error().kind() != ErrorKind::kNotSupported ||
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
    if (!work.image) return std::unexpected(std::move(work.image).error().In(work.fusion->name()));
    report.code_bytes += static_cast<int64_t>(work.image->bytes.size());
    images.push_back(*std::move(work.image));
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
      while (!source->IsParameter() && source->operand_count() == 1) source = source->operand(0);
      kernel.copied.push_back(source->IsParameter() ? source->parameter_number() : -1);
    }
  }
  return kernels;
}

}  // namespace subfloor::gpu
