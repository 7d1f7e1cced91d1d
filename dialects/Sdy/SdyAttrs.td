// Attributes of the sdy dialect.
#ifndef PARTITA_DIALECTS_SDY_ATTRS
#define PARTITA_DIALECTS_SDY_ATTRS

include "dialects/Sdy/SdyBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class Sdy_Attr<string name, string mnemonicName>
    : AttrDef<Sdy_Dialect, name> {
  let mnemonic = mnemonicName;
  let hasCustomAssemblyFormat = 1;
}

// Both enums are plain i32 attributes in generic form, as Shardy's are.
def Sdy_PropagationDirection : I32EnumAttr<"PropagationDirection",
    "direction in which shardings may pass", [
      I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
      I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]> {
  let cppNamespace = "::partita::sdy";
}

def Sdy_ReductionOp : I32EnumAttr<"ReductionOp",
    "how partial values are combined", [
      I32EnumAttrCase<"SUM", 0, "sum">, I32EnumAttrCase<"MAX", 1, "max">,
      I32EnumAttrCase<"MIN", 2, "min">]> {
  let cppNamespace = "::partita::sdy";
}

def Sdy_MeshAxisAttr : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named mesh axis with its size: `\"x\"=4`";
  let parameters = (ins StringRefParameter<"axis name">:$name, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Sdy_MeshAttr : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "Named axes, major to minor, and optionally the device order";
  let description = [{
    `<["a"=2, "b"=4]>`, with `device_ids=[...]` where the order of devices is not
    the identity (an identity list is dropped when read). `<[]>` is the empty
    mesh, `<[], device_ids=[3]>` the single device 3 ("maximal").
  }];
  let parameters = (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes,
                        OptionalArrayRefParameter<"int64_t">:$deviceIds);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Product of the axis sizes; 1 for a mesh without axes.
    int64_t getNumDevices() const;
    /// Position of the axis called `name`, or -1.
    int64_t getAxisIndex(::llvm::StringRef name) const;
    /// Size of the axis called `name`, or -1.
    int64_t getAxisSize(::llvm::StringRef name) const;
    /// True for a mesh without axes that names one device.
    bool isMaximal() const {
      return getAxes().empty() && getDeviceIds().size() == 1;
    }
    bool isEmpty() const { return getAxes().empty() && getDeviceIds().empty(); }
  }];
}

def Sdy_AxisRefAttr : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "An axis, or a sub-axis `\"x\":(pre)size`";
  let description = [{
    `"x":(m)k` of an axis of size n: reshape the axis to [m, k, n/(mk)] and take
    the middle part. preSize = subSize = 0 is the whole axis.
  }];
  let parameters = (ins StringRefParameter<"axis name">:$name,
                        DefaultValuedParameter<"int64_t", "0">:$preSize,
                        DefaultValuedParameter<"int64_t", "0">:$subSize);
  let extraClassDeclaration = [{
    bool isSubAxis() const { return getPreSize() != 0 || getSubSize() != 0; }
    /// Size of the (sub-)axis on `mesh`; -1 when the mesh lacks the axis.
    int64_t getSize(MeshAttr mesh) const;
    /// True if the two share any part of one axis.
    bool overlaps(AxisRefAttr other) const;
    std::string str() const;
  }];
}

def Sdy_DimShardingAttr : Sdy_Attr<"DimSharding", "dimension_sharding"> {
  let summary = "Axes of one dimension, whether it is open, and its priority";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes,
                        "bool":$isClosed,
                        DefaultValuedParameter<"int64_t", "-1">:$priority);
  let description = [{
    `{"x", "y"}` is closed, `{"x", ?}` is open; `p2` after it is a user priority
    (0 is the most urgent and the default). Priority -1: none was written.
  }];
  let extraClassDeclaration = [{
    bool hasPriority() const { return getPriority() >= 0; }
  }];
}

def Sdy_ShardingAttr : Sdy_Attr<"Sharding", "sharding"> {
  let summary = "Layout of one value on a mesh";
  let description = [{
    `#sdy.sharding<@m, [{"x"}, {"y", ?}p1], replicated={"z"}, unreduced=max{"w"}>`;
    the mesh is a symbol or written in place as `mesh<["x"=2]>`.
  }];
  let parameters = (ins "::mlir::Attribute":$meshOrRef,
                        OptionalArrayRefParameter<"DimShardingAttr">:$dims,
                        OptionalArrayRefParameter<"AxisRefAttr">:$replicated,
                        OptionalArrayRefParameter<"AxisRefAttr">:$unreduced,
                        DefaultValuedParameter<"ReductionOp", "ReductionOp::SUM">:$reductionOp);
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDims().size(); }
    /// The symbol of the mesh; null when the mesh is written in place.
    ::mlir::FlatSymbolRefAttr getMeshName() const;
    /// The mesh, looked up around `op` when it is a symbol; null when unknown.
    MeshAttr getMesh(::mlir::Operation *op) const;
    /// Every axis named anywhere in the sharding, in order of appearance.
    ::llvm::SmallVector<AxisRefAttr> getAllAxes() const;
  }];
}

def Sdy_ShardingPerValueAttr : Sdy_Attr<"ShardingPerValue", "sharding_per_value"> {
  let summary = "One sharding per operand or result";
  let parameters = (ins OptionalArrayRefParameter<"ShardingAttr">:$shardings);
}

def Sdy_DimMappingAttr : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "Factors of one dimension, major to minor: `ij`";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factors);
}

def Sdy_TensorMappingAttr : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "Factors of each dimension of one value: `[i, jk]`";
  let parameters = (ins OptionalArrayRefParameter<"DimMappingAttr">:$dims);
}

def Sdy_OpShardingRuleAttr : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "How an op may be split, as a user gave it";
  let description = [{
    `#sdy.op_sharding_rule<([i, k],[k, j])->([i, j]) {i=8, j=16, k=8}
    reduction={k} need_replication={..} permutation={..}
    blocked_propagation={..}, custom>`. Factors 0 to 17 are written i to z, the
    following z_1, z_2, ...
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factorSizes,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$operands,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$results,
                        OptionalArrayRefParameter<"int64_t">:$reduction,
                        OptionalArrayRefParameter<"int64_t">:$needReplication,
                        OptionalArrayRefParameter<"int64_t">:$permutation,
                        OptionalArrayRefParameter<"int64_t">:$blockedPropagation,
                        DefaultValuedParameter<"bool", "false">:$isCustom);
}

def Sdy_ManualAxesAttr : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "Axes along which a region is per-device: `{\"x\", \"y\"}`";
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$axes);
  let extraClassDeclaration = [{
    bool contains(::llvm::StringRef name) const;
  }];
}

def Sdy_AxisListAttr : Sdy_Attr<"AxisList", "axis_ref_list"> {
  let summary = "An ordered list of axes: `{\"x\", \"y\":(1)2}`";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes);
}

def Sdy_AxisListPerDimAttr : Sdy_Attr<"AxisListPerDim", "list_of_axis_ref_lists"> {
  let summary = "An axis list per dimension: `[{\"x\"}, {}]`";
  let parameters = (ins OptionalArrayRefParameter<"AxisListAttr">:$dims);
}

def Sdy_AllToAllParamAttr : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "Axes that move between dimensions: `{\"x\"}: 0->1`";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes,
                        "int64_t":$source, "int64_t":$target);
}

def Sdy_AllToAllParamListAttr : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "The moves of one all-to-all: `[{\"x\"}: 0->1]`";
  let parameters = (ins OptionalArrayRefParameter<"AllToAllParamAttr">:$params);
}

#endif
