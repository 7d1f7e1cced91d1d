// Without parts of a CUDA toolkit: each is named.
// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir -p %t/nvvm
// RUN: env CUDA_HOME=%t not partita-translate --spmd-to-ptx %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LIBDEVICE
// RUN: ln -s $CUDA_HOME/nvvm/libdevice %t/nvvm/libdevice
// RUN: env CUDA_HOME=%t not partita-translate --spmd-to-cubin %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PTXAS
// RUN: env CUDA_HOME=%t partita-translate --spmd-to-ptx %s | FileCheck %s --check-prefix=PTX
// LIBDEVICE: error: no CUDA toolkit with nvvm/libdevice/libdevice.10.bc found
// LIBDEVICE: note: fix: set CUDA_HOME to a CUDA toolkit
// PTXAS: error: ptxas not found
// PTXAS: note: fix: set CUDA_HOME to a CUDA toolkit
// PTX: .visible .entry map_0
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
