#include <cstring>

#include "types/narrow.h"

namespace subfloor {
namespace {

// Literals are little endian, and so is every host that Subfloor runs on.
uint64_t Load(const std::byte* from, int size) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(size));
  return bits;
}

}  // namespace

uint64_t GetBits(const Literal& literal, int64_t index) {
  const int size = ByteWidth(literal.element_type());
  return Load(literal.bytes().data() + index * size, size);
}

void SetBits(Literal& literal, int64_t index, uint64_t bits) {
  const int size = ByteWidth(literal.element_type());
  std::memcpy(literal.mutable_bytes().data() + index * size, &bits, static_cast<size_t>(size));
}

uint64_t GetPartBits(const Literal& literal, int64_t index, int part) {
  const int size = ByteWidth(literal.element_type()) / 2;
  return Load(literal.bytes().data() + (2 * index + part) * size, size);
}

void SetPartBits(Literal& literal, int64_t index, int part, uint64_t bits) {
  const int size = ByteWidth(literal.element_type()) / 2;
  std::memcpy(literal.mutable_bytes().data() + (2 * index + part) * size, &bits, static_cast<size_t>(size));
}

double GetAsDouble(const Literal& literal, int64_t index) {
  const ElementType type = literal.element_type();
  if (IsComplex(type)) return ToDouble(ComponentType(type), GetPartBits(literal, index, 0));
  return ToDouble(type, GetBits(literal, index));
}

int64_t GetAsInt(const Literal& literal, int64_t index) {
  const ElementType type = literal.element_type();
  if (IsComplex(type)) return ToInt(ComponentType(type), GetPartBits(literal, index, 0));
  return ToInt(type, GetBits(literal, index));
}

std::complex<double> GetAsComplex(const Literal& literal, int64_t index) {
  const ElementType type = literal.element_type();
  if (!IsComplex(type)) return {ToDouble(type, GetBits(literal, index)), 0.0};
  return {ToDouble(ComponentType(type), GetPartBits(literal, index, 0)),
          ToDouble(ComponentType(type), GetPartBits(literal, index, 1))};
}

void SetFromDouble(Literal& literal, int64_t index, double value) {
  SetFromComplex(literal, index, {value, 0.0});
}

void SetFromInt(Literal& literal, int64_t index, int64_t value) {
  const ElementType type = literal.element_type();
  if (!IsComplex(type)) return SetBits(literal, index, FromInt(type, value));
  SetPartBits(literal, index, 0, FromInt(ComponentType(type), value));
  SetPartBits(literal, index, 1, 0);
}

void SetFromComplex(Literal& literal, int64_t index, std::complex<double> value) {
  const ElementType type = literal.element_type();
  if (!IsComplex(type)) return SetBits(literal, index, FromDouble(type, value.real()));
  SetPartBits(literal, index, 0, FromDouble(ComponentType(type), value.real()));
  SetPartBits(literal, index, 1, FromDouble(ComponentType(type), value.imag()));
}

}  // namespace subfloor
