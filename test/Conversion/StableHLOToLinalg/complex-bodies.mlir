// Bodies that kernels call back, on complex numbers: a window's maximum, a sort, and a scatter that multiplies and adds.
// RUN: partita-run %s --engine=jit --compare=unsharded | FileCheck %s
// CHECK: equal

func.func @main(%c: tensor<6xcomplex<f32>>, %d: tensor<4xcomplex<f64>>) -> (tensor<6xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<6xcomplex<f32>>) {
  %low = stablehlo.constant dense<(0xFF800000, 0xFF800000)> : tensor<complex<f32>>
  %0 = "stablehlo.reduce_window"(%c, %low) <{padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %m = stablehlo.maximum %a, %b : tensor<complex<f32>>
    stablehlo.return %m : tensor<complex<f32>>
  }) : (tensor<6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6xcomplex<f32>>
  %1 = "stablehlo.sort"(%d) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
    %x = stablehlo.real %a : (tensor<complex<f64>>) -> tensor<f64>
    %y = stablehlo.real %b : (tensor<complex<f64>>) -> tensor<f64>
    %l = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  %at = stablehlo.constant dense<[[1], [4], [1]]> : tensor<3x1xi32>
  %u = stablehlo.slice %c [2:5] : (tensor<6xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  %2 = "stablehlo.scatter"(%c, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %p = stablehlo.multiply %a, %b : tensor<complex<f32>>
    %s = stablehlo.add %p, %b : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) : (tensor<6xcomplex<f32>>, tensor<3x1xi32>, tensor<3xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  return %0, %1, %2 : tensor<6xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<6xcomplex<f32>>
}
