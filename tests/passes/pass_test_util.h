#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluator/evaluator.h"
#include "hlo/module.h"
#include "hlo/parser.h"
#include "hlo/printer.h"
#include "hlo/verifier.h"
#include "passes/pipeline.h"
#include "passes/registry.h"
#include "types/narrow.h"
#include "types/random_literal.h"

/// What the tests of passes share: text in, text out, and equal results before and after.
namespace subfloor::passes {

inline std::unique_ptr<hlo::Module> Parse(std::string_view text) {
  auto module = hlo::ParseModule(text);
  if (!module) {
    ADD_FAILURE() << module.error().ToString();
    return nullptr;
  }
  if (auto verified = hlo::Verify(**module); !verified) ADD_FAILURE() << verified.error().ToString();
  return *std::move(module);
}

inline std::string PrintShort(const hlo::Module& module) {
  return hlo::Print(module, hlo::PrintOptions::ShortParsable());
}

/// Runs the passes by name in order; true if any changed the module.
inline bool RunPasses(hlo::Module& module, const std::vector<std::string_view>& names,
                      PassContext* context = nullptr) {
  PassContext own;
  bool changed = false;
  for (const std::string_view name : names) {
    auto pass = FindPass(name);
    if (!pass) {
      ADD_FAILURE() << pass.error().ToString();
      return changed;
    }
    auto result = RunPass(*pass, module, context ? *context : own);
    if (!result) {
      ADD_FAILURE() << name << ": " << result.error().ToString() << "\n" << PrintShort(module);
      return changed;
    }
    changed |= *result;
  }
  return changed;
}

/// Equal bits in every element of every leaf, but that any NaN equals any other.
inline ::testing::AssertionResult SameBits(const Literal& a, const Literal& b) {
  std::vector<std::pair<const Literal*, const Literal*>> pending = {{&a, &b}};
  while (!pending.empty()) {
    const auto [x, y] = pending.back();
    pending.pop_back();
    if (!x->shape().Compatible(y->shape())) {
      return ::testing::AssertionFailure() << x->shape().ToString() << " against " << y->shape().ToString();
    }
    for (size_t i = 0; i < x->elements().size(); ++i)
      pending.emplace_back(&x->elements()[i], &y->elements()[i]);
    if (!x->shape().IsArray()) continue;
    const ElementType part = ComponentType(x->element_type());
    const auto width = static_cast<size_t>(ByteWidth(part));
    for (size_t at = 0; at < x->bytes().size(); at += width) {
      uint64_t left = 0, right = 0;
      std::memcpy(&left, x->bytes().data() + at, width);
      std::memcpy(&right, y->bytes().data() + at, width);
      if (left == right || (IsFloat(part) && IsNan(part, left) && IsNan(part, right))) continue;
      return ::testing::AssertionFailure() << x->shape().ToString() << " element " << at / width << ": bits "
                                           << left << " against " << right;
    }
  }
  return ::testing::AssertionSuccess();
}

/// Evaluates the module as written and after the passes on the same random arguments; results must have equal
/// bits, NaNs aside. Entry layouts must be row-major.
inline void ExpectSameResults(const hlo::Module& before, const hlo::Module& after, uint64_t seed = 1,
                              bool edge = false) {
  std::vector<Literal> arguments;
  for (const hlo::Instruction* parameter : before.entry()->parameters()) {
    RandomLiteralOptions options;
    options.edge = edge;
    auto argument =
        RandomLiteral(parameter->shape(), seed + static_cast<uint64_t>(arguments.size()), options);
    ASSERT_TRUE(argument.has_value()) << argument.error().ToString();
    arguments.push_back(*std::move(argument));
  }
  const auto expected = Evaluate(before, arguments), actual = Evaluate(after, arguments);
  ASSERT_TRUE(expected.has_value()) << expected.error().ToString();
  ASSERT_TRUE(actual.has_value()) << actual.error().ToString() << "\n" << PrintShort(after);
  EXPECT_TRUE(SameBits(*expected, *actual)) << PrintShort(after);
}

}  // namespace subfloor::passes
