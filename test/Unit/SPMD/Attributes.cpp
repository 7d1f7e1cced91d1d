// Meshes, axes, shardings and rules as data.
#include "dialects/SPMD/SPMD.h"
#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace partita::spmd;

namespace {
struct AttributeTest : testing::Test {
  AttributeTest() { context.loadDialect<SPMDDialect>(); }
  MeshAxisAttr axis(StringRef name, int64_t size) {
    return MeshAxisAttr::get(&context, name, size, 0, 0);
  }
  AxisRefAttr ref(StringRef name, int64_t pre = 0, int64_t sub = 0) {
    return AxisRefAttr::get(&context, name, pre, sub);
  }
  std::string str(Attribute attr) {
    std::string text;
    llvm::raw_string_ostream(text) << attr;
    return text;
  }
  MLIRContext context;
};

/// Every order that is a transposed iota comes back as one, and as itself.
TEST_F(AttributeTest, DeviceOrderRoundTrip) {
  SmallVector<MeshAxisAttr> axes{axis("x", 4), axis("y", 6)};
  SmallVector<int64_t> dims[] = {{24}, {2, 12}, {4, 6}, {6, 4}, {2, 3, 4}};
  for (const auto &iotaDims : dims) {
    SmallVector<int64_t> perm(llvm::seq<int64_t>(0, iotaDims.size()).begin(),
                              llvm::seq<int64_t>(0, iotaDims.size()).end());
    do {
      MeshAttr mesh = MeshAttr::get(&context, axes, iotaDims, perm, {});
      SmallVector<int64_t> order = mesh.getDeviceOrder();
      ASSERT_EQ(order.size(), 24u);
      MeshAttr again = MeshAttr::getWithOrder(&context, axes, order);
      EXPECT_TRUE(again.getDeviceIds().empty()) << str(again);
      SmallVector<int64_t> back = again.getDeviceOrder();
      if (!back.empty())
        EXPECT_EQ(back, order);
      else
        EXPECT_TRUE(llvm::is_sorted(order));
    } while (std::next_permutation(perm.begin(), perm.end()));
  }
}

TEST_F(AttributeTest, OtherOrdersAreListed) {
  SmallVector<MeshAxisAttr> axes{axis("x", 6)};
  for (SmallVector<int64_t> order : {SmallVector<int64_t>{0, 2, 1, 4, 3, 5},
                                     SmallVector<int64_t>{5, 4, 3, 2, 1, 0},
                                     SmallVector<int64_t>{0, 1, 2, 5, 4, 3},
                                     SmallVector<int64_t>{1, 2, 3, 4, 5, 0}}) {
    MeshAttr mesh = MeshAttr::getWithOrder(&context, axes, order);
    EXPECT_EQ(mesh.getDeviceIds(), ArrayRef<int64_t>(order));
    EXPECT_EQ(mesh.getDeviceOrder(), order);
  }
}

TEST_F(AttributeTest, MeshRefusesTwoOrders) {
  auto emitError = [&]() {
    return mlir::emitError(UnknownLoc::get(&context));
  };
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  SmallVector<MeshAxisAttr> axes{axis("x", 2)};
  EXPECT_FALSE(MeshAttr::getChecked(
      emitError, &context, ArrayRef<MeshAxisAttr>(axes), ArrayRef<int64_t>{2},
      ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1, 0}));
  EXPECT_EQ(message, "mesh has both iota and listed device_ids");
}

TEST_F(AttributeTest, MeshQueries) {
  SmallVector<MeshAxisAttr> axes{axis("x", 4), axis("y", 6)};
  MeshAttr mesh = MeshAttr::get(&context, axes, {}, {}, {});
  EXPECT_EQ(mesh.getNumDevices(), 24);
  EXPECT_EQ(mesh.getAxisIndex("y"), 1);
  EXPECT_EQ(mesh.getAxisSize("z"), -1);
  EXPECT_FALSE(mesh.isMaximal());
  EXPECT_TRUE(mesh.getDeviceOrder().empty());
  MeshAttr single = MeshAttr::getWithOrder(&context, {}, {0});
  EXPECT_TRUE(single.isMaximal());
  EXPECT_EQ(single.getNumDevices(), 1);
}

/// Parts of an axis of size 12 against their coordinates: two parts are
/// independent when every pair of coordinates occurs equally often. Disjoint
/// ones are; all that follow one another are disjoint.
TEST_F(AttributeTest, OverlapMatchesCoordinates) {
  SmallVector<MeshAxisAttr> axes{axis("x", 12)};
  MeshAttr mesh = MeshAttr::get(&context, axes, {}, {}, {});
  SmallVector<AxisRefAttr> parts{ref("x")};
  for (int64_t pre = 1; pre <= 12; ++pre)
    for (int64_t sub = 2; sub < 12; ++sub)
      if (12 % (pre * sub) == 0)
        parts.push_back(ref("x", pre, sub));
  for (AxisRefAttr a : parts)
    for (AxisRefAttr b : parts) {
      std::map<std::pair<int64_t, int64_t>, int64_t> seen;
      for (int64_t i = 0; i < 12; ++i)
        ++seen[{getSubCoordinate(a, i, 12), getSubCoordinate(b, i, 12)}];
      bool independent =
          static_cast<int64_t>(seen.size()) == a.getSize(mesh) * b.getSize(mesh);
      for (auto &entry : seen)
        independent &= entry.second == seen.begin()->second;
      if (!a.overlaps(b, mesh))
        EXPECT_TRUE(independent) << a.str() << " " << b.str();
      if (a.isSubAxis() && b.isSubAxis() &&
          b.getPreSize() % (a.getPreSize() * a.getSubSize()) == 0)
        EXPECT_FALSE(a.overlaps(b, mesh)) << a.str() << " " << b.str();
    }
  EXPECT_FALSE(ref("x").overlaps(ref("y"), mesh));
}

TEST_F(AttributeTest, LocalType) {
  SmallVector<MeshAxisAttr> axes{axis("x", 4), axis("y", 6)};
  MeshAttr mesh = MeshAttr::get(&context, axes, {}, {}, {});
  Builder b(&context);
  SmallVector<DimShardingAttr> dims{
      DimShardingAttr::get(&context, {ref("x"), ref("y", 2, 3)}, true, -1),
      DimShardingAttr::get(&context, {}, false, 2),
      DimShardingAttr::get(&context, {ref("y", 1, 2)}, true, -1)};
  ShardingAttr sharding = ShardingAttr::get(&context, "m", dims);
  EXPECT_EQ(sharding.getLocalType(
                RankedTensorType::get({25, 5, 1}, b.getF32Type()), mesh),
            RankedTensorType::get({3, 5, 1}, b.getF32Type()));
  EXPECT_EQ(sharding.getLocalType(
                RankedTensorType::get({0, 5, 8}, b.getF32Type()), mesh),
            RankedTensorType::get({0, 5, 4}, b.getF32Type()));
  EXPECT_EQ(sharding.getShardCount(0, mesh), 12);
  EXPECT_TRUE(sharding.hasShardedDim());
  EXPECT_EQ(str(sharding.getClosed()),
            "#spmd.sharding<@m, [{\"x\", \"y\":(2)3}, {}, {\"y\":(1)2}]>");
  EXPECT_EQ(str(ShardingAttr::getReplicated(&context, "m", 2, false)),
            "#spmd.sharding<@m, [{?}, {?}]>");
}

TEST_F(AttributeTest, RuleText) {
  ShardingRule rule;
  int i = rule.addFactor(8), k = rule.addReduction(4, ReductionKind::Add);
  int j = rule.addFactor(16, FactorKind::Halo);
  int l = rule.addReduction(2, std::nullopt);
  rule.factors[j].direction = PropagationDirection::Forward;
  rule.factors[l].shardable = false;
  rule.operands = {TensorMapping{{{i, l}, {k}}}, TensorMapping{{{k}, {j}}}};
  rule.results = {TensorMapping{{{i}, {j}, {}}}};
  EXPECT_EQ(rule.str(), "([il, j],[j, k])->([i, k, ]) {i=8, j=4 add, k=16 halo "
                        "direction=forward, l=2 reduction gathered}");
}

TEST_F(AttributeTest, RuleTextBeyondTheAlphabet) {
  ShardingRule rule;
  for (int i = 0; i < 20; ++i)
    rule.addFactor(1);
  rule.results = {TensorMapping{{{17}, {18}, {19}}}};
  EXPECT_NE(rule.str().find("()->([z, z_1, z_2])"), std::string::npos);
}

TEST_F(AttributeTest, ByteSize) {
  Builder b(&context);
  EXPECT_EQ(getByteSize(RankedTensorType::get({3, 5}, b.getI1Type())), 15);
  EXPECT_EQ(getByteSize(RankedTensorType::get({3}, b.getIntegerType(4))), 3);
  EXPECT_EQ(getByteSize(RankedTensorType::get({}, b.getBF16Type())), 2);
  EXPECT_EQ(getByteSize(RankedTensorType::get(
                {3}, ComplexType::get(b.getF64Type()))), 48);
  EXPECT_EQ(getByteSize(RankedTensorType::get({2}, b.getIndexType())), 16);
  EXPECT_EQ(getByteSize(b.getNoneType()), 0);
}
} // namespace
