#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "codegen/compile_kernels.h"
#include "device/host/code_loader.h"
#include "evaluator/evaluator.h"
#include "hlo/parser.h"
#include "types/compare_literals.h"
#include "types/random_literal.h"

/// Compiles a fusion body given as HLO text, runs it, and hands back its results.
namespace subfloor::codegen::testing {

/// Memory as kernels expect it, with a guard of 0xA5 behind the last byte.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t bytes)
      : bytes_(bytes),
        memory_(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + kGuard + 63) / 64 * 64))) {
    std::fill(memory_.get(), memory_.get() + bytes + kGuard, std::byte{0xA5});
  }
  std::byte* data() { return memory_.get(); }
  size_t size() const { return bytes_; }
  bool GuardIntact() const {
    return std::all_of(memory_.get() + bytes_, memory_.get() + bytes_ + kGuard,
                       [](std::byte b) { return b == std::byte{0xA5}; });
  }

 private:
  static constexpr size_t kGuard = 128;
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
};

struct RunSettings {
  dispatch::EmitterKind emitter = dispatch::EmitterKind::kLoop;
  int64_t max_workgroups = 1;
  std::string cpu = "host";
  std::vector<std::pair<int64_t, int64_t>> in_place;
};

struct RunResult {
  Literal value;
  KernelPlan plan;
};

inline Result<RunResult> RunBody(const hlo::Computation& body, std::span<const Literal> arguments,
                                 const RunSettings& settings = {}) {
  CompileOptions options;
  options.cpu = SF_TRY(device::CpuByName(settings.cpu));
  options.max_workgroups = settings.max_workgroups;
  if (const char* wanted = std::getenv("SUBFLOOR_TEST_DUMP")) {
    options.dump = [wanted](std::string_view stage, std::string_view, std::string_view text) {
      if (stage == wanted) fmt::print("{}\n", text);
    };
  }
  KernelJob job{"kernel", &body, settings.emitter, settings.in_place, 0};
  CompiledKernels compiled = SF_TRY(CompileKernels(std::span(&job, 1), options));
  auto image = SF_TRY(device::LoadCodeImage(compiled.image));
  SubfloorKernel kernel = SF_TRY(image->Find(compiled.plans[0].symbol));

  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  for (const Literal& argument : arguments) {
    buffers.push_back(std::make_unique<GuardedBuffer>(argument.bytes().size()));
    std::copy(argument.bytes().begin(), argument.bytes().end(), buffers.back()->data());
  }
  const Shape& root = body.root()->shape();
  std::vector<Shape> outputs;
  if (root.IsTuple())
    outputs.assign(root.tuple_shapes().begin(), root.tuple_shapes().end());
  else
    outputs.push_back(root);
  std::vector<std::byte*> places;
  for (size_t leaf = 0; leaf < outputs.size(); ++leaf) {
    int64_t shared = -1;
    for (auto [output, parameter] : settings.in_place) {
      if (output == static_cast<int64_t>(leaf)) shared = parameter;
    }
    if (shared < 0)
      buffers.push_back(std::make_unique<GuardedBuffer>(static_cast<size_t>(outputs[leaf].byte_size())));
    places.push_back(shared < 0 ? buffers.back()->data() : buffers[static_cast<size_t>(shared)]->data());
  }
  std::vector<SubfloorKernelArgument> call_arguments;
  for (size_t i = 0; i < arguments.size(); ++i)
    call_arguments.push_back({buffers[i]->data(), buffers[i]->size()});
  for (size_t i = 0; i < outputs.size(); ++i)
    call_arguments.push_back({places[i], static_cast<uint64_t>(outputs[i].byte_size())});
  const KernelPlan& plan = compiled.plans[0];
  GuardedBuffer scratch(static_cast<size_t>(plan.scratch_bytes));
  if (plan.scratch_bytes > 0) call_arguments.push_back({scratch.data(), scratch.size()});

  SubfloorKernelError error{};
  // Backwards, since any order must do.
  for (int64_t group = plan.workgroups; group-- > 0;) {
    SubfloorKernelCall call{};
    call.abi_version = SUBFLOOR_KERNEL_ABI_VERSION;
    call.argument_count = static_cast<uint32_t>(call_arguments.size());
    call.arguments = call_arguments.data();
    call.workgroup_id[0] = static_cast<uint64_t>(group);
    call.workgroup_count[0] = static_cast<uint64_t>(plan.workgroups);
    call.error = &error;
    if (int32_t code = kernel(&call); code != 0) return InternalError("the kernel answered {}", code);
  }
  for (const auto& buffer : buffers) {
    if (!buffer->GuardIntact()) return InternalError("the kernel wrote behind a buffer");
  }
  if (!scratch.GuardIntact()) return InternalError("the kernel wrote behind its scratch");
  std::vector<Literal> leaves;
  for (size_t i = 0; i < outputs.size(); ++i) {
    leaves.push_back(SF_TRY(
        Literal::FromBytes(outputs[i], std::span(places[i], static_cast<size_t>(outputs[i].byte_size())))));
  }
  return RunResult{root.IsTuple() ? Literal::Tuple(std::move(leaves)) : leaves[0], plan};
}

/// Runs the entry of `text` on random arguments and compares with the evaluator.
inline void ExpectAgrees(std::string_view text, const CompareOptions& tolerance = {},
                         const RunSettings& settings = {}, const RandomLiteralOptions& random = {},
                         int64_t* workgroups = nullptr) {
  auto module = hlo::ParseModule(text);
  ASSERT_TRUE(module) << module.error().ToString();
  const hlo::Computation& entry = *(*module)->entry();
  std::vector<Literal> arguments;
  for (const hlo::Instruction* parameter : entry.parameters()) {
    auto literal =
        RandomLiteral(parameter->shape(), static_cast<uint64_t>(parameter->parameter_number()) + 1, random);
    ASSERT_TRUE(literal) << literal.error().ToString();
    arguments.push_back(*std::move(literal));
  }
  auto expected = Evaluate(**module, arguments);
  ASSERT_TRUE(expected) << expected.error().ToString();
  auto actual = RunBody(entry, arguments, settings);
  ASSERT_TRUE(actual) << actual.error().ToString() << "\n" << text;
  if (workgroups) *workgroups = actual->plan.workgroups;
  auto comparison = CompareLiterals(actual->value, *expected, tolerance);
  ASSERT_TRUE(comparison) << comparison.error().ToString();
  EXPECT_TRUE(comparison->Matches()) << comparison->ToString() << "\n" << text;
}

}  // namespace subfloor::codegen::testing
