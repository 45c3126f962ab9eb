#include "hlo/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hlo/printer.h"

namespace subfloor::hlo {
namespace {

using ::testing::ElementsAre;

std::unique_ptr<Module> Parse(std::string_view text) {
  auto module = ParseModule(text);
  if (!module) {
    ADD_FAILURE() << module.error().ToString();
    return std::make_unique<Module>("failed");
  }
  return *std::move(module);
}

const Instruction* Find(const Module& module, std::string_view name) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->name() == name) return instruction;
    }
  }
  return nullptr;
}

TEST(Parser, ReadsAModule) {
  const auto module = Parse(R"(
HloModule step, is_scheduled=true, input_output_alias={ {0}: (1, {}, must-alias), {1,0}: (0, {2}) },
    buffer_donor={ (0, {}), (1, {3,4}) }, entry_computation_layout={(f32[2,3]{0,1}, s32[])->(f32[2,3]{1,0}, s32[])},
    replica_count=2, num_partitions=4, frontend_attributes={a="}"}

FileNames
1 "a.py"
2 "b \"c\".py"

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %s = f32[] add(f32[] %x, f32[] %y), metadata={op_name="it's } here" source_line=3}
}

ENTRY main (p: f32[2,3], q: s32[]) -> (f32[2], s32[]) {
  p = f32[2,3]{0,1} parameter(0) // a comment
  q = s32[] parameter(1)
  /* another, with ROOT in it */
  zero = f32[] constant(0)
  r = f32[2]{0} reduce(p, zero), dimensions={1}, to_apply=%sum, control-predecessors={q}, sharding={replicated}
  ROOT t = (f32[2]{0}, /*index=1*/ s32[]) tuple(r, q)
}, execution_thread="side"
)");
  EXPECT_EQ(module->name(), "step");
  const ModuleHeader& header = module->header();
  EXPECT_TRUE(header.is_scheduled);
  ASSERT_EQ(header.input_output_alias.size(), 2u);
  EXPECT_EQ(header.input_output_alias[0], (InputOutputAlias{{0}, 1, {}, true}));
  EXPECT_EQ(header.input_output_alias[1], (InputOutputAlias{{1, 0}, 0, {2}, false}));
  ASSERT_EQ(header.buffer_donor.size(), 2u);
  EXPECT_EQ(header.buffer_donor[1], (BufferDonor{1, {3, 4}}));
  ASSERT_TRUE(header.entry_layout);
  EXPECT_EQ(header.entry_layout->parameters[0].ToString(), "f32[2,3]{0,1}");
  EXPECT_EQ(header.entry_layout->result.ToString(), "(f32[2,3]{1,0}, s32[])");
  EXPECT_EQ(header.replica_count, 2);
  EXPECT_EQ(header.num_partitions, 4);
  ASSERT_EQ(header.other.size(), 1u);
  EXPECT_EQ(header.other[0].second, "{a=\"}\"}");
  ASSERT_EQ(header.tables.size(), 2u);
  EXPECT_EQ(header.tables[0].second[1], "2 \"b \\\"c\\\".py\"");

  EXPECT_EQ(module->computation_count(), 2);
  const Computation* main = module->entry();
  EXPECT_EQ(main->name(), "main");
  EXPECT_EQ(main->execution_thread(), "side");
  EXPECT_EQ(main->root()->name(), "t");
  const Instruction* reduce = Find(*module, "r");
  EXPECT_EQ(reduce->opcode(), Opcode::kReduce);
  EXPECT_THAT(reduce->dimensions(), ElementsAre(1));
  EXPECT_EQ(reduce->called()->name(), "sum");
  EXPECT_EQ(reduce->operand(0)->name(), "p");
  ASSERT_EQ(reduce->control_predecessors().size(), 1u);
  EXPECT_EQ(reduce->control_predecessors()[0]->name(), "q");
  EXPECT_EQ(reduce->annotations().sharding, "{replicated}");
  EXPECT_EQ(reduce->line(), 24);
  EXPECT_EQ(reduce->column(), 3);
  EXPECT_EQ(Find(*module, "s")->annotations().MetadataField("op_name"), "it's } here");
  EXPECT_EQ(main->root()->shape().ToString(), "(f32[2]{0}, s32[])");
}

TEST(Parser, WithoutEntryTheLastComputationIsIt) {
  const auto module =
      Parse("f { ROOT a = f32[] parameter(0) } g { b = f32[] parameter(0) c = f32[] negate(b) }");
  EXPECT_EQ(module->name(), "module_g");
  EXPECT_EQ(module->entry()->name(), "g");
  EXPECT_EQ(module->entry()->root()->name(), "c");  // without ROOT the last
  const auto entry_first = Parse("ENTRY f { a = f32[] parameter(0) } g { b = f32[] parameter(0) }");
  EXPECT_EQ(entry_first->entry()->name(), "f");
}

TEST(Parser, OneInstructionAlone) {
  const auto module = Parse("%s = f32[4]{0} add(f32[4]{0} %a, f32[4]{0} b), metadata={op_name=\"x\"}");
  const Computation* computation = module->entry();
  EXPECT_EQ(computation->parameter_count(), 2);
  EXPECT_EQ(computation->parameter(1)->name(), "b");
  EXPECT_EQ(computation->root()->name(), "s");
  const auto unnamed = Parse("f32[4] multiply(f32[4] x, f32[4] x)");
  EXPECT_EQ(unnamed->entry()->parameter_count(), 1);
  EXPECT_EQ(unnamed->entry()->root()->opcode(), Opcode::kMultiply);
  const auto inferred = Parse("add(f32[4] x, f32[4] y)");
  EXPECT_EQ(inferred->entry()->root()->shape().ToString(), "f32[4]");
  const auto with_body = Parse(
      "r = f32[] reduce(f32[3] x, f32[] y), dimensions={0}, to_apply={ a = f32[] parameter(0) b = f32[] "
      "parameter(1) "
      "ROOT c = f32[] add(a, b) }");
  EXPECT_EQ(with_body->entry()->root()->called()->root()->opcode(), Opcode::kAdd);
}

TEST(Parser, NestedOperandsAndTupleElements) {
  const auto module = Parse(R"(e {
    p = (f32[3], (s32[], f32[3])) parameter(0)
    ROOT r = f32[3] add(f32[3] negate(p#0), multiply(p#1#1, f32[3] broadcast(f32[] constant(2.5))))
  })");
  const Instruction* root = module->entry()->root();
  const Instruction* negate = root->operand(0);
  EXPECT_EQ(negate->opcode(), Opcode::kNegate);
  EXPECT_EQ(negate->name(), "negate.anon");
  EXPECT_EQ(negate->operand(0)->opcode(), Opcode::kGetTupleElement);
  EXPECT_EQ(negate->operand(0)->As<GetTupleElementAttributes>().index, 0);
  const Instruction* multiply = root->operand(1);
  EXPECT_EQ(multiply->shape().ToString(), "f32[3]");  // inferred
  const Instruction* inner = multiply->operand(0);
  EXPECT_EQ(inner->As<GetTupleElementAttributes>().index, 1);
  EXPECT_EQ(inner->operand(0)->shape().ToString(), "(s32[], f32[3])");
  EXPECT_EQ(multiply->operand(1)->operand(0)->literal().data<float>()[0], 2.5f);
}

TEST(Parser, ComputationsInsideAttributes) {
  const auto module = Parse(R"(
id { x = f32[] parameter(0) }
ENTRY e {
  i = s32[] parameter(0)
  a = f32[] parameter(1)
  c = f32[] conditional(i, a, a, a), branch_computations={id, { y = f32[] parameter(0) ROOT n = f32[] negate(y) }, %id}
  ROOT w = f32[] while(c), body={ z = f32[] parameter(0) }, condition={
    z = f32[] parameter(0)
    s = f32[] call(z), to_apply={ u = f32[] parameter(0) ROOT v = f32[] exponential(u) }
    ROOT lt = pred[] compare(z, s), direction=LT
  }
})");
  const Instruction* conditional = Find(*module, "c");
  ASSERT_EQ(conditional->called_computations().size(), 3u);
  EXPECT_EQ(conditional->called(0)->name(), "id");
  EXPECT_EQ(conditional->called(1)->root()->opcode(), Opcode::kNegate);
  EXPECT_EQ(conditional->called(2)->name(), "id");
  const Instruction* loop = Find(*module, "w");
  ASSERT_EQ(loop->called_computations().size(), 2u);
  EXPECT_EQ(loop->called(0)->root()->opcode(), Opcode::kCompare);  // the condition, though written second
  EXPECT_EQ(loop->called(1)->root()->opcode(), Opcode::kParameter);
  EXPECT_EQ(loop->called(0)->root()->operand(1)->called()->root()->opcode(), Opcode::kExp);
  EXPECT_EQ(module->computation_count(), 6);
  const std::string text = Print(*module);
  EXPECT_EQ(Print(*Parse(text)), text);
}

TEST(Parser, EqualNamesInTwoComputationsGetNumbers) {
  const auto module =
      Parse("f { ROOT x = f32[] parameter(0) } ENTRY g { x = f32[] parameter(0) ROOT y = f32[] negate(x) }");
  EXPECT_EQ(module->entry()->parameter(0)->name(), "x.1");
  EXPECT_EQ(module->entry()->root()->operand(0)->name(), "x.1");
}

TEST(Parser, AsyncSugar) {
  const auto module = Parse(R"(e {
    p = f32[8] parameter(0)
    s = ((f32[8]), f32[4], u32[]) slice-start(p), slice={[0:8:2]}, async_execution_thread="copier"
    u = ((f32[8]), f32[4], u32[]) slice-update(s)
    ROOT d = f32[4] slice-done(u)
  })");
  const Instruction* start = Find(*module, "s");
  EXPECT_EQ(start->opcode(), Opcode::kAsyncStart);
  EXPECT_EQ(start->As<AsyncAttributes>().execution_thread.text, "copier");
  const Instruction* wrapped = start->called()->root();
  EXPECT_EQ(wrapped->opcode(), Opcode::kSlice);
  EXPECT_EQ(wrapped->As<SliceAttributes>().slice[0].stride, 2);
  EXPECT_EQ(wrapped->shape().ToString(), "f32[4]");
  EXPECT_EQ(start->called()->execution_thread(), "copier");
  const Instruction* done = Find(*module, "d");
  EXPECT_EQ(done->opcode(), Opcode::kAsyncDone);
  EXPECT_EQ(done->called(), start->called());
  EXPECT_EQ(Find(*module, "u")->opcode(), Opcode::kAsyncUpdate);
}

TEST(Parser, PlainAsync) {
  const auto module = Parse(R"(
body { x = f32[8] parameter(0) n = f32[8] negate(x) ROOT m = f32[8] negate(n) }, execution_thread="t"
ENTRY e {
  p = f32[8] parameter(0)
  s = ((f32[8]), f32[8]) async-start(p), calls=body, async_execution_thread="t"
  ROOT d = f32[8] async-done(s), calls=body
})");
  EXPECT_EQ(Find(*module, "s")->called()->name(), "body");
  EXPECT_EQ(Find(*module, "d")->called()->name(), "body");
}

TEST(Parser, Attributes) {
  const auto module = Parse(R"(e {
    a = f32[1,8,9,3] parameter(0)
    k = f32[3,2,3,16] parameter(1)
    conv = f32[1,4,5,16] convolution(a, k), window={size=3x2 stride=2x2 pad=1_1x0_-1 rhs_dilate=1x2 rhs_reversal=1x0},
        dim_labels=b01f_01io->b01f, operand_precision={HIGHEST,default}, feature_group_count=1
    dot = f32[3,8] dot(f32[3,5] parameter(2), f32[5,8] parameter(3)), lhs_contracting_dims={1}, rhs_contracting_dims={0},
        algorithm=dot_bf16_bf16_f32_x3
    pad = f32[9,4] pad(dot, f32[] constant(0)), padding=3_3x-2_-2_0
    ag = f32[16,1] all-gather(f32[2,1] parameter(4)), replica_groups=[1,8]<=[2,4]T(1,0), dimensions={0}, channel_id=7,
        use_global_device_ids=true
    cp = f32[2] collective-permute(f32[2] parameter(5)), source_target_pairs={{0,1},{1,0}}
    cc = (f32[2]{0}, s32[]) custom-call(cp, cp), custom_call_target="a\"b\n\001", operand_layout_constraints={f32[2]{0}, f32[2]{0}},
        output_to_operand_aliasing={{0}: (1, {})}, api_version=API_VERSION_TYPED_FFI, backend_config={sizes:[128], x="}"},
        literal=(s32[2]{0}, f32[]) ( s32[2]{0} {1, 2}, 3.5 ), custom_call_has_side_effect=true
    ROOT t = () tuple()
  })");
  const auto& conv = Find(*module, "conv")->As<ConvolutionAttributes>();
  ASSERT_EQ(conv.window.size(), 2u);
  EXPECT_EQ(conv.window[0],
            (WindowDimension{.size = 3, .stride = 2, .padding_low = 1, .padding_high = 1, .reversal = true}));
  EXPECT_EQ(conv.window[1],
            (WindowDimension{.size = 2, .stride = 2, .padding_high = -1, .window_dilation = 2}));
  EXPECT_EQ(conv.dimensions.input_feature, 3);
  EXPECT_EQ(conv.dimensions.kernel_output_feature, 3);
  EXPECT_THAT(conv.dimensions.kernel_spatial, ElementsAre(0, 1));
  EXPECT_THAT(conv.operand_precision, ElementsAre(Precision::kHighest, Precision::kDefault));
  EXPECT_EQ(Find(*module, "dot")->As<DotAttributes>().algorithm, DotAlgorithm::kBF16BF16F32X3);
  EXPECT_EQ(Find(*module, "pad")->As<PadAttributes>().padding[1], (PaddingDimension{-2, -2, 0}));
  const auto& gather = Find(*module, "ag")->As<CollectiveAttributes>();
  // iota 0..7 as [2,4], transposed to [4,2]: 0 4 1 5 2 6 3 7, one group.
  ASSERT_EQ(gather.replica_groups.groups.size(), 1u);
  EXPECT_THAT(gather.replica_groups.groups[0], ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_EQ(gather.channel_id, 7);
  EXPECT_TRUE(gather.use_global_device_ids);
  EXPECT_THAT(Find(*module, "cp")->As<CollectiveAttributes>().source_target_pairs,
              ElementsAre(std::pair<int64_t, int64_t>(0, 1), std::pair<int64_t, int64_t>(1, 0)));
  const auto& call = Find(*module, "cc")->As<CustomCallAttributes>();
  EXPECT_EQ(call.target.text, "a\"b\n\001");
  EXPECT_EQ(call.operand_layout_constraints.size(), 2u);
  EXPECT_EQ(call.output_to_operand_aliasing[0], (OutputOperandAlias{{0}, 1, {}}));
  EXPECT_EQ(call.api_version, CustomCallApi::kTypedFfi);
  EXPECT_TRUE(call.has_side_effect);
  ASSERT_TRUE(call.literal);
  EXPECT_EQ(call.literal->elements()[0].data<int32_t>()[1], 2);
  EXPECT_EQ(call.literal->elements()[1].data<float>()[0], 3.5f);
  EXPECT_EQ(Find(*module, "cc")->annotations().backend_config, "{sizes:[128], x=\"}\"}");
  const std::string text = Print(*module);
  EXPECT_EQ(Print(*Parse(text)), text);
}

TEST(Parser, Shapes) {
  // Each reads and prints as itself.
  for (std::string_view text :
       {"f32[]", "pred[2,<=3,?]{2,1,0}", "s4[8]{0:E(4)}", "bf16[16,128]{1,0:T(8,128)(2,1)S(1)}",
        "f32[2,3]{0,1:T(*,8)L(16)}", "(f32[2]{0}, (), (s32[], token[]))", "()", "b(f32[3])",
        "(b(s32[2]{0}), opaque[])", "f32[4]{0:S(5)SC(0:1,2)P(s32[3])M(8)}", "f32[2,2]{1,0:#(u32)*(u8)}",
        "f8e4m3b11fnuz[1]", "f32[]{:S(5)}"}) {
    const auto shape = ParseShape(text);
    ASSERT_TRUE(shape) << shape.error().ToString();
    EXPECT_EQ(shape->ToString(), text);
  }
  EXPECT_EQ(ParseShape("( f32[ 2 , 3 ] {1 , 0} , /*index=1*/ f32[]{} )")->ToString(),
            "(f32[2,3]{1,0}, f32[])");
}

TEST(Parser, ElidedConstantsDependOnTheirShapeAlone) {
  const std::string_view text =
      "e { a = f32[40] constant({...}) b = s32[40] constant({...}) ROOT c = f32[40]{0} constant({...}) }";
  const auto module = Parse(text);
  const auto& a = Find(*module, "a")->As<ConstantAttributes>();
  const auto& c = Find(*module, "c")->As<ConstantAttributes>();
  EXPECT_TRUE(a.elided);
  EXPECT_TRUE(a.literal.Identical(c.literal));
  bool differ = false;
  for (float value : a.literal.data<float>()) {
    EXPECT_TRUE(value >= -0.5f && value < 0.5f) << value;
    differ |= value != a.literal.data<float>()[0];
  }
  EXPECT_TRUE(differ);
  for (int32_t value : Find(*module, "b")->literal().data<int32_t>())
    EXPECT_TRUE(value >= 0 && value <= 3) << value;
  EXPECT_THAT(Print(*module), ::testing::HasSubstr("%c = f32[40]{0} constant({...})"));
  const auto tuple = Parse("e { a = (f32[3], (pred[2], u2[2])) constant({...}) }");
  EXPECT_EQ(tuple->entry()->root()->literal().elements()[1].elements()[0].data<uint8_t>()[1], 1);
}

TEST(Parser, OptionalAttributes) {
  const auto module = Parse(R"(e {
    x = f32[] constant(1)
    b = f32[3] broadcast(x)
    ROOT t = (f32[2], s32[2]) topk(b), k=2
  })");
  EXPECT_TRUE(Find(*module, "b")->dimensions().empty());
  EXPECT_TRUE(Find(*module, "t")->As<TopKAttributes>().largest);
}

}  // namespace
}  // namespace subfloor::hlo
