// Schedules of exchanges: every element that a device lacks arrives once, each
// round is a partial permutation, and the price is that of the schedule.
#include "partita/Sharding/ExchangeSchedule.h"
#include "BruteForce.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace partita;
using namespace partita::test;

namespace {

AxisAtoms makeAtoms(llvm::ArrayRef<int64_t> sizes) {
  Mesh mesh;
  for (size_t i = 0; i < sizes.size(); ++i)
    mesh.axes.push_back({std::string(1, char('x' + i)), sizes[i], 0, 0});
  return *AxisAtoms::build(mesh);
}

using Intervals = llvm::SmallVector<ExchangeInterval, 4>;

void checkSchedule(const AxisAtoms &atoms, const Layout &from, const Layout &to,
                   llvm::ArrayRef<int64_t> shape, const Intervals &intervals) {
  ExchangeSchedule schedule =
      scheduleExchange(atoms, from, to, shape, intervals);
  int64_t count = atoms.getMesh().getNumDevices();
  // (device, dim 0, dim 1) that arrive.
  std::multiset<std::tuple<int64_t, int64_t, int64_t>> arrived;
  std::map<int64_t, int64_t> sent, received;
  auto holds = [&](int64_t v, int64_t i, int64_t j) {
    IndexInterval a = getHeldInterval(atoms, from, 0, shape[0], v);
    IndexInterval b = getHeldInterval(atoms, from, 1, shape[1], v);
    return a.begin <= i && i < a.end && b.begin <= j && j < b.end;
  };
  for (const auto &round : schedule.rounds) {
    EXPECT_FALSE(round.empty());
    std::set<int64_t> sources, targets;
    for (const Transfer &transfer : round) {
      EXPECT_NE(transfer.source, transfer.target);
      EXPECT_TRUE(sources.insert(transfer.source).second);
      EXPECT_TRUE(targets.insert(transfer.target).second);
      EXPECT_EQ(transfer.elements,
                transfer.box[0].size() * transfer.box[1].size());
      sent[transfer.source] += transfer.elements;
      received[transfer.target] += transfer.elements;
      for (int64_t i = transfer.box[0].begin; i < transfer.box[0].end; ++i)
        for (int64_t j = transfer.box[1].begin; j < transfer.box[1].end; ++j) {
          EXPECT_TRUE(holds(transfer.source, i, j));
          arrived.insert({transfer.target, i, j});
        }
    }
  }
  std::multiset<std::tuple<int64_t, int64_t, int64_t>> wanted;
  for (int64_t v = 0; v < count; ++v) {
    int64_t i0 = intervals[0].base + getBlockIndex(atoms, to.dims[0], v) *
                                         intervals[0].step;
    int64_t j0 = intervals[1].base + getBlockIndex(atoms, to.dims[1], v) *
                                         intervals[1].step;
    for (int64_t i = i0; i < i0 + intervals[0].length; ++i)
      for (int64_t j = j0; j < j0 + intervals[1].length; ++j)
        if (i >= 0 && i < shape[0] && j >= 0 && j < shape[1] &&
            !holds(v, i, j))
          wanted.insert({v, i, j});
  }
  EXPECT_EQ(arrived, wanted) << from.str(atoms) << " -> " << to.str(atoms);
  int64_t most = 0;
  for (int64_t v = 0; v < count; ++v)
    most = std::max({most, sent[v], received[v]});
  EXPECT_EQ(std::max(schedule.sentElements, schedule.receivedElements), most);
  CollectiveCost cost = priceExchange(
      atoms, CostModel(getMachines().front()), from, to, shape, intervals, 8);
  EXPECT_EQ(cost.sentBytes, double(most));
  EXPECT_EQ(cost.launches, int64_t(schedule.rounds.size()));
}

TEST(ExchangeSchedule, Reshards) {
  for (auto sizes : {Shape{2, 3}, Shape{4, 2}}) {
    AxisAtoms atoms = makeAtoms(sizes);
    std::vector<Layout> layouts = getAllLayouts(atoms, 2, 0);
    for (const Shape &shape : {Shape{12, 6}, Shape{5, 3}})
      for (const Layout &from : layouts)
        for (const Layout &to : layouts) {
          Intervals intervals;
          for (size_t d = 0; d < 2; ++d) {
            int64_t c = ceilDiv(shape[d], atoms.getSize(to.dims[d]));
            intervals.push_back({0, c, c});
          }
          checkSchedule(atoms, from, to, shape, intervals);
        }
  }
}

TEST(ExchangeSchedule, Halos) {
  AxisAtoms atoms = makeAtoms({4, 2});
  Layout layout(2);
  layout.dims[0] = {0};
  // Two rows below, one above; the first and last shard read outside.
  checkSchedule(atoms, layout, layout, {16, 4}, {{-2, 4, 7}, {0, 4, 4}});
  // Reversed blocks.
  checkSchedule(atoms, layout, layout, {16, 4}, {{12, -4, 4}, {0, 4, 4}});
  // Every second block, over several hops.
  checkSchedule(atoms, layout, layout, {16, 4}, {{0, 2, 9}, {0, 4, 4}});
}

TEST(ExchangeSchedule, OneRoundWhereOneSuffices) {
  // Replicas share the sending: axis y replaces x in one permutation.
  AxisAtoms atoms = makeAtoms({4, 4});
  Layout from(2), to(2);
  from.dims[0] = {0};
  to.dims[0] = {1};
  ExchangeSchedule schedule =
      scheduleExchange(atoms, from, to, {8, 1}, {{0, 2, 2}, {0, 1, 1}});
  EXPECT_EQ(schedule.rounds.size(), 1u);
  EXPECT_EQ(schedule.sentElements, 2);
}

} // namespace
