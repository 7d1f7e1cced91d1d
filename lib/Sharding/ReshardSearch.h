// Search for the cheapest plan between two layouts: A* over a set of layouts,
// first a small one that holds the usual plans, then all.
#ifndef PARTITA_LIB_SHARDING_RESHARDSEARCH_H
#define PARTITA_LIB_SHARDING_RESHARDSEARCH_H

#include "ReshardBound.h"
#include "StepFinder.h"
#include "llvm/ADT/DenseMap.h"
#include <limits>

namespace partita {

/// Layouts that a search may pass through, without repetition.
class LayoutSet {
public:
  explicit LayoutSet(const AxisAtoms &atoms) : atoms(atoms) {}
  /// Adds the canonical form; returns its index.
  unsigned insert(const Layout &layout);
  size_t size() const { return layouts.size(); }
  const Layout &operator[](size_t index) const { return layouts[index]; }

private:
  const AxisAtoms &atoms;
  std::vector<Layout> layouts;
  /// By hash, the last layout with it; by layout, the one before with its hash.
  llvm::SmallDenseMap<size_t, int, 16> lastOfHash;
  std::vector<int> previous;
};

/// One reshard problem. Layouts are canonical; `spares` are atoms that neither
/// uses and along which work may be shared.
struct ReshardProblem {
  const AxisAtoms &atoms;
  const CostModel &model;
  Layout from, to;
  Shape shape;
  unsigned elementBits;
  AtomMask spares = 0;
  /// Atoms that no layout may use.
  AtomMask forbidden = 0;
  double memoryLimit = 0;
};

/// Atoms that layouts of the search may use: those of the problem, and all of an
/// axis that has several factorisations, between which a plan may convert.
AtomMask getSearchAtoms(const ReshardProblem &problem);

/// Layouts of the usual plans: source and target, with the target's atoms sliced
/// early, the source's gathered late, partial sums reduced or scattered; what
/// both have in common; all replicated.
void addUsualLayouts(const ReshardProblem &problem, LayoutSet &set);

/// All layouts over the atoms of the problem; false (and an unfinished set) when
/// they are more than `limit`.
bool addAllLayouts(const ReshardProblem &problem, size_t limit, LayoutSet &set);

constexpr double infinitePeak = std::numeric_limits<double>::infinity();

class ReshardSearch {
public:
  explicit ReshardSearch(const ReshardProblem &problem);

  /// Lower bound in bytes.
  double getBound() const { return bound; }
  /// Lower bound in seconds.
  double getBoundSeconds() const { return toSeconds(bound); }

  /// Looks for the cheapest chain through the set, if it beats the best known
  /// one; with `strictly`, in the objective itself. Returns false if it ended
  /// before it was complete because a path is known and `maxWork` was done.
  bool run(const LayoutSet &set, bool strictly, size_t maxWork);
  /// Smallest possible largest step, by the chains through the set.
  double getSmallestPeak(const LayoutSet &set);

  bool hasPath() const { return !path.empty(); }
  /// The best cost equals the bound in the objective.
  bool isTight() const;
  const std::vector<Layout> &getPath() const { return path; }
  const CollectiveCost &getCost() const { return cost; }
  const StepFinder &getFinder() const { return finder; }
  /// The cheaper of the single collective and the exchange.
  std::optional<StepPrice> getPrice(const Layout &before, const Layout &after,
                                    ReshardStep *step = nullptr);

private:
  struct Node;
  double getBytes(double elements) const {
    return elements * problem.elementBits / 8.0;
  }
  double toSeconds(double bytes) const;
  double toPrimary(double bytes) const;
  CollectiveCost getLeastExchange(const Layout &before, const Layout &after);
  void expand(const LayoutSet &set, std::vector<Node> &nodes, unsigned index,
              double limit, size_t maxWork);
  bool isBetter(const CollectiveCost &a, double peakA, const CollectiveCost &b,
                double peakB) const;
  void push(std::vector<Node> &nodes, unsigned index);

  const ReshardProblem &problem;
  LiveDevices devices;
  ReshardBound bounds;
  StepFinder finder;
  double bound = 0;
  double epsilon = 0;
  size_t work = 0;
  double fastestBandwidth = 0, smallestLatency = 0, smallestLaunch;
  std::vector<Layout> path;
  CollectiveCost cost;
  double pathPeak = 0;
  /// Heap of (estimate, node).
  std::vector<std::pair<std::pair<double, double>, unsigned>> heap;
};

} // namespace partita

#endif
