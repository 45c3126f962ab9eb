#include "codegen/compile_kernels.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <tuple>

#include "codegen/deep_stack.h"
#include "codegen/emitters/kernel.h"
#include "codegen/fatal_errors.h"
#include "codegen/lowering/context.h"
#include "codegen/lowering/pipeline.h"
#include "codegen/native_program.h"
#include "codegen/target/host.h"
#include "hlo/fingerprint.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen {
namespace {

constexpr size_t kKernelsPerModule = 30;
constexpr int64_t kLargestBody = 20'000;  // instructions: emission recurses over them, within a deep stack

// Those of the body and of all that it calls: combiners, comparators.
int64_t InstructionsOf(const hlo::Computation& body) {
  int64_t count = 0;
  std::set<const hlo::Computation*> seen = {&body};
  std::vector<const hlo::Computation*> pending = {&body};
  while (!pending.empty()) {
    const hlo::Computation* current = pending.back();
    pending.pop_back();
    count += current->instruction_count();
    for (const hlo::Instruction* instruction : current->instructions()) {
      for (const hlo::Computation* called : instruction->called_computations()) {
        if (seen.insert(called).second) pending.push_back(called);
      }
    }
  }
  return count;
}

// What one compile thread makes of its share of kernels.
struct Part {
  std::vector<size_t> kernels;
  Result<ObjectBytes> object = InternalError("not compiled");
  decision::Log log;
  std::chrono::nanoseconds emit{}, lower{};
  ObjectTimes llvm;
};

// KernelSymbol of the name, not used before.
std::string UniqueSymbol(std::string_view wanted, std::set<std::string>& used) {
  const std::string symbol = KernelSymbol(wanted);
  std::string candidate = symbol;
  for (int64_t i = 1; !used.insert(candidate).second; ++i) candidate = fmt::format("{}_{}", symbol, i);
  return candidate;
}

class Compilation {
 public:
  Compilation(std::span<const KernelJob> jobs, const CompileOptions& options)
      : jobs_(jobs), options_(options) {}

  Result<CompiledKernels> Run(decision::Log* log) {
    CompiledKernels out;
    out.plans.resize(jobs_.size());
    plans_ = out.plans;
    std::set<std::string> used;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].program != nullptr) {
        same_as_.push_back(i);
        plans_[i].symbol = UniqueSymbol(jobs_[i].name, used);
        distinct_.push_back(i);
        continue;
      }
      if (jobs_[i].body == nullptr) return InternalError("kernel {} has no body", jobs_[i].name);
      if (const int64_t count = InstructionsOf(*jobs_[i].body); count > kLargestBody) {
        return NotSupported("kernel {} holds {} instructions; up to {} would work", jobs_[i].name, count,
                            kLargestBody);
      }
      // The first of equal kernels is compiled for all of them.
      const auto key = std::tuple(hlo::FingerprintOf(*jobs_[i].body), jobs_[i].emitter, jobs_[i].in_place);
      auto [it, is_new] = first_of_.try_emplace(key, i);
      same_as_.push_back(it->second);
      decision::Decide(log, decision::Question::kKernelShared, !is_new,
                       is_new ? decision::Fact::kNone : decision::Fact::kSameStructure,
                       jobs_[it->second].instruction, 0, jobs_[i].instruction);
      if (!is_new) continue;
      plans_[i].symbol = UniqueSymbol(jobs_[i].name, used);
      distinct_.push_back(i);
    }
    if (jobs_.empty()) return out;
    const size_t threads = static_cast<size_t>(std::max(1, options_.threads));
    Distribute((distinct_.size() + kKernelsPerModule - 1) / kKernelsPerModule, threads);
    SF_CHECK(RunOnDeepStacks(std::min(threads, parts_.size()), [this] { Work(); }));

    std::vector<ObjectBytes> objects;
    std::chrono::nanoseconds emit{}, lower{}, optimize{}, generate{};
    for (Part& part : parts_) {
      if (!part.object) return std::unexpected(std::move(part.object).error());
      objects.push_back(*std::move(part.object));
      if (log) log->Append(part.log);
      emit += part.emit, lower += part.lower, optimize += part.llvm.optimize, generate += part.llvm.generate;
    }
    std::vector<std::string> symbols;
    for (size_t i : distinct_) symbols.push_back(plans_[i].symbol);
    for (size_t i = 0; i < plans_.size(); ++i) plans_[i] = plans_[same_as_[i]];
    const auto before_link = ThreadTime();
    const std::string linked = fmt::format("{}", fmt::join(symbols, ", "));
    const LlvmWork work(linked, options_.leave_reproducer);
    out.image = SF_TRY(LinkImage(objects, std::move(symbols), options_.cpu));
    out.plans = plans_;
    out.times = {{"emission", emit},
                 {"lowering", lower},
                 {"optimisation", optimize},
                 {"machine code", generate},
                 {"link", ThreadTime() - before_link}};
    for (size_t i : distinct_)
      out.distinct_kernels += jobs_[i].program ? jobs_[i].program->kernel_count() : 1;
    return out;
  }

 private:
  // Shares the distinct kernels out over modules, largest first, each to the smallest module so far: as many
  // modules as threads where there is work for them, as modules that are done at one time keep no thread
  // waiting.
  void Distribute(size_t least_modules, size_t threads) {
    const size_t modules =
        std::min(distinct_.size(), std::max((least_modules + threads - 1) / threads * threads, threads));
    std::vector<size_t> by_size = distinct_;
    const auto size_of = [&](size_t i) {
      return jobs_[i].program ? jobs_[i].program->instruction_count() : jobs_[i].body->instruction_count();
    };
    std::ranges::sort(by_size, {}, [&](size_t i) { return std::pair(-size_of(i), i); });
    parts_.resize(modules);
    std::vector<int64_t> sizes(modules, 0);
    for (size_t i : by_size) {
      const size_t smallest = static_cast<size_t>(std::ranges::min_element(sizes) - sizes.begin());
      constexpr int64_t kFixed = 6;  // what any kernel costs, in instructions
      sizes[smallest] += size_of(i) + kFixed;
      parts_[smallest].kernels.push_back(i);
    }
  }

  void Work() {
    for (size_t i; (i = next_part_.fetch_add(1)) < parts_.size();) {
      Part& part = parts_[i];
      part.object = Compile(part, i);
    }
  }

  Result<ObjectBytes> Compile(Part& part, size_t number) {
    const auto start = ThreadTime();
    ContextPool::Lease lease = ContextPool::Global().Take();
    mlir::MLIRContext* context = lease.get();
    const std::string name = fmt::format("kernels_{}", number);
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context), name);
    std::vector<std::string> symbols;
    std::string names;
    const LlvmWork work(names, options_.leave_reproducer);
    for (size_t k : part.kernels) {
      KernelPlan& plan = plans_[k];
      const auto emit = jobs_[k].program ? emitters::EmitProgram : emitters::EmitKernel;
      auto emitted = emit(*module, jobs_[k], plan.symbol, options_, &part.log);
      if (!emitted) return std::unexpected(emitted.error().Prepend(fmt::format("kernel {}", jobs_[k].name)));
      plan.workgroups = emitted->workgroups;
      plan.scratch_bytes = emitted->scratch_bytes;
      symbols.push_back(plan.symbol);
      names += (names.empty() ? "" : ", ") + plan.symbol;
    }
    const auto emitted = ThreadTime();
    SF_CHECK(Lower(*module, {}, options_.dump));
    const auto lowered = ThreadTime();
    auto object = CompileObject(*module, symbols, options_.cpu, part.llvm, options_.dump);
    part.emit = emitted - start;
    part.lower = lowered - emitted;
    return object;
  }

  std::span<const KernelJob> jobs_;
  const CompileOptions& options_;
  std::vector<KernelPlan> plans_;
  std::map<std::tuple<hlo::Fingerprint, dispatch::EmitterKind, std::vector<std::pair<int64_t, int64_t>>>,
           size_t>
      first_of_;
  std::vector<size_t> same_as_;   // for each job, the first equal one
  std::vector<size_t> distinct_;  // jobs that are compiled
  std::vector<Part> parts_;
  std::atomic<size_t> next_part_{0};
};

}  // namespace

std::string KernelSymbol(std::string_view name) {
  std::string symbol;
  for (char c : name) symbol += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  const bool bad = symbol.empty() || std::isdigit(static_cast<unsigned char>(symbol[0]));
  return bad ? "kernel_" + symbol : symbol;
}

Result<CompiledKernels> CompileKernels(std::span<const KernelJob> jobs, const CompileOptions& options,
                                       decision::Log* log) {
  return Compilation(jobs, options).Run(log);
}

}  // namespace subfloor::codegen
