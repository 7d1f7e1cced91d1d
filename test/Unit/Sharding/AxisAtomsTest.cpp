// Factorisation of axes, and layouts against sets of (device, index) pairs.
#include "BruteForce.h"
#include "Simulator.h"
#include "gtest/gtest.h"
#include <set>

using namespace partita;
using namespace partita::test;

namespace {

using Uses = std::vector<llvm::SmallVector<SubAxis, 4>>;

AxisAtoms makeAtoms(llvm::ArrayRef<int64_t> sizes, const Uses &uses = {}) {
  Mesh mesh;
  for (size_t i = 0; i < sizes.size(); ++i)
    mesh.axes.push_back({std::string(1, char('x' + i)), sizes[i], 0, 0});
  return *AxisAtoms::build(mesh, uses);
}

TEST(AxisAtoms, WholeAxes) {
  AxisAtoms atoms = makeAtoms({4, 1, 3});
  ASSERT_EQ(atoms.size(), 2u);
  EXPECT_EQ(atoms.getSize(AtomId(0)), 4);
  EXPECT_EQ(atoms.getSize(AtomId(1)), 3);
  EXPECT_EQ(atoms.str(AtomId(1)), "z");
  EXPECT_FALSE(atoms.hasAlternatives());
}

TEST(AxisAtoms, CommonRefinement) {
  // 2 then 4 of 8, and 4 then 2 of 8, refine to 2, 2, 2.
  AxisAtoms atoms = makeAtoms({8}, {{{0, 1, 2}}, {{0, 1, 4}, {0, 4, 2}}});
  ASSERT_EQ(atoms.size(), 3u);
  EXPECT_FALSE(atoms.hasAlternatives());
  auto lists = atoms.expand({{0, 2, 4}, {0, 1, 2}});
  ASSERT_TRUE(lists);
  EXPECT_EQ((*lists)[0], AtomList({1, 2}));
  EXPECT_EQ((*lists)[1], AtomList({0}));
  EXPECT_EQ(atoms.str(AtomList{0, 1}), "{x:(1)4}");
  EXPECT_EQ(atoms.str(AtomList{0, 1, 2}), "{x}");
  EXPECT_EQ(atoms.str(AtomList{1, 0}), "{x:(2)2, x:(1)2}");
}

TEST(AxisAtoms, TwoFactorisations) {
  AxisAtoms atoms = makeAtoms({6}, {{{0, 1, 2}}, {{0, 1, 3}, {0, 3, 2}}});
  ASSERT_EQ(atoms.size(), 4u);
  EXPECT_TRUE(atoms.hasAlternatives());
  EXPECT_FALSE(atoms.getOverlap(AtomId(0)) & atomBit(1));
  EXPECT_TRUE(atoms.getOverlap(AtomId(0)) & atomBit(2));
  // The whole axis is one layout, however it is written.
  Layout first(1), second(1);
  first.dims[0] = {0, 1};
  second.dims[0] = {2, 3};
  EXPECT_EQ(canonicalize(atoms, first), canonicalize(atoms, second));
  second.dims[0] = {3, 2};
  EXPECT_NE(canonicalize(atoms, first), canonicalize(atoms, second));
}

TEST(AxisAtoms, Refusals) {
  Mesh mesh;
  mesh.axes.push_back({"x", 6, 0, 0});
  EXPECT_FALSE(AxisAtoms::build(mesh, Uses{{{0, 1, 4}}}));
  EXPECT_FALSE(AxisAtoms::build(mesh, Uses{{{1, 1, 2}}}));
  EXPECT_FALSE(AxisAtoms::build(mesh, Uses{{{0, 1, 2}, {0, 1, 3}}}));
  AxisAtoms atoms = *AxisAtoms::build(mesh);
  EXPECT_FALSE(atoms.expand(SubAxis{0, 1, 2}));
}

/// Pairs (device, index) of one dimension, by the definition of block layouts.
std::set<std::pair<int64_t, int64_t>> getPairs(const AxisAtoms &atoms,
                                               const AtomList &list,
                                               int64_t n) {
  std::set<std::pair<int64_t, int64_t>> pairs;
  int64_t k = atoms.getSize(list), c = (n + k - 1) / k;
  for (int64_t v = 0; v < atoms.getMesh().getNumDevices(); ++v)
    for (int64_t i = 0; i < n; ++i)
      if (i / c == indexOver(atoms, v, list))
        pairs.insert({v, i});
  return pairs;
}

TEST(Layout, HeldIntervals) {
  for (auto sizes : {Shape{2, 3}, Shape{4, 2}, Shape{6}, Shape{2, 2, 3}}) {
    Uses uses;
    if (sizes.size() == 1)
      uses = {{{0, 1, 2}}, {{0, 1, 3}}};
    AxisAtoms atoms = makeAtoms(sizes, uses);
    for (const Layout &layout : getAllLayouts(atoms, 2, 0))
      for (int64_t n : {1, 2, 5, 6, 7, 12, 24}) {
        std::set<std::pair<int64_t, int64_t>> pairs;
        for (int64_t v = 0; v < atoms.getMesh().getNumDevices(); ++v) {
          IndexInterval held = getHeldInterval(atoms, layout, 0, n, v);
          EXPECT_EQ(held.size(), getLocalValidExtent(atoms, layout, 0, n, v));
          EXPECT_LE(held.size(), getLocalShape(atoms, layout, {n, n})[0]);
          for (int64_t i = held.begin; i < held.end; ++i)
            pairs.insert({v, i});
        }
        EXPECT_EQ(pairs, getPairs(atoms, layout.dims[0], n))
            << layout.str(atoms) << " " << n;
      }
  }
}

TEST(Layout, Alignment) {
  for (int64_t n = 1; n <= 40; ++n)
    for (int64_t k : {1, 2, 3, 4, 6})
      for (int64_t m : {1, 2, 3, 4, 6}) {
        EXPECT_EQ(isAligned(n, k, m),
                  ceilDiv(n, k) == m * ceilDiv(n, k * m));
        // Nesting means: every fine block lies in place in its coarse block.
        bool inPlace = true;
        int64_t coarse = ceilDiv(n, k), fine = ceilDiv(n, k * m);
        for (int64_t i = 0; i < n; ++i)
          inPlace &= i / coarse == i / fine / m &&
                     i % coarse == i / fine % m * fine + i % fine;
        EXPECT_EQ(nests(n, k, m), inPlace) << n << " " << k << " " << m;
      }
}

TEST(Layout, Text) {
  AxisAtoms atoms = makeAtoms({4, 2});
  Layout layout(2);
  layout.dims[0] = {1, 0};
  EXPECT_EQ(layout.str(atoms), "[{y, x}, {}]");
  layout.dims[0] = {1};
  layout.unreduced = atomBit(0);
  layout.kind = spmd::ReductionKind::Max;
  EXPECT_EQ(layout.str(atoms), "[{y}, {}] unreduced=[max]{x}");
}

} // namespace
