// The kernels of the GPU, run on the CPU, give what the evaluator gives.
// RUN: partita-run %src/examples/mlp_train_step/train_step.mlir --engine=gpu-emulate --inputs=positive --compare=unsharded | FileCheck %s
// RUN: partita-run %src/test/Target/CPU/jit.mlir --engine=gpu-emulate --compare=unsharded | FileCheck %s
// CHECK: equal (floats
