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
  ReshardPlanner planner(atoms);
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
      ASSERT_EQ(error, "")
          << describe(atoms, plan, layouts[i], layouts[j], shape);
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
}

TEST(ReshardPlanner, ThreeAxes) {
  checkAll(makeAtoms({2, 2, 2}), {8, 8}, 1, 3);
  checkAll(makeAtoms({2, 2, 2}), {5, 6}, 1, 7);
  checkAll(makeAtoms({2, 3, 2}), {12, 12}, 0, 5);
}

TEST(ReshardPlanner, ThreeAxesThreeDims) {
  checkAll(makeAtoms({2, 2, 2}), {8, 8, 8}, 0, 41);
}

} // namespace
