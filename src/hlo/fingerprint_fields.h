#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hlo/fingerprint.h"
#include "hlo/instruction.h"

/// The bytes that a fingerprint is a hash of: every field of an instruction, unambiguous (lists and texts
/// carry their length) and without names.
namespace subfloor::hlo::fingerprint {

class Bytes {
 public:
  void Add(int64_t value) { Raw(&value, sizeof(value)); }
  void Add(const Fingerprint& value) {
    Raw(&value.high, sizeof(value.high));
    Raw(&value.low, sizeof(value.low));
  }
  void Add(std::string_view text) {
    Add(static_cast<int64_t>(text.size()));
    Raw(text.data(), text.size());
  }
  void Add(std::span<const int64_t> values) {
    Add(static_cast<int64_t>(values.size()));
    Raw(values.data(), values.size_bytes());
  }
  void Add(const std::vector<int64_t>& values) { Add(std::span<const int64_t>(values)); }
  /// Types, sizes, dynamic marks and layouts; a missing layout counts as the row-major one.
  void Add(const Shape& shape);
  /// Shape and bits; a large value goes in as a hash of its own.
  void Add(const Literal& literal);

  Fingerprint Hash() const;

 private:
  void Raw(const void* data, size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

/// Opcode, shape, attributes and those annotations that can change the executable; no operands, no callees.
void AddInstruction(Bytes& bytes, const Instruction& instruction);

}  // namespace subfloor::hlo::fingerprint
