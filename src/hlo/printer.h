#pragma once

#include <string>

#include "hlo/module.h"

namespace subfloor::hlo {

/// How much of a program its text says, and how.
struct PrintOptions {
  bool percent = true;          ///< `%` before names
  bool operand_shapes = false;  ///< `add(f32[2]{0} %x, ...)`
  bool signatures = true;       ///< `(p: f32[2]) -> f32[2]` behind a computation's name
  bool metadata = true;         ///< metadata={...}, and the tables that it refers to
  bool index_comments = true;   ///< `/*index=5*/` before every fifth operand and tuple element
  bool print_large_constants =
      true;                      ///< otherwise arrays of more than 10 elements, and tuples, print as `{...}`
  bool canonical_names = false;  ///< names become numbers in the order of printing

  /// The default: names with `%`, no operand shapes, metadata, every constant in full. Reads back as the same
  /// module.
  static PrintOptions Short() { return {}; }
  /// With the shapes of operands.
  static PrintOptions Long() { return {.operand_shapes = true}; }
  /// For people: no `%`, no metadata, no comments. Reads back as the same program.
  static PrintOptions ShortParsable() {
    return {.percent = false, .signatures = false, .metadata = false, .index_comments = false};
  }
  /// For comparing: two modules that differ in names, metadata and the module's name only print alike.
  static PrintOptions Canonical() {
    return {.percent = false,
            .signatures = false,
            .metadata = false,
            .index_comments = false,
            .canonical_names = true};
  }
};

/// The text of a module: computations before their callers, the entry last, instructions after their operands
/// (in schedule order if the module is scheduled). With large constants on, ParseModule reads the same module
/// from it, and printing that gives the same bytes again. Never fails, whatever state the module is in.
/// Threads: reads only.
std::string Print(const Module& module, const PrintOptions& options = {});

/// One computation, without the ones it calls.
std::string Print(const Computation& computation, const PrintOptions& options = {});

/// One instruction, as its line stands in a module, without indentation and newline.
std::string Print(const Instruction& instruction, const PrintOptions& options = {});

}  // namespace subfloor::hlo
