#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "driver/compiler.h"
#include "driver/options.h"
#include "hlo/module.h"
#include "runtime/cpu/executable.h"
#include "types/literal.h"

namespace subfloor::driver {

/// A compiled program that takes and gives literals: what the command line and tests work with.
/// Threads: Run may be called from any number of threads at once.
class Program {
 public:
  /// Opens the compiler library if that has not happened. Errors: those of LoadCompiler and
  /// Compiler::Compile; an internal one says where the program that shows it was left.
  static Result<std::unique_ptr<Program>> Compile(const hlo::Module& module, const Options& options,
                                                  const Dump& dump = {}, const OnPhase& on_phase = {});
  ~Program();

  /// Arguments as the module's parameters, by number; their literals are row-major whatever layout the entry
  /// wants.
  Result<Literal> Run(std::span<const Literal> arguments) const;
  /// Runs on the caller's own buffers, one a leaf, in the layouts of Module::entry_layout().
  Status Execute(std::span<const runtime::BufferView> parameters,
                 std::span<const runtime::BufferView> outputs) const;
  /// The parameter leaf whose memory this output leaf may take over, or -1. See
  /// runtime::Executable::Execute.
  int64_t AliasedParameter(int64_t output_leaf) const;
  /// Microseconds that each of `repeat` runs took, arguments and results already in place.
  Result<std::vector<double>> Time(std::span<const Literal> arguments, int64_t repeat) const;
  /// Runs several times and lists the ten most expensive steps: time, share, kind, name.
  Result<std::string> Profile(std::span<const Literal> arguments) const;

  /// What was decided, made and how long it took.
  const decision::CompileReport& report() const;

 private:
  Program();
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace subfloor::driver
