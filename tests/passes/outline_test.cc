#include "passes/fuse/outline.h"

#include <gtest/gtest.h>

#include <vector>

#include "hlo/parser.h"
#include "hlo/verifier.h"

namespace subfloor::passes {
namespace {

// The edge between two members is gone, those to others are the fusion's.
TEST(OutlineFusion, DoesNotWaitForItself) {
  auto module = hlo::ParseModule(R"(ENTRY e {
    x = f32[8] parameter(0)
    before = f32[8] tanh(x)
    a = f32[8] exponential(x), control-predecessors={before}
    b = f32[8] negate(x), control-predecessors={a}
    sum = f32[8] add(a, b)
    after = f32[8] abs(x), control-predecessors={b}
    ROOT r = (f32[8], f32[8], f32[8]) tuple(sum, after, before)
  })");
  ASSERT_TRUE(module) << module.error().ToString();
  const auto find = [&](std::string_view name) { return (*module)->FindInstruction(name); };
  const std::vector<hlo::Instruction*> members = {find("a"), find("b"), find("sum")};
  const std::vector<hlo::Instruction*> outputs = {find("sum")};
  const hlo::Instruction* fusion = OutlineFusion(members, outputs);
  ASSERT_EQ(fusion->control_predecessors().size(), 1u);
  EXPECT_EQ(fusion->control_predecessors()[0], find("before"));
  ASSERT_EQ(fusion->control_successors().size(), 1u);
  EXPECT_EQ(fusion->control_successors()[0], find("after"));
  const Status valid = hlo::Verify(**module);
  EXPECT_TRUE(valid) << valid.error().ToString();
}

}  // namespace
}  // namespace subfloor::passes
