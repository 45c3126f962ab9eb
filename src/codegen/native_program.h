#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "dispatch/emitter_kind.h"
#include "hlo/computation.h"

namespace subfloor::codegen {

/// One step of a native program. Buffers are named by their number in NativeProgram::buffers, each together
/// with the shape in which the step sees it (one buffer may be seen as f32[4] here and as s32[2,2] there, if
/// the bytes suffice).
struct NativeStep {
  enum class Kind : uint8_t {
    kKernel,  ///< `body` on `buffers`: its parameters in order, then its output leaves
    kCopy,    ///< from buffers[0] to buffers[1]
    kWhile,   ///< nested[0], then nested[1] while the pred in buffers[0] is true; trip_count times if that is
              ///< known
    kConditional,  ///< nested[0] or nested[1] by the pred in buffers[0], or nested[i] by an s32 (the last one
                   ///< for others)
  };
  struct Use {
    int32_t buffer = -1;
    const Shape* shape = nullptr;
  };
  Kind kind = Kind::kKernel;
  const hlo::Computation* body = nullptr;
  dispatch::EmitterKind emitter = dispatch::EmitterKind::kLoop;
  std::vector<std::pair<int64_t, int64_t>> in_place;  ///< as in KernelJob
  int64_t instruction = -1;
  std::vector<Use> buffers;
  int64_t trip_count = -1;
  std::vector<std::vector<NativeStep>> nested;
};

/// A piece of memory that steps share.
struct NativeBuffer {
  enum class Kind : uint8_t {
    kRead,     ///< argument of the function, never written
    kWritten,  ///< argument of the function, written and perhaps read
    kLocal,    ///< lives as long as one call, on its stack or in registers
  };
  Kind kind = Kind::kLocal;
  int64_t bytes = 0;
  /// A local that begins with the content of this argument and leaves its own there at the end; -1: none.
  int32_t home = -1;
  bool leaves = false;           ///< whether it does leave it
  const Shape* shape = nullptr;  ///< as which that content is copied
};

/// Several small steps, loops and branches among them, that become one function: one call for all of them,
/// what passes between them in registers where it fits.
struct NativeProgram {
  std::vector<NativeBuffer>
      buffers;  ///< arguments in the order in which the function takes them: kRead, then kWritten
  std::vector<std::pair<int32_t, int32_t>> may_alias;  ///< arguments whose bytes overlap
  std::vector<NativeStep> steps;

  /// Kernels in it, nested ones included.
  int64_t kernel_count() const;
  /// Instructions in all of their bodies.
  int64_t instruction_count() const;
  /// Calls f for every step, nested ones included, in no particular order.
  void ForEachStep(const std::function<void(const NativeStep&)>& f) const;
};

}  // namespace subfloor::codegen
