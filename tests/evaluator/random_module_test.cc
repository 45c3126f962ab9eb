#include "support/random_module.h"

#include <gtest/gtest.h>

#include <set>

#include "evaluate_text.h"
#include "hlo/printer.h"
#include "hlo/verifier.h"

namespace subfloor::evaluator_testing {
namespace {

using namespace testing_support;  // NOLINT: the tests of exactly this namespace

std::string TextOf(const hlo::Module& module) {
  return hlo::Print(module, hlo::PrintOptions::ShortParsable());
}

// Every program is valid, runs, and survives being printed and read again.
void CheckProgram(uint64_t seed, const RandomModuleOptions& options) {
  const RandomProgram program = RandomModule(seed, options);
  const Status valid = hlo::Verify(*program.module);
  ASSERT_TRUE(valid) << seed << ": " << valid.error().ToString() << "\n" << TextOf(*program.module);
  ASSERT_EQ(program.exact.size(), static_cast<size_t>(program.module->entry()->root()->operand_count()))
      << seed;
  const std::vector<Literal> arguments = RandomArguments(*program.module, seed);
  const auto result = Evaluate(*program.module, arguments);
  ASSERT_TRUE(result) << seed << ": " << result.error().ToString() << "\n" << TextOf(*program.module);
  const auto again = hlo::ParseModule(TextOf(*program.module));
  ASSERT_TRUE(again) << seed << ": " << again.error().ToString();
  const auto same = Evaluate(**again, arguments);
  ASSERT_TRUE(same) << seed << ": " << same.error().ToString();
  EXPECT_TRUE(same->Identical(*result)) << seed;
}

TEST(RandomModule, ProgramsAreValidAndRun) {
  for (uint64_t seed = 0; seed < 60; ++seed) CheckProgram(seed, {});
}

TEST(RandomModule, WildProgramsWithLayoutsAndEmptyArrays) {
  RandomModuleOptions options;
  options.layouts = options.empty_arrays = true;
  options.tame = false;
  for (uint64_t seed = 1000; seed < 1040; ++seed) CheckProgram(seed, options);
}

TEST(RandomModule, EachFamilyAlone) {
  for (uint32_t family = 1; family < kAllFamilies; family <<= 1) {
    RandomModuleOptions options;
    options.families = family;
    options.operations = 8;
    for (uint64_t seed = 0; seed < 6; ++seed) CheckProgram(seed, options);
  }
}

TEST(RandomModule, EveryElementType) {
#define X(enumerator, text, bits, cls) ElementType::enumerator,
  for (ElementType type : {SUBFLOOR_ELEMENT_TYPES(X)}) {
#undef X
    if (!IsArrayType(type)) continue;
    RandomModuleOptions options;
    options.types = {type};
    options.operations = 10;
    for (uint64_t seed = 0; seed < 4; ++seed) CheckProgram(seed, options);
  }
}

TEST(RandomModule, TheSeedDecides) {
  EXPECT_EQ(TextOf(*RandomModule(5).module), TextOf(*RandomModule(5).module));
  EXPECT_NE(TextOf(*RandomModule(5).module), TextOf(*RandomModule(6).module));
}

TEST(RandomModule, CoversTheLanguage) {
  std::set<hlo::Opcode> seen;
  for (uint64_t seed = 0; seed < 250; ++seed) {
    const RandomProgram program = RandomModule(seed);
    for (const hlo::Computation* computation : program.module->computations()) {
      for (const hlo::Instruction* instruction : computation->instructions())
        seen.insert(instruction->opcode());
    }
  }
  using enum hlo::Opcode;
  for (hlo::Opcode opcode : {kAdd,
                             kDivide,
                             kRemainder,
                             kPower,
                             kAtan2,
                             kShiftRightArithmetic,
                             kCompare,
                             kSelect,
                             kClamp,
                             kConvert,
                             kBitcastConvert,
                             kReducePrecision,
                             kExp,
                             kTanh,
                             kBroadcast,
                             kReshape,
                             kTranspose,
                             kSlice,
                             kPad,
                             kReverse,
                             kConcatenate,
                             kIota,
                             kDynamicSlice,
                             kDynamicUpdateSlice,
                             kReduce,
                             kReduceWindow,
                             kSelectAndScatter,
                             kDot,
                             kConvolution,
                             kGather,
                             kScatter,
                             kSort,
                             kTopK,
                             kWhile,
                             kConditional,
                             kCall,
                             kTuple,
                             kGetTupleElement,
                             kRngBitGenerator,
                             kReal}) {
    EXPECT_TRUE(seen.contains(opcode)) << hlo::ToString(opcode);
  }
}

}  // namespace
}  // namespace subfloor::evaluator_testing
