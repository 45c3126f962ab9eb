#include "passes/pass_test_util.h"

namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

// Simplifies `text`'s ENTRY, checks that results stay (edge values included), and gives the text of the
// entry's instructions without the header: names as in the source where instructions survive.
std::unique_ptr<Module> Simplify(std::string_view text,
                                 std::vector<std::string_view> passes = {"simplify-algebra",
                                                                         "simplify-algebra", "dead-code"}) {
  auto module = Parse(text);
  if (!module) return nullptr;
  auto original = module->Clone();
  RunPasses(*module, passes);
  ExpectSameResults(*original, *module, 1, /*edge=*/true);
  ExpectSameResults(*original, *module, 7, /*edge=*/false);
  return module;
}

// The opcodes of the entry but for parameters, sorted by name: "add broadcast constant".
std::string Ops(const Module& module) {
  std::vector<std::string> names;
  for (const Instruction* instruction : module.entry()->instructions()) {
    if (!instruction->IsParameter()) names.emplace_back(ToString(instruction->opcode()));
  }
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string SimplifiedOps(std::string_view text) {
  auto module = Simplify(text);
  return module ? Ops(*module) : "?";
}

TEST(ArithmeticTest, NeutralOperands) {
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = s32[4] parameter(0) z = s32[] constant(0) b = s32[4] broadcast(z), "
                          "dimensions={} ROOT r = s32[4] add(x, b) }"),
            "");
  // -0 + 0 is +0, so only -0 is neutral for floats.
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) z = f32[] constant(0) b = f32[4] broadcast(z), "
                          "dimensions={} ROOT r = f32[4] add(x, b) }"),
            "add broadcast constant");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) z = f32[4] constant({-0, -0, -0, -0}) ROOT r = "
                          "f32[4] add(x, z) }"),
            "");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) z = f32[4] constant({0, 0, 0, 0}) ROOT r = "
                          "f32[4] subtract(x, z) }"),
            "");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = bf16[4] parameter(0) o = bf16[] constant(1) b = bf16[4] "
                          "broadcast(o), dimensions={} ROOT r = bf16[4] multiply(b, x) }"),
            "");
  // NaN and infinity times 0 are NaN.
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) z = f32[4] constant({0, 0, 0, 0}) ROOT r = "
                          "f32[4] multiply(x, z) }"),
            "constant multiply");
}

TEST(ArithmeticTest, DivisionsByPowersOfTwo) {
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) c = f32[] constant(8) b = f32[4] broadcast(c), "
                          "dimensions={} ROOT r = f32[4] divide(x, b) }"),
            "broadcast constant multiply");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) c = f32[] constant(3) b = f32[4] broadcast(c), "
                          "dimensions={} ROOT r = f32[4] divide(x, b) }"),
            "broadcast constant divide");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = u8[4] parameter(0) c = u8[4] constant({16, 16, 16, 16}) ROOT r = "
                          "u8[4] divide(x, c) }"),
            "broadcast constant shift-right-logical");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = u32[4] parameter(0) c = u32[4] constant({8, 8, 8, 8}) ROOT r = "
                          "u32[4] remainder(x, c) }"),
            "and broadcast constant");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = s32[4] parameter(0) c = s32[4] constant({8, 8, 8, 8}) ROOT r = "
                          "s32[4] divide(x, c) }"),
            "constant divide");
}

TEST(ArithmeticTest, Square) {
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) c = f32[4] constant({2, 2, 2, 2}) ROOT r = "
                          "f32[4] power(x, c) }"),
            "multiply");
}

TEST(LogicTest, MasksAndShifts) {
  EXPECT_EQ(
      SimplifiedOps(
          "ENTRY e { x = s8[4] parameter(0) c = s8[4] constant({-1, -1, -1, -1}) ROOT r = s8[4] xor(x, c) }"),
      "not");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = s32[4] parameter(0) c = s32[4] constant({32, 32, 32, 32}) ROOT r = "
                          "s32[4] shift-left(x, c) }"),
            "broadcast constant");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = s32[4] parameter(0) c = s32[4] constant({32, 32, 32, 32}) ROOT r = "
                          "s32[4] shift-right-arithmetic(x, c) }"),
            "constant shift-right-arithmetic");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = pred[4] parameter(0) n = pred[4] not(x) ROOT r = pred[4] not(n) }"),
            "");
}

TEST(SelectionTest, SettledChoices) {
  EXPECT_EQ(
      SimplifiedOps("ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1) t = pred[] constant(true) p = "
                    "pred[4] broadcast(t), dimensions={} ROOT r = f32[4] select(p, x, y) }"),
      "");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = u8[4] parameter(0) c = u8[4] constant({0, 0, 0, 0}) ROOT r = "
                          "pred[4] compare(x, c), direction=LT }"),
            "broadcast constant");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) ROOT r = pred[4] compare(x, x), direction=EQ }"),
            "compare");  // NaN
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) c = f32[] constant(-inf) b = f32[4] "
                          "broadcast(c), dimensions={} ROOT r = f32[4] maximum(x, b) }"),
            "");
}

TEST(ConversionTest, ChainsOfConversions) {
  EXPECT_EQ(
      SimplifiedOps("ENTRY e { x = bf16[4] parameter(0) a = f32[4] convert(x) ROOT r = bf16[4] convert(a) }"),
      "");
  EXPECT_EQ(
      SimplifiedOps("ENTRY e { x = f32[4] parameter(0) a = bf16[4] convert(x) ROOT r = f32[4] convert(a) }"),
      "convert convert");
  EXPECT_EQ(
      SimplifiedOps("ENTRY e { x = s16[4] parameter(0) a = f32[4] convert(x) ROOT r = s8[4] convert(a) }"),
      "convert convert");  // saturates
  EXPECT_EQ(
      SimplifiedOps("ENTRY e { x = s16[4] parameter(0) a = s64[4] convert(x) ROOT r = s8[4] convert(a) }"),
      "convert");
  EXPECT_EQ(
      SimplifiedOps("ENTRY e { x = pred[4] parameter(0) a = s32[4] convert(x) ROOT r = f16[4] convert(a) }"),
      "convert");
}

TEST(MoverTest, Compositions) {
  EXPECT_EQ(SimplifiedOps(
                "ENTRY e { x = f32[2,6] parameter(0) a = f32[12] reshape(x) ROOT r = f32[3,4] reshape(a) }"),
            "reshape");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[2,3,4] parameter(0) a = f32[4,2,3] transpose(x), "
                          "dimensions={2,0,1} ROOT r = f32[2,3,4] transpose(a), dimensions={1,2,0} }"),
            "");
  EXPECT_EQ(
      SimplifiedOps(
          "ENTRY e { x = f32[2,1,4] parameter(0) ROOT r = f32[1,2,4] transpose(x), dimensions={1,0,2} }"),
      "reshape");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[3] parameter(0) a = f32[3,4] broadcast(x), dimensions={0} ROOT "
                          "r = f32[5,3,4] broadcast(a), dimensions={1,2} }"),
            "broadcast");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[3,4] parameter(0) a = f32[3,2,4] broadcast(x), dimensions={0,2} "
                          "ROOT r = f32[4,3,2] transpose(a), dimensions={2,0,1} }"),
            "broadcast transpose");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[3] parameter(0) a = f32[3,1] broadcast(x), dimensions={0} b = "
                          "f32[3] reshape(a) ROOT r = f32[3,8] broadcast(b), dimensions={0} }"),
            "broadcast");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[5,1] parameter(0) a = f32[5,1] reverse(x), dimensions={1} ROOT "
                          "r = f32[5,1] copy(a) }"),
            "");
}

TEST(MoverTest, ElementwiseMovesAboveBroadcasts) {
  auto module = Simplify(R"(ENTRY e {
    x = f32[3] parameter(0) y = f32[3] parameter(1) c = f32[] constant(0.5)
    xb = f32[3,8] broadcast(x), dimensions={0} yb = f32[3,8] broadcast(y), dimensions={0} cb = f32[3,8] broadcast(c), dimensions={}
    s = f32[3,8] add(xb, yb) m = f32[3,8] multiply(s, cb) ROOT r = f32[3,8] exponential(m) })");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->entry()->root()->opcode(), Opcode::kBroadcast);
  EXPECT_EQ(Ops(*module), "add broadcast broadcast constant exponential multiply");
}

TEST(SlicingTest, Compositions) {
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[20] parameter(0) a = f32[8] slice(x), slice={[2:17:2]} ROOT r = "
                          "f32[2] slice(a), slice={[1:7:3]} }"),
            "slice");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) y = f32[6] parameter(1) a = f32[10] "
                          "concatenate(x, y), dimensions={0} ROOT r = f32[3] slice(a), slice={[5:8]} }"),
            "slice");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[4] parameter(0) z = f32[] constant(0) a = f32[9] pad(x, z), "
                          "padding=2_3 ROOT r = f32[2] slice(a), slice={[3:5]} }"),
            "slice");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[9] parameter(0) z = f32[] constant(0) ROOT r = f32[4] pad(x, "
                          "z), padding=-2_-3 }"),
            "slice");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[9] parameter(0) i = s32[] constant(100) ROOT r = f32[4] "
                          "dynamic-slice(x, i), dynamic_slice_sizes={4} }"),
            "slice");
  EXPECT_EQ(SimplifiedOps("ENTRY e { x = f32[9] parameter(0) a = f32[4] slice(x), slice={[0:4]} b = f32[5] "
                          "slice(x), slice={[4:9]} ROOT r = f32[9] concatenate(a, b), dimensions={0} }"),
            "");
}

TEST(ReductionTest, DegenerateAndTransposed) {
  constexpr std::string_view kSum =
      "s { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) } ";
  EXPECT_EQ(SimplifiedOps(std::string(kSum) + "ENTRY e { x = f32[4,1] parameter(0) z = f32[] constant(-0) "
                                              "ROOT r = f32[4] reduce(x, z), dimensions={1}, to_apply=s }"),
            "reshape");
  EXPECT_EQ(
      SimplifiedOps(std::string(kSum) +
                    "ENTRY e { x = f32[4,5] parameter(0) z = f32[] constant(0) t = f32[5,4] transpose(x), "
                    "dimensions={1,0} ROOT r = f32[4] reduce(t, z), dimensions={0}, to_apply=s }"),
      "constant reduce");
  EXPECT_EQ(SimplifiedOps(std::string(kSum) +
                          "ENTRY e { x = f32[4,5] parameter(0) z = f32[] constant(0) t = f32[4,1,5] "
                          "reshape(x) ROOT r = f32[4] reduce(t, z), dimensions={1,2}, to_apply=s }"),
            "constant reduce");
  EXPECT_EQ(SimplifiedOps(std::string(kSum) + "ENTRY e { x = f32[4,0] parameter(0) z = f32[] constant(3) "
                                              "ROOT r = f32[4] reduce(x, z), dimensions={1}, to_apply=s }"),
            "broadcast constant");
}

TEST(ProductTest, DotOfDepthOneIsAMultiplication) {
  auto module = Simplify(
      "ENTRY e { x = f32[2,3,1] parameter(0) y = f32[2,1,4] parameter(1) ROOT r = f32[2,3,4] dot(x, y), "
      "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} }");
  ASSERT_TRUE(module);
  EXPECT_EQ(Ops(*module), "add broadcast broadcast broadcast constant multiply reshape reshape");
}

TEST(CanonicalTest, Dots) {
  // Batch last on one side, contracted pairs crossed, free dimension in the middle.
  auto module = Simplify(R"(ENTRY e { x = f32[3,4,5,2] parameter(0) y = f32[2,5,6,3] parameter(1)
    ROOT r = f32[2,4,6] dot(x, y), lhs_batch_dims={3}, rhs_batch_dims={0}, lhs_contracting_dims={0,2}, rhs_contracting_dims={3,1} })",
                         {"canonicalize-dots", "dead-code"});
  ASSERT_TRUE(module);
  const auto& dot = module->entry()->root()->As<hlo::DotAttributes>();
  EXPECT_EQ(dot.lhs_batch, hlo::IntList({0}));
  EXPECT_EQ(dot.rhs_batch, hlo::IntList({0}));
  EXPECT_EQ(dot.lhs_contracting, hlo::IntList({2, 3}));
  EXPECT_EQ(dot.rhs_contracting, hlo::IntList({1, 2}));
}

TEST(CanonicalTest, TransposeIsAbsorbed) {
  auto module = Simplify(R"(ENTRY e { x = f32[3,4] parameter(0) y = f32[6,3] parameter(1)
    xt = f32[4,3] transpose(x), dimensions={1,0} yt = f32[3,6] transpose(y), dimensions={1,0}
    ROOT r = f32[4,6] dot(xt, yt), lhs_contracting_dims={1}, rhs_contracting_dims={0} })",
                         {"canonicalize-dots", "dead-code"});
  ASSERT_TRUE(module);
  EXPECT_EQ(Ops(*module), "dot");
}

TEST(CanonicalTest, OddTypesAreConverted) {
  auto module = Simplify(R"(ENTRY e { x = s16[3,4] parameter(0) y = s16[4,2] parameter(1)
    ROOT r = s16[3,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} })",
                         {"canonicalize-dots", "dead-code"});
  ASSERT_TRUE(module);
  EXPECT_EQ(Ops(*module), "convert convert convert dot");
}

TEST(CanonicalTest, Convolutions) {
  auto module = Simplify(R"(ENTRY e { x = f32[2,3,8,7] parameter(0) k = f32[4,3,3,2] parameter(1)
    ROOT r = f32[2,4,4,6] convolution(x, k), window={size=3x2 stride=2x1 pad=1_1x0_0 rhs_reversal=1x0}, dim_labels=bf01_oi01->bf01 })",
                         {"canonicalize-convolutions", "dead-code"});
  ASSERT_TRUE(module);
  EXPECT_EQ(Ops(*module), "convolution reverse transpose transpose transpose");
  const Instruction* convolution = module->entry()->root()->operand(0);
  EXPECT_EQ(convolution->As<hlo::ConvolutionAttributes>().dimensions.text, "b01f_01io->b01f");
}

TEST(CanonicalTest, GathersTakeRowsOfIndices) {
  // Indices in the middle, windows first, one dimension collapsed.
  auto module = Simplify(R"(ENTRY e { x = f32[5,6,7] parameter(0) i = s32[3,2,4] parameter(1)
    ROOT r = f32[2,3,4,3] gather(x, i), offset_dims={0,3}, collapsed_slice_dims={1}, start_index_map={2,1}, index_vector_dim=1, slice_sizes={2,1,3} })",
                         {"canonicalize-gathers", "dead-code"});
  ASSERT_TRUE(module);
  EXPECT_EQ(Ops(*module), "gather reshape reshape transpose transpose");
}

TEST(CanonicalTest, BatchingDimensionsBecomeColumns) {
  auto module = Simplify(R"(ENTRY e { x = f32[4,6] parameter(0) i = u8[3,4] parameter(1)
    ROOT r = f32[3,4] gather(x, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=2, slice_sizes={1,1},
      operand_batching_dims={0}, start_indices_batching_dims={1} })",
                         {"canonicalize-gathers", "dead-code"});
  ASSERT_TRUE(module);
  EXPECT_EQ(Ops(*module), "concatenate convert gather iota reshape reshape reshape");
}

TEST(CanonicalTest, ScattersTakeRowsOfIndices) {
  auto module = Simplify(R"(
  s { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
  ENTRY e { x = f32[5,6] parameter(0) i = s32[4] parameter(1) u = f32[6,4] parameter(2)
    ROOT r = f32[5,6] scatter(x, i, u), update_window_dims={0}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=s })",
                         {"canonicalize-gathers", "dead-code"});
  ASSERT_TRUE(module);
  EXPECT_EQ(Ops(*module), "reshape reshape scatter transpose");
  Simplify(R"(
  s { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
  ENTRY e { x = s32[3,5] parameter(0) i = s32[3,2,1] parameter(1) u = s32[3,2] parameter(2)
    ROOT r = s32[3,5] scatter(x, i, u), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=2,
      input_batching_dims={0}, scatter_indices_batching_dims={0}, to_apply=s })",
           {"canonicalize-gathers", "dead-code"});
}

TEST(CanonicalTest, BatchGroupsBecomeFeatureGroups) {
  auto module = Simplify(R"(ENTRY e { x = f32[6,5,3] parameter(0) k = f32[2,3,4] parameter(1)
    ROOT r = f32[3,4,4] convolution(x, k), window={size=2}, dim_labels=b0f_0io->b0f, batch_group_count=2 })",
                         {"canonicalize-convolutions", "dead-code"});
  ASSERT_TRUE(module);
  const auto& attributes = module->entry()->root()->As<hlo::ConvolutionAttributes>();
  EXPECT_EQ(attributes.batch_group_count, 1);
  EXPECT_EQ(attributes.feature_group_count, 2);
}

}  // namespace
}  // namespace subfloor::passes
