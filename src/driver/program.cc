#include "driver/program.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "device/description/kernel_abi.h"
#include "driver/reproducer.h"
#include "driver/signature.h"
#include "runtime/cpu/profile_table.h"

namespace subfloor::driver {
namespace {

// Caller's memory for one run: every leaf at its alignment.
class Buffers {
 public:
  Status Allocate(std::span<const int64_t> sizes) {
    constexpr int64_t kAlignment = SUBFLOOR_BUFFER_ALIGNMENT;
    int64_t total = 0;
    std::vector<int64_t> offsets;
    for (int64_t size : sizes) {
      offsets.push_back(total);
      total += (size + kAlignment - 1) / kAlignment * kAlignment;
    }
    memory_.reset(static_cast<std::byte*>(
        std::aligned_alloc(kAlignment, static_cast<size_t>(std::max(total, kAlignment)))));
    if (!memory_) return OutOfResources("no memory for {} bytes of arguments and results", total);
    for (size_t i = 0; i < sizes.size(); ++i) views_.push_back({memory_.get() + offsets[i], sizes[i]});
    return {};
  }

  std::span<const runtime::BufferView> views() const { return views_; }
  std::span<std::byte> bytes(size_t i) const {
    return {static_cast<std::byte*>(views_[i].data), static_cast<size_t>(views_[i].size_bytes)};
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::vector<runtime::BufferView> views_;
};

}  // namespace

struct Program::Parts {
  CompiledProgram compiled;
  std::unique_ptr<runtime::TaskPool> pool;
  Signature signature;

  Status PlaceArguments(std::span<const Literal> arguments, const Buffers& inputs) const {
    std::vector<std::span<std::byte>> buffers;
    for (size_t i = 0; i < inputs.views().size(); ++i) buffers.push_back(inputs.bytes(i));
    return signature.Place(arguments, buffers);
  }
  Result<Literal> TakeResult(const Buffers& outputs) const {
    std::vector<std::span<const std::byte>> buffers;
    for (size_t i = 0; i < outputs.views().size(); ++i) buffers.push_back(outputs.bytes(i));
    return signature.Take(buffers);
  }
  Status Allocate(Buffers& inputs, Buffers& outputs) const {
    SF_CHECK(inputs.Allocate(signature.argument_sizes()));
    return outputs.Allocate(signature.result_sizes());
  }
  runtime::RunOptions MakeRunOptions() const {
    runtime::RunOptions options;
    options.pool = pool.get();
    return options;
  }
};

Program::Program() : parts_(std::make_unique<Parts>()) {}
Program::~Program() = default;

const decision::CompileReport& Program::report() const { return parts_->compiled.report; }

Result<std::unique_ptr<Program>> Program::Compile(const hlo::Module& module, const Options& options,
                                                  const Dump& dump, const OnPhase& on_phase) {
  const Compiler* compiler = SF_TRY(LoadCompiler());
  std::unique_ptr<Program> program(new Program());
  Parts& parts = *program->parts_;
  Result<CompiledProgram> compiled = compiler->Compile(module, options, dump, on_phase);
  if (!compiled) return std::unexpected(WithReproducer(std::move(compiled).error(), module, options));
  parts.compiled = *std::move(compiled);
  parts.pool = std::make_unique<runtime::TaskPool>(options.ThreadCount());
  parts.signature = Signature(module);
  return program;
}

Result<Literal> Program::Run(std::span<const Literal> arguments) const {
  Buffers inputs, outputs;
  SF_CHECK(parts_->Allocate(inputs, outputs));
  SF_CHECK(parts_->PlaceArguments(arguments, inputs));
  SF_CHECK(
      parts_->compiled.executable->Execute(inputs.views(), outputs.views(), parts_->MakeRunOptions()).Wait());
  return parts_->TakeResult(outputs);
}

Status Program::Execute(std::span<const runtime::BufferView> parameters,
                        std::span<const runtime::BufferView> outputs) const {
  return parts_->compiled.executable->Execute(parameters, outputs, parts_->MakeRunOptions()).Wait();
}

int64_t Program::AliasedParameter(int64_t output_leaf) const {
  return parts_->compiled.executable->aliased_parameter(output_leaf);
}

Result<std::vector<double>> Program::Time(std::span<const Literal> arguments, int64_t repeat) const {
  Buffers inputs, outputs;
  SF_CHECK(parts_->Allocate(inputs, outputs));
  SF_CHECK(parts_->PlaceArguments(arguments, inputs));
  const runtime::RunOptions options = parts_->MakeRunOptions();
  std::vector<double> times;
  for (int64_t i = 0; i < repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    SF_CHECK(parts_->compiled.executable->Execute(inputs.views(), outputs.views(), options).Wait());
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  return times;
}

Result<std::string> Program::Profile(std::span<const Literal> arguments) const {
  constexpr int kRuns = 5;
  Buffers inputs, outputs;
  SF_CHECK(parts_->Allocate(inputs, outputs));
  SF_CHECK(parts_->PlaceArguments(arguments, inputs));
  const runtime::Executable& executable = *parts_->compiled.executable;
  runtime::RunOptions options = parts_->MakeRunOptions();
  SF_CHECK(executable.Execute(inputs.views(), outputs.views(), options).Wait());  // warms caches and pages
  runtime::Profile profile = executable.MakeProfile();
  options.profile = &profile;
  for (int i = 0; i < kRuns; ++i)
    SF_CHECK(executable.Execute(inputs.views(), outputs.views(), options).Wait());
  return runtime::ProfileTable(executable, profile, kRuns, /*most=*/10);
}

}  // namespace subfloor::driver
