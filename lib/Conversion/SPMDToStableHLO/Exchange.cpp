// spmd.exchange as collective permutes: the rounds of its schedule. Each device
// looks up, by its position in the mesh, which box it sends and where the box
// that it gets belongs; boxes of one round travel in buffers of one size.

#include "CollectiveConverter.h"
#include "partita/Sharding/ExchangeSchedule.h"
#include "partita/Sharding/SPMDConversion.h"

using namespace mlir;

namespace partita {
namespace {

/// Where a box lies in the sender's and in the receiver's buffer.
struct Boxes {
  /// Per mesh position, per dimension. A size of 0: nothing.
  SmallVector<SmallVector<int32_t>> sendStart, receiveStart, receiveSize;
  SmallVector<int64_t> message;

  Boxes(int64_t positions, int64_t rank)
      : sendStart(positions, SmallVector<int32_t>(rank, 0)),
        receiveStart(sendStart), receiveSize(sendStart), message(rank, 0) {}
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
      boxes.sendStart[source][dim] = box[dim].begin - held;
      boxes.receiveStart[target][dim] = box[dim].begin - wanted(dim, target).begin;
      boxes.receiveSize[target][dim] = box[dim].size();
      boxes.message[dim] = std::max(boxes.message[dim], box[dim].size());
    }
  }

  /// What a device keeps of its own.
  SmallVector<IndexInterval, 4> ownBox(int64_t position) const {
    SmallVector<IndexInterval, 4> box;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      IndexInterval held = getHeldInterval(atoms, from, dim, shape[dim], position);
      IndexInterval want = wanted(dim, position);
      box.push_back({std::max(held.begin, want.begin),
                     std::min(held.end, want.end)});
    }
    return box;
  }

private:
  IndexInterval wanted(size_t dim, int64_t position) const {
    int64_t begin = intervals[dim].base +
                    getBlockIndex(atoms, to.dims[dim], position) *
                        intervals[dim].step;
    return {begin, begin + intervals[dim].length};
  }

  const AxisAtoms &atoms;
  Layout from, to;
  ArrayRef<int64_t> shape;
  ArrayRef<ExchangeInterval> intervals;
};

/// Emits one round into a result buffer.
class RoundEmitter {
public:
  RoundEmitter(OpBuilder &b, Location loc, Value position, int64_t positions)
      : b(b), loc(loc), position(position), positions(positions) {}

  /// The box that this device sends, in a buffer of the message's shape.
  Value cut(Value source, const Boxes &boxes) {
    auto type = cast<RankedTensorType>(source.getType());
    Value padded = pad(source, boxes.message);
    return stablehlo::DynamicSliceOp::create(
        b, loc, type.clone(boxes.message), padded, lookUp(boxes.sendStart),
        b.getDenseI64ArrayAttr(boxes.message));
  }

  /// Writes the valid part of `box` into `result`.
  Value paste(Value result, Value box, const Boxes &boxes) {
    auto type = cast<RankedTensorType>(result.getType());
    auto boxType = cast<RankedTensorType>(box.getType());
    Value padded = pad(result, boxes.message);
    SmallVector<Value> starts = lookUp(boxes.receiveStart);
    SmallVector<Value> sizes = lookUp(boxes.receiveSize);
    Value old = stablehlo::DynamicSliceOp::create(
        b, loc, boxType, padded, starts, b.getDenseI64ArrayAttr(boxes.message));
    auto indexType = boxType.clone(b.getI32Type());
    Value mask;
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      Value index =
          stablehlo::IotaOp::create(b, loc, indexType, b.getI64IntegerAttr(dim));
      Value limit = stablehlo::BroadcastInDimOp::create(
          b, loc, indexType, size, b.getDenseI64ArrayAttr({}));
      Value inside = stablehlo::CompareOp::create(
          b, loc, indexType.clone(b.getI1Type()), index, limit,
          stablehlo::ComparisonDirection::LT, stablehlo::ComparisonTypeAttr());
      mask = mask ? stablehlo::AndOp::create(b, loc, mask, inside) : inside;
    }
    Value merged =
        stablehlo::SelectOp::create(b, loc, boxType, mask, box, old);
    Value updated = stablehlo::DynamicUpdateSliceOp::create(
        b, loc, padded.getType(), padded, merged, starts);
    SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
    return stablehlo::SliceOp::create(b, loc, type, updated,
                                      b.getDenseI64ArrayAttr(zeros),
                                      b.getDenseI64ArrayAttr(type.getShape()),
                                      b.getDenseI64ArrayAttr(ones));
  }

private:
  /// Room for a message behind each dimension, so that no slice is clamped.
  Value pad(Value value, ArrayRef<int64_t> high) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> zeros(type.getRank(), 0), shape(type.getShape());
    for (auto [dim, extra] : llvm::enumerate(high))
      shape[dim] += extra;
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value zero = stablehlo::ConstantOp::create(
        b, loc, cast<ElementsAttr>(b.getZeroAttr(scalar)));
    return stablehlo::PadOp::create(b, loc, type.clone(shape), value, zero,
                                    b.getDenseI64ArrayAttr(zeros),
                                    b.getDenseI64ArrayAttr(high),
                                    b.getDenseI64ArrayAttr(zeros));
  }

  /// This device's row of a table, as scalars.
  SmallVector<Value> lookUp(ArrayRef<SmallVector<int32_t>> table) {
    auto scalar = RankedTensorType::get({}, b.getI32Type());
    SmallVector<Value> row;
    for (size_t dim = 0; dim < table.front().size(); ++dim) {
      SmallVector<int32_t> column;
      for (const auto &entries : table)
        column.push_back(entries[dim]);
      if (llvm::all_equal(column)) {
        row.push_back(stablehlo::ConstantOp::create(
            b, loc, DenseIntElementsAttr::get(scalar, column.front())));
        continue;
      }
      Value values = stablehlo::ConstantOp::create(
          b, loc,
          DenseIntElementsAttr::get(
              RankedTensorType::get({positions}, b.getI32Type()), column));
      Value entry = stablehlo::DynamicSliceOp::create(
          b, loc, RankedTensorType::get({1}, b.getI32Type()), values,
          ValueRange(position), b.getDenseI64ArrayAttr({1}));
      row.push_back(stablehlo::ReshapeOp::create(b, loc, scalar, entry));
    }
    return row;
  }

  OpBuilder &b;
  Location loc;
  Value position;
  int64_t positions;
};

} // namespace

LogicalResult CollectiveConverter::convertExchange(spmd::ExchangeOp op) {
  spmd::MeshAttr mesh = getMesh(op.getMeshName());
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
    intervals.push_back(
        {interval.getBase(), interval.getStep(), interval.getLength()});
  int64_t positions = mesh.getNumDevices(), rank = intervals.size();
  ExchangePlan plan(*atoms, *from, *to, op.getFromShape(), intervals);
  ExchangeSchedule schedule =
      scheduleExchange(*atoms, *from, *to, op.getFromShape(), intervals);

  RoundEmitter emitter(b, loc, emitPosition(mesh), positions);
  auto resultType = cast<RankedTensorType>(op.getResult().getType());
  Value result = stablehlo::ConstantOp::create(
      b, loc, cast<ElementsAttr>(b.getZeroAttr(resultType)));
  auto isEmpty = [](const Boxes &boxes) {
    return llvm::is_contained(boxes.message, 0);
  };
  Boxes own(positions, rank);
  for (int64_t position = 0; position < positions; ++position) {
    SmallVector<IndexInterval, 4> box = plan.ownBox(position);
    if (llvm::all_of(box, [](IndexInterval part) { return part.size() > 0; }))
      plan.add(own, position, position, box);
  }
  if (!isEmpty(own))
    result = emitter.paste(result, emitter.cut(op.getInput(), own), own);
  SmallVector<int64_t> order = mesh.getDeviceOrder();
  for (const auto &round : schedule.rounds) {
    Boxes boxes(positions, rank);
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (const Transfer &transfer : round) {
      plan.add(boxes, transfer.source, transfer.target, transfer.box);
      pairs.push_back(order.empty()
                          ? std::make_pair(transfer.source, transfer.target)
                          : std::make_pair(order[transfer.source],
                                           order[transfer.target]));
    }
    if (pairs.empty() || isEmpty(boxes))
      continue;
    ++numRounds;
    Value box = permute(emitter.cut(op.getInput(), boxes), pairs);
    result = emitter.paste(result, box, boxes);
  }
  op.getResult().replaceAllUsesWith(result);
  return success();
}

} // namespace partita
