// What the dialect tells passes: traits, inferred types, value flow, groups.
#include "dialects/StableHLO/ReplicaGroups.h"

#include "StableHLOTest.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partita::stablehlo {
namespace {

using DialectTest = StableHLOTest;

// Select and clamp are elementwise only if all their operands are full.
TEST_F(DialectTest, Elementwise) {
  ASSERT_TRUE(parse(R"(
    func.func @f(%x: tensor<4xf32>, %p: tensor<4xi1>, %q: tensor<i1>) {
      %0 = stablehlo.tanh %x : tensor<4xf32>
      %1 = stablehlo.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
      %2 = stablehlo.select %q, %x, %x : tensor<i1>, tensor<4xf32>
      %3 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
      return
    })"));
  SmallVector<bool> found;
  module->walk([&](Operation *op) {
    if (op->getDialect()->getNamespace() == "stablehlo")
      found.push_back(isElementwise(op));
  });
  EXPECT_EQ(found, SmallVector<bool>({true, true, false, false}));
  EXPECT_TRUE(find<TanhOp>()->hasTrait<ElementwiseOp>());
  EXPECT_FALSE(find<SelectOp>()->hasTrait<ElementwiseOp>());
  EXPECT_TRUE(find<SelectOp>()->hasTrait<ScalarBroadcastElementwiseOp>());
}

// Builders that are given no result type infer it.
TEST_F(DialectTest, Inference) {
  ASSERT_TRUE(parse(R"(
    func.func @f(%x: tensor<4x?xf32>, %y: tensor<4x6xf32>) {
      return
    })"));
  auto function = find<func::FuncOp>();
  OpBuilder b(&function.getBody().front().back());
  Location loc = function.getLoc();
  Value x = function.getArgument(0), y = function.getArgument(1);
  EXPECT_EQ(AddOp::create(b, loc, x, y).getType(), y.getType());
  EXPECT_EQ(ExpOp::create(b, loc, y).getType(), y.getType());
  EXPECT_EQ(ExpOp::create(b, loc, y).getResultAccuracy().getMode().getValue(),
            ResultAccuracyMode::DEFAULT);
  EXPECT_EQ(SliceOp::create(b, loc, y, {0, 1}, {4, 6}, {2, 2}).getType(),
            RankedTensorType::get({2, 3}, b.getF32Type()));
  EXPECT_EQ(TransposeOp::create(b, loc, x, {1, 0}).getType(),
            RankedTensorType::get({ShapedType::kDynamic, 4}, b.getF32Type()));
  EXPECT_EQ(ConcatenateOp::create(b, loc, ValueRange{x, y}, 1).getType(),
            RankedTensorType::get({4, ShapedType::kDynamic}, b.getF32Type()));
  EXPECT_EQ(CompareOp::create(b, loc, y, y, ComparisonDirection::LT).getType(),
            RankedTensorType::get({4, 6}, b.getI1Type()));
  auto ones =
      DenseElementsAttr::get(RankedTensorType::get({2}, b.getF32Type()), 1.0f);
  EXPECT_EQ(ConstantOp::create(b, loc, ones).getType(), ones.getType());
}

// Values of a loop come from its operands or from the end of its body.
TEST_F(DialectTest, WhileFlow) {
  ASSERT_TRUE(parse(R"(
    func.func @f(%x: tensor<4xf32>, %p: tensor<i1>) {
      %0 = stablehlo.while(%y = %x) : tensor<4xf32>
      cond {
        stablehlo.return %p : tensor<i1>
      } do {
        %1 = stablehlo.tanh %y : tensor<4xf32>
        stablehlo.return %1 : tensor<4xf32>
      }
      return
    })"));
  auto loop = find<WhileOp>();
  auto branch = cast<RegionBranchOpInterface>(loop.getOperation());
  for (RegionSuccessor to :
       {RegionSuccessor(&loop.getCond(), loop.getCond().getArguments()),
        RegionSuccessor(&loop.getBody(), loop.getBody().getArguments()),
        RegionSuccessor(loop, loop->getResults())}) {
    SmallVector<Value> values;
    branch.getPredecessorValues(to, 0, values);
    ASSERT_EQ(values.size(), 2u);
    EXPECT_EQ(values[0], loop.getOperand()[0]);
    EXPECT_EQ(values[1], find<TanhOp>().getResult());
  }
  EXPECT_TRUE(branch.isRepetitiveRegion(1));
  auto loopLike = cast<LoopLikeOpInterface>(loop.getOperation());
  EXPECT_EQ(loopLike.getYieldedValues()[0], find<TanhOp>().getResult());
  EXPECT_EQ(loopLike.getRegionIterArgs()[0], loop.getBody().getArgument(0));
}

// A constant predicate leaves one branch.
TEST_F(DialectTest, KnownBranch) {
  ASSERT_TRUE(parse(R"(
    func.func @f(%i: tensor<i32>) {
      "stablehlo.case"(%i) ({
        stablehlo.return
      }, {
        stablehlo.return
      }) : (tensor<i32>) -> ()
      return
    })"));
  auto op = find<CaseOp>();
  auto type = RankedTensorType::get({}, IntegerType::get(&context, 32));
  for (auto [value, expected] : {std::pair(0, 0u), std::pair(1, 1u),
                                 std::pair(7, 1u), std::pair(-1, 1u)}) {
    SmallVector<RegionSuccessor> successors;
    Attribute index = DenseElementsAttr::get(type, value);
    op.getEntrySuccessorRegions(index, successors);
    ASSERT_EQ(successors.size(), 1u);
    EXPECT_EQ(successors[0].getSuccessor()->getRegionNumber(), expected);
  }
}

TEST_F(DialectTest, ReplicaGroups) {
  auto groupsOf = [&](StringRef text) {
    return getReplicaGroups(parseAttribute(text, &context));
  };
  using Groups = partita::stablehlo::ReplicaGroups;
  EXPECT_EQ(groupsOf("dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>"),
            Groups({{0, 2}, {1}}));
  EXPECT_EQ(groupsOf("dense<> : tensor<0x0xi64>"), Groups());
  std::string mesh = "#stablehlo.replica_group_mesh_axes<mesh = "
                     "#stablehlo.mesh<axes=[<name = \"x\", size = 4>, "
                     "<name = \"y\", size = 2>]>, axes = ";
  EXPECT_EQ(groupsOf(mesh + "[#stablehlo.axis_ref<name = \"y\">]>"),
            Groups({{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(groupsOf(mesh + "[#stablehlo.axis_ref<name = \"x\">]>"),
            Groups({{0, 2, 4, 6}, {1, 3, 5, 7}}));
  // The outer half of x, and y before x.
  EXPECT_EQ(groupsOf(mesh + "[#stablehlo.axis_ref<name = \"x\", "
                            "sub_axis_info = (1)2>]>"),
            Groups({{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(groupsOf(mesh + "[#stablehlo.axis_ref<name = \"y\">, "
                            "#stablehlo.axis_ref<name = \"x\">]>"),
            Groups({{0, 2, 4, 6, 1, 3, 5, 7}}));
  EXPECT_FALSE(groupsOf(mesh + "[#stablehlo.axis_ref<name = \"z\">]>"));
  EXPECT_FALSE(groupsOf("#stablehlo.replica_group_mesh_axes<mesh = @m, axes = "
                        "[#stablehlo.axis_ref<name = \"x\">]>"));
}

} // namespace
} // namespace partita::stablehlo
