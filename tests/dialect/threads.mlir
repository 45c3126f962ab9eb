// RUN: subfloor opt %s | FileCheck %s
// RUN: subfloor opt %s | subfloor opt - --dialect | FileCheck %s
// RUN: subfloor opt %s --pipeline | FileCheck %s --check-prefix=PTX
// Ops on threads as they print, and what they become for NVPTX.

// CHECK-LABEL: sf.kernel @threads(%in0: !sf.buffer<4096xf32>, %out0: !sf.buffer<4096xf32>)
// CHECK-SAME: block = array<i64: 128, 1, 1>, grid = array<i64: 8, 1, 1>
// PTX: llvm.mlir.global internal @[[SHARED:.*]]() {addr_space = 3 : i32, alignment = 64 : i64} : !llvm.array<128 x f32>
// PTX: llvm.func ptx_kernelcc @threads(%[[IN:.*]]: !llvm.ptr<1> {llvm.align = 64 : i64, llvm.dereferenceable = 16384 : i64, llvm.noalias, llvm.readonly}
// PTX-SAME: "nvvm.reqntid", "128,1,1"
sf.kernel @threads(%in0: !sf.buffer<4096xf32>, %out0: !sf.buffer<4096xf32>)
    attributes {inputs = 1 : i64, workgroups = 1 : i64, grid = array<i64: 8, 1, 1>, block = array<i64: 128, 1, 1>} {
  // CHECK: %[[T:.*]] = sf.thread_id x : i32
  // PTX: llvm.nvvm.read.ptx.sreg.tid.x
  %t = sf.thread_id x : i32
  // CHECK: %[[B:.*]] = sf.block_id y : i64
  // PTX: %[[BLOCK:.*]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.ctaid.y"
  // PTX: llvm.zext %[[BLOCK]] : i32 to i64
  %b = sf.block_id y : i64
  // CHECK: %[[V:.*]] = sf.load %in0[%[[T]] : i32] : <4096xf32> -> f32
  %v = sf.load %in0[%t : i32] : <4096xf32> -> f32
  // CHECK: %[[S:.*]] = sf.shared : <128xf32>
  %s = sf.shared : !sf.buffer<128xf32>
  // CHECK: sf.store %[[V]], %[[S]][%[[T]] : i32] : f32, <128xf32>
  sf.store %v, %s[%t : i32] : f32, <128xf32>
  // CHECK: sf.barrier
  // PTX: llvm.nvvm.barrier.cta.sync.aligned.all
  sf.barrier
  // CHECK: %[[D:.*]] = sf.shuffle_down %[[V]], 16 : f32
  // PTX: llvm.nvvm.shfl.sync.down.i32
  %d = sf.shuffle_down %v, 16 : f32
  // CHECK: sf.atomic add %[[D]], %out0[%[[B]]] : f32, <4096xf32>
  // PTX: llvm.atomicrmw fadd {{.*}} syncscope("device") monotonic : !llvm.ptr<1>, f32
  sf.atomic add %d, %out0[%b] : f32, <4096xf32>
  // CHECK: sf.atomic_update %out0[%[[T]] : i32] : <4096xf32> {
  // CHECK-NEXT: ^bb0(%[[OLD:.*]]: f32):
  // CHECK-NEXT: %[[NEW:.*]] = arith.mulf %[[OLD]], %[[V]] : f32
  // CHECK-NEXT: sf.yield %[[NEW]] : f32
  // PTX: llvm.cmpxchg
  // PTX: llvm.cond_br
  sf.atomic_update %out0[%t : i32] : <4096xf32> {
  ^bb0(%old: f32):
    %new = arith.mulf %old, %v : f32
    sf.yield %new : f32
  }
  // CHECK: sf.return
  // PTX: llvm.return
  sf.return
}
