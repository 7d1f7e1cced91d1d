// Passes of the phase "optimized": fewer, cheaper and earlier collectives.
#ifndef PARTITA_TRANSFORMS_COLLECTIVEOPT_PASSES
#define PARTITA_TRANSFORMS_COLLECTIVEOPT_PASSES

include "mlir/Pass/PassBase.td"

/// A pass that weighs what it does by the cost model.
class CostedPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  list<Option> costOptions = [
    Option<"machine", "machine", "std::string", "\"tpu-v5e\"",
           "what prices are for: a machine, e.g. h100-nvlink, with figures of "
           "its own after commas: cpu,launch=9e-5,link=1e9">,
    Option<"objective", "objective", "std::string", "\"time\"",
           "what a rewrite must lower: time or bytes">
  ];
  let options = costOptions;
}

def InlineCommunicatingCallsPass
    : Pass<"spmd-inline-communicating-calls", "::mlir::ModuleOp"> {
  let summary = "Inlines private functions that communicate and are called once";
  let description = [{
    Before and after: phase *partitioned*. A collective inside a function can't
    be combined with, cancelled against or hoisted past one outside. A private
    function that holds a collective and has one call is put in its place, so
    the program grows by nothing. So is one that is called beside an exchange in
    a loop, for `spmd-deepen-halos`.
  }];
  let statistics = [Statistic<"numInlined", "inlined", "Number of calls inlined">];
}

def DeepenHalosPass : CostedPass<"spmd-deepen-halos"> {
  let summary = "Exchanges deeper halos every few trips of a loop";
  let description = [{
    Before and after: phase *partitioned*. A loop of constant trip count that
    exchanges halos between neighbours in each trip becomes two nested ones: the
    outer exchanges, once, what all trips of the inner one read, and the inner one
    computes the blocks with their ghost zones, without communication. That takes
    fewer launches, about as many bytes, and more work. Every value that carried
    halos depend on must be a function of global positions: by the rules of its
    ops along the exchanged dimensions, and equal on all devices elsewhere. The
    depth is the one that the cost model finds cheapest, with the work on ghost
    zones counted, among those that read of neighbouring blocks only and send at
    most `byte-slack` percent more. Trips that are left over run as they were.

    ```mlir
    while i < 50 {
      %1 = spmd.exchange %x [4096] from <@m, [{"x"} ]> to <@m, [{"x"} ]> [-1 + i*1024 : 1026] : (tensor<1024xf32>) -> tensor<1026xf32>
      %2 = f(%1)
    }
    // ->
    while j < 5 {
      %1 = spmd.exchange %x [4096] from <@m, [{"x"} ]> to <@m, [{"x"} ]> [-10 + i*1024 : 1044] : (tensor<1024xf32>) -> tensor<1044xf32>
      while k < 10 {
        %2 = f(%1 with a zero on either side)   // and zeros outside the array
      }
      %3 = the block of %2
    }
    ```
  }];
  let options = costOptions # [
    Option<"depth", "depth", "int64_t", "0",
           "trips that share an exchange, where halos are no deeper than blocks; "
           "0: as the cost model says, 1: none">,
    Option<"byteSlack", "byte-slack", "int64_t", "5",
           "percent by which the bytes that a loop sends may grow (corners are "
           "sent, too)">
  ];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops with deeper halos">,
    Statistic<"numExchanges", "exchanges", "Number of exchanges that became local">,
    Statistic<"numRefused", "refused", "Number of halo exchanges that stay in each trip">
  ];
  let dependentDialects = ["::partita::spmd::SPMDDialect",
                           "::partita::stablehlo::StableHLODialect"];
}

def SimplifyCollectivesPass : CostedPass<"spmd-simplify-collectives"> {
  let summary = "Cancels and merges collectives that feed one another";
  let description = [{
    Before and after: phase *partitioned*. Rewrites, each where it is cheaper by
    the cost model, until none applies:

    - `all_slice` of `all_reduce` is `reduce_scatter` (and an `all_reduce` of the
      block over the axes that are left);
    - `all_slice` of `all_gather` along the same axes is the gathered value, along
      the major ones a gather of the others;
    - `all_gather` of `all_slice` of a value that all devices of the group hold
      alike is a larger slice, or the value;
    - `all_gather` of `all_gather`, and `reduce_scatter` of `reduce_scatter`, over
      other axes are one;
    - `all_gather` of `reduce_scatter` along the same axes is `all_reduce`, if
      nothing else reads the scattered value;
    - `all_reduce` of `all_reduce` over other axes is one over all; of an
      idempotent kind over the same axes it is the first one;
    - `all_reduce` of `to_unreduced` is the value;
    - a linear op of two sums is the sum of that op on the partials: one
      `all_reduce` or `reduce_scatter`;
    - `permute` of `permute` is one permute; one that moves nothing is none;
    - values of a collective that nothing reads are not communicated.

    ```mlir
    %1 = spmd.all_reduce add %0 {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
    %2 = spmd.all_slice %1 [{"x"} ] on @m : (tensor<8xf32>) -> tensor<2xf32>
    // ->
    %2 = spmd.reduce_scatter add %0 [{"x"} ] on @m : (tensor<8xf32>) -> tensor<2xf32>
    ```
  }];
  let statistics = [
    Statistic<"numScattersFormed", "scatters-formed", "Number of reduce_scatter formed">,
    Statistic<"numGathersCancelled", "gathers-cancelled", "Number of gathers cancelled by a slice">,
    Statistic<"numReductionsMerged", "reductions-merged", "Number of reductions merged with another">,
    Statistic<"numPermutesMerged", "permutes-merged", "Number of permutes merged or dropped">,
    Statistic<"numDeadValues", "dead-values", "Number of values that are communicated no more">
  ];
  let dependentDialects = ["::partita::spmd::SPMDDialect"];
}

def SinkReadersPass : Pass<"spmd-sink-readers", "::mlir::ModuleOp"> {
  let summary = "Moves what reads a collective to where it is needed itself";
  let description = [{
    Before and after: phase *partitioned*. An op without effects or regions that
    depends on a collective of its block goes to just before the first op that
    reads it, with constants and broadcasts that only it reads, unless that would
    hold more bytes on the way. So a gradient is not read where it was summed, but
    where parameters are updated, and its sum may wait for others.
  }];
  let statistics = [Statistic<"numSunk", "sunk", "Number of ops moved">];
}

def DecomposeCollectiveMatmulsPass
    : CostedPass<"spmd-decompose-collective-matmuls"> {
  let summary = "Overlaps gathers and scatters with the contractions beside them";
  let description = [{
    Before and after: phase *partitioned*. An `all_gather` along one dimension that
    only contractions of its block read goes around a ring: in each step a device
    computes with the block that it holds while the next one comes in. Blocks of a
    free dimension become blocks of the result, blocks of a contracted dimension
    add up, where the results differ between those devices anyway (the order of
    the sum does). A contraction whose result only a `reduce_scatter` reads is computed
    block by block while the sums travel to the device that keeps them. Bytes stay
    the same. Done where that makes at most `max-blocks` blocks and the
    cost model says that steps beside work, with their launches, take less than
    the part of the collective that no other work could hide.

    ```mlir
    %1 = spmd.all_gather %0 [{"x"}, {} ] on @m : (tensor<4x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.dot %1, %w : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    // ->
    %1 = spmd.permute %0 {"x"} pairs = [0, 1, 1, 0] on @m : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.dot %0, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    ...   // %2 into block i of the result
    %3 = stablehlo.dot %1, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    ...   // %3 into block i + 1 modulo 2
    ```
  }];
  let options = costOptions # [
    Option<"maxBlocks", "max-blocks", "int64_t", "32",
           "most blocks in which the contractions of one collective are computed">
  ];
  let statistics = [
    Statistic<"numGathers", "gathers-decomposed", "Number of gathers that became rings">,
    Statistic<"numScatters", "scatters-decomposed", "Number of scatters that became rings">
  ];
  let dependentDialects = ["::partita::spmd::SPMDDialect",
                           "::partita::stablehlo::StableHLODialect"];
}

def CombineCollectivesPass : CostedPass<"spmd-combine-collectives"> {
  let summary = "Makes one variadic collective of several small ones";
  let description = [{
    Before and after: phase *partitioned*. Collectives of one block that agree in
    kind, axes, reduction and element type and can stand at one place, after
    all that their operands come from and before all that reads their results,
    become one of several values: as many bytes, fewer launches. Gathers and
    scatters whose axes are along the first dimension of size above one count as
    flat, so that vectors and matrices go together. A collective joins where the
    launch that it saves outweighs the time for which the smaller part may have
    to wait for the larger (with `wait=false`, for machines that run collectives
    one after the other anyway, it always joins), and while the values together
    stay under `max-bytes`.

    ```mlir
    %2 = spmd.all_reduce add %0 {"x"} on @m : (tensor<8xf32>) -> tensor<8xf32>
    %3 = spmd.all_reduce add %1 {"x"} on @m : (tensor<6xf32>) -> tensor<6xf32>
    // ->
    %2:2 = spmd.all_reduce add %0, %1 {"x"} on @m : (tensor<8xf32>, tensor<6xf32>) -> (tensor<8xf32>, tensor<6xf32>)
    ```
  }];
  let options = costOptions # [
    Option<"maxBytes", "max-bytes", "int64_t", "32 << 20",
           "most bytes of operands or results of a combined collective, and so "
           "of what is held for longer">,
    Option<"wait", "wait", "bool", "true",
           "collectives overlap with computation: count what waiting costs">
  ];
  let statistics = [
    Statistic<"numCombined", "combined", "Number of collectives that joined another">,
    Statistic<"numRefused", "refused", "Number of collectives that cost forbade to join">
  ];
  let dependentDialects = ["::partita::spmd::SPMDDialect",
                           "::partita::stablehlo::StableHLODialect"];
}

def HoistCollectivesPass : CostedPass<"spmd-hoist-collectives"> {
  let summary = "Moves loop-invariant collectives out of loops";
  let description = [{
    Before and after: phase *partitioned*. A collective that stands in the body of
    a loop, outside any branch, and whose operands are the same in each trip
    goes before the loop, with the ops without effects that it is made from. Not
    speculatable, it may only go where it would run anyway: the loop must be known
    to run, by its constant trip count, which is then the same on all devices.
    The result lives as long as the loop: refused where the program's peak,
    estimated from liveness in program order, would rise by more than
    `memory-slack` percent.

    Carried values that each trip returns as they were count as invariant.
  }];
  let options = costOptions # [
    Option<"memorySlack", "memory-slack", "int64_t", "5",
           "percent of the program's peak by which hoisting may raise it">
  ];
  let statistics = [
    Statistic<"numHoisted", "hoisted", "Number of collectives hoisted">,
    Statistic<"numRefused", "refused", "Number refused for memory or trip count">
  ];
}

def PeelDeadPermutesPass : CostedPass<"spmd-peel-dead-permutes"> {
  let summary = "Peels the last trip of ring loops, where the permute is dead";
  let description = [{
    Before and after: phase *partitioned*. A ring loop ends each trip with a
    permute of a carried value, for the next trip. After the last one nothing
    reads it. The last trip is put behind the loop, which runs one trip less, and
    there what nothing reads is dropped: one launch and its bytes less. Done where
    the trip count is constant and at least two, the carried value is not read
    after the loop, and the body has at most `max-ops` ops.
  }];
  let options = costOptions # [
    Option<"maxOps", "max-ops", "int64_t", "2000",
           "most ops of a body that may be copied">
  ];
  let statistics = [
    Statistic<"numPeeled", "peeled", "Number of loops peeled">,
    Statistic<"numDropped", "dropped", "Number of collectives dropped">
  ];
  let dependentDialects = ["::partita::stablehlo::StableHLODialect"];
}

def SplitCollectivesPass : CostedPass<"spmd-split-collectives"> {
  let summary = "Splits collectives into start and done, with work in between";
  let description = [{
    Before and after: phase *partitioned*. A collective is waited for just before
    the first op that reads its results, and started so early, behind all that
    its operands come from, that the work in between takes as long as the
    collective by the cost model; the same work hides one collective only, as
    links are shared. Gathers, whose results are larger than their operands, start
    no earlier than that; others not later than they stood. Collectives stay where
    they are where less than a launch would be hidden. Starts stand in one order
    in one program, so all devices issue them alike.

    ```mlir
    %f = spmd.start (%0) (%a: tensor<2xf32>) {
      %2 = spmd.all_gather %a [{"x"} ] on @m : (tensor<2xf32>) -> tensor<8xf32>
      spmd.return %2 : tensor<8xf32>
    }
    ...   // work that does not read %1
    %1 = spmd.done %f : <tensor<8xf32>> -> tensor<8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numSplit", "split", "Number of collectives split">,
    Statistic<"numExposed", "exposed", "Number of collectives with nothing to hide them">
  ];
  let dependentDialects = ["::partita::spmd::SPMDDialect"];
}

def VerifyOptimizedPass : Pass<"spmd-verify-optimized", "::mlir::ModuleOp"> {
  let summary = "Checks that all devices issue the same collectives in one order";
  let description = [{
    Each started collective is waited for exactly once, later in the same block,
    so that no path of the program leaves one open: one program with equal
    control flow issues its collectives in one order. A collective in a region
    that runs under a predicate, or as often as one says, needs that predicate to
    be the same on all devices of its groups. Partition sees to this for the
    collectives that it emits; where a user's own stands under a predicate that
    depends on the device's place along one of its axes, and that no communication
    over this axis reached, a remark says so, and the run reports it if it happens.
  }];
}

#endif
