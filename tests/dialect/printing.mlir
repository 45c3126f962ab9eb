// RUN: subfloor opt %s | FileCheck %s
// RUN: subfloor opt %s | subfloor opt - --dialect | FileCheck %s
// Every op as it prints; what is printed reads back the same.

// CHECK-LABEL: sf.kernel @all(%in0: !sf.buffer<8x16xbf16>, %in1: !sf.buffer<4xpred>, %out0: !sf.buffer<128xf32>, %out1: !sf.buffer<512xu8>)
// CHECK-SAME: attributes {inputs = 2 : i64, may_alias = array<i64: 0, 2>, workgroups = 3 : i64}
sf.kernel @all(%in0: !sf.buffer<8x16xbf16>, %in1: !sf.buffer<4xpred>, %out0: !sf.buffer<128xf32>,
               %scratch0: !sf.buffer<512xu8>)
    attributes {inputs = 2 : i64, workgroups = 3 : i64, may_alias = array<i64: 0, 2>} {
  // CHECK: %[[ID:.*]] = sf.workgroup_id
  %id = sf.workgroup_id
  // CHECK: %[[W:.*]] = sf.load %in0[%[[ID]]] align 32 : <8x16xbf16> -> vector<16xi16>
  %wide = sf.load %in0[%id] align 32 : <8x16xbf16> -> vector<16xi16>
  // CHECK: sf.load %in1[%[[ID]]] : <4xpred> -> i8
  %byte = sf.load %in1[%id] : <4xpred> -> i8
  // CHECK: sf.constant [0, 0, -128, 63] : <1xf32>
  %one = sf.constant [0, 0, -128, 63] : <1xf32>
  // CHECK: %[[V:.*]] = sf.view %{{.*}} at 64 : <512xu8> -> <100xf32>
  %view = sf.view %scratch0 at 64 : <512xu8> -> <100xf32>
  // CHECK: sf.local : <16xs32>
  %local = sf.local : <16xs32>
  %x = sf.load %one[%id] : <1xf32> -> f32
  // CHECK: sf.store %{{.*}}, %[[V]][%[[ID]]] : f32, <100xf32>
  sf.store %x, %view[%id] : f32, <100xf32>
  // CHECK: sf.return
  sf.return
}
