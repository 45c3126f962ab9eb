#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hlo/module.h"
#include "types/literal.h"

/// Random programs for differential tests: the same seed gives the same program on every machine.
namespace subfloor::testing_support {

/// Kinds of operations, as bits to be combined.
enum Family : uint32_t {
  kElementwiseOps = 1 << 0,  ///< arithmetic, logic, compare, select, clamp, integer bit ops, rounding
  kTranscendental = 1 << 1,
  kConversions = 1 << 2,  ///< convert, bitcast-convert, reduce-precision
  kMovers = 1 << 3,       ///< broadcast, reshape, transpose, slice, pad, reverse, concatenate, iota
  kDynamicSlices = 1 << 4,
  kReductions = 1 << 5,  ///< one and two inputs, recognised and other reducers
  kWindows = 1 << 6,     ///< reduce-window, select-and-scatter
  kDots = 1 << 7,        ///< dot, ragged-dot
  kConvolutions = 1 << 8,
  kGathers = 1 << 9,
  kScatters = 1 << 10,
  kSorts = 1 << 11,           ///< sort, topk
  kControl = 1 << 12,         ///< while, conditional, call, tuples in between
  kRandomBits = 1 << 13,      ///< rng-bit-generator
  kComplexNumbers = 1 << 14,  ///< complex types take part
  kLinearAlgebra = 1 << 15,   ///< cholesky, triangular-solve, fft
  kNormalisation = 1 << 16,   ///< batch-norm, training, inference and gradient
  kScans = 1 << 17,
  kWrappers = 1 << 18,  ///< map, fusion, barriers, tuples of tuples, loops that update in place
  kAllFamilies = (1 << 19) - 1,
};

struct RandomModuleOptions {
  uint32_t families = kAllFamilies;
  /// Element types that values have; empty means all, common ones more often. Complex ones come with
  /// kComplexNumbers.
  std::vector<ElementType> types;
  /// How many operations the entry computation gets, helpers not counted.
  int operations = 20;
  int64_t max_elements = 1500;
  /// Parameters and results in random layouts instead of row-major ones.
  bool layouts = false;
  /// Results that may take over a parameter of their size.
  bool donations = false;
  /// Arrays with a dimension of size 0 among them.
  bool empty_arrays = false;
  /// Keeps operands where ops behave: no division by nearly 0, no logarithm of a negative, no growth without
  /// bound; and discontinuous ops (floor, compare, float to integer, sort keys) see only values that every
  /// correct back end computes bit for bit. Without it anything may happen, NaN and infinity included, and
  /// results of two back ends are compared with an eye on that.
  bool tame = true;
};

/// A program whose result is a tuple of arrays, and what may be asked of it.
struct RandomProgram {
  std::unique_ptr<hlo::Module> module;
  /// For each element of the result: true if it follows from exact operations only (integers, moves,
  /// correctly rounded arithmetic, conversions), so that every back end must give the same bits, NaN payloads
  /// aside. Other elements carry rounding errors of transcendental functions or of sums in a free order.
  std::vector<bool> exact;
};

/// A program that the verifier accepts and the evaluator runs. Never fails: a combination that does not work
/// out is skipped.
RandomProgram RandomModule(uint64_t seed, const RandomModuleOptions& options = {});

/// Arguments for its entry computation. With `edge`: NaN, infinities, subnormals and the ends of every type
/// among them.
std::vector<Literal> RandomArguments(const hlo::Module& module, uint64_t seed, bool edge = false);

}  // namespace subfloor::testing_support
