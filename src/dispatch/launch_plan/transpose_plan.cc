#include "dispatch/launch_plan/transpose_plan.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace subfloor::dispatch {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Instruction;

constexpr int64_t kTile = 32;
constexpr int64_t kWarps = 4;

int64_t Product(std::span<const int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, SaturatingProduct);
}

std::vector<int64_t> Tiles(std::span<const int64_t> sizes, std::span<const int64_t> tile) {
  std::vector<int64_t> counts;
  for (size_t i = 0; i < sizes.size(); ++i) counts.push_back(CeilDiv(sizes[i], tile[i]));
  return counts;
}

// What both forms share: which roots are transposed, and the transposes, each once.
template <typename Plan>
void SetHeroes(Plan& plan, std::span<const Instruction* const> heroes) {
  for (const Instruction* hero : heroes) {
    plan.is_transposed.push_back(TiledTranspose(*hero).has_value());
    if (plan.is_transposed.back() && std::ranges::find(plan.heroes, hero) == plan.heroes.end()) {
      plan.heroes.push_back(hero);
    }
  }
}

// The packed form keeps 4-bit elements together; the tiled one gives each a byte, which threads can write
// alone.
int64_t SharedBytes(std::span<const int64_t> sizes, std::span<const Instruction* const> heroes, bool packed) {
  int64_t bytes = 0;
  for (const Instruction* hero : heroes) {
    const ElementType type = hero->shape().element_type();
    bytes += CeilDiv(SaturatingProduct(Product(sizes), packed ? BitWidth(type) : 8 * ByteWidth(type)), 8);
  }
  return bytes;
}

void SetTile(TiledTransposePlan& plan, int64_t vector) {
  const std::vector<int64_t> input = plan.shape.input();
  const size_t last = input.size() - 1;
  plan.vector = vector;
  plan.block_sizes.assign(input.size(), 1);
  if (plan.shape.minor_moves()) {
    const int64_t side = kTile * vector;
    plan.block_sizes[last] = side;
    plan.block_sizes[static_cast<size_t>(plan.shape.permutation[last])] = side;
  } else {
    plan.block_sizes[last] = vector;
    plan.block_sizes[last - 1] = kTile;
    plan.block_sizes[static_cast<size_t>(plan.shape.permutation[last - 1])] = kTile;
  }
  plan.block_counts = Tiles(input, plan.block_sizes);
  // One column more than the tile has, so that neighbouring rows begin in neighbouring banks.
  plan.shared_sizes = plan.block_sizes;
  plan.shared_sizes[plan.shape.minor_moves() ? last : last - 1] += 1;
}

TiledTransposePlan Tiled(std::span<const Instruction* const> heroes, const TransposeShape& shape,
                         const device::DeviceDescription& device) {
  TiledTransposePlan plan;
  plan.shape = shape;
  plan.rows = kWarps * device.threads_per_warp / kTile;
  SetHeroes(plan, heroes);
  if (!shape.minor_moves()) {
    SetTile(plan, shape.output.back());
    return plan;
  }
  SetTile(plan, 1);
  // Vectors where they load no more than a thread's share of a bank, which is wider on AMD, divide both
  // dimensions, and leave enough tiles to occupy the device.
  const int64_t bytes = device.vendor() == device::Vendor::kAmd ? 16 : 4;
  int64_t widest = 1;
  for (const Instruction* hero : plan.heroes) {
    widest = std::max<int64_t>(widest, ByteWidth(hero->shape().element_type()));
  }
  const std::vector<int64_t> input = shape.input();
  const int64_t old_minor = input.back(), new_minor = shape.output.back();
  const int64_t threads = SaturatingProduct(Product(plan.block_counts), kWarps * device.threads_per_warp);
  const int64_t shared = SharedBytes(plan.shared_sizes, plan.heroes, /*packed=*/false);
  for (int64_t vector = bytes / widest; vector > 1; vector /= 2) {
    const bool enough_work = threads / (vector * vector) >= device.core_count * device.threads_per_core_limit;
    const bool enough_shared = shared <= device.shared_per_block_bytes / (vector * vector);
    if (enough_work && enough_shared && old_minor % vector == 0 && new_minor % vector == 0) {
      SetTile(plan, vector);
      break;
    }
  }
  return plan;
}

PackedTransposePlan Packed(std::span<const Instruction* const> heroes, const TransposeShape& shape,
                           const PackedTransposeShape& packed, const device::DeviceDescription& device) {
  PackedTransposePlan plan;
  plan.shape = shape;
  plan.packed = packed;
  plan.vector = packed.vector;
  plan.groups = kWarps * device.threads_per_warp / kTile;
  plan.output_tile.assign(packed.output.size(), 1);
  plan.output_tile[static_cast<size_t>(packed.t1_output)] = packed.tile_t1;
  plan.output_tile[static_cast<size_t>(packed.t2_output)] = packed.tile_t2;
  plan.output_tile[static_cast<size_t>(packed.a)] = packed.tile_a;
  plan.block_counts = Tiles(packed.output, plan.output_tile);
  SetHeroes(plan, heroes);
  return plan;
}

// Puts the launch in, if it fits.
template <typename Plan>
bool SetLaunch(Plan& plan, std::span<const int64_t> shared_sizes, const device::DeviceDescription& device,
               const Asker& ask) {
  const int64_t blocks = Product(plan.block_counts), threads = kWarps * device.threads_per_warp;
  std::optional<Launch> launch = LaunchOf(blocks, threads, device);
  if (launch)
    launch->shared_bytes = SharedBytes(shared_sizes, plan.heroes, std::is_same_v<Plan, PackedTransposePlan>);
  if (!Fits(launch, blocks, threads, device, ask)) return false;
  plan.launch = *launch;
  return true;
}

void AskPacked(const TransposeShape& shape, const std::optional<PackedTransposeShape>& packed,
               const Asker& ask) {
  if (packed) {
    ask(Question::kGpuPacked, true, Fact::kPacksBanks, packed->tile_t2, packed->tile_a * packed->tile_t1);
  } else if (shape.element_bits >= 32) {
    ask(Question::kGpuPacked, false, Fact::kWideElements, shape.element_bits, 32);
  } else if (!shape.minor_moves()) {
    ask(Question::kGpuPacked, false, Fact::kMinorStays, shape.output.back());
  } else {
    const std::vector<int64_t> input = shape.input();
    const int64_t bank = 32 / shape.element_bits, small = std::min(input.back(), shape.output.back());
    if (small < 10 * bank) {
      ask(Question::kGpuPacked, false, Fact::kTileTooEmpty, small, 10 * bank);
    } else {
      ask(Question::kGpuPacked, false, Fact::kTileUnaligned, bank);
    }
  }
}

}  // namespace

std::variant<std::monostate, TiledTransposePlan, PackedTransposePlan> PlanTranspose(
    const FusionView& fusion, std::span<const Instruction* const> heroes, const TransposeShape& shape,
    const device::DeviceDescription& device, const Asker& ask) {
  const std::optional<PackedTransposeShape> packed = PackTranspose(shape);
  AskPacked(shape, packed, ask);
  if (packed) {
    PackedTransposePlan plan = Packed(heroes, shape, *packed, device);
    const std::vector<int64_t> shared = {kTile * plan.vector, kTile * plan.vector};
    if (SetLaunch(plan, shared, device, ask)) return plan;
    return std::monostate();
  }
  TiledTransposePlan plan = Tiled(heroes, shape, device);
  if (SetLaunch(plan, plan.shared_sizes, device, ask)) return plan;
  return std::monostate();
}

}  // namespace subfloor::dispatch
