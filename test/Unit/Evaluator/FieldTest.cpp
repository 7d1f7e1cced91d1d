// The field itself, and what exact.md demands of it.
#include "EvaluatorTest.h"
#include <random>

using namespace mlir;
using namespace partita;
using Word = Field::Word;

/// (a * b) mod p by the long way.
static Word slowProduct(Word a, Word b, Word p) {
  return Word(Field::Wide(a) * b % p);
}

static void checkRing(const Field &field) {
  std::mt19937_64 engine(7);
  Word p = field.getPrime();
  for (int i = 0; i < 2000; ++i) {
    Word a = engine() % p, b = engine() % p;
    if (i % 10 == 0)
      a = p - 1 - Word(i / 10) % 3;
    EXPECT_EQ(field.mulFinite(a, b), slowProduct(a, b, p));
    EXPECT_EQ(field.addFinite(a, b), Word((Field::Wide(a) + b) % p));
    EXPECT_EQ(field.subFinite(field.addFinite(a, b), b), a);
    if (a) {
      EXPECT_EQ(field.mulFinite(a, field.invFinite(a)), 1u);
    }
  }
}

TEST(Field, GoldilocksIsARing) {
  checkRing(Field(Field::kGoldilocks, 1, true));
}

TEST(Field, RandomPrimeIsARing) {
  for (uint64_t seed : {1, 2, 3}) {
    Word prime = Field::findPrime(seed);
    EXPECT_EQ(prime % (1 << 20), 1u);
    EXPECT_EQ(prime >> 61, 1u);
    checkRing(Field(prime, seed, true));
  }
}

TEST(Field, SumsOfProductsReduce) {
  for (Word prime : {Field::kGoldilocks, Field::findPrime(5)}) {
    Field field(prime, 1, true);
    std::mt19937_64 engine(3);
    Field::Wide sum = 0;
    uint64_t carry = 0;
    Word expected = 0;
    for (int i = 0; i < 5000; ++i) {
      Word a = prime - 1 - engine() % 100, b = prime - 1 - engine() % 100;
      Field::Wide product = Field::Wide(a) * b;
      sum += product;
      carry += sum < product;
      expected = field.addFinite(expected, field.mulFinite(a, b));
    }
    EXPECT_EQ(field.reduceSum(sum, carry), expected);
  }
}

TEST(Field, DyadicConstantsAddUp) {
  Field field(Field::kGoldilocks, 1, true);
  EXPECT_EQ(field.addFinite(field.fromDouble(0.5), field.fromDouble(0.5)), 1u);
  EXPECT_EQ(field.fromDouble(-3.0), field.negFinite(3));
  EXPECT_EQ(field.mulFinite(field.fromDouble(0.1), field.fromDouble(1024)),
            field.fromDouble(0.1 * 1024));
  EXPECT_EQ(*field.asSmallInt(field.fromDouble(-7)), -7);
}

TEST(Field, FlagsFollowIEEE) {
  Field field(Field::kGoldilocks, 1, true);
  Word inf = Field::kPosInf, minusInf = Field::kNegInf, nan = Field::kNaN;
  EXPECT_EQ(field.add(inf, 5), inf);
  EXPECT_EQ(field.add(inf, minusInf), nan);
  EXPECT_EQ(field.mul(inf, 0), nan);
  EXPECT_EQ(field.mul(inf, field.fromInt(-2)), minusInf);
  EXPECT_EQ(field.div(7, inf), 0u);
  EXPECT_FALSE(Field::isSpecial(field.div(7, 0)));
}

TEST(Field, OrderPutsSmallIntegersAtOneEnd) {
  std::mt19937_64 engine(11);
  for (bool nearTop : {true, false}) {
    Field field(Field::kGoldilocks, 9, nearTop);
    for (int64_t i = -100; i < 100; ++i)
      EXPECT_LT(field.orderKey(field.fromInt(i)),
                field.orderKey(field.fromInt(i + 1)));
    for (int i = 0; i < 100; ++i) {
      Word random = engine() % field.getPrime();
      EXPECT_EQ(field.orderKey(0) > field.orderKey(random), nearTop);
      EXPECT_LT(field.orderKey(Field::kNegInf), field.orderKey(random));
      EXPECT_GT(field.orderKey(Field::kPosInf), field.orderKey(random));
    }
  }
}

TEST(Field, RootsOfUnity) {
  Field field(Field::kGoldilocks, 1, true);
  for (uint64_t n : {2, 3, 4, 5, 6, 15, 16, 17, 1024}) {
    Word root = *field.rootOfUnity(n);
    EXPECT_EQ(field.powFinite(root, n), 1u);
    EXPECT_NE(field.powFinite(root, n / 2), n == 2 ? 0u : 1u);
  }
  EXPECT_FALSE(field.rootOfUnity(7).has_value());
  Word i = *field.imaginaryUnit();
  EXPECT_EQ(field.mulFinite(i, i), field.getPrime() - 1);
}

namespace {
class FieldModeTest : public EvaluatorTest {
protected:
  FieldModeTest() {
    options.field = std::make_shared<const Field>(Field::kGoldilocks, 3, true);
  }
};
} // namespace

// A sum may be cut into parts anywhere.
TEST_F(FieldModeTest, ReassociatedSumsAreEqual) {
  Tensor x = makeRandomTensor(
      RankedTensorType::get({4, 6}, Float32Type::get(&context)),
      InputKind::Normal, 1, options.field.get());
  auto result = run(R"mlir(
    func.func @main(%x: tensor<4x6xf32>) -> (tensor<f32>, tensor<f32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
        : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
      %b = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
      %c = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      return %a, %c : tensor<f32>, tensor<f32>
    })mlir",
                    {{x}});
  ASSERT_TRUE(succeeded(result)) << diagnostics;
  EXPECT_EQ(print((*result)[0][0]), print((*result)[1][0]));
}

// A non-linear function does not commute with a sum.
TEST_F(FieldModeTest, HashedFunctionsAreNotLinear) {
  Tensor x =
      makeRandomTensor(RankedTensorType::get({2}, Float32Type::get(&context)),
                       InputKind::Normal, 1, options.field.get());
  auto result = run(R"mlir(
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xbf16>, tensor<2xbf16>, tensor<2xf32>) {
      %y = stablehlo.add %x, %x : tensor<2xf32>
      %a = stablehlo.convert %y : (tensor<2xf32>) -> tensor<2xbf16>
      %b = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xbf16>
      %c = stablehlo.add %b, %b : tensor<2xbf16>
      %wide = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xf64>
      %back = stablehlo.exponential %x : tensor<2xf32>
      return %a, %c, %back : tensor<2xbf16>, tensor<2xbf16>, tensor<2xf32>
    })mlir",
                    {{x}});
  ASSERT_TRUE(succeeded(result)) << diagnostics;
  EXPECT_NE(print((*result)[0][0]), print((*result)[1][0]));
}

TEST_F(FieldModeTest, SmallIntegersStayExact) {
  expectPasses(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<[3.0, -2.0, 0.0, 7.0]> : tensor<4xf32>
      %y = stablehlo.constant dense<2.0> : tensor<4xf32>
      %i = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi32>
      check.expect_eq_const %i, dense<[3, -2, 0, 7]> : tensor<4xi32>
      %r = stablehlo.remainder %x, %y : tensor<4xf32>
      check.expect_eq_const %r, dense<[1.0, 0.0, 0.0, 1.0]> : tensor<4xf32>
      %m = stablehlo.maximum %x, %y : tensor<4xf32>
      check.expect_eq_const %m, dense<[3.0, 2.0, 2.0, 7.0]> : tensor<4xf32>
      %s = stablehlo.sign %x : tensor<4xf32>
      check.expect_eq_const %s, dense<[1.0, -1.0, 0.0, 1.0]> : tensor<4xf32>
      %b = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
      check.expect_eq_const %b, dense<[3.0, -2.0, 0.0, 7.0]> : tensor<4xbf16>
      %lt = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      check.expect_eq_const %lt, dense<[false, true, true, false]> : tensor<4xi1>
      %q = stablehlo.divide %y, %y : tensor<4xf32>
      check.expect_eq_const %q, dense<1.0> : tensor<4xf32>
      return
    })mlir");
}

TEST_F(FieldModeTest, ExpOfMinusInfinityIsZero) {
  expectPasses(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<[0xFF800000, 0.0]> : tensor<2xf32>
      %e = stablehlo.exponential %x : tensor<2xf32>
      check.expect_eq_const %e, dense<[0.0, 1.0]> : tensor<2xf32>
      return
    })mlir");
}

TEST_F(FieldModeTest, HashedPredicatesEndLoops) {
  Tensor x =
      makeRandomTensor(RankedTensorType::get({}, Float32Type::get(&context)),
                       InputKind::Normal, 1, options.field.get());
  auto result = run(R"mlir(
    func.func @main(%x: tensor<f32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<f32>
      cond {
        %p = stablehlo.compare EQ, %v, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %n = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %n, %v : tensor<i32>, tensor<f32>
      }
      return %r#0 : tensor<i32>
    })mlir",
                    {{x}});
  ASSERT_TRUE(succeeded(result)) << diagnostics;
  EXPECT_EQ(print((*result)[0][0]), "tensor<i32> 8");
}

// The transform of a transform is the reversed input times n, exactly.
TEST_F(FieldModeTest, FourierTransformIsInvertible) {
  Tensor x = makeRandomTensor(
      RankedTensorType::get({2, 12},
                            ComplexType::get(Float32Type::get(&context))),
      InputKind::Normal, 1, options.field.get());
  auto result = run(R"mlir(
    func.func @main(%x: tensor<2x12xcomplex<f32>>) -> tensor<2x12xcomplex<f32>> {
      %f = stablehlo.fft %x, type = FFT, length = [12]
        : (tensor<2x12xcomplex<f32>>) -> tensor<2x12xcomplex<f32>>
      %g = stablehlo.fft %f, type = IFFT, length = [12]
        : (tensor<2x12xcomplex<f32>>) -> tensor<2x12xcomplex<f32>>
      return %g : tensor<2x12xcomplex<f32>>
    })mlir",
                    {{x}});
  ASSERT_TRUE(succeeded(result)) << diagnostics;
  EXPECT_EQ(print((*result)[0][0]), print(x));
}

TEST_F(FieldModeTest, RootlessTransformIsRefused) {
  expectError(R"mlir(
    func.func @main() {
      %x = stablehlo.constant dense<(1.0, 0.0)> : tensor<7xcomplex<f32>>
      %f = stablehlo.fft %x, type = FFT, length = [7]
        : (tensor<7xcomplex<f32>>) -> tensor<7xcomplex<f32>>
      return
    })mlir",
              "the field has no root of unity");
}

// 2^192 = 1 in the first field: a module with both constants gets another.
TEST_F(FieldModeTest, CollidingConstantsChooseAnotherPrime) {
  auto module = parse(R"mlir(
    func.func @main() {
      %a = stablehlo.constant dense<1.0> : tensor<f64>
      %b = stablehlo.constant dense<0x4BF0000000000000> : tensor<f64>
      return
    })mlir");
  auto field = makeField({*module}, 1, true);
  EXPECT_NE(field->getPrime(), Field::kGoldilocks);
}
