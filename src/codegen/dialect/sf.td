#ifndef SUBFLOOR_CODEGEN_DIALECT_SF
#define SUBFLOOR_CODEGEN_DIALECT_SF

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
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
    A kernel takes typed buffers and is called once per workgroup: on a CPU as one thread, on a GPU as a block of them
    that share memory and meet at barriers. Elements are read and written by linear offset, one or several lanes at a
    time. Everything else (arithmetic, control flow, vectors) comes from upstream dialects.
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

// An index or offset: 32 bits where every buffer of the kernel is small enough, else 64.
def SF_Offset : AnyTypeOf<[I32, I64]>;
// A number in memory: what one lane loads or stores.
def SF_Unit : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;

def SF_Dimension : I32EnumAttr<"Dimension", "of a grid or block", [
    I32EnumAttrCase<"x", 0>, I32EnumAttrCase<"y", 1>, I32EnumAttrCase<"z", 2>]> {
  let cppNamespace = "::subfloor::codegen::sf";
}

def SF_Combiner : I32EnumAttr<"Combiner", "how two values become one", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"minimum", 1>, I32EnumAttrCase<"maximum", 2>,
    I32EnumAttrCase<"and_", 3, "and">, I32EnumAttrCase<"or_", 4, "or">, I32EnumAttrCase<"xor_", 5, "xor">,
    I32EnumAttrCase<"replace", 6>]> {
  let cppNamespace = "::subfloor::codegen::sf";
}

def SF_KernelOp : SF_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, OpAsmOpInterface]> {
  let summary = "code of one workgroup, or of one thread of a block";
  let description = [{
    Arguments are buffers: `inputs` operands, then results, then perhaps scratch. `may_alias` lists pairs (argument,
    argument) that may be one memory; any other two never overlap where one of them is written.

    With `grid` and `block` (x, y, z each) it is a GPU's kernel: the body is what each thread does. Only such a body may
    hold the ops on threads.

    ```mlir
    sf.kernel @add(%in0: !sf.buffer<8xf32>, %in1: !sf.buffer<8xf32>, %out0: !sf.buffer<8xf32>)
        attributes {inputs = 2 : i64, workgroups = 1 : i64} { ... sf.return }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, I64Attr:$inputs,
                   I64Attr:$workgroups, OptionalAttr<DenseI64ArrayAttr>:$may_alias,
                   OptionalAttr<DenseI64ArrayAttr>:$grid, OptionalAttr<DenseI64ArrayAttr>:$block,
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
  let arguments = (ins SF_BufferType:$buffer, SF_Offset:$offset, OptionalAttr<I64Attr>:$alignment);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$buffer `` custom<Offset>($offset, type($offset)) (`align` $alignment^)? attr-dict `:` type($buffer) `->` type($value)";
  let hasVerifier = 1;
}

def SF_StoreOp : SF_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes one unit, or consecutive units from a vector";
  let arguments = (ins AnyType:$value, SF_BufferType:$buffer, SF_Offset:$offset, OptionalAttr<I64Attr>:$alignment);
  let assemblyFormat =
    "$value `,` $buffer `` custom<Offset>($offset, type($offset)) (`align` $alignment^)? attr-dict `:` type($value) `,` type($buffer)";
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

//===-- Threads of a GPU ------------------------------------------------------------------------------------------===//

class SF_ThreadOp<string mnemonic, list<Trait> traits = []> : SF_Op<mnemonic, traits> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::verify() { return VerifyInBlock(*this); }
  }];
}

def SF_ThreadIdOp : SF_ThreadOp<"thread_id", [Pure]> {
  let summary = "number of this thread in its block, along x, y or z";
  let arguments = (ins SF_Dimension:$dimension);
  let results = (outs SF_Offset:$id);
  let assemblyFormat = "$dimension attr-dict `:` type($id)";
}

def SF_BlockIdOp : SF_ThreadOp<"block_id", [Pure]> {
  let summary = "number of this block in the grid, along x, y or z";
  let arguments = (ins SF_Dimension:$dimension);
  let results = (outs SF_Offset:$id);
  let assemblyFormat = "$dimension attr-dict `:` type($id)";
}

def SF_SharedOp : SF_ThreadOp<"shared", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory that the threads of a block share, uninitialised";
  let results = (outs SF_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def SF_BarrierOp : SF_ThreadOp<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for all threads of the block; what they wrote before is seen after";
  let assemblyFormat = "attr-dict";
}

def SF_ShuffleDownOp : SF_ThreadOp<"shuffle_down", [SameOperandsAndResultType, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the value of the thread `distance` lanes further in the same warp";
  let description = [{
    All threads of the warp take part. Where no such lane exists the thread keeps its own value.
  }];
  let arguments = (ins SF_Unit:$value, I32Attr:$distance);
  let results = (outs SF_Unit:$result);
  let assemblyFormat = "$value `,` $distance attr-dict `:` type($value)";
}

def SF_AtomicOp : SF_Op<"atomic", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "combines a value into memory at once";
  let description = [{
    `sf.atomic add %v, %out0[%i : i32] : f32, !sf.buffer<8xf32>` means out0[i] = out0[i] + v with no other atomic in between, by
    the arithmetic of the buffer's element type. Integers compare by the signedness of that type.
  }];
  let hasVerifier = 1;
  let arguments = (ins SF_Combiner:$combiner, SF_Unit:$value, SF_BufferType:$buffer, SF_Offset:$offset);
  let assemblyFormat = "$combiner $value `,` $buffer `` custom<Offset>($offset, type($offset)) attr-dict `:` type($value) `,` type($buffer)";
}

def SF_AtomicUpdateOp : SF_Op<"atomic_update", [MemoryEffects<[MemRead, MemWrite]>, SingleBlock]> {
  let summary = "replaces an element by what the region makes of it";
  let description = [{
    The region gets the unit in memory and yields the new one; it runs again when another thread was faster, so it must
    have no other effect.

    ```mlir
    sf.atomic_update %out0[%i : i32] : !sf.buffer<8xf32> { ^bb0(%old: f32): ... sf.yield %new : f32 }
    ```
  }];
  let hasVerifier = 1;
  let arguments = (ins SF_BufferType:$buffer, SF_Offset:$offset);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$buffer `` custom<Offset>($offset, type($offset)) attr-dict `:` type($buffer) $body";
}

def SF_YieldOp : SF_Op<"yield", [Pure, HasParent<"AtomicUpdateOp">, Terminator]> {
  let summary = "the new value of an atomic update";
  let arguments = (ins SF_Unit:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
