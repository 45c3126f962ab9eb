// Operations that move elements: movers, dynamic slices, gather and scatter.

#include <algorithm>

#include "support/random_generator.h"
#include "types/random_literal.h"

namespace subfloor::testing_support {

using enum ElementType;
using hlo::Instruction;
using hlo::Opcode;

namespace {

std::vector<int64_t> SizesOf(const Shape& shape) {
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

int64_t Product(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

}  // namespace

void RandomGenerator::AddMover() {
  const RandomValue x = Any();
  const Shape& shape = x.shape();
  const int64_t rank = shape.rank();
  const std::vector<int64_t> sizes = SizesOf(shape);
  switch (random_.Below(8)) {
    case 0: {  // broadcast: new dimensions are put between the old ones
      std::vector<int64_t> result, mapping;
      int64_t room = options_.max_elements / std::max<int64_t>(shape.element_count(), 1);
      for (int64_t d = 0; d <= rank; ++d) {
        if (result.size() < 5 && random_.OneIn(2)) {
          const int64_t size = random_.Between(1, std::clamp<int64_t>(room, 1, 9));
          room /= size;
          result.push_back(size);
        }
        if (d == rank) break;
        mapping.push_back(static_cast<int64_t>(result.size()));
        result.push_back(sizes[static_cast<size_t>(d)]);
      }
      return Keep(b_.Broadcast(x.value, result, mapping), x.exact);
    }
    case 1: {  // reshape: merge, split, add and drop ones
      int64_t left = shape.element_count();
      if (left == 0) return;
      std::vector<int64_t> result;
      while (left > 1 && result.size() < 4) {
        std::vector<int64_t> divisors;
        for (int64_t n = 2; n <= left; ++n) {
          if (left % n == 0) divisors.push_back(n);
        }
        const int64_t size = random_.Pick(divisors);
        result.push_back(size);
        left /= size;
      }
      if (left > 1) result.push_back(left);
      if (random_.OneIn(3))
        result.insert(result.begin() + random_.Below(static_cast<int64_t>(result.size()) + 1), 1);
      return Keep(b_.Reshape(x.value, result), x.exact);
    }
    case 2:
      return Keep(b_.Transpose(x.value, random_.Permutation(rank)), x.exact);
    case 3: {
      hlo::SliceRanges ranges;
      for (int64_t size : sizes) {
        const int64_t start = random_.OneIn(2) ? 0 : random_.Below(size + 1);
        const int64_t limit = random_.OneIn(2) ? size : random_.Between(start, size);
        if (start == limit && !options_.empty_arrays) {
          ranges.push_back({0, size, 1});
        } else {
          ranges.push_back({start, limit, random_.Pick<int64_t>({1, 1, 1, 2, 3})});
        }
      }
      return Keep(b_.Slice(x.value, ranges), x.exact);
    }
    case 4: {
      hlo::Padding padding;
      for (int64_t size : sizes) {
        hlo::PaddingDimension p;
        if (random_.OneIn(2)) p.low = random_.Between(-1, 2);
        if (random_.OneIn(2)) p.high = random_.Between(-1, 2);
        if (random_.OneIn(5)) p.interior = random_.Between(0, 2);
        if (size + p.low + p.high + std::max<int64_t>(size - 1, 0) * p.interior <= 0) p = {};
        padding.push_back(p);
      }
      const RandomValue value = Of(x.type(), {});
      return Keep(b_.Pad(x.value, value.value, padding), x.exact && value.exact);
    }
    case 5: {
      if (rank == 0) return;
      std::vector<int64_t> dims;
      for (int64_t d = 0; d < rank; ++d) {
        if (random_.OneIn(2)) dims.push_back(d);
      }
      return Keep(b_.Reverse(x.value, dims), x.exact);
    }
    case 6: {
      if (rank == 0) return;
      const int64_t along = random_.Below(rank);
      std::vector<Instruction*> parts = {x.value};
      bool exact = x.exact;
      for (int64_t i = random_.Between(1, 3); i > 0; --i) {
        std::vector<int64_t> other = sizes;
        if (random_.OneIn(2)) other[static_cast<size_t>(along)] = random_.Between(1, 5);
        const RandomValue y = Of(x.type(), other);
        parts.push_back(y.value);
        exact = exact && y.exact;
      }
      return Keep(b_.Concatenate(parts, along), exact);
    }
    default: {
      const Shape wanted =
          Shape::ArrayOf(IsPred(x.type()) || x.type() == kF8E8M0FNU ? kS32 : x.type(), Sizes(1));
      return Keep(b_.Iota(wanted, random_.Below(wanted.rank())), true);
    }
  }
}

Instruction* RandomGenerator::Index(ElementType type, int64_t size) {
  if (random_.OneIn(3)) return Of(type, {}, /*exact=*/true).value;
  const int64_t value = random_.OneIn(4) ? random_.Pick<int64_t>({-1, size, size + 100, -100})
                                         : random_.Below(std::max<int64_t>(size, 1));
  return b_.ScalarInt(type, value);
}

void RandomGenerator::AddDynamicSlice() {
  const RandomValue x = Any();
  const std::vector<int64_t> sizes = SizesOf(x.shape());
  if (sizes.empty()) return;
  const ElementType index_type = random_.Pick({kS32, kS32, kS64, kU32, kU8});
  std::vector<Instruction*> starts;
  std::vector<int64_t> window;
  for (int64_t size : sizes) {
    starts.push_back(Index(index_type, size));
    window.push_back(size == 0 ? 0 : random_.Between(1, size));
  }
  if (random_.OneIn(2)) return Keep(b_.DynamicSlice(x.value, starts, window), x.exact);
  const RandomValue update = Of(x.type(), window);
  Keep(b_.DynamicUpdateSlice(x.value, update.value, starts), x.exact && update.exact);
}

RandomValue RandomGenerator::Indices(const std::vector<int64_t>& sizes) {
  if (random_.OneIn(2)) return Of(random_.Pick({kS32, kS64, kU32}), sizes, /*exact=*/true);
  const ElementType type = random_.Pick({kS32, kS32, kS64, kU8});
  const Literal literal =
      *RandomLiteral(Shape::ArrayOf(type, sizes), random_.Next(), {.int_min = -1, .int_max = 9});
  return {b_.Constant(literal), true};
}

void RandomGenerator::AddGather() {
  const RandomValue x =
      Any([](const RandomValue& v) { return v.shape().rank() > 0 && v.shape().element_count() > 0; }, Type());
  const std::vector<int64_t> sizes = SizesOf(x.shape());
  const int64_t rank = x.shape().rank();
  if (rank == 0 || x.shape().element_count() == 0) return;
  hlo::GatherAttributes attributes;
  // Which operand dimensions the index vectors name, in any order.
  const std::vector<int64_t> order = random_.Permutation(rank);
  attributes.start_index_map.assign(order.begin(),
                                    order.begin() + random_.Between(1, std::min<int64_t>(rank, 2)));
  std::vector<int64_t> windows;
  for (int64_t d = 0; d < rank; ++d) {
    const bool named = std::ranges::find(attributes.start_index_map, d) != attributes.start_index_map.end();
    const int64_t size = sizes[static_cast<size_t>(d)];
    attributes.slice_sizes.push_back(named ? random_.Between(1, std::min<int64_t>(size, 3))
                                           : (random_.OneIn(3) ? random_.Between(1, size) : size));
    if (attributes.slice_sizes.back() == 1 && random_.OneIn(2)) {
      attributes.collapsed_slice_dims.push_back(d);
    } else {
      windows.push_back(d);
    }
  }
  // Index array: one or two dimensions of positions and, maybe implicitly, that of the vectors.
  std::vector<int64_t> index_sizes = {random_.Between(1, 7)};
  if (random_.OneIn(3)) index_sizes.push_back(random_.Between(1, 3));
  const auto positions = static_cast<int64_t>(index_sizes.size());
  const auto components = static_cast<int64_t>(attributes.start_index_map.size());
  if (components == 1 && random_.OneIn(2)) {
    attributes.index_vector_dim = positions;
  } else {
    attributes.index_vector_dim = random_.Below(positions + 1);
    index_sizes.insert(index_sizes.begin() + attributes.index_vector_dim, components);
  }
  // Result dimensions: a random choice of places for the window's.
  std::vector<int64_t> places = random_.Permutation(positions + static_cast<int64_t>(windows.size()));
  places.resize(windows.size());
  std::ranges::sort(places);
  attributes.offset_dims = places;
  int64_t count = Product(index_sizes) / components;
  for (int64_t d : windows) count *= attributes.slice_sizes[static_cast<size_t>(d)];
  if (count > options_.max_elements) return;
  Keep(b_.Gather(x.value, Indices(index_sizes).value, attributes), x.exact);
}

void RandomGenerator::AddScatter() {
  const RandomValue x =
      Any([](const RandomValue& v) { return v.shape().rank() > 0 && v.shape().element_count() > 0; }, kF32);
  const std::vector<int64_t> sizes = SizesOf(x.shape());
  const int64_t rank = x.shape().rank();
  if (rank == 0 || x.shape().element_count() == 0) return;
  hlo::ScatterAttributes attributes;
  const std::vector<int64_t> order = random_.Permutation(rank);
  attributes.scatter_dims_to_operand_dims.assign(
      order.begin(), order.begin() + random_.Between(1, std::min<int64_t>(rank, 2)));
  std::vector<int64_t> window_sizes;
  for (int64_t d = 0; d < rank; ++d) {
    const bool named = std::ranges::find(attributes.scatter_dims_to_operand_dims, d) !=
                       attributes.scatter_dims_to_operand_dims.end();
    const int64_t size = sizes[static_cast<size_t>(d)];
    const int64_t window = named ? random_.Between(1, std::min<int64_t>(size, 3))
                                 : (random_.OneIn(3) ? random_.Between(1, size) : size);
    if (window == 1 && random_.OneIn(2)) {
      attributes.inserted_window_dims.push_back(d);
    } else {
      window_sizes.push_back(window);
    }
  }
  const auto components = static_cast<int64_t>(attributes.scatter_dims_to_operand_dims.size());
  const int64_t positions = random_.Between(1, 7);
  std::vector<int64_t> index_sizes = {positions};
  attributes.index_vector_dim = 1;
  if (components > 1 || random_.OneIn(2)) index_sizes.push_back(components);
  // The update's dimensions: that of the positions first, last or in the middle of the window's.
  const auto place = random_.Below(static_cast<int64_t>(window_sizes.size()) + 1);
  std::vector<int64_t> update_sizes = window_sizes;
  update_sizes.insert(update_sizes.begin() + place, positions);
  for (int64_t d = 0; d < static_cast<int64_t>(update_sizes.size()); ++d) {
    if (d != place) attributes.update_window_dims.push_back(d);
  }
  if (Product(update_sizes) > options_.max_elements) return;
  const RandomValue updates = Of(x.type(), update_sizes);
  const Combination combiner = Combiner(x.type());
  const RandomValue indices = Indices(index_sizes);
  const int64_t terms = Product(update_sizes) + 1;
  Keep(b_.Scatter(Combinable(combiner, x.value, terms), indices.value,
                  Combinable(combiner, updates.value, terms), attributes, combiner.computation),
       combiner.exact && x.exact && updates.exact);
}

}  // namespace subfloor::testing_support
