#include "passes/pass_test_util.h"

namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

const std::vector<std::string_view> kFuseAndWrap = {"inline-calls", "flatten-call-graph", "normalize-layouts",
                                                    "merge-equal",  "fuse-instructions",  "wrap-in-fusions",
                                                    "dead-code"};

int64_t CountIn(const hlo::Computation& computation, Opcode opcode) {
  int64_t count = 0;
  for (const Instruction* instruction : computation.instructions()) count += instruction->opcode() == opcode;
  return count;
}

// Runs everything on a copy, checks results, and answers how many kernels the entry holds.
int64_t Kernels(std::string_view text, std::unique_ptr<Module>* out = nullptr,
                PassContext* context = nullptr) {
  auto module = Parse(text);
  if (!module) return -1;
  auto original = module->Clone();
  RunPasses(*module, kFuseAndWrap, context);
  if (auto verified = hlo::Verify(*module, {.normal_form = true}); !verified)
    ADD_FAILURE() << verified.error().ToString();
  ExpectSameResults(*original, *module);
  const int64_t kernels = CountIn(*module->entry(), Opcode::kFusion);
  if (out) *out = std::move(module);
  return kernels;
}

TEST(FuseTest, ElementwiseChainIsOneKernel) {
  std::unique_ptr<Module> module;
  EXPECT_EQ(Kernels(R"(ENTRY e {
    x = f32[64,32] parameter(0)
    one = f32[] constant(1)
    ones = f32[64,32] broadcast(one), dimensions={}
    a = f32[64,32] add(x, ones)
    b = f32[64,32] exponential(a)
    ROOT c = f32[64,32] multiply(b, x)
  })",
                    &module),
            1);
  const Instruction* fusion = module->entry()->root();
  EXPECT_EQ(fusion->operand_count(), 1);  // the scalar is inside
  EXPECT_EQ(fusion->called()->root()->opcode(), Opcode::kMultiply);
  EXPECT_EQ(fusion->name(), "c_fusion");
}

TEST(FuseTest, ExpensiveProducerOfTwoKernelsIsStored) {
  PassContext context;
  decision::Log log;
  context.log = &log;
  // exp feeds a dot, which is no kernel of ours, and an add.
  EXPECT_EQ(Kernels(R"(ENTRY e {
    x = f32[16,16] parameter(0)
    e = f32[16,16] exponential(x)
    d = f32[16,16] dot(e, e), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT r = f32[16,16] add(d, e)
  })",
                    nullptr, &context),
            2);
  bool recorded = false;
  for (const auto& record : log.records()) recorded |= record.fact == decision::Fact::kReadByUnfused;
  EXPECT_TRUE(recorded);
}

TEST(FuseTest, SoftmaxIsFourKernels) {
  // max, exp of the difference, sum, quotient: the exponential is dear and read twice, the difference is not.
  std::unique_ptr<Module> module;
  EXPECT_EQ(Kernels(R"(
  max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
  sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
  ENTRY e {
    x = f32[32,64] parameter(0)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    m = f32[32] reduce(x, low), dimensions={1}, to_apply=max
    mb = f32[32,64] broadcast(m), dimensions={0}
    d = f32[32,64] subtract(x, mb)
    e = f32[32,64] exponential(d)
    s = f32[32] reduce(e, zero), dimensions={1}, to_apply=sum
    sb = f32[32,64] broadcast(s), dimensions={0}
    ROOT q = f32[32,64] divide(e, sb)
  })",
                    &module),
            4);
}

TEST(FuseTest, ReductionTakesProducersAndEpilogue) {
  std::unique_ptr<Module> module;
  EXPECT_EQ(Kernels(R"(
  sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
  ENTRY e {
    x = f32[32,64] parameter(0)
    zero = f32[] constant(0)
    n = f32[] constant(0.015625)
    nb = f32[32] broadcast(n), dimensions={}
    sq = f32[32,64] multiply(x, x)
    s = f32[32] reduce(sq, zero), dimensions={1}, to_apply=sum
    ROOT mean = f32[32] multiply(s, nb)
  })",
                    &module),
            1);
  EXPECT_EQ(module->entry()->root()->As<hlo::FusionAttributes>().kind, hlo::FusionKind::kInput);
}

TEST(FuseTest, ReductionNeverInsideALargerLoop) {
  EXPECT_EQ(Kernels(R"(
  sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
  ENTRY e {
    x = f32[32,64] parameter(0)
    zero = f32[] constant(0)
    s = f32[32] reduce(x, zero), dimensions={1}, to_apply=sum
    sb = f32[32,64] broadcast(s), dimensions={0}
    ROOT d = f32[32,64] subtract(x, sb)
  })"),
            2);
}

TEST(FuseTest, ExpensiveOpIsNotRepeatedByABroadcast) {
  EXPECT_EQ(Kernels(R"(ENTRY e {
    x = f32[64] parameter(0)
    y = f32[1024,64] parameter(1)
    e = f32[64] exponential(x)
    eb = f32[1024,64] broadcast(e), dimensions={1}
    ROOT r = f32[1024,64] add(y, eb)
  })"),
            2);
  // A cheap one is repeated: it hides behind the loads.
  EXPECT_EQ(Kernels(R"(ENTRY e {
    x = f32[64] parameter(0)
    y = f32[1024,64] parameter(1)
    e = f32[64] add(x, x)
    eb = f32[1024,64] broadcast(e), dimensions={1}
    ROOT r = f32[1024,64] add(y, eb)
  })"),
            1);
}

TEST(FuseTest, UpdateInPlaceKeepsItsOperandOutside) {
  std::unique_ptr<Module> module;
  EXPECT_EQ(Kernels(R"(ENTRY e {
    x = f32[64,8] parameter(0)
    u = f32[1,8] parameter(1)
    i = s32[] parameter(2)
    zero = s32[] constant(0)
    n = f32[64,8] negate(x)
    v = f32[1,8] exponential(u)
    ROOT d = f32[64,8] dynamic-update-slice(n, v, i, zero)
  })",
                    &module),
            2);
  const Instruction* update = module->entry()->root();
  EXPECT_EQ(update->called()->root()->opcode(), Opcode::kDynamicUpdateSlice);
  EXPECT_EQ(update->called()->root()->operand(0)->opcode(), Opcode::kParameter);
  EXPECT_EQ(CountIn(*update->called(), Opcode::kExp), 1);
}

TEST(FuseTest, ReadOfTheUpdatedBufferStaysOutside) {
  EXPECT_EQ(Kernels(R"(ENTRY e {
    x = f32[64,8] parameter(0)
    i = s32[] parameter(1)
    zero = s32[] constant(0)
    s = f32[1,8] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,8}
    v = f32[1,8] exponential(s)
    ROOT d = f32[64,8] dynamic-update-slice(x, v, i, zero)
  })"),
            2);
}

TEST(FuseTest, ReshapesOutsideBecomeBitcasts) {
  std::unique_ptr<Module> module;
  EXPECT_EQ(Kernels(R"(ENTRY e {
    x = f32[4,6] parameter(0)
    ROOT r = f32[24] reshape(x)
  })",
                    &module),
            0);
  EXPECT_EQ(module->entry()->root()->opcode(), Opcode::kBitcast);
}

TEST(FuseTest, FusionNeverExceedsTheLimit) {
  std::string text = "ENTRY e {\n p0 = f32[128] parameter(0)\n";
  for (int i = 0; i < 500; ++i) text += fmt::format(" p{} = f32[128] add(p{}, p{})\n", i + 1, i, i);
  text += " ROOT r = f32[128] negate(p500)\n}";
  std::unique_ptr<Module> module;
  PassContext context;
  context.options.max_fusion_instructions = 50;
  EXPECT_EQ(Kernels(text, &module, &context), 11);  // 501 instructions, 50 a kernel
  for (const hlo::Computation* computation : module->computations()) {
    if (computation->IsFusionBody()) {
      EXPECT_LE(computation->instruction_count(), 51);  // and one parameter
    }
  }
}

int64_t KernelsWithSiblings(std::string_view text, PassContext* context = nullptr) {
  auto module = Parse(text);
  if (!module) return -1;
  auto original = module->Clone();
  RunPasses(*module, kFuseAndWrap, context);
  RunPasses(*module, {"fuse-siblings", "dead-code"}, context);
  if (auto verified = hlo::Verify(*module, {.normal_form = true}); !verified)
    ADD_FAILURE() << verified.error().ToString();
  ExpectSameResults(*original, *module);
  return CountIn(*module->entry(), Opcode::kFusion);
}

TEST(FuseSiblingsTest, ReadersOfOneArrayShareALoop) {
  EXPECT_EQ(KernelsWithSiblings(R"(ENTRY e {
    x = f32[64] parameter(0) y = f32[64] parameter(1)
    a = f32[64] exponential(x) b = f32[64] multiply(x, y) c = f32[64] negate(y)
    ROOT t = (f32[64], f32[64], f32[64]) tuple(a, b, c) })"),
            1);
}

TEST(FuseSiblingsTest, NoCycles) {
  // a -> dot -> b: merging a and b would make each need the other.
  EXPECT_EQ(KernelsWithSiblings(R"(ENTRY e {
    x = f32[8,8] parameter(0)
    a = f32[8,8] exponential(x)
    d = f32[8,8] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    b = f32[8,8] add(x, d)
    ROOT t = (f32[8,8], f32[8,8]) tuple(a, b) })"),
            2);
}

TEST(FuseSiblingsTest, ReaderOfAStoredValueJoinsItsLoop) {
  // The exponential feeds a dot, so it is stored; the sum beside it reads it in the same loop.
  EXPECT_EQ(KernelsWithSiblings(R"(ENTRY e {
    x = f32[8,8] parameter(0) y = f32[8,8] parameter(1)
    a = f32[8,8] exponential(x)
    d = f32[8,8] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    b = f32[8,8] add(a, y)
    ROOT t = (f32[8,8], f32[8,8]) tuple(d, b) })"),
            1);
  // Not when it reads it across.
  EXPECT_EQ(KernelsWithSiblings(R"(ENTRY e {
    x = f32[8,8] parameter(0) y = f32[8,8] parameter(1)
    a = f32[8,8] exponential(x)
    d = f32[8,8] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    at = f32[8,8] transpose(a), dimensions={1,0}
    b = f32[8,8] add(at, y)
    ROOT t = (f32[8,8], f32[8,8]) tuple(d, b) })"),
            2);
}

TEST(FuseSiblingsTest, SumsOfOneArrayAreOneKernel) {
  EXPECT_EQ(KernelsWithSiblings(R"(
  sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
  ENTRY e {
    x = f32[32,64] parameter(0) zero = f32[] constant(0)
    s = f32[32] reduce(x, zero), dimensions={1}, to_apply=sum
    sq = f32[32,64] multiply(x, x)
    q = f32[32] reduce(sq, zero), dimensions={1}, to_apply=sum
    ROOT t = (f32[32], f32[32]) tuple(s, q) })"),
            1);
}

TEST(InlineFusionsTest, ForeignStampIsRecorded) {
  auto module = Parse(R"(
  body { a = f32[8] parameter(0) ROOT n = f32[8] negate(a) }
  ENTRY e { x = f32[8] parameter(0) ROOT f = f32[8] fusion(x), kind=kCustom, calls=body, backend_config="someone" })");
  ASSERT_TRUE(module);
  const int64_t id = module->entry()->root()->id();
  decision::Log log;
  PassContext context;
  context.log = &log;
  EXPECT_TRUE(RunPasses(*module, {"inline-fusions"}, &context));
  EXPECT_EQ(module->entry()->root()->opcode(), Opcode::kNegate);
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_EQ(log.records()[0].question, decision::Question::kForeignStamp);
  EXPECT_EQ(log.records()[0].instruction, id);
}

}  // namespace
}  // namespace subfloor::passes
