#include "support/random_module.h"

#include <algorithm>

#include "support/random_generator.h"
#include "types/random_literal.h"

namespace subfloor::testing_support {
namespace {

using enum ElementType;
using hlo::Instruction;

const std::vector<ElementType> kCommonTypes = {kF32,  kF32,  kF32,      kF32,    kBF16, kF16, kF64, kS32,
                                               kS32,  kS8,   kU8,       kS64,    kU32,  kU64, kS16, kU16,
                                               kPred, kPred, kF8E4M3FN, kF8E5M2, kS4,   kU4};

const std::vector<ElementType> kRareTypes = {
    kS1,         kU1,         kS2,        kU2,       kF8E4M3,   kF8E3M4,  kF8E4M3B11FNUZ,
    kF8E4M3FNUZ, kF8E5M2FNUZ, kF8E8M0FNU, kF4E2M1FN, kF6E2M3FN, kF6E3M2FN};

Layout RandomLayout(RandomSource& random, int64_t rank) {
  return Layout{.minor_to_major = random.Permutation(rank), .element_bits = 0, .extras = nullptr};
}

// Each array parameter to the first result of its size that has none, every third one as a donor without a
// result.
void DonateParameters(hlo::Module& module) {
  const Shape& result = module.entry()->root()->shape();
  std::vector<bool> taken(static_cast<size_t>(result.tuple_size()), false);
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (!parameter->shape().IsArray()) continue;
    const int64_t number = parameter->parameter_number();
    if (number % 3 == 2) {
      module.header().buffer_donor.push_back({number, {}});
      continue;
    }
    for (int64_t i = 0; i < result.tuple_size(); ++i) {
      if (taken[static_cast<size_t>(i)] ||
          result.tuple_shape(i).byte_size() != parameter->shape().byte_size())
        continue;
      taken[static_cast<size_t>(i)] = true;
      module.header().input_output_alias.push_back({{i}, number, {}, false});
      break;
    }
  }
}

}  // namespace

void RandomGenerator::Keep(Instruction* value, bool exact) {
  if (b_.ok() && value->shape().IsArray() && value->shape().element_count() <= options_.max_elements) {
    pool_.push_back({value, exact});
  }
}

ElementType RandomGenerator::Type() {
  if (Has(kComplexNumbers) && random_.OneIn(12)) return random_.Pick({kC64, kC64, kC128});
  if (!options_.types.empty()) return random_.Pick(options_.types);
  return random_.Pick(random_.OneIn(12) ? kRareTypes : kCommonTypes);
}

bool RandomGenerator::Allowed(ElementType type) const {
  return options_.types.empty() || std::ranges::find(options_.types, type) != options_.types.end();
}

std::vector<int64_t> RandomGenerator::Sizes(int64_t least_rank, int64_t most_rank) {
  // Bodies that work on scalars have no other values than these.
  const int64_t rank = options_.max_elements == 1 ? least_rank : random_.Between(least_rank, most_rank);
  std::vector<int64_t> sizes;
  int64_t left = options_.max_elements;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = random_.Pick<int64_t>({1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 33, 64, 129});
    while (size > left) size = (size + 1) / 2;
    sizes.push_back(size);
    left = std::max<int64_t>(left / size, 1);
  }
  if (options_.empty_arrays && rank > 0 && random_.OneIn(40))
    sizes[static_cast<size_t>(random_.Below(rank))] = 0;
  return sizes;
}

RandomValue RandomGenerator::Any(const std::function<bool(const RandomValue&)>& wanted,
                                 ElementType type_if_new) {
  // Recent values are taken more often, so that chains grow.
  for (int attempt = 0; attempt < 12 && !pool_.empty(); ++attempt) {
    const auto size = static_cast<int64_t>(pool_.size());
    const int64_t back = random_.OneIn(2) ? random_.Below(std::min<int64_t>(size, 3)) : random_.Below(size);
    const RandomValue& value = pool_[static_cast<size_t>(size - 1 - back)];
    if (wanted(value)) return value;
  }
  return Of(type_if_new, Sizes(), /*exact=*/true);
}

RandomValue RandomGenerator::Any() {
  return Any([](const RandomValue&) { return true; }, Type());
}

RandomValue RandomGenerator::Of(ElementType type, const std::vector<int64_t>& sizes, bool exact) {
  std::vector<RandomValue> same;
  for (const RandomValue& value : pool_) {
    if ((value.exact || !exact) && value.type() == type &&
        std::ranges::equal(value.shape().dimensions(), sizes)) {
      same.push_back(value);
    }
  }
  if (!same.empty() && !random_.OneIn(4)) return random_.Pick(same);
  const Shape shape = Shape::ArrayOf(type, sizes);
  RandomValue made;
  if (next_parameter_ && random_.OneIn(2)) {
    made.value = b_.Parameter((*next_parameter_)++, shape.WithDefaultLayout());
  } else if (IsPred(type) || type == kF8E8M0FNU || sizes.empty() || random_.OneIn(2)) {
    const Literal literal = *RandomLiteral(
        sizes.empty() || shape.element_count() <= 64 ? shape : Shape::Scalar(type), random_.Next());
    made.value = b_.Constant(literal);
    if (!made.value->shape().SameDimensions(shape)) made.value = b_.Broadcast(made.value, sizes, {});
  } else {
    made.value = b_.Iota(shape, random_.Below(shape.rank()));
  }
  Keep(made.value, true);
  return made;
}

void RandomGenerator::AddOperations(int count) {
  using Adder = void (RandomGenerator::*)();
  struct Entry {
    Family family;
    int weight;
    Adder add;
  };
  const Entry entries[] = {{kElementwiseOps, 10, &RandomGenerator::AddElementwise},
                           {kTranscendental, 3, &RandomGenerator::AddTranscendental},
                           {kConversions, 3, &RandomGenerator::AddConversion},
                           {kMovers, 6, &RandomGenerator::AddMover},
                           {kDynamicSlices, 1, &RandomGenerator::AddDynamicSlice},
                           {kReductions, 3, &RandomGenerator::AddReduction},
                           {kWindows, 1, &RandomGenerator::AddWindow},
                           {kDots, 2, &RandomGenerator::AddDot},
                           {kConvolutions, 1, &RandomGenerator::AddConvolution},
                           {kGathers, 1, &RandomGenerator::AddGather},
                           {kScatters, 1, &RandomGenerator::AddScatter},
                           {kSorts, 1, &RandomGenerator::AddSort},
                           {kControl, 1, &RandomGenerator::AddControl},
                           {kRandomBits, 1, &RandomGenerator::AddRandomBits},
                           {kLinearAlgebra, 1, &RandomGenerator::AddLinearAlgebra},
                           {kLinearAlgebra, 1, &RandomGenerator::AddFft},
                           {kNormalisation, 1, &RandomGenerator::AddBatchNorm},
                           {kScans, 1, &RandomGenerator::AddScan},
                           {kDots, 1, &RandomGenerator::AddRaggedDot},
                           {kWrappers, 2, &RandomGenerator::AddWrapped}};
  std::vector<Adder> adders;
  for (const Entry& entry : entries) {
    if (Has(entry.family)) adders.insert(adders.end(), static_cast<size_t>(entry.weight), entry.add);
  }
  if (adders.empty()) return;
  for (int i = 0; i < count && b_.ok(); ++i) (this->*random_.Pick(adders))();
}

RandomProgram RandomModule(uint64_t seed, const RandomModuleOptions& options) {
  RandomSource random(seed);
  RandomProgram program;
  program.module = std::make_unique<hlo::Module>("random_" + std::to_string(seed));
  hlo::Computation* entry = program.module->AddComputation("main");
  program.module->set_entry(entry);
  RandomGenerator generator(entry, random, options, /*depth=*/0, /*next_parameter=*/0);
  hlo::Builder& b = generator.builder();
  generator.Of(options.types.empty() ? kF32 : options.types[0], generator.Sizes(1, 3));
  generator.AddOperations(options.operations);

  // The result: what nothing uses, the latest first, and always something.
  std::vector<RandomValue> results;
  for (size_t i = generator.pool().size(); i-- > 0 && results.size() < 6;) {
    const RandomValue& value = generator.pool()[i];
    if (value.value->use_count() == 0 && value.value->opcode() != hlo::Opcode::kParameter)
      results.push_back(value);
  }
  if (results.empty()) results.push_back(generator.pool().back());
  std::vector<Instruction*> elements;
  for (const RandomValue& value : results) {
    Instruction* element = value.value;
    if (options.layouts && random.OneIn(2) && element->shape().rank() > 1) {
      Shape shape = element->shape();
      shape.set_layout(RandomLayout(random, shape.rank()));
      element = b.MakeAs(shape, hlo::Opcode::kCopy, {element});
    }
    elements.push_back(element);
    program.exact.push_back(value.exact);
  }
  if (options.layouts) {
    for (Instruction* parameter : entry->parameters()) {
      if (random.OneIn(2) && parameter->shape().IsArray())
        parameter->mutable_shape().set_layout(RandomLayout(random, parameter->shape().rank()));
    }
  }
  entry->set_root(b.Tuple(elements));
  if (options.donations) DonateParameters(*program.module);
  program.module->RemoveUnusedComputations();
  return program;
}

std::vector<Literal> RandomArguments(const hlo::Module& module, uint64_t seed, bool edge) {
  std::vector<Literal> arguments;
  RandomSource random(seed);
  for (const Instruction* parameter : module.entry()->parameters()) {
    arguments.push_back(
        *RandomLiteral(parameter->shape(), random.Next(), {.int_min = 0, .int_max = 3, .edge = edge}));
  }
  return arguments;
}

}  // namespace subfloor::testing_support
