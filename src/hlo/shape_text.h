#pragma once

#include "absl/container/flat_hash_map.h"
#include "hlo/lexer.h"
#include "hlo/name_table.h"
#include "types/shape.h"

namespace subfloor::hlo {

/// Reads a shape: `f32[2,<=3]{1,0:T(8,128)S(5)}`, `(s32[], (token[], b(f32[3])))`. Nesting costs no stack.
/// A `{` behind an array's dimensions is a layout when an integer or `:` follows, or, behind a scalar and
/// without a space, a `}`. Errors: false, recorded in the lexer. Source: facts of the language, "Shapes and
/// layouts".
bool ReadShape(Lexer& lexer, Shape& out);

/// The array shapes read so far from one text, by how they were written: a program has few different ones,
/// and reading one again is a look-up that gives the same shared Shape. Lives no longer than the lexer.
class ShapeMemory {
 public:
  /// As ReadShape.
  bool Read(Lexer& lexer, Shape& out);

 private:
  friend class ShapeReader;
  absl::flat_hash_map<std::string_view, Shape, NameHash> by_text_;
};

/// True when a shape begins at the cursor: `(`, or a type's name followed by `[`, or `b(`.
bool AtShape(const Lexer& lexer);

/// `{0,1}`, one index or dimension list; spaces are free.
bool ReadIntegerList(Lexer& lexer, std::vector<int64_t>& out,
                     std::string_view wanted = "`{` and a list of integers");

}  // namespace subfloor::hlo
