#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/builder.h"
#include "support/random_module.h"
#include "support/random_source.h"

namespace subfloor::testing_support {

/// An array at hand, and whether every back end computes it bit for bit.
struct RandomValue {
  hlo::Instruction* value = nullptr;
  bool exact = true;
  const Shape& shape() const { return value->shape(); }
  ElementType type() const { return value->shape().element_type(); }
};

/// Fills one computation with random operations. Each Add... function makes one operation of its family from
/// values at hand, or none if the dice fall badly.
class RandomGenerator {
 public:
  /// `parameters` is the number of the next parameter, or nullopt where no more may be added (called
  /// computations).
  RandomGenerator(hlo::Computation* computation, RandomSource& random, const RandomModuleOptions& options,
                  int depth, std::optional<int64_t> next_parameter)
      : b_(computation), random_(random), options_(options), depth_(depth), next_parameter_(next_parameter) {}

  void AddOperations(int count);
  void Keep(hlo::Instruction* value, bool exact);
  std::vector<RandomValue>& pool() { return pool_; }
  hlo::Builder& builder() { return b_; }

  /// Any value, one that `wanted` likes, or a new one.
  RandomValue Any();
  RandomValue Any(const std::function<bool(const RandomValue&)>& wanted, ElementType type_if_new);
  /// A value of this type and these sizes: one at hand, a converted one, a parameter or a constant.
  RandomValue Of(ElementType type, const std::vector<int64_t>& sizes, bool exact = false);
  std::vector<int64_t> Sizes(int64_t least_rank = 0, int64_t most_rank = 4);
  ElementType Type();
  bool Allowed(ElementType type) const;
  bool Has(Family family) const { return (options_.families & family) != 0; }

 private:
  // random_elementwise.cc
  void AddElementwise();
  void AddTranscendental();
  void AddConversion();
  // random_movers.cc
  void AddMover();
  void AddDynamicSlice();
  void AddGather();
  void AddScatter();
  // random_reductions.cc
  void AddReduction();
  void AddWindow();
  void AddSort();
  void AddDot();
  void AddConvolution();
  void AddRandomBits();
  // random_control.cc
  void AddControl();
  void AddWhile();
  void AddConditional();
  void AddCall();
  // random_special.cc
  void AddLinearAlgebra();
  void AddFft();
  void AddBatchNorm();
  void AddScan();
  void AddRaggedDot();
  void AddWrapped();
  void AddMap();
  void AddFusion();
  void AddTuples();
  void AddInPlaceLoop();

  /// (accumulator, value) -> accumulator. `exact` is false where the order of a recognised floating sum is
  /// free.
  struct Combination {
    enum class Kind : uint8_t { kSum, kProduct, kOther };
    hlo::Computation* computation = nullptr;
    Kind kind = Kind::kOther;
    bool exact = true;
  };
  Combination Combiner(ElementType type);

  // random_bounds.cc
  /// An upper bound of what the elements' magnitudes can be, or infinity.
  double Magnitude(const hlo::Instruction* x, int depth = 0) const;
  /// x, bounded if need be, as an operand of a sum or product whose order is free.
  hlo::Instruction* Summable(hlo::Instruction* x, int64_t terms, int factors);
  hlo::Instruction* Multipliable(hlo::Instruction* x, int64_t terms);
  hlo::Instruction* Combinable(const Combination& combination, hlo::Instruction* x, int64_t terms);

  hlo::Computation* NewComputation(std::string_view name) { return b_.module()->AddComputation(name); }
  hlo::Instruction* Bounded(hlo::Instruction* x, double low, double high);
  /// Both parts within [-most, most]; with `right_half` the real part at least 0.5 instead.
  hlo::Instruction* BoundedComplex(hlo::Instruction* x, double most, bool right_half = false);
  hlo::Instruction* AwayFromZero(hlo::Instruction* x, double least);
  /// A scalar index into a dimension of this size: mostly inside, sometimes not.
  hlo::Instruction* Index(ElementType type, int64_t size);
  RandomValue Indices(const std::vector<int64_t>& sizes);

  hlo::Builder b_;
  RandomSource& random_;
  const RandomModuleOptions& options_;
  int depth_;
  std::optional<int64_t> next_parameter_;
  std::vector<RandomValue> pool_;
};

}  // namespace subfloor::testing_support
