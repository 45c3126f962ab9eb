#include "random/guarded_run.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "device/description/kernel_abi.h"
#include "runtime/arena_pool.h"
#include "types/physical.h"

namespace subfloor::testing_support {
namespace {

constexpr std::byte kNotANumber{0xff};  // in every float type that has NaN
constexpr std::byte kPoison{0xb5};

// A buffer at its alignment whose last byte is as close to a forbidden page as that allows.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  GuardedBuffer(GuardedBuffer&& other) noexcept { *this = std::move(other); }
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(pages_, other.pages_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~GuardedBuffer() {
    if (!mapping_.empty()) munmap(mapping_.data(), mapping_.size());
  }

  static Result<GuardedBuffer> Make(int64_t size_bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE)), size = static_cast<size_t>(size_bytes);
    constexpr size_t kAlignment = SUBFLOOR_BUFFER_ALIGNMENT;
    const size_t slot = (size + kAlignment - 1) / kAlignment * kAlignment;
    const size_t inner = std::max((slot + page - 1) / page * page, page);
    void* memory = mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return OutOfResources("no address space for {} guarded bytes", size);
    GuardedBuffer buffer;
    buffer.mapping_ = {static_cast<std::byte*>(memory), inner + 2 * page};
    buffer.pages_ = buffer.mapping_.subspan(page, inner);
    if (mprotect(buffer.pages_.data(), inner, PROT_READ | PROT_WRITE) != 0) {
      return OutOfResources("no memory for {} guarded bytes", size);
    }
    buffer.bytes_ = buffer.pages_.subspan(inner - slot, size);
    std::ranges::fill(buffer.pages_, kPoison);
    std::ranges::fill(buffer.bytes_, kNotANumber);
    return buffer;
  }

  std::span<std::byte> bytes() const { return bytes_; }
  runtime::BufferView view() const { return {bytes_.data(), static_cast<int64_t>(bytes_.size())}; }

  bool PoisonIsIntact() const {
    const auto poison = [](std::byte byte) { return byte == kPoison; };
    const auto before = static_cast<size_t>(bytes_.data() - pages_.data());
    return std::ranges::all_of(pages_.first(before), poison) &&
           std::ranges::all_of(pages_.subspan(before + bytes_.size()), poison);
  }

 private:
  std::span<std::byte> mapping_, pages_, bytes_;
};

// Leaves the process's pool with one arena, large enough for the program, all of it NaN.
Status FillTemporaries(const driver::Program& program) {
  constexpr int64_t kSlack = 256 << 10;
  runtime::ArenaPool& pool = runtime::ArenaPool::Default();
  pool.Trim();
  runtime::AlignedBytes arena = SF_TRY(pool.Take(program.report().temp_bytes + kSlack));
  std::memset(arena.data(), static_cast<int>(kNotANumber), static_cast<size_t>(arena.size()));
  pool.Give(std::move(arena));
  return {};
}

Result<std::vector<GuardedBuffer>> MakeBuffers(std::span<const Shape* const> leaves) {
  std::vector<GuardedBuffer> buffers;
  for (const Shape* leaf : leaves) buffers.push_back(SF_TRY(GuardedBuffer::Make(leaf->byte_size())));
  return buffers;
}

}  // namespace

Result<Literal> GuardedRun(const driver::Program& program, const hlo::Module& module,
                           std::span<const Literal> arguments, bool donate) {
  const hlo::EntryLayout layout = module.entry_layout();
  std::vector<const Shape*> parameter_leaves;
  for (const Shape& parameter : layout.parameters) {
    for (const Shape* leaf : Leaves(parameter)) parameter_leaves.push_back(leaf);
  }
  const std::vector<const Shape*> result_leaves = Leaves(layout.result);
  const std::vector<GuardedBuffer> inputs = SF_TRY(MakeBuffers(parameter_leaves));
  const std::vector<GuardedBuffer> outputs = SF_TRY(MakeBuffers(result_leaves));
  size_t number = 0;
  for (const Literal& argument : arguments) {
    for (const Literal* leaf : Leaves(argument)) {
      if (leaf->shape().IsArray())
        RowMajorToPhysical(*parameter_leaves[number], leaf->bytes(), inputs[number].bytes());
      ++number;
    }
  }
  std::vector<std::vector<std::byte>> before;
  std::vector<runtime::BufferView> input_views, output_views;
  for (const GuardedBuffer& input : inputs) {
    before.emplace_back(input.bytes().begin(), input.bytes().end());
    input_views.push_back(input.view());
  }
  // The buffer where each result ends up: its own, or the parameter's that it takes over.
  std::vector<const GuardedBuffer*> places;
  std::vector<bool> donated(inputs.size(), false);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int64_t parameter = donate ? program.AliasedParameter(static_cast<int64_t>(i)) : -1;
    if (parameter >= 0) donated[static_cast<size_t>(parameter)] = true;
    places.push_back(parameter >= 0 ? &inputs[static_cast<size_t>(parameter)] : &outputs[i]);
    output_views.push_back(places.back()->view());
  }
  SF_CHECK(FillTemporaries(program));
  SF_CHECK(program.Execute(input_views, output_views));

  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!donated[i] && !std::ranges::equal(before[i], inputs[i].bytes()))
      return InternalError("parameter leaf {} was written to", i);
    if (!inputs[i].PoisonIsIntact())
      return InternalError("bytes around parameter leaf {} were written to", i);
  }
  Literal result = SF_TRY(Literal::Zeros(layout.result));
  number = 0;
  for (Literal* leaf : MutableLeaves(result)) {
    if (!places[number]->PoisonIsIntact())
      return InternalError("bytes around result leaf {} were written to", number);
    if (leaf->shape().IsArray()) {
      PhysicalToRowMajor(*result_leaves[number], places[number]->bytes(), leaf->mutable_bytes());
    }
    ++number;
  }
  return result;
}

}  // namespace subfloor::testing_support
