// What propagation tells to whoever explains its result.
#ifndef PARTITA_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H
#define PARTITA_TRANSFORMS_PROPAGATION_PROPAGATIONOBSERVER_H

#include "mlir/Pass/Pass.h"
#include "partita/Transforms/Propagation/PropagationRun.h"

namespace partita {

class PropagationObserver {
public:
  virtual ~PropagationObserver() = default;
  /// `module` is at phase *propagated*; `run` holds the steps that led there.
  virtual void
  recordPropagation(mlir::ModuleOp module,
                    std::shared_ptr<propagation::PropagationRun> run) = 0;
};

/// spmd-propagate-shardings that tells `observer`.
std::unique_ptr<mlir::Pass>
createPropagateShardingsPass(std::shared_ptr<PropagationObserver> observer);

} // namespace partita

#endif
