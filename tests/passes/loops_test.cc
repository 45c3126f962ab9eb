#include "passes/loops/loop_analysis.h"

#include "passes/pass_test_util.h"

namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

Instruction* FindLoop(const Module& module) {
  for (Instruction* instruction : module.entry()->instructions()) {
    if (instruction->opcode() == Opcode::kWhile) return instruction;
  }
  return nullptr;
}

// A loop over (counter, x) that squares x.
std::string Counting(std::string_view type, std::string_view init, std::string_view step,
                     std::string_view compare) {
  return fmt::format(R"(
  cond {{ p = ({0}[], f32[4]) parameter(0) i = {0}[] get-tuple-element(p), index=0 n = {0}[] constant(10)
          ROOT c = pred[] compare({3} }}
  body {{ p = ({0}[], f32[4]) parameter(0) i = {0}[] get-tuple-element(p), index=0 x = f32[4] get-tuple-element(p), index=1
          s = {0}[] constant({2}) j = {0}[] add(i, s) y = f32[4] multiply(x, x) ROOT t = ({0}[], f32[4]) tuple(j, y) }}
  ENTRY e {{ x = f32[4] parameter(0) z = {0}[] constant({1}) t = ({0}[], f32[4]) tuple(z, x)
             w = ({0}[], f32[4]) while(t), condition=cond, body=body ROOT r = f32[4] get-tuple-element(w), index=1 }})",
                     type, init, step, compare);
}

std::optional<int64_t> TripCount(std::string_view type, std::string_view init, std::string_view step,
                                 std::string_view compare) {
  auto module = Parse(Counting(type, init, step, compare));
  return module ? KnownTripCount(*FindLoop(*module)) : -1;
}

TEST(TripCountTest, CountsWhatTheConditionSays) {
  EXPECT_EQ(TripCount("s32", "0", "1", "i, n), direction=LT"), 10);
  EXPECT_EQ(TripCount("s32", "0", "3", "i, n), direction=LT"), 4);  // 0 3 6 9
  EXPECT_EQ(TripCount("s32", "0", "3", "i, n), direction=LE"), 4);
  EXPECT_EQ(TripCount("s32", "1", "3", "i, n), direction=LE"), 4);  // 1 4 7 10
  EXPECT_EQ(TripCount("s32", "0", "1", "n, i), direction=GT"), 10);
  EXPECT_EQ(TripCount("s32", "20", "-2", "i, n), direction=GE"), 6);  // 20 18 16 14 12 10
  EXPECT_EQ(TripCount("s32", "0", "5", "i, n), direction=NE"), 2);
  EXPECT_EQ(TripCount("s32", "12", "1", "i, n), direction=LT"), 0);
  EXPECT_EQ(TripCount("u8", "0", "1", "i, n), direction=LT"), 10);
  EXPECT_EQ(TripCount("s32", "0", "0", "i, n), direction=LT"), std::nullopt);  // endless
  EXPECT_EQ(TripCount("s32", "0", "3", "i, n), direction=NE"), std::nullopt);  // steps over the bound
  EXPECT_EQ(TripCount("s8", "0", "-1", "i, n), direction=LT"), std::nullopt);  // wraps around
  EXPECT_EQ(TripCount("s8", "120", "100", "i, n), direction=GT"), std::nullopt);
}

TEST(TripCountTest, ReadsTheBackendConfig) {
  auto module = Parse(R"(
  cond { p = (f32[]) parameter(0) x = f32[] get-tuple-element(p), index=0 n = f32[] constant(10) ROOT c = pred[] compare(x, n), direction=LT }
  body { p = (f32[]) parameter(0) x = f32[] get-tuple-element(p), index=0 y = f32[] add(x, x) ROOT t = (f32[]) tuple(y) }
  ENTRY e { x = f32[] parameter(0) t = (f32[]) tuple(x)
            ROOT w = (f32[]) while(t), condition=cond, body=body, backend_config={"known_trip_count":{"n":"42"}} })");
  ASSERT_TRUE(module);
  EXPECT_EQ(KnownTripCount(*FindLoop(*module)), 42);
}

std::unique_ptr<Module> Simplified(std::string_view text, const std::vector<std::string_view>& passes) {
  auto module = Parse(text);
  if (!module) return nullptr;
  auto original = module->Clone();
  RunPasses(*module, passes);
  ExpectSameResults(*original, *module);
  return module;
}

TEST(SimplifyLoopsTest, ShortLoopsGo) {
  const std::vector<std::string_view> passes = {"simplify-loops", "simplify-tuples", "dead-code"};
  EXPECT_EQ(Simplified(Counting("s32", "12", "1", "i, n), direction=LT"), passes)->entry()->root()->opcode(),
            Opcode::kParameter);
  EXPECT_EQ(FindLoop(*Simplified(Counting("s32", "9", "1", "i, n), direction=LT"), passes)), nullptr);
  EXPECT_EQ(FindLoop(*Simplified(Counting("s32", "0", "1", "i, n), direction=LT"), passes)),
            nullptr);  // unrolled
  EXPECT_NE(FindLoop(*Simplified(Counting("s32", "-400", "1", "i, n), direction=LT"), passes)), nullptr);
}

constexpr std::string_view kCarriesTooMuch = R"(
  cond { p = (s32[], f32[4], f32[4], f32[], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] get-tuple-element(p), index=4
         ROOT c = pred[] compare(i, n), direction=LT }
  body { p = (s32[], f32[4], f32[4], f32[], s32[]) parameter(0)
         i = s32[] get-tuple-element(p), index=0 x = f32[4] get-tuple-element(p), index=1 unused = f32[4] get-tuple-element(p), index=2
         scale = f32[] get-tuple-element(p), index=3 n = s32[] get-tuple-element(p), index=4
         one = s32[] constant(1) j = s32[] add(i, one) b = f32[4] broadcast(scale), dimensions={} y = f32[4] multiply(x, b)
         v = f32[4] add(unused, unused) ROOT t = (s32[], f32[4], f32[4], f32[], s32[]) tuple(j, y, v, scale, n) }
  ENTRY e { x = f32[4] parameter(0) u = f32[4] parameter(1) z = s32[] constant(0) half = f32[] constant(0.5) n = s32[] constant(1000)
            t = (s32[], f32[4], f32[4], f32[], s32[]) tuple(z, x, u, half, n)
            w = (s32[], f32[4], f32[4], f32[], s32[]) while(t), condition=cond, body=body
            a = f32[4] get-tuple-element(w), index=1 s = f32[] get-tuple-element(w), index=3 sb = f32[4] broadcast(s), dimensions={}
            ROOT r = f32[4] add(a, sb) })";

TEST(SimplifyLoopsTest, CarriesOnlyWhatMatters) {
  auto module = Simplified(kCarriesTooMuch, {"simplify-loops", "dead-code"});
  ASSERT_TRUE(module);
  const Instruction* loop = FindLoop(*module);
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->shape().ToString(false),
            "(s32[], f32[4])");  // the constants went inside, the unused array went
  EXPECT_EQ(KnownTripCount(*loop), 1000);
}

TEST(HoistTest, UnchangedTransposeLeavesTheLoop) {
  auto module = Simplified(R"(
  cond { p = (s32[], f32[4,4], f32[4,4]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(20) ROOT c = pred[] compare(i, n), direction=LT }
  body { p = (s32[], f32[4,4], f32[4,4]) parameter(0) i = s32[] get-tuple-element(p), index=0 x = f32[4,4] get-tuple-element(p), index=1
         m = f32[4,4] get-tuple-element(p), index=2 one = s32[] constant(1) j = s32[] add(i, one)
         mt = f32[4,4] transpose(m), dimensions={1,0} e = f32[4,4] exponential(mt) k = f32[4,4] constant({{1,2,3,4},{1,2,3,4},{1,2,3,4},{1,2,3,4}})
         q = f32[4,4] multiply(e, k) y = f32[4,4] add(x, q) ROOT t = (s32[], f32[4,4], f32[4,4]) tuple(j, y, m) }
  ENTRY e { x = f32[4,4] parameter(0) m = f32[4,4] parameter(1) z = s32[] constant(0) t = (s32[], f32[4,4], f32[4,4]) tuple(z, x, m)
            ROOT w = (s32[], f32[4,4], f32[4,4]) while(t), condition=cond, body=body })",
                           {"hoist-loop-invariants", "dead-code"});
  ASSERT_TRUE(module);
  const Instruction* loop = FindLoop(*module);
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->shape().tuple_size(), 4);
  for (const Instruction* instruction : loop->called(1)->instructions()) {
    EXPECT_NE(instruction->opcode(), Opcode::kExp);
    EXPECT_NE(instruction->opcode(), Opcode::kTranspose);
  }
}

TEST(ConditionalTest, ConstantIndexPicksTheBranch) {
  auto module = Simplified(R"(
  a { x = f32[4] parameter(0) ROOT r = f32[4] negate(x) }
  b { x = f32[4] parameter(0) ROOT r = f32[4] exponential(x) }
  ENTRY e { x = f32[4] parameter(0) i = s32[] constant(-7) ROOT c = f32[4] conditional(i, x, x), branch_computations={a, b} })",
                           {"simplify-conditionals", "dead-code"});
  ASSERT_TRUE(module);
  EXPECT_EQ(module->entry()->root()->opcode(), Opcode::kExp);  // out of range: the last branch
  EXPECT_EQ(module->computation_count(), 1);
}

}  // namespace
}  // namespace subfloor::passes
