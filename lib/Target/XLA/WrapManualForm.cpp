// xla-wrap-manual-form: the original signature around the per-device program.
//
// Before: convert-spmd-to-stablehlo has run; main's arguments and results have
// spmd.sharding and spmd.global_type. After: no spmd op or attribute is left.

#include "MeshRefinement.h"
#include "dialects/StableHLO/ZeroElements.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Target/XLA/Passes.h"

namespace partita {
#define GEN_PASS_DEF_WRAPMANUALFORMPASS
#include "partita/Target/XLA/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {
namespace {

constexpr StringLiteral kGlobalType = "spmd.global_type";

/// One argument or result of main.
struct Port {
  RankedTensorType global, local;
  spmd::ShardingAttr sharding;
  /// The global type with every dimension a multiple of its shard count.
  RankedTensorType padded;
};

class Wrapper {
public:
  Wrapper(ModuleOp module, func::FuncOp main)
      : module(module), main(main), b(module.getContext()) {}

  LogicalResult run();

private:
  LogicalResult collectPorts();
  LogicalResult chooseMesh();
  Port makePort(Type local, TypeAttr global, spmd::ShardingAttr sharding);
  void wrap();
  Value resize(Value value, RankedTensorType type);
  sdy::ShardingPerValueAttr convert(ArrayRef<Port> ports);
  void rewriteAttributes(func::FuncOp wrapped);

  ModuleOp module;
  func::FuncOp main;
  OpBuilder b;
  SmallVector<Port> inputs, outputs;
  FlatSymbolRefAttr meshName;
  std::optional<MeshRefinement> refinement;
};

} // namespace

Port Wrapper::makePort(Type local, TypeAttr global,
                       spmd::ShardingAttr sharding) {
  Port port;
  port.local = cast<RankedTensorType>(local);
  port.global = global ? cast<RankedTensorType>(global.getValue()) : port.local;
  port.sharding = sharding;
  SmallVector<int64_t> shape(port.local.getShape());
  if (sharding) {
    spmd::MeshAttr mesh = spmd::lookupMesh(main, sharding.getMesh());
    for (auto [dim, size] : llvm::enumerate(shape))
      size *= sharding.getShardCount(dim, mesh);
  }
  port.padded = port.local.clone(shape);
  return port;
}

LogicalResult Wrapper::collectPorts() {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::all_of(main.getArgumentTypes(), isTensor) ||
      !llvm::all_of(main.getResultTypes(), isTensor)) {
    InFlightDiagnostic diagnostic =
        main.emitError("main's signature has a type that is no ranked tensor");
    diagnostic.attachNote() << "fix: use ranked tensors";
    return diagnostic;
  }
  for (auto [index, type] : llvm::enumerate(main.getArgumentTypes()))
    inputs.push_back(
        makePort(type, main.getArgAttrOfType<TypeAttr>(index, kGlobalType),
                 spmd::getSharding(main.getArgument(index))));
  for (auto [index, type] : llvm::enumerate(main.getResultTypes()))
    outputs.push_back(
        makePort(type, main.getResultAttrOfType<TypeAttr>(index, kGlobalType),
                 spmd::getResultSharding(main, index)));
  return success();
}

LogicalResult Wrapper::chooseMesh() {
  SmallVector<spmd::ShardingAttr> used;
  for (const auto *ports : {&inputs, &outputs})
    for (const Port &port : *ports) {
      if (!port.sharding || !port.sharding.namesAxes())
        continue;
      spmd::ReductionKind kind = port.sharding.getReductionKind();
      if (!port.sharding.getUnreduced().empty() &&
          !MeshRefinement::convertKind(kind)) {
        InFlightDiagnostic diagnostic =
            main.emitError() << "main's signature has parts of a reduction by "
                             << spmd::stringifyEnum(kind)
                             << ", which Shardy has no sharding for";
        diagnostic.attachNote()
            << "fix: reduce it, or keep parts of sums, maxima and minima";
        return diagnostic;
      }
      used.push_back(port.sharding);
      if (!meshName)
        meshName = port.sharding.getMesh();
      if (meshName == port.sharding.getMesh())
        continue;
      InFlightDiagnostic diagnostic =
          main.emitError() << "main's signature uses two meshes, " << meshName
                           << " and " << port.sharding.getMesh();
      diagnostic.attachNote() << "fix: shard arguments and results on one mesh";
      return diagnostic;
    }
  // Nothing is sharded outside: the mesh with the most devices runs the body.
  if (!meshName) {
    int64_t most = 0;
    for (auto mesh : module.getOps<spmd::MeshOp>())
      if (mesh.getMesh().getNumDevices() > most) {
        most = mesh.getMesh().getNumDevices();
        meshName = FlatSymbolRefAttr::get(mesh.getSymNameAttr());
      }
  }
  // One device runs the program as it stands.
  if (!meshName || spmd::lookupMesh(main, meshName).getNumDevices() == 1)
    return success();
  refinement = MeshRefinement::build(spmd::lookupMesh(main, meshName), used);
  if (refinement)
    return success();
  InFlightDiagnostic diagnostic = main.emitError()
                                  << "main's signature cuts an axis of mesh "
                                  << meshName << " into parts that do not nest";
  diagnostic.attachNote() << "fix: use sub-axes of one split of the axis";
  return diagnostic;
}

/// Pads or cuts the tail of each dimension.
Value Wrapper::resize(Value value, RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from == type)
    return value;
  Location loc = value.getLoc();
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  if (llvm::any_of(
          llvm::zip_equal(type.getShape(), from.getShape()),
          [](auto pair) { return std::get<0>(pair) < std::get<1>(pair); }))
    return stablehlo::SliceOp::create(
        b, loc, type, value, b.getDenseI64ArrayAttr(zeros),
        b.getDenseI64ArrayAttr(type.getShape()), b.getDenseI64ArrayAttr(ones));
  SmallVector<int64_t> high;
  for (auto [to, size] : llvm::zip_equal(type.getShape(), from.getShape()))
    high.push_back(to - size);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero =
      stablehlo::ConstantOp::create(b, loc, stablehlo::getZeroElements(scalar));
  return stablehlo::PadOp::create(
      b, loc, type, value, zero, b.getDenseI64ArrayAttr(zeros),
      b.getDenseI64ArrayAttr(high), b.getDenseI64ArrayAttr(zeros));
}

sdy::ShardingPerValueAttr Wrapper::convert(ArrayRef<Port> ports) {
  SmallVector<sdy::ShardingAttr> shardings;
  for (const Port &port : ports)
    shardings.push_back(
        refinement->convert(port.sharding, port.global.getRank(), meshName));
  return sdy::ShardingPerValueAttr::get(b.getContext(), shardings);
}

/// spmd attributes of the signature become sdy ones; all others stay.
void Wrapper::rewriteAttributes(func::FuncOp wrapped) {
  auto rewrite = [&](ArrayAttr lists, ArrayRef<Port> ports) {
    SmallVector<Attribute> rewritten;
    for (auto [index, port] : llvm::enumerate(ports)) {
      NamedAttrList attributes(lists ? cast<DictionaryAttr>(lists[index])
                                     : DictionaryAttr::get(b.getContext()));
      attributes.erase(kGlobalType);
      attributes.erase(spmd::SPMDDialect::getShardingAttrName());
      if (refinement)
        attributes.set("sdy.sharding",
                       refinement->convert(port.sharding, port.global.getRank(),
                                           meshName));
      rewritten.push_back(attributes.getDictionary(b.getContext()));
    }
    return b.getArrayAttr(rewritten);
  };
  ArrayAttr arguments = rewrite(wrapped.getArgAttrsAttr(), inputs);
  ArrayAttr results = rewrite(wrapped.getResAttrsAttr(), outputs);
  wrapped.setArgAttrsAttr(arguments);
  wrapped.setResAttrsAttr(results);
}

void Wrapper::wrap() {
  Location loc = main.getLoc();
  Region body;
  body.takeBody(main.getBody());
  SmallVector<Type> globals, results, paddedResults;
  for (const Port &port : inputs)
    globals.push_back(port.global);
  for (const Port &port : outputs) {
    results.push_back(port.global);
    paddedResults.push_back(port.padded);
  }
  main.setFunctionType(b.getFunctionType(globals, results));
  Block *entry = b.createBlock(&main.getBody(), {}, globals,
                               SmallVector<Location>(globals.size(), loc));
  SmallVector<Value> operands;
  for (auto [argument, port] : llvm::zip_equal(entry->getArguments(), inputs))
    operands.push_back(resize(argument, port.padded));
  auto manual = sdy::ManualComputationOp::create(
      b, loc, paddedResults, operands, convert(inputs), convert(outputs),
      sdy::ManualAxesAttr::get(b.getContext(), refinement->getAxisNames()));
  // The op may have been built with an entry block.
  manual.getBody().getBlocks().clear();
  manual.getBody().takeBody(body);
  Operation *terminator = manual.getBody().front().getTerminator();
  OpBuilder inner(terminator);
  sdy::ReturnOp::create(inner, terminator->getLoc(), terminator->getOperands());
  terminator->erase();
  SmallVector<Value> returned;
  for (auto [result, port] : llvm::zip_equal(manual.getResults(), outputs))
    returned.push_back(resize(result, port.global));
  func::ReturnOp::create(b, loc, returned);
}

LogicalResult Wrapper::run() {
  if (failed(collectPorts()) || failed(chooseMesh()))
    return failure();
  if (refinement) {
    wrap();
    b.setInsertionPointToStart(module.getBody());
    sdy::MeshOp::create(b, module.getLoc(), meshName.getAttr(),
                        refinement->getMesh());
  }
  rewriteAttributes(main);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function == main)
      continue;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      function.removeArgAttr(i, kGlobalType);
      function.removeArgAttr(i, spmd::SPMDDialect::getShardingAttrName());
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      function.removeResultAttr(i, b.getStringAttr(kGlobalType));
      function.removeResultAttr(
          i, b.getStringAttr(spmd::SPMDDialect::getShardingAttrName()));
    }
  }
  for (auto mesh : llvm::make_early_inc_range(module.getOps<spmd::MeshOp>()))
    mesh.erase();
  return success();
}

namespace {

struct WrapManualForm : impl::WrapManualFormPassBase<WrapManualForm> {
  using WrapManualFormPassBase::WrapManualFormPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main) {
      InFlightDiagnostic diagnostic =
          module.emitError("the module has no main");
      diagnostic.attachNote() << "fix: name the entry function main";
      return signalPassFailure();
    }
    if (failed(Wrapper(module, main).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace partita
