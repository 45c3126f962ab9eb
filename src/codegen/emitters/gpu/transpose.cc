#include <algorithm>

#include "codegen/emitters/gpu/gpu_kernel.h"

/// Transposes in tiles: each tile is read along memory into shared memory, and written along memory from
/// there.
namespace subfloor::codegen::emitters {
namespace {

using indexing::Bound;

class TiledTranspose {
 public:
  TiledTranspose(GpuKernel& kernel, const dispatch::TiledTransposePlan& plan)
      : kernel_(kernel), plan_(plan), e_(kernel.emission), c_(kernel.emission.exprs()) {}

  Status Run() {
    for (size_t i = 0; i < kernel_.outputs.size(); ++i)
      (plan_.is_transposed[i] ? transposed_ : beside_).push_back(i);
    return kernel_.InLogicalBlock([&](Expr block) -> Status {
      tile_ = c_.Delinearize(block, plan_.block_counts);
      thread_ = kernel_.Thread(sf::Dimension::x);
      for (const hlo::Instruction* hero : plan_.heroes)
        shared_.push_back(kernel_.Shared(hero->shape().element_type(), plan_.shared_sizes));
      SF_CHECK(Read());
      kernel_.Barrier();
      return Write();
    });
  }

 private:
  // Goes over the tile in the order of these dimensions (of the input), the last one in vectors:
  // body(coordinates of the input, offsets in the tile), both by input dimension.
  Status ForTile(const std::vector<int64_t>& order,
                 const std::function<Status(const Index& coordinates, const Index& offsets)>& body) {
    const std::vector<int64_t> sizes = plan_.shape.input();
    const size_t minor = order.size() - 1;
    std::vector<int64_t> units;  // of the tile, in the order
    int64_t count = 1;
    for (size_t i = 0; i < order.size(); ++i) {
      units.push_back(plan_.block_sizes[static_cast<size_t>(order[i])] / (i == minor ? plan_.vector : 1));
      count *= units.back();
    }
    const int64_t threads = kernel_.launch.block[0];
    SF_CHECK(
        e_.Loop(0, dispatch::CeilDiv(count, threads), {}, [&](Expr i, mlir::ValueRange) -> Result<Values> {
          Expr number = c_.Add(c_.Mul(i, threads), thread_);
          SF_CHECK(kernel_.Where(number, 0, count - 1, [&]() -> Status {
            const Index at = c_.Delinearize(kernel_.Within(number, count), units);
            Index first(order.size(), nullptr);
            std::vector<Bound> bounds;
            for (size_t k = 0; k < order.size(); ++k) {
              const auto d = static_cast<size_t>(order[k]);
              const int64_t vector = k == minor ? plan_.vector : 1;
              first[k] = c_.Add(c_.Mul(tile_[d], units[k]), at[k]);
              bounds.push_back({first[k], 0, sizes[d] / vector - 1});
            }
            return kernel_.Where(bounds, [&]() -> Status {
              Index coordinates(order.size(), nullptr), offsets(order.size(), nullptr);
              Expr lane = plan_.vector > 1 ? e_.NewLane(plan_.vector) : c_.Constant(0);
              for (size_t k = 0; k < order.size(); ++k) {
                const auto d = static_cast<size_t>(order[k]);
                const int64_t vector = k == minor ? plan_.vector : 1;
                coordinates[d] = c_.Mul(kernel_.Within(first[k], sizes[d] / vector), vector);
                offsets[d] = c_.Mul(at[k], vector);
                if (k == minor) {
                  coordinates[d] = c_.Add(coordinates[d], lane);
                  offsets[d] = c_.Add(offsets[d], lane);
                }
              }
              return body(coordinates, offsets);
            });
          }));
          return Values{};
        }));
    return {};
  }

  Status Read() {
    std::vector<int64_t> order(plan_.block_sizes.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
    return ForTile(order, [&](const Index& coordinates, const Index& offsets) -> Status {
      Expr linear = c_.Linearize(coordinates, plan_.shape.input());
      Expr place = c_.Linearize(offsets, plan_.shared_sizes);
      for (size_t h = 0; h < plan_.heroes.size(); ++h) {
        const hlo::Instruction& operand = *plan_.heroes[h]->operand(0);
        Element value =
            SF_TRY(e_.Value(kernel_.frame, operand, c_.Delinearize(linear, operand.shape().dimensions())));
        e_.Store(value, shared_[h], place);
      }
      return beside_.empty() ? Status() : kernel_.ComputeAndStore(beside_, linear);
    });
  }

  Status Write() {
    return ForTile(plan_.shape.permutation, [&](const Index& coordinates, const Index& offsets) -> Status {
      Expr place = c_.Linearize(offsets, plan_.shared_sizes);
      for (size_t h = 0; h < plan_.heroes.size(); ++h)
        e_.Give(kernel_.frame, *plan_.heroes[h], {e_.Load(shared_[h], place)});
      Index output;
      for (int64_t d : plan_.shape.permutation) output.push_back(coordinates[static_cast<size_t>(d)]);
      return kernel_.ComputeAndStore(transposed_, c_.Linearize(output, plan_.shape.output));
    });
  }

  GpuKernel& kernel_;
  const dispatch::TiledTransposePlan& plan_;
  Emission& e_;
  indexing::Context& c_;
  std::vector<size_t> transposed_, beside_;  // outputs
  std::vector<mlir::Value> shared_;          // one a hero
  Index tile_;                               // by input dimension
  Expr thread_ = nullptr;
};

}  // namespace

Status EmitGpuTiledTranspose(GpuKernel& kernel, const dispatch::TiledTransposePlan& plan) {
  return TiledTranspose(kernel, plan).Run();
}

}  // namespace subfloor::codegen::emitters
