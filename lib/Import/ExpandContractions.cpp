// einsum as dot_general, sums and a transpose; torch_index_select as a gather.

#include "Expansions.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/ZeroElements.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita {
namespace {

/// One label per dimension. Letters name themselves; the dimensions under an
/// ellipsis have labels from 256, aligned at the right.
using Labels = SmallVector<int>;

/// Labels of a term for a tensor of `rank`; none if they don't fit, or if one
/// names two dimensions.
std::optional<Labels> readTerm(StringRef term, int64_t rank) {
  Labels labels;
  int64_t letters = llvm::count_if(term, llvm::isAlpha);
  while (!term.empty()) {
    if (term.consume_front("...")) {
      for (int64_t under = rank - letters; under > 0; --under)
        labels.push_back(256 + under);
    } else if (llvm::isAlpha(term.front())) {
      labels.push_back(term.front());
      term = term.drop_front();
    } else if (term.front() == ' ') {
      term = term.drop_front();
    } else {
      return std::nullopt;
    }
  }
  if (static_cast<int64_t>(labels.size()) != rank)
    return std::nullopt;
  for (auto [i, label] : llvm::enumerate(labels))
    if (llvm::is_contained(ArrayRef(labels).drop_front(i + 1), label))
      return std::nullopt;
  return labels;
}

int64_t indexOf(ArrayRef<int> labels, int label) {
  return llvm::find(labels, label) - labels.begin();
}

/// A tensor whose dimensions have labels.
struct Term {
  Value value;
  Labels labels;

  RankedTensorType type() const {
    return cast<RankedTensorType>(value.getType());
  }
};

/// Sums over the dimensions whose label is neither in `a` nor in `b`.
void sumOthers(OpBuilder &b, Location loc, Term &term, ArrayRef<int> kept,
               ArrayRef<int> alsoKept) {
  SmallVector<int64_t> dims, shape;
  Labels labels;
  for (auto [dim, label] : llvm::enumerate(term.labels)) {
    if (llvm::is_contained(kept, label) ||
        llvm::is_contained(alsoKept, label)) {
      labels.push_back(label);
      shape.push_back(term.type().getDimSize(dim));
    } else {
      dims.push_back(dim);
    }
  }
  if (dims.empty())
    return;
  Type element = term.type().getElementType();
  auto scalarType = RankedTensorType::get({}, element);
  Value zero = stablehlo::ConstantOp::create(
      b, loc, stablehlo::getZeroElements(scalarType));
  auto reduce = stablehlo::ReduceOp::create(
      b, loc, TypeRange{RankedTensorType::get(shape, element)},
      ValueRange{term.value}, ValueRange{zero}, dims);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&reduce.getBody(), {}, {scalarType, scalarType},
                                {loc, loc});
    Value total = stablehlo::AddOp::create(b, loc, body->getArgument(0),
                                           body->getArgument(1));
    stablehlo::ReturnOp::create(b, loc, total);
  }
  term = {reduce.getResult(0), labels};
}

/// The term with its dimensions in the order of `wanted`.
Value reorder(OpBuilder &b, Location loc, const Term &term,
              ArrayRef<int> wanted, Type type) {
  if (ArrayRef<int>(term.labels) == wanted)
    return term.value;
  SmallVector<int64_t> permutation;
  for (int label : wanted)
    permutation.push_back(indexOf(term.labels, label));
  return stablehlo::TransposeOp::create(b, loc, type, term.value, permutation);
}

/// The product of two terms; labels that `wanted` lacks are contracted.
Term multiply(OpBuilder &b, Location loc, const Term &lhs, const Term &rhs,
              ArrayRef<int> wanted, Type element) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract, shape;
  Labels labels;
  auto keep = [&](const Term &term, int64_t dim) {
    labels.push_back(term.labels[dim]);
    shape.push_back(term.type().getDimSize(dim));
  };
  for (auto [dim, label] : llvm::enumerate(lhs.labels)) {
    if (!llvm::is_contained(rhs.labels, label))
      continue;
    bool isBatch = llvm::is_contained(wanted, label);
    (isBatch ? lhsBatch : lhsContract).push_back(dim);
    (isBatch ? rhsBatch : rhsContract).push_back(indexOf(rhs.labels, label));
    if (isBatch)
      keep(lhs, dim);
  }
  for (const Term *term : {&lhs, &rhs})
    for (auto [dim, label] : llvm::enumerate(term->labels))
      if (!llvm::is_contained(term == &lhs ? rhs.labels : lhs.labels, label))
        keep(*term, dim);
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(
      b.getContext(), lhsBatch, rhsBatch, lhsContract, rhsContract);
  Value dot = stablehlo::DotGeneralOp::create(
      b, loc, RankedTensorType::get(shape, element), lhs.value, rhs.value,
      numbers, /*precision_config=*/nullptr, /*algorithm=*/nullptr);
  return {dot, labels};
}

/// `value` as the term of an einsum.
std::optional<Term> readOperand(StringRef text, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  std::optional<Labels> labels = readTerm(text, type.getRank());
  if (!labels)
    return std::nullopt;
  return Term{value, *labels};
}

/// True if equal labels name equal sizes, and `wanted` only known labels.
bool areConsistent(const Term &a, const Term &b, ArrayRef<int> wanted) {
  for (auto [dim, label] : llvm::enumerate(a.labels))
    if (llvm::is_contained(b.labels, label) &&
        a.type().getDimSize(dim) !=
            b.type().getDimSize(indexOf(b.labels, label)))
      return false;
  return llvm::all_of(wanted, [&](int label) {
    return llvm::is_contained(a.labels, label) ||
           llvm::is_contained(b.labels, label);
  });
}

} // namespace

std::optional<Replacements> expandEinsum(Operation *op, OpBuilder &b) {
  if (!isa<stablehlo::EinsumOp, stablehlo::UnaryEinsumOp>(op))
    return std::nullopt;
  Location loc = op->getLoc();
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto [inputs, output] =
      op->getAttrOfType<StringAttr>("einsum_config").getValue().split("->");
  auto [lhsText, rhsText] = inputs.split(',');
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  std::optional<Labels> wanted = readTerm(output, type.getRank());
  std::optional<Term> lhs = readOperand(lhsText, op->getOperand(0));
  bool isUnary = isa<stablehlo::UnaryEinsumOp>(op);
  std::optional<Term> rhs = isUnary ? Term{op->getOperand(0), {}}
                                    : readOperand(rhsText, op->getOperand(1));
  if (!wanted || !lhs || !rhs || (isUnary && !rhsText.empty()) ||
      !areConsistent(*lhs, *rhs, *wanted))
    return std::nullopt;
  sumOthers(b, loc, *lhs, *wanted, rhs->labels);
  if (isUnary)
    return Replacements{reorder(b, loc, *lhs, *wanted, type)};
  sumOthers(b, loc, *rhs, *wanted, lhs->labels);
  Term product = multiply(b, loc, *lhs, *rhs, *wanted, type.getElementType());
  return Replacements{reorder(b, loc, product, *wanted, type)};
}

std::optional<Replacements> expandIndexSelect(Operation *op, OpBuilder &b) {
  auto select = dyn_cast<stablehlo::TorchIndexSelectOp>(op);
  if (!select)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(select.getOperand().getType());
  auto indexType = dyn_cast<RankedTensorType>(select.getIndex().getType());
  auto resultType = dyn_cast<RankedTensorType>(select.getResult().getType());
  int64_t dim = select.getDim(), batches = select.getBatchDims();
  if (!type || !indexType || !resultType || !type.hasStaticShape() ||
      !indexType.hasStaticShape() || dim < batches || batches < 0 ||
      dim >= type.getRank() || batches > indexType.getRank())
    return std::nullopt;
  int64_t indexRank = indexType.getRank() - batches;
  SmallVector<int64_t> offsets, sizes, batchDims;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool isWhole = i >= batches && i != dim;
    sizes.push_back(isWhole ? type.getDimSize(i) : 1);
    if (isWhole)
      offsets.push_back(i < dim ? i : i - 1 + indexRank);
    if (i < batches)
      batchDims.push_back(i);
  }
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      b.getContext(), offsets, {dim}, batchDims, batchDims, {dim},
      indexType.getRank());
  return Replacements{stablehlo::GatherOp::create(
                          b, op->getLoc(), resultType, select.getOperand(),
                          select.getIndex(), numbers,
                          b.getDenseI64ArrayAttr(sizes), b.getBoolAttr(false))
                          ->getResult(0)};
}

} // namespace partita
