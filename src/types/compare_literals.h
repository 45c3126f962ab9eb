#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "types/literal.h"

namespace subfloor {

/// An element matches if any of these holds: equal values (-0 equals +0), both NaN, error at most max_ulp
/// units in the last place, error at most atol + rtol * |expected|. All zero: equal values only.
struct CompareOptions {
  double max_ulp = 0;
  double rtol = 0;
  double atol = 0;
};

/// How one array differs from what was expected. Errors are infinite where one side is NaN or infinite and
/// the other is not the same. A unit in the last place (ulp) is the spacing of the actual element's type at
/// the expected value, 1 for integers and pred; a complex number's error and ulp are those of its modulus.
struct LeafComparison {
  ShapeIndex leaf;  ///< where in a tuple; empty for a plain array
  int64_t elements = 0;
  int64_t mismatches = 0;
  double max_abs = 0;
  double max_rel = 0;  ///< over elements whose expected value is not zero
  double max_ulp = 0;
  double rms = 0;                    ///< root mean square of the absolute error; infinite if any error is
  double rms_ulp = 0;                ///< the same in ulp
  std::vector<int64_t> first_index;  ///< of the first mismatch
  std::string first_actual, first_expected;
};

struct Comparison {
  std::vector<LeafComparison> leaves;
  bool Matches() const;
  /// One line per leaf, or those that differ only: "{0}: 3 of 64 elements differ, first at [1,2]: 1.5,
  /// expected 1.25; ...".
  std::string ToString(bool only_mismatches = false) const;
};

/// Compares leaf by leaf. Sizes must agree; element types may differ (a result against its f64 truth), but
/// not complex with real. Layouts do not matter; tokens match tokens. Errors: bad input when the shapes
/// cannot be compared. Threads: pure.
Result<Comparison> CompareLiterals(const Literal& actual, const Literal& expected,
                                   const CompareOptions& options = {});

/// One element as text, short but exact enough to tell neighbours apart: "1.5", "(1, -2)", "true", "-7".
std::string ElementToString(const Literal& literal, int64_t index);

}  // namespace subfloor
