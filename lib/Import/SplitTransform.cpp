// A transform of several dimensions as transforms of one dimension each, with
// transposes in between: between those, placement moves the axes of the
// dimension that comes next to one that waits, several axes in one all-to-all.

#include "Movements.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita {
namespace {

using stablehlo::FftType;

/// A value whose dimensions stand in another order than the op's.
class Transformer {
public:
  Transformer(OpBuilder &b, stablehlo::FftOp op)
      : b(b), loc(op.getLoc()), value(op.getOperand()),
        sharding(spmd::getSharding(value)) {
    order = llvm::to_vector(llvm::seq<int64_t>(
        0, cast<RankedTensorType>(value.getType()).getRank()));
  }

  /// Transforms dimension `dim` of the op.
  void transform(int64_t dim, FftType type, int64_t length) {
    SmallVector<int64_t> next(order);
    std::swap(*llvm::find(next, dim), next.back());
    arrange(next);
    auto from = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(from.getShape());
    Type element = from.getElementType();
    if (type == FftType::RFFT) {
      shape.back() = length / 2 + 1;
      element = ComplexType::get(element);
    } else if (type == FftType::IRFFT) {
      shape.back() = length;
      element = cast<ComplexType>(element).getElementType();
    }
    value = withSharding(
        stablehlo::FftOp::create(b, loc, RankedTensorType::get(shape, element),
                                 value, type, ArrayRef<int64_t>{length}),
        getArranged());
  }

  Value finish() {
    SmallVector<int64_t> sorted(order);
    llvm::sort(sorted);
    arrange(sorted);
    return value;
  }

private:
  /// The op's sharding with the dimensions in their present order.
  spmd::ShardingAttr getArranged() const {
    SmallVector<spmd::DimShardingAttr> dims;
    for (int64_t dim : order)
      dims.push_back(sharding.getDims()[dim]);
    return spmd::ShardingAttr::get(b.getContext(), sharding.getMesh(), dims,
                                   sharding.getReplicated(), {},
                                   sharding.getReductionKind());
  }

  void arrange(ArrayRef<int64_t> next) {
    if (next == ArrayRef<int64_t>(order))
      return;
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> permutation, shape;
    for (int64_t dim : next) {
      permutation.push_back(llvm::find(order, dim) - order.begin());
      shape.push_back(type.getDimSize(permutation.back()));
    }
    order.assign(next.begin(), next.end());
    value = withSharding(stablehlo::TransposeOp::create(
                             b, loc, type.clone(shape), value, permutation),
                         getArranged());
  }

  OpBuilder &b;
  Location loc;
  Value value;
  spmd::ShardingAttr sharding;
  /// By place, the op's dimension that stands there.
  SmallVector<int64_t> order;
};

} // namespace

Value splitTransform(Operation *op, OpBuilder &b) {
  auto fft = dyn_cast<stablehlo::FftOp>(op);
  if (!fft || fft.getFftLength().size() < 2 ||
      !spmd::getSharding(fft.getOperand()))
    return {};
  int64_t rank = cast<RankedTensorType>(fft.getOperand().getType()).getRank();
  int64_t batch = rank - fft.getFftLength().size();
  bool isSharded = false;
  for (int64_t dim = batch; dim < rank; ++dim)
    isSharded |= isDimSharded(fft.getOperand(), dim) ||
                 isDimSharded(fft.getResult(), dim);
  if (!isSharded)
    return {};
  FftType type = fft.getFftType();
  FftType inner = type == FftType::RFFT    ? FftType::FFT
                  : type == FftType::IRFFT ? FftType::IFFT
                                           : type;
  // The last dimension is the real one: first forwards, last backwards. A
  // complex transform back undoes one forwards in the reverse order, so that
  // both want the same dimension whole where they meet.
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(batch, rank));
  if (type == FftType::RFFT || type == FftType::FFT)
    std::reverse(dims.begin(), dims.end());
  Transformer transformer(b, fft);
  for (int64_t dim : dims)
    transformer.transform(dim, dim == rank - 1 ? type : inner,
                          fft.getFftLength()[dim - batch]);
  return withSharding(transformer.finish(), spmd::getSharding(fft.getResult()));
}

} // namespace partita
