// Known values of each op family, on floats and integers.
#include "EvaluatorTest.h"
#include <set>

using namespace mlir;
using namespace partita;

namespace {
using KernelsTest = EvaluatorTest;
} // namespace

TEST_F(KernelsTest, IntegersWrap) {
  expectPasses(R"mlir(
    func.func @main() {
      %a = stablehlo.constant dense<[127, -128, 5]> : tensor<3xi8>
      %b = stablehlo.constant dense<[1, -1, 0]> : tensor<3xi8>
      %sum = stablehlo.add %a, %b : tensor<3xi8>
      check.expect_eq_const %sum, dense<[-128, 127, 5]> : tensor<3xi8>
      %div = stablehlo.divide %a, %b : tensor<3xi8>
      check.expect_eq_const %div, dense<[127, -128, -1]> : tensor<3xi8>
      %neg = stablehlo.negate %a : tensor<3xi8>
      check.expect_eq_const %neg, dense<[-127, -128, -5]> : tensor<3xi8>
      %u = stablehlo.constant dense<[255, 3]> : tensor<2xui8>
      %v = stablehlo.constant dense<[2, 200]> : tensor<2xui8>
      %w = stablehlo.add %u, %v : tensor<2xui8>
      check.expect_eq_const %w, dense<[1, 203]> : tensor<2xui8>
      %m = stablehlo.maximum %u, %v : tensor<2xui8>
      check.expect_eq_const %m, dense<[255, 200]> : tensor<2xui8>
      return
    })mlir");
}

TEST_F(KernelsTest, NarrowFloatsRoundToEven) {
  expectPasses(R"mlir(
    func.func @main() {
      %a = stablehlo.constant dense<[256.0, 256.0, 1.0]> : tensor<3xbf16>
      %b = stablehlo.constant dense<[1.0, 3.0, 0.00390625]> : tensor<3xbf16>
      %sum = stablehlo.add %a, %b : tensor<3xbf16>
      check.expect_eq_const %sum, dense<[256.0, 260.0, 1.0]> : tensor<3xbf16>
      %x = stablehlo.constant dense<[2049.0, 2051.0, 65520.0, 1.0e-8]> : tensor<4xf32>
      %h = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf16>
      check.expect_eq_const %h, dense<[2048.0, 2052.0, 0x7C00, 0.0]> : tensor<4xf16>
      return
    })mlir");
}

TEST_F(KernelsTest, ChloFunctions) {
  expectPasses(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<[0.25, 0.5, -0.75]> : tensor<3xf64>
      %erf = chlo.erf %x : tensor<3xf64> -> tensor<3xf64>
      %inv = chlo.erf_inv %erf : tensor<3xf64> -> tensor<3xf64>
      check.expect_almost_eq_const %inv, dense<[0.25, 0.5, -0.75]> : tensor<3xf64>
      %one = stablehlo.constant dense<1.0> : tensor<f64>
      %digamma = chlo.digamma %one : tensor<f64> -> tensor<f64>
      check.expect_almost_eq_const %digamma, dense<-0.57721566490153286> : tensor<f64>
      %two = stablehlo.constant dense<2.0> : tensor<f64>
      %zeta = chlo.zeta %two, %one : tensor<f64>, tensor<f64> -> tensor<f64>
      check.expect_almost_eq_const %zeta, dense<1.6449340668482264> : tensor<f64>
      %square = chlo.square %x : tensor<3xf64> -> tensor<3xf64>
      check.expect_eq_const %square, dense<[0.0625, 0.25, 0.5625]> : tensor<3xf64>
      %v, %i = chlo.top_k(%x, k = 2) : tensor<3xf64> -> (tensor<2xf64>, tensor<2xi32>)
      check.expect_eq_const %v, dense<[0.5, 0.25]> : tensor<2xf64>
      check.expect_eq_const %i, dense<[1, 0]> : tensor<2xi32>
      return
    })mlir");
}

TEST_F(KernelsTest, Moves) {
  expectPasses(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
      check.expect_eq_const %t, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
      %s = stablehlo.slice %x [0:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
      check.expect_eq_const %s, dense<[[1, 3], [4, 6]]> : tensor<2x2xi32>
      %p = stablehlo.pad %x, %zero, low = [0, -1], high = [0, 1], interior = [1, 1]
        : (tensor<2x3xi32>, tensor<i32>) -> tensor<3x5xi32>
      check.expect_eq_const %p, dense<[[0, 2, 0, 3, 0], [0, 0, 0, 0, 0], [0, 5, 0, 6, 0]]>
        : tensor<3x5xi32>
      %r = stablehlo.reverse %x, dims = [1] : tensor<2x3xi32>
      check.expect_eq_const %r, dense<[[3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>
      %c = stablehlo.concatenate %x, %r, dim = 1
        : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x6xi32>
      check.expect_eq_const %c, dense<[[1, 2, 3, 3, 2, 1], [4, 5, 6, 6, 5, 4]]>
        : tensor<2x6xi32>
      %b = stablehlo.broadcast_in_dim %s, dims = [2, 0]
        : (tensor<2x2xi32>) -> tensor<2x1x2xi32>
      check.expect_eq_const %b, dense<[[[1, 4]], [[3, 6]]]> : tensor<2x1x2xi32>
      %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
      check.expect_eq_const %i, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
      return
    })mlir");
}

TEST_F(KernelsTest, DynamicSlicesClamp) {
  expectPasses(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
      %u = stablehlo.constant dense<[8, 9]> : tensor<2xi32>
      %far = stablehlo.constant dense<100> : tensor<i32>
      %before = stablehlo.constant dense<-3> : tensor<i32>
      %a = stablehlo.dynamic_slice %x, %far, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
      check.expect_eq_const %a, dense<[4, 5]> : tensor<2xi32>
      %b = stablehlo.dynamic_update_slice %x, %u, %before
        : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
      check.expect_eq_const %b, dense<[8, 9, 3, 4, 5]> : tensor<5xi32>
      check.expect_eq_const %x, dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
      return
    })mlir");
}

TEST_F(KernelsTest, GatherAndScatterRows) {
  expectPasses(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
      %i = stablehlo.constant dense<[[2], [0], [7]]> : tensor<3x1xi32>
      %g = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<
          offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
          index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}>
        : (tensor<3x2xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
      check.expect_eq_const %g, dense<[[5, 6], [1, 2], [5, 6]]> : tensor<3x2xi32>
      // The third index is out of range and dropped.
      %s = "stablehlo.scatter"(%x, %i, %g) <{scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %c : tensor<i32>
      }) : (tensor<3x2xi32>, tensor<3x1xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
      check.expect_eq_const %s, dense<[[2, 4], [3, 4], [10, 12]]> : tensor<3x2xi32>
      return
    })mlir");
}

TEST_F(KernelsTest, DotsOfManyKinds) {
  expectPasses(R"mlir(
    func.func @main() {
      %a = stablehlo.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
      %b = stablehlo.constant dense<[[[1.0, 0.0, 2.0], [0.0, 1.0, 3.0]],
                                     [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]]> : tensor<2x2x3xf32>
      %c = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
        : (tensor<2x1x2xf32>, tensor<2x2x3xf32>) -> tensor<2x1x3xf32>
      check.expect_eq_const %c, dense<[[[1.0, 2.0, 8.0]], [[11.0, 11.0, 11.0]]]>
        : tensor<2x1x3xf32>
      %i = stablehlo.constant dense<[100, 100]> : tensor<2xi8>
      %d = stablehlo.dot_general %i, %i, contracting_dims = [0] x [0]
        : (tensor<2xi8>, tensor<2xi8>) -> tensor<i32>
      check.expect_eq_const %d, dense<20000> : tensor<i32>
      %z = stablehlo.constant dense<[(1.0, 2.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>
      %e = stablehlo.dot_general %z, %z, contracting_dims = [0] x [0]
        : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<complex<f32>>
      check.expect_eq_const %e, dense<(-4.0, 4.0)> : tensor<complex<f32>>
      return
    })mlir");
}

// Sizes that do not fit the blocks of the product.
TEST_F(KernelsTest, LargeDotAgreesWithReduction) {
  auto f32 = Float32Type::get(&context);
  Tensor a = makeRandomTensor(RankedTensorType::get({37, 531}, f32),
                              InputKind::Normal, 1, nullptr);
  Tensor b = makeRandomTensor(RankedTensorType::get({531, 29}, f32),
                              InputKind::Normal, 2, nullptr);
  auto result = run(R"mlir(
    func.func @main(%a: tensor<37x531xf32>, %b: tensor<531x29xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<37x531xf32>, tensor<531x29xf32>) -> tensor<37x29xf32>
      %x = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<37x531xf32>) -> tensor<37x531x29xf32>
      %y = stablehlo.broadcast_in_dim %b, dims = [1, 2] : (tensor<531x29xf32>) -> tensor<37x531x29xf32>
      %p = stablehlo.multiply %x, %y : tensor<37x531x29xf32>
      %d = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<37x531x29xf32>, tensor<f32>) -> tensor<37x29xf32>
      check.expect_almost_eq %c, %d : tensor<37x29xf32>
      return
    })mlir",
                    {{a}, {b}});
  EXPECT_TRUE(succeeded(result)) << diagnostics;
}

TEST_F(KernelsTest, ConvolutionWithStrideAndPadding) {
  expectPasses(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<[[[[1.0], [2.0], [3.0], [4.0]]]]> : tensor<1x1x4x1xf32>
      %k = stablehlo.constant dense<[[[[1.0]], [[10.0]], [[100.0]]]]> : tensor<1x3x1x1xf32>
      %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {stride = [1, 2], pad = [[0, 0], [1, 1]]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x1x4x1xf32>, tensor<1x3x1x1xf32>) -> tensor<1x1x2x1xf32>
      check.expect_eq_const %y, dense<[[[[210.0], [432.0]]]]> : tensor<1x1x2x1xf32>
      return
    })mlir");
}

TEST_F(KernelsTest, ReduceWithArgmaxBody) {
  expectPasses(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<[[1.0, 7.0, 7.0], [9.0, 2.0, 3.0]]> : tensor<2x3xf32>
      %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1]
        : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
        reducer(%a: tensor<f32>, %b: tensor<f32>) (%ia: tensor<i32>, %ib: tensor<i32>) {
          %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %lt = stablehlo.compare LT, %ia, %ib : (tensor<i32>, tensor<i32>) -> tensor<i1>
          %tie = stablehlo.and %eq, %lt : tensor<i1>
          %p = stablehlo.or %gt, %tie : tensor<i1>
          %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
          %n = stablehlo.select %p, %ia, %ib : tensor<i1>, tensor<i32>
          stablehlo.return %v, %n : tensor<f32>, tensor<i32>
        }
      check.expect_eq_const %r#0, dense<[7.0, 9.0]> : tensor<2xf32>
      check.expect_eq_const %r#1, dense<[1, 0]> : tensor<2xi32>
      return
    })mlir");
}

TEST_F(KernelsTest, WindowsAndCumulativeSums) {
  expectPasses(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %cumsum = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 4>,
          padding = dense<[[3, 0]]> : tensor<1x2xi64>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %c : tensor<i32>
      }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
      check.expect_eq_const %cumsum, dense<[1, 3, 6, 10]> : tensor<4xi32>
      %reverse = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 4>,
          padding = dense<[[0, 3]]> : tensor<1x2xi64>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %c : tensor<i32>
      }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
      check.expect_eq_const %reverse, dense<[10, 9, 7, 4]> : tensor<4xi32>
      %pool = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3>,
          window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.maximum %a, %b : tensor<i32>
          stablehlo.return %c : tensor<i32>
      }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
      check.expect_eq_const %pool, dense<[2, 4]> : tensor<2xi32>
      return
    })mlir");
}

TEST_F(KernelsTest, StableSortOfPairs) {
  expectPasses(R"mlir(
    func.func @main() {
      %k = stablehlo.constant dense<[[3, 1], [1, 1], [3, 0]]> : tensor<3x2xi32>
      %v = stablehlo.iota dim = 0 : tensor<3x2xi32>
      %s:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = true}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
          %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
      }) : (tensor<3x2xi32>, tensor<3x2xi32>) -> (tensor<3x2xi32>, tensor<3x2xi32>)
      check.expect_eq_const %s#0, dense<[[1, 0], [3, 1], [3, 1]]> : tensor<3x2xi32>
      check.expect_eq_const %s#1, dense<[[1, 2], [0, 0], [2, 1]]> : tensor<3x2xi32>
      return
    })mlir");
}

// As XLA's CPU backend prints for the key words 1, 2, 3, 0x80000004.
TEST_F(KernelsTest, RandomBitsAreThoseOfXLA) {
  expectPasses(R"mlir(
    func.func @main() {
      %key = stablehlo.constant dense<[8589934593, 9223372054034644995]> : tensor<2xui64>
      %s0, %a = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
      check.expect_eq_const %a, dense<[2286429765, 3052700474, 3530742438, 1641595421,
                                       1807346456]> : tensor<5xui32>
      check.expect_eq_const %s0, dense<[8589934593, 9223372054034644998]> : tensor<2xui64>
      %s1, %b = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
      check.expect_eq_const %b, dense<[[2286429765, 3530742438, 1807346456],
                                       [3052700474, 1641595421, 86608340]]> : tensor<2x3xui32>
      %s2, %c = stablehlo.rng_bit_generator %key, algorithm = PHILOX
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
      check.expect_eq_const %c, dense<[2827383590, 4191705564, 3143642597, 2455901851,
                                       3222299828]> : tensor<5xui32>
      check.expect_eq_const %s2, dense<[8589934593, 9223372054034644997]> : tensor<2xui64>
      %s3, %d = stablehlo.rng_bit_generator %key, algorithm = DEFAULT
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
      check.expect_eq_const %d, dense<[18003238314668618534, 10548018135374507493]>
        : tensor<2xui64>
      return
    })mlir");
}

TEST_F(KernelsTest, LinearAlgebra) {
  expectPasses(R"mlir(
    func.func @main() {
      %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf64>
      %l = stablehlo.cholesky %a, lower = true : tensor<2x2xf64>
      check.expect_eq_const %l, dense<[[2.0, 0.0], [1.0, 2.0]]> : tensor<2x2xf64>
      %b = stablehlo.constant dense<[[2.0], [5.0]]> : tensor<2x1xf64>
      %x = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true,
          unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}>
        : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
      check.expect_eq_const %x, dense<[[1.0], [2.0]]> : tensor<2x1xf64>
      return
    })mlir");
}

TEST_F(KernelsTest, EigenvaluesOfLapackCall) {
  expectPasses(R"mlir(
    func.func @main() {
      %a = stablehlo.constant dense<[[2.0, 9.0], [1.0, 2.0]]> : tensor<2x2xf64>
      %r:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%a)
          {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}}
        : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<i32>)
      check.expect_almost_eq_const %r#1, dense<[1.0, 3.0]> : tensor<2xf64>
      // Only the lower triangle counts: a v = v w.
      %s = stablehlo.constant dense<[[2.0, 1.0], [1.0, 2.0]]> : tensor<2x2xf64>
      %av = stablehlo.dot_general %s, %r#0, contracting_dims = [1] x [0]
        : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
      %w = stablehlo.broadcast_in_dim %r#1, dims = [1] : (tensor<2xf64>) -> tensor<2x2xf64>
      %vw = stablehlo.multiply %r#0, %w : tensor<2x2xf64>
      check.expect_almost_eq %av, %vw : tensor<2x2xf64>
      return
    })mlir");
}

TEST_F(KernelsTest, FourierTransforms) {
  expectPasses(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
      %f = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<4xf64>) -> tensor<3xcomplex<f64>>
      check.expect_almost_eq_const %f, dense<[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0)]>
        : tensor<3xcomplex<f64>>
      %g = stablehlo.fft %f, type = IRFFT, length = [4] : (tensor<3xcomplex<f64>>) -> tensor<4xf64>
      check.expect_almost_eq %g, %x : tensor<4xf64>
      return
    })mlir");
}

TEST_F(KernelsTest, LoopsBranchesAndCalls) {
  expectPasses(R"mlir(
    func.func private @twice(%x: tensor<i32>) -> tensor<i32> {
      %y = stablehlo.add %x, %x : tensor<i32>
      return %y : tensor<i32>
    }
    func.func @main() {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %limit = stablehlo.constant dense<50> : tensor<i32>
      %r = stablehlo.while(%i = %one) : tensor<i32>
      cond {
        %p = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %n = func.call @twice(%i) : (tensor<i32>) -> tensor<i32>
        stablehlo.return %n : tensor<i32>
      }
      check.expect_eq_const %r, dense<64> : tensor<i32>
      %c = "stablehlo.case"(%limit) ({
        stablehlo.return %one : tensor<i32>
      }, {
        stablehlo.return %r : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      check.expect_eq_const %c, dense<64> : tensor<i32>
      return
    })mlir");
}

// What has no kernel is listed here: a new op needs one, or a line.
TEST_F(KernelsTest, OpsWithoutKernel) {
  std::set<std::string> names;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if ((dialect == "stablehlo" || dialect == "chlo" || dialect == "spmd") &&
        !hasKernel(name.getStringRef()))
      names.insert(name.getStringRef().str());
  }
  std::set<std::string> expected = {
      // Run by the op around them, or not run at all.
      "stablehlo.return", "spmd.return", "spmd.mesh",
      // Quantized elements and unknown sizes.
      "stablehlo.uniform_quantize", "stablehlo.uniform_dequantize",
      "stablehlo.set_dimension_size",
      // Not in JAX's output.
      "stablehlo.unary_einsum", "stablehlo.einsum",
      "stablehlo.torch_index_select", "chlo._asin_acos_kernel",
      // The lowered phase.
      "spmd.runtime_call"};
  EXPECT_EQ(names, expected);
}

TEST_F(KernelsTest, CompositesAreTheirDecomposition) {
  expectPasses(R"mlir(
    func.func private @triple(%x: tensor<2xf32>) -> tensor<2xf32> {
      %c = stablehlo.constant dense<3.0> : tensor<2xf32>
      %y = stablehlo.multiply %x, %c : tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func @main() {
      %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %y = stablehlo.composite "my.triple" %x {decomposition = @triple}
        : (tensor<2xf32>) -> tensor<2xf32>
      check.expect_eq_const %y, dense<[3.0, 6.0]> : tensor<2xf32>
      return
    })mlir");
}

TEST_F(KernelsTest, UnknownOpsAreNamed) {
  expectError(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<1.0> : tensor<f32>
      %y = stablehlo.custom_call @mystery(%x) : (tensor<f32>) -> tensor<f32>
      return
    })mlir",
              "the evaluator does not know the custom call '@mystery'");
}
