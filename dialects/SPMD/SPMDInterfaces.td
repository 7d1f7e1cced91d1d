// Interfaces through which passes see ops: nothing here names a StableHLO op.
#ifndef PARTITA_DIALECTS_SPMD_INTERFACES
#define PARTITA_DIALECTS_SPMD_INTERFACES

include "mlir/IR/OpBase.td"

def ShardableOpInterface : OpInterface<"ShardableOpInterface"> {
  let cppNamespace = "::partita::spmd";
  let description = [{
    How an op may be sharded and what every device then runs. Implemented by
    external models in lib/OpModels, one file per op family.
  }];
  let methods = [
    InterfaceMethod<[{
        The op's sharding rule. Fails with an error on the op if the op's form
        is not supported.
      }], "::mlir::FailureOr<::partita::spmd::ShardingRule>", "getShardingRule">,
    InterfaceMethod<[{
        Emits the local form of the op through `builder` and binds every
        result. Operands and results have shardings that agree with the rule.
      }], "::mlir::LogicalResult", "partition",
      (ins "::partita::PartitionBuilder &":$builder)>,
    InterfaceMethod<[{
        True if the op on blocks of its operands is the op itself with smaller
        types: its partition follows from the rule alone.
      }], "bool", "hasDerivedPartition", (ins), "", "return false;">,
    InterfaceMethod<[{
        True if the op computes blocks of other sizes along its Parallel factors
        when it is given other types (resizeResults).
      }], "bool", "isResizable", (ins), "", "return false;">,
    InterfaceMethod<[{
        Gives the results of a resizable op other types, on operands whose
        dimensions of the same Parallel factors have changed alike.
      }], "void", "resizeResults", (ins "::mlir::TypeRange":$types), "", [{
        for (auto [result, type] : ::llvm::zip_equal($_op->getResults(), types))
          result.setType(type);
      }]>,
    InterfaceMethod<"Family file and kind (derived or custom) for --list-op-models.",
      "::llvm::StringRef", "getOpModelName">
  ];
}

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::partita::spmd";
  let description = [{
    A collective over axes of one mesh. Devices that differ only in the named
    axes take part in one instance together.
  }];
  let methods = [
    InterfaceMethod<"Symbol of the mesh.", "::mlir::FlatSymbolRefAttr", "getMeshName">,
    InterfaceMethod<[{
        The axes over which the op communicates, major to minor, in the order
        that numbers the members of a group.
      }], "::llvm::SmallVector<::partita::spmd::AxisRefAttr>", "getCommunicationAxes">,
    InterfaceMethod<[{
        Bytes that one device sends in the ring model (maximum over devices).
      }], "int64_t", "getSentBytes", (ins "::partita::spmd::MeshAttr":$mesh)>
  ];
}

#endif
