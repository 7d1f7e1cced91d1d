// The ring model.
#include "partita/Sharding/CostModel.h"
#include "gtest/gtest.h"

using namespace partita;

namespace {

TEST(CostModel, RingBytes) {
  auto sent = CostModel::getSentBytes;
  EXPECT_EQ(sent(CollectiveKind::AllGather, 4, 100), 300);
  EXPECT_EQ(sent(CollectiveKind::ReduceScatter, 4, 100), 75);
  EXPECT_EQ(sent(CollectiveKind::AllReduce, 4, 100), 150);
  EXPECT_EQ(sent(CollectiveKind::AllToAll, 4, 100), 75);
  EXPECT_EQ(sent(CollectiveKind::Permute, 4, 100), 100);
  EXPECT_EQ(sent(CollectiveKind::AllSlice, 4, 100), 0);
  EXPECT_EQ(sent(CollectiveKind::AllReduce, 1, 100), 0);
}

TEST(CostModel, SlowestLinkCounts) {
  CostModel model(getMachines().front());
  Group fast = {{4, 0, 0}}, slow = {{2, 0, 0}, {2, 1e-5, 1e9}};
  CollectiveCost a = model.getCost(CollectiveKind::AllGather, fast, 1e6);
  CollectiveCost b = model.getCost(CollectiveKind::AllGather, slow, 1e6);
  EXPECT_EQ(a.sentBytes, b.sentBytes);
  EXPECT_EQ(a.launches, 1);
  EXPECT_GT(b.seconds, 3e6 / 1e9);
  EXPECT_LT(a.seconds, 1e-3);
}

TEST(CostModel, Roofline) {
  CostModel model(*parseMachine("h100-nvlink", [](auto &&...) {}));
  EXPECT_NEAR(model.getComputeSeconds(989e12, 0), 1, 1e-3);
  EXPECT_NEAR(model.getComputeSeconds(0, 3.35e12), 1, 1e-3);
  EXPECT_GT(model.getComputeSeconds(1e12, 0, 32),
            model.getComputeSeconds(1e12, 0, 16));
}

} // namespace
