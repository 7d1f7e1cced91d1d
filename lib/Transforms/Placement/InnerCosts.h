// What ops communicate by themselves, by their rules.
#ifndef PARTITA_TRANSFORMS_PLACEMENT_INNERCOSTS_H
#define PARTITA_TRANSFORMS_PLACEMENT_INNERCOSTS_H

#include "ValueFlow.h"

namespace partita {

/// Cost of the communication that the node's op does inside when it is split as
/// `label` says: fetching what sharded Halo factors read, gathering the totals
/// of scans and the partial results that its own body folds. The same
/// ShardingRule::getReads tells the op's partition what to emit.
double getInnerCost(ReshardCosts &costs, const FlowNode &node,
                    const FactorSharding &label);

} // namespace partita

#endif
