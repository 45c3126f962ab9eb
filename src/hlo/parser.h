#pragma once

#include <memory>
#include <string_view>

#include "base/error.h"
#include "hlo/module.h"

namespace subfloor::hlo {

/// Reads HLO text.
///
/// Takes a module (`HloModule ...`), bare computations (without ENTRY the last one is the entry), or one
/// instruction, whose operands written with a shape become the parameters of a computation around it. Shapes
/// may be left out where operands and attributes settle them. Names stay as written unless two computations
/// use the same one, when the later ones get a number. Elided constants `{...}` get a value that depends on
/// their shape alone and stay marked as elided.
///
/// Errors: bad input with file, line, column, instruction, what was found and what was wanted; nothing that
/// the text says aborts, and no nesting in it costs stack. What is checked is the text; whether the program
/// makes sense is the verifier's question. Threads: any number at once.
Result<std::unique_ptr<Module>> ParseModule(std::string_view text, std::string_view file_name = "");

/// Reads a shape and nothing else: `(f32[2,3]{1,0}, token[])`.
Result<Shape> ParseShape(std::string_view text);

/// Reads a literal of the given shape and nothing else: `{1, 2, nan}`. `{...}` is refused: it has no value of
/// its own.
Result<Literal> ParseLiteral(const Shape& shape, std::string_view text);

}  // namespace subfloor::hlo
