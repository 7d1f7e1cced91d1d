// Files of inputs that do not fit: count, dtype, shape, no zip, cut off, a
// member that is no array. The error is at main, and nothing is written.
// RUN: rm -rf %t && mkdir %t
// RUN: %make_npz %t/good.npz f4:4x2:arange i4:3:1,2,3
// RUN: partita-run %s --inputs=%t/good.npz | FileCheck %s
// CHECK: 2 devices

// RUN: %make_npz %t/count.npz f4:4x2:arange
// RUN: not partita-run %s --inputs=%t/count.npz --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: wrong-inputs.mlir:[[#]]:3: error: main has 2 arguments, '{{.*}}count.npz' has 1 arrays
// COUNT: note: fix: save one array per argument, in order

// RUN: %make_npz %t/dtype.npz f8:4x2:arange i4:3:1,2,3
// RUN: not partita-run %s --inputs=%t/dtype.npz --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error: argument #0 is 'tensor<4x2xf32>', array 'arr_0' has dtype <f8 and shape (4, 2)
// DTYPE: note: fix: save it with dtype <f4 and the argument's shape

// RUN: %make_npz %t/shape.npz f4:2x4:arange i4:3:1,2,3
// RUN: not partita-run %s --inputs=%t/shape.npz --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: argument #0 is 'tensor<4x2xf32>', array 'arr_0' has dtype <f4 and shape (2, 4)

// RUN: cp %s %t/text.npz
// RUN: not partita-run %s --inputs=%t/text.npz --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=ZIP
// ZIP: error: cannot read inputs from '{{.*}}text.npz': it has no zip directory
// ZIP: note: fix: --inputs is normal, positive, or a file written by np.savez(path, *arguments)

// RUN: printf abc > %t/short.npz
// RUN: not partita-run %s --inputs=%t/short.npz --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: cannot read inputs from '{{.*}}short.npz': it is too short for a zip archive

// RUN: %make_npz --cut=300 %t/cut.npz f4:4x2:arange i4:3:1,2,3
// RUN: not partita-run %s --inputs=%t/cut.npz --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: cannot read inputs from '{{.*}}cut.npz': it has no zip directory

// Data that are shorter than dtype and shape say.
// RUN: %make_npz %t/damaged.npz f4:4x2:1,2,3 i4:3:1,2,3
// RUN: not partita-run %s --inputs=%t/damaged.npz --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: error: array 'arr_0' in '{{.*}}damaged.npz' has 12 bytes, which do not fit its dtype and shape
// DAMAGED: note: fix: write the file anew

// RUN: %python -c "import zipfile; zipfile.ZipFile('%t/member.npz', 'w').writestr('arr_0.npy', b'x' * 200)"
// RUN: not partita-run %s --inputs=%t/member.npz --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=MEMBER
// MEMBER: error: cannot read inputs from '{{.*}}member.npz': member 'arr_0.npy' is no .npy array

// RUN: not partita-run %s --inputs=%t/none.npz --outputs=%t/out.npz 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: cannot read inputs from '{{.*}}none.npz': No such file or directory

// RUN: not partita-run %s --outputs=%t/none/out.npz 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: error: cannot write results: '{{.*}}out.npz': No such file or directory
// OUT: note: fix: name a .npz in a folder that exists

// RUN: not ls %t/out.npz

module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<3xi32>) -> (tensor<4x2xf32>, tensor<3xi32>) {
    return %arg0, %arg1 : tensor<4x2xf32>, tensor<3xi32>
  }
}
