// Which bodies matchReductionBody recognises.
#include "dialects/StableHLO/ReductionBody.h"

#include "StableHLOTest.h"

using namespace mlir;

namespace partita::stablehlo {
namespace {

class ReductionBodyTest : public StableHLOTest {
protected:
  /// Kind of a body on elements of type `element`.
  std::optional<BodyKind> match(StringRef element, StringRef ops,
                                StringRef result) {
    std::string type = ("tensor<" + element + ">").str();
    std::string vector = ("tensor<4x" + element + ">").str();
    std::string text =
        "func.func @f(%x: " + vector + ", %c: " + type + ") {\n" +
        "  %r = stablehlo.reduce(%x init: %c) across dimensions = [0] : (" +
        vector + ", " + type + ") -> " + type + "\n    reducer(%a: " + type +
        ", %b: " + type + ") {\n    " + ops.str() + "\n    stablehlo.return " +
        result.str() + " : " + type + "\n  }\n  return\n}";
    if (!parse(text))
      return std::nullopt;
    return matchReductionBody(find<ReduceOp>().getBody());
  }
};

TEST_F(ReductionBodyTest, EachKind) {
  for (auto [name, kind] :
       {std::pair("add", BodyKind::Add), std::pair("multiply", BodyKind::Mul),
        std::pair("maximum", BodyKind::Max),
        std::pair("minimum", BodyKind::Min), std::pair("and", BodyKind::And),
        std::pair("or", BodyKind::Or), std::pair("xor", BodyKind::Xor)}) {
    std::string op = std::string("%s = stablehlo.") + name;
    EXPECT_EQ(match("i32", op + " %a, %b : tensor<i32>", "%s"), kind) << name;
    EXPECT_EQ(match("i32", op + " %b, %a : tensor<i32>", "%s"), kind) << name;
    EXPECT_EQ(stringifyBodyKind(kind), name);
  }
}

// Of booleans only three kinds remain.
TEST_F(ReductionBodyTest, Booleans) {
  for (auto [name, kind] :
       {std::pair("add", BodyKind::Or), std::pair("multiply", BodyKind::And),
        std::pair("maximum", BodyKind::Or), std::pair("minimum", BodyKind::And),
        std::pair("and", BodyKind::And), std::pair("or", BodyKind::Or),
        std::pair("xor", BodyKind::Xor)})
    EXPECT_EQ(
        match("i1",
              std::string("%s = stablehlo.") + name + " %a, %b : tensor<i1>",
              "%s"),
        kind)
        << name;
}

TEST_F(ReductionBodyTest, Others) {
  // Not commutative, not both arguments, more than one operation.
  EXPECT_FALSE(
      match("f32", "%s = stablehlo.subtract %a, %b : tensor<f32>", "%s"));
  EXPECT_FALSE(match("f32", "%s = stablehlo.add %a, %a : tensor<f32>", "%s"));
  EXPECT_FALSE(match("f32", "%s = stablehlo.add %a, %c : tensor<f32>", "%s"));
  EXPECT_FALSE(match("f32", "", "%a"));
  EXPECT_FALSE(match("f32", "", "%c"));
  EXPECT_FALSE(match("f32",
                     "%s = stablehlo.add %a, %b : tensor<f32>\n"
                     "%t = stablehlo.tanh %s : tensor<f32>",
                     "%t"));
}

// Each result of a body on several values by itself.
TEST_F(ReductionBodyTest, Several) {
  ASSERT_TRUE(parse(R"(
    func.func @f(%x: tensor<4xf32>, %y: tensor<4xi32>, %c: tensor<f32>, %d: tensor<i32>) {
      %r:2 = stablehlo.reduce(%x init: %c), (%y init: %d) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
        reducer(%a: tensor<f32>, %b: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
        %s = stablehlo.maximum %a, %b : tensor<f32>
        %t = stablehlo.add %n, %m : tensor<i32>
        stablehlo.return %s, %t : tensor<f32>, tensor<i32>
      }
      return
    })"));
  Region &body = find<ReduceOp>().getBody();
  EXPECT_FALSE(matchReductionBody(body));
  EXPECT_EQ(matchReductionBody(body, 0), BodyKind::Max);
  EXPECT_EQ(matchReductionBody(body, 1), BodyKind::Add);
  EXPECT_FALSE(matchReductionBody(body, 2));
}

} // namespace
} // namespace partita::stablehlo
