#include <gtest/gtest.h>

#include "codegen/support/elemental_harness.h"
#include "codegen/support/samples.h"

namespace subfloor::testing {
namespace {

using hlo::Opcode;

const ElementType kFloats[] = {
    ElementType::kF16,           ElementType::kBF16,       ElementType::kF32,        ElementType::kF64,
    ElementType::kF8E5M2,        ElementType::kF8E4M3,     ElementType::kF8E3M4,     ElementType::kF8E4M3FN,
    ElementType::kF8E4M3B11FNUZ, ElementType::kF8E4M3FNUZ, ElementType::kF8E5M2FNUZ, ElementType::kF8E8M0FNU,
    ElementType::kF4E2M1FN,      ElementType::kF6E2M3FN,   ElementType::kF6E3M2FN};

/// Runs an op on arrays of element bits.
Packed RunOp(const OpSpec& spec, const std::vector<const Packed*>& inputs, int64_t lanes) {
  Packed out(spec.result, inputs[0]->size());
  auto kernel = ElementalKernel::Compile(spec, lanes);
  EXPECT_TRUE(kernel.has_value()) << kernel.error().ToString();
  if (!kernel) return out;
  std::vector<const void*> arrays;
  for (const Packed* input : inputs) arrays.push_back(input->data());
  void* result = out.data();
  kernel->Run(arrays, {&result, 1}, static_cast<int64_t>(out.size()));
  return out;
}

/// An op's result on f64 values, rounded once to the type by types/narrow.h. The operands' sums, differences
/// and products are exact in binary128 or far inside f64 for narrow types.
void CheckArithmetic(Opcode opcode, ElementType type, __float128 (*wide)(__float128, __float128)) {
  auto samples = SampleBits(type, 400);
  auto [a, b] = Pairs(samples, samples, 66000);
  Packed x(type, a), y(type, b);
  for (int64_t lanes : {int64_t{0}, int64_t{8}}) {
    Packed out = RunOp({opcode, {type, type}, type}, {&x, &y}, lanes);
    int wrong = 0;
    for (size_t i = 0; i < x.size() && wrong < 3; ++i) {
      const uint64_t want = FromQuad(type, wide(ToQuad(type, x[i]), ToQuad(type, y[i])));
      const uint64_t got = out[i];
      if (got == want || (IsNan(type, got) && IsNan(type, want))) continue;
      ++wrong;
      ADD_FAILURE() << ToString(opcode) << " " << ToString(type) << " of " << ToDouble(type, x[i]) << ", "
                    << ToDouble(type, y[i]) << " (" << std::hex << x[i] << ", " << y[i] << "): got " << got
                    << ", want " << want << ", lanes " << lanes;
    }
  }
}

__float128 Largest(__float128 a, __float128 b) {
  if (a != a || b != b) return std::numeric_limits<double>::quiet_NaN();
  if (a == 0 && b == 0) return std::signbit(static_cast<double>(a)) ? b : a;
  return a > b ? a : b;
}

class FloatArithmetic : public ::testing::TestWithParam<ElementType> {};
TEST_P(FloatArithmetic, RoundsOnceAndKeepsSpecials) {
  const ElementType type = GetParam();
  CheckArithmetic(Opcode::kAdd, type, [](__float128 a, __float128 b) { return a + b; });
  CheckArithmetic(Opcode::kSubtract, type, [](__float128 a, __float128 b) { return a - b; });
  CheckArithmetic(Opcode::kMultiply, type, [](__float128 a, __float128 b) { return a * b; });
  CheckArithmetic(Opcode::kDivide, type, [](__float128 a, __float128 b) { return a / b; });
  CheckArithmetic(Opcode::kMaximum, type, Largest);
  CheckArithmetic(Opcode::kMinimum, type, [](__float128 a, __float128 b) { return -Largest(-a, -b); });
}
INSTANTIATE_TEST_SUITE_P(All, FloatArithmetic, ::testing::ValuesIn(kFloats),
                         [](const auto& info) { return std::string(ToString(info.param)); });

/// One f32 op on given numbers, in one lane and in four.
std::vector<float> RunF32(OpSpec spec, std::vector<std::vector<float>> inputs) {
  std::vector<float> results[2];
  const size_t count = inputs[0].size();
  for (auto& input : inputs) input.resize((count + 3) / 4 * 4);
  for (int which : {0, 1}) {
    auto kernel = ElementalKernel::Compile(spec, which * 4);
    EXPECT_TRUE(kernel.has_value()) << kernel.error().ToString();
    if (!kernel) return {};
    std::vector<const void*> arrays;
    for (auto& input : inputs) arrays.push_back(input.data());
    results[which].resize(inputs[0].size());
    void* out = results[which].data();
    kernel->Run(arrays, {&out, 1}, static_cast<int64_t>(inputs[0].size()));
    results[which].resize(count);
  }
  EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), count * sizeof(float)), 0);
  return results[0];
}

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void ExpectSame(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want[i]))
          << i << ": " << got[i] << " for " << want[i];
  }
}

TEST(FloatOps, RoundAsNamed) {
  const auto f32 = ElementType::kF32;
  const std::vector<float> x = {0.5f,      -2.5f, 2.5f, -0.5f,      0.49999997f,
                                8388609.f, -0.f,  1.5f, 4194303.5f, kInf};
  ExpectSame(RunF32({Opcode::kRoundNearestAfz, {f32}, f32}, {x}),
             {1, -3, 3, -1, 0, 8388609.f, -0.f, 2, 4194304.f, kInf});
  ExpectSame(RunF32({Opcode::kRoundNearestEven, {f32}, f32}, {x}),
             {0, -2, 2, -0.f, 0, 8388609.f, -0.f, 2, 4194304.f, kInf});
  ExpectSame(RunF32({Opcode::kFloor, {f32}, f32}, {x}),
             {0, -3, 2, -1, 0, 8388609.f, -0.f, 1, 4194303.f, kInf});
  ExpectSame(RunF32({Opcode::kCeil, {f32}, f32}, {x}),
             {1, -2, 3, -0.f, 1, 8388609.f, -0.f, 2, 4194304.f, kInf});
  ExpectSame(RunF32({Opcode::kSign, {f32}, f32}, {{-0.f, 0.f, 3, -kInf, 1e-45f, kNan}}),
             {-0.f, 0.f, 1, -1, 1, kNan});
}

TEST(FloatOps, ClampIsMinimumOfMaximum) {
  const auto f32 = ElementType::kF32;
  ExpectSame(RunF32({Opcode::kClamp, {f32, f32, f32}, f32},
                    {{kNan, 0, 0, 3, -0.f}, {1, kNan, 5, 2, 0.f}, {2, 2, kNan, 1, -0.f}}),
             {kNan, kNan, kNan, 1, -0.f});
}

TEST(FloatOps, ReducePrecisionRoundsAndFlushes) {
  const auto f32 = ElementType::kF32;
  hlo::ReducePrecisionAttributes half;
  half.exponent_bits = 5, half.mantissa_bits = 10;
  ExpectSame(RunF32({Opcode::kReducePrecision, {f32}, f32, half},
                    {{65519, 65520, 1e-6f, 6e-5f, -1.00048828125f, kNan, -kInf, -0.f}}),
             {65504, kInf, 0, 0, -1, kNan, -kInf, -0.f});
  hlo::ReducePrecisionAttributes none;
  none.exponent_bits = 8, none.mantissa_bits = 0;
  ExpectSame(RunF32({Opcode::kReducePrecision, {f32}, f32, none}, {{1.5f, 1.25f, kNan, -3}}),
             {2, 1, kInf, -2});  // ties by the exponent's last bit
}

TEST(FloatOps, SignBitOpsKeepNanBits) {
  for (ElementType type : kFloats) {
    if (!FormatOf(type).has_sign) continue;
    Packed x(type, SampleBits(type, 500));
    const uint64_t sign = uint64_t{1} << (BitWidth(type) - 1);
    for (Opcode opcode : {Opcode::kNegate, Opcode::kAbs}) {
      Packed out = RunOp({opcode, {type}, type}, {&x}, 8);
      for (size_t i = 0; i < x.size(); ++i) {
        uint64_t want = opcode == Opcode::kNegate ? x[i] ^ sign : x[i] & ~sign;
        if (!FormatOf(type).has_negative_zero && (x[i] & ~sign) == 0) want = x[i];  // its zero, and its NaN
        ASSERT_EQ(out[i], want) << ToString(opcode) << " " << ToString(type) << " " << x[i];
      }
    }
  }
}

/// IEEE totalOrder as sign and magnitude.
int64_t Rank(ElementType type, uint64_t bits) {
  const uint64_t sign = uint64_t{1} << (BitWidth(type) - 1);
  return bits & sign ? -static_cast<int64_t>(bits & ~sign) - 1 : static_cast<int64_t>(bits);
}

TEST(FloatOps, ComparesByValueAndByTotalOrder) {
  hlo::CompareAttributes less, total, unequal;
  less.direction = total.direction = hlo::ComparisonDirection::kLt;
  total.type = hlo::ComparisonType::kTotalOrder;
  unequal.direction = hlo::ComparisonDirection::kNe;
  for (ElementType type :
       {ElementType::kF32, ElementType::kF64, ElementType::kBF16, ElementType::kF16, ElementType::kF8E5M2}) {
    auto samples = SampleBits(type, 60);
    auto [a, b] = Pairs(samples, samples, 60000);
    Packed x(type, a), y(type, b);
    Packed by_value = RunOp({Opcode::kCompare, {type, type}, ElementType::kPred, less}, {&x, &y}, 8);
    Packed by_rank = RunOp({Opcode::kCompare, {type, type}, ElementType::kPred, total}, {&x, &y}, 8);
    Packed not_equal = RunOp({Opcode::kCompare, {type, type}, ElementType::kPred, unequal}, {&x, &y}, 0);
    for (size_t i = 0; i < x.size(); ++i) {
      const double p = ToDouble(type, x[i]), q = ToDouble(type, y[i]);
      ASSERT_EQ(by_value[i], p < q) << ToString(type) << " " << p << " " << q;
      ASSERT_EQ(not_equal[i], p != q) << ToString(type) << " " << p << " " << q;
      ASSERT_EQ(by_rank[i], Rank(type, x[i]) < Rank(type, y[i]))
          << ToString(type) << " " << std::hex << x[i] << " " << y[i];
    }
  }
}

TEST(FloatOps, StochasticConvertGoesUpByChance) {
  Packed x(ElementType::kF32, {FromDouble(ElementType::kF32, 1.25), FromDouble(ElementType::kF32, 1.25),
                               FromDouble(ElementType::kF32, -1.25), FromDouble(ElementType::kF32, 300),
                               FromDouble(ElementType::kF32, -HUGE_VAL), FromDouble(ElementType::kF32, 2),
                               QuietNan(ElementType::kF32)});
  Packed random(ElementType::kU32, {0x3fffffff, 0x40000000, 0, 0, 0, 0, 0});
  Packed out = RunOp({Opcode::kStochasticConvert, {ElementType::kF32, ElementType::kU32}, ElementType::kS8},
                     {&x, &random}, 8);
  const int want[] = {2, 1, -2, 127, -128, 2, 0};
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(static_cast<int8_t>(out[i]), want[i]) << i;
}

TEST(FloatOps, NarrowFunctionsAreTheF32ResultRounded) {
  for (ElementType type : {ElementType::kBF16, ElementType::kF16, ElementType::kF8E4M3FN}) {
    Packed x(type, SampleBits(type));
    std::vector<uint64_t> widened;
    for (size_t i = 0; i < x.size(); ++i)
      widened.push_back(FromDouble(ElementType::kF32, ToDouble(type, x[i])));
    Packed wide(ElementType::kF32, widened);
    for (Opcode opcode : {Opcode::kTanh, Opcode::kExp, Opcode::kSin}) {
      Packed narrow = RunOp({opcode, {type}, type}, {&x}, 8);
      Packed full = RunOp({opcode, {ElementType::kF32}, ElementType::kF32}, {&wide}, 8);
      for (size_t i = 0; i < x.size(); ++i) {
        const uint64_t want = ConvertBits(ElementType::kF32, type, full[i]);
        ASSERT_TRUE(narrow[i] == want || (IsNan(type, want) && IsNan(type, narrow[i])))
            << ToString(opcode) << " " << ToString(type) << " " << x[i];
      }
    }
  }
}

TEST(FloatOps, PredIsALattice) {
  Packed x(ElementType::kPred, {0, 1, 0, 1}), y(ElementType::kPred, {0, 0, 1, 1});
  const auto table = [&](Opcode opcode) {
    Packed out = RunOp({opcode, {ElementType::kPred, ElementType::kPred}, ElementType::kPred}, {&x, &y}, 4);
    return std::vector<uint64_t>{out[0], out[1], out[2], out[3]};
  };
  for (Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kOr})
    EXPECT_EQ(table(opcode), (std::vector<uint64_t>{0, 1, 1, 1}));
  for (Opcode opcode : {Opcode::kMultiply, Opcode::kMinimum, Opcode::kAnd})
    EXPECT_EQ(table(opcode), (std::vector<uint64_t>{0, 0, 0, 1}));
  EXPECT_EQ(table(Opcode::kXor), (std::vector<uint64_t>{0, 1, 1, 0}));
  EXPECT_EQ(table(Opcode::kPower), (std::vector<uint64_t>{1, 1, 0, 1}));
  auto refused = ElementalKernel::Compile(
      {Opcode::kSubtract, {ElementType::kPred, ElementType::kPred}, ElementType::kPred}, 0);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNotSupported);
}

}  // namespace
}  // namespace subfloor::testing
