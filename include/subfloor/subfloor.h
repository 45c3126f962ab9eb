#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The public C++ API: compile an HLO program, look at it, run it on buffers of your own.
///
///   auto client = subfloor::api::Client::Create().value();
///   auto program = client.Compile(hlo_text).value();
///   std::vector<subfloor::api::Buffer> in = program.MakeInputs(), out = program.MakeOutputs();
///   ... fill in[i].data() ...
///   program.Run(in, out).value();
///
/// Nothing here throws of its own accord, aborts or prints, with one exception: where LLVM meets what it
/// calls a fatal error while it compiles, nothing can stop it from ending the process; it is named on stderr
/// then, with the file that shows it.
namespace subfloor::api {

/// Whose turn it is to act: the program or argument is wrong; valid but not built yet; the machine's limits;
/// our bug.
enum class ErrorKind { kBadInput, kNotSupported, kOutOfResources, kInternal };

struct Error {
  ErrorKind kind;
  std::string message;  ///< with file, line, column and instruction where they are known
};

template <typename T>
using Result = std::expected<T, Error>;

/// One array that a program takes or gives. Tuples are flattened in order.
struct ArrayInfo {
  std::string type;  ///< as HLO writes it: "f32", "bf16", "pred", ...
  std::vector<int64_t> dimensions;
  std::vector<int64_t> minor_to_major;  ///< order in memory, fastest first
  int64_t size_bytes = 0;               ///< one byte for each element of a type narrower than a byte
};

/// Memory that fits the alignment kernels want, zeroed. Move-only.
class Buffer {
 public:
  /// Where there is no memory left, data() is null, size_bytes() 0, and Run answers out of resources.
  explicit Buffer(int64_t size_bytes);
  void* data() const { return memory_.get(); }
  int64_t size_bytes() const { return size_bytes_; }
  /// The bytes as elements of T.
  template <typename T>
  std::span<T> as() const {
    return {static_cast<T*>(data()), static_cast<size_t>(size_bytes_) / sizeof(T)};
  }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> memory_;
  int64_t size_bytes_;
};

/// A compiled program. Immutable, cheap to copy; Run may be called from any number of threads at once.
class Executable {
 public:
  const std::vector<ArrayInfo>& inputs() const;
  const std::vector<ArrayInfo>& outputs() const;
  /// {output, input}: the output may take over the input's memory (input_output_alias and buffer_donor of the
  /// program). See Run.
  const std::vector<std::pair<size_t, size_t>>& donations() const;
  /// Buffers of the right sizes.
  std::vector<Buffer> MakeInputs() const;
  std::vector<Buffer> MakeOutputs() const;

  /// Runs once and returns when all outputs are written. Pointers must be aligned to 64 bytes and hold the
  /// sizes that inputs() and outputs() name. Inputs are only read and outputs must not overlap anything, but
  /// for the pairs of donations(): an output that is handed the very memory of its input overwrites it, and
  /// one with memory of its own costs a copy of the input.
  Result<void> Run(std::span<const void* const> inputs, std::span<void* const> outputs) const;
  /// The same; bad input for a buffer of another size.
  Result<void> Run(std::span<const Buffer> inputs, std::span<const Buffer> outputs) const;

  /// What was decided and why, as `subfloor explain` prints it.
  std::string Explain() const;

 private:
  friend class Client;
  Executable() = default;
  struct State;
  std::shared_ptr<const State> state_;
};

/// Where programs are compiled. Cheap to copy; threads: any.
class Client {
 public:
  /// `options`: names and values as `subfloor options` lists them. Errors: bad input, naming the nearest
  /// option.
  static Result<Client> Create(std::map<std::string, std::string> options = {});

  /// Parses, verifies and compiles HLO text. `name` stands for the file in error messages.
  Result<Executable> Compile(std::string_view hlo_text, std::string_view name = "") const;

 private:
  Client() = default;
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace subfloor::api
