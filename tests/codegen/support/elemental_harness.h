#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "hlo/attributes.h"
#include "hlo/opcode.h"
#include "types/element_type.h"

/// Runs one elementwise op over arrays in this process, as scalar or as vector code: what the tests of
/// elemental/ stand on.
namespace subfloor::testing {

struct OpSpec {
  hlo::Opcode opcode;
  std::vector<ElementType> operands;
  ElementType result;
  std::optional<hlo::Attributes> attributes = std::nullopt;  ///< the opcode's defaults if left out
};

class ElementalKernel {
 public:
  /// `lanes` 0 emits scalar code; `cpu` is an LLVM name, empty for this machine's. Errors: those of
  /// EmitElementwise; our bug where a module does not verify or compile.
  static Result<ElementalKernel> Compile(const OpSpec& spec, int64_t lanes, std::string cpu = {});
  ElementalKernel(ElementalKernel&&) noexcept;
  ~ElementalKernel();

  /// Arrays hold `count` elements as literals do, but complex ones take two arrays: real parts, then
  /// imaginary parts. `count` must be a multiple of the lanes.
  void Run(std::span<const void* const> arrays, std::span<void* const> results, int64_t count) const;

 private:
  struct Jit;
  explicit ElementalKernel(std::unique_ptr<Jit> jit);
  std::unique_ptr<Jit> jit_;
};

}  // namespace subfloor::testing
