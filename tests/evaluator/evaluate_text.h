#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <vector>

#include "evaluator/evaluator.h"
#include "hlo/parser.h"
#include "types/compare_literals.h"

/// Programs and values written as text, the way the language writes them.
namespace subfloor::evaluator_testing {

inline std::unique_ptr<hlo::Module> Parse(std::string_view text) {
  auto module = hlo::ParseModule(text);
  if (module) return *std::move(module);
  ADD_FAILURE() << module.error().ToString();
  return hlo::ParseModule("ENTRY e { ROOT t = () tuple() }").value();
}

/// `Value("f32[2]", "{1, 2}")`
inline Literal Value(std::string_view shape, std::string_view text) {
  auto parsed = hlo::ParseShape(shape);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().ToString();
    return Literal();
  }
  auto literal = hlo::ParseLiteral(*parsed, text);
  if (literal) return *std::move(literal);
  ADD_FAILURE() << literal.error().ToString();
  return *Literal::Zeros(*parsed);
}

/// The result of a program, or its error.
inline Result<Literal> TryEvaluateText(std::string_view text, const std::vector<Literal>& arguments = {},
                                       const EvaluateOptions& options = {}) {
  auto module = hlo::ParseModule(text);
  if (!module) return std::unexpected(module.error());
  return Evaluate(**module, arguments, options);
}
inline Literal EvaluateText(std::string_view text, const std::vector<Literal>& arguments = {},
                            const EvaluateOptions& options = {}) {
  auto result = TryEvaluateText(text, arguments, options);
  if (result) return *std::move(result);
  ADD_FAILURE() << result.error().ToString();
  return Literal();
}

/// Equal values, or within a tolerance; says where they differ.
inline ::testing::AssertionResult Matches(const Literal& actual, const Literal& expected,
                                          const CompareOptions& options = {}) {
  auto comparison = CompareLiterals(actual, expected, options);
  if (!comparison) return ::testing::AssertionFailure() << comparison.error().ToString();
  if (comparison->Matches()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << comparison->ToString(/*only_mismatches=*/true);
}

}  // namespace subfloor::evaluator_testing
