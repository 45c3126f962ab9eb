#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "hlo/module.h"
#include "types/literal.h"

namespace subfloor::driver {

/// How a program's arguments and results lie in memory, one buffer a leaf: between literals, which are
/// row-major, and the layouts of Module::entry_layout().
class Signature {
 public:
  Signature() = default;
  explicit Signature(const hlo::Module& module);

  std::vector<int64_t> argument_sizes() const;
  std::vector<int64_t> result_sizes() const;

  /// Errors: bad input for a wrong number of arguments or another shape than the program's.
  Status Place(std::span<const Literal> arguments, std::span<const std::span<std::byte>> buffers) const;
  Result<Literal> Take(std::span<const std::span<const std::byte>> buffers) const;

 private:
  std::vector<Shape> parameters_;       // by parameter
  std::vector<Shape> argument_leaves_;  // with entry layouts
  Shape result_;
  std::vector<Shape> result_leaves_;
};

}  // namespace subfloor::driver
