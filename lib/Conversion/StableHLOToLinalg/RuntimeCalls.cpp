// Ops that are kernels of the runtime: spmd.runtime_call with the descriptor of
// partita/Runtime/ABI.h.

#include "LinalgEmitter.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/ReductionBody.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Conversion/RuntimeDescriptor.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita {
namespace {

/// A kernel with the words behind the common part of its descriptor, and the
/// bodies that it calls back.
struct Kernel {
  StringRef callee;
  std::function<void(RuntimeDescriptor &)> words;
  SmallVector<Region *> bodies;
};

SmallVector<int64_t> elements(std::optional<DenseIntElementsAttr> attribute,
                              int64_t count) {
  if (!attribute)
    return SmallVector<int64_t>(count, 0);
  return llvm::map_to_vector(
      attribute->getValues<APInt>(),
      [](const APInt &value) { return value.getSExtValue(); });
}

SmallVector<int64_t> listOr(std::optional<ArrayRef<int64_t>> list,
                            int64_t count, int64_t value) {
  return list ? SmallVector<int64_t>(*list)
              : SmallVector<int64_t>(count, value);
}

/// The runtime's code of a body that folds, for each of n values, accumulator
/// and element: one kind for all, the second argument alone (SET), or BODY.
int64_t getReduction(Region &body, unsigned count) {
  std::optional<stablehlo::BodyKind> kind;
  for (unsigned i = 0; i < count; ++i) {
    auto found = count == 1 ? stablehlo::matchReductionBody(body)
                            : stablehlo::matchReductionBody(body, i);
    if (!found || (kind && *kind != *found)) {
      kind = std::nullopt;
      break;
    }
    kind = found;
  }
  if (kind)
    return static_cast<int64_t>(*kind);
  Operation *terminator = body.front().getTerminator();
  for (unsigned i = 0; i < count; ++i)
    if (terminator->getOperand(i) != body.getArgument(count + i))
      return PARTITA_BODY;
  return PARTITA_SET;
}

std::optional<Kernel> describeWindow(Operation *op) {
  if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    int64_t rank = window.getWindowDimensions().size();
    int64_t reduction = getReduction(window.getBody(), op->getNumResults());
    Kernel kernel{"partita_reduce_window",
                  [=](RuntimeDescriptor &d) mutable {
                    d.addList(window.getWindowDimensions())
                        .addList(listOr(window.getWindowStrides(), rank, 1))
                        .addList(listOr(window.getBaseDilations(), rank, 1))
                        .addList(listOr(window.getWindowDilations(), rank, 1))
                        .addList(elements(window.getPadding(), 2 * rank))
                        .add(reduction);
                  },
                  {}};
    if (reduction == PARTITA_BODY)
      kernel.bodies.push_back(&window.getBody());
    return kernel;
  }
  auto scatter = dyn_cast<stablehlo::SelectAndScatterOp>(op);
  if (!scatter)
    return std::nullopt;
  int64_t rank =
      cast<RankedTensorType>(scatter.getOperand().getType()).getRank();
  return Kernel{"partita_select_and_scatter",
                [=](RuntimeDescriptor &d) mutable {
                  d.addList(listOr(scatter.getWindowDimensions(), rank, 1))
                      .addList(listOr(scatter.getWindowStrides(), rank, 1))
                      .addList(elements(scatter.getPadding(), 2 * rank));
                },
                {&op->getRegion(0), &op->getRegion(1)}};
}

Kernel describeConvolution(stablehlo::ConvolutionOp conv) {
  return {"partita_convolution",
          [=](RuntimeDescriptor &d) mutable {
            auto n = conv.getDimensionNumbers();
            int64_t rank = n.getInputSpatialDimensions().size();
            d.add(n.getInputBatchDimension())
                .add(n.getInputFeatureDimension())
                .addList(n.getInputSpatialDimensions())
                .add(n.getKernelInputFeatureDimension())
                .add(n.getKernelOutputFeatureDimension())
                .addList(n.getKernelSpatialDimensions())
                .add(n.getOutputBatchDimension())
                .add(n.getOutputFeatureDimension())
                .addList(n.getOutputSpatialDimensions())
                .addList(listOr(conv.getWindowStrides(), rank, 1))
                .addList(elements(conv.getPadding(), 2 * rank))
                .addList(listOr(conv.getLhsDilation(), rank, 1))
                .addList(listOr(conv.getRhsDilation(), rank, 1))
                .addList(conv.getWindowReversal()
                             ? SmallVector<bool>(*conv.getWindowReversal())
                             : SmallVector<bool>(rank, false))
                .add(conv.getFeatureGroupCount())
                .add(conv.getBatchGroupCount());
          },
          {}};
}

Kernel describeGather(stablehlo::GatherOp gather) {
  return {"partita_gather",
          [=](RuntimeDescriptor &d) mutable {
            auto n = gather.getDimensionNumbers();
            d.addList(n.getOffsetDims())
                .addList(n.getCollapsedSliceDims())
                .addList(n.getOperandBatchingDims())
                .addList(n.getStartIndicesBatchingDims())
                .addList(n.getStartIndexMap())
                .add(n.getIndexVectorDim())
                .addList(gather.getSliceSizes());
          },
          {}};
}

Kernel describeScatter(stablehlo::ScatterOp scatter) {
  Region &body = scatter->getRegion(0);
  int64_t reduction = getReduction(body, scatter->getNumResults());
  Kernel kernel{"partita_scatter",
                [=](RuntimeDescriptor &d) mutable {
                  auto n = scatter.getScatterDimensionNumbers();
                  d.addList(n.getUpdateWindowDims())
                      .addList(n.getInsertedWindowDims())
                      .addList(n.getInputBatchingDims())
                      .addList(n.getScatterIndicesBatchingDims())
                      .addList(n.getScatterDimsToOperandDims())
                      .add(n.getIndexVectorDim())
                      .add(reduction);
                },
                {}};
  if (reduction == PARTITA_BODY)
    kernel.bodies.push_back(&body);
  return kernel;
}

/// Pointwise functions without a form in the math dialect.
std::optional<Kernel> describeFunction(Operation *op) {
  auto function =
      llvm::StringSwitch<std::optional<int64_t>>(op->getName().getStringRef())
          .Case("chlo.erf_inv", PARTITA_ERF_INV)
          .Case("chlo.lgamma", PARTITA_LGAMMA)
          .Case("chlo.digamma", PARTITA_DIGAMMA)
          .Case("chlo.bessel_i1e", PARTITA_BESSEL_I1E)
          .Case("chlo.polygamma", PARTITA_POLYGAMMA)
          .Case("chlo.zeta", PARTITA_ZETA)
          .Case("chlo.next_after", PARTITA_NEXT_AFTER)
          .Case("stablehlo.power", PARTITA_POWER)
          .Default(std::nullopt);
  if (!function)
    return std::nullopt;
  int64_t word = *function;
  return Kernel{
      "partita_elementwise", [=](RuntimeDescriptor &d) { d.add(word); }, {}};
}

std::optional<Kernel> describe(Operation *op) {
  auto plain = [](StringRef callee, SmallVector<int64_t> words) {
    return Kernel{callee,
                  [=](RuntimeDescriptor &d) {
                    for (int64_t word : words)
                      d.add(word);
                  },
                  {}};
  };
  return TypeSwitch<Operation *, std::optional<Kernel>>(op)
      .Case([&](stablehlo::DotGeneralOp dot) -> std::optional<Kernel> {
        return Kernel{"partita_dot_general",
                      [=](RuntimeDescriptor &d) mutable {
                        auto n = dot.getDotDimensionNumbers();
                        d.addList(n.getLhsBatchingDimensions())
                            .addList(n.getRhsBatchingDimensions())
                            .addList(n.getLhsContractingDimensions())
                            .addList(n.getRhsContractingDimensions());
                      },
                      {}};
      })
      .Case([&](stablehlo::DotOp dot) -> std::optional<Kernel> {
        int64_t last =
            cast<RankedTensorType>(dot.getLhs().getType()).getRank() - 1;
        return Kernel{"partita_dot_general",
                      [=](RuntimeDescriptor &d) {
                        ArrayRef<int64_t> none;
                        d.addList(none).addList(none);
                        d.addList(ArrayRef<int64_t>{last});
                        d.addList(ArrayRef<int64_t>{0});
                      },
                      {}};
      })
      .Case([&](stablehlo::SortOp sort) -> std::optional<Kernel> {
        Kernel kernel =
            plain("partita_sort", {static_cast<int64_t>(sort.getDimension()),
                                   sort.getIsStable()});
        kernel.bodies.push_back(&sort->getRegion(0));
        return kernel;
      })
      .Case([&](stablehlo::GatherOp gather) -> std::optional<Kernel> {
        return describeGather(gather);
      })
      .Case([&](stablehlo::ScatterOp scatter) -> std::optional<Kernel> {
        return describeScatter(scatter);
      })
      .Case([&](stablehlo::ConvolutionOp conv) -> std::optional<Kernel> {
        return describeConvolution(conv);
      })
      .Case([&](stablehlo::RngBitGeneratorOp rng) -> std::optional<Kernel> {
        return plain("partita_rng_bit_generator",
                     {static_cast<int64_t>(rng.getRngAlgorithm())});
      })
      .Case([&](stablehlo::FftOp fft) -> std::optional<Kernel> {
        return Kernel{"partita_fft",
                      [=](RuntimeDescriptor &d) mutable {
                        d.add(static_cast<int64_t>(fft.getFftType()))
                            .addList(fft.getFftLength());
                      },
                      {}};
      })
      .Case([&](stablehlo::CholeskyOp cholesky) -> std::optional<Kernel> {
        return plain("partita_cholesky", {cholesky.getLower()});
      })
      .Case([&](stablehlo::TriangularSolveOp solve) -> std::optional<Kernel> {
        int64_t transpose =
            solve.getTransposeA() == stablehlo::Transpose::ADJOINT     ? 2
            : solve.getTransposeA() == stablehlo::Transpose::TRANSPOSE ? 1
                                                                       : 0;
        return plain("partita_triangular_solve",
                     {solve.getLeftSide(), solve.getLower(),
                      solve.getUnitDiagonal(), transpose});
      })
      .Case([&](chlo::TopKOp topK) -> std::optional<Kernel> {
        return plain("partita_top_k", {static_cast<int64_t>(topK.getK())});
      })
      .Default([&](Operation *other) -> std::optional<Kernel> {
        if (auto window = describeWindow(other))
          return window;
        return describeFunction(other);
      });
}

} // namespace

FlatSymbolRefAttr LinalgEmitter::outlineBody(Region &region, StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> inputs, results;
  for (Value argument : region.getArguments())
    inputs.push_back(convertType(getElementTypeOrSelf(argument.getType())));
  for (Value result : region.front().getTerminator()->getOperands())
    results.push_back(convertType(getElementTypeOrSelf(result.getType())));
  b.setInsertionPointToEnd(module.getBody());
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, results));
  function.setPrivate();
  function->setAttr("partita.body", b.getUnitAttr());
  b.setInsertionPointToStart(function.addEntryBlock());
  FailureOr<SmallVector<Value>> values =
      emitScalarBody(b, region, function.getArguments());
  if (failed(values)) {
    function.erase();
    return nullptr;
  }
  func::ReturnOp::create(b, loc, *values);
  return FlatSymbolRefAttr::get(function.getSymNameAttr());
}

LogicalResult LinalgEmitter::emitRuntimeCall(Operation *op, bool &handled) {
  if (auto call = dyn_cast<spmd::RuntimeCallOp>(op)) {
    handled = true;
    SmallVector<Type> types =
        llvm::map_to_vector(call.getResultTypes(), convertType);
    auto copy = spmd::RuntimeCallOp::create(
        b, loc, types, call.getCalleeAttr(), get(call.getInputs()),
        llvm::map_to_vector(call.getOutputs(),
                            [&](Value output) {
                              return empty(convertTensor(output.getType()));
                            }),
        call.getDescriptorAttr(), call.getBodyAttr(),
        call.getCommunicatesAttr());
    return bind(op, copy.getResults());
  }
  std::optional<Kernel> kernel = describe(op);
  if (!kernel)
    return success();
  handled = true;
  RuntimeDescriptor descriptor(nextOp++, op->getOperandTypes(),
                               op->getResultTypes());
  kernel->words(descriptor);
  if (!descriptor.isValid())
    return refuse(op);
  SmallVector<Attribute> bodies;
  for (Region *body : kernel->bodies) {
    FlatSymbolRefAttr symbol =
        outlineBody(*body, "partita_body_" + std::to_string(nextBody++));
    if (!symbol)
      return failure();
    bodies.push_back(symbol);
  }
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), convertType);
  SmallVector<Value> outputs = llvm::map_to_vector(
      types, [&](Type type) { return empty(cast<RankedTensorType>(type)); });
  auto call = spmd::RuntimeCallOp::create(
      b, loc, types, b.getStringAttr(kernel->callee), get(op->getOperands()),
      outputs, b.getDenseI64ArrayAttr(descriptor.finish()),
      bodies.empty() ? FlatSymbolRefAttr() : cast<FlatSymbolRefAttr>(bodies[0]),
      UnitAttr());
  if (bodies.size() > 1)
    call->setAttr("second_body", bodies[1]);
  ++numRuntimeCalls;
  return bind(op, call.getResults());
}

} // namespace partita
