// spmd.exchange as collective permutes. Halos, and what lies past an end, are
// in HaloExchange.cpp. All else is the rounds of a schedule: each device looks
// up, by its position in the mesh, which box it sends and where the box that it
// gets belongs; boxes of one round travel in buffers of one size.

#include "CollectiveConverter.h"
#include "dialects/StableHLO/ZeroElements.h"
#include "partita/Sharding/ExchangeSchedule.h"
#include "partita/Sharding/IntervalFetch.h"
#include "partita/Sharding/SPMDConversion.h"

using namespace mlir;

namespace partita {
namespace {

/// Where a box lies in the sender's and in the receiver's buffer.
struct Boxes {
  /// Per mesh position, per dimension; empty for a device without a box.
  SmallVector<SmallVector<int32_t>> sendStart, receiveStart, receiveSize;
  SmallVector<int64_t> message;

  Boxes(int64_t positions, int64_t rank)
      : sendStart(positions), receiveStart(positions), receiveSize(positions),
        message(rank, 0) {}

  bool isEmpty() const { return llvm::is_contained(message, 0); }

  /// Gives devices without a box values that other devices have, so that tables
  /// hold few different ones. A size of 0 in the first dimension is enough to
  /// receive nothing.
  void fill() {
    auto fillTable = [](SmallVector<SmallVector<int32_t>> &table) {
      auto used =
          llvm::find_if(table, [](const auto &row) { return !row.empty(); });
      SmallVector<int32_t> common = *used;
      for (auto &row : table)
        if (row.empty())
          row = common;
    };
    for (auto &row : receiveSize)
      if (row.empty()) {
        row.assign(message.begin(), message.end());
        if (!row.empty())
          row.front() = 0;
      }
    fillTable(sendStart);
    fillTable(receiveStart);
  }
};

/// What an exchange moves, in numbers.
class ExchangePlan {
public:
  ExchangePlan(const AxisAtoms &atoms, Layout from, Layout to,
               ArrayRef<int64_t> shape, ArrayRef<ExchangeInterval> intervals)
      : atoms(atoms), from(std::move(from)), to(std::move(to)), shape(shape),
        intervals(intervals) {}

  void add(Boxes &boxes, int64_t source, int64_t target,
           ArrayRef<IndexInterval> box) const {
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t held =
          getHeldInterval(atoms, from, dim, shape[dim], source).begin;
      boxes.sendStart[source].push_back(box[dim].begin - held);
      boxes.receiveStart[target].push_back(box[dim].begin -
                                           wanted(dim, target).begin);
      boxes.receiveSize[target].push_back(box[dim].size());
      boxes.message[dim] = std::max(boxes.message[dim], box[dim].size());
    }
  }

  /// What a device keeps of its own.
  SmallVector<IndexInterval, 4> ownBox(int64_t position) const {
    SmallVector<IndexInterval, 4> box;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      IndexInterval held =
          getHeldInterval(atoms, from, dim, shape[dim], position);
      IndexInterval want = wanted(dim, position);
      box.push_back(
          {std::max(held.begin, want.begin), std::min(held.end, want.end)});
    }
    return box;
  }

private:
  IndexInterval wanted(size_t dim, int64_t position) const {
    int64_t begin =
        intervals[dim].base +
        getBlockIndex(atoms, to.dims[dim], position) * intervals[dim].step;
    return {begin, begin + intervals[dim].length};
  }

  const AxisAtoms &atoms;
  Layout from, to;
  ArrayRef<int64_t> shape;
  ArrayRef<ExchangeInterval> intervals;
};

/// Numbers of a device that a table may depend on.
struct DeviceIndex {
  int64_t stride, size;
};

/// Emits one round into a result buffer.
class RoundEmitter {
public:
  RoundEmitter(OpBuilder &b, Location loc, Value position, spmd::MeshAttr mesh)
      : b(b), loc(loc), position(position), positions(mesh.getNumDevices()) {
    int64_t stride = positions;
    for (spmd::MeshAxisAttr axis : mesh.getAxes()) {
      stride /= axis.getSize();
      indices.push_back({stride, axis.getSize()});
    }
    indices.push_back({1, positions});
  }

  /// The box that this device sends, in a buffer of the message's shape.
  Value cut(Value source, const Boxes &boxes) {
    return slice(pad(source, boxes.sendStart, boxes.message),
                 lookUp(boxes.sendStart), boxes.message);
  }

  /// Writes the valid part of `box` into `result`.
  Value paste(Value result, Value box, const Boxes &boxes) {
    auto type = cast<RankedTensorType>(result.getType());
    auto boxType = cast<RankedTensorType>(box.getType());
    Value mask = makeMask(boxType, boxes);
    if (!mask && boxType == type)
      return box;
    Value padded = pad(result, boxes.receiveStart, boxes.message);
    SmallVector<Value> starts = lookUp(boxes.receiveStart);
    if (mask)
      box = stablehlo::SelectOp::create(b, loc, boxType, mask, box,
                                        slice(padded, starts, boxes.message));
    Value updated = stablehlo::DynamicUpdateSliceOp::create(
        b, loc, padded.getType(), padded, box, starts);
    if (updated.getType() == type)
      return updated;
    SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
    return stablehlo::SliceOp::create(
        b, loc, type, updated, b.getDenseI64ArrayAttr(zeros),
        b.getDenseI64ArrayAttr(type.getShape()), b.getDenseI64ArrayAttr(ones));
  }

private:
  Value slice(Value value, ArrayRef<Value> starts, ArrayRef<int64_t> sizes) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getShape() == sizes)
      return value;
    return stablehlo::DynamicSliceOp::create(b, loc, type.clone(sizes), value,
                                             starts,
                                             b.getDenseI64ArrayAttr(sizes));
  }

  /// Which elements of a box are valid; null: all on every device.
  Value makeMask(RankedTensorType boxType, const Boxes &boxes) {
    auto indexType = boxType.clone(b.getI32Type());
    Value mask;
    for (int64_t dim = 0; dim < boxType.getRank(); ++dim) {
      SmallVector<int32_t> sizes = getColumn(boxes.receiveSize, dim);
      if (llvm::all_of(
              sizes, [&](int32_t size) { return size == boxes.message[dim]; }))
        continue;
      Value index = stablehlo::IotaOp::create(b, loc, indexType,
                                              b.getI64IntegerAttr(dim));
      Value limit = stablehlo::BroadcastInDimOp::create(
          b, loc, indexType, lookUpColumn(sizes), b.getDenseI64ArrayAttr({}));
      Value inside = stablehlo::CompareOp::create(
          b, loc, indexType.clone(b.getI1Type()), index, limit,
          stablehlo::ComparisonDirection::LT, stablehlo::ComparisonTypeAttr());
      mask = mask ? stablehlo::AndOp::create(b, loc, mask, inside) : inside;
    }
    return mask;
  }

  /// Room behind each dimension in which a box may reach past the end, so that
  /// no slice is clamped.
  Value pad(Value value, ArrayRef<SmallVector<int32_t>> starts,
            ArrayRef<int64_t> message) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    SmallVector<int64_t> high(shape.size(), 0);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      for (const auto &row : starts)
        high[dim] =
            std::max<int64_t>(high[dim], row[dim] + message[dim] - shape[dim]);
    return padBehind(b, loc, value, high);
  }

  static SmallVector<int32_t> getColumn(ArrayRef<SmallVector<int32_t>> table,
                                        int64_t dim) {
    SmallVector<int32_t> column;
    for (const auto &row : table)
      column.push_back(row[dim]);
    return column;
  }

  /// This device's row of a table, as scalars.
  SmallVector<Value> lookUp(ArrayRef<SmallVector<int32_t>> table) {
    SmallVector<Value> row;
    for (size_t dim = 0; dim < table.front().size(); ++dim)
      row.push_back(lookUpColumn(getColumn(table, dim)));
    return row;
  }

  /// This device's entry. A column that is constant or changes a few times
  /// along an axis is computed, so that the program does not grow with the
  /// mesh.
  Value lookUpColumn(ArrayRef<int32_t> column) {
    for (DeviceIndex index : indices)
      if (auto runs = getRuns(column, index))
        return select(*runs, index);
    auto scalar = RankedTensorType::get({}, b.getI32Type());
    Value values = stablehlo::ConstantOp::create(
        b, loc,
        DenseIntElementsAttr::get(
            RankedTensorType::get({positions}, b.getI32Type()), column));
    Value entry = stablehlo::DynamicSliceOp::create(
        b, loc, RankedTensorType::get({1}, b.getI32Type()), values,
        ValueRange(position), b.getDenseI64ArrayAttr({1}));
    return stablehlo::ReshapeOp::create(b, loc, scalar, entry);
  }

  /// (first index, value) of each run, if the column depends on the index alone
  /// and has few.
  using Runs = SmallVector<std::pair<int64_t, int32_t>>;
  static std::optional<Runs> getRuns(ArrayRef<int32_t> column,
                                     DeviceIndex index) {
    constexpr size_t kMostRuns = 4;
    SmallVector<int32_t> values(index.size);
    for (auto [place, value] : llvm::enumerate(column)) {
      int64_t i = place / index.stride % index.size;
      if (place < static_cast<size_t>(index.stride * index.size) &&
          place % index.stride == 0)
        values[i] = value;
      if (values[i] != value)
        return std::nullopt;
    }
    Runs runs;
    for (auto [i, value] : llvm::enumerate(values))
      if (runs.empty() || runs.back().second != value)
        runs.push_back({i, value});
    if (runs.size() > kMostRuns)
      return std::nullopt;
    return runs;
  }

  Value select(ArrayRef<std::pair<int64_t, int32_t>> runs, DeviceIndex index) {
    auto constant = [&](int64_t value) {
      return emitScalar(b, loc, value, b.getI32Type());
    };
    Value result = constant(runs.front().second);
    if (runs.size() == 1)
      return result;
    Value coordinate =
        emitDigit(b, loc, position, index.stride, index.size, positions);
    for (auto [first, value] : runs.drop_front()) {
      Value isPast = stablehlo::CompareOp::create(
          b, loc, RankedTensorType::get({}, b.getI1Type()), coordinate,
          emitScalar(b, loc, first, getElementTypeOrSelf(coordinate.getType())),
          stablehlo::ComparisonDirection::GE, stablehlo::ComparisonTypeAttr());
      result = stablehlo::SelectOp::create(b, loc, result.getType(), isPast,
                                           constant(value), result);
    }
    return result;
  }

  OpBuilder &b;
  Location loc;
  Value position;
  int64_t positions;
  SmallVector<DeviceIndex> indices;
};

} // namespace

LogicalResult CollectiveConverter::convertExchange(spmd::ExchangeOp op) {
  FailureOr<Value> result = failure();
  auto intervals = op.getIntervals().getAsRange<spmd::IntervalAttr>();
  auto other = llvm::find_if(intervals, [](spmd::IntervalAttr interval) {
    return interval.getOutside() != spmd::Outside::Zero;
  });
  int64_t dim = std::distance(intervals.begin(), other);
  if (other == intervals.end())
    result = exchangeOrZero(op);
  else if ((*other).getOutside() == spmd::Outside::Wrap)
    result = exchangeRows(op, op.getInput(), dim, /*wraps=*/true);
  else
    result = exchangeAndRepeatEdges(op, dim);
  if (failed(result))
    return failure();
  op.getResult().replaceAllUsesWith(*result);
  return success();
}

FailureOr<Value> CollectiveConverter::exchangeOrZero(spmd::ExchangeOp op) {
  spmd::MeshAttr mesh = getMesh(op.getMeshName());
  if (Value halo = exchangeHalo(op))
    return halo;
  auto atoms = buildAtoms(mesh, {op.getFrom(), op.getTo()});
  auto from = atoms ? getLayout(*atoms, op.getFrom()) : std::nullopt;
  auto to = atoms ? getLayout(*atoms, op.getTo()) : std::nullopt;
  if (!from || !to) {
    InFlightDiagnostic diagnostic =
        op.emitOpError("uses sub-axes that cannot be split into common parts");
    diagnostic.attachNote() << "fix: use sub-axes that divide the mesh axis "
                               "into the same parts";
    return diagnostic;
  }
  SmallVector<ExchangeInterval> intervals;
  for (auto interval : op.getIntervals().getAsRange<spmd::IntervalAttr>())
    intervals.push_back(getBlockInterval(interval));
  int64_t positions = mesh.getNumDevices(), rank = intervals.size();
  ExchangePlan plan(*atoms, *from, *to, op.getFromShape(), intervals);
  ExchangeSchedule schedule =
      scheduleExchange(*atoms, *from, *to, op.getFromShape(), intervals);

  RoundEmitter emitter(b, loc, emitPosition(mesh), mesh);
  auto resultType = cast<RankedTensorType>(op.getResult().getType());
  Value result = stablehlo::ConstantOp::create(
      b, loc, stablehlo::getZeroElements(resultType));
  Boxes own(positions, rank);
  for (int64_t position = 0; position < positions; ++position) {
    SmallVector<IndexInterval, 4> box = plan.ownBox(position);
    if (llvm::all_of(box, [](IndexInterval part) { return part.size() > 0; }))
      plan.add(own, position, position, box);
  }
  if (!own.isEmpty()) {
    own.fill();
    result = emitter.paste(result, emitter.cut(op.getInput(), own), own);
  }
  SmallVector<int64_t> order = mesh.getDeviceOrder();
  for (const auto &round : schedule.rounds) {
    Boxes boxes(positions, rank);
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (const Transfer &transfer : round) {
      plan.add(boxes, transfer.source, transfer.target, transfer.box);
      pairs.push_back(
          order.empty()
              ? std::make_pair(transfer.source, transfer.target)
              : std::make_pair(order[transfer.source], order[transfer.target]));
    }
    if (pairs.empty() || boxes.isEmpty())
      continue;
    boxes.fill();
    ++numRounds;
    Value box = permute(emitter.cut(op.getInput(), boxes), pairs);
    result = emitter.paste(result, box, boxes);
  }
  return result;
}

} // namespace partita
