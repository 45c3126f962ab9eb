#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "device/description/kernel_abi.h"
#include "driver/options.h"
#include "driver/program.h"
#include "explain/compile_report.h"
#include "hlo/parser.h"
#include "hlo/verifier.h"
#include "subfloor/subfloor.h"

namespace subfloor::api {
namespace {

Error Outside(const subfloor::Error& error) {
  return {static_cast<ErrorKind>(error.kind()), error.ToString()};
}

ArrayInfo InfoOf(const Shape& shape) {
  ArrayInfo info;
  info.type = ToString(shape.element_type());
  info.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  if (shape.layout()) info.minor_to_major = shape.layout()->minor_to_major;
  info.size_bytes = shape.byte_size();
  return info;
}

std::vector<Buffer> MakeBuffers(const std::vector<ArrayInfo>& infos) {
  std::vector<Buffer> buffers;
  for (const ArrayInfo& info : infos) buffers.emplace_back(info.size_bytes);
  return buffers;
}

}  // namespace

static_assert(static_cast<int>(ErrorKind::kBadInput) == static_cast<int>(subfloor::ErrorKind::kBadInput));
static_assert(static_cast<int>(ErrorKind::kInternal) == static_cast<int>(subfloor::ErrorKind::kInternal));

struct Executable::State {
  std::unique_ptr<hlo::Module> module;
  std::unique_ptr<driver::Program> program;
  std::vector<ArrayInfo> inputs, outputs;
  std::vector<std::pair<size_t, size_t>> donations;
};

struct Client::State {
  driver::Options options;
};

Buffer::Buffer(int64_t size_bytes) : size_bytes_(0) {
  constexpr int64_t kAlignment = SUBFLOOR_BUFFER_ALIGNMENT;
  if (size_bytes < 0 || size_bytes > INT64_MAX - kAlignment) return;
  const int64_t padded = std::max<int64_t>((size_bytes + kAlignment - 1) / kAlignment, 1) * kAlignment;
  memory_.reset(std::aligned_alloc(kAlignment, static_cast<size_t>(padded)));
  if (!memory_) return;
  std::memset(memory_.get(), 0, static_cast<size_t>(padded));
  size_bytes_ = size_bytes;
}

void Buffer::Free::operator()(void* memory) const { std::free(memory); }

const std::vector<ArrayInfo>& Executable::inputs() const { return state_->inputs; }
const std::vector<ArrayInfo>& Executable::outputs() const { return state_->outputs; }
const std::vector<std::pair<size_t, size_t>>& Executable::donations() const { return state_->donations; }
std::vector<Buffer> Executable::MakeInputs() const { return MakeBuffers(state_->inputs); }
std::vector<Buffer> Executable::MakeOutputs() const { return MakeBuffers(state_->outputs); }

Result<void> Executable::Run(std::span<const void* const> inputs, std::span<void* const> outputs) const {
  if (inputs.size() != state_->inputs.size() || outputs.size() != state_->outputs.size()) {
    return std::unexpected(
        Error{ErrorKind::kBadInput,
              fmt::format("{} inputs and {} outputs for a program of {} and {}", inputs.size(),
                          outputs.size(), state_->inputs.size(), state_->outputs.size())});
  }
  std::vector<runtime::BufferView> in, out;
  for (size_t i = 0; i < inputs.size(); ++i)
    in.push_back({const_cast<void*>(inputs[i]), state_->inputs[i].size_bytes});
  for (size_t i = 0; i < outputs.size(); ++i) out.push_back({outputs[i], state_->outputs[i].size_bytes});
  if (Status status = state_->program->Execute(in, out); !status)
    return std::unexpected(Outside(status.error()));
  return {};
}

Result<void> Executable::Run(std::span<const Buffer> inputs, std::span<const Buffer> outputs) const {
  const auto check = [](std::span<const Buffer> buffers, const std::vector<ArrayInfo>& wanted,
                        std::string_view what) -> Result<void> {
    for (size_t i = 0; i < std::min(buffers.size(), wanted.size()); ++i) {
      if (buffers[i].data() == nullptr)
        return std::unexpected(
            Error{ErrorKind::kOutOfResources, fmt::format("{} {} has no memory", what, i)});
      if (buffers[i].size_bytes() != wanted[i].size_bytes)
        return std::unexpected(
            Error{ErrorKind::kBadInput, fmt::format("{} {} has {} bytes, the program wants {}", what, i,
                                                    buffers[i].size_bytes(), wanted[i].size_bytes)});
    }
    return {};
  };
  if (Result<void> fits = check(inputs, state_->inputs, "input"); !fits) return fits;
  if (Result<void> fits = check(outputs, state_->outputs, "output"); !fits) return fits;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Buffer& buffer : inputs) in.push_back(buffer.data());
  for (const Buffer& buffer : outputs) out.push_back(buffer.data());
  return Run(in, out);
}

std::string Executable::Explain() const { return explain::Explain(state_->program->report()); }

Result<Client> Client::Create(std::map<std::string, std::string> options) {
  auto state = std::make_shared<State>();
  for (const auto& [name, value] : options) {
    if (Status set = driver::SetOption(state->options, name, value); !set)
      return std::unexpected(Outside(set.error()));
  }
  Client client;
  client.state_ = std::move(state);
  return client;
}

Result<Executable> Client::Compile(std::string_view hlo_text, std::string_view name) const {
  auto state = std::make_shared<Executable::State>();
  auto module = hlo::ParseModule(hlo_text, name);
  if (!module) return std::unexpected(Outside(module.error()));
  state->module = *std::move(module);
  if (Status valid = hlo::Verify(*state->module); !valid) return std::unexpected(Outside(valid.error()));
  auto program = driver::Program::Compile(*state->module, state_->options);
  if (!program) return std::unexpected(Outside(program.error()));
  state->program = *std::move(program);
  const hlo::EntryLayout layout = state->module->entry_layout();
  for (const Shape& parameter : layout.parameters) {
    for (const Shape* leaf : Leaves(parameter)) state->inputs.push_back(InfoOf(*leaf));
  }
  for (const Shape* leaf : Leaves(layout.result)) state->outputs.push_back(InfoOf(*leaf));
  for (size_t i = 0; i < state->outputs.size(); ++i) {
    const int64_t input = state->program->AliasedParameter(static_cast<int64_t>(i));
    if (input >= 0) state->donations.emplace_back(i, static_cast<size_t>(input));
  }
  Executable executable;
  executable.state_ = std::move(state);
  return executable;
}

}  // namespace subfloor::api
