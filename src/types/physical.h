#pragma once

#include <cstddef>
#include <span>

#include "types/literal.h"
#include "types/shape.h"

namespace subfloor {

/// Copies an array between row-major order and the order its layout names, one byte per sub-byte element in
/// both. A shape without a layout is row-major. Tiles, padding and memory spaces are not looked at.
/// Preconditions: shape.IsArray(); both sides hold shape.byte_size() bytes.
void RowMajorToPhysical(const Shape& shape, std::span<const std::byte> row_major,
                        std::span<std::byte> physical);
void PhysicalToRowMajor(const Shape& shape, std::span<const std::byte> physical,
                        std::span<std::byte> row_major);

}  // namespace subfloor
