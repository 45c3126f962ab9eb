#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "types/literal.h"

namespace subfloor {

/// One array literal as the bytes of a .npy file: format 1.0 (2.0 when the header is long), C order, little
/// endian. Types that NumPy lacks are widened without loss: bf16 and the f8, f6 and f4 kinds to float32, s1
/// s2 s4 to int8, u1 u2 u4 to uint8. Errors: bad input for a literal that is no array. Source: the NumPy
/// format description, numpy.lib.format.
Result<std::vector<std::byte>> WriteNpy(const Literal& literal);

/// The literal that the bytes of a .npy file hold, with NumPy's own type: bool, integers, float16 to float64,
/// complex. Takes formats 1, 2 and 3, C or Fortran order, either byte order. Errors: bad input for a damaged
/// file, not supported for other types (structures, objects, strings, long double).
Result<Literal> ReadNpy(std::span<const std::byte> file);

/// The same, converted to the wanted shape. The sizes must agree; every element must convert exactly, else
/// bad input names the first that does not. Raw two-byte and one-byte elements (`V2`, `V1`, as the ml_dtypes
/// package saves bf16 and f8) are taken as the wanted type's bits where the width agrees. The result has the
/// wanted shape, layout included.
Result<Literal> ReadNpy(std::span<const std::byte> file, const Shape& wanted);

/// The same with files; errors name the path.
Status WriteNpyFile(const std::string& path, const Literal& literal);
Result<Literal> ReadNpyFile(const std::string& path);
Result<Literal> ReadNpyFile(const std::string& path, const Shape& wanted);

}  // namespace subfloor
