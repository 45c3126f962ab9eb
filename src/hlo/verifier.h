#pragma once

#include "base/error.h"
#include "hlo/module.h"

namespace subfloor::hlo {

struct VerifyOptions {
  /// Also wants what code generation takes: every array row-major, no tiles, no memory space but the default
  /// one, sub-byte elements packed at their own width or not at all.
  bool normal_form = false;
};

/// Says whether a module is well formed. What it checks, in this order:
///
/// Module
///  - there is an entry, nothing calls it, replica and partition counts are 1 or more
///  - every called computation is one of the module's, and no computation calls itself, even through others
/// Computation
///  - a root that is one of its instructions; parameter numbers dense from 0
///  - operands and control edges stay inside; control edges are known to both ends
///  - no cycle of operands and control edges; if scheduled, each instruction after all that it waits for
/// Instruction
///  - attributes of the kind that the opcode carries; as many operands and called computations as it wants
///  - attributes in range, called computations' signatures and the result's shape by shape_inference.h:
///  layouts aside,
///    and for operands that differ in float precision with any of their types
///  - dynamic dimensions: a result is dynamic where inference says so, and nowhere else unless its shape must
///  be written
///  - shapes of at most 2^63 - 1 bytes; layouts that list every dimension once; element sizes that E(n) may
///  have
///  - each -done (and async-update) takes what its own -start makes
/// Collectives
///  - ids of a group at most once and below the number of replicas, partitions or devices that they count
///  - groups of equal sizes where shapes depend on them; global device ids only with a channel
///  - each source and each target of a permutation once; a channel is used by one kind of operation
/// Header
///  - the entry layout fits parameters and root, or these are the row-major arrays of the same bytes
///  - aliases and donors name existing leaves, each output and each parameter leaf once, of equal shape
/// With `normal_form`: as VerifyOptions says.
///
/// Errors: bad input with the instruction's name and position. Time is linear in the module; the stack does
/// not grow with it. Threads: reads only.
Status Verify(const Module& module, const VerifyOptions& options = {});

}  // namespace subfloor::hlo
