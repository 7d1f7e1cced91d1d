// A reduction of each kind: short rows, rows, long rows, few very long rows, columns,
// few long columns; types that shuffle as one, two and part of a word.
module @reductions {
  func.func public @main(%short: tensor<40x5xf32>, %rows: tensor<9x100xf32>,
      %long: tensor<3x4096xf64>, %few: tensor<70000xi32>, %columns: tensor<90x70xf32>,
      %tall: tensor<5000x3xi64>, %half: tensor<16x64xbf16>, %bits: tensor<7x33xi1>,
      %middle: tensor<4x50x6xi8>, %wide: tensor<2x40000xf32>)
      -> (tensor<40xf32>, tensor<9xf32>, tensor<3xf64>, tensor<i32>, tensor<70xf32>,
          tensor<3xi64>, tensor<16xbf16>, tensor<7xi1>, tensor<4x6xi8>, tensor<2xf32>,
          tensor<9xi32>) {
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %d = stablehlo.constant dense<0.0> : tensor<f64>
    %h = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %n = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %i = stablehlo.constant dense<0> : tensor<i32>
    %l = stablehlo.constant dense<9223372036854775807> : tensor<i64>
    %b = stablehlo.constant dense<1> : tensor<i8>
    %t = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.reduce(%short init: %f) applies stablehlo.add across dimensions = [1] : (tensor<40x5xf32>, tensor<f32>) -> tensor<40xf32>
    %1 = stablehlo.reduce(%rows init: %n) applies stablehlo.maximum across dimensions = [1] : (tensor<9x100xf32>, tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.reduce(%long init: %d) applies stablehlo.add across dimensions = [1] : (tensor<3x4096xf64>, tensor<f64>) -> tensor<3xf64>
    %3 = stablehlo.reduce(%few init: %i) applies stablehlo.add across dimensions = [0] : (tensor<70000xi32>, tensor<i32>) -> tensor<i32>
    %4 = stablehlo.reduce(%columns init: %f) applies stablehlo.add across dimensions = [0] : (tensor<90x70xf32>, tensor<f32>) -> tensor<70xf32>
    %5 = stablehlo.reduce(%tall init: %l) applies stablehlo.minimum across dimensions = [0] : (tensor<5000x3xi64>, tensor<i64>) -> tensor<3xi64>
    %6 = stablehlo.reduce(%half init: %h) applies stablehlo.maximum across dimensions = [1] : (tensor<16x64xbf16>, tensor<bf16>) -> tensor<16xbf16>
    %7 = stablehlo.reduce(%bits init: %t) applies stablehlo.and across dimensions = [1] : (tensor<7x33xi1>, tensor<i1>) -> tensor<7xi1>
    %8 = stablehlo.reduce(%middle init: %b) applies stablehlo.multiply across dimensions = [1] : (tensor<4x50x6xi8>, tensor<i8>) -> tensor<4x6xi8>
    %9 = stablehlo.reduce(%wide init: %f) applies stablehlo.add across dimensions = [1] : (tensor<2x40000xf32>, tensor<f32>) -> tensor<2xf32>
    %index = stablehlo.iota dim = 1 : tensor<9x100xi32>
    %10:2 = stablehlo.reduce(%rows init: %n), (%index init: %i) across dimensions = [1] : (tensor<9x100xf32>, tensor<9x100xi32>, tensor<f32>, tensor<i32>) -> (tensor<9xf32>, tensor<9xi32>)
     reducer(%x: tensor<f32>, %y: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %r0 = stablehlo.select %c, %x, %y : tensor<i1>, tensor<f32>
      %r1 = stablehlo.select %c, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %r0, %r1 : tensor<f32>, tensor<i32>
    }
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10#1 : tensor<40xf32>, tensor<9xf32>, tensor<3xf64>, tensor<i32>, tensor<70xf32>, tensor<3xi64>, tensor<16xbf16>, tensor<7xi1>, tensor<4x6xi8>, tensor<2xf32>, tensor<9xi32>
  }
}
