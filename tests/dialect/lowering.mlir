// RUN: subfloor opt %s --until=cse | FileCheck %s --check-prefix=CSE
// RUN: subfloor opt %s --until=lower-kernels | FileCheck %s --check-prefix=KERNELS
// RUN: subfloor opt %s --until=scf-to-cf | FileCheck %s --check-prefix=FLAT
// RUN: subfloor opt %s --pipeline | FileCheck %s --check-prefix=LLVM
// One kernel through every step: a loop that negates sixteen lanes at a time, its address computed twice.

sf.kernel @negate(%in0: !sf.buffer<64xf32>, %out0: !sf.buffer<64xf32>)
    attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %four = arith.constant 4 : i64
  %sixteen = arith.constant 16 : i64
  scf.for %i = %zero to %four step %one : i64 {
    %from = arith.muli %i, %sixteen : i64
    %to = arith.muli %i, %sixteen : i64
    %x = sf.load %in0[%from] align 64 : <64xf32> -> vector<16xf32>
    %y = arith.negf %x : vector<16xf32>
    sf.store %y, %out0[%to] align 64 : vector<16xf32>, <64xf32>
  }
  sf.return
}

// CSE: sf.kernel @negate
// CSE: %[[AT:.*]] = arith.muli
// CSE-NOT: arith.muli
// CSE: sf.load %in0[%[[AT]]]
// CSE: sf.store %{{.*}}, %out0[%[[AT]]]

// KERNELS-NOT: sf.
// KERNELS: llvm.func @negate
// KERNELS: scf.for
// KERNELS: llvm.load %{{.*}}alignment = 64 : i64
// KERNELS: arith.negf
// KERNELS: llvm.store %{{.*}}alignment = 64 : i64

// FLAT-NOT: scf.
// FLAT: cf.cond_br
// FLAT: arith.negf

// LLVM-NOT: arith.
// LLVM: llvm.func @negate
// LLVM: llvm.cond_br
// LLVM: llvm.fneg
