#pragma once

#include <string_view>

#include "codegen/dialect/sf.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace subfloor::codegen {

/// `value` combined into the unit at `address` at once, by the arithmetic of `element`: one instruction where
/// the target has it, else LLVM's loop of compare-and-exchange. `scope`: LLVM's name of the threads that may
/// see it, "" for all.
void CombineAtomically(mlir::ImplicitLocOpBuilder& b, sf::Combiner combiner, ElementType element,
                       mlir::Value value, mlir::Value address, std::string_view scope);

/// The unit of type `type` at `address` replaced by what `body` makes of it: a loop of compare-and-exchange
/// around the block's ops, which move there. The block takes the old unit and ends in sf.yield.
void UpdateAtomically(mlir::ImplicitLocOpBuilder& b, mlir::Type type, mlir::Value address, mlir::Block& body,
                      std::string_view scope);

}  // namespace subfloor::codegen
