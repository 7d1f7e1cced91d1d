// custom_call: by the rule that the user gave (`spmd.sharding_rule`, from
// sdy.sharding_rule), or, for the targets known here, elementwise. Of any other
// target nothing is known: a call without effects runs on whole operands on
// each device (placement remarks on what it gathers), one with effects where
// import says so, and is refused otherwise. Partition: the same call on local
// operands; one that a single device runs stands in a branch, and its results
// are broadcast.

#include "Families.h"
#include "RuleBuilder.h"
#include "WholeOp.h"
#include "dialects/SPMD/Effects.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Building/LocalOps.h"
#include "partita/Building/OpModel.h"

using namespace mlir;

namespace partita {
namespace {

using spmd::FactorKind;

/// Targets that compute each element from those at its own position.
constexpr StringLiteral kElementwiseTargets[] = {
    "annotate_device_placement",
    "InspectSharding",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "X64Combine",
    "X64SplitHigh",
    "X64SplitLow",
    "mhlo.erf",
    "xla.megascale.provide_metadata",
};

DictionaryAttr givenRule(stablehlo::CustomCallOp op) {
  return op->getAttrOfType<DictionaryAttr>(
      spmd::SPMDDialect::getShardingRuleAttrName());
}

/// The one device that runs the call, where import says so.
IntegerAttr deviceOf(stablehlo::CustomCallOp op) {
  return op->getAttrOfType<IntegerAttr>(spmd::kDevice);
}

LogicalResult refuse(stablehlo::CustomCallOp op, const Twine &why,
                     StringRef fix) {
  InFlightDiagnostic diagnostic =
      op.emitOpError() << "@" << op.getCallTargetName() << " " << why;
  diagnostic.attachNote() << "fix: " << fix;
  return failure();
}

LogicalResult refuseRule(stablehlo::CustomCallOp op, const Twine &why) {
  return refuse(op, "has a sharding rule that does not fit: " + why,
                "give one list of factors per dimension of each operand and "
                "result");
}

/// Reads one list of factor indices per dimension of each value.
LogicalResult readMappings(stablehlo::CustomCallOp op, ArrayAttr given,
                           ValueRange values, StringRef role, size_t numFactors,
                           SmallVectorImpl<spmd::TensorMapping> &mappings) {
  if (!given || given.size() != values.size())
    return refuseRule(op, "it maps " + Twine(given ? given.size() : 0) + " " +
                              role + "s, the call has " + Twine(values.size()));
  for (auto [index, value] : llvm::enumerate(values)) {
    auto dims = dyn_cast<ArrayAttr>(given[index]);
    size_t rank = shapeOf(value).size();
    if (!dims || dims.size() != rank)
      return refuseRule(op, role + " #" + Twine(index) + " has rank " +
                                Twine(rank) + ", the rule's mapping has " +
                                Twine(dims ? dims.size() : 0) + " dimensions");
    spmd::TensorMapping &mapping = mappings.emplace_back();
    for (Attribute dim : dims) {
      auto &factors = mapping.dims.emplace_back();
      auto list = dyn_cast<DenseI64ArrayAttr>(dim);
      if (!list)
        return refuseRule(op, "it has an entry that is no list of factors");
      for (int64_t factor : list.asArrayRef()) {
        if (factor < 0 || factor >= static_cast<int64_t>(numFactors))
          return refuseRule(op,
                            "factor #" + Twine(factor) + " is not declared");
        factors.push_back(static_cast<int>(factor));
      }
    }
  }
  return success();
}

FailureOr<spmd::ShardingRule> readRule(stablehlo::CustomCallOp op,
                                       DictionaryAttr given) {
  spmd::ShardingRule rule;
  auto list = [&](StringRef name) {
    auto attr = given.getAs<DenseI64ArrayAttr>(name);
    return attr ? attr.asArrayRef() : ArrayRef<int64_t>();
  };
  for (int64_t size : list("factor_sizes"))
    rule.addFactor(size);
  if (failed(readMappings(op, given.getAs<ArrayAttr>("operands"),
                          op.getInputs(), "operand", rule.factors.size(),
                          rule.operands)) ||
      failed(readMappings(op, given.getAs<ArrayAttr>("results"),
                          op.getResults(), "result", rule.factors.size(),
                          rule.results)))
    return failure();
  auto factorsOf = [&](StringRef name) {
    SmallVector<spmd::Factor *> factors;
    for (int64_t index : list(name))
      if (index >= 0 && index < static_cast<int64_t>(rule.factors.size()))
        factors.push_back(&rule.factors[index]);
    return factors;
  };
  for (spmd::Factor *factor : factorsOf("reduction")) {
    factor->kind = FactorKind::Reduction;
    factor->reduction = spmd::ReductionKind::Add;
  }
  for (StringRef name : {"need_replication", "permutation"})
    for (spmd::Factor *factor : factorsOf(name)) {
      factor->kind = FactorKind::Replicated;
      factor->shardable = false;
    }
  for (spmd::Factor *factor : factorsOf("blocked_propagation"))
    factor->direction = spmd::PropagationDirection::None;
  // A factor of one side alone says nothing of how the other side is computed.
  auto indexes = [](ArrayRef<spmd::TensorMapping> mappings, int factor) {
    return llvm::any_of(mappings, [&](const spmd::TensorMapping &mapping) {
      return llvm::is_contained(mapping.factorList(), factor);
    });
  };
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == FactorKind::Parallel &&
        (!indexes(rule.operands, index) || !indexes(rule.results, index)))
      factor.shardable = false;
  rule.operandTraits.resize(op->getNumOperands());
  rule.isCustom = true;
  return rule;
}

/// Every dimension of every operand and result by itself, and whole.
FailureOr<spmd::ShardingRule> wholeRule(stablehlo::CustomCallOp op) {
  RuleBuilder rule(op);
  SmallVector<int64_t> noOperand(op->getNumOperands(), RuleBuilder::kNone);
  SmallVector<int64_t> noResult(op->getNumResults(), RuleBuilder::kNone);
  auto add = [&](ValueRange values, bool isOperand) {
    for (auto [index, value] : llvm::enumerate(values))
      for (auto [dim, size] : llvm::enumerate(shapeOf(value))) {
        SmallVector<int64_t> operands(noOperand), results(noResult);
        (isOperand ? operands : results)[index] = dim;
        rule.add(size, operands, results, FactorKind::Replicated)
            .whole()
            .blocked();
      }
  };
  add(op->getOperands(), true);
  add(op->getResults(), false);
  return rule.build();
}

struct CustomCallModel : OpModel<CustomCallModel, stablehlo::CustomCallOp> {
  static constexpr StringLiteral family = "CustomCall";

  static FailureOr<spmd::ShardingRule> rule(stablehlo::CustomCallOp op) {
    if (deviceOf(op))
      return wholeRule(op);
    if (DictionaryAttr given = givenRule(op))
      return readRule(op, given);
    if (llvm::is_contained(kElementwiseTargets, op.getCallTargetName()) &&
        op->getNumResults() > 0) {
      RuleBuilder rule(op);
      for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
        rule.addEverywhere(dim, size);
      if (op.getCallTargetName().starts_with("MoveTo"))
        return rule.pointwise().build();
      return rule.build();
    }
    if (op.getCallTargetName() == "CustomSPMDPartitioning")
      return refuse(op,
                    "is partitioned by a Python function, which only XLA's "
                    "partitioner calls",
                    "write what each device does with jax.shard_map, or let "
                    "the function without jax.custom_partitioning be "
                    "partitioned");
    if (!op.getHasSideEffect() || op->hasAttr(spmd::kEachDevice))
      return wholeRule(op);
    return refuse(op,
                  "is not known and has side effects, which each device would "
                  "have",
                  "name the one device that runs it by a maximal sharding, "
                  "give the call an `sdy.sharding_rule`, or replace it by ops");
  }

  static LogicalResult partitionOp(stablehlo::CustomCallOp op,
                                   PartitionBuilder &builder) {
    IntegerAttr device = deviceOf(op);
    if (!device)
      return builder.partitionByRule();
    for (Value result : op->getResults())
      if (!isa<RankedTensorType>(result.getType()))
        return builder.refuse() << "runs on one device, which can't give the "
                                   "others a result of type "
                                << result.getType();
    OpBuilder &b = builder.builder();
    auto branch =
        stablehlo::IfOp::create(b, op.getLoc(), op->getResultTypes(),
                                emitIsDevice(builder, device.getInt()));
    emitBranch(builder, branch.getTrueBranch(), [&]() {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(builder.any(operand));
      Operation *local = builder.cloneLocal(operands);
      // Whoever comes here runs it.
      local->removeDiscardableAttr(spmd::kDevice);
      local->setDiscardableAttr(spmd::kEachDevice, b.getUnitAttr());
      return SmallVector<Value>(local->getResults());
    });
    emitBranch(builder, branch.getFalseBranch(), [&]() {
      return llvm::map_to_vector(op->getResultTypes(), [&](Type type) {
        return emitZeros(b, op.getLoc(), cast<RankedTensorType>(type));
      });
    });
    for (auto [result, local] :
         llvm::zip_equal(op->getResults(), branch->getResults())) {
      FailureOr<int64_t> root = findDevice(builder, result, device.getInt());
      if (failed(root))
        return failure();
      builder.bind(result, broadcastFrom(builder, local,
                                         builder.getSharding(result), *root));
    }
    return success();
  }

  /// The number of `device` on the mesh of `result`.
  static FailureOr<int64_t> findDevice(PartitionBuilder &builder, Value result,
                                       int64_t device) {
    spmd::MeshAttr mesh = builder.getMesh(builder.getSharding(result));
    if (mesh.getAxes().empty())
      return 0;
    int64_t position = mesh.getPosition(device);
    if (position >= 0)
      return position;
    InFlightDiagnostic diagnostic = builder.refuse()
                                    << "runs on device " << device
                                    << ", which is not on mesh " << mesh
                                    << " of its results";
    diagnostic.attachNote() << "fix: name a device of the mesh";
    return failure();
  }

  static Value emitIsDevice(PartitionBuilder &builder, int64_t device) {
    OpBuilder &b = builder.builder();
    auto type = RankedTensorType::get({}, b.getIntegerType(32, false));
    Value own = stablehlo::PartitionIdOp::create(b, builder.getLoc(), type);
    return stablehlo::CompareOp::create(
        b, builder.getLoc(), type.clone(b.getI1Type()), own,
        builder.scalarInt(type.getElementType(), device),
        stablehlo::ComparisonDirection::EQ, stablehlo::ComparisonTypeAttr());
  }

  static void emitBranch(PartitionBuilder &builder, Region &region,
                         llvm::function_ref<SmallVector<Value>()> emit) {
    OpBuilder &b = builder.builder();
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    stablehlo::ReturnOp::create(b, builder.getLoc(), emit());
  }
};

} // namespace

void attachCustomCallModels(MLIRContext &context) {
  stablehlo::CustomCallOp::attachInterface<CustomCallModel>(context);
}

} // namespace partita
