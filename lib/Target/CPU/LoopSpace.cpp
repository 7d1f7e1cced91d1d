// Analysis of linalg ops as loops: order, tiles, and which loops may be shared.

#include "LoopSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace partita {

Value getAddressBase(Value buffer) {
  while (Operation *definition = buffer.getDefiningOp()) {
    if (isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
            memref::CastOp, memref::ReinterpretCastOp,
            memref::ExtractStridedMetadataOp>(definition))
      buffer = definition->getOperand(0);
    else
      break;
  }
  return buffer;
}

namespace {

/// Adds `factor * expr` to a linear form; false if `expr` is none.
bool addLinear(AffineExpr expr, int64_t factor,
               SmallVectorImpl<int64_t> &coefficients, int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return true;
  }
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * value.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, coefficients, constant) &&
           addLinear(binary.getRHS(), factor, coefficients, constant);
  auto times = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && times &&
         addLinear(binary.getLHS(), factor * times.getValue(), coefficients,
                   constant);
}

bool analyzeAccess(Value operand, AffineMap map, Access &access) {
  access.buffer = access.root = operand;
  access.coefficients.assign(map.getNumDims(), 0);
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type)
    return !isa<ShapedType>(operand.getType());
  SmallVector<int64_t> strides;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, access.offset)))
    return false;
  if (ShapedType::isDynamic(access.offset)) {
    access.hasDynamicOffset = true;
    access.offset = 0;
  }
  access.root = getAddressBase(operand);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides))
    if (ShapedType::isDynamic(stride) ||
        !addLinear(expr, stride, access.coefficients, access.offset))
      return false;
  return true;
}

/// What remains a call in machine code keeps its loop from being vectorised.
bool isVectorizable(linalg::GenericOp op) {
  return !op.getBlock()
              ->walk([](Operation *nested) {
                bool isCall =
                    isa<math::AcosOp, math::AcoshOp, math::AsinOp,
                        math::AsinhOp, math::AtanhOp, math::CoshOp,
                        math::SinhOp, math::TanOp, arith::RemFOp,
                        memref::LoadOp, func::CallOp>(nested) ||
                    (isa<math::PowFOp, math::SinOp, math::CosOp>(nested) &&
                     nested->getResult(0).getType().isF64());
                return isCall ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// How badly memory is walked if `dim` is the innermost loop.
int64_t getInnermostCost(ArrayRef<Access> accesses, unsigned dim,
                         int64_t size) {
  int64_t cost = size < 4 ? 12 : size < 8 ? 4 : 0;
  for (const Access &access : accesses) {
    int64_t stride = std::abs(access.coefficients[dim]);
    int64_t weight = access.isWritten ? 2 : 1;
    cost += weight * (stride == 0 ? 0 : stride == 1 ? 1 : 8);
  }
  return cost;
}

/// The largest stride of dimension `dim` in an output, else in an input.
std::pair<int64_t, int64_t> getStrides(ArrayRef<Access> accesses,
                                       unsigned dim) {
  int64_t written = 0, read = 0;
  for (const Access &access : accesses) {
    int64_t &stride = access.isWritten ? written : read;
    stride = std::max(stride, std::abs(access.coefficients[dim]));
  }
  return {written, read};
}

/// Parallel dimensions, then reductions, each by falling stride; the one that
/// walks memory best innermost.
SmallVector<unsigned> orderDimensions(ArrayRef<Access> accesses,
                                      ArrayRef<int64_t> sizes,
                                      ArrayRef<utils::IteratorType> kinds) {
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (sizes[dim] != 1)
      order.push_back(dim);
  if (order.empty())
    return order;
  unsigned inner = order.back();
  for (unsigned dim : llvm::reverse(order))
    if (getInnermostCost(accesses, dim, sizes[dim]) <
        getInnermostCost(accesses, inner, sizes[inner]))
      inner = dim;
  llvm::erase(order, inner);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    bool reducesA = kinds[a] != utils::IteratorType::parallel;
    bool reducesB = kinds[b] != utils::IteratorType::parallel;
    if (reducesA != reducesB)
      return reducesB;
    auto stridesA = getStrides(accesses, a), stridesB = getStrides(accesses, b);
    return stridesA != stridesB ? stridesA > stridesB : a < b;
  });
  order.push_back(inner);
  return order;
}

/// The largest tile of at most 32 that divides `size`; 1 if there is none of 4
/// or more.
int64_t getTile(int64_t size) {
  for (int64_t tile = 32; tile >= 4; --tile)
    if (size % tile == 0)
      return tile;
  return 1;
}

/// Splits the loop at `position`: its inner part goes to `innerPosition`
/// (counted before the split).
void splitLoop(Statement &statement, size_t position, int64_t tile,
               size_t innerPosition) {
  Loop inner = statement.loops[position];
  Loop &outer = statement.loops[position];
  outer.size /= tile;
  outer.step *= tile;
  for (int64_t &coefficient : outer.coefficients)
    coefficient *= tile;
  inner.size = tile;
  statement.loops.insert(statement.loops.begin() + innerPosition, inner);
}

/// Where an input is contiguous along another loop than the innermost one, both
/// are cut in tiles, so that each cache line is used while it is there.
void tileTransposes(Statement &statement) {
  if (statement.loops.size() < 2 || statement.loops.back().isReduction)
    return;
  size_t last = statement.loops.size() - 1;
  for (auto [index, access] : llvm::enumerate(statement.accesses)) {
    if (std::abs(statement.loops[last].coefficients[index]) <= 1)
      continue;
    for (size_t other = 0; other < last; ++other) {
      Loop &loop = statement.loops[other];
      if (std::abs(loop.coefficients[index]) != 1 || loop.isReduction)
        continue;
      int64_t tile = getTile(loop.size);
      int64_t lastTile = getTile(statement.loops[last].size);
      if (tile == 1 || lastTile == 1 || tile == loop.size)
        return;
      if (lastTile < statement.loops[last].size) {
        splitLoop(statement, last, lastTile, last + 1);
        ++last;
      }
      splitLoop(statement, other, tile, last);
      return;
    }
  }
}

void findReduction(Statement &statement) {
  auto first = llvm::find_if(statement.loops,
                             [](const Loop &loop) { return loop.isReduction; });
  bool isNone = first == statement.loops.end();
  statement.firstReduction =
      isNone ? Statement::kNone : first - statement.loops.begin();
  statement.isInRegisters = isNone || statement.loops.back().isReduction;
  // Fusion makes outputs that are indexed by a reduction loop of another one.
  for (const Loop &loop : statement.loops)
    for (auto [index, access] : llvm::enumerate(statement.accesses))
      if (loop.isReduction && access.isWritten && loop.coefficients[index] != 0)
        statement.isInRegisters = false;
}

/// Keeps the outputs of a reduction along columns in the cache.
void tileColumns(Statement &statement) {
  constexpr int64_t limit = 2048;
  if (statement.isInRegisters || statement.loops.back().isReduction ||
      statement.loops.back().size <= limit)
    return;
  size_t last = statement.loops.size() - 1;
  Loop &inner = statement.loops[last];
  for (int64_t tile = limit; tile >= 256; --tile)
    if (inner.size % tile == 0) {
      // The tiles come outside of the reductions.
      splitLoop(statement, last, tile, last + 1);
      auto begin = statement.loops.begin();
      std::rotate(begin + statement.firstReduction, begin + last,
                  begin + last + 1);
      ++statement.firstReduction;
      return;
    }
}

} // namespace

SmallVector<Value, 0> getBodyReads(linalg::GenericOp op) {
  SmallVector<Value, 0> roots;
  op.getBlock()->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (isa<MemRefType>(operand.getType()))
        if (Value root = getAddressBase(operand);
            !llvm::is_contained(roots, root))
          roots.push_back(root);
  });
  return roots;
}

std::optional<Statement> analyze(linalg::GenericOp op) {
  Statement statement;
  statement.op = op;
  statement.bodyReads = getBodyReads(op);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands()) {
    Access &access = statement.accesses.emplace_back();
    access.isWritten = op.isDpsInit(&operand);
    if (!analyzeAccess(operand.get(), op.getMatchingIndexingMap(&operand),
                       access))
      return std::nullopt;
  }
  auto kinds = op.getIteratorTypesArray();
  for (unsigned dim : orderDimensions(statement.accesses, sizes, kinds)) {
    Loop &loop = statement.loops.emplace_back();
    loop.size = sizes[dim];
    loop.isReduction = kinds[dim] != utils::IteratorType::parallel;
    loop.dimension = dim;
    for (const Access &access : statement.accesses)
      loop.coefficients.push_back(access.coefficients[dim]);
  }
  statement.isVectorizable = isVectorizable(op);
  tileTransposes(statement);
  findReduction(statement);
  tileColumns(statement);
  return statement;
}

/// A buffer that nothing but ops on memory refers to.
static bool isPrivate(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  if (isa_and_nonnull<memref::GetGlobalOp>(root.getDefiningOp()))
    return true;
  if (!isa_and_nonnull<memref::AllocOp>(root.getDefiningOp()))
    return false;
  SmallVector<Value> views{root};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        views.push_back(user->getResult(0));
      else if (isa<RegionBranchOpInterface>(user) ||
               user->hasTrait<OpTrait::IsTerminator>())
        return false;
    }
  return true;
}

bool mayShareMemory(Value a, Value b) {
  if (a == b)
    return true;
  auto isAllocation = [](Value root) {
    return isa_and_nonnull<memref::AllocOp>(root.getDefiningOp());
  };
  if (isAllocation(a) && isAllocation(b))
    return false;
  bool isPrivateA = isPrivate(a), isPrivateB = isPrivate(b);
  if (isPrivateA && isPrivateB)
    return false;
  // Nothing else refers to a private allocation.
  return !(isPrivateA && isAllocation(a)) && !(isPrivateB && isAllocation(b));
}

/// Whether the body of `reader` reads, anywhere, what `writer` writes.
static bool readsInBody(Statement &reader, Statement &writer) {
  for (Value root : reader.bodyReads)
    for (const Access &access : writer.accesses)
      if (access.isWritten && mayShareMemory(root, access.root))
        return true;
  return false;
}

/// Calls `visit` for each pair of accesses that must keep their order. Reads of
/// bodies may be anywhere: they always are a conflict.
static bool anyConflict(Statement &a, Statement &b,
                        function_ref<bool(size_t, size_t)> visit) {
  if (readsInBody(a, b) || readsInBody(b, a))
    return true;
  for (auto [i, first] : llvm::enumerate(a.accesses))
    for (auto [j, second] : llvm::enumerate(b.accesses))
      if ((first.isWritten || second.isWritten) &&
          isa<MemRefType>(first.buffer.getType()) &&
          isa<MemRefType>(second.buffer.getType()) &&
          mayShareMemory(first.root, second.root) && visit(i, j))
        return true;
  return false;
}

bool conflict(Statement &a, Statement &b) {
  return anyConflict(a, b, [](size_t, size_t) { return true; });
}

/// Addresses, relative to the root, that an access meets in loops from `depth`.
static std::pair<int64_t, int64_t> getSpan(Statement &statement, size_t access,
                                           size_t depth) {
  int64_t low = statement.accesses[access].offset, high = low;
  for (const Loop &loop : ArrayRef(statement.loops).drop_front(depth)) {
    int64_t reach = loop.coefficients[access] * (loop.size - 1);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

/// Whether two iterations of the shared loops 0 .. depth never meet at an
/// element through access i of `a` and access j of `b`.
static bool isPerIteration(Statement &a, size_t i, Statement &b, size_t j,
                           size_t depth) {
  Access &first = a.accesses[i], &second = b.accesses[j];
  if (first.root != second.root ||
      first.hasDynamicOffset != second.hasDynamicOffset ||
      (first.hasDynamicOffset && first.buffer != second.buffer))
    return false;
  auto [lowA, highA] = getSpan(a, i, depth + 1);
  auto [lowB, highB] = getSpan(b, j, depth + 1);
  int64_t span = std::max(highA, highB) - std::min(lowA, lowB);
  SmallVector<std::pair<int64_t, int64_t>> shared;
  for (size_t at = 0; at <= depth; ++at) {
    if (a.loops[at].coefficients[i] != b.loops[at].coefficients[j])
      return false;
    shared.push_back({std::abs(a.loops[at].coefficients[i]), a.loops[at].size});
  }
  llvm::sort(shared);
  for (auto [stride, size] : shared) {
    if (stride <= span)
      return false;
    span += stride * (size - 1);
  }
  return true;
}

bool canShareLoops(Statement &a, Statement &b, size_t depth) {
  if (a.loops.size() <= depth || b.loops.size() <= depth ||
      a.loops[depth].size != b.loops[depth].size)
    return false;
  for (Statement *statement : {&a, &b})
    if (statement->loops[depth].isReduction && !statement->isInRegisters)
      return false;
  return !anyConflict(a, b, [&](size_t i, size_t j) {
    return !isPerIteration(a, i, b, j, depth);
  });
}

bool touchSameMemory(Statement &a, Statement &b, size_t depth) {
  for (auto [i, first] : llvm::enumerate(a.accesses))
    for (auto [j, second] : llvm::enumerate(b.accesses))
      if (first.root == second.root && a.loops[depth].coefficients[i] != 0 &&
          a.loops[depth].coefficients[i] == b.loops[depth].coefficients[j])
        return true;
  return false;
}

bool areMergeable(Statement &statement, size_t depth) {
  if (statement.loops.size() < depth + 2)
    return false;
  Loop &outer = statement.loops[depth], &inner = statement.loops[depth + 1];
  if (outer.isReduction != inner.isReduction)
    return false;
  bool isIndexed = false;
  statement.op.getBlock()->walk([&](linalg::IndexOp at) {
    auto dim = static_cast<int64_t>(at.getDim());
    isIndexed |= dim == outer.dimension || dim == inner.dimension;
  });
  if (isIndexed)
    return false;
  return llvm::all_of(
      llvm::zip_equal(outer.coefficients, inner.coefficients), [&](auto pair) {
        return std::get<0>(pair) == std::get<1>(pair) * inner.size;
      });
}

void mergeLoops(Statement &statement, size_t depth) {
  Loop &outer = statement.loops[depth], &inner = statement.loops[depth + 1];
  inner.size *= outer.size;
  inner.dimension = -1;
  statement.loops.erase(statement.loops.begin() + depth);
  if (statement.firstReduction != Statement::kNone &&
      statement.firstReduction > depth + 1)
    --statement.firstReduction;
}

} // namespace partita
