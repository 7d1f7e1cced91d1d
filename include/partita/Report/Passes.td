// Passes that say what a plan does.
#ifndef PARTITA_REPORT_PASSES
#define PARTITA_REPORT_PASSES

include "mlir/Pass/PassBase.td"

def RemarkCollectivesPass : Pass<"spmd-remark-collectives", "::mlir::ModuleOp"> {
  let summary = "Remarks on every collective: bytes, axes, time, reason";
  let description = [{
    Before and after: phase *optimized*; nothing changes. Each collective that sends
    gets a remark (category `plan`, name `Collective`) with the bytes that one device
    sends, the axes, the modelled time and how often it runs. In the `partita`
    pipeline it also tells why the collective exists, from the two shardings
    back to the user's annotations, and what it would take to be rid of it.
    Works only where remarks are asked for (`--remarks-filter=plan`).
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"tpu-v5e\"",
           "what prices are for: a machine, e.g. h100-nvlink, with figures of "
           "its own after commas: cpu,launch=9e-5,link=1e9">
  ];
}

#endif
