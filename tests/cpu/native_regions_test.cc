#include "cpu/native_regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "cpu/compiler.h"
#include "evaluator/evaluator.h"
#include "hlo/parser.h"
#include "runtime/aligned_bytes.h"
#include "types/compare_literals.h"
#include "types/random_literal.h"

namespace subfloor::cpu {
namespace {

// Compiles, runs on random arguments, compares with the evaluator bit by bit (the programs are exact) and
// gives the kinds of the outermost thunks.
std::vector<runtime::ThunkKind> RunAndCompare(std::string_view text) {
  auto module = hlo::ParseModule(text);
  if (!module) {
    ADD_FAILURE() << module.error().ToString();
    return {};
  }
  CompileOptions options;
  options.cpu = device::HostCpu();
  auto compiled = Compile(**module, options);
  if (!compiled) {
    ADD_FAILURE() << compiled.error().ToString();
    return {};
  }
  const runtime::Executable& executable = *compiled->executable;
  std::vector<Literal> arguments;
  std::vector<runtime::AlignedBytes> inputs, outputs;
  std::vector<runtime::BufferView> input_views, output_views;
  for (const hlo::Instruction* parameter : (*module)->entry()->parameters()) {
    arguments.push_back(*RandomLiteral(parameter->shape(), arguments.size() + 1));
    inputs.push_back(*runtime::AlignedBytes::CopyOf(arguments.back().bytes()));
    input_views.push_back({inputs.back().data(), inputs.back().size()});
  }
  for (int64_t i = 0; i < executable.output_count(); ++i) {
    outputs.push_back(*runtime::AlignedBytes::Allocate(executable.output_bytes(i)));
    output_views.push_back({outputs.back().data(), outputs.back().size()});
  }
  EXPECT_TRUE(executable.Execute(input_views, output_views).IsDone());
  const Literal expected = *Evaluate(**module, arguments);
  for (int64_t i = 0; i < executable.output_count(); ++i) {
    const Literal& wanted =
        expected.shape().IsTuple() ? expected.elements()[static_cast<size_t>(i)] : expected;
    EXPECT_EQ(0, std::memcmp(output_views[static_cast<size_t>(i)].data, wanted.bytes().data(),
                             wanted.bytes().size()))
        << "output " << i;
  }
  std::vector<runtime::ThunkKind> kinds;
  for (const runtime::Thunk* thunk : executable.outermost_thunks()) kinds.push_back(thunk->kind());
  return kinds;
}

using Kinds = std::vector<runtime::ThunkKind>;
constexpr auto kKernel = runtime::ThunkKind::kKernel;

constexpr std::string_view kCountTo = R"(
cond {
  p = (s32[], s32[4], s32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(7)
  ROOT lt = pred[] compare(i, n), direction=LT
}
)";

TEST(NativeRegions, AWholeLoopIsOneKernel) {
  const std::string text = "HloModule m\n" + std::string(kCountTo) + R"(
body {
  p = (s32[], s32[4], s32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = s32[4] get-tuple-element(p), index=1
  y = s32[4] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  many = s32[4] broadcast(i), dimensions={}
  sum = s32[4] add(x, many)
  product = s32[4] multiply(y, sum)
  ROOT t = (s32[], s32[4], s32[4]) tuple(next, sum, product)
}
ENTRY main {
  start = s32[] parameter(0)
  x = s32[4] parameter(1)
  y = s32[4] parameter(2)
  init = (s32[], s32[4], s32[4]) tuple(start, x, y)
  ROOT w = (s32[], s32[4], s32[4]) while(init), condition=cond, body=body
})";
  EXPECT_EQ(RunAndCompare(text), Kinds{kKernel});
}

TEST(NativeRegions, StateThatChangesPlaces) {
  const std::string text = "HloModule m\n" + std::string(kCountTo) + R"(
body {
  p = (s32[], s32[4], s32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = s32[4] get-tuple-element(p), index=1
  y = s32[4] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT t = (s32[], s32[4], s32[4]) tuple(next, y, x)
}
ENTRY main {
  start = s32[] parameter(0)
  x = s32[4] parameter(1)
  y = s32[4] parameter(2)
  init = (s32[], s32[4], s32[4]) tuple(start, x, y)
  ROOT w = (s32[], s32[4], s32[4]) while(init), condition=cond, body=body
})";
  EXPECT_EQ(RunAndCompare(text), Kinds{kKernel});
}

// A loop in a loop, with a branch by number in the inner one, and a last iteration that writes a row of a
// larger array.
TEST(NativeRegions, LoopsAndBranchesNest) {
  constexpr std::string_view kText = R"(
HloModule m
double { q = s32[3] parameter(0) ROOT r = s32[3] add(q, q) }
invert { q = s32[3] parameter(0) ROOT r = s32[3] not(q) }
keep { ROOT q = s32[3] parameter(0) }
inner_cond {
  p = (s32[], s32[], s32[3]) parameter(0)
  j = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT lt = pred[] compare(j, n), direction=LT
}
inner_body {
  p = (s32[], s32[], s32[3]) parameter(0)
  j = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  v = s32[3] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(j, one)
  w = s32[3] conditional(j, v, v, v), branch_computations={double, invert, keep}
  ROOT t = (s32[], s32[], s32[3]) tuple(next, n, w)
}
outer_cond {
  p = (s32[], s32[3], s32[100,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(9)
  ROOT lt = pred[] compare(i, n), direction=LT
}
outer_body {
  p = (s32[], s32[3], s32[100,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = s32[3] get-tuple-element(p), index=1
  rows = s32[100,3] get-tuple-element(p), index=2
  zero = s32[] constant(0)
  one = s32[] constant(1)
  init = (s32[], s32[], s32[3]) tuple(zero, i, v)
  inner = (s32[], s32[], s32[3]) while(init), condition=inner_cond, body=inner_body
  w = s32[3] get-tuple-element(inner), index=2
  row = s32[1,3] reshape(w)
  updated = s32[100,3] dynamic-update-slice(rows, row, i, zero)
  next = s32[] add(i, one)
  ROOT t = (s32[], s32[3], s32[100,3]) tuple(next, w, updated)
}
ENTRY main {
  zero = s32[] constant(0)
  v = s32[3] parameter(0)
  rows = s32[100,3] parameter(1)
  init = (s32[], s32[3], s32[100,3]) tuple(zero, v, rows)
  ROOT w = (s32[], s32[3], s32[100,3]) while(init), condition=outer_cond, body=outer_body
})";
  EXPECT_EQ(RunAndCompare(kText), Kinds{kKernel});
}

// The next y is x updated in place, the next x needs both: their moves at the end of the body must not
// collide.
TEST(NativeRegions, AnUpdateInPlaceThatChangesPlaces) {
  const std::string text = "HloModule m\n" + std::string(kCountTo) + R"(
body {
  p = (s32[], s32[4], s32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = s32[4] get-tuple-element(p), index=1
  y = s32[4] get-tuple-element(p), index=2
  one = s32[] constant(1)
  row = s32[1] reshape(one)
  next = s32[] add(i, one)
  sum = s32[4] add(y, x)
  updated = s32[4] dynamic-update-slice(x, row, i)
  ROOT t = (s32[], s32[4], s32[4]) tuple(next, sum, updated)
}
ENTRY main {
  start = s32[] parameter(0)
  x = s32[4] parameter(1)
  y = s32[4] parameter(2)
  init = (s32[], s32[4], s32[4]) tuple(start, x, y)
  ROOT w = (s32[], s32[4], s32[4]) while(init), condition=cond, body=body
})";
  EXPECT_EQ(RunAndCompare(text), Kinds{kKernel});
}

// What is large stays a thunk of its own; the small steps around it in the loop become one.
TEST(NativeRegions, ALargeKernelKeepsItsThunk) {
  constexpr std::string_view kText = R"(
HloModule m
cond {
  p = (s32[], s32[], s32[65536]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], s32[], s32[65536]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  s = s32[] get-tuple-element(p), index=1
  x = s32[65536] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  shifted = s32[] multiply(s, next)
  many = s32[65536] broadcast(shifted), dimensions={}
  y = s32[65536] xor(x, many)
  ROOT t = (s32[], s32[], s32[65536]) tuple(next, shifted, y)
}
ENTRY main {
  start = s32[] parameter(0)
  s = s32[] parameter(1)
  x = s32[65536] parameter(2)
  init = (s32[], s32[], s32[65536]) tuple(start, s, x)
  ROOT w = (s32[], s32[], s32[65536]) while(init), condition=cond, body=body
})";
  const Kinds kinds = RunAndCompare(kText);
  EXPECT_EQ(std::ranges::count(kinds, runtime::ThunkKind::kWhile), 1);
}

}  // namespace
}  // namespace subfloor::cpu
