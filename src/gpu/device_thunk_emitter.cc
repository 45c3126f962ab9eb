#include "gpu/device_thunk_emitter.h"

#include <algorithm>

#include "passes/loops/loop_analysis.h"
#include "runtime/gpu/device_control_thunks.h"
#include "runtime/gpu/device_copy_thunk.h"
#include "runtime/gpu/device_kernel_thunk.h"

namespace subfloor::gpu {
namespace {

using cpu::Place;
using hlo::Instruction;
using hlo::Opcode;
using runtime::Allocation;
using runtime::BufferSlice;
using runtime::DeviceSequence;

runtime::ThunkInfo InfoOf(const Instruction* instruction) {
  return {instruction->annotations().MetadataField("op_name"), instruction->name(), instruction->id()};
}

class Emitter {
 public:
  Emitter(const cpu::ValueFlow& flow, const cpu::StepOrder& order, const cpu::BufferAssignment& assignment,
          const DeviceKernels& kernels)
      : flow_(flow), order_(order), assignment_(assignment), kernels_(kernels) {}

  Result<runtime::DeviceExecutable::Parts> Run(const hlo::Module& module) {
    runtime::DeviceExecutable::Parts parts;
    parts.name = module.name();
    SF_CHECK(MakeAllocations(parts.allocations));
    SF_CHECK(EmitComputation(*module.entry(), parts.thunks));
    return parts;
  }

 private:
  Status MakeAllocations(std::vector<Allocation>& allocations) {
    const auto next = [&] { return static_cast<int32_t>(allocations.size()); };
    const auto bytes_of = [&](cpu::ValueId id) { return flow_.values[static_cast<size_t>(id)].bytes; };
    outputs_.assign(flow_.outputs.size(), -1);
    for (size_t i = 0; i < flow_.parameters.size(); ++i) {
      const auto leaf = static_cast<int64_t>(i);
      const cpu::Value& value = flow_.values[static_cast<size_t>(flow_.parameters[i])];
      parameters_.push_back(next());
      if (value.donated_to < 0) {
        allocations.push_back(Allocation::Parameter(leaf, value.bytes));
      } else {
        outputs_[static_cast<size_t>(value.donated_to)] = next();
        allocations.push_back(Allocation::ParameterAndOutput(leaf, value.donated_to, value.bytes));
      }
    }
    for (size_t i = 0; i < flow_.outputs.size(); ++i) {
      if (outputs_[i] >= 0) continue;
      outputs_[i] = next();
      allocations.push_back(Allocation::Output(static_cast<int64_t>(i), bytes_of(flow_.outputs[i])));
    }
    first_constant_ = next();
    for (size_t i = 0; i < assignment_.constants.size(); ++i) {
      const Literal& literal =
          *Leaves(assignment_.constants[i]->literal())[static_cast<size_t>(assignment_.constant_leaves[i])];
      allocations.push_back(Allocation::Constant(std::make_shared<const runtime::AlignedBytes>(
          SF_TRY(runtime::AlignedBytes::CopyOf(literal.bytes())))));
    }
    temp_ = next();
    allocations.push_back(Allocation::Temp(assignment_.temp_bytes));
    return {};
  }

  BufferSlice SliceOf(cpu::ValueId id) const {
    const Place& place = assignment_.places[static_cast<size_t>(id)];
    const auto index = static_cast<size_t>(place.index);
    switch (place.kind) {
      case Place::Kind::kParameter:
        return {parameters_[index], 0, place.bytes};
      case Place::Kind::kOutput:
        return {outputs_[index], 0, place.bytes};
      case Place::Kind::kConstant:
        return {first_constant_ + static_cast<int32_t>(index), 0, place.bytes};
      case Place::Kind::kTemp:
        return {temp_, place.offset, place.bytes};
    }
    return {};
  }

  std::vector<BufferSlice> SlicesOf(const Instruction* instruction) const {
    std::vector<BufferSlice> slices;
    for (cpu::ValueId id : flow_.LeavesOf(instruction)) slices.push_back(SliceOf(id));
    return slices;
  }

  static void Copy(const Instruction* instruction, BufferSlice from, BufferSlice to, DeviceSequence& thunks) {
    if (to.size > 0 && from != to) thunks.Emplace<runtime::DeviceCopyThunk>(InfoOf(instruction), from, to);
  }

  Status EmitComputation(const hlo::Computation& computation, DeviceSequence& thunks) {
    for (const cpu::OrderedStep& step : order_.Of(computation)) {
      if (step.transfer != nullptr) {
        const cpu::Transfer& transfer = *step.transfer;
        const Instruction* filled = flow_.values[static_cast<size_t>(transfer.to)].instruction;
        if (!transfer.elided) Copy(filled, SliceOf(transfer.from), SliceOf(transfer.to), thunks);
      } else {
        SF_CHECK(EmitInstruction(step.instruction, thunks));
      }
    }
    return {};
  }

  Status EmitInstruction(const Instruction* instruction, DeviceSequence& thunks) {
    switch (instruction->opcode()) {
      case Opcode::kFusion:
        EmitFusion(instruction, thunks);
        return {};
      case Opcode::kCopy:
        Copy(instruction, SlicesOf(instruction->operand(0))[0], SlicesOf(instruction)[0], thunks);
        return {};
      case Opcode::kWhile:
        return EmitWhile(instruction, thunks);
      case Opcode::kConditional:
        return EmitConditional(instruction, thunks);
      default:
        return NotSupported("%{}: nothing runs {} on a simulated device; --target=cpu does",
                            instruction->name(), hlo::ToString(instruction->opcode()));
    }
  }

  void EmitFusion(const Instruction* fusion, DeviceSequence& thunks) {
    const DeviceKernel& kernel = kernels_.at(fusion);
    std::vector<BufferSlice> inputs;
    for (const Instruction* operand : fusion->operands()) inputs.push_back(SlicesOf(operand)[0]);
    const std::vector<BufferSlice> outputs = SlicesOf(fusion);
    if (kernel.symbol.empty()) {
      for (size_t i = 0; i < outputs.size(); ++i)
        Copy(fusion, inputs[static_cast<size_t>(kernel.copied[i])], outputs[i], thunks);
      return;
    }
    // An operand updated in place has moved into the output's buffer by now.
    for (const auto& [leaf, parameter] : kernel.in_place)
      inputs[static_cast<size_t>(parameter)] = outputs[static_cast<size_t>(leaf)];
    device::LaunchDimensions dimensions;
    for (size_t i = 0; i < 3; ++i) {
      dimensions.grid[i] = static_cast<uint64_t>(kernel.launch.grid[i]);
      dimensions.block[i] = static_cast<uint64_t>(kernel.launch.block[i]);
    }
    dimensions.shared_bytes = static_cast<uint64_t>(kernel.launch.shared_bytes);
    // Nothing to do is nothing to launch.
    if (std::ranges::all_of(outputs, [](const BufferSlice& slice) { return slice.size == 0; })) return;
    thunks.Emplace<runtime::DeviceKernelThunk>(InfoOf(fusion), kernel.symbol, dimensions, std::move(inputs),
                                               outputs);
  }

  Status EmitWhile(const Instruction* loop, DeviceSequence& thunks) {
    DeviceSequence condition, body;
    SF_CHECK(EmitComputation(*loop->called(0), condition));
    SF_CHECK(EmitComputation(*loop->called(1), body));
    const BufferSlice predicate = SlicesOf(loop->called(0)->root())[0];
    thunks.Emplace<runtime::DeviceWhileThunk>(InfoOf(loop), std::move(condition), std::move(body), predicate,
                                              passes::KnownTripCount(*loop));
    return {};
  }

  Status EmitConditional(const Instruction* conditional, DeviceSequence& thunks) {
    std::vector<DeviceSequence> branches;
    for (const hlo::Computation* branch : conditional->called_computations()) {
      SF_CHECK(EmitComputation(*branch, branches.emplace_back()));
    }
    thunks.Emplace<runtime::DeviceConditionalThunk>(InfoOf(conditional), SlicesOf(conditional->operand(0))[0],
                                                    std::move(branches));
    return {};
  }

  const cpu::ValueFlow& flow_;
  const cpu::StepOrder& order_;
  const cpu::BufferAssignment& assignment_;
  const DeviceKernels& kernels_;
  std::vector<int32_t> parameters_, outputs_;  // allocations, by leaf
  int32_t first_constant_ = 0, temp_ = 0;
};

}  // namespace

Result<runtime::DeviceExecutable::Parts> EmitDeviceThunks(const hlo::Module& module,
                                                          const cpu::ValueFlow& flow,
                                                          const cpu::StepOrder& order,
                                                          const cpu::BufferAssignment& assignment,
                                                          const DeviceKernels& kernels) {
  return Emitter(flow, order, assignment, kernels).Run(module);
}

}  // namespace subfloor::gpu
