// Relations between parts of one axis, checked against sets of digits.
#include "partita/Transforms/Propagation/AxisTable.h"
#include "gtest/gtest.h"
#include <set>

using namespace partita::propagation;

namespace {

/// All parts of an axis of size `n`.
std::vector<AxisRef> getParts(int n) {
  std::vector<AxisRef> parts;
  for (int pre = 1; pre <= n; ++pre)
    for (int size = 2; size <= n; ++size)
      if (n % (pre * size) == 0 && pre * size <= n)
        parts.push_back({0, pre, size});
  return parts;
}

TEST(AxisRef, RelationsOfPartsOfTwelve) {
  // As intervals of the logarithm, parts that coexist behave like intervals.
  for (const AxisRef &a : getParts(12)) {
    for (const AxisRef &b : getParts(12)) {
      EXPECT_EQ(a.contains(b), a.pre <= b.pre && a.next() >= b.next());
      EXPECT_EQ(a.overlaps(b), b.overlaps(a));
      EXPECT_EQ(a.isPrefixOf(b), b.contains(a) && a.pre == b.pre);
      EXPECT_EQ(a.canCoexistWith(b), b.canCoexistWith(a));
      if (std::optional<AxisRef> rest = a.prefixWithout(b)) {
        EXPECT_TRUE(rest->isPrefixOf(a));
        EXPECT_FALSE(rest->overlaps(b));
      }
    }
  }
}

TEST(AxisRef, PartsThatNoFactorisationHas) {
  AxisRef two{0, 1, 2}, three{0, 1, 3};
  EXPECT_FALSE(two.canCoexistWith(three));
  EXPECT_EQ(two.prefixWithout(three), std::nullopt);
  EXPECT_TRUE(two.canCoexistWith(AxisRef{0, 2, 3}));
  EXPECT_TRUE(two.canCoexistWith(AxisRef{1, 1, 3}));
}

TEST(AxisRef, PrefixWithout) {
  AxisRef whole{0, 1, 8};
  EXPECT_EQ(whole.prefixWithout(AxisRef{0, 2, 2}), (AxisRef{0, 1, 2}));
  EXPECT_EQ(whole.prefixWithout(AxisRef{0, 1, 2}), std::nullopt);
  EXPECT_EQ(whole.prefixWithout(AxisRef{1, 1, 8}), whole);
}

TEST(AxisList, Prefix) {
  AxisList a{{0, 1, 4}}, ab{{0, 1, 4}, {1, 1, 2}}, part{{0, 1, 2}};
  EXPECT_EQ(getPrefixStatus({}, {}), PrefixStatus::Equal);
  EXPECT_EQ(getPrefixStatus({}, a), PrefixStatus::StrictPrefix);
  EXPECT_EQ(getPrefixStatus(a, a), PrefixStatus::Equal);
  EXPECT_EQ(getPrefixStatus(a, ab), PrefixStatus::StrictPrefix);
  EXPECT_EQ(getPrefixStatus(ab, a), PrefixStatus::NotAPrefix);
  EXPECT_EQ(getPrefixStatus(part, ab), PrefixStatus::StrictPrefix);
  EXPECT_EQ(getPrefixStatus(a, part), PrefixStatus::NotAPrefix);
}

TEST(AxisList, AdjacentPartsJoin) {
  AxisList axes;
  appendOrMerge(axes, {0, 1, 2});
  appendOrMerge(axes, {0, 2, 2});
  appendOrMerge(axes, {1, 1, 3});
  EXPECT_EQ(axes, (AxisList{{0, 1, 4}, {1, 1, 3}}));
  EXPECT_EQ(getTotalSize(axes), 12);
}

TEST(AxisListTable, EqualListsHaveOneId) {
  AxisListTable table;
  EXPECT_EQ(table.intern({}), 0u);
  ListId id = table.intern({{0, 1, 2}, {1, 1, 3}});
  EXPECT_EQ(table.intern({{0, 1, 2}, {1, 1, 3}}), id);
  EXPECT_NE(table.intern({{1, 1, 3}, {0, 1, 2}}), id);
  EXPECT_EQ(table.get(id).size(), 2u);
}

} // namespace
