#include "cpu/thunk_emitter.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "cpu/library_calls.h"
#include "passes/loops/loop_analysis.h"
#include "runtime/cpu/control_thunks.h"
#include "runtime/cpu/copy_thunk.h"
#include "runtime/cpu/custom_call_thunk.h"
#include "runtime/cpu/device_id_thunk.h"
#include "runtime/cpu/kernel_thunk.h"
#include "runtime/cpu/rng_state_thunk.h"

namespace subfloor::cpu {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using runtime::BufferSlice;
using runtime::ThunkSequence;

class Emitter {
 public:
  Emitter(const hlo::Module& module, const ValueFlow& flow, const StepOrder& order,
          const BufferAssignment& assignment, const NativeRegions& regions, const KernelPlans& plans)
      : module_(module),
        flow_(flow),
        order_(order),
        assignment_(assignment),
        regions_(regions),
        plans_(plans) {}

  Result<runtime::Executable::Parts> Run() {
    runtime::Executable::Parts parts;
    parts.name = module_.name();
    SF_CHECK(MakeAllocations(parts));
    SF_CHECK(EmitComputation(*module_.entry(), parts.thunks));
    return parts;
  }

 private:
  Status MakeAllocations(runtime::Executable::Parts& parts) {
    using runtime::Allocation;
    const auto next = [&] { return static_cast<int32_t>(parts.allocations.size()); };
    outputs_.assign(flow_.outputs.size(), -1);
    for (size_t i = 0; i < flow_.parameters.size(); ++i) {
      const auto leaf = static_cast<int64_t>(i);
      const Value& value = flow_.values[static_cast<size_t>(flow_.parameters[i])];
      parameters_.push_back(next());
      if (value.donated_to < 0) {
        parts.allocations.push_back(Allocation::Parameter(leaf, value.bytes));
      } else {
        outputs_[static_cast<size_t>(value.donated_to)] = next();
        parts.allocations.push_back(Allocation::ParameterAndOutput(leaf, value.donated_to, value.bytes));
      }
    }
    for (size_t i = 0; i < flow_.outputs.size(); ++i) {
      if (outputs_[i] >= 0) continue;
      outputs_[i] = next();
      parts.allocations.push_back(Allocation::Output(static_cast<int64_t>(i), BytesOf(flow_.outputs[i])));
    }
    first_constant_ = static_cast<int32_t>(parts.allocations.size());
    for (size_t i = 0; i < assignment_.constants.size(); ++i) {
      const Literal& literal =
          *Leaves(assignment_.constants[i]->literal())[static_cast<size_t>(assignment_.constant_leaves[i])];
      parts.allocations.push_back(Allocation::Constant(std::make_shared<const runtime::AlignedBytes>(
          SF_TRY(runtime::AlignedBytes::CopyOf(literal.bytes())))));
    }
    temp_allocation_ = static_cast<int32_t>(parts.allocations.size());
    parts.allocations.push_back(Allocation::Temp(assignment_.temp_bytes));
    scratch_allocation_ = temp_allocation_ + 1;
    // The scratch of all kernels is one piece: they run one after the other, and declare it, so that an
    // executor that overlaps steps keeps them apart.
    parts.allocations.push_back(Allocation::Temp(assignment_.scratch_bytes));
    return {};
  }

  int64_t BytesOf(ValueId id) const { return flow_.values[static_cast<size_t>(id)].bytes; }

  BufferSlice SliceOf(ValueId id) const {
    const Place& place = assignment_.places[static_cast<size_t>(id)];
    const auto index = static_cast<int32_t>(place.index);
    switch (place.kind) {
      case Place::Kind::kParameter:
        return {parameters_[static_cast<size_t>(index)], 0, place.bytes};
      case Place::Kind::kOutput:
        return {outputs_[static_cast<size_t>(index)], 0, place.bytes};
      case Place::Kind::kConstant:
        return {first_constant_ + index, 0, place.bytes};
      case Place::Kind::kTemp:
        return {temp_allocation_, place.offset, place.bytes};
    }
    return {};
  }

  std::vector<BufferSlice> SlicesOf(const Instruction* instruction) const {
    std::vector<BufferSlice> slices;
    for (ValueId id : flow_.LeavesOf(instruction)) slices.push_back(SliceOf(id));
    return slices;
  }

  static runtime::ThunkInfo InfoOf(const Instruction* instruction) {
    return {instruction->annotations().MetadataField("op_name"), instruction->name(), instruction->id()};
  }

  void EmitTransfer(const Transfer& transfer, ThunkSequence& thunks) const {
    const Value& to = flow_.values[static_cast<size_t>(transfer.to)];
    if (transfer.elided || to.bytes == 0) return;
    thunks.Emplace<runtime::CopyThunk>(InfoOf(to.instruction), SliceOf(transfer.from), SliceOf(transfer.to));
  }

  Status EmitComputation(const hlo::Computation& computation, ThunkSequence& thunks) {
    const std::vector<OrderedStep>& steps = order_.Of(computation);
    static const std::vector<std::unique_ptr<NativeRegion>> kNone;
    const auto it = regions_.find(&computation);
    const auto& regions = it == regions_.end() ? kNone : it->second;
    size_t next_region = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (next_region < regions.size() && regions[next_region]->first == i) {
        const NativeRegion& region = *regions[next_region++];
        EmitRegion(region, thunks);
        i += region.count - 1;
      } else if (steps[i].transfer != nullptr) {
        EmitTransfer(*steps[i].transfer, thunks);
      } else if (Status status = EmitInstruction(steps[i].instruction, thunks); !status) {
        Error error = std::move(status).error();
        if (error.instruction().empty()) error.In(steps[i].instruction->name());
        return std::unexpected(std::move(error));
      }
    }
    return {};
  }

  Status EmitInstruction(const Instruction* instruction, ThunkSequence& thunks) {
    switch (instruction->opcode()) {
      case Opcode::kFusion:
        return EmitKernel(instruction, thunks);
      case Opcode::kCopy: {
        const BufferSlice from = SlicesOf(instruction->operand(0))[0], to = SlicesOf(instruction)[0];
        if (to.size > 0) thunks.Emplace<runtime::CopyThunk>(InfoOf(instruction), from, to);
        return {};
      }
      case Opcode::kWhile:
        return EmitWhile(instruction, thunks);
      case Opcode::kConditional:
        return EmitConditional(instruction, thunks);
      case Opcode::kDot:
      case Opcode::kConvolution:
      case Opcode::kFft: {
        std::vector<BufferSlice> operands;
        for (const Instruction* operand : instruction->operands()) operands.push_back(SlicesOf(operand)[0]);
        thunks.Append(
            SF_TRY(MakeLibraryThunk(*instruction, InfoOf(instruction), operands, SlicesOf(instruction)[0])));
        return {};
      }
      case Opcode::kCustomCall:
        return EmitCustomCall(instruction, thunks);
      case Opcode::kRngGetAndUpdateState:
        if (instruction->shape().element_type() != ElementType::kU64 ||
            instruction->shape().element_count() != 2) {
          return NotSupported("%{}: a random state of {}; u64[2] would work", instruction->name(),
                              instruction->shape().ToString(false));
        }
        thunks.Emplace<runtime::RngStateThunk>(
            InfoOf(instruction), instruction->As<hlo::RngStateAttributes>().delta, SlicesOf(instruction)[0]);
        return {};
      case Opcode::kPartitionId:
      case Opcode::kReplicaId:
        thunks.Emplace<runtime::DeviceIdThunk>(InfoOf(instruction),
                                               instruction->opcode() == Opcode::kPartitionId
                                                   ? runtime::ThunkKind::kPartitionId
                                                   : runtime::ThunkKind::kReplicaId,
                                               SlicesOf(instruction)[0]);
        return {};
      default:
        return NotSupported("the CPU does not run {} yet; `subfloor eval` does",
                            ToString(instruction->opcode()));
    }
  }

  Status EmitKernel(const Instruction* fusion, ThunkSequence& thunks) {
    const codegen::KernelPlan& plan = plans_.fusions.at(fusion);
    std::vector<BufferSlice> outputs = SlicesOf(fusion);
    std::vector<BufferSlice> inputs;
    for (const Instruction* operand : fusion->operands()) {
      const std::vector<BufferSlice> slices = SlicesOf(operand);
      if (slices.size() != 1) return InternalError("operand %{} of a fusion is no array", operand->name());
      inputs.push_back(slices[0]);
    }
    // An operand updated in place has moved into the output's buffer by now.
    for (const auto& [operand, leaf] : InPlaceOperands(*fusion)) {
      inputs[static_cast<size_t>(operand)] = outputs[static_cast<size_t>(leaf)];
    }
    Launch(fusion, plan, std::move(inputs), std::move(outputs), thunks);
    return {};
  }

  void EmitRegion(const NativeRegion& region, ThunkSequence& thunks) {
    std::vector<BufferSlice> read, written;
    for (size_t i = 0; i < region.arguments.size(); ++i) {
      const bool writes = region.program.buffers[i].kind == codegen::NativeBuffer::Kind::kWritten;
      (writes ? written : read).push_back(SliceOf(region.arguments[i]));
    }
    Launch(region.instruction, plans_.regions.at(&region), std::move(read), std::move(written), thunks);
  }

  void Launch(const Instruction* instruction, const codegen::KernelPlan& plan,
              std::vector<BufferSlice> inputs, std::vector<BufferSlice> outputs, ThunkSequence& thunks) {
    runtime::KernelLaunch launch{plan.symbol, plan.workgroups, plan.scratch_bytes};
    BufferSlice scratch;
    if (plan.scratch_bytes > 0)
      scratch = {scratch_allocation_, 0, runtime::KernelThunk::ScratchBytes(launch)};
    thunks.Emplace<runtime::KernelThunk>(InfoOf(instruction), std::move(launch), std::move(inputs),
                                         std::move(outputs), scratch);
  }

  Status EmitWhile(const Instruction* loop, ThunkSequence& thunks) {
    ThunkSequence condition, body;
    SF_CHECK(EmitComputation(*loop->called(0), condition));
    SF_CHECK(EmitComputation(*loop->called(1), body));
    const BufferSlice predicate = SlicesOf(loop->called(0)->root())[0];
    thunks.Emplace<runtime::WhileThunk>(InfoOf(loop), std::move(condition), std::move(body), predicate,
                                        passes::KnownTripCount(*loop));
    return {};
  }

  Status EmitConditional(const Instruction* conditional, ThunkSequence& thunks) {
    std::vector<ThunkSequence> branches;
    for (const hlo::Computation* branch : conditional->called_computations()) {
      SF_CHECK(EmitComputation(*branch, branches.emplace_back()));
    }
    thunks.Emplace<runtime::ConditionalThunk>(InfoOf(conditional), SlicesOf(conditional->operand(0))[0],
                                              std::move(branches));
    return {};
  }

  Status EmitCustomCall(const Instruction* call, ThunkSequence& thunks) {
    const auto& attributes = call->As<hlo::CustomCallAttributes>();
    std::vector<BufferSlice> inputs;
    for (const Instruction* operand : call->operands()) {
      const std::vector<BufferSlice> slices = SlicesOf(operand);
      inputs.insert(inputs.end(), slices.begin(), slices.end());
    }
    thunks.Emplace<runtime::CustomCallThunk>(InfoOf(call), attributes.target.text,
                                             call->annotations().backend_config, std::move(inputs),
                                             SlicesOf(call), attributes.has_side_effect);
    return {};
  }

  const hlo::Module& module_;
  const ValueFlow& flow_;
  const StepOrder& order_;
  const BufferAssignment& assignment_;
  const NativeRegions& regions_;
  const KernelPlans& plans_;
  std::vector<int32_t> parameters_, outputs_;  // allocations, by leaf
  int32_t first_constant_ = 0, temp_allocation_ = 0, scratch_allocation_ = 0;
};

}  // namespace

int64_t ScratchBytesOf(const codegen::KernelPlan& plan) {
  return runtime::KernelThunk::ScratchBytes({plan.symbol, plan.workgroups, plan.scratch_bytes});
}

Result<runtime::Executable::Parts> EmitThunks(const hlo::Module& module, const ValueFlow& flow,
                                              const StepOrder& order, const BufferAssignment& assignment,
                                              const NativeRegions& regions, const KernelPlans& plans) {
  return Emitter(module, flow, order, assignment, regions, plans).Run();
}

}  // namespace subfloor::cpu
