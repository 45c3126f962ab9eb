#include "hlo/printer.h"

#include <gtest/gtest.h>

#include "hlo/parser.h"

namespace subfloor::hlo {
namespace {

std::unique_ptr<Module> Parse(std::string_view text) {
  auto module = ParseModule(text);
  if (!module) ADD_FAILURE() << module.error().ToString();
  return module ? *std::move(module) : std::make_unique<Module>("failed");
}

constexpr std::string_view kText =
    R"(HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }, buffer_donor={ (0, {}) }, entry_computation_layout={(f32[2,3]{1,0})->f32[2]{0}}, num_partitions=2, frontend_attributes={a="b"}

FileNames
1 "a.py"

%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %s = f32[] add(%x, %y), metadata={op_name="s"}
}

ENTRY %main (p: f32[2,3]) -> f32[2] {
  %p = f32[2,3]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}
  %zero = f32[] constant(0)
  %big = s32[12]{0} constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
  %t = (f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[]) tuple(%zero, %zero, %zero, %zero, %zero, /*index=5*/%zero)
  ROOT %r = f32[2]{0} reduce(%p, %zero), dimensions={1}, to_apply=%sum, control-predecessors={%t}, metadata={op_name="r"}, backend_config={"k":[1]}
}
)";

TEST(Printer, ShortFormIsWhatItReads) { EXPECT_EQ(Print(*Parse(kText)), kText); }

TEST(Printer, Forms) {
  const auto module = Parse(kText);
  const Instruction& root = *module->entry()->root();
  EXPECT_EQ(Print(root, PrintOptions::Long()),
            "ROOT %r = f32[2]{0} reduce(f32[2,3]{1,0} %p, f32[] %zero), dimensions={1}, to_apply=%sum, "
            "control-predecessors={%t}, metadata={op_name=\"r\"}, backend_config={\"k\":[1]}");
  EXPECT_EQ(Print(root, PrintOptions::ShortParsable()),
            "ROOT r = f32[2]{0} reduce(p, zero), dimensions={1}, to_apply=sum, control-predecessors={t}, "
            "backend_config={\"k\":[1]}");
  EXPECT_EQ(Print(*root.called(), PrintOptions::ShortParsable()),
            "sum {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n");
  PrintOptions small;
  small.print_large_constants = false;
  const std::string text = Print(*module, small);
  EXPECT_NE(text.find("%big = s32[12]{0} constant({...})"), std::string::npos) << text;
  EXPECT_NE(text.find("%zero = f32[] constant(0)"), std::string::npos) << text;
}

TEST(Printer, CanonicalFormIgnoresNamesAndMetadata) {
  const auto a =
      Parse("HloModule a f { x = f32[] parameter(0) ROOT y = f32[] negate(x), metadata={op_name=\"q\"} }");
  const auto b = Parse("HloModule b g { u = f32[] parameter(0) ROOT v.7 = f32[] negate(u) }");
  const auto c = Parse("HloModule b g { u = f32[] parameter(0) ROOT v.7 = f32[] abs(u) }");
  EXPECT_EQ(Print(*a, PrintOptions::Canonical()), Print(*b, PrintOptions::Canonical()));
  EXPECT_NE(Print(*b, PrintOptions::Canonical()), Print(*c, PrintOptions::Canonical()));
}

TEST(Printer, OperandsComeFirstWhateverTheOrderOfInsertion) {
  Module module("m");
  Computation* e = module.AddComputation("e");
  Instruction* p = e->AddParameter(0, Shape::Scalar(ElementType::kF32), "p");
  Instruction* root = e->Add(Opcode::kNegate, p->shape(), {p}, std::nullopt, {}, "n");
  Instruction* late = e->Add(Opcode::kAbs, p->shape(), {p}, std::nullopt, {}, "late");
  root->ReplaceOperand(0, late);
  e->set_root(root);
  EXPECT_EQ(Print(*e, PrintOptions::ShortParsable()),
            "ENTRY e {\n  p = f32[] parameter(0)\n  late = f32[] abs(p)\n  ROOT n = f32[] negate(late)\n}\n");
}

// Names that are only names behind a `%` keep it in every form.
TEST(Printer, NamesThatNeedTheirPercent) {
  const auto module = Parse(
      "HloModule %7 %ROOT (%0: f32[]) -> f32[] { %0 = f32[] parameter(0) ROOT %ROOT = f32[] negate(%0) }");
  for (const PrintOptions& options : {PrintOptions::Short(), PrintOptions::ShortParsable()}) {
    const std::string text = Print(*module, options);
    EXPECT_EQ(Print(*Parse(text), options), text);
  }
  EXPECT_EQ(Print(*module, PrintOptions::ShortParsable()),
            "HloModule %7\n\nENTRY %ROOT {\n  %0 = f32[] parameter(0)\n  ROOT %ROOT = f32[] negate(%0)\n}\n");
}

// Attributes that programs made by passes carry without any text of their own.
TEST(Printer, AttributesWithoutWrittenText) {
  Module module("m");
  Computation* e = module.AddComputation("e");
  const Shape shape = Shape::ArrayOf(ElementType::kF32, {1, 4, 4, 2});
  Instruction* a = e->AddParameter(0, shape, "a");
  ConvolutionAttributes convolution;
  convolution.window = {{.size = 1}, {.size = 3, .padding_low = 1, .padding_high = 1}};
  convolution.dimensions = {.input_batch = 0,
                            .input_feature = 3,
                            .input_spatial = {2, 1},
                            .kernel_input_feature = 2,
                            .kernel_output_feature = 3,
                            .kernel_spatial = {0, 1},
                            .output_batch = 0,
                            .output_feature = 3,
                            .output_spatial = {1, 2},
                            .text = ""};
  Instruction* c = e->Add(Opcode::kConvolution, shape, {a, a}, convolution, {}, "c");
  EXPECT_EQ(Print(*c, PrintOptions::ShortParsable()),
            "c = f32[1,4,4,2] convolution(a, a), window={size=1x3 pad=0_0x1_1}, dim_labels=b10f_01io->b01f");
  CollectiveAttributes collective;
  collective.replica_groups.groups = {{0, 1}, {2, 3}};
  collective.dimensions = {0};
  Instruction* g = e->Add(Opcode::kAllGather, shape, {a}, collective, {}, "g");
  EXPECT_EQ(Print(*g, PrintOptions::ShortParsable()),
            "g = f32[1,4,4,2] all-gather(a), replica_groups={{0,1},{2,3}}, dimensions={0}");
}

TEST(Printer, AsyncIsSugaredOnlyWhenNothingGetsLost) {
  constexpr std::string_view kSugar = R"(HloModule m

ENTRY %e (p: f32[8]) -> f32[4] {
  %p = f32[8] parameter(0)
  %s = ((f32[8]), f32[4], u32[]) slice-start(%p), async_execution_thread="copier", slice={[0:8:2]}
  %u = ((f32[8]), f32[4], u32[]) slice-update(%s)
  ROOT %d = f32[4] slice-done(%u)
}
)";
  EXPECT_EQ(Print(*Parse(kSugar)), kSugar);
  // Two starts share the body; a body of two operations; one with metadata.
  for (std::string_view body : {"ROOT n = f32[8] negate(x)", "y = f32[8] negate(x) ROOT n = f32[8] negate(y)",
                                "ROOT n = f32[8] negate(x), metadata={op_name=\"kept\"}"}) {
    const auto module = Parse(fmt::format(R"(
body {{ x = f32[8] parameter(0) {} }}
ENTRY e {{
  p = f32[8] parameter(0)
  s = ((f32[8]), f32[8]) async-start(p), calls=body
  d = f32[8] async-done(s)
  s2 = ((f32[8]), f32[8]) async-start(d), calls=body
  ROOT d2 = f32[8] async-done(s2)
}})",
                                          body));
    const std::string text = Print(*module);
    EXPECT_NE(text.find("async-start(%p), calls=%body"), std::string::npos) << text;
    EXPECT_EQ(Print(*Parse(text)), text);
  }
  // Once, and with a parameter and one operation only, it is sugared.
  const auto module = Parse(R"(
body { x = f32[8] parameter(0) ROOT n = f32[8] negate(x) }
ENTRY e {
  p = f32[8] parameter(0)
  s = ((f32[8]), f32[8]) async-start(p), calls=body
  ROOT d = f32[8] async-done(s)
})");
  EXPECT_NE(Print(*module).find("negate-start(%p)"), std::string::npos) << Print(*module);
}

}  // namespace
}  // namespace subfloor::hlo
