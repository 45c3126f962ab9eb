#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "codegen/compile_kernels.h"
#include "codegen/emitters/emission.h"
#include "mlir/IR/BuiltinOps.h"

/// What every emitter gets and gives: the one small interface behind which each sits in its own file.
namespace subfloor::codegen::emitters {

/// One array that a kernel gives: a result of an instruction (of several, for a variadic reduce or sort).
struct Output {
  const hlo::Instruction* instruction;
  size_t result;
  const Shape* shape;
  mlir::Value buffer;
  /// Set where the buffer holds the operand of this dynamic-update-slice already: then `instruction` and
  /// `shape` are those of its update, and only that is written.
  const hlo::Instruction* update = nullptr;
};

/// A kernel while it is written. The builder stands in its body; the caller adds the return.
struct Kernel {
  const KernelJob& job;
  const CompileOptions& options;
  Emission& emission;
  Frame& frame;                 ///< of the fusion body; its parameters are buffers
  std::vector<Output> outputs;  ///< of the root, or of the operands of the root tuple
  int64_t workgroups = 1;       ///< set by the emitter before it asks for the workgroup's number
  int64_t scratch_bytes = 0;
  mlir::Value scratch = {};  ///< a buffer of scratch_bytes; null if there are none

  /// The parameter that shares its buffer with output leaf `leaf`, or -1.
  int64_t InPlaceParameter(int64_t leaf) const;
};

struct EmittedKernel {
  int64_t workgroups = 1;
  int64_t scratch_bytes = 0;
};

/// Writes sf.kernel @symbol for `job` into `module`. Errors: not supported, naming the op.
Result<EmittedKernel> EmitKernel(mlir::ModuleOp module, const KernelJob& job, const std::string& symbol,
                                 const CompileOptions& options, decision::Log* log);
/// The same for a job that is a program.
Result<EmittedKernel> EmitProgram(mlir::ModuleOp module, const KernelJob& job, const std::string& symbol,
                                  const CompileOptions& options, decision::Log* log);

/// Writes the code of job.body where the builder stands. `buffers`: of its parameters, then of its output
/// leaves.
Result<EmittedKernel> EmitBody(mlir::ImplicitLocOpBuilder& builder, const KernelJob& job,
                               std::span<const mlir::Value> buffers, mlir::Value scratch,
                               const CompileOptions& options, decision::Log* log);
/// Scratch that EmitBody wants for this body.
int64_t ScratchBytes(const hlo::Computation& body);
/// What the body gives, in order of output leaves, without buffers yet.
std::vector<Output> OutputsOf(const hlo::Computation& body);
/// The type of a buffer of this shape. Errors: not supported for what is no plain array.
Result<mlir::Type> BufferTypeOf(mlir::MLIRContext* context, const Shape& shape);

// The emitters, one file each.
Status EmitLoops(Kernel& kernel);    ///< anything, as loops over its results
Status EmitScatter(Kernel& kernel);  ///< a scatter at the root
Status EmitSort(Kernel& kernel);     ///< a sort at the root
/// Scratch that EmitSort wants.
int64_t SortScratchBytes(const hlo::Instruction& sort);

/// How many workgroups are worth having for `units` pieces of outermost work that touch `bytes` in all.
int64_t ChooseWorkgroups(const Kernel& kernel, int64_t units, int64_t bytes);
/// Bytes of all operands and results.
int64_t BytesTouched(const Kernel& kernel);
/// Lanes of a loop over elements of these: 64 bytes of the widest type that takes part, at most 64, at
/// least 1.
int64_t ChooseLanes(const Kernel& kernel);

/// Calls body(position) for this workgroup's share of [0, count); shares are as even as can be.
Status ForShare(Kernel& kernel, int64_t count, const std::function<Status(Expr)>& body);

}  // namespace subfloor::codegen::emitters
