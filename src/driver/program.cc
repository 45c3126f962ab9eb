#include "driver/program.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "device/description/kernel_abi.h"
#include "driver/reproducer.h"
#include "runtime/cpu/profile_table.h"
#include "types/physical.h"

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

// A bug of ours comes with the program that shows it.
Error WithReproducer(Error error, const hlo::Module& module, const Options& options) {
  if (error.kind() != ErrorKind::kInternal) return error;
  const std::string where = LeaveReproducer(module, options, error.ToString());
  if (where.empty()) return error;
  return Error(error.kind(), fmt::format("{}; {}", error.message(), where))
      .At(error.position())
      .In(error.instruction());
}

}  // namespace

struct Program::Parts {
  CompiledProgram compiled;
  std::unique_ptr<runtime::TaskPool> pool;
  std::vector<Shape> parameter_shapes;  // by parameter
  std::vector<Shape> argument_leaves;   // with entry layouts
  Shape result_shape;
  std::vector<Shape> result_leaves;

  Status PlaceArguments(std::span<const Literal> arguments, Buffers& inputs) const;
  Result<Literal> TakeResult(const Buffers& outputs) const;
  Status Allocate(Buffers& inputs, Buffers& outputs) const;
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
  const hlo::EntryLayout layout = module.entry_layout();
  for (const Shape& parameter : layout.parameters) {
    parts.parameter_shapes.push_back(parameter);
    for (const Shape* leaf : Leaves(parameter)) parts.argument_leaves.push_back(*leaf);
  }
  parts.result_shape = layout.result;
  for (const Shape* leaf : Leaves(layout.result)) parts.result_leaves.push_back(*leaf);
  return program;
}

Status Program::Parts::Allocate(Buffers& inputs, Buffers& outputs) const {
  std::vector<int64_t> sizes;
  for (const Shape& leaf : argument_leaves) sizes.push_back(leaf.byte_size());
  SF_CHECK(inputs.Allocate(sizes));
  sizes.clear();
  for (const Shape& leaf : result_leaves) sizes.push_back(leaf.byte_size());
  return outputs.Allocate(sizes);
}

Status Program::Parts::PlaceArguments(std::span<const Literal> arguments, Buffers& inputs) const {
  if (arguments.size() != parameter_shapes.size()) {
    return BadInput("{} arguments for a program of {} parameters", arguments.size(), parameter_shapes.size());
  }
  size_t leaf = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].shape().Compatible(parameter_shapes[i])) {
      return BadInput("argument {} is {}, the program wants {}", i, arguments[i].shape().ToString(false),
                      parameter_shapes[i].ToString(false));
    }
    for (const Literal* literal : Leaves(arguments[i])) {
      if (literal->shape().IsArray())
        RowMajorToPhysical(argument_leaves[leaf], literal->bytes(), inputs.bytes(leaf));
      ++leaf;
    }
  }
  return {};
}

Result<Literal> Program::Parts::TakeResult(const Buffers& outputs) const {
  Literal result = SF_TRY(Literal::Zeros(result_shape));
  size_t number = 0;
  for (Literal* leaf : MutableLeaves(result)) {
    if (leaf->shape().IsArray())
      PhysicalToRowMajor(result_leaves[number], outputs.bytes(number), leaf->mutable_bytes());
    ++number;
  }
  return result;
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
