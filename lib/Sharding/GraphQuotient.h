// Equal parts of a placement graph as one.
#ifndef PARTITA_LIB_SHARDING_GRAPHQUOTIENT_H
#define PARTITA_LIB_SHARDING_GRAPHQUOTIENT_H

#include "partita/Sharding/PlacementGraph.h"
#include <optional>

namespace partita {

/// A graph whose nodes each stand for some nodes of another one, and cost as
/// much as those do if they all have the same label.
struct GraphQuotient {
  PlacementGraph graph;
  /// By node of the original, the one that stands for it.
  std::vector<unsigned> indices;
  /// By node of the quotient, the first that it stands for.
  std::vector<unsigned> representatives;
};

/// Merges nodes that have equal costs and, `depth` edges far, equal
/// surroundings: colour refinement (Weisfeiler and Leman 1968), ended early.
/// Nothing unless that leaves at most half of the nodes.
std::optional<GraphQuotient> mergeEqualNodes(const PlacementGraph &graph,
                                             unsigned depth);

} // namespace partita

#endif
