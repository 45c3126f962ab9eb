#include <fmt/format.h>

#include <random>

#include "dispatch/choose_text.h"

namespace subfloor::dispatch {
namespace {

// Every launch of a choice, with what its plan promises.
void ExpectLegal(const GpuChoice& choice, const device::DeviceDescription& device, const std::string& text) {
  std::vector<Launch> launches;
  if (const auto* sort = std::get_if<SortPlan>(&choice.plan)) {
    for (const SortPlan::Kernel& kernel : sort->kernels) launches.push_back(kernel.launch);
  } else if (const Launch* launch = FirstLaunch(choice.plan)) {
    launches.push_back(*launch);
  }
  for (const Launch& launch : launches) {
    EXPECT_TRUE(IsLegal(launch, device))
        << device.name << " " << ToString(choice.emitter) << " grid " << launch.grid[0] << ","
        << launch.grid[1] << "," << launch.grid[2] << " block " << launch.block[0] << " blocks "
        << launch.blocks << " shared " << launch.shared_bytes << "\n"
        << text;
  }
}

// The elements of the index space are all covered by the threads.
int64_t Reached(const GpuChoice& choice) {
  const auto over = [](const auto& plan) {
    return SaturatingProduct(SaturatingProduct(plan.launch.blocks, plan.launch.block[0]), plan.vector) >=
           plan.elements;
  };
  if (const auto* loop = std::get_if<LoopPlan>(&choice.plan)) return over(*loop);
  if (const auto* loop = std::get_if<ConcatenatePlan>(&choice.plan)) return over(*loop);
  if (const auto* loop = std::get_if<InPlaceUpdatePlan>(&choice.plan)) return over(*loop);
  if (const auto* row = std::get_if<RowReductionPlan>(&choice.plan)) {
    return row->launch.blocks * row->kept_threads >= row->shape.dims[1] &&
           row->tile * row->reduced_threads * row->vector >= row->shape.dims[2] &&
           row->kept_threads * row->reduced_threads == row->launch.block[0];
  }
  if (const auto* row = std::get_if<MultiRowReductionPlan>(&choice.plan)) {
    return row->launch.blocks * row->kept_threads >= row->shape.dims[1] &&
           row->reduced_threads * row->vector == row->shape.dims[2];
  }
  if (const auto* column = std::get_if<ColumnReductionPlan>(&choice.plan)) {
    return column->launch.blocks == column->shape.dims[0] * column->minor_blocks &&
           column->tile * column->rows >= column->shape.dims[1] &&
           column->minor_blocks * 32 * column->vector >= column->shape.dims[2];
  }
  if (const auto* column = std::get_if<SmallColumnReductionPlan>(&choice.plan)) {
    return column->launch.blocks == column->shape.dims[0] && column->shared_rows <= 32 &&
           column->tile * column->threads * column->vector >= column->shape.dims[1] * column->shape.dims[2] &&
           (column->threads * column->vector) % column->shape.dims[2] == 0;
  }
  return true;
}

class RandomShapes {
 public:
  explicit RandomShapes(uint64_t seed) : random_(seed) {}

  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  // Small, odd, a power of two, or one more or less; log-uniform.
  int64_t Size(int64_t most) {
    int bits = 0;
    while (bits < 40 && (int64_t{1} << (bits + 1)) <= most) ++bits;
    const int64_t power = int64_t{1} << Below(bits + 1);
    switch (Below(4)) {
      case 0:
        return power;
      case 1:
        return std::min(most, power + 1);
      case 2:
        return std::max<int64_t>(1, power - 1);
      default:
        return std::min(most, power + Below(power));
    }
  }
  std::vector<int64_t> Dims(int64_t rank, int64_t most_elements = int64_t{1} << 40) {
    std::vector<int64_t> dims;
    for (int64_t i = 0; i < rank; ++i) {
      dims.push_back(Size(most_elements));
      most_elements /= dims.back();
    }
    std::ranges::shuffle(dims, random_);
    return dims;
  }
  std::string Type() {
    static const std::vector<std::string> kTypes = {"pred", "s4", "s8", "f16", "f32", "f64", "c64", "c128"};
    return kTypes[static_cast<size_t>(Below(static_cast<int64_t>(kTypes.size())))];
  }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

std::string ShapeText(const std::string& type, const std::vector<int64_t>& dims) {
  return fmt::format("{}[{}]", type, fmt::join(dims, ","));
}

std::string RandomFusion(RandomShapes& shapes) {
  const std::string type = shapes.Type();
  std::vector<int64_t> dims = shapes.Dims(1 + shapes.Below(4));
  const std::string operand = ShapeText(type, dims);
  switch (shapes.Below(6)) {
    case 0:
      return fmt::format("f {{\n p = {0} parameter(0)\n ROOT n = {0} copy(p)\n}}", operand);
    case 1:
      return fmt::format("f {{\n p = {0} parameter(0)\n ROOT n = {0} and(p, p)\n}}", ShapeText("s8", dims));
    case 2: {
      std::vector<int64_t> order(dims.size()), to(dims.size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
      std::ranges::shuffle(order, shapes.random());
      for (size_t i = 0; i < order.size(); ++i) to[i] = dims[static_cast<size_t>(order[i])];
      return fmt::format("f {{\n p = {} parameter(0)\n ROOT t = {} transpose(p), dimensions={{{}}}\n}}",
                         operand, ShapeText(type, to), fmt::join(order, ","));
    }
    case 3: {
      std::vector<int64_t> reduced, kept;
      for (size_t i = 0; i < dims.size(); ++i) {
        if (shapes.Below(2)) {
          reduced.push_back(static_cast<int64_t>(i));
        } else {
          kept.push_back(dims[i]);
        }
      }
      return fmt::format(
          "f {{\n p = {} parameter(0)\n z = f32[] constant(0)\n ROOT r = {} reduce(p, z), "
          "dimensions={{{}}}, to_apply=add\n}}",
          ShapeText("f32", dims), ShapeText("f32", kept), fmt::join(reduced, ","));
    }
    case 4:
      return fmt::format(
          "f {{\n p = {0} parameter(0)\n ROOT s = {0} sort(p), dimensions={{{1}}}, to_apply=less\n}}",
          ShapeText("f32", dims), shapes.Below(static_cast<int64_t>(dims.size())));
    default: {
      std::vector<int64_t> update = dims;
      for (int64_t& size : update) size = 1 + shapes.Below(size);
      std::string starts;
      for (size_t i = 0; i < dims.size(); ++i) starts += ", i";
      return fmt::format(
          "f {{\n p = {0} parameter(0)\n u = {1} parameter(1)\n i = s64[] parameter(2)\n"
          " ROOT d = {0} dynamic-update-slice(p, u{2})\n}}",
          operand, ShapeText(type, update), starts);
    }
  }
}

TEST(LaunchPlan, IsLegalForRandomShapesOnEveryDevice) {
  std::vector<device::DeviceDescription> devices;
  for (std::string_view name : device::KnownDevices()) devices.push_back(Device(name));
  // One that a user might write, with the least that a description may have.
  device::DeviceDescription least = Device("h100");
  least.name = "least";
  least.grid_limit = {65535, 65535, 65535};
  least.shared_per_block_bytes = 16 << 10;
  devices.push_back(least);
  RandomShapes shapes(17);
  std::map<GpuEmitter, int> emitters;
  for (int i = 0; i < 1500; ++i) {
    const std::string text = RandomFusion(shapes);
    for (const device::DeviceDescription& device : devices) {
      const Chosen chosen = ChooseText(text, device);
      // A grid of 65535 x 65535 blocks ends below 2^40 elements, a real one does not.
      if (!chosen.choice && device.name == "least") continue;
      ASSERT_TRUE(chosen.choice) << device.name << ": " << chosen.Answer() << "\n" << text;
      ExpectLegal(*chosen.choice, device, text);
      EXPECT_TRUE(Reached(*chosen.choice)) << device.name << "\n" << text;
      ++emitters[chosen.choice->emitter];
    }
    if (HasFailure()) return;
  }
  // The shapes reach what they are meant to test.
  for (GpuEmitter emitter : {GpuEmitter::kLoop, GpuEmitter::kInPlaceUpdate, GpuEmitter::kTransposeTiled,
                             GpuEmitter::kTransposePacked, GpuEmitter::kReductionRow,
                             GpuEmitter::kReductionMultiRow, GpuEmitter::kReductionColumn,
                             GpuEmitter::kReductionSmallColumn, GpuEmitter::kSort, GpuEmitter::kMemcpy}) {
    EXPECT_GT(emitters[emitter], 10) << ToString(emitter);
  }
}

TEST(Launch, FoldsLongGridsOverTwoDimensions) {
  const device::DeviceDescription h100 = Device();
  const auto launch = LaunchOf((int64_t{1} << 33) + 1, 128, h100);
  ASSERT_TRUE(launch);
  EXPECT_GE(launch->grid[0] * launch->grid[1], launch->blocks);
  EXPECT_TRUE(IsLegal(*launch, h100));
  EXPECT_FALSE(LaunchOf(int64_t{1} << 62, 128, h100));
  // AMD counts threads along a dimension, not blocks alone.
  const auto amd = LaunchOf(int64_t{1} << 25, 256, Device("mi300"));
  ASSERT_TRUE(amd);
  EXPECT_EQ(amd->grid[1], 4);
}

TEST(Launch, IllegalOnesAreSeen) {
  const device::DeviceDescription h100 = Device();
  const Launch good = *LaunchOf(10, 128, h100);
  EXPECT_TRUE(IsLegal(good, h100));
  Launch bad = good;
  bad.block[0] = 1025;
  EXPECT_FALSE(IsLegal(bad, h100));
  bad = good;
  bad.grid[1] = 65536;
  EXPECT_FALSE(IsLegal(bad, h100));
  bad = good;
  bad.blocks = 11;
  EXPECT_FALSE(IsLegal(bad, h100));
  bad = good;
  bad.shared_bytes = 49153;
  EXPECT_FALSE(IsLegal(bad, h100));
}

}  // namespace
}  // namespace subfloor::dispatch
