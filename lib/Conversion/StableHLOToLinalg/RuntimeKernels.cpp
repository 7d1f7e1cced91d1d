// Which kernel of the runtime an op is, and what its descriptor says.

#include "ElementStorage.h"
#include "RuntimeKernel.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/CustomCalls.h"
#include "dialects/StableHLO/ReductionBody.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partita/Support/ComplexFunctions.h"
#include "partita/Support/Lapack.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita {
namespace {

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
  bool isNarrow = llvm::any_of(body.getArgumentTypes(), [](Type type) {
    return isNarrowFloat(getElementTypeOrSelf(type));
  });
  for (unsigned i = 0; i < count; ++i) {
    auto found = count == 1 ? stablehlo::matchReductionBody(body)
                            : stablehlo::matchReductionBody(body, i);
    if (!found || (kind && *kind != *found)) {
      kind = std::nullopt;
      break;
    }
    kind = found;
  }
  if (kind && !isNarrow)
    return static_cast<int64_t>(*kind);
  Operation *terminator = body.front().getTerminator();
  for (unsigned i = 0; i < count; ++i)
    if (terminator->getOperand(i) != body.getArgument(count + i))
      return PARTITA_BODY;
  return PARTITA_SET;
}

std::optional<RuntimeKernel> describeWindow(Operation *op) {
  if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    int64_t rank = window.getWindowDimensions().size();
    int64_t reduction = getReduction(window.getBody(), op->getNumResults());
    RuntimeKernel kernel{
        "partita_reduce_window",
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
    kernel.narrowFloats = NarrowFloats::AsBits;
    return kernel;
  }
  auto scatter = dyn_cast<stablehlo::SelectAndScatterOp>(op);
  if (!scatter)
    return std::nullopt;
  int64_t rank =
      cast<RankedTensorType>(scatter.getOperand().getType()).getRank();
  return RuntimeKernel{
      "partita_select_and_scatter",
      [=](RuntimeDescriptor &d) mutable {
        d.addList(listOr(scatter.getWindowDimensions(), rank, 1))
            .addList(listOr(scatter.getWindowStrides(), rank, 1))
            .addList(elements(scatter.getPadding(), 2 * rank));
      },
      {&op->getRegion(0), &op->getRegion(1)},
      NarrowFloats::AsBits};
}

RuntimeKernel describeConvolution(stablehlo::ConvolutionOp conv) {
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

RuntimeKernel describeGather(stablehlo::GatherOp gather) {
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
          {},
          NarrowFloats::AsBits};
}

RuntimeKernel describeScatter(stablehlo::ScatterOp scatter) {
  Region &body = scatter->getRegion(0);
  int64_t reduction = getReduction(body, scatter->getNumResults());
  RuntimeKernel kernel{"partita_scatter",
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
  kernel.narrowFloats = NarrowFloats::AsBits;
  return kernel;
}

/// A kernel whose words are numbers.
RuntimeKernel makePlain(StringRef callee, SmallVector<int64_t> words) {
  return RuntimeKernel{callee,
                       [=](RuntimeDescriptor &d) {
                         for (int64_t word : words)
                           d.add(word);
                       },
                       {}};
}

/// Functions of complex numbers.
std::optional<RuntimeKernel> describeComplexFunction(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  StringRef name = op->getName().stripDialect();
  int64_t function = findComplexFunction({name.data(), name.size()});
  if (!type || !isa<ComplexType>(type.getElementType()) || function < 0 ||
      getNumComplexOperands(function) != op->getNumOperands() ||
      llvm::any_of(op->getOperandTypes(),
                   [&](Type operand) { return operand != type; }))
    return std::nullopt;
  return makePlain("partita_elementwise", {function});
}

/// A call that nobody here can run ends the run once it is reached. Only where
/// that need not happen: libraries put callbacks that raise errors into
/// branches. Elsewhere it is refused at once.
std::optional<RuntimeKernel> describeUnknownCall(stablehlo::CustomCallOp call) {
  bool isInBranch = call->getParentOfType<stablehlo::IfOp>() ||
                    call->getParentOfType<stablehlo::CaseOp>();
  if (!isInBranch || call->getNumResults() == 0)
    return std::nullopt;
  StringRef target = call.getCallTargetName();
  SmallVector<int64_t> letters(target.begin(), target.end());
  RuntimeKernel kernel{"partita_unknown_call",
                       [=](RuntimeDescriptor &d) { d.addList(letters); },
                       {}};
  kernel.hasEffect = call.getHasSideEffect();
  return kernel;
}

/// Custom calls, and rng, whose shape operand the result type repeats.
std::optional<RuntimeKernel> describeCall(Operation *op) {
  if (auto rng = dyn_cast<stablehlo::RngOp>(op)) {
    bool isNormal =
        rng.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
    RuntimeKernel kernel = makePlain("partita_rng", {isNormal});
    kernel.operands = SmallVector<unsigned>{0, 1};
    return kernel;
  }
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  if (!call)
    return std::nullopt;
  StringRef target = call.getCallTargetName();
  int64_t routine = findLapackRoutine({target.data(), target.size()});
  if (routine < 0)
    return describeUnknownCall(call);
  return makePlain("partita_lapack",
                   {routine, stablehlo::getLapackOptions(call).pack()});
}

/// Pointwise functions without a form in the math dialect.
std::optional<RuntimeKernel> describeFunction(Operation *op) {
  auto function =
      llvm::StringSwitch<std::optional<int64_t>>(op->getName().getStringRef())
          .Case("chlo.erf_inv", PARTITA_ERF_INV)
          .Case("chlo.lgamma", PARTITA_LGAMMA)
          .Case("chlo.digamma", PARTITA_DIGAMMA)
          .Case("chlo.bessel_i1e", PARTITA_BESSEL_I1E)
          .Case("chlo.polygamma", PARTITA_POLYGAMMA)
          .Case("chlo.zeta", PARTITA_ZETA)
          .Case("chlo.next_after", PARTITA_NEXT_AFTER)
          .Default(std::nullopt);
  if (!function)
    return std::nullopt;
  return makePlain("partita_elementwise", {*function});
}

} // namespace

std::optional<RuntimeKernel> describeKernel(Operation *op) {
  return TypeSwitch<Operation *, std::optional<RuntimeKernel>>(op)
      .Case([&](stablehlo::DotGeneralOp dot) -> std::optional<RuntimeKernel> {
        return RuntimeKernel{"partita_dot_general",
                             [=](RuntimeDescriptor &d) mutable {
                               auto n = dot.getDotDimensionNumbers();
                               d.addList(n.getLhsBatchingDimensions())
                                   .addList(n.getRhsBatchingDimensions())
                                   .addList(n.getLhsContractingDimensions())
                                   .addList(n.getRhsContractingDimensions());
                             },
                             {}};
      })
      .Case([&](stablehlo::DotOp dot) -> std::optional<RuntimeKernel> {
        int64_t last =
            cast<RankedTensorType>(dot.getLhs().getType()).getRank() - 1;
        return RuntimeKernel{"partita_dot_general",
                             [=](RuntimeDescriptor &d) {
                               ArrayRef<int64_t> none;
                               d.addList(none).addList(none);
                               d.addList(ArrayRef<int64_t>{last});
                               d.addList(ArrayRef<int64_t>{0});
                             },
                             {}};
      })
      .Case([&](chlo::RaggedDotOp dot) -> std::optional<RuntimeKernel> {
        return RuntimeKernel{
            "partita_ragged_dot",
            [=](RuntimeDescriptor &d) mutable {
              auto n = dot.getRaggedDotDimensionNumbers();
              d.addList(n.getLhsBatching())
                  .addList(n.getRhsBatching())
                  .addList(n.getLhsContracting())
                  .addList(n.getRhsContracting())
                  .add(n.getLhsRagged()[0])
                  .add(n.getRhsGroup().empty() ? -1 : n.getRhsGroup()[0]);
            },
            {}};
      })
      .Case([&](stablehlo::SortOp sort) -> std::optional<RuntimeKernel> {
        RuntimeKernel kernel = makePlain(
            "partita_sort",
            {static_cast<int64_t>(sort.getDimension()), sort.getIsStable()});
        kernel.bodies.push_back(&sort->getRegion(0));
        kernel.narrowFloats = NarrowFloats::AsBits;
        return kernel;
      })
      .Case([&](stablehlo::GatherOp gather) -> std::optional<RuntimeKernel> {
        return describeGather(gather);
      })
      .Case([&](stablehlo::ScatterOp scatter) -> std::optional<RuntimeKernel> {
        return describeScatter(scatter);
      })
      .Case([&](stablehlo::ConvolutionOp conv) -> std::optional<RuntimeKernel> {
        return describeConvolution(conv);
      })
      .Case([&](stablehlo::RngBitGeneratorOp rng)
                -> std::optional<RuntimeKernel> {
        return makePlain("partita_rng_bit_generator",
                         {static_cast<int64_t>(rng.getRngAlgorithm())});
      })
      .Case([&](stablehlo::FftOp fft) -> std::optional<RuntimeKernel> {
        return RuntimeKernel{"partita_fft",
                             [=](RuntimeDescriptor &d) mutable {
                               d.add(static_cast<int64_t>(fft.getFftType()))
                                   .addList(fft.getFftLength());
                             },
                             {}};
      })
      .Case(
          [&](stablehlo::CholeskyOp cholesky) -> std::optional<RuntimeKernel> {
            return makePlain("partita_cholesky", {cholesky.getLower()});
          })
      .Case([&](stablehlo::TriangularSolveOp solve)
                -> std::optional<RuntimeKernel> {
        int64_t transpose =
            solve.getTransposeA() == stablehlo::Transpose::ADJOINT     ? 2
            : solve.getTransposeA() == stablehlo::Transpose::TRANSPOSE ? 1
                                                                       : 0;
        return makePlain("partita_triangular_solve",
                         {solve.getLeftSide(), solve.getLower(),
                          solve.getUnitDiagonal(), transpose});
      })
      .Case([&](chlo::TopKOp topK) -> std::optional<RuntimeKernel> {
        return makePlain("partita_top_k", {static_cast<int64_t>(topK.getK())});
      })
      .Default([&](Operation *other) -> std::optional<RuntimeKernel> {
        for (auto describe : {describeWindow, describeCall,
                              describeComplexFunction, describeFunction})
          if (std::optional<RuntimeKernel> kernel = describe(other))
            return kernel;
        return std::nullopt;
      });
}

} // namespace partita
