// Constants, iota, and ops that rearrange elements or index them.
module @movement {
  func.func public @main(%x: tensor<4x6xf32>, %v: tensor<6xf32>,
      %i: tensor<i32>, %j: tensor<5x1xi32>, %u: tensor<5x6xf32>) ->
      (tensor<6x4xf32>, tensor<3x4x6xf32>, tensor<10x11xf32>, tensor<2x2xf32>,
       tensor<5x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<8x6xf32>,
       tensor<7xf32>, tensor<2x2xi64>, tensor<2xcomplex<f32>>, tensor<4x24xi8>,
       tensor<2xui64>, tensor<3xbf16>, tensor<2x1xf32>,
       tensor<4x2xf32>, tensor<f32>) {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %2 = stablehlo.broadcast %1, sizes = [3] : (tensor<4x6xf32>) -> tensor<3x4x6xf32>
    %zero = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
    %3 = stablehlo.pad %x, %zero, low = [1, 2], high = [2, -2], interior = [2, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<13x11xf32>
    %4 = stablehlo.slice %3 [0:10, 0:11] : (tensor<13x11xf32>) -> tensor<10x11xf32>
    %5 = stablehlo.slice %x [0:4:2, 1:6:3] : (tensor<4x6xf32>) -> tensor<2x2xf32>
    %6 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
    %7 = "stablehlo.scatter"(%x, %j, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<4x6xf32>
    %8 = stablehlo.dynamic_update_slice %x, %5, %i, %i : (tensor<4x6xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %9 = stablehlo.reverse %x, dims = [1] : tensor<4x6xf32>
    %10 = stablehlo.concatenate %x, %9, dim = 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %special = stablehlo.constant dense<[0.1, -0.0, 0x7F800000, 0xFF800000, 1.0e-45, 3.4028235e38, 16777217.0]> : tensor<7xf32>
    %big = stablehlo.constant dense<[[-9223372036854775808, 1], [2, 9223372036854775807]]> : tensor<2x2xi64>
    %complex = stablehlo.constant dense<[(1.5, -0.0), (0.1, 2.0)]> : tensor<2xcomplex<f32>>
    %11 = stablehlo.bitcast_convert %x : (tensor<4x6xf32>) -> tensor<4x6x4xi8>
    %12 = stablehlo.reshape %11 : (tensor<4x6x4xi8>) -> tensor<4x24xi8>
    %unsigned = stablehlo.constant dense<[18446744073709551615, 0]> : tensor<2xui64>
    %short = stablehlo.constant dense<[0.1, 3.0, -1.0]> : tensor<3xbf16>
    %14 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 1] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x1xf32>
    %15 = stablehlo.slice %v [0:4] : (tensor<6xf32>) -> tensor<4xf32>
    %16 = stablehlo.reshape %15 : (tensor<4xf32>) -> tensor<4x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x2xf32>
    %18 = stablehlo.iota dim = 1 : tensor<4x2xf32>
    %19 = stablehlo.add %17, %18 : tensor<4x2xf32>
    %20 = stablehlo.pad %zero, %zero, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %21:2 = stablehlo.optimization_barrier %19, %20 : tensor<4x2xf32>, tensor<f32>
    return %0, %2, %4, %5, %6, %7, %8, %10, %special, %big, %complex, %12,
           %unsigned, %short, %14, %21#0, %21#1
        : tensor<6x4xf32>, tensor<3x4x6xf32>, tensor<10x11xf32>, tensor<2x2xf32>,
          tensor<5x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<8x6xf32>,
          tensor<7xf32>, tensor<2x2xi64>, tensor<2xcomplex<f32>>, tensor<4x24xi8>,
          tensor<2xui64>, tensor<3xbf16>, tensor<2x1xf32>,
          tensor<4x2xf32>, tensor<f32>
  }
}
