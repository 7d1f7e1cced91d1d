// Attributes of the spmd dialect.
#ifndef PARTITA_DIALECTS_SPMD_ATTRS
#define PARTITA_DIALECTS_SPMD_ATTRS

include "dialects/SPMD/SPMDBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class SPMD_Attr<string name, string mnemonicName, list<Trait> traits = []>
    : AttrDef<SPMD_Dialect, name, traits> {
  let mnemonic = mnemonicName;
}

def SPMD_ReductionKind : I32EnumAttr<"ReductionKind",
    "how partial values are combined", [
      I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
      I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
      I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">,
      I32EnumAttrCase<"Xor", 6, "xor">]> {
  let cppNamespace = "::partita::spmd";
  let genSpecializedAttr = 0;
}
def SPMD_ReductionKindAttr
    : EnumAttr<SPMD_Dialect, SPMD_ReductionKind, "reduction">;

def SPMD_PropagationDirection : I32EnumAttr<"PropagationDirection",
    "direction in which shardings may pass", [
      I32EnumAttrCase<"None", 0, "none">,
      I32EnumAttrCase<"Forward", 1, "forward">,
      I32EnumAttrCase<"Backward", 2, "backward">,
      I32EnumAttrCase<"Both", 3, "both">]> {
  let cppNamespace = "::partita::spmd";
  let genSpecializedAttr = 0;
}
def SPMD_PropagationDirectionAttr
    : EnumAttr<SPMD_Dialect, SPMD_PropagationDirection, "direction">;

def SPMD_Outside : I32EnumAttr<"Outside",
    "what stands for indices outside a tensor", [
      I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"Wrap", 1, "wrap">,
      I32EnumAttrCase<"Edge", 2, "edge">]> {
  let cppNamespace = "::partita::spmd";
  let genSpecializedAttr = 0;
}
def SPMD_OutsideAttr : EnumAttr<SPMD_Dialect, SPMD_Outside, "outside">;

/// A double that can be part of an attribute's key.
def SPMD_LinkFigure : AttrParameter<"::partita::spmd::LinkFigure",
                                    "figure of a link"> {
  let cppAccessorType = "double";
}

def SPMD_MeshAxisAttr : SPMD_Attr<"MeshAxis", "axis"> {
  let summary = "A named mesh axis with its size and, optionally, its link";
  let parameters = (ins
    StringRefParameter<"axis name">:$name, "int64_t":$size,
    SPMD_LinkFigure:$latency, SPMD_LinkFigure:$bandwidth);
  let description = [{
    `"x"=4`, or `"x"=4 link(1.0e-06, 4.5e+10)`: seconds of latency and bytes per
    second of one link in one direction. Zero: the machine model's default.
  }];
  let hasCustomAssemblyFormat = 1;
}

def SPMD_MeshAttr : SPMD_Attr<"Mesh", "mesh"> {
  let summary = "Devices arranged as named axes, major to minor";
  let parameters = (ins
    OptionalArrayRefParameter<"MeshAxisAttr">:$axes,
    OptionalArrayRefParameter<"int64_t">:$iotaDims,
    OptionalArrayRefParameter<"int64_t">:$iotaPerm,
    OptionalArrayRefParameter<"int64_t">:$deviceIds);
  let description = [{
    `<["x"=4, "y"=2]>` places device i at the coordinates of i in mixed radix.
    `device_ids=[3, 1, 0, 2]` lists the device at each position;
    `device_ids=iota([2, 4]T(1, 0))` is the list got by reshaping iota to the
    dimensions and transposing. A mesh without axes and one device id is a
    single device ("maximal").
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Product of the axis sizes; 1 for a mesh without axes.
    int64_t getNumDevices() const;
    /// Position of the axis called `name`, or -1.
    int64_t getAxisIndex(::llvm::StringRef name) const;
    /// Size of the axis called `name`, or -1.
    int64_t getAxisSize(::llvm::StringRef name) const;
    /// Device at each mesh position, in full; empty when it is the identity.
    ::llvm::SmallVector<int64_t> getDeviceOrder() const;
    /// Position of the device called `device`, or -1.
    int64_t getPosition(int64_t device) const;
    /// A mesh from an explicit order, compressed to iota form where it is one.
    static MeshAttr getWithOrder(::mlir::MLIRContext *context,
                                 ::llvm::ArrayRef<MeshAxisAttr> axes,
                                 ::llvm::ArrayRef<int64_t> deviceIds);
    /// True for a mesh without axes that names one device.
    bool isMaximal() const { return getAxes().empty() && getDeviceIds().size() == 1; }
  }];
}

def SPMD_AxisRefAttr : SPMD_Attr<"AxisRef", "axis_ref"> {
  let summary = "An axis, or a sub-axis `\"x\":(pre)size`";
  let parameters = (ins
    StringRefParameter<"axis name">:$name,
    DefaultValuedParameter<"int64_t", "0">:$preSize,
    DefaultValuedParameter<"int64_t", "0">:$subSize);
  let description = [{
    `"x":(m)k` of an axis of size n: reshape the axis to [m, k, n/(mk)] and take
    the middle part. preSize = subSize = 0 is the whole axis.
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isSubAxis() const { return getSubSize() != 0; }
    /// Size of the (sub-)axis on `mesh`; -1 when the mesh lacks it.
    int64_t getSize(MeshAttr mesh) const;
    /// Major part of the axis before this one: 1 for a whole axis.
    int64_t getPre() const { return isSubAxis() ? getPreSize() : 1; }
    /// True if the two share any part of one axis of `mesh`.
    bool overlaps(AxisRefAttr other, MeshAttr mesh) const;
    std::string str() const;
  }];
}

def SPMD_AxisListAttr : SPMD_Attr<"AxisList", "axes"> {
  let summary = "An ordered list of axes, major to minor: `{\"x\", \"y\"}`";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Product of the sizes of the axes on `mesh`.
    int64_t getSize(MeshAttr mesh) const;
    bool empty() const { return getAxes().empty(); }
    std::string str() const;
  }];
}

def SPMD_AxisListPerDimAttr : TypedArrayAttrBase<SPMD_AxisListAttr,
    "axis lists, one per dimension">;

def SPMD_DimShardingAttr : SPMD_Attr<"DimSharding", "dim"> {
  let summary = "Axes of one dimension, whether it is open, and its priority";
  let parameters = (ins
    OptionalArrayRefParameter<"AxisRefAttr">:$axes,
    "bool":$isClosed,
    DefaultValuedParameter<"int64_t", "-1">:$priority);
  let description = [{
    `{"x", "y"}` is closed, `{"x", ?}` is open: propagation may add minor axes.
    `p2` after it is a user priority (0 is the most urgent and the default).
  }];
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getShardCount(MeshAttr mesh) const;
    bool hasPriority() const { return getPriority() >= 0; }
  }];
}

def SPMD_ShardingAttr : SPMD_Attr<"Sharding", "sharding"> {
  let summary = "Layout of a ranked tensor on a mesh";
  let parameters = (ins
    "::mlir::FlatSymbolRefAttr":$mesh,
    OptionalArrayRefParameter<"DimShardingAttr">:$dims,
    OptionalArrayRefParameter<"AxisRefAttr">:$replicated,
    OptionalArrayRefParameter<"AxisRefAttr">:$unreduced,
    DefaultValuedParameter<"ReductionKind", "ReductionKind::Add">:$reductionKind);
  let description = [{
    `#spmd.sharding<@m, [{"x"}, {"y", ?}p1], replicated={"z"},
    unreduced=[max]{"w"}>`. A dimension of size n sharded k ways has blocks of
    ceil(n/k) in mixed-radix order of its axes; buffers have that size and the
    tail is padding. `replicated` axes may not be used by propagation;
    `unreduced` axes hold partial values, to be combined by the kind (add when
    none is written).
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$mesh,
                     "::llvm::ArrayRef<DimShardingAttr>":$dims), [{
      return $_get($_ctxt, ::mlir::FlatSymbolRefAttr::get($_ctxt, mesh), dims,
                   ::llvm::ArrayRef<AxisRefAttr>(),
                   ::llvm::ArrayRef<AxisRefAttr>(), ReductionKind::Add);
    }]>
  ];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDims().size(); }
    /// Every dimension whole; closed or open as asked.
    static ShardingAttr getReplicated(::mlir::MLIRContext *context,
                                      ::llvm::StringRef mesh, int64_t rank,
                                      bool isClosed);
    /// The same axes with every dimension closed and without priorities.
    ShardingAttr getClosed() const;
    /// Number of shards of dimension `dim` on `mesh`.
    int64_t getShardCount(int64_t dim, MeshAttr mesh) const;
    /// True if some dimension has an axis.
    bool hasShardedDim() const;
    /// A dimension is sharded, or the value is in parts.
    bool namesAxes() const {
      return hasShardedDim() || !getUnreduced().empty();
    }
    /// Buffer type of one device: each dimension ceil(size / shards).
    ::mlir::RankedTensorType getLocalType(::mlir::RankedTensorType global,
                                          MeshAttr mesh) const;
    /// Checks the sharding against a type and the mesh; errors name dimension,
    /// axis and sizes.
    ::mlir::LogicalResult verifyForType(
        ::mlir::Type type, MeshAttr mesh,
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
  }];
}
def SPMD_ShardingListAttr
    : TypedArrayAttrBase<SPMD_ShardingAttr, "one sharding per value">;

def SPMD_AllToAllParamAttr : SPMD_Attr<"AllToAllParam", "move"> {
  let summary = "Axes that move from one dimension to another: `{\"x\"}: 0 -> 1`";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes,
                        "int64_t":$source, "int64_t":$target);
  let hasCustomAssemblyFormat = 1;
}
def SPMD_AllToAllParamListAttr
    : TypedArrayAttrBase<SPMD_AllToAllParamAttr, "axis moves">;

def SPMD_IntervalAttr : SPMD_Attr<"Interval", "interval"> {
  let summary = "What one dimension of an exchange reads";
  let parameters = (ins "int64_t":$base, "int64_t":$step, "int64_t":$length,
                        "::partita::spmd::Outside":$outside);
  let description = [{
    The shard at block index i reads the global input indices
    `base + i * step + [0, length)`. Indices outside the input read zero; with
    `wrap` they are taken modulo the size, with `edge` they read the nearest
    index inside. Printed `base + i*step : length`, then the word.
  }];
  let builders = [
    AttrBuilder<(ins "int64_t":$base, "int64_t":$step, "int64_t":$length), [{
      return $_get($_ctxt, base, step, length, Outside::Zero);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
}
def SPMD_IntervalListAttr
    : TypedArrayAttrBase<SPMD_IntervalAttr, "one interval per dimension">;

#endif
