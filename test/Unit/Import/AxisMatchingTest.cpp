// Replica groups, permutations and indices against mesh axes: everything that
// axes can say is recognised, and what is recognised means what was given.
#include "lib/Import/AxisMatching.h"
#include "lib/Import/MixedRadix.h"

#include "gtest/gtest.h"

#include <numeric>
#include <random>

using namespace mlir;
using namespace partita;

namespace {

class AxisMatchingTest : public testing::Test {
protected:
  AxisMatchingTest() { context.loadDialect<spmd::SPMDDialect>(); }

  spmd::MeshAttr getMesh(ArrayRef<int64_t> sizes,
                         ArrayRef<int64_t> devices = {}) {
    SmallVector<spmd::MeshAxisAttr> axes;
    for (auto [index, size] : llvm::enumerate(sizes))
      axes.push_back(spmd::MeshAxisAttr::get(
          &context, std::string(1, static_cast<char>('a' + index)), size, 0.0,
          0.0));
    if (devices.empty())
      return spmd::MeshAttr::get(&context, axes, {}, {}, {});
    return spmd::MeshAttr::getWithOrder(&context, axes, devices);
  }

  /// Every whole axis and every proper sub-axis of `mesh` of size over 1.
  AxisRefs getAllRefs(spmd::MeshAttr mesh) {
    AxisRefs refs;
    for (spmd::MeshAxisAttr axis : mesh.getAxes()) {
      if (axis.getSize() > 1)
        refs.push_back(spmd::AxisRefAttr::get(&context, axis.getName(), 0, 0));
      for (int64_t pre = 1; pre < axis.getSize(); ++pre)
        for (int64_t size = 2; size < axis.getSize(); ++size)
          if (axis.getSize() % (pre * size) == 0)
            refs.push_back(
                spmd::AxisRefAttr::get(&context, axis.getName(), pre, size));
    }
    return refs;
  }

  /// Index of mesh position `position` over `axes`, from the definition.
  int64_t getIndex(spmd::MeshAttr mesh, ArrayRef<spmd::AxisRefAttr> axes,
                   int64_t position) {
    int64_t index = 0;
    for (spmd::AxisRefAttr axis : axes) {
      int64_t minor = mesh.getNumDevices(), coordinate = 0, size = 1;
      for (spmd::MeshAxisAttr meshAxis : mesh.getAxes()) {
        minor /= meshAxis.getSize();
        if (meshAxis.getName() == axis.getName()) {
          size = meshAxis.getSize();
          coordinate = position / minor % size;
        }
      }
      int64_t sub = axis.getSize(mesh);
      index = index * sub + coordinate / (size / (axis.getPre() * sub)) % sub;
    }
    return index;
  }

  /// Calls `check` for every list of up to three disjoint axes.
  void
  forEachList(spmd::MeshAttr mesh,
              llvm::function_ref<void(ArrayRef<spmd::AxisRefAttr>)> check) {
    AxisRefs refs = getAllRefs(mesh);
    AxisRefs list;
    std::function<void()> extend = [&] {
      check(list);
      if (list.size() == 3)
        return;
      for (spmd::AxisRefAttr ref : refs) {
        if (llvm::any_of(list, [&](spmd::AxisRefAttr other) {
              return ref.overlaps(other, mesh);
            }))
          continue;
        list.push_back(ref);
        extend();
        list.pop_back();
      }
    };
    extend();
  }

  MLIRContext context;
};

TEST_F(AxisMatchingTest, EveryIndexIsRecognised) {
  for (auto sizes : std::vector<std::vector<int64_t>>{
           {4, 2}, {2, 3}, {6}, {2, 2, 2}, {8, 1}, {12}, {4, 6}}) {
    spmd::MeshAttr mesh = getMesh(sizes);
    int lists = 0;
    forEachList(mesh, [&](ArrayRef<spmd::AxisRefAttr> axes) {
      ++lists;
      SmallVector<int64_t> values;
      for (int64_t p = 0; p < mesh.getNumDevices(); ++p)
        values.push_back(getIndex(mesh, axes, p));
      auto match = matchAxisIndex(mesh, values);
      ASSERT_TRUE(match) << spmd::AxisListAttr::get(&context, axes).str();
      // Another spelling may mean the same.
      for (int64_t p = 0; p < mesh.getNumDevices(); ++p)
        ASSERT_EQ(getIndex(mesh, *match, p), values[p]);
    });
    EXPECT_GT(lists, 1);
  }
}

TEST_F(AxisMatchingTest, EveryGroupingIsRecognised) {
  for (auto devices : std::vector<std::vector<int64_t>>{
           {}, {0, 4, 1, 5, 2, 6, 3, 7}, {5, 2, 7, 0, 1, 6, 3, 4}}) {
    spmd::MeshAttr mesh = getMesh({4, 2}, devices);
    SmallVector<int64_t> ids = getDeviceIds(mesh);
    forEachList(mesh, [&](ArrayRef<spmd::AxisRefAttr> axes) {
      // Positions with the same rest of coordinates are one group.
      std::map<int64_t, std::map<int64_t, int64_t>> byRest;
      int64_t size = spmd::AxisListAttr::get(&context, axes).getSize(mesh);
      for (int64_t p = 0; p < mesh.getNumDevices(); ++p) {
        int64_t rest = mesh.getNumDevices();
        for (int64_t q = 0; q < mesh.getNumDevices(); ++q) {
          bool same = true;
          forEachList(mesh, [&](ArrayRef<spmd::AxisRefAttr> other) {
            if (other.size() != 1 || llvm::any_of(axes, [&](auto axis) {
                  return axis.overlaps(other[0], mesh);
                }))
              return;
            same &= getIndex(mesh, other, p) == getIndex(mesh, other, q);
          });
          if (same)
            rest = std::min(rest, q);
        }
        byRest[rest][getIndex(mesh, axes, p)] = ids[p];
      }
      DeviceGroups groups;
      for (auto &[rest, members] : byRest) {
        ASSERT_EQ(static_cast<int64_t>(members.size()), size);
        auto &group = groups.emplace_back();
        for (auto [index, id] : members)
          group.push_back(id);
      }
      std::string reason;
      auto match = matchGroups(mesh, groups, /*ordered=*/true, reason);
      ASSERT_TRUE(match) << reason;
      for (auto &group : groups)
        for (auto [index, id] : llvm::enumerate(group))
          ASSERT_EQ(getIndex(mesh, *match, llvm::find(ids, id) - ids.begin()),
                    static_cast<int64_t>(index));
      // In any other order they are the same set.
      for (auto &group : groups)
        std::reverse(group.begin(), group.end());
      ASSERT_TRUE(matchGroups(mesh, groups, /*ordered=*/false, reason));
    });
  }
}

TEST_F(AxisMatchingTest, OtherGroupsAreRefusedWithAReason) {
  spmd::MeshAttr mesh = getMesh({4});
  auto reasonFor = [&](DeviceGroups groups, bool ordered) {
    std::string reason;
    EXPECT_FALSE(matchGroups(mesh, groups, ordered, reason));
    return reason;
  };
  EXPECT_NE(reasonFor({{0, 3}, {1, 2}}, false).find("not the instances"),
            std::string::npos);
  EXPECT_NE(reasonFor({{0, 1}, {2}}, false).find("different sizes"),
            std::string::npos);
  EXPECT_NE(reasonFor({{0, 1}, {2, 9}}, false).find("device 9"),
            std::string::npos);
  EXPECT_NE(reasonFor({{0, 1}, {1, 2}}, false).find("twice"),
            std::string::npos);
  EXPECT_NE(reasonFor({{0, 1}}, false).find("device 2 is in no group"),
            std::string::npos);
  EXPECT_NE(reasonFor({{0, 1}, {3, 2}}, true).find("not in the order"),
            std::string::npos);
  EXPECT_NE(reasonFor({{1, 0}, {3, 2}}, true).find("not in the order"),
            std::string::npos);
}

/// Pairs over the axes of a match, as spmd.permute defines its three maps.
static std::map<int64_t, int64_t> expand(
    const PermuteMatch &match, spmd::MeshAttr mesh,
    llvm::function_ref<int64_t(ArrayRef<spmd::AxisRefAttr>, int64_t)> index) {
  std::map<int64_t, int64_t> targets; // by mesh position
  int64_t count = mesh.getNumDevices();
  auto sameElsewhere = [&](int64_t p, int64_t q) {
    for (spmd::MeshAxisAttr axis : mesh.getAxes()) {
      auto ref =
          spmd::AxisRefAttr::get(mesh.getContext(), axis.getName(), 0, 0);
      if (!llvm::is_contained(match.axes, ref) &&
          index(ref, p) != index(ref, q))
        return false;
    }
    return true;
  };
  for (int64_t p = 0; p < count; ++p)
    for (int64_t q = 0; q < count; ++q) {
      if (!sameElsewhere(p, q))
        continue;
      bool sends = false;
      int64_t from = index(match.axes, p);
      for (size_t i = 0; i + 1 < match.pairs.size(); i += 2)
        sends |= match.pairs[i] == from &&
                 match.pairs[i + 1] == index(match.axes, q);
      if (!match.targetAxes.empty())
        sends = index(match.targetAxes, q) == from;
      if (!match.shift.empty()) {
        sends = true;
        for (auto [axis, shift] : llvm::zip(match.axes, match.shift)) {
          int64_t size = axis.getSize(mesh);
          int64_t moved = index(axis, p) + shift;
          if (match.wrap)
            moved = (moved + size) % size;
          sends &= moved == index(axis, q);
        }
      }
      if (match.axes.empty())
        sends = p == q;
      if (sends)
        targets[p] = q;
    }
  return targets;
}

TEST_F(AxisMatchingTest, PermutationsKeepTheirMeaning) {
  std::mt19937 random(7);
  for (auto sizes : std::vector<std::vector<int64_t>>{
           {8}, {4, 2}, {2, 3}, {2, 2, 2}, {3, 1, 2}})
    for (int round = 0; round < 400; ++round) {
      spmd::MeshAttr mesh = getMesh(sizes);
      int64_t count = mesh.getNumDevices();
      auto index = [&](ArrayRef<spmd::AxisRefAttr> axes, int64_t p) {
        return getIndex(mesh, axes, p);
      };
      // A random permutation, a translation per axis, or a rotation of all
      // devices; sometimes with senders left out.
      std::vector<int64_t> target(count);
      std::iota(target.begin(), target.end(), 0);
      int64_t shift = random() % count;
      switch (round % 3) {
      case 0:
        std::shuffle(target.begin(), target.end(), random);
        break;
      case 1:
        for (int64_t &t : target)
          t = (t + shift) % count;
        break;
      case 2:
        for (int64_t p = 0; p < count; ++p) {
          int64_t minor = count / sizes[0];
          target[p] = (p / minor + shift) % sizes[0] * minor + p % minor;
        }
        break;
      }
      SmallVector<std::pair<int64_t, int64_t>> pairs;
      std::map<int64_t, int64_t> expected;
      for (int64_t p = 0; p < count; ++p) {
        if (round % 2 && target[p] < p)
          continue;
        pairs.push_back({p, target[p]});
        expected[p] = target[p];
      }
      std::string reason;
      auto match = matchPermute(mesh, pairs, {}, reason);
      ASSERT_TRUE(match) << reason;
      if (!pairs.empty()) {
        ASSERT_EQ(expand(*match, mesh, index), expected);
      }
    }
}

TEST(MixedRadixTest, RefusesWhatIsNoDigitSum) {
  EXPECT_FALSE(decomposeIntoDigits({4}, {0, 1, 3, 2}));
  EXPECT_FALSE(decomposeIntoDigits({2, 2}, {0, 1, 2, 4}));
  EXPECT_TRUE(decomposeIntoDigits({2, 2}, {5, 6, 7, 8}));
  EXPECT_FALSE(orderAsMixedRadix({{0, 1, 2, 4}, {1, 1, 2, 1}}));
  EXPECT_TRUE(orderAsMixedRadix({{0, 1, 2, 1}, {1, 1, 2, 2}}));
}

} // namespace
