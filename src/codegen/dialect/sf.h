#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "types/element_type.h"

/// The dialect in which emitters write kernels; its ops are described in sf.td.

#include "codegen/dialect/sf_dialect.h.inc"
#include "codegen/dialect/sf_enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "codegen/dialect/sf_types.h.inc"

#define GET_OP_CLASSES
#include "codegen/dialect/sf_ops.h.inc"

namespace subfloor::codegen::sf {

/// What one unit of an array of this type looks like in memory: i8 for pred and types below eight bits, the
/// bits in iN for floats narrower than f32, the component for complex types.
mlir::Type MemoryType(mlir::MLIRContext* context, ElementType element);

}  // namespace subfloor::codegen::sf
