// Conversions between attributes and layouts.
#include "partita/Sharding/SPMDConversion.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/AsmParser/AsmParser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace partita;

namespace {

class SPMDConversion : public ::testing::Test {
protected:
  SPMDConversion() { context.loadDialect<spmd::SPMDDialect>(); }

  spmd::MeshAttr getMeshAttr(StringRef text) {
    return dyn_cast_or_null<spmd::MeshAttr>(parseAttribute(text, &context));
  }
  spmd::ShardingAttr getShardingAttr(StringRef text) {
    return dyn_cast_or_null<spmd::ShardingAttr>(
        parseAttribute(text, &context));
  }

  MLIRContext context;
};

TEST_F(SPMDConversion, RoundTrip) {
  auto mesh = getMeshAttr("#spmd.mesh<[\"x\"=4, \"y\"=6]>");
  ASSERT_TRUE(mesh);
  for (StringRef text :
       {"#spmd.sharding<@m, [{\"x\"}, {\"y\"}]>",
        "#spmd.sharding<@m, [{\"y\", \"x\"}, {}]>",
        "#spmd.sharding<@m, [{\"x\":(2)2}, {\"x\":(1)2}]>",
        "#spmd.sharding<@m, [{\"y\":(1)3}, {}]>",
        "#spmd.sharding<@m, [{\"x\"}, {}], unreduced={\"y\":(1)2}>",
        "#spmd.sharding<@m, [{}, {}], unreduced=[max]{\"x\", \"y\"}>"}) {
    auto sharding = getShardingAttr(text);
    auto other = getShardingAttr("#spmd.sharding<@m, [{\"y\":(1)2}]>");
    ASSERT_TRUE(sharding && other) << text.str();
    auto atoms = buildAtoms(mesh, {sharding, other});
    ASSERT_TRUE(atoms);
    auto layout = getLayout(*atoms, sharding);
    ASSERT_TRUE(layout) << text.str();
    EXPECT_EQ(
        getSharding(&context, *atoms, *layout, sharding.getMesh()),
        sharding)
        << text.str();
  }
}

TEST_F(SPMDConversion, UnknownAxis) {
  auto mesh = getMeshAttr("#spmd.mesh<[\"x\"=4]>");
  auto sharding = getShardingAttr("#spmd.sharding<@m, [{\"z\"}]>");
  ASSERT_TRUE(mesh && sharding);
  EXPECT_FALSE(buildAtoms(mesh, {sharding}));
  EXPECT_FALSE(getLayout(*buildAtoms(mesh, {}), sharding));
}

TEST_F(SPMDConversion, PermuteAxes) {
  auto mesh = getMeshAttr("#spmd.mesh<[\"x\"=8, \"y\"=2]>");
  auto cut = getShardingAttr("#spmd.sharding<@m, [{\"x\":(1)2}, {\"x\":(2)2}]>");
  ASSERT_TRUE(mesh && cut);
  auto atoms = buildAtoms(mesh, {cut});
  ASSERT_TRUE(atoms);
  // x is cut into 0, 1, 2; y is 3. Neighbours in both lists are merged.
  auto [source, target] = getPermuteAxes(&context, *atoms, {0, 1, 2, 3},
                                         {3, 1, 2, 0});
  EXPECT_EQ(source.str(), "{\"x\":(1)2, \"x\":(2)4, \"y\"}");
  EXPECT_EQ(target.str(), "{\"y\", \"x\":(2)4, \"x\":(1)2}");
}

} // namespace
