#include <gtest/gtest.h>

#include "codegen/kernel_harness.h"

namespace subfloor::codegen::testing {
namespace {

constexpr const char* kAdd =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) } ";
constexpr const char* kMax =
    "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) } ";
// A sum of n numbers below 1 in blocks.
constexpr CompareOptions kSum{.max_ulp = 16, .rtol = 1e-6, .atol = 2e-5};

TEST(Reduce, AlongRows) {
  for (int n : {1, 3, 15, 16, 17, 64, 65, 200, 5000}) {
    ExpectAgrees(fmt::format("{}ENTRY e {{ a = f32[5,{}] parameter(0) z = f32[] parameter(1) ROOT r = f32[5] "
                             "reduce(a, z), dimensions={{1}}, to_apply=add }}",
                             kAdd, n),
                 kSum);
    ExpectAgrees(
        fmt::format("{}ENTRY e {{ a = f32[5,{}] parameter(0) z = f32[] constant(-inf) ROOT r = f32[5] "
                    "reduce(a, z), dimensions={{1}}, to_apply=max }}",
                    kMax, n));
  }
}

TEST(Reduce, AlongColumns) {
  for (int n : {1, 3, 40, 700}) {
    ExpectAgrees(fmt::format("{}ENTRY e {{ a = f32[{},37] parameter(0) z = f32[] parameter(1) ROOT r = "
                             "f32[37] reduce(a, z), dimensions={{0}}, to_apply=add }}",
                             kAdd, n),
                 kSum);
  }
}

TEST(Reduce, OtherDimensions) {
  ExpectAgrees(fmt::format("{}ENTRY e {{ a = f32[6,7,40] parameter(0) z = f32[] parameter(1) ROOT r = f32[7] "
                           "reduce(a, z), dimensions={{0,2}}, to_apply=add }}",
                           kAdd),
               kSum);
  ExpectAgrees(fmt::format("{}ENTRY e {{ a = f32[6,7,40] parameter(0) z = f32[] parameter(1) ROOT r = f32[] "
                           "reduce(a, z), dimensions={{0,1,2}}, to_apply=add }}",
                           kAdd),
               kSum);
  ExpectAgrees(fmt::format("{}ENTRY e {{ a = f32[6,7,40] parameter(0) z = f32[] parameter(1) ROOT r = "
                           "f32[6,40] reduce(a, z), dimensions={{1}}, to_apply=add }}",
                           kAdd),
               kSum);
  ExpectAgrees(
      fmt::format("{}ENTRY e {{ a = f32[0,7] parameter(0) z = f32[] parameter(1) ROOT r = f32[7] reduce(a, "
                  "z), dimensions={{0}}, to_apply=add }}",
                  kAdd));
  ExpectAgrees(fmt::format("{}ENTRY e {{ a = f32[5,7] parameter(0) z = f32[] parameter(1) ROOT r = f32[5,7] "
                           "reduce(a, z), dimensions={{}}, to_apply=add }}",
                           kAdd),
               kSum);
}

TEST(Reduce, ProducersAndEpilogue) {
  ExpectAgrees(
      fmt::format(R"({}ENTRY e {{ a = f32[9,70] parameter(0) b = f32[70] parameter(1) z = f32[] constant(0)
    w = f32[9,70] broadcast(b), dimensions={{1}} m = f32[9,70] multiply(a, w) r = f32[9] reduce(m, z), dimensions={{1}}, to_apply=add
    k = f32[] constant(70) n = f32[9] broadcast(k), dimensions={{}} ROOT q = f32[9] divide(r, n) }})",
                  kAdd),
      kSum);
}

TEST(Reduce, SoftmaxInOneKernel) {
  ExpectAgrees(
      fmt::format(R"({}{}ENTRY e {{ a = f32[9,70] parameter(0) z = f32[] constant(0) i = f32[] constant(-inf)
    m = f32[9] reduce(a, i), dimensions={{1}}, to_apply=max
    mb = f32[9,70] broadcast(m), dimensions={{0}} d = f32[9,70] subtract(a, mb) x = f32[9,70] multiply(d, d)
    s = f32[9] reduce(x, z), dimensions={{1}}, to_apply=add sb = f32[9,70] broadcast(s), dimensions={{0}}
    ROOT q = f32[9,70] divide(x, sb) }})",
                  kAdd, kMax),
      kSum);
}

TEST(Reduce, NarrowFloatsAccumulateInF32) {
  // 4096 ones: a bf16 accumulator would stop at 256.
  auto text = R"(add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }
    ENTRY e { k = bf16[] constant(1) a = bf16[4096,3] broadcast(k), dimensions={} z = bf16[] constant(0)
    ROOT r = bf16[3] reduce(a, z), dimensions={0}, to_apply=add })";
  auto module = hlo::ParseModule(text);
  ASSERT_TRUE(module) << module.error().ToString();
  auto result = RunBody(*(*module)->entry(), {});
  ASSERT_TRUE(result) << result.error().ToString();
  for (uint16_t bits : result->value.data<uint16_t>()) EXPECT_EQ(bits, 0x4580);  // 4096
}

TEST(Reduce, LongSumsStayExact) {
  // 2^25 + 7 ones: one f32 accumulator would stop at 2^24.
  auto text = fmt::format(
      R"({}ENTRY e {{ k = f32[] constant(1) a = f32[33554439] broadcast(k), dimensions={{}} z = f32[] constant(0)
    ROOT r = f32[] reduce(a, z), dimensions={{0}}, to_apply=add }})",
      kAdd);
  auto module = hlo::ParseModule(text);
  ASSERT_TRUE(module) << module.error().ToString();
  auto result = RunBody(*(*module)->entry(), {});
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_NEAR(result->value.data<float>()[0], 33554439.0f, 4.0f);
}

TEST(Reduce, UnrecognisedFoldsInOrder) {
  // a/2 + b depends on the order; the evaluator folds in index order as well.
  constexpr const char* kHalve =
      "f { a = f32[] parameter(0) b = f32[] parameter(1) h = f32[] constant(0.5) m = f32[] multiply(a, h) "
      "ROOT r = f32[] add(m, b) } ";
  ExpectAgrees(fmt::format("{}ENTRY e {{ a = f32[5,33] parameter(0) z = f32[] parameter(1) ROOT r = f32[5] "
                           "reduce(a, z), dimensions={{1}}, to_apply=f }}",
                           kHalve),
               {.max_ulp = 1, .atol = 1e-7});
  ExpectAgrees(fmt::format("{}ENTRY e {{ a = f32[33,20] parameter(0) z = f32[] parameter(1) ROOT r = f32[20] "
                           "reduce(a, z), dimensions={{0}}, to_apply=f }}",
                           kHalve),
               {.max_ulp = 1, .atol = 1e-7});
}

TEST(Reduce, ArgMax) {
  for (const char* shape : {"f32[6,40]", "f32[40,6]"}) {
    ExpectAgrees(fmt::format(
        R"(f {{ v0 = f32[] parameter(0) i0 = s32[] parameter(1) v1 = f32[] parameter(2) i1 = s32[] parameter(3)
      g = pred[] compare(v0, v1), direction=GE v = f32[] select(g, v0, v1) i = s32[] select(g, i0, i1) ROOT t = (f32[], s32[]) tuple(v, i) }}
      ENTRY e {{ a = {0} parameter(0) i = s32[{1}] iota(), iota_dimension=1 n = f32[] constant(-inf) z = s32[] constant(0)
      r = (f32[{2}], s32[{2}]) reduce(a, i, n, z), dimensions={{1}}, to_apply=f
      v = f32[{2}] get-tuple-element(r), index=0 k = s32[{2}] get-tuple-element(r), index=1 ROOT t = (f32[{2}], s32[{2}]) tuple(v, k) }})",
        shape, std::string(shape).substr(4, std::string(shape).size() - 5),
        shape == std::string("f32[6,40]") ? 6 : 40));
  }
}

TEST(Reduce, VariadicRoot) {
  ExpectAgrees(
      R"(f { a0 = f32[] parameter(0) b0 = s32[] parameter(1) a1 = f32[] parameter(2) b1 = s32[] parameter(3)
    a = f32[] maximum(a0, a1) b = s32[] add(b0, b1) ROOT t = (f32[], s32[]) tuple(a, b) }
    ENTRY e { x = f32[7,50] parameter(0) y = s32[7,50] parameter(1) i = f32[] constant(-inf) z = s32[] constant(0)
    ROOT r = (f32[7], s32[7]) reduce(x, y, i, z), dimensions={1}, to_apply=f })");
}

TEST(Reduce, OtherTypes) {
  for (const char* type : {"s8", "u16", "s32", "s64", "f64", "c64"}) {
    ExpectAgrees(fmt::format(R"(f {{ a = {0}[] parameter(0) b = {0}[] parameter(1) ROOT r = {0}[] add(a, b) }}
      ENTRY e {{ a = {0}[7,90] parameter(0) z = {0}[] parameter(1) ROOT r = {0}[7] reduce(a, z), dimensions={{1}}, to_apply=f }})",
                             type),
                 kSum);
  }
  ExpectAgrees(R"(f { a = pred[] parameter(0) b = pred[] parameter(1) ROOT r = pred[] and(a, b) }
    ENTRY e { a = pred[7,3] parameter(0) z = pred[] constant(true) ROOT r = pred[7] reduce(a, z), dimensions={1}, to_apply=f })");
}

TEST(Reduce, TransposedProducer) {
  ExpectAgrees(
      fmt::format(
          R"({}ENTRY e {{ a = f32[30,50] parameter(0) z = f32[] constant(0) t = f32[50,30] transpose(a), dimensions={{1,0}}
    ROOT r = f32[50] reduce(t, z), dimensions={{1}}, to_apply=add }})",
          kAdd),
      kSum);
}

}  // namespace
}  // namespace subfloor::codegen::testing
