#pragma once

#include "codegen/elemental/elemental.h"
#include "codegen/elemental/value.h"

/// What the families of ops share inside elemental/.
namespace subfloor::codegen::elemental {

/// Brings a sub-byte integer that was computed in 8 bits back to its width: the upper bits become copies of
/// its sign, or zeros. Other types are as they were.
V Normalize(ElementType type, const V& x);

/// The smallest and the largest value of an integer type, in the type and lanes of `like`.
inline V LowestOf(ElementType type, const V& like) {
  return IsSigned(type) ? Num(like, static_cast<int64_t>(~uint64_t{0} << (BitWidth(type) - 1)))
                        : Num(like, 0);
}
inline V HighestOf(ElementType type, const V& like) {
  if (IsSigned(type)) return Num(like, static_cast<int64_t>(~(~uint64_t{0} << (BitWidth(type) - 1))));
  return Num(like, BitWidth(type) == 64 ? int64_t{-1} : (int64_t{1} << BitWidth(type)) - 1);
}

}  // namespace subfloor::codegen::elemental
