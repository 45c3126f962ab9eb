#include "runtime/cpu/executable.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "device/host/code_loader.h"
#include "runtime/float_environment.h"

namespace subfloor::runtime {
namespace {

constexpr int64_t kAlignment = SUBFLOOR_BUFFER_ALIGNMENT;

// Puts an allocation into the table of leaves; each leaf has exactly one.
Status Place(std::vector<int32_t>& table, int64_t leaf, size_t allocation, size_t limit,
             std::string_view what) {
  if (leaf < 0) return {};
  if (static_cast<size_t>(leaf) >= limit)
    return InternalError("allocation {} is for {} {}, out of range", allocation, what, leaf);
  if (table.size() <= static_cast<size_t>(leaf)) table.resize(static_cast<size_t>(leaf) + 1, -1);
  if (table[static_cast<size_t>(leaf)] >= 0)
    return InternalError("allocations {} and {} are both for {} {}", table[static_cast<size_t>(leaf)],
                         allocation, what, leaf);
  table[static_cast<size_t>(leaf)] = static_cast<int32_t>(allocation);
  return {};
}

Status CheckView(const BufferView& view, int64_t wanted, std::string_view what, size_t leaf) {
  if (view.size_bytes != wanted) [[unlikely]]
    return BadInput("{} {} has {} bytes, the program wants {}", what, leaf, view.size_bytes, wanted);
  if (wanted == 0) return {};
  if (view.data == nullptr) [[unlikely]]
    return BadInput("{} {} is a null pointer", what, leaf);
  if (reinterpret_cast<uintptr_t>(view.data) % kAlignment != 0) [[unlikely]]
    return BadInput("{} {} starts at {}, which is no multiple of {}", what, leaf, view.data, kAlignment);
  return {};
}

}  // namespace

// What a run needs besides its arena; kept in a list for the next run.
struct Executable::RunState {
  std::vector<std::byte*> bases;
  RunContext context;
  std::unique_ptr<RunState> next;
};

Executable::~Executable() {
  // The list may be long: unlink it one by one rather than by nested destructors.
  while (free_states_) free_states_ = std::move(free_states_->next);
}

Result<std::unique_ptr<const Executable>> Executable::Create(Parts parts) {
  std::unique_ptr<Executable> executable(new Executable);
  executable->name_ = std::move(parts.name);
  executable->allocations_ = std::move(parts.allocations);
  executable->sequence_ = std::move(parts.thunks);

  BindContext bind;
  bind.custom_calls = parts.custom_calls ? parts.custom_calls : &ffi::CustomCallRegistry::Global();
  if (parts.image) {
    std::shared_ptr<device::LoadedImage> image = SF_TRY(device::LoadCodeImage(*parts.image));
    executable->image_ = image;
    bind.kernels = [loaded = image.get()](const std::string& symbol) { return loaded->Find(symbol); };
  }
  SF_CHECK(executable->Prepare());
  SF_CHECK(executable->NumberThunks());
  for (const Thunk* thunk : executable->thunks_) {
    auto in_thunk = [&](Status status) -> Status {
      if (!status && status.error().instruction().empty()) status.error().In(thunk->info().instruction);
      return status;
    };
    SF_CHECK(in_thunk(executable->CheckUses(*thunk)));
    SF_CHECK(in_thunk(const_cast<Thunk*>(thunk)->Bind(bind)));  // ours alone until Create returns
  }
  return executable;
}

// Lays out the arena and the tables of leaves.
Status Executable::Prepare() {
  temp_offsets_.resize(allocations_.size());
  for (size_t i = 0; i < allocations_.size(); ++i) {
    const Allocation& allocation = allocations_[i];
    if (allocation.size_bytes < 0)
      return InternalError("allocation {} has {} bytes", i, allocation.size_bytes);
    switch (allocation.kind) {
      case Allocation::Kind::kCaller:
        if (allocation.parameter < 0 && allocation.output < 0)
          return InternalError("allocation {} is for no leaf", i);
        SF_CHECK(Place(parameters_, allocation.parameter, i, allocations_.size(), "parameter"));
        SF_CHECK(Place(outputs_, allocation.output, i, allocations_.size(), "output"));
        break;
      case Allocation::Kind::kConstant:
        if (!allocation.constant || allocation.constant->size() != allocation.size_bytes)
          return InternalError("allocation {} is a constant of {} bytes without that content", i,
                               allocation.size_bytes);
        break;
      case Allocation::Kind::kTemp:
        temp_offsets_[i] = temp_bytes_;
        if (__builtin_add_overflow(temp_bytes_, allocation.size_bytes, &temp_bytes_) ||
            __builtin_add_overflow(temp_bytes_, (kAlignment - temp_bytes_ % kAlignment) % kAlignment,
                                   &temp_bytes_))
          return OutOfResources("the program's temporaries have more bytes than can be counted");
        break;
    }
  }
  for (auto [table, what] : {std::pair(&parameters_, "parameter"), std::pair(&outputs_, "output")})
    if (auto hole = std::ranges::find(*table, -1); hole != table->end())
      return InternalError("{} {} has no allocation", what, hole - table->begin());
  return {};
}

Status Executable::NumberThunks() {
  // Sequences still to be visited, the next one last. Depth-first, so that numbers follow program order.
  struct Visit {
    ThunkSequence* sequence;
    size_t position;
  };
  std::vector<Visit> stack{{&sequence_, 0}};
  std::vector<int> depths{0};
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.position == visit.sequence->thunks().size()) {
      stack.pop_back();
      depths.pop_back();
      continue;
    }
    Thunk* thunk = visit.sequence->thunks()[visit.position++].get();
    thunk->set_number(static_cast<int64_t>(thunks_.size()));
    thunks_.push_back(thunk);
    const int depth = depths.back() + 1;
    std::vector<ThunkSequence*> nested = thunk->nested();
    if (!nested.empty() && depth > kMaxNesting)
      return NotSupported("%{}: control flow is nested more than {} deep; flatter programs are supported",
                          thunk->info().instruction, kMaxNesting);
    for (auto sequence = nested.rbegin(); sequence != nested.rend(); ++sequence) {
      stack.push_back({*sequence, 0});
      depths.push_back(depth);
    }
  }
  return {};
}

Status Executable::CheckUses(const Thunk& thunk) const {
  for (const BufferUse& use : thunk.buffer_uses()) {
    const BufferSlice& slice = use.slice;
    if (slice.allocation < 0 || static_cast<size_t>(slice.allocation) >= allocations_.size())
      return InternalError("a slice of allocation {}, there are {}", slice.allocation, allocations_.size());
    const Allocation& allocation = allocations_[static_cast<size_t>(slice.allocation)];
    if (slice.offset < 0 || slice.size < 0 || slice.offset > allocation.size_bytes - slice.size)
      return InternalError("bytes [{}, {}) of allocation {}, which has {}", slice.offset,
                           slice.offset + slice.size, slice.allocation, allocation.size_bytes);
    if (thunk.kind() == ThunkKind::kKernel && slice.offset % kAlignment != 0)
      return InternalError("a kernel's slice starts at {} in allocation {}, no multiple of {}", slice.offset,
                           slice.allocation, kAlignment);
    const bool writable = allocation.kind == Allocation::Kind::kTemp ||
                          (allocation.kind == Allocation::Kind::kCaller && allocation.output >= 0);
    if (use.Writes() && !writable && slice.size > 0)
      return InternalError(
          "a write to allocation {}, which is {}", slice.allocation,
          allocation.kind == Allocation::Kind::kConstant ? "a constant" : "a parameter and no output");
  }
  return {};
}

int64_t Executable::parameter_bytes(int64_t leaf) const {
  return allocations_[static_cast<size_t>(parameters_[static_cast<size_t>(leaf)])].size_bytes;
}

int64_t Executable::output_bytes(int64_t leaf) const {
  return allocations_[static_cast<size_t>(outputs_[static_cast<size_t>(leaf)])].size_bytes;
}

int64_t Executable::aliased_parameter(int64_t output_leaf) const {
  return allocations_[static_cast<size_t>(outputs_[static_cast<size_t>(output_leaf)])].parameter;
}

int64_t Executable::constant_bytes() const {
  int64_t bytes = 0;
  for (const Allocation& allocation : allocations_)
    if (allocation.kind == Allocation::Kind::kConstant) bytes += allocation.size_bytes;
  return bytes;
}

std::vector<const Thunk*> Executable::outermost_thunks() const {
  std::vector<const Thunk*> outermost;
  for (const auto& thunk : sequence_.thunks()) outermost.push_back(thunk.get());
  return outermost;
}

std::unique_ptr<Executable::RunState> Executable::TakeState() const {
  {
    std::lock_guard lock(mutex_);
    if (free_states_) {
      std::unique_ptr<RunState> state = std::move(free_states_);
      free_states_ = std::move(state->next);
      return state;
    }
  }
  auto state = std::make_unique<RunState>();
  state->bases.resize(allocations_.size());
  for (size_t i = 0; i < allocations_.size(); ++i)
    if (allocations_[i].constant) state->bases[i] = allocations_[i].constant->data();
  return state;
}

void Executable::GiveState(std::unique_ptr<RunState> state) const {
  std::lock_guard lock(mutex_);
  state->next = std::move(free_states_);
  free_states_ = std::move(state);
}

Status Executable::CheckBuffers(std::span<const BufferView> parameters,
                                std::span<const BufferView> outputs) const {
  if (parameters.size() != parameters_.size() || outputs.size() != outputs_.size())
    return BadInput("{} parameter and {} output buffers, the program has {} and {}", parameters.size(),
                    outputs.size(), parameters_.size(), outputs_.size());
  for (size_t i = 0; i < parameters.size(); ++i)
    SF_CHECK(CheckView(parameters[i], parameter_bytes(static_cast<int64_t>(i)), "parameter", i));
  for (size_t i = 0; i < outputs.size(); ++i)
    SF_CHECK(CheckView(outputs[i], output_bytes(static_cast<int64_t>(i)), "output", i));
  return {};
}

Completion Executable::Execute(std::span<const BufferView> parameters, std::span<const BufferView> outputs,
                               const RunOptions& options) const {
  if (Status status = CheckBuffers(parameters, outputs); !status) return Completion::Of(std::move(status));
  ArenaPool& arenas = options.arenas ? *options.arenas : ArenaPool::Default();
  AlignedBytes arena;
  if (temp_bytes_ > 0) {
    Result<AlignedBytes> taken = arenas.Take(temp_bytes_);
    if (!taken) return Completion::Failed(std::move(taken.error().Prepend("temporaries of " + name_)));
    arena = *std::move(taken);
  }

  std::unique_ptr<RunState> state = TakeState();
  for (size_t i = 0; i < parameters.size(); ++i)
    state->bases[static_cast<size_t>(parameters_[i])] = static_cast<std::byte*>(parameters[i].data);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const size_t index = static_cast<size_t>(outputs_[i]);
    const Allocation& allocation = allocations_[index];
    if (allocation.parameter >= 0 && allocation.size_bytes > 0 && outputs[i].data != state->bases[index])
      std::memcpy(outputs[i].data, state->bases[index],
                  static_cast<size_t>(allocation.size_bytes));  // not donated
    state->bases[index] = static_cast<std::byte*>(outputs[i].data);
  }
  if (temp_bytes_ > 0)
    for (size_t i = 0; i < allocations_.size(); ++i)
      if (allocations_[i].kind == Allocation::Kind::kTemp) state->bases[i] = arena.data() + temp_offsets_[i];
  state->context = {.allocations = state->bases,
                    .pool = options.pool,
                    .max_threads = options.max_threads,
                    .run_id = options.run_id,
                    .replica_id = options.replica_id,
                    .partition_id = options.partition_id,
                    .profile = options.profile};

  Completion completion;
  {
    DefaultFloatEnvironment environment;
    completion = sequence_.Execute(state->context);  // ready when it returns
  }
  GiveState(std::move(state));
  if (arena.data()) arenas.Give(std::move(arena));
  return completion;
}

}  // namespace subfloor::runtime
