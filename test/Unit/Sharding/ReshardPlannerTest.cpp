// Every plan between small layouts, executed on simulated devices and compared
// with the cheapest plan that brute force finds.
#include "BruteForce.h"
#include "Simulator.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::test;

namespace {

AxisAtoms makeAtoms(llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<llvm::SmallVector<SubAxis, 4>> uses = {}) {
  Mesh mesh;
  for (size_t i = 0; i < sizes.size(); ++i)
    mesh.axes.push_back({std::string(1, char('x' + i)), sizes[i], 0, 0});
  return *AxisAtoms::build(mesh, uses);
}

std::string describe(const AxisAtoms &atoms, const ReshardPlan &plan,
                     const Layout &from, const Layout &to,
                     llvm::ArrayRef<int64_t> shape) {
  std::string text = from.str(atoms) + " -> " + to.str(atoms) + " shape";
  for (int64_t n : shape)
    text += " " + std::to_string(n);
  text += " bytes " + std::to_string(plan.sentBytes) + " bound " +
          std::to_string(plan.bound);
  for (const ReshardStep &step : plan.steps)
    text += "\n  " + stringify(step.kind).str() + " to " +
            step.after.str(atoms) + " " + std::to_string(step.cost.sentBytes);
  return text;
}

/// Executes the plan; empty when it ends in the target.
std::string execute(const AxisAtoms &atoms, const ReshardPlan &plan,
                    const Layout &from, const Layout &to,
                    llvm::ArrayRef<int64_t> shape) {
  Simulator simulator(atoms, from, shape);
  for (const ReshardStep &step : plan.steps)
    if (std::string error = simulator.execute(step); !error.empty())
      return stringify(step.kind).str() + ": " + error;
  return simulator.check(to, atoms.getSize(from.unreduced));
}

/// Plans between all pairs of layouts (every `stride`-th pair).
void checkAll(const AxisAtoms &atoms, llvm::ArrayRef<int64_t> shape,
              AtomMask partial, size_t stride = 1, bool bruteForce = true) {
  ReshardOptions options;
  options.maxWork = SIZE_MAX;
  ReshardPlanner planner(atoms, options);
  CostModel model(getMachines().front(), Objective::Bytes);
  std::vector<Layout> layouts = getAllLayouts(atoms, shape.size(), partial);
  std::optional<BruteForce> search;
  if (bruteForce)
    search.emplace(atoms, shape, partial, model);
  size_t count = 0;
  for (size_t i = 0; i < layouts.size(); ++i) {
    std::vector<double> least;
    for (size_t j = 0; j < layouts.size(); ++j) {
      if (++count % stride != 0)
        continue;
      const ReshardPlan &plan = planner.plan(layouts[i], layouts[j], shape, 8);
      ASSERT_TRUE(plan.feasible);
      std::string error = execute(atoms, plan, layouts[i], layouts[j], shape);
      ASSERT_EQ(error, "") << describe(atoms, plan, layouts[i], layouts[j],
                                       shape);
      ASSERT_LE(plan.bound, plan.sentBytes + 1e-9)
          << describe(atoms, plan, layouts[i], layouts[j], shape);
      ASSERT_TRUE(plan.optimal)
          << describe(atoms, plan, layouts[i], layouts[j], shape);
      if (!bruteForce)
        continue;
      if (least.empty())
        least = search->getBytes(i);
      ASSERT_NEAR(plan.sentBytes, least[j], 1e-6)
          << describe(atoms, plan, layouts[i], layouts[j], shape);
    }
  }
}

TEST(ReshardPlanner, OneAxis) {
  for (int64_t size : {2, 3, 4, 6})
    for (int64_t n : {1, 2, 3, 5, 6, 7, 12})
      checkAll(makeAtoms({size}), {n}, 1);
}

TEST(ReshardPlanner, OneAxisTwoDims) {
  for (int64_t size : {2, 3, 4, 6})
    for (int64_t n : {1, 3, 4, 6})
      for (int64_t m : {2, 5, 6})
        checkAll(makeAtoms({size}), {n, m}, 1);
}

TEST(ReshardPlanner, TwoAxesOneDim) {
  for (auto [x, y] : {std::pair(2, 2), {2, 3}, {4, 2}, {3, 3}, {6, 2}})
    for (int64_t n : {1, 2, 5, 6, 7, 11, 12})
      checkAll(makeAtoms({x, y}), {n}, 3);
}

TEST(ReshardPlanner, TwoAxesTwoDims) {
  for (auto [x, y] : {std::pair(2, 2), {2, 3}, {4, 2}, {3, 4}})
    for (auto [n, m] : {std::pair(12, 12), {5, 6}, {3, 7}, {4, 1}})
      checkAll(makeAtoms({x, y}), {n, m}, 3);
}

TEST(ReshardPlanner, TwoAxesThreeDims) {
  checkAll(makeAtoms({2, 3}), {6, 6, 6}, 3);
  checkAll(makeAtoms({2, 2}), {3, 4, 2}, 3);
  checkAll(makeAtoms({2, 4}), {5, 4, 3}, 1);
  checkAll(makeAtoms({6, 2}), {7, 12, 5}, 0);
  checkAll(makeAtoms({3, 4}), {4, 6, 9}, 2, 3);
}

TEST(ReshardPlanner, ThreeAxes) {
  checkAll(makeAtoms({2, 2, 2}), {8, 8}, 1, 3);
  checkAll(makeAtoms({2, 2, 2}), {5, 6}, 1, 7);
  checkAll(makeAtoms({2, 3, 2}), {12, 12}, 0, 5);
}

TEST(ReshardPlanner, ThreeAxesThreeDims) {
  checkAll(makeAtoms({2, 2, 2}), {8, 8, 8}, 0, 7);
  checkAll(makeAtoms({2, 2, 2}), {3, 8, 5}, 0, 41);
  checkAll(makeAtoms({2, 3, 4}), {24, 24, 24}, 0, 41, /*bruteForce=*/false);
}

TEST(ReshardPlanner, SubAxes) {
  AxisAtoms atoms = makeAtoms({4, 2}, {{{0, 1, 2}}});
  ASSERT_EQ(atoms.size(), 3u);
  checkAll(atoms, {8, 8}, 1, 3);
  checkAll(atoms, {7, 4}, 1, 7);
}

TEST(ReshardPlanner, TwoFactorisations) {
  AxisAtoms atoms = makeAtoms({6}, {{{0, 1, 2}}, {{0, 1, 3}}});
  ASSERT_EQ(atoms.size(), 4u);
  ASSERT_EQ(atoms.getNumFactorisations(0), 2u);
  for (int64_t n : {6, 12, 7, 4})
    checkAll(atoms, {n}, 0);
  checkAll(atoms, {6, 12}, 0);
  checkAll(atoms, {5, 6}, 0);
  AxisAtoms two = makeAtoms({6, 2}, {{{0, 1, 2}}, {{0, 1, 3}}});
  checkAll(two, {12, 12}, 0, 11, /*bruteForce=*/false);
}

TEST(ReshardPlanner, ReductionKinds) {
  AxisAtoms atoms = makeAtoms({2, 2});
  ReshardPlanner planner(atoms);
  Layout from(1), to(1);
  from.unreduced = 1;
  from.kind = spmd::ReductionKind::Max;
  to.unreduced = 1;
  const ReshardPlan &plan = planner.plan(from, to, {8}, 32);
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps[0].kind, CollectiveKind::AllReduce);
  EXPECT_EQ(plan.steps[0].reduction, spmd::ReductionKind::Max);
  EXPECT_EQ(plan.steps[1].kind, CollectiveKind::ToUnreduced);
  EXPECT_EQ(plan.steps[1].reduction, spmd::ReductionKind::Add);
  EXPECT_EQ(execute(atoms, plan, from, to, {8}), "");
}

/// Layout of atoms given by name, one string per dimension: {"xy", "", "z"}.
Layout lay(llvm::ArrayRef<llvm::StringRef> dims,
           llvm::StringRef unreduced = "") {
  Layout layout(dims.size());
  for (size_t d = 0; d < dims.size(); ++d)
    for (char c : dims[d])
      layout.dims[d].push_back(AtomId(c - 'x'));
  for (char c : unreduced)
    layout.unreduced |= atomBit(AtomId(c - 'x'));
  return layout;
}

/// Plans, executes and compares with the kinds expected.
void expectPlan(const AxisAtoms &atoms, const Layout &from, const Layout &to,
                llvm::ArrayRef<int64_t> shape,
                llvm::ArrayRef<CollectiveKind> kinds, double bytes) {
  ReshardPlanner planner(atoms);
  const ReshardPlan &plan = planner.plan(from, to, shape, 8);
  std::string text = describe(atoms, plan, from, to, shape);
  ASSERT_EQ(plan.steps.size(), kinds.size()) << text;
  for (size_t i = 0; i < kinds.size(); ++i)
    EXPECT_EQ(plan.steps[i].kind, kinds[i]) << text;
  EXPECT_DOUBLE_EQ(plan.sentBytes, bytes) << text;
  EXPECT_EQ(plan.certificate(), "optimal(bytes)") << text;
  EXPECT_EQ(execute(atoms, plan, from, to, shape), "") << text;
}

TEST(ReshardPlanner, KnownPlans) {
  using enum CollectiveKind;
  AxisAtoms atoms = makeAtoms({4, 2, 2});
  // The axes of one dimension in the other order: one permute.
  expectPlan(atoms, lay({"xy"}), lay({"yx"}), {16}, {Permute}, 2);
  // Two axes from two dimensions to a third: one all_to_all.
  expectPlan(atoms, lay({"y", "", "x"}), lay({"", "xy", ""}), {8, 8, 8},
             {AllToAll}, 64 * 7 / 8.0);
  // Axes swap dimensions: a device needs a tile that another one holds, half of
  // it where sizes differ.
  expectPlan(atoms, lay({"x", "y"}), lay({"y", "x"}), {8, 8}, {Exchange}, 8);
  expectPlan(atoms, lay({"y", "z"}), lay({"z", "y"}), {8, 8}, {Permute}, 16);
  // An axis replaces another.
  expectPlan(atoms, lay({"y"}), lay({"z"}), {8}, {Permute}, 4);
  // Slicing is free, gathering is one step for all dimensions.
  expectPlan(atoms, lay({"", "", ""}), lay({"x", "y", "z"}), {8, 8, 8},
             {AllSlice}, 0);
  expectPlan(atoms, lay({"x", "y"}), lay({"", ""}), {8, 8}, {AllGather}, 56);
  // Partial sums: scattered where the target is sharded.
  expectPlan(atoms, lay({"", ""}, "x"), lay({"x", ""}), {8, 8},
             {AllSlice, ReduceScatter, AllGather}, 12 + 12);
  AxisAtoms two = makeAtoms({4, 2});
  expectPlan(two, lay({"y", ""}, "x"), lay({"yx", ""}), {8, 8}, {ReduceScatter},
             24);
  expectPlan(two, lay({""}, "x"), lay({"y"}), {16}, {AllSlice, AllReduce},
             8 * 1.5);
  // A replicated axis shares the work of a reduction.
  expectPlan(two, lay({""}, "x"), lay({""}), {32},
             {AllSlice, AllReduce, AllGather}, 16 * 1.5 + 16);
}

TEST(ReshardPlanner, UnevenAndSmall) {
  using enum CollectiveKind;
  AxisAtoms atoms = makeAtoms({4, 2});
  // Uneven whole dimensions: gather and cut, pad and scatter.
  expectPlan(atoms, lay({"x"}), lay({""}), {7}, {AllGather}, 6);
  expectPlan(makeAtoms({4}), lay({""}, "x"), lay({"x"}), {7}, {ReduceScatter},
             6);
  // Blocks that do not nest: each device fetches what it lacks.
  expectPlan(atoms, lay({"y"}), lay({"yx"}), {6}, {Exchange}, 1);
}

TEST(ReshardPlanner, NeverGathersAll) {
  AxisAtoms atoms = makeAtoms({6}, {{{0, 1, 2}}, {{0, 1, 3}}});
  ReshardPlanner planner(atoms);
  auto half = atoms.expand(SubAxis{0, 1, 2});
  auto third = atoms.expand(SubAxis{0, 1, 3});
  ASSERT_TRUE(half && third);
  Layout from(1), to(1);
  from.dims[0] = half->front();
  to.dims[0] = third->front();
  const ReshardPlan &plan = planner.plan(from, to, {600}, 8);
  EXPECT_LE(plan.sentBytes, 200);
  EXPECT_LE(plan.peakBytes, 500);
}

TEST(ReshardPlanner, MemoryLimit) {
  AxisAtoms atoms = makeAtoms({4, 2});
  ReshardOptions options;
  options.memoryLimit = 100;
  ReshardPlanner planner(atoms, options);
  const ReshardPlan &tooLarge = planner.plan(lay({"x"}), lay({""}), {64}, 32);
  EXPECT_FALSE(tooLarge.feasible);
  EXPECT_GT(tooLarge.peakBytes, 256);
  const ReshardPlan &plan = planner.plan(lay({"x"}), lay({"y"}), {16}, 32);
  EXPECT_TRUE(plan.feasible);
  EXPECT_LE(plan.peakBytes, 100);
}

TEST(ReshardPlanner, TimeObjective) {
  for (const Machine &machine : getMachines()) {
    ReshardOptions options;
    options.machine = machine;
    options.objective = Objective::Time;
    options.maxWork = SIZE_MAX;
    AxisAtoms atoms = makeAtoms({2, 3});
    ReshardPlanner planner(atoms, options);
    for (const Shape &shape : {Shape{12, 6}, Shape{5, 7}}) {
      std::vector<Layout> layouts = getAllLayouts(atoms, 2, 3);
      for (size_t i = 0; i < layouts.size(); ++i)
        for (size_t j = i % 3; j < layouts.size(); j += 3) {
          const ReshardPlan &plan =
              planner.plan(layouts[i], layouts[j], shape, 32);
          ASSERT_EQ(execute(atoms, plan, layouts[i], layouts[j], shape), "");
          ASSERT_TRUE(plan.optimal);
          ASSERT_LE(plan.boundSeconds, plan.seconds * (1 + 1e-9));
        }
    }
  }
}

/// Prices of sizes that follow from those of others equal searched ones, and no
/// plan is dearer than its price.
TEST(ReshardPlanner, PricesOfManySizes) {
  ReshardOptions options;
  options.objective = Objective::Time;
  for (auto sizes : {llvm::SmallVector<int64_t>{2, 3}, {2, 4}}) {
    AxisAtoms atoms = makeAtoms(sizes);
    ReshardPlanner warm(atoms, options);
    std::vector<Layout> layouts = getAllLayouts(atoms, 2, 3);
    for (const Shape &shape :
         {Shape{24, 48}, Shape{48, 24}, Shape{24, 4800}, Shape{2400, 48000},
          Shape{240, 480}, Shape{24, 7}, Shape{2400, 7}, Shape{240, 7},
          Shape{1, 48}, Shape{1, 4800000}, Shape{5, 7}})
      for (unsigned bits : {8, 32}) {
        ReshardPlanner cold(atoms, options);
        for (size_t i = 0; i < layouts.size(); ++i)
          for (size_t j = i % 2; j < layouts.size(); j += 2) {
            ReshardPlanner::Price price =
                warm.price(layouts[i], layouts[j], shape, bits);
            ReshardPlanner fresh(atoms, options);
            ReshardPlanner::Price searched =
                fresh.price(layouts[i], layouts[j], shape, bits);
            const ReshardPlan &plan =
                cold.plan(layouts[i], layouts[j], shape, bits);
            std::string text =
                describe(atoms, plan, layouts[i], layouts[j], shape);
            ASSERT_NEAR(price.seconds, searched.seconds,
                        1e-9 + 1e-6 * searched.seconds)
                << text;
            ASSERT_NEAR(price.sentBytes, searched.sentBytes,
                        1e-6 * searched.sentBytes)
                << text;
            ASSERT_LE(plan.seconds, price.seconds * (1 + 1e-6) + 1e-12) << text;
          }
      }
  }
}

TEST(ReshardPlanner, LargeMeshes) {
  AxisAtoms atoms = makeAtoms({256, 256});
  ReshardPlanner planner(atoms);
  llvm::SmallVector<int64_t> shape = {65536, 65536};
  auto kindOf = [&](const Layout &from, const Layout &to) {
    const ReshardPlan &plan = planner.plan(from, to, shape, 16);
    EXPECT_TRUE(plan.feasible);
    EXPECT_LE(plan.steps.size(), 3u);
    return plan.steps.front().kind;
  };
  EXPECT_EQ(kindOf(lay({"x", "y"}), lay({"y", "x"})), CollectiveKind::Permute);
  EXPECT_EQ(kindOf(lay({"x", "y"}), lay({"", ""})), CollectiveKind::AllGather);
  EXPECT_EQ(kindOf(lay({"x", ""}), lay({"", "x"})), CollectiveKind::AllToAll);
  EXPECT_EQ(kindOf(lay({"", ""}, "x"), lay({"x", "y"})),
            CollectiveKind::AllSlice);
}

} // namespace
