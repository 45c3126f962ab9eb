#ifndef SUBFLOOR_CODEGEN_DIALECT_SF
#define SUBFLOOR_CODEGEN_DIALECT_SF

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def SF_Dialect : Dialect {
  let name = "sf";
  let cppNamespace = "::subfloor::codegen::sf";
  let summary = "What a kernel is made of, besides arithmetic";
  let description = [{
    A kernel takes typed buffers and is called once per workgroup. Elements are read and written by linear offset, one
    or several lanes at a time. Everything else (arithmetic, control flow, vectors) comes from upstream dialects.
  }];
  let useDefaultTypePrinterParser = 1;
}

class SF_Op<string mnemonic, list<Trait> traits = []> : Op<SF_Dialect, mnemonic, traits>;

//===-- Types -----------------------------------------------------------------------------------------------------===//

def SF_BufferType : TypeDef<SF_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a row-major array in memory, of an HLO element type";
  let description = [{
    `!sf.buffer<8x16xbf16>`. One byte an element below eight bits, pred as a byte, complex as two components.
    Starts at a multiple of 64 bytes.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$sizes, "::subfloor::ElementType":$element);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Units a load or store counts in: elements, or components of a complex type.
    int64_t unitCount() const;
    /// What one unit looks like in memory: i8 for pred and sub-byte types, bits in iN for floats below f32.
    ::mlir::Type storageType() const;
  }];
}

//===-- Kernels ---------------------------------------------------------------------------------------------------===//

def SF_KernelOp : SF_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, OpAsmOpInterface]> {
  let summary = "code of one workgroup";
  let description = [{
    Arguments are buffers: `inputs` operands, then results, then perhaps scratch. `may_alias` lists pairs (argument,
    argument) that may be one memory; any other two never overlap where one of them is written.

    ```mlir
    sf.kernel @add(%in0: !sf.buffer<8xf32>, %in1: !sf.buffer<8xf32>, %out0: !sf.buffer<8xf32>)
        attributes {inputs = 2 : i64, workgroups = 1 : i64} { ... sf.return }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, I64Attr:$inputs,
                   I64Attr:$workgroups, OptionalAttr<DenseI64ArrayAttr>:$may_alias,
                   OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region* getCallableRegion() { return &getBody(); }
    void getAsmBlockArgumentNames(::mlir::Region& region, ::mlir::OpAsmSetValueNameFn set_name);
  }];
}

def SF_ReturnOp : SF_Op<"return", [Pure, HasParent<"KernelOp">, Terminator]> {
  let summary = "ends a kernel";
  let assemblyFormat = "attr-dict";
}

def SF_WorkgroupIdOp : SF_Op<"workgroup_id", [Pure]> {
  let summary = "number of this workgroup, from 0";
  let results = (outs I64:$id);
  let assemblyFormat = "attr-dict";
}

//===-- Memory ----------------------------------------------------------------------------------------------------===//

def SF_LoadOp : SF_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "reads one unit, or consecutive units as a vector";
  let description = [{
    `sf.load %in0[%i] : !sf.buffer<8x16xf32> -> vector<16xf32>` reads the units from linear offset `%i` on. All of them must
    lie inside the buffer. `alignment` in bytes is that of the first unit; its own size if absent.
  }];
  let arguments = (ins SF_BufferType:$buffer, I64:$offset, OptionalAttr<I64Attr>:$alignment);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$buffer `[` $offset `]` (`align` $alignment^)? attr-dict `:` type($buffer) `->` type($value)";
  let hasVerifier = 1;
}

def SF_StoreOp : SF_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes one unit, or consecutive units from a vector";
  let arguments = (ins AnyType:$value, SF_BufferType:$buffer, I64:$offset, OptionalAttr<I64Attr>:$alignment);
  let assemblyFormat =
    "$value `,` $buffer `[` $offset `]` (`align` $alignment^)? attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def SF_ConstantOp : SF_Op<"constant", [Pure]> {
  let summary = "a buffer that lies in the image";
  let description = [{ `bytes` holds the elements as memory would. }];
  let arguments = (ins DenseI8ArrayAttr:$bytes);
  let results = (outs SF_BufferType:$buffer);
  let assemblyFormat = "$bytes attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def SF_ViewOp : SF_Op<"view", [Pure]> {
  let summary = "a part of a buffer of bytes, as a buffer of another type";
  let description = [{ `sf.view %scratch at 64 : !sf.buffer<512xu8> -> !sf.buffer<100xf32>`; offsets are multiples of 64. }];
  let arguments = (ins SF_BufferType:$source, I64Attr:$byte_offset);
  let results = (outs SF_BufferType:$buffer);
  let assemblyFormat = "$source `at` $byte_offset attr-dict `:` type($source) `->` type($buffer)";
  let hasVerifier = 1;
}

def SF_LocalOp : SF_Op<"local", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a small uninitialised buffer on the stack of the workgroup";
  let results = (outs SF_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

#endif
