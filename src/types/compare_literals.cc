#include "types/compare_literals.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "types/narrow.h"

namespace subfloor {
namespace {

using Quad = __float128;

constexpr size_t kMostPaths = 1000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Quad Abs(Quad x) { return x < 0 ? -x : x; }

struct ElementError {
  double abs = 0, rel = 0, ulp = 0;
};
constexpr ElementError kHopeless = {kInfinity, kInfinity, kInfinity};

// The spacing of a type's values around x.
double UlpAt(ElementType type, double x) {
  if (!IsFloat(type)) return 1;
  const FloatFormat format = FormatOf(type);
  const int least = format.has_sign ? 1 - format.bias : -format.bias;
  const int exponent = x == 0 ? least : std::max(std::ilogb(x), least);
  return std::ldexp(1.0, exponent - format.mantissa_bits);
}

// `magnitude` is that of the expected value, finite like the error.
ElementError Measure(ElementType type, double error, double magnitude) {
  // A spacing below the least double (f64 subnormals' own spacing is not) cannot occur, so the quotient is
  // sound.
  return {error, magnitude == 0 ? 0 : error / magnitude, error / UlpAt(type, magnitude)};
}

ElementError ErrorOfReal(ElementType actual_type, uint64_t actual, ElementType expected_type,
                         uint64_t expected) {
  if (IsNan(actual_type, actual) || IsNan(expected_type, expected)) {
    return IsNan(actual_type, actual) && IsNan(expected_type, expected) ? ElementError{} : kHopeless;
  }
  const Quad a = ToQuad(actual_type, actual), e = ToQuad(expected_type, expected);
  if (a == e) return {};
  // A finite truth beyond the type's range is met by the type's infinity.
  if (IsInfinity(actual_type, actual) && FromQuad(actual_type, e) == actual) return {};
  if (IsInfinity(actual_type, actual) || IsInfinity(expected_type, expected)) return kHopeless;
  return Measure(actual_type, static_cast<double>(Abs(a - e)), static_cast<double>(Abs(e)));
}

ElementError ErrorOfComplex(const Literal& actual, const Literal& expected, int64_t i) {
  const std::complex<double> a = GetAsComplex(actual, i), e = GetAsComplex(expected, i);
  const auto is_nan = [](std::complex<double> z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
  if (is_nan(a) || is_nan(e)) return is_nan(a) && is_nan(e) ? ElementError{} : kHopeless;
  if (a == e) return {};
  const ElementType part = ComponentType(actual.element_type());
  if (!std::isfinite(std::abs(a)) || !std::isfinite(std::abs(e))) {
    // Part by part: an infinite part must be met, the other is measured by itself.
    const ElementType expected_part = ComponentType(expected.element_type());
    const ElementError real =
        ErrorOfReal(part, GetPartBits(actual, i, 0), expected_part, GetPartBits(expected, i, 0));
    const ElementError imag =
        ErrorOfReal(part, GetPartBits(actual, i, 1), expected_part, GetPartBits(expected, i, 1));
    return {std::max(real.abs, imag.abs), std::max(real.rel, imag.rel), std::max(real.ulp, imag.ulp)};
  }
  return Measure(part, std::abs(a - e), std::abs(e));
}

std::vector<int64_t> Unflatten(int64_t linear, std::span<const int64_t> sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = linear % sizes[d];
    linear /= sizes[d];
  }
  return index;
}

LeafComparison CompareArrays(const Literal& actual, const Literal& expected, const CompareOptions& options) {
  LeafComparison leaf;
  leaf.elements = actual.shape().element_count();
  const bool complex = IsComplex(actual.element_type());
  double sum_squares = 0, sum_squares_ulp = 0;
  for (int64_t i = 0; i < leaf.elements; ++i) {
    const ElementError error = complex ? ErrorOfComplex(actual, expected, i)
                                       : ErrorOfReal(actual.element_type(), GetBits(actual, i),
                                                     expected.element_type(), GetBits(expected, i));
    leaf.max_abs = std::max(leaf.max_abs, error.abs);
    leaf.max_rel = std::max(leaf.max_rel, error.rel);
    leaf.max_ulp = std::max(leaf.max_ulp, error.ulp);
    sum_squares += error.abs * error.abs;
    sum_squares_ulp += error.ulp * error.ulp;
    if (error.ulp <= options.max_ulp) continue;
    if (std::isfinite(error.abs)) {
      const double magnitude =
          std::abs(complex ? std::abs(GetAsComplex(expected, i)) : GetAsDouble(expected, i));
      if (error.abs <= options.atol + options.rtol * magnitude) continue;
    }
    if (leaf.mismatches++ == 0) {
      leaf.first_index = Unflatten(i, actual.shape().dimensions());
      leaf.first_actual = ElementToString(actual, i);
      leaf.first_expected = ElementToString(expected, i);
    }
  }
  if (leaf.elements > 0) {
    leaf.rms = std::sqrt(sum_squares / static_cast<double>(leaf.elements));
    leaf.rms_ulp = std::sqrt(sum_squares_ulp / static_cast<double>(leaf.elements));
  }
  return leaf;
}

std::string NumberToString(ElementType type, uint64_t bits) {
  if (IsPred(type)) return bits != 0 ? "true" : "false";
  if (IsUnsigned(type)) return fmt::format("{}", bits);
  if (IsSigned(type)) return fmt::format("{}", ToInt(type, bits));
  return fmt::format("{:.{}g}", ToDouble(type, bits), BitWidth(type) > 32 ? 17 : 9);
}

}  // namespace

bool Comparison::Matches() const {
  return std::ranges::all_of(leaves, [](const LeafComparison& leaf) { return leaf.mismatches == 0; });
}

std::string Comparison::ToString(bool only_mismatches) const {
  std::string text;
  for (const LeafComparison& leaf : leaves) {
    if (only_mismatches && leaf.mismatches == 0) continue;
    if (!text.empty()) text += '\n';
    if (!leaf.leaf.empty()) text += fmt::format("{{{}}}: ", fmt::join(leaf.leaf, ","));
    text += leaf.mismatches == 0
                ? fmt::format("all {} elements match", leaf.elements)
                : fmt::format("{} of {} elements differ, first at [{}]: {}, expected {}", leaf.mismatches,
                              leaf.elements, fmt::join(leaf.first_index, ","), leaf.first_actual,
                              leaf.first_expected);
    text += fmt::format("; max error {:.3g} abs, {:.3g} rel, {:.4g} ulp, rms {:.3g}", leaf.max_abs,
                        leaf.max_rel, leaf.max_ulp, leaf.rms);
  }
  return text;
}

Result<Comparison> CompareLiterals(const Literal& actual, const Literal& expected,
                                   const CompareOptions& options) {
  struct Pair {
    const Literal* actual;
    const Literal* expected;
    size_t parent;  // in `pairs`
    int64_t place;  // among the parent's elements
  };
  Comparison comparison;
  std::vector<Pair> pairs = {{&actual, &expected, 0, 0}};  // all tuples and arrays seen so far
  std::vector<size_t> pending = {0};
  while (!pending.empty()) {
    const size_t current = pending.back();
    pending.pop_back();
    const Pair pair = pairs[current];
    const Shape& a = pair.actual->shape();
    const Shape& e = pair.expected->shape();
    const bool same_kind =
        a.IsArray()
            ? e.IsArray() && a.SameDimensions(e) && IsComplex(a.element_type()) == IsComplex(e.element_type())
            : a.element_type() == e.element_type() && a.tuple_size() == e.tuple_size();
    if (!same_kind) {
      return BadInput("a value of shape {} cannot be compared with one of {}", a.ToString(false),
                      e.ToString(false));
    }
    if (a.IsArray()) {
      comparison.leaves.push_back(CompareArrays(*pair.actual, *pair.expected, options));
      // The whole path is wanted only of arrays to be complained about: in deep nesting it is long.
      if (comparison.leaves.back().mismatches > 0 || pairs.size() < kMostPaths) {
        ShapeIndex& path = comparison.leaves.back().leaf;
        for (size_t i = current; i != 0; i = pairs[i].parent) path.push_back(pairs[i].place);
        std::ranges::reverse(path);
      }
    }
    const size_t first = pairs.size(), count = pair.actual->elements().size();
    for (size_t i = 0; i < count; ++i) {
      pairs.push_back(
          {&pair.actual->elements()[i], &pair.expected->elements()[i], current, static_cast<int64_t>(i)});
    }
    for (size_t i = count; i-- > 0;) pending.push_back(first + i);
  }
  return comparison;
}

std::string ElementToString(const Literal& literal, int64_t index) {
  const ElementType type = literal.element_type();
  if (!IsComplex(type)) return NumberToString(type, GetBits(literal, index));
  return fmt::format("({}, {})", NumberToString(ComponentType(type), GetPartBits(literal, index, 0)),
                     NumberToString(ComponentType(type), GetPartBits(literal, index, 1)));
}

}  // namespace subfloor
