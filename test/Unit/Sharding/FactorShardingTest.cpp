// Layouts that a split of an op's factors asks for, as attributes and compared
// without making one.
#include "partita/Sharding/FactorSharding.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace partita;

namespace {

/// ([i, k], [k, j]) -> [i, j] on a mesh x=2, y=3, with the bias [j] beside.
class FactorShardingTest : public testing::Test {
protected:
  FactorShardingTest() {
    context.loadDialect<spmd::SPMDDialect>();
    SmallVector<spmd::MeshAxisAttr> axes;
    for (auto [axis, size] : {std::pair("x", 2), std::pair("y", 3)})
      axes.push_back(spmd::MeshAxisAttr::get(&context, axis, size, 0, 0));
    mesh = spmd::MeshAttr::get(&context, axes, {}, {}, {});
    name = FlatSymbolRefAttr::get(&context, "mesh");
    int i = rule.addFactor(12), j = rule.addFactor(18);
    int k = rule.addReduction(6, spmd::ReductionKind::Add);
    auto map = [](SmallVector<SmallVector<int, 1>, 0> dims) {
      spmd::TensorMapping mapping;
      mapping.dims = std::move(dims);
      return mapping;
    };
    rule.operands = {map({{i}, {k}}), map({{k}, {j}}), map({{j}})};
    rule.results = {map({{i}, {j}})};
    rule.operandTraits.resize(3);
    rule.operandTraits[0].linear = true;
  }

  spmd::AxisRefAttr axis(StringRef axisName) {
    return spmd::AxisRefAttr::get(&context, axisName, 0, 0);
  }

  MLIRContext context;
  spmd::MeshAttr mesh;
  FlatSymbolRefAttr name;
  spmd::ShardingRule rule;
};

/// All splits of two axes: each on no factor or on one, or sums over x that
/// pass from the first operand.
TEST_F(FactorShardingTest, ComparesLikeTheAttribute) {
  std::vector<FactorSharding> splits;
  constexpr int kPass = -2;
  for (int ofX = kPass; ofX < 3; ++ofX)
    for (int ofY = -1; ofY < 3; ++ofY) {
      FactorSharding &split = splits.emplace_back(rule, mesh);
      if (ofX == kPass)
        EXPECT_TRUE(split.pass(0, axis("x")));
      else if (ofX >= 0)
        split.insert(ofX, axis("x"), /*isMajor=*/false);
      if (ofY >= 0)
        split.insert(ofY, axis("y"), /*isMajor=*/true);
    }
  auto check = [&](unsigned index, bool isResult, const FactorSharding &split,
                   const FactorSharding &other) {
    auto get = [&](const FactorSharding &from) {
      return isResult ? from.getResultSharding(index, name)
                      : from.getOperandSharding(index, name);
    };
    EXPECT_EQ(split.hasSharding(index, isResult, name, get(other)),
              isSameLayout(get(split), get(other)));
  };
  for (const FactorSharding &split : splits)
    for (const FactorSharding &other : splits) {
      for (unsigned operand = 0; operand < 3; ++operand)
        check(operand, false, split, other);
      check(0, true, split, other);
    }
}

TEST_F(FactorShardingTest, ContractedAxesArePartialSums) {
  FactorSharding split(rule, mesh);
  split.insert(2, axis("y"), /*isMajor=*/false);
  spmd::ShardingAttr result = split.getResultSharding(0, name);
  ASSERT_EQ(result.getUnreduced().size(), 1u);
  EXPECT_EQ(result.getUnreduced()[0], axis("y"));
  EXPECT_FALSE(split.hasSharding(
      0, true, name, FactorSharding(rule, mesh).getResultSharding(0, name)));
}

/// Whole on one mesh is whole on another; a rank that differs never fits.
TEST_F(FactorShardingTest, WholeTensorsHaveNoMesh) {
  auto other = FlatSymbolRefAttr::get(&context, "other");
  FactorSharding whole(rule, mesh), split(rule, mesh);
  split.insert(1, axis("x"), /*isMajor=*/false);
  EXPECT_TRUE(
      whole.hasSharding(2, false, name, whole.getOperandSharding(2, other)));
  EXPECT_FALSE(
      split.hasSharding(2, false, name, split.getOperandSharding(2, other)));
  EXPECT_FALSE(
      whole.hasSharding(2, false, name, whole.getOperandSharding(0, name)));
}

} // namespace
