// Windows of complex numbers and of truth values are put in place as others are.
// RUN: partita-opt %s --spmd-rewrite-movement | FileCheck %s
// RUN: partita-run %s --partita=uneven-io=pad --compare=exact
// RUN: sed 's/"x"=3/"x"=4/' %s | partita-run - --partita="uneven-io=pad machine=free-network" --engine=jit --compare=unsharded
spmd.mesh @m = <["x"=3]>
#x = #spmd.sharding<@m, [{"x"}]>
#none = #spmd.sharding<@m, [{}]>

// CHECK-NOT: stablehlo.scatter
// CHECK: stablehlo.pad %arg1, %{{.*}}, low = [2], high = [4], interior = [0] {{.*}}complex<f32>
// CHECK: stablehlo.pad %arg3, %{{.*}}, low = [2], high = [4], interior = [0] {{.*}}i1
func.func @main(%a: tensor<7xcomplex<f32>> {spmd.sharding = #x}, %u: tensor<1xcomplex<f32>> {spmd.sharding = #none}, %b: tensor<7xi1> {spmd.sharding = #x}, %v: tensor<1xi1> {spmd.sharding = #none}) -> (tensor<7xcomplex<f32>>, tensor<7xi1>) {
  %i = stablehlo.constant {spmd.shardings = [#none]} dense<2> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%old: tensor<complex<f32>>, %new: tensor<complex<f32>>):
    stablehlo.return %new : tensor<complex<f32>>
  }) {spmd.shardings = [#x]} : (tensor<7xcomplex<f32>>, tensor<1xi32>, tensor<1xcomplex<f32>>) -> tensor<7xcomplex<f32>>
  %1 = "stablehlo.scatter"(%b, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%old: tensor<i1>, %new: tensor<i1>):
    stablehlo.return %new : tensor<i1>
  }) {spmd.shardings = [#x]} : (tensor<7xi1>, tensor<1xi32>, tensor<1xi1>) -> tensor<7xi1>
  return %0, %1 : tensor<7xcomplex<f32>>, tensor<7xi1>
}
