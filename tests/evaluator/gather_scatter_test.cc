#include "evaluate_text.h"

namespace subfloor::evaluator_testing {
namespace {

TEST(Gather, WindowsAreClampedInside) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = s32[5] iota(), iota_dimension=0
    i = s32[4] constant({-1, 0, 4, 100})
    ROOT g = s32[4,2] gather(a, i), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={2}
  })"),
                      Value("s32[4,2]", "{{0, 1}, {0, 1}, {3, 4}, {3, 4}}")));
}

TEST(Gather, IndicesAreTakenByTheirOwnSignedness) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = s32[256] iota(), iota_dimension=0
    i = u8[2] constant({200, 255})
    ROOT g = s32[2] gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
  })"),
                      Value("s32[2]", "{200, 255}")));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = s32[9] iota(), iota_dimension=0
    i = u64[1] constant({18446744073709551615})
    ROOT g = s32[1] gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
  })"),
                      Value("s32[1]", "{8}")));
}

TEST(Gather, OffsetDimensionsFirstAndIndexVectorFirst) {
  // The index vectors are the columns; the map names dimension 1 first.
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = s32[3,4] constant({{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}})
    i = s32[2,3] constant({{0, 1, 3}, {2, 0, 1}})
    ROOT g = s32[2,3] gather(a, i), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={1,0}, index_vector_dim=0, slice_sizes={1,2}
  })"),
                      Value("s32[2,3]", "{{20, 1, 12}, {21, 2, 13}}")));
}

TEST(Gather, BatchingDimensions) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = s32[2,3] constant({{0, 1, 2}, {10, 11, 12}})
    i = s32[2,2,1] constant({{{2}, {1}}, {{0}, {9}}})
    ROOT g = s32[2,2] gather(a, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}
  })"),
                      Value("s32[2,2]", "{{2, 1}, {10, 12}}")));
}

TEST(Scatter, AWindowPartlyOutsideIsDroppedWhole) {
  EXPECT_TRUE(Matches(EvaluateText(R"(
    add { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] add(p, q) }
    ENTRY e {
      a = f32[5] constant({0, 0, 0, 0, 0})
      i = s32[3,1] constant({{-1}, {1}, {4}})
      u = f32[3,2] constant({{1, 1}, {1, 1}, {1, 1}})
      ROOT s = f32[5] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    })"),
                      Value("f32[5]", "{0, 1, 1, 0, 0}")));
}

constexpr std::string_view kOrdered = R"(
    digits { old = s32[] parameter(0) new = s32[] parameter(1) ten = s32[] constant(10) m = s32[] multiply(old, ten) ROOT r = s32[] add(m, new) }
    ENTRY e {
      a = s32[2] constant({0, 7})
      i = s32[3] constant({0, 1, 0})
      u = s32[3] constant({1, 2, 3})
      ROOT s = s32[2] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=digits
    })";

TEST(Scatter, DuplicatesApplyInIndexOrder) {
  EXPECT_TRUE(Matches(EvaluateText(kOrdered), Value("s32[2]", "{13, 72}")));
}

TEST(Scatter, OverwritingKeepsTheLast) {
  EXPECT_TRUE(Matches(EvaluateText(R"(
    take { old = f32[] parameter(0) ROOT new = f32[] parameter(1) }
    ENTRY e {
      a = f32[3] constant({5, 6, 7})
      i = s32[3] constant({2, 0, 2})
      u = f32[3] constant({nan, 2, 3})
      ROOT s = f32[3] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=take
    })"),
                      Value("f32[3]", "{2, 6, 3}")));
}

TEST(Scatter, RecognisedSumsRoundOnce) {
  EXPECT_TRUE(Matches(EvaluateText(R"(
    add { p = bf16[] parameter(0) q = bf16[] parameter(1) ROOT r = bf16[] add(p, q) }
    ENTRY e {
      a = bf16[1] constant({256})
      i = s32[2] constant({0, 0})
      u = bf16[2] constant({1, 1})
      ROOT s = bf16[1] scatter(a, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    })"),
                      Value("bf16[1]", "{258}")));
}

TEST(Scatter, SeveralOperandsAtOnce) {
  // Keeps the pair with the larger first component.
  EXPECT_TRUE(Matches(EvaluateText(R"(
    best {
      k0 = s32[] parameter(0) v0 = f32[] parameter(1) k1 = s32[] parameter(2) v1 = f32[] parameter(3)
      c = pred[] compare(k1, k0), direction=GT
      k = s32[] select(c, k1, k0)
      v = f32[] select(c, v1, v0)
      ROOT r = (s32[], f32[]) tuple(k, v)
    }
    ENTRY e {
      a = s32[2] constant({3, 3})
      b = f32[2] constant({0.5, 0.5})
      i = s32[3] constant({0, 1, 0})
      u = s32[3] constant({9, 1, 8})
      w = f32[3] constant({1, 2, 3})
      ROOT s = (s32[2], f32[2]) scatter(a, b, i, u, w), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=best
    })"),
                      Literal::Tuple({Value("s32[2]", "{9, 3}"), Value("f32[2]", "{1, 0.5}")})));
}

TEST(Scatter, BatchingDimensionsAndWindowOrder) {
  // Update dimensions are [window, batch]: the window comes first.
  EXPECT_TRUE(Matches(EvaluateText(R"(
    add { p = s32[] parameter(0) q = s32[] parameter(1) ROOT r = s32[] add(p, q) }
    ENTRY e {
      a = s32[2,4] constant({{0, 0, 0, 0}, {0, 0, 0, 0}})
      i = s32[2,1] constant({{2}, {1}})
      u = s32[2,2] constant({{1, 3}, {2, 4}})
      ROOT s = s32[2,4] scatter(a, i, u), update_window_dims={0}, inserted_window_dims={}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=add
    })"),
                      Value("s32[2,4]", "{{0, 0, 1, 2}, {0, 3, 4, 0}}")));
}

TEST(Scatter, NoIndicesLeaveTheOperand) {
  EXPECT_TRUE(Matches(EvaluateText(R"(
    add { p = s32[] parameter(0) q = s32[] parameter(1) ROOT r = s32[] add(p, q) }
    ENTRY e {
      a = s32[2] constant({1, 2})
      i = s32[0,1] constant({})
      u = s32[0,1] constant({})
      ROOT s = s32[2] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    })"),
                      Value("s32[2]", "{1, 2}")));
}

}  // namespace
}  // namespace subfloor::evaluator_testing
