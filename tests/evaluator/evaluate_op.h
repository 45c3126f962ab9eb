#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "evaluator/evaluator.h"
#include "types/narrow.h"

/// Little helpers to evaluate one op, or one small computation, on values written in a test.
namespace subfloor::evaluator_testing {

using enum ElementType;
using hlo::Attributes;
using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// An array from doubles, each rounded to the type (integers: as int64).
inline Literal Array(ElementType type, std::vector<int64_t> dimensions, const std::vector<double>& values) {
  Literal literal = *Literal::Zeros(Shape::ArrayOf(type, dimensions));
  for (size_t i = 0; i < values.size(); ++i) {
    if (IsFloat(type) || IsComplex(type)) {
      SetFromDouble(literal, static_cast<int64_t>(i), values[i]);
    } else {
      SetFromInt(literal, static_cast<int64_t>(i), static_cast<int64_t>(values[i]));
    }
  }
  return literal;
}
inline Literal Vec(ElementType type, const std::vector<double>& values) {
  return Array(type, {static_cast<int64_t>(values.size())}, values);
}
inline Literal Scalar(ElementType type, double value) { return Array(type, {}, {value}); }
inline Literal FromBits(ElementType type, const std::vector<uint64_t>& bits) {
  Literal literal = *Literal::Zeros(Shape::ArrayOf(type, {static_cast<int64_t>(bits.size())}));
  for (size_t i = 0; i < bits.size(); ++i) SetBits(literal, static_cast<int64_t>(i), bits[i]);
  return literal;
}

inline std::vector<double> Values(const Literal& literal) {
  std::vector<double> values;
  for (int64_t i = 0; i < literal.shape().element_count(); ++i) values.push_back(GetAsDouble(literal, i));
  return values;
}
inline std::vector<uint64_t> Bits(const Literal& literal) {
  std::vector<uint64_t> bits;
  for (int64_t i = 0; i < literal.shape().element_count(); ++i) bits.push_back(GetBits(literal, i));
  return bits;
}

/// Equal values, NaN to NaN and zeros by sign.
inline ::testing::Matcher<std::vector<double>> Are(const std::vector<double>& values) {
  std::vector<::testing::Matcher<double>> matchers;
  for (double value : values) {
    if (value == 0) {
      matchers.push_back(::testing::AllOf(
          ::testing::Eq(0.0),
          ::testing::ResultOf("sign", [](double x) { return std::signbit(x); }, std::signbit(value))));
    } else {
      matchers.push_back(::testing::NanSensitiveDoubleEq(value));
    }
  }
  return ::testing::ElementsAreArray(matchers);
}

/// Evaluates one instruction on parameters. `called` makes the computations it calls.
inline Result<Literal> TryOp(Opcode opcode, const Shape& shape, const std::vector<Literal>& operands,
                             std::optional<Attributes> attributes = std::nullopt,
                             const std::function<std::vector<Computation*>(Module&)>& called = {}) {
  Module module("test");
  Computation* entry = module.AddComputation("main");
  std::vector<Instruction*> parameters;
  for (size_t i = 0; i < operands.size(); ++i) {
    parameters.push_back(entry->AddParameter(static_cast<int64_t>(i), operands[i].shape()));
  }
  std::vector<Computation*> computations;
  if (called) computations = called(module);
  entry->set_root(entry->Add(opcode, shape, parameters,
                             attributes ? *attributes : hlo::DefaultAttributes(opcode), computations));
  return Evaluate(module, operands);
}
inline Literal Op(Opcode opcode, const Shape& shape, const std::vector<Literal>& operands,
                  std::optional<Attributes> attributes = std::nullopt,
                  const std::function<std::vector<Computation*>(Module&)>& called = {}) {
  Result<Literal> result = TryOp(opcode, shape, operands, std::move(attributes), called);
  if (!result) {
    ADD_FAILURE() << result.error().ToString();
    return *Literal::Zeros(shape);
  }
  return *std::move(result);
}
/// An op whose result has the shape of its first operand.
inline Literal Same(Opcode opcode, const std::vector<Literal>& operands,
                    std::optional<Attributes> attributes = std::nullopt) {
  return Op(opcode, operands[0].shape(), operands, std::move(attributes));
}

/// A computation of two scalar parameters and one op, such as a reducer.
inline Computation* BinaryComputation(Module& module, Opcode opcode, ElementType type) {
  Computation* computation = module.AddComputation("combine");
  Instruction* a = computation->AddParameter(0, Shape::Scalar(type));
  Instruction* b = computation->AddParameter(1, Shape::Scalar(type));
  computation->set_root(computation->Add(opcode, Shape::Scalar(type), {a, b}));
  return computation;
}

}  // namespace subfloor::evaluator_testing
