// Cheapest reshards by exhaustive search, with a generator of moves of its own:
// every collective is made from its definition, not recognised from two layouts.
#ifndef PARTITA_TEST_UNIT_SHARDING_BRUTEFORCE_H
#define PARTITA_TEST_UNIT_SHARDING_BRUTEFORCE_H

#include "partita/Sharding/ReshardPlanner.h"
#include <unordered_map>
#include <vector>

namespace partita::test {

/// All canonical layouts of a tensor of the rank over all atoms; those in
/// `partial` may be unreduced (kind add).
std::vector<Layout> getAllLayouts(const AxisAtoms &atoms, size_t rank,
                                  AtomMask partial);

class BruteForce {
public:
  BruteForce(const AxisAtoms &atoms, llvm::ArrayRef<int64_t> shape,
             AtomMask partial, const CostModel &model);

  const std::vector<Layout> &getLayouts() const { return layouts; }
  /// Least bytes (elements of one byte) from layout `source` to every other.
  std::vector<double> getBytes(size_t source) const;

private:
  struct Edge {
    unsigned target;
    double bytes;
  };
  void addEdges(unsigned source);
  void addEdge(unsigned source, const Layout &target, double bytes);
  void addGathers(unsigned source, Layout layout, size_t dim, double group,
                  bool isOwned);
  void addSlices(unsigned source, Layout layout, size_t dim, double factor,
                 AtomMask scattered);
  void addMoves(unsigned source, const Layout &layout, AtomMask moved,
                uint64_t sources, uint64_t targets);
  void addReductions(unsigned source);
  void addPermutesAndExchanges(unsigned source);
  double getLocal(const Layout &layout) const;
  bool mayNest(size_t dim, int64_t outer, int64_t inner) const;

  const AxisAtoms &atoms;
  Shape shape;
  const CostModel &model;
  std::vector<Layout> layouts;
  std::unordered_map<Layout, unsigned, LayoutHash> indices;
  std::vector<std::vector<Edge>> edges;
};

} // namespace partita::test

#endif
