#include <gtest/gtest.h>

#include "codegen/support/elemental_harness.h"
#include "codegen/support/samples.h"
#include "types/narrow.h"

namespace subfloor::testing {
namespace {

const ElementType kTypes[] = {
#define X(enumerator, text, bits, cls) ElementType::enumerator,
    SUBFLOOR_ELEMENT_TYPES(X)
#undef X
};

bool HasNumber(ElementType type) { return IsArrayType(type) && !IsComplex(type); }

/// A sub-byte integer element may come back sign-extended from an Element; memory keeps the low bits.
uint64_t Low(ElementType type, uint64_t bits) {
  const int width = IsPred(type) ? 8 : BitWidth(type);
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

/// Every sample of `from` converted to `to` equals types/narrow.h's answer, which is worked out another way.
void CheckPair(ElementType from, ElementType to, const Packed& input, int64_t lanes,
               const std::string& cpu = {}) {
  auto kernel = ElementalKernel::Compile({hlo::Opcode::kConvert, {from}, to}, lanes, cpu);
  ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
  Packed output(to, input.size());
  const void* in = input.data();
  void* out = output.data();
  kernel->Run({&in, 1}, {&out, 1}, static_cast<int64_t>(input.size()));
  int wrong = 0;
  for (size_t i = 0; i < input.size() && wrong < 5; ++i) {
    const uint64_t want = ConvertBits(from, to, input[i]);
    const uint64_t got = Low(to, output[i]);
    if (got == want) continue;
    ++wrong;
    ADD_FAILURE() << ToString(from) << " " << std::hex << input[i] << " (" << ToDouble(from, input[i])
                  << ") to " << ToString(to) << ": got " << got << ", want " << want << ", lanes " << std::dec
                  << lanes << cpu;
  }
}

class ConvertFrom : public ::testing::TestWithParam<ElementType> {};

TEST_P(ConvertFrom, EveryTypeRoundsOnce) {
  Packed input(GetParam(), SampleBits(GetParam(), 5000));
  for (ElementType to : kTypes) {
    if (!HasNumber(to) || to == GetParam()) continue;
    CheckPair(GetParam(), to, input, /*lanes=*/8);
  }
}

TEST_P(ConvertFrom, IsTheSameInOneLane) {
  Packed input(GetParam(), SampleBits(GetParam(), 5000));
  for (ElementType to : {ElementType::kPred, ElementType::kS4, ElementType::kU64, ElementType::kF16,
                         ElementType::kF8E4M3FNUZ, ElementType::kF64})
    if (to != GetParam()) CheckPair(GetParam(), to, input, /*lanes=*/0);
}

std::vector<ElementType> Sources() {
  std::vector<ElementType> sources;
  for (ElementType type : kTypes)
    if (HasNumber(type)) sources.push_back(type);
  return sources;
}
INSTANTIATE_TEST_SUITE_P(All, ConvertFrom, ::testing::ValuesIn(Sources()),
                         [](const auto& info) { return std::string(ToString(info.param)); });

TEST(Convert, IsTheSameOnOlderMachines) {
  for (ElementType from :
       {ElementType::kF32, ElementType::kF64, ElementType::kF16, ElementType::kS64, ElementType::kU32}) {
    Packed input(from, SampleBits(from, 5000));
    for (ElementType to : {ElementType::kF16, ElementType::kBF16, ElementType::kF8E4M3FN, ElementType::kF32,
                           ElementType::kS8, ElementType::kU64}) {
      if (to != from) CheckPair(from, to, input, /*lanes=*/8, "x86-64-v2");
    }
  }
}

}  // namespace
}  // namespace subfloor::testing
