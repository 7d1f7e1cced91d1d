// Passes of the import phase, in the order of the pipeline.
#ifndef PARTITA_IMPORT_PASSES
#define PARTITA_IMPORT_PASSES

include "mlir/Pass/PassBase.td"

class CheckPass<string name> : Pass<name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::partita::spmd::SPMDDialect"];
}
class ImportPass<string name> : Pass<name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::partita::spmd::SPMDDialect",
                           "::partita::stablehlo::StableHLODialect"];
}

def ImportSdyPass : ImportPass<"spmd-import-sdy"> {
  let summary = "Turn every sdy op and attribute into its spmd form";
  let description = [{
    Meshes keep their symbols; meshes written in place get one. Shardings of
    arguments, results and ops, constraints, reshards, groups, barriers and
    manual computations map one to one. Named computations are inlined (their
    shardings become constraints), data-flow edges are folded away (their
    sharding goes to the value that owns the edge), `sdy.constant` becomes
    `stablehlo.constant`. A collective of sdy works on whole arrays and changes
    their layout only: it becomes a reshard to its `out_sharding`. Annotations
    in the bodies of ops (a reduction's, say) are dropped.

    A user's rule of an op, `sdy.sharding_rule`, is carried as a dictionary of
    builtin attributes that needs no sdy dialect to be read:

    ```mlir
    spmd.sharding_rule = {factor_sizes = array<i64: 8, 4>,
      operands = [[array<i64: 0>, array<i64: 1>]],   // factors per dimension
      results = [[array<i64: 0>, array<i64: 1>]],
      reduction = array<i64>, need_replication = array<i64>,
      permutation = array<i64>, blocked_propagation = array<i64>,
      custom}                                        // only where it was
    ```

    A device that an op without results is pinned to is kept as the one entry of
    its `spmd.shardings`.

    Before:
    ```mlir
    sdy.mesh @m = <["x"=4]>
    %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {?} ]> : tensor<8x8xf32>
    ```
    After:
    ```mlir
    spmd.mesh @m = <["x"=4]>
    %1 = spmd.constraint %0 #spmd.sharding<@m, [{"x"}, {?} ]> : tensor<8x8xf32>
    ```
  }];
}

def ImportMhloShardingsPass : ImportPass<"spmd-import-mhlo-shardings"> {
  let summary = "Turn mhlo.sharding strings and the older custom calls into spmd";
  let description = [{
    Reads `mhlo.sharding` strings (lists of devices and iota forms, replicated,
    manual and maximal, last_tile_dim_replicate, last_tile_dims, tuples). Their
    meshes have no names: the pass makes one mesh per number of devices, whose
    axes are the coarsest common factorisation of all strings of the module.
    `@Sharding` becomes `spmd.constraint`; what lies between
    `@SPMDFullToShardShape` and `@SPMDShardToFullShape` becomes `spmd.manual`.

    Before:
    ```mlir
    func.func @main(%a: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"})
    ```
    After:
    ```mlir
    spmd.mesh @mesh = <["axis_0"=4, "axis_1"=2]>
    func.func @main(%a: tensor<16x8xf32>
      {spmd.sharding = #spmd.sharding<@mesh, [{"axis_0"}, {"axis_1"} ]>})
    ```
  }];
}

def ExpandOpsPass : ImportPass<"spmd-expand-ops"> {
  let summary = "Write ops that are defined by others as those";
  let description = [{
    Composites become calls of their decomposition; batch_norm_*, einsum,
    torch_index_select and chlo.broadcast_* plain arithmetic, sums, dots,
    gathers and broadcasts; dynamic_* ops whose sizes the types or constants say
    their static forms; elements of a tuple that is made in the same function
    the values themselves; an ApproxTopK custom call a sort and slices, the exact
    answer. Shardings of results stay with the values. An op that can't be
    written so is left to later passes.

    Before:
    ```mlir
    %1 = stablehlo.dynamic_pad %0, %z, %c1, %c2, %c0 : ... -> tensor<7xf32>
    ```
    After:
    ```mlir
    %1 = stablehlo.pad %0, %z, low = [1], high = [2], interior = [0] : ...
    ```
  }];
  let statistics = [Statistic<"numExpanded", "expanded", "operations replaced">];
}

def UnifyMeshesPass : CheckPass<"spmd-unify-meshes"> {
  let summary = "Write shardings on different meshes of the same devices on one";
  let description = [{
    A program may use several meshes: data is loaded on one shape and computed
    on another. An axis of one is a list of axes and sub-axes of the other where
    the device numbers allow it, whatever order of devices either has:

    ```mlir
    spmd.mesh @a = <["x"=4, "y"=2]>
    spmd.mesh @b = <["data"=2, "model"=4]>
    // dimensions over {"data"}, {"model"} of @b are over
    // {"x":(1)2}, {"x":(2)2, "y"} of @a
    ```

    A mesh of one device says that a value is whole, on each device then. The
    mesh that most others can be written on stays. Manual regions need whole
    axes; meshes of which neither holds stay as they are.
  }];
  let statistics = [
    Statistic<"numUnified", "unified", "meshes that are written on another one">];
}

def CheckMeshesPass : CheckPass<"spmd-check-meshes"> {
  let summary = "Refuse meshes that do not fit the machine or each other";
  let description = [{
    Refused are: a mesh with more devices than `mhlo.num_partitions`, several
    replicas (`mhlo.num_replicas`), and a sharding on a set of devices other
    than that of the signature. Meshes of one device (callbacks) may differ.
  }];
}

def CheckSignaturePass : CheckPass<"spmd-check-signature"> {
  let summary = "Refuse signature shardings that do not divide";
  let options = [
    Option<"unevenIO", "uneven-io", "::partita::UnevenIO",
           "::partita::UnevenIO::Refuse",
           "arguments and results whose sharding does not divide them",
           [{::llvm::cl::values(
             clEnumValN(::partita::UnevenIO::Refuse, "refuse", "an error"),
             clEnumValN(::partita::UnevenIO::Pad, "pad",
                        "accepted, the last blocks are padded"))}]>];
}

def CloneCalleesPass : ImportPass<"spmd-clone-callees"> {
  let summary = "Give every call site a private function of its own";
  let description = [{
    Clones callees until each private function has exactly one call site, so
    that each can be sharded for its caller, and erases private functions that
    nothing calls. Recursion is refused with the cycle named. A module without
    `main` is refused.
  }];
}

def ImportCollectivesPass : ImportPass<"spmd-import-collectives"> {
  let summary = "Name the mesh axes of the collectives in manual regions";
  let description = [{
    Within `spmd.manual`, and the functions called there, StableHLO collectives
    over replica groups become spmd collectives over the mesh axes that the
    groups equal; `(partition_id / a) % b` becomes `spmd.axis_index`. Needs one
    call site per private function. Groups that no axes describe are refused.

    Before, on a mesh <["x"=4, "y"=2]>:
    ```mlir
    %1 = "stablehlo.all_reduce"(%0) <{replica_groups =
      dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> ...}> ({ add }) : ...
    ```
    After:
    ```mlir
    %1 = spmd.all_reduce add %0 {"x"} on @mesh : ...
    ```
  }];
}

def ImportEffectsPass : CheckPass<"spmd-import-effects"> {
  let summary = "Says which devices have the effects of an op";
  let description = [{
    A callback of JAX (`jax.debug.print`, `io_callback`) is one op on whole
    arrays with a sharding that names a device: that device alone runs it
    (`spmd.device`), on operands that all devices gather, and all get its
    results. In a region that is manual along all axes each device runs the op
    on its own arrays (`spmd.each_device`).

    ```mlir
    stablehlo.custom_call @callback(%0) {has_side_effect = true,
      spmd.shardings = [#spmd.sharding<@maximal_mesh_0, []>]} : ...
    // becomes
    stablehlo.custom_call @callback(%0) {has_side_effect = true,
      spmd.device = 0 : i64} : ...
    ```
  }];
  let statistics = [
    Statistic<"numOnOneDevice", "on-one-device", "ops that one device runs">,
    Statistic<"numOnEachDevice", "on-each-device", "ops that each device runs">];
}

def CheckManualPass : CheckPass<"spmd-check-manual"> {
  let summary = "Refuse manual regions whose specs are wrong";
  let description = [{
    Three refusals: an operand whose manual axes do not divide it, a spec longer
    than the rank, and a result declared replicated along a manual axis (its out
    spec does not mention the axis) that may differ between devices there.

    The text of a module does not say whether the user switched the third check
    off (check_vma=False), so its severity depends on what is known: a value
    that varies along the axis and that no communication over the axis reaches
    cannot have become equal on all devices, and is an error; one that some
    permute or exchange over the axis did reach may well be equal (a ring
    gather), and is a warning. `check-rep` forces either.
  }];
  let options = [
    Option<"checkReplication", "check-rep", "::partita::ReplicationCheck",
           "::partita::ReplicationCheck::Auto",
           "severity of an unprovable replication",
           [{::llvm::cl::values(
             clEnumValN(::partita::ReplicationCheck::Auto, "auto",
                        "error, or warning where communication reaches the value"),
             clEnumValN(::partita::ReplicationCheck::Error, "error", "an error"),
             clEnumValN(::partita::ReplicationCheck::Warn, "warn", "a warning"))}]>];
}

def SplitConstantsPass : ImportPass<"spmd-split-constants"> {
  let summary = "Give every use of a constant its own copy";
  let description = [{
    Constants, iotas, what elementwise ops, broadcasts, reshapes and slices make
    of them alone, and broadcasts of scalars are copied per use, so that they
    join nothing in propagation: each copy takes the sharding of its one user.
    Scalars, which have no dimension to shard, are not copied. Nothing is folded.
  }];
  let statistics = [Statistic<"numCopies", "copies", "operations copied">];
}

def WidenSumsPass : ImportPass<"spmd-widen-sums"> {
  let summary = "Keep partial sums of narrow dots and convolutions in f32";
  let description = [{
    Runs on the phase *propagated*. A dot or convolution with a float result of
    fewer than 32 bits, of which an operand is sharded along a contracted
    dimension, gets an f32 result and a convert: partial results are summed
    before they are rounded, as the whole op does.

    Before:
    ```mlir
    %1 = stablehlo.dot_general %a, %b, ... -> tensor<8x8xbf16>
    ```
    After:
    ```mlir
    %0 = stablehlo.dot_general %a, %b, ... -> tensor<8x8xf32>
    %1 = stablehlo.convert %0 : (tensor<8x8xf32>) -> tensor<8x8xbf16>
    ```
  }];
  let statistics = [Statistic<"numWidened", "widened", "operations changed">];
}

def RewriteMovementPass : ImportPass<"spmd-rewrite-movement"> {
  let summary = "Write hidden data movement as ops that placement can place";
  let description = [{
    Runs on the phase *propagated*, and changes only ops of which a dimension
    that moves is sharded. A Fourier transform of several dimensions becomes
    transforms of one dimension each, so that placement chooses where axes rest
    meanwhile. A slice of a pad becomes one pad, with negative padding where the
    slice cuts. A scatter of one window to a constant place becomes a pad of the
    updates and a select. A value that is cut in two and joined the other way
    round (`jnp.roll`), and a slice of one that is continued past its ends by
    itself or by its edges (`jnp.pad` in the modes `wrap` and `edge`), becomes
    `spmd.shift`.

    Before:
    ```mlir
    %1 = stablehlo.pad %x, %z, low = [1], high = [1], interior = [0]
    %2 = stablehlo.slice %1 [0:8] : (tensor<10xf32>) -> tensor<8xf32>
    ```
    After:
    ```mlir
    %2 = stablehlo.pad %x, %z, low = [1], high = [-1], interior = [0]
    ```
  }];
  let statistics = [Statistic<"numRewritten", "rewritten",
                              "operations rewritten">];
}

def MarkFreeLoopsPass : ImportPass<"spmd-mark-free-loops"> {
  let summary = "Find loops whose rows run free of each other";
  let description = [{
    Runs on the phase *propagated*. A while op over a batch of rows goes on as
    long as some row does. Where the body keeps, by selects on the same
    condition, all values of rows that are done, the op gets
    `spmd.rows_run_free`: placement then does not price the question whether a row
    on another device goes on, and spmd-free-loops drops it if nothing in the
    loop communicates.
  }];
}

def FreeLoopsPass : ImportPass<"spmd-free-loops"> {
  let summary = "Let each device leave a loop when its own rows are done";
  let description = [{
    Runs on the phase *partitioned*. A while op over a batch of rows, sharded by
    rows, asks in each trip whether a row of some device goes on. Where the body
    keeps, by selects on the same condition, all values of rows that are done,
    and communicates along those axes nowhere, a device need only ask for its
    own rows.

    Before:
    ```mlir
    cond {
      %0 = stablehlo.compare LT, %i, %n : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
      %1 = spmd.all_gather %0 ... : (tensor<1xi1>) -> tensor<8xi1>
      %2 = stablehlo.reduce(%1 init: %false) applies stablehlo.or across dimensions = [0]
    ```
    After:
    ```mlir
    cond {
      %0 = stablehlo.compare LT, %i, %n : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
      %2 = stablehlo.reduce(%0 init: %false) applies stablehlo.or across dimensions = [0]
    ```
  }];
  let statistics = [Statistic<"numFreed", "freed", "loops that wait no more">];
}

def VerifyImportedPass : CheckPass<"spmd-verify-imported"> {
  let summary = "Check that the phase *imported* has been reached";
  let description = [{
    Only func, stablehlo, chlo and spmd ops; meshes are named and known; no sdy
    op or attribute and no `mhlo.sharding`; no collective over replica groups;
    one call site per private function.
  }];
}

#endif
