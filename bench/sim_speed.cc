#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "device/sim/sim_executor.h"
#include "device/support/sim_kernels.h"

/// How fast the simulated GPU runs two kernels, fast and checked, in time of one core: an f32 add of 16 Mi
/// elements and a transpose of 4096 x 4096 through shared memory. Results are compared first.
namespace subfloor::device::sim {
namespace {

constexpr uint64_t kSide = 4096, kCount = kSide * kSide, kBytes = kCount * sizeof(float);

double Seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Program {
  const char* name;
  SimulatedKernel fast, checked;
  LaunchDimensions dimensions;
  size_t operands;
  float (*expected)(const std::vector<float>& operand, uint64_t i);
};

float Sum(const std::vector<float>& operand, uint64_t i) { return operand[i] + operand[i]; }
float Transposed(const std::vector<float>& operand, uint64_t i) {
  return operand[i % kSide * kSide + i / kSide];
}

// The best of three runs, in seconds.
Result<double> Measure(const Program& program, const SimulatedKernel& kernel) {
  auto sim = SF_TRY(MakeSimExecutor(SF_TRY(DeviceByName("h100"))));
  auto object = SF_TRY(sim->MakeKernel(kernel));
  auto stream = SF_TRY(sim->MakeStream());
  std::vector<float> operand(kCount), result(kCount);
  for (uint64_t i = 0; i < kCount; ++i) operand[i] = static_cast<float>(i % 65521);
  std::vector<DeviceMemory> arguments;
  for (size_t i = 0; i <= program.operands; ++i) arguments.push_back(SF_TRY(sim->Allocate(kBytes)));
  for (size_t i = 0; i < program.operands; ++i)
    SF_CHECK(stream->CopyToDevice(arguments[i], std::as_bytes(std::span(operand))));
  SF_CHECK(stream->Synchronize());
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    const double start = Seconds();
    SF_CHECK(stream->Launch(*object, program.dimensions, arguments));
    SF_CHECK(stream->Synchronize());
    best = std::min(best, Seconds() - start);
    SF_CHECK(stream->CopyToHost(std::as_writable_bytes(std::span(result)), arguments.back()));
    SF_CHECK(stream->Synchronize());
    for (uint64_t i = 0; i < kCount; ++i) {
      if (result[i] != program.expected(operand, i)) return InternalError("element {} is wrong", i);
    }
  }
  return best;
}

Status Main() {
  SimulatedKernelPlan add, transpose;
  add.symbol = "add";
  transpose.symbol = "transpose";
  transpose.synchronises = true;
  transpose.shared_bytes = 32 * 33 * sizeof(float);
  const auto made = [](SimulatedKernelPlan plan, bool checked, bool whole_block, SubfloorKernel entry) {
    plan.checked = checked;
    plan.whole_block = whole_block;
    plan.sites.resize(5);
    return SimulatedKernel{std::move(plan), entry};
  };
  const Program programs[] = {
      {"add of 16 Mi f32",
       made(add, false, true, AddWholeBlock),
       made(add, true, false, Add<true>),
       {{kCount / 128, 1, 1}, {128, 1, 1}, 0},
       2,
       Sum},
      {"transpose of 4096 x 4096 f32",
       made(transpose, false, false, Transpose<false>),
       made(transpose, true, false, Transpose<true>),
       {{kSide / 32, kSide / 32, 1}, {32, 4, 1}, 0},
       1,
       Transposed},
  };
  for (const Program& program : programs) {
    const double fast = SF_TRY(Measure(program, program.fast));
    const double checked = SF_TRY(Measure(program, program.checked));
    fmt::print("{}: fast {:.3f} s, checked {:.3f} s ({:.1f} times)\n", program.name, fast, checked,
               checked / fast);
  }
  return {};
}

}  // namespace
}  // namespace subfloor::device::sim

int main() {
  auto status = subfloor::device::sim::Main();
  if (!status) fmt::print(stderr, "{}\n", status.error().ToString());
  return status ? 0 : 1;
}
