// RUN: split-file %s %t
// RUN: sh -c 'subfloor opt %t/lanes.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: sh -c 'subfloor opt %t/unit.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: sh -c 'subfloor opt %t/rank.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: sh -c 'subfloor opt %t/align.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: sh -c 'subfloor opt %t/bytes.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: sh -c 'subfloor opt %t/source.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: sh -c 'subfloor opt %t/offset.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: sh -c 'subfloor opt %t/beyond.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: sh -c 'subfloor opt %t/far.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: sh -c 'subfloor opt %t/local.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: sh -c 'subfloor opt %t/argument.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: sh -c 'subfloor opt %t/inputs.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=INPUTS
// RUN: sh -c 'subfloor opt %t/negative.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: sh -c 'subfloor opt %t/workgroups.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=WORKGROUPS
// RUN: sh -c 'subfloor opt %t/pairs.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: sh -c 'subfloor opt %t/alias.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: sh -c 'subfloor opt %t/type.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: sh -c 'subfloor opt %t/huge.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: sh -c 'subfloor opt %t/outside.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: sh -c 'subfloor opt %t/unknown.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sh -c 'subfloor opt %t/text.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: sh -c 'subfloor opt %t/thread.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=THREAD
// RUN: sh -c 'subfloor opt %t/half.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: sh -c 'subfloor opt %t/flat.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=FLAT
// RUN: sh -c 'subfloor opt %t/atomic.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: sh -c 'subfloor opt %t/yield.mlir; test $? = 3' 2>&1 | FileCheck %s --check-prefix=YIELD
// What the verifier refuses, each with its reason; line and column are those of the text.

//--- lanes.mlir
// LANES: lanes.mlir:4:8: 'sf.load' op moves 8 lanes, more than '!sf.buffer<4xf32>' has
sf.kernel @k(%a: !sf.buffer<4xf32>, %b: !sf.buffer<512xu8>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %z = arith.constant 0 : i64
  %v = sf.load %a[%z] : <4xf32> -> vector<8xf32>
  sf.return
}

//--- unit.mlir
// UNIT: 'sf.load' op moves 'f64' but '!sf.buffer<4xf32>' holds 'f32'
sf.kernel @k(%a: !sf.buffer<4xf32>, %b: !sf.buffer<512xu8>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %z = arith.constant 0 : i64
  %v = sf.load %a[%z] : <4xf32> -> f64
  sf.return
}

//--- rank.mlir
// RANK: 'sf.load' op wants a fixed vector of rank 1, found 'vector<2x2xf32>'
sf.kernel @k(%a: !sf.buffer<4xf32>, %b: !sf.buffer<512xu8>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %z = arith.constant 0 : i64
  %v = sf.load %a[%z] : <4xf32> -> vector<2x2xf32>
  sf.return
}

//--- align.mlir
// ALIGN: 'sf.load' op alignment is no power of two
sf.kernel @k(%a: !sf.buffer<4xf32>, %b: !sf.buffer<512xu8>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %z = arith.constant 0 : i64
  %v = sf.load %a[%z] align 3 : <4xf32> -> f32
  sf.return
}

//--- bytes.mlir
// BYTES: 'sf.constant' op holds 3 bytes, its type wants 4
sf.kernel @k(%a: !sf.buffer<4xf32>, %b: !sf.buffer<512xu8>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %z = arith.constant 0 : i64
  %v = sf.constant [1, 2, 3] : <1xf32>
  sf.return
}

//--- source.mlir
// SOURCE: 'sf.view' op wants a source of bytes
sf.kernel @k(%a: !sf.buffer<4xf32>, %b: !sf.buffer<512xu8>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %z = arith.constant 0 : i64
  %v = sf.view %a at 0 : <4xf32> -> <2xf32>
  sf.return
}

//--- offset.mlir
// OFFSET: 'sf.view' op wants an offset that is a multiple of 64
sf.kernel @k(%a: !sf.buffer<4xf32>, %b: !sf.buffer<512xu8>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %z = arith.constant 0 : i64
  %v = sf.view %b at 32 : <512xu8> -> <2xf32>
  sf.return
}

//--- beyond.mlir
// BEYOND: 'sf.view' op reaches beyond its source
sf.kernel @k(%a: !sf.buffer<4xf32>, %b: !sf.buffer<512xu8>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %z = arith.constant 0 : i64
  %v = sf.view %b at 448 : <512xu8> -> <17xf32>
  sf.return
}

//--- far.mlir
// FAR: 'sf.view' op reaches beyond its source
sf.kernel @k(%a: !sf.buffer<4xf32>, %b: !sf.buffer<512xu8>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %z = arith.constant 0 : i64
  %v = sf.view %b at 9223372036854775744 : <512xu8> -> <17xf32>
  sf.return
}

//--- local.mlir
// LOCAL: 'sf.local' op is larger than 64 KiB; use scratch
sf.kernel @k(%a: !sf.buffer<4xf32>, %b: !sf.buffer<512xu8>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %z = arith.constant 0 : i64
  %v = sf.local : <70000xu8>
  sf.return
}

//--- argument.mlir
// ARGUMENT: 'sf.kernel' op takes buffers only, found 'i64'
sf.kernel @k(%a: i64) attributes {inputs = 1 : i64, workgroups = 1 : i64} { sf.return }

//--- inputs.mlir
// INPUTS: 'sf.kernel' op has more inputs than arguments
sf.kernel @k(%a: !sf.buffer<4xf32>) attributes {inputs = 2 : i64, workgroups = 1 : i64} { sf.return }

//--- negative.mlir
// NEGATIVE: 'sf.kernel' op has fewer than no inputs
sf.kernel @k(%a: !sf.buffer<4xf32>) attributes {inputs = -1 : i64, workgroups = 1 : i64} { sf.return }

//--- workgroups.mlir
// WORKGROUPS: 'sf.kernel' op wants at least one workgroup
sf.kernel @k(%a: !sf.buffer<4xf32>) attributes {inputs = 1 : i64, workgroups = 0 : i64} { sf.return }

//--- pairs.mlir
// PAIRS: 'sf.kernel' op may_alias wants pairs
sf.kernel @k(%a: !sf.buffer<4xf32>) attributes {inputs = 1 : i64, workgroups = 1 : i64, may_alias = array<i64: 0>} { sf.return }

//--- alias.mlir
// ALIAS: 'sf.kernel' op may_alias names no argument: 7
sf.kernel @k(%a: !sf.buffer<4xf32>) attributes {inputs = 1 : i64, workgroups = 1 : i64, may_alias = array<i64: 0, 7>} { sf.return }

//--- type.mlir
// TYPE: f33
sf.kernel @k(%a: !sf.buffer<4xf33>) attributes {inputs = 1 : i64, workgroups = 1 : i64} { sf.return }

//--- huge.mlir
// HUGE: a buffer of so many elements is larger than memory can be
sf.kernel @k(%a: !sf.buffer<4000000000x4000000000xf32>) attributes {inputs = 1 : i64, workgroups = 1 : i64} { sf.return }

//--- outside.mlir
// OUTSIDE: 'sf.return' op expects parent op 'sf.kernel'
sf.return

//--- unknown.mlir
// UNKNOWN: foo
foo.bar

//--- text.mlir
// TEXT: HloModule
HloModule m

//--- thread.mlir
// THREAD: 'sf.thread_id' op wants to stand in an sf.kernel with a grid and a block
sf.kernel @k(%a: !sf.buffer<4xf32>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %t = sf.thread_id x : i32
  sf.return
}

//--- half.mlir
// HALF: 'sf.kernel' op has one of grid and block without the other
sf.kernel @k(%a: !sf.buffer<4xf32>) attributes {inputs = 1 : i64, workgroups = 1 : i64, block = array<i64: 1, 1, 1>} {
  sf.return
}

//--- flat.mlir
// FLAT: 'sf.kernel' op wants three sizes of at least 1 for grid and block
sf.kernel @k(%a: !sf.buffer<4xf32>)
    attributes {inputs = 1 : i64, workgroups = 1 : i64, grid = array<i64: 1, 0, 1>, block = array<i64: 1, 1, 1>} {
  sf.return
}

//--- atomic.mlir
// ATOMIC: 'sf.atomic' op combines 'i32' into '!sf.buffer<4xf32>', which holds 'f32'
sf.kernel @k(%a: !sf.buffer<4xf32>)
    attributes {inputs = 0 : i64, workgroups = 1 : i64, grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>} {
  %t = sf.thread_id x : i32
  sf.atomic add %t, %a[%t : i32] : i32, <4xf32>
  sf.return
}

//--- yield.mlir
// YIELD: 'sf.atomic_update' op combines 'i32' into '!sf.buffer<4xf32>', which holds 'f32'
sf.kernel @k(%a: !sf.buffer<4xf32>)
    attributes {inputs = 0 : i64, workgroups = 1 : i64, grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>} {
  %t = sf.thread_id x : i32
  sf.atomic_update %a[%t : i32] : <4xf32> {
  ^bb0(%old: f32):
    sf.yield %t : i32
  }
  sf.return
}
