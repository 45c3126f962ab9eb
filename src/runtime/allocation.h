#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/aligned_bytes.h"

namespace subfloor::runtime {

/// One row of an executable's allocation table: a piece of memory that slices name by its index.
struct Allocation {
  enum class Kind : uint8_t {
    kCaller,    ///< a parameter leaf, an output leaf, or both: an output that may take a donated parameter's
                ///< memory
    kConstant,  ///< `constant` holds the content; never written
    kTemp,      ///< a part of the run's arena; content undefined at the start
  };
  Kind kind = Kind::kTemp;
  int64_t size_bytes = 0;
  int64_t parameter = -1;  ///< kCaller: number of the parameter leaf, or -1
  int64_t output = -1;     ///< kCaller: number of the output leaf, or -1
  std::shared_ptr<const AlignedBytes> constant = nullptr;

  static Allocation Parameter(int64_t leaf, int64_t size_bytes) {
    return {.kind = Kind::kCaller, .size_bytes = size_bytes, .parameter = leaf};
  }
  static Allocation Output(int64_t leaf, int64_t size_bytes) {
    return {.kind = Kind::kCaller, .size_bytes = size_bytes, .output = leaf};
  }
  /// input_output_alias: the program reads the parameter and leaves the output in the same memory. See
  /// Executable::Execute.
  static Allocation ParameterAndOutput(int64_t parameter, int64_t output, int64_t size_bytes) {
    return {.kind = Kind::kCaller, .size_bytes = size_bytes, .parameter = parameter, .output = output};
  }
  static Allocation Constant(std::shared_ptr<const AlignedBytes> content) {
    return {.kind = Kind::kConstant, .size_bytes = content->size(), .constant = std::move(content)};
  }
  static Allocation Temp(int64_t size_bytes) { return {.kind = Kind::kTemp, .size_bytes = size_bytes}; }
};

/// A caller's buffer. Starts at a multiple of SUBFLOOR_BUFFER_ALIGNMENT unless it is empty.
struct BufferView {
  void* data = nullptr;
  int64_t size_bytes = 0;
};

}  // namespace subfloor::runtime
