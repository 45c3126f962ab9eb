#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "evaluate_text.h"
#include "types/narrow.h"

namespace subfloor::evaluator_testing {
namespace {

TEST(Fft, FourPoints) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    x = c64[4] constant({(1, 0), (2, 0), (3, 0), (4, 0)})
    ROOT y = c64[4] fft(x), fft_type=FFT, fft_length={4}
  })"),
                      Value("c64[4]", "{(10, 0), (-2, 2), (-2, 0), (-2, -2)}")));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    x = c64[4] constant({(10, 0), (-2, 2), (-2, 0), (-2, -2)})
    ROOT y = c64[4] fft(x), fft_type=IFFT, fft_length={4}
  })"),
                      Value("c64[4]", "{(1, 0), (2, 0), (3, 0), (4, 0)}")));
}

TEST(Fft, RealInputAndBack) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    x = f32[4] constant({1, 2, 3, 4})
    ROOT y = c64[3] fft(x), fft_type=RFFT, fft_length={4}
  })"),
                      Value("c64[3]", "{(10, 0), (-2, 2), (-2, 0)}")));
  // The imaginary parts of the first and the middle entry do not count.
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    x = c64[3] constant({(10, 99), (-2, 2), (-2, 99)})
    ROOT y = f32[4] fft(x), fft_type=IRFFT, fft_length={4}
  })"),
                      Value("f32[4]", "{1, 2, 3, 4}")));
}

TEST(Fft, OddLength) {
  const Literal spectrum = EvaluateText(R"(ENTRY e {
    x = f64[3] constant({1, 2, 3})
    ROOT y = c128[2] fft(x), fft_type=RFFT, fft_length={3}
  })");
  Literal expected = Value("c128[2]", "{(6, 0), (0, 0)}");
  SetFromComplex(expected, 1, {-1.5, std::sqrt(3.0) / 2});
  EXPECT_TRUE(Matches(spectrum, expected, {.max_ulp = 1}));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    x = c128[2] parameter(0)
    ROOT y = f64[3] fft(x), fft_type=IRFFT, fft_length={3}
  })",
                                   {expected}),
                      Value("f64[3]", "{1, 2, 3}"), {.max_ulp = 2}));
}

TEST(Fft, TwoDimensions) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    x = c64[2,2] constant({{(1, 0), (2, 0)}, {(3, 0), (4, 0)}})
    ROOT y = c64[2,2] fft(x), fft_type=FFT, fft_length={2,2}
  })"),
                      Value("c64[2,2]", "{{(10, 0), (-2, 0)}, {(-4, 0), (0, 0)}}")));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    x = f32[2,2] constant({{1, 2}, {3, 4}})
    y = c64[2,2] fft(x), fft_type=RFFT, fft_length={2,2}
    ROOT z = f32[2,2] fft(y), fft_type=IRFFT, fft_length={2,2}
  })"),
                      Value("f32[2,2]", "{{1, 2}, {3, 4}}")));
}

TEST(Fft, AgreesWithTheDefinition) {
  for (int64_t n : {1, 5, 12, 16, 32, 97}) {
    Literal x = *Literal::Zeros(Shape::ArrayOf(ElementType::kC64, {n}));
    for (int64_t i = 0; i < n; ++i) {
      SetFromComplex(x, i, {static_cast<double>(i * i % 7) - 3, static_cast<double>(i * 5 % 3)});
    }
    const Literal y =
        EvaluateText(fmt::format("ENTRY e {{ x = c64[{0}] parameter(0) ROOT y = c64[{0}] fft(x), "
                                 "fft_type=FFT, fft_length={{{0}}} }}",
                                 n),
                     {x});
    for (int64_t k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (int64_t i = 0; i < n; ++i) {
        sum += GetAsComplex(x, i) * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * k % n) /
                                                        static_cast<double>(n));
      }
      EXPECT_LE(std::abs(GetAsComplex(y, k) - sum), 1e-5) << n << " " << k;
    }
  }
}

TEST(Cholesky, ReadsOneTriangleAndZeroesTheOther) {
  EXPECT_TRUE(Matches(
      EvaluateText(
          "ENTRY e { a = f32[2,2] constant({{4, 7}, {2, 5}}) ROOT l = f32[2,2] cholesky(a), lower=true }"),
      Value("f32[2,2]", "{{2, 0}, {1, 2}}")));
  EXPECT_TRUE(Matches(
      EvaluateText("ENTRY e { a = f32[2,2] constant({{4, 2}, {7, 5}}) ROOT l = f32[2,2] cholesky(a) }"),
      Value("f32[2,2]", "{{2, 1}, {0, 2}}")));
}

TEST(Cholesky, ComplexFactorsConjugate) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = c64[2,2] constant({{(1, 0), (9, 9)}, {(0, 1), (2, 0)}})
    ROOT l = c64[2,2] cholesky(a), lower=true
  })"),
                      Value("c64[2,2]", "{{(1, 0), (0, 0)}, {(0, 1), (1, 0)}}")));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = c64[2,2] constant({{(1, 0), (0, -1)}, {(9, 9), (2, 0)}})
    ROOT l = c64[2,2] cholesky(a)
  })"),
                      Value("c64[2,2]", "{{(1, 0), (0, -1)}, {(0, 0), (1, 0)}}")));
}

// The custom calls that JAX makes on CPUs: the other triangle keeps what it was, and each matrix has a
// verdict.
TEST(LapackCall, CholeskyKeepsTheOtherTriangleAndGivesInfo) {
  EXPECT_TRUE(
      Matches(EvaluateText(R"(ENTRY e {
    a = f64[3,2,2]{1,2,0} constant({{{4, 7}, {2, 5}}, {{0, 1}, {0, 1}}, {{4, 3}, {nan, 5}}})
    r = (f64[3,2,2]{1,2,0}, s32[3]) custom-call(a), custom_call_target="lapack_dpotrf_ffi",
        backend_config={uplo = 76 : ui8}
    l = f64[3,2,2] get-tuple-element(r), index=0
    first = f64[1,2,2] slice(l), slice={[0:1], [0:2], [0:2]}
    info = s32[3] get-tuple-element(r), index=1
    ROOT t = (f64[1,2,2], s32[3]) tuple(first, info)
  })"),
              Literal::Tuple({Value("f64[1,2,2]", "{{{2, 7}, {1, 2}}}"), Value("s32[3]", "{0, 1, 1}")})));
  EXPECT_TRUE(Matches(
      EvaluateText(R"(ENTRY e {
    a = c64[2,2] constant({{(1, 0), (0, -1)}, {(9, 9), (2, 0)}})
    ROOT r = (c64[2,2], s32[]) custom-call(a), custom_call_target="lapack_cpotrf_ffi", backend_config={uplo = 85 : ui8}
  })"),
      Literal::Tuple({Value("c64[2,2]", "{{(1, 0), (0, -1)}, {(9, 9), (1, 0)}}"), Value("s32[]", "0")})));
}

TEST(LapackCall, TriangularSolveReadsItsLetters) {
  // x a^T = b with the lower triangle of a: x = (1, 2) gives b = (2, 1 + 6).
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[2,2] constant({{2, 99}, {1, 3}})
    b = f32[1,2] constant({{2, 7}})
    ROOT x = f32[1,2] custom-call(a, b), custom_call_target="lapack_strsm_ffi",
        backend_config={diag = 78 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}
  })"),
                      Value("f32[1,2]", "{{1, 2}}")));
  // A unit diagonal, upper, the conjugate transpose: [1 0; -i 1] x = (1, 2) gives (1, 2 + i).
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = c128[2,2] constant({{(7, 7), (0, 1)}, {(9, 9), (7, 7)}})
    b = c128[2,1] constant({{(1, 0)}, {(2, 0)}})
    ROOT x = c128[2,1] custom-call(a, b), custom_call_target="lapack_ztrsm_ffi",
        backend_config={diag = 85 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 85 : ui8}
  })"),
                      Value("c128[2,1]", "{{(1, 0)}, {(2, 1)}}")));
}

TEST(LapackCall, LuExchangesRowsAndNamesTheFirstZeroPivot) {
  // 4 is the largest of the first column; then 1.5 and 4 are left in the second.
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[3,2] constant({{1, 2}, {4, 2}, {2, 5}})
    ROOT r = (f32[3,2], s32[2], s32[]) custom-call(a), custom_call_target="lapack_sgetrf_ffi", backend_config={}
  })"),
                      Literal::Tuple({Value("f32[3,2]", "{{4, 2}, {0.5, 4}, {0.25, 0.375}}"),
                                      Value("s32[2]", "{2, 3}"), Value("s32[]", "0")})));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = c64[1,2,2] constant({{{(0, 0), (1, 0)}, {(0, 0), (0, 2)}}})
    ROOT r = (c64[1,2,2], s32[1,2], s32[1]) custom-call(a), custom_call_target="lapack_cgetrf_ffi", backend_config={}
  })"),
                      Literal::Tuple({Value("c64[1,2,2]", "{{{(0, 0), (1, 0)}, {(0, 0), (0, 2)}}}"),
                                      Value("s32[1,2]", "{{1, 2}}"), Value("s32[1]", "{1}")})));
}

// A letter of another type, a missing key, a matrix that is not square: calls of nobody's.
TEST(LapackCall, WhatDoesNotFitItsTargetIsNotTaken) {
  for (
      const std::string_view text : {
          R"(ENTRY e { a = f64[2,2] parameter(0) ROOT r = (f64[2,2], s32[]) custom-call(a),
              custom_call_target="lapack_spotrf_ffi", backend_config={uplo = 76 : ui8} })",
          R"(ENTRY e { a = f32[2,2] parameter(0) ROOT r = (f32[2,2], s32[]) custom-call(a),
              custom_call_target="lapack_spotrf_ffi", backend_config={no_uplo = 76 : ui8} })",
          R"(ENTRY e { a = f32[2,3] parameter(0) ROOT r = (f32[2,3], s32[]) custom-call(a),
              custom_call_target="lapack_spotrf_ffi", backend_config={uplo = 76 : ui8} })",
          R"(ENTRY e { a = f32[2,2] parameter(0) ROOT r = f32[2,2] custom-call(a),
              custom_call_target="lapack_spotrf_ffi", backend_config={uplo = 76 : ui8} })",
          R"(ENTRY e { a = f32[2,2] parameter(0) b = f32[3,2] parameter(1) ROOT r = f32[3,2] custom-call(a, b),
              custom_call_target="lapack_strsm_ffi",
              backend_config={diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8} })"}) {
    auto module = Parse(text);
    std::vector<Literal> arguments;
    for (const hlo::Instruction* parameter : module->entry()->parameters())
      arguments.push_back(*Literal::Zeros(parameter->shape()));
    const auto result = TryEvaluateText(text, arguments);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().kind(), ErrorKind::kNotSupported) << text;
  }
}

TEST(Cholesky, ABadMatrixSpoilsOnlyItself) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[3,1,1] constant({{{4}}, {{-1}}, {{nan}}})
    ROOT l = f32[3,1,1] cholesky(a), lower=true
  })"),
                      Value("f32[3,1,1]", "{{{2}}, {{nan}}, {{nan}}}")));
  EXPECT_TRUE(Matches(
      EvaluateText(
          "ENTRY e { a = f32[2,2] constant({{1, 0}, {2, 1}}) ROOT l = f32[2,2] cholesky(a), lower=true }"),
      Value("f32[2,2]", "{{nan, nan}, {nan, nan}}")));
}

// a is 2 99 / 1 4 with the lower triangle in use.
Literal Solve(std::string_view b, std::string_view form) {
  return EvaluateText(fmt::format(R"(ENTRY e {{
    a = f32[2,2] constant({{ {{2, 99}}, {{1, 4}} }})
    b = f32[2] constant({})
    m = f32[{}] reshape(b)
    x = f32[{}] triangular-solve(a, m), {}
    ROOT r = f32[2] reshape(x)
  }})",
                                  b, form.contains("left_side=true") ? "2,1" : "1,2",
                                  form.contains("left_side=true") ? "2,1" : "1,2", form));
}

TEST(TriangularSolve, SidesAndTransposes) {
  EXPECT_TRUE(Matches(Solve("{2, 9}", "left_side=true, lower=true, transpose_a=NO_TRANSPOSE"),
                      Value("f32[2]", "{1, 2}")));
  EXPECT_TRUE(Matches(Solve("{4, 8}", "left_side=true, lower=true, transpose_a=TRANSPOSE"),
                      Value("f32[2]", "{1, 2}")));
  EXPECT_TRUE(Matches(Solve("{4, 8}", "lower=true, transpose_a=NO_TRANSPOSE"), Value("f32[2]", "{1, 2}")));
  EXPECT_TRUE(Matches(Solve("{2, 9}", "lower=true, transpose_a=TRANSPOSE"), Value("f32[2]", "{1, 2}")));
  EXPECT_TRUE(
      Matches(Solve("{2, 9}", "left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE"),
              Value("f32[2]", "{2, 7}")));
  // The upper triangle: 4 x2 = 8, 2 x1 + 99 x2 = 202.
  EXPECT_TRUE(
      Matches(Solve("{202, 8}", "left_side=true, transpose_a=NO_TRANSPOSE"), Value("f32[2]", "{2, 2}")));
}

TEST(TriangularSolve, AdjointConjugatesAndBatchesAreIndependent) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = c64[2,1,1] constant({{{(0, 1)}}, {{(2, 0)}}})
    b = c64[2,1,2] constant({{{(1, 0), (2, 0)}}, {{(4, 0), (6, 0)}}})
    ROOT x = c64[2,1,2] triangular-solve(a, b), left_side=true, lower=true, transpose_a=ADJOINT
  })"),
                      Value("c64[2,1,2]", "{{{(0, 1), (0, 2)}}, {{(2, 0), (3, 0)}}}")));
}

TEST(BatchNorm, Training) {
  // Mean 2, variance 1, and 1 / sqrt(1 + 3) is a half.
  EXPECT_TRUE(Matches(
      EvaluateText(R"(ENTRY e {
    x = f32[2,1] constant({{1}, {3}})
    s = f32[1] constant({4})
    o = f32[1] constant({10})
    ROOT n = (f32[2,1], f32[1], f32[1]) batch-norm-training(x, s, o), epsilon=3, feature_index=1
  })"),
      Literal::Tuple({Value("f32[2,1]", "{{8}, {12}}"), Value("f32[1]", "{2}"), Value("f32[1]", "{1}")})));
}

TEST(BatchNorm, InferenceByFeature) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    x = f32[2,2] constant({{1, 3}, {5, 5}})
    s = f32[2] constant({4, 1})
    o = f32[2] constant({10, 0})
    m = f32[2] constant({2, 5})
    v = f32[2] constant({1, 1})
    ROOT n = f32[2,2] batch-norm-inference(x, s, o, m, v), epsilon=3, feature_index=0
  })"),
                      Value("f32[2,2]", "{{8, 12}, {0, 0}}")));
}

TEST(BatchNorm, Gradient) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    x = f32[2,1] constant({{1}, {3}})
    s = f32[1] constant({4})
    m = f32[1] constant({2})
    v = f32[1] constant({1})
    g = f32[2,1] constant({{1}, {2}})
    ROOT n = (f32[2,1], f32[1], f32[1]) batch-norm-grad(x, s, m, v, g), epsilon=3, feature_index=1
  })"),
                      Literal::Tuple({Value("f32[2,1]", "{{-0.75}, {0.75}}"), Value("f32[1]", "{0.5}"),
                                      Value("f32[1]", "{3}")})));
}

}  // namespace
}  // namespace subfloor::evaluator_testing
