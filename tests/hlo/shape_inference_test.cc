#include "hlo/shape_inference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hlo/builder.h"

// Attributes are written with the fields that matter to a case.
#pragma clang diagnostic ignored "-Wmissing-designated-field-initializers"

namespace subfloor::hlo {
namespace {

using enum ElementType;
using ::testing::HasSubstr;

Shape Array(ElementType type, std::initializer_list<int64_t> dims) { return Shape::ArrayOf(type, dims); }

// "f32[2,3]", or the error's text.
std::string Infer(Opcode opcode, std::vector<Shape> operands, Attributes attributes,
                  std::vector<Computation*> called = {}) {
  std::vector<const Shape*> pointers;
  for (const Shape& shape : operands) pointers.push_back(&shape);
  Result<Shape> shape = InferShape(opcode, pointers, attributes, called);
  return shape ? shape->ToString() : "error: " + shape.error().message();
}
std::string Infer(Opcode opcode, std::vector<Shape> operands) {
  return Infer(opcode, std::move(operands), DefaultAttributes(opcode));
}

// "ok", or the error's text.
std::string Check(const Shape& result, Opcode opcode, std::vector<Shape> operands, Attributes attributes,
                  std::vector<Computation*> called = {}) {
  std::vector<const Shape*> pointers;
  for (const Shape& shape : operands) pointers.push_back(&shape);
  Status status = CheckShape(result, opcode, pointers, attributes, called);
  return status ? "ok" : "error: " + status.error().message();
}
std::string Check(const Shape& result, Opcode opcode, std::vector<Shape> operands) {
  return Check(result, opcode, std::move(operands), DefaultAttributes(opcode));
}

TEST(InferElementwise, UnaryTypes) {
  EXPECT_EQ(Infer(Opcode::kExp, {Array(kF32, {2, 3})}), "f32[2,3]");
  EXPECT_EQ(Infer(Opcode::kAbs, {Array(kC64, {2})}), "f32[2]");
  EXPECT_EQ(Infer(Opcode::kAbs, {Array(kS8, {2})}), "s8[2]");
  EXPECT_THAT(Infer(Opcode::kAbs, {Array(kU8, {2})}),
              HasSubstr("operand 0 is u8[2]; abs wants signed integers"));
  EXPECT_EQ(Infer(Opcode::kIsFinite, {Array(kBF16, {2})}), "pred[2]");
  EXPECT_EQ(Infer(Opcode::kImag, {Array(kC128, {2})}), "f64[2]");
  EXPECT_EQ(Infer(Opcode::kReal, {Array(kF32, {2})}), "f32[2]");
  EXPECT_THAT(Infer(Opcode::kErf, {Array(kC64, {2})}), HasSubstr("error"));
  EXPECT_THAT(Infer(Opcode::kTanh, {Array(kS32, {2})}), HasSubstr("error"));
  EXPECT_THAT(Infer(Opcode::kPopcnt, {Array(kF32, {2})}), HasSubstr("error"));
  EXPECT_EQ(Infer(Opcode::kNot, {Array(kPred, {2})}), "pred[2]");
}

TEST(InferElementwise, BinaryTypesAndSizes) {
  EXPECT_EQ(Infer(Opcode::kAdd, {Array(kF32, {8}), Array(kF32, {8})}), "f32[8]");
  EXPECT_EQ(Infer(Opcode::kAdd, {Array(kF32, {8}), Array(kF32, {16})}),
            "error: operand 1 is f32[16] but operand 0 is f32[8]; add wants equal sizes");
  EXPECT_THAT(Infer(Opcode::kAdd, {Array(kF32, {8}), Array(kS32, {8})}), HasSubstr("equal element types"));
  EXPECT_EQ(Infer(Opcode::kAdd, {Array(kBF16, {8}), Array(kF32, {8})}), "f32[8]");
  EXPECT_EQ(Infer(Opcode::kAdd, {Array(kPred, {8}), Array(kPred, {8})}), "pred[8]");
  EXPECT_THAT(Infer(Opcode::kSubtract, {Array(kPred, {8}), Array(kPred, {8})}), HasSubstr("error"));
  EXPECT_THAT(Infer(Opcode::kMaximum, {Array(kC64, {8}), Array(kC64, {8})}), HasSubstr("error"));
  EXPECT_EQ(Infer(Opcode::kComplex, {Array(kF64, {2}), Array(kF64, {2})}), "c128[2]");
  EXPECT_THAT(Infer(Opcode::kComplex, {Array(kF16, {2}), Array(kF16, {2})}), HasSubstr("error"));
  EXPECT_THAT(Infer(Opcode::kAdd, {Array(kF32, {8})}), HasSubstr("has 1 operands; it wants 2"));
  EXPECT_EQ(HigherPrecision(kF16, kBF16), kBF16);
  EXPECT_EQ(HigherPrecision(kF8E4M3FN, kF8E5M2), kF8E5M2);
  EXPECT_EQ(HigherPrecision(kC64, kC128), kC128);
}

TEST(InferElementwise, DynamicWhereAnyOperandIs) {
  const bool dynamic[] = {true};
  Shape bounded = Shape::ArrayOf(kF32, std::vector<int64_t>{5}, dynamic);
  EXPECT_EQ(Infer(Opcode::kAdd, {Array(kF32, {5}), bounded}), "f32[<=5]");
}

TEST(InferElementwise, CompareSelectClamp) {
  EXPECT_EQ(Infer(Opcode::kCompare, {Array(kS32, {2}), Array(kS32, {2})}), "pred[2]");
  EXPECT_THAT(Infer(Opcode::kCompare, {Array(kC64, {}), Array(kC64, {})},
                    CompareAttributes{ComparisonDirection::kLt, ComparisonType::kDefault}),
              HasSubstr("no order"));
  EXPECT_EQ(Infer(Opcode::kSelect, {Array(kPred, {}), Array(kF32, {2}), Array(kF32, {2})}), "f32[2]");
  EXPECT_THAT(Infer(Opcode::kSelect, {Array(kPred, {3}), Array(kF32, {2}), Array(kF32, {2})}),
              HasSubstr("equal sizes"));
  EXPECT_THAT(Infer(Opcode::kSelect, {Array(kS32, {2}), Array(kF32, {2}), Array(kF32, {2})}),
              HasSubstr("pred"));
  EXPECT_EQ(Infer(Opcode::kClamp, {Array(kF32, {}), Array(kF32, {2}), Array(kF32, {2})}), "f32[2]");
}

TEST(InferElementwise, WrittenShapes) {
  EXPECT_TRUE(ShapeMustBeWritten(Opcode::kConvert));
  EXPECT_THAT(Infer(Opcode::kConvert, {Array(kF32, {2})}), HasSubstr("does not follow"));
  EXPECT_EQ(Check(Array(kS8, {2}), Opcode::kConvert, {Array(kF32, {2})}), "ok");
  EXPECT_THAT(Check(Array(kS8, {3}), Opcode::kConvert, {Array(kF32, {2})}), HasSubstr("the shape is s8[3]"));
  EXPECT_THAT(Check(Array(kF32, {2}), Opcode::kConvert, {Array(kC64, {2})}), HasSubstr("real or imag"));
  // Facts 8.2: a ratio of 4 comes and goes as the last dimension.
  EXPECT_EQ(Check(Array(kS32, {3}), Opcode::kBitcastConvert, {Array(kS8, {3, 4})}), "ok");
  EXPECT_EQ(Check(Array(kS8, {3, 4}), Opcode::kBitcastConvert, {Array(kS32, {3})}), "ok");
  EXPECT_THAT(Check(Array(kS32, {3}), Opcode::kBitcastConvert, {Array(kS8, {3, 2})}),
              HasSubstr("last dimension of 4"));
}

TEST(InferMovers, SliceAndPad) {
  EXPECT_EQ(Infer(Opcode::kSlice, {Array(kF32, {10, 4})}, SliceAttributes{{{1, 9, 3}, {0, 0, 1}}}),
            "f32[3,0]");
  EXPECT_THAT(Infer(Opcode::kSlice, {Array(kF32, {10})}, SliceAttributes{{{1, 11, 1}}}),
              HasSubstr("[1:11:1]"));
  // [1..5] with -2_-1_1 has 5 + 4 - 3 = 6 elements.
  EXPECT_EQ(Infer(Opcode::kPad, {Array(kF32, {5}), Array(kF32, {})}, PadAttributes{{{-2, -1, 1}}}), "f32[6]");
  EXPECT_EQ(Infer(Opcode::kPad, {Array(kF32, {0}), Array(kF32, {})}, PadAttributes{{{1, 1, 7}}}), "f32[2]");
  EXPECT_THAT(Infer(Opcode::kPad, {Array(kF32, {5}), Array(kF32, {})}, PadAttributes{{{-6, 0, 0}}}),
              HasSubstr("error"));
  EXPECT_THAT(
      Infer(Opcode::kPad, {Array(kF32, {5}), Array(kF32, {})},
            PadAttributes{{{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max(), 0}}}),
      HasSubstr("error"));
}

TEST(InferMovers, PermutationsAndBroadcast) {
  EXPECT_EQ(Infer(Opcode::kTranspose, {Array(kF32, {2, 3, 4})}, DimensionsAttributes{{2, 0, 1}}),
            "f32[4,2,3]");
  EXPECT_THAT(Infer(Opcode::kTranspose, {Array(kF32, {2, 3})}, DimensionsAttributes{{0, 0}}),
              HasSubstr("twice"));
  EXPECT_EQ(
      Infer(Opcode::kConcatenate, {Array(kF32, {2, 3}), Array(kF32, {2, 0})}, DimensionsAttributes{{1}}),
      "f32[2,3]");
  EXPECT_THAT(
      Infer(Opcode::kConcatenate, {Array(kF32, {2, 3}), Array(kF32, {3, 3})}, DimensionsAttributes{{1}}),
      HasSubstr("operand 1 is f32[3,3]"));
  EXPECT_EQ(Check(Array(kF32, {7, 2}), Opcode::kBroadcast, {Array(kF32, {2})}, DimensionsAttributes{{1}}),
            "ok");
  EXPECT_THAT(Check(Array(kF32, {7, 3}), Opcode::kBroadcast, {Array(kF32, {2})}, DimensionsAttributes{{1}}),
              HasSubstr("sizes must be equal"));
  EXPECT_THAT(
      Check(Array(kF32, {2, 2}), Opcode::kBroadcast, {Array(kF32, {2, 2})}, DimensionsAttributes{{1, 0}}),
      HasSubstr("ascending"));
  EXPECT_EQ(Check(Array(kF32, {6}), Opcode::kReshape, {Array(kF32, {2, 3})}), "ok");
  EXPECT_THAT(Check(Array(kF32, {5}), Opcode::kReshape, {Array(kF32, {2, 3})}), HasSubstr("6 elements"));
}

TEST(InferMovers, DynamicSlices) {
  EXPECT_EQ(Infer(Opcode::kDynamicSlice, {Array(kF32, {5, 6}), Array(kS32, {}), Array(kS32, {})},
                  DynamicSliceAttributes{{1, 6}}),
            "f32[1,6]");
  EXPECT_EQ(
      Infer(Opcode::kDynamicSlice, {Array(kF32, {5, 6}), Array(kU32, {2})}, DynamicSliceAttributes{{2, 3}}),
      "f32[2,3]");
  EXPECT_THAT(Infer(Opcode::kDynamicSlice, {Array(kF32, {5, 6}), Array(kS32, {}), Array(kS64, {})},
                    DynamicSliceAttributes{{1, 6}}),
              HasSubstr("one type"));
  EXPECT_EQ(Infer(Opcode::kDynamicUpdateSlice, {Array(kF32, {5}), Array(kF32, {5}), Array(kS32, {})}),
            "f32[5]");
  EXPECT_THAT(Infer(Opcode::kDynamicUpdateSlice, {Array(kF32, {5}), Array(kF32, {6}), Array(kS32, {})}),
              HasSubstr("fits into"));
}

class InferCalls : public ::testing::Test {
 protected:
  Module module{"m"};
  Computation* add = MakeScalarComputation(module, Opcode::kAdd, kF32);
};

TEST_F(InferCalls, Reduce) {
  EXPECT_EQ(
      Infer(Opcode::kReduce, {Array(kF32, {2, 3, 4}), Array(kF32, {})}, DimensionsAttributes{{0, 2}}, {add}),
      "f32[3]");
  // Facts 11: the reducer's result decides, so bf16 in gives f32 out.
  EXPECT_EQ(
      Infer(Opcode::kReduce, {Array(kBF16, {2, 3}), Array(kBF16, {})}, DimensionsAttributes{{0}}, {add}),
      "f32[3]");
  EXPECT_THAT(Infer(Opcode::kReduce, {Array(kS32, {2}), Array(kS32, {})}, DimensionsAttributes{{0}}, {add}),
              HasSubstr("computes f32, but input 0 is s32"));
  EXPECT_THAT(Infer(Opcode::kReduce, {Array(kF32, {2}), Array(kF32, {})}, DimensionsAttributes{{1}}, {add}),
              HasSubstr("names dimension 1; there are 1"));
  EXPECT_THAT(Infer(Opcode::kReduce, {Array(kF32, {2}), Array(kF32, {})}, DimensionsAttributes{{0}}),
              HasSubstr("calls 0 computations"));
}

TEST_F(InferCalls, VariadicReduceGivesATuple) {
  Builder b(module.AddComputation("both"));
  Instruction* p[4];
  for (int i = 0; i < 4; ++i) p[i] = b.Parameter(i, Array(i % 2 ? kS32 : kF32, {}));
  ASSERT_TRUE(b.Finish(b.Tuple({b.Add(p[0], p[2]), b.Maximum(p[1], p[3])})));
  EXPECT_EQ(
      Infer(Opcode::kReduce, {Array(kF32, {4, 5}), Array(kS32, {4, 5}), Array(kF32, {}), Array(kS32, {})},
            DimensionsAttributes{{1}}, {b.computation()}),
      "(f32[4], s32[4])");
}

TEST_F(InferCalls, Windows) {
  // Facts 8.3: (1 + 5 + 2 - 3) / 2 + 1 = 3 with padding 1_2; dilations stretch base (9) and window (5).
  WindowDimension w{.size = 3, .stride = 2, .padding_low = 1, .padding_high = 2};
  EXPECT_EQ(Infer(Opcode::kReduceWindow, {Array(kF32, {5}), Array(kF32, {})}, WindowAttributes{{w}}, {add}),
            "f32[3]");
  WindowDimension d{.size = 3, .base_dilation = 2, .window_dilation = 2};
  EXPECT_EQ(Infer(Opcode::kReduceWindow, {Array(kF32, {5}), Array(kF32, {})}, WindowAttributes{{d}}, {add}),
            "f32[5]");
  WindowDimension wide{.size = 9};
  EXPECT_EQ(
      Infer(Opcode::kReduceWindow, {Array(kF32, {5}), Array(kF32, {})}, WindowAttributes{{wide}}, {add}),
      "f32[0]");
  WindowDimension bad{.size = 1, .stride = 0};
  EXPECT_THAT(
      Infer(Opcode::kReduceWindow, {Array(kF32, {5}), Array(kF32, {})}, WindowAttributes{{bad}}, {add}),
      HasSubstr("stride 0"));
  Computation* ge = MakeComparator(module, ComparisonDirection::kGe, std::vector<ElementType>{kF32});
  WindowDimension pool{.size = 2, .stride = 2};
  EXPECT_EQ(Infer(Opcode::kSelectAndScatter, {Array(kF32, {6}), Array(kF32, {3}), Array(kF32, {})},
                  WindowAttributes{{pool}}, {ge, add}),
            "f32[6]");
  EXPECT_THAT(Infer(Opcode::kSelectAndScatter, {Array(kF32, {6}), Array(kF32, {4}), Array(kF32, {})},
                    WindowAttributes{{pool}}, {ge, add}),
              HasSubstr("the windows of operand 0"));
}

TEST_F(InferCalls, SortAndTopK) {
  Computation* less = MakeComparator(module, ComparisonDirection::kLt, std::vector<ElementType>{kF32, kS32});
  EXPECT_EQ(
      Infer(Opcode::kSort, {Array(kF32, {2, 3}), Array(kS32, {2, 3})}, SortAttributes{{1}, false}, {less}),
      "(f32[2,3], s32[2,3])");
  EXPECT_THAT(Infer(Opcode::kSort, {Array(kF32, {2, 3})}, SortAttributes{{1}, false}, {less}),
              HasSubstr("takes 4 parameters"));
  EXPECT_EQ(Infer(Opcode::kTopK, {Array(kBF16, {2, 9})}, TopKAttributes{4}), "(bf16[2,4], s32[2,4])");
  EXPECT_THAT(Infer(Opcode::kTopK, {Array(kBF16, {2, 9})}, TopKAttributes{10}), HasSubstr("0 to 9 work"));
}

TEST_F(InferCalls, ScanStacksOutputsThenCarries) {
  Builder b(module.AddComputation("step"));
  Instruction* x = b.Parameter(0, Array(kF32, {3}));
  Instruction* carry = b.Parameter(1, Array(kF32, {3}));
  Instruction* sum = b.Add(x, carry);
  ASSERT_TRUE(b.Finish(b.Tuple({sum, sum})));
  EXPECT_EQ(Infer(Opcode::kScan, {Array(kF32, {7, 3}), Array(kF32, {3})}, ScanAttributes{{0}, 1, false, {}},
                  {b.computation()}),
            "(f32[7,3], f32[3])");
}

TEST_F(InferCalls, WhileAndConditional) {
  Shape state = Array(kF32, {2});
  Builder c(module.AddComputation("condition")), body(module.AddComputation("body"));
  c.Parameter(0, state);
  ASSERT_TRUE(c.Finish(c.ScalarInt(kPred, 1)));
  ASSERT_TRUE(body.Finish(body.Negate(body.Parameter(0, state))));
  EXPECT_EQ(Infer(Opcode::kWhile, {state}, NoAttributes{}, {c.computation(), body.computation()}), "f32[2]");
  EXPECT_THAT(
      Infer(Opcode::kWhile, {Array(kF32, {3})}, NoAttributes{}, {c.computation(), body.computation()}),
      HasSubstr("parameter 0 of %condition"));
  EXPECT_EQ(Infer(Opcode::kConditional, {Array(kPred, {}), state, state}, NoAttributes{},
                  {body.computation(), body.computation()}),
            "f32[2]");
  EXPECT_EQ(Infer(Opcode::kConditional, {Array(kS32, {}), state}, NoAttributes{}, {body.computation()}),
            "f32[2]");
  EXPECT_THAT(Infer(Opcode::kConditional, {Array(kPred, {}), state}, NoAttributes{}, {body.computation()}),
              HasSubstr("it wants 2"));
  EXPECT_THAT(Infer(Opcode::kConditional, {Array(kS32, {}), state, state}, NoAttributes{},
                    {body.computation(), c.computation()}),
              HasSubstr("branch 1 of conditional, %condition, returns pred[]"));
}

TEST(InferProducts, Dot) {
  DotAttributes matmul{.lhs_contracting = {1}, .rhs_contracting = {0}};
  EXPECT_EQ(Infer(Opcode::kDot, {Array(kF32, {2, 3}), Array(kF32, {3, 5})}, matmul), "f32[2,5]");
  EXPECT_EQ(Infer(Opcode::kDot, {Array(kBF16, {2, 3}), Array(kF32, {3, 5})}, matmul), "f32[2,5]");
  EXPECT_THAT(Infer(Opcode::kDot, {Array(kF32, {2, 3}), Array(kF32, {4, 5})}, matmul),
              HasSubstr("contracting dimension 1"));
  EXPECT_EQ(Infer(Opcode::kDot, {Array(kF32, {2}), Array(kF32, {3})}, DotAttributes{}),
            "f32[2,3]");  // outer product
  DotAttributes batched{.lhs_batch = {2}, .lhs_contracting = {0}, .rhs_batch = {0}, .rhs_contracting = {2}};
  EXPECT_EQ(Infer(Opcode::kDot, {Array(kF32, {3, 4, 9}), Array(kF32, {9, 5, 3})}, batched), "f32[9,4,5]");
  EXPECT_EQ(Check(Array(kS32, {2, 5}), Opcode::kDot, {Array(kS8, {2, 3}), Array(kS8, {3, 5})}, matmul), "ok");
  EXPECT_EQ(Check(Array(kF32, {2, 5}), Opcode::kDot, {Array(kBF16, {2, 3}), Array(kBF16, {3, 5})}, matmul),
            "ok");
  EXPECT_THAT(Check(Array(kS8, {2, 5}), Opcode::kDot, {Array(kS32, {2, 3}), Array(kS32, {3, 5})}, matmul),
              HasSubstr("a wider type works"));
}

TEST(InferProducts, RaggedDot) {
  Shape groups = Array(kS32, {3});
  DotAttributes free{.lhs_contracting = {1}, .rhs_contracting = {1}, .lhs_ragged = {0}, .rhs_group = {0}};
  EXPECT_EQ(Infer(Opcode::kRaggedDot, {Array(kF32, {8, 4}), Array(kF32, {3, 4, 5}), groups}, free),
            "f32[8,5]");
  DotAttributes contracting{.lhs_contracting = {1}, .rhs_contracting = {0}, .lhs_ragged = {1}};
  EXPECT_EQ(Infer(Opcode::kRaggedDot, {Array(kF32, {8, 4}), Array(kF32, {4, 5}), groups}, contracting),
            "f32[3,8,5]");
  DotAttributes batch{
      .lhs_batch = {0}, .lhs_contracting = {2}, .rhs_batch = {0}, .rhs_contracting = {1}, .lhs_ragged = {0}};
  EXPECT_EQ(Infer(Opcode::kRaggedDot, {Array(kF32, {6, 8, 4}), Array(kF32, {6, 4, 5}), groups}, batch),
            "f32[6,8,5]");
}

TEST(InferProducts, Convolution) {
  ConvolutionAttributes conv;
  conv.dimensions = {.input_batch = 0,
                     .input_feature = 3,
                     .input_spatial = {1, 2},
                     .kernel_input_feature = 2,
                     .kernel_output_feature = 3,
                     .kernel_spatial = {0, 1},
                     .output_batch = 0,
                     .output_feature = 3,
                     .output_spatial = {1, 2},
                     .text = "b01f_01io->b01f"};
  conv.window = {{.size = 3, .stride = 2, .padding_low = 1, .padding_high = 1}, {.size = 3}};
  EXPECT_EQ(Infer(Opcode::kConvolution, {Array(kF32, {8, 9, 9, 4}), Array(kF32, {3, 3, 4, 16})}, conv),
            "f32[8,5,7,16]");
  conv.feature_group_count = 2;
  EXPECT_EQ(Infer(Opcode::kConvolution, {Array(kF32, {8, 9, 9, 4}), Array(kF32, {3, 3, 2, 16})}, conv),
            "f32[8,5,7,16]");
  EXPECT_THAT(Infer(Opcode::kConvolution, {Array(kF32, {8, 9, 9, 4}), Array(kF32, {3, 3, 4, 16})}, conv),
              HasSubstr("4 input features in 2 groups"));
  conv.feature_group_count = 1, conv.batch_group_count = 4;
  EXPECT_EQ(Infer(Opcode::kConvolution, {Array(kF32, {8, 9, 9, 4}), Array(kF32, {3, 3, 4, 16})}, conv),
            "f32[2,5,7,16]");
}

TEST(InferIndexing, Gather) {
  // Rows 2 wide of a [5,6] matrix by a [3] list of row numbers.
  GatherAttributes rows{.offset_dims = {1},
                        .collapsed_slice_dims = {0},
                        .start_index_map = {0},
                        .index_vector_dim = 1,
                        .slice_sizes = {1, 2}};
  EXPECT_EQ(Infer(Opcode::kGather, {Array(kF32, {5, 6}), Array(kS32, {3})}, rows), "f32[3,2]");
  rows.slice_sizes = {2, 2};
  EXPECT_THAT(Infer(Opcode::kGather, {Array(kF32, {5, 6}), Array(kS32, {3})}, rows),
              HasSubstr("want 1 at most"));
  GatherAttributes batched{.offset_dims = {2},
                           .collapsed_slice_dims = {1},
                           .start_index_map = {1},
                           .operand_batching_dims = {0},
                           .start_indices_batching_dims = {0},
                           .index_vector_dim = 2,
                           .slice_sizes = {1, 1, 7}};
  EXPECT_EQ(Infer(Opcode::kGather, {Array(kF32, {4, 5, 7}), Array(kS32, {4, 3, 1})}, batched), "f32[4,3,7]");
  EXPECT_THAT(Infer(Opcode::kGather, {Array(kF32, {4, 5, 7}), Array(kS32, {2, 3, 1})}, batched),
              HasSubstr("batching dimension"));
}

TEST_F(InferCalls, Scatter) {
  ScatterAttributes rows{.update_window_dims = {1},
                         .inserted_window_dims = {0},
                         .scatter_dims_to_operand_dims = {0},
                         .index_vector_dim = 1};
  EXPECT_EQ(
      Infer(Opcode::kScatter, {Array(kF32, {5, 6}), Array(kS32, {3}), Array(kF32, {3, 6})}, rows, {add}),
      "f32[5,6]");
  EXPECT_THAT(
      Infer(Opcode::kScatter, {Array(kF32, {5, 6}), Array(kS32, {3}), Array(kF32, {4, 6})}, rows, {add}),
      HasSubstr("dimension 0 of the updates"));
  EXPECT_THAT(
      Infer(Opcode::kScatter, {Array(kF32, {5, 6}), Array(kS32, {3}), Array(kF32, {3, 7})}, rows, {add}),
      HasSubstr("larger than dimension 1"));
}

TEST(InferNumeric, FftLinearAlgebraBatchNorm) {
  EXPECT_EQ(Infer(Opcode::kFft, {Array(kC64, {2, 8})}, FftAttributes{FftType::kFft, {8}}), "c64[2,8]");
  EXPECT_EQ(Infer(Opcode::kFft, {Array(kF32, {2, 8})}, FftAttributes{FftType::kRfft, {8}}), "c64[2,5]");
  EXPECT_EQ(Infer(Opcode::kFft, {Array(kC128, {2, 5})}, FftAttributes{FftType::kIrfft, {9}}), "f64[2,9]");
  EXPECT_THAT(Infer(Opcode::kFft, {Array(kC128, {2, 5})}, FftAttributes{FftType::kIrfft, {10}}),
              HasSubstr("size 6"));
  EXPECT_EQ(Infer(Opcode::kCholesky, {Array(kF32, {2, 3, 3})}), "f32[2,3,3]");
  EXPECT_THAT(Infer(Opcode::kCholesky, {Array(kF32, {2, 3})}), HasSubstr("square"));
  TriangularSolveAttributes left{.left_side = true};
  EXPECT_EQ(Infer(Opcode::kTriangularSolve, {Array(kF32, {3, 3}), Array(kF32, {3, 7})}, left), "f32[3,7]");
  EXPECT_THAT(Infer(Opcode::kTriangularSolve, {Array(kF32, {3, 3}), Array(kF32, {7, 3})}, left),
              HasSubstr("from the left"));
  Shape c = Array(kF32, {4});
  EXPECT_EQ(Infer(Opcode::kBatchNormTraining, {Array(kF32, {2, 4}), c, c}, BatchNormAttributes{0.1, 1}),
            "(f32[2,4], f32[4], f32[4])");
  EXPECT_THAT(Infer(Opcode::kBatchNormTraining, {Array(kF32, {2, 4}), c, c}, BatchNormAttributes{0.1, 0}),
              HasSubstr("a vector of 2 features"));
}

TEST(InferTokens, HalvesOfAsynchronousOperations) {
  Shape x = Array(kF32, {2});
  EXPECT_EQ(Infer(Opcode::kCopyStart, {x}), "(f32[2], f32[2], u32[])");
  EXPECT_EQ(Infer(Opcode::kSend, {x, Shape::Token()}), "(f32[2], u32[], token[])");
  EXPECT_EQ(Infer(Opcode::kRecvDone, {Shape::Tuple({x, Array(kU32, {}), Shape::Token()})}),
            "(f32[2], token[])");
  EXPECT_THAT(Infer(Opcode::kSend, {x, x}), HasSubstr("a token there"));
  EXPECT_EQ(
      Infer(Opcode::kGetTupleElement, {Shape::Tuple({x, Shape::Token()})}, GetTupleElementAttributes{1}),
      "token[]");
  EXPECT_THAT(Infer(Opcode::kGetTupleElement, {Shape::Tuple({x})}, GetTupleElementAttributes{1}),
              HasSubstr("which has 1"));
}

TEST(InferCollectives, SizesGrowByTheGroup) {
  CollectiveAttributes along{.dimensions = {0}};
  EXPECT_EQ(Check(Array(kF32, {8, 3}), Opcode::kAllGather, {Array(kF32, {2, 3})}, along), "ok");
  EXPECT_THAT(Check(Array(kF32, {7, 3}), Opcode::kAllGather, {Array(kF32, {2, 3})}, along),
              HasSubstr("a multiple there"));
  EXPECT_THAT(Check(Array(kF32, {8, 4}), Opcode::kAllGather, {Array(kF32, {2, 3})}, along),
              HasSubstr("error"));
  EXPECT_EQ(Infer(Opcode::kPartitionId, {}), "u32[]");
}

// Every operation refuses operands that make no sense, without reading past what it is given.
TEST(InferAll, NoOperandsAndTokensAreSafe) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    for (size_t count = 0; count < 8; ++count) {
      for (const Shape& shape :
           {Shape::Token(), Shape::Scalar(kF32), Shape::Tuple({}), Array(kS32, {2, 2})}) {
        std::vector<const Shape*> operands(count, &shape);
        for (const Shape& result :
             {Shape::Token(), Shape::Scalar(kF32), Shape::Tuple({}), Array(kU64, {2})}) {
          (void)CheckShape(result, opcode, operands, DefaultAttributes(opcode));
        }
      }
    }
  }
}

TEST(Builder, FirstErrorSticks) {
  Module module("m");
  Builder b(module.AddComputation("main"));
  Instruction* x = b.Parameter(0, Array(kF32, {2}));
  Instruction* bad = b.Add(x, b.Full(Array(kF32, {3}), 1.0));
  Instruction* after = b.Negate(bad);
  EXPECT_NE(after, nullptr);
  EXPECT_FALSE(b.ok());
  EXPECT_THAT(b.Finish(after).error().message(), HasSubstr("operand 1 is f32[3] but operand 0 is f32[2]"));
  EXPECT_EQ(module.entry()->root(), nullptr);
}

TEST(Builder, ScalarsOfEveryType) {
  Module module("m");
  Builder b(module.AddComputation("main"));
#define X(enumerator, text, bits, cls)                            \
  if (IsArrayType(ElementType::enumerator)) {                     \
    Instruction* one = b.Scalar(ElementType::enumerator, 1.0);    \
    ASSERT_TRUE(b.ok()) << text;                                  \
    EXPECT_EQ(one->shape().ToString(), std::string(text) + "[]"); \
  }
  SUBFLOOR_ELEMENT_TYPES(X)
#undef X
  EXPECT_EQ(b.Scalar(kF16, 1.0)->literal().data<uint16_t>()[0], 0x3c00);
  EXPECT_EQ(b.ScalarInt(kS8, 300)->literal().data<int8_t>()[0], 44);
}

TEST(Builder, OperandsOfOtherComputationsAreRefused) {
  Module module("m");
  Builder a(module.AddComputation("a")), b(module.AddComputation("b"));
  Instruction* x = a.Parameter(0, Array(kF32, {2}));
  b.Negate(x);
  EXPECT_THAT(b.status().error().message(), HasSubstr("another computation"));
}

TEST(Builder, DotKeepsTheWantedType) {
  Module module("m");
  Builder b(module.AddComputation("main"));
  Instruction* x = b.Parameter(0, Array(kBF16, {2, 3}));
  Instruction* y = b.Parameter(1, Array(kBF16, {3, 4}));
  Instruction* dot = b.Dot(x, y, DotAttributes{.lhs_contracting = {1}, .rhs_contracting = {0}}, kF32);
  ASSERT_TRUE(b.Finish(dot));
  EXPECT_EQ(dot->shape().ToString(), "f32[2,4]{1,0}");
  EXPECT_EQ(module.entry()->instruction_count(), 3);
}

}  // namespace
}  // namespace subfloor::hlo
