// Point-to-point ops and feeds, between the programs of one run: send and recv
// meet in a queue per channel, infeed takes what the test provides, outfeed
// drops what it gets.
#include "Interpreter.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partita;

static int64_t getChannel(Operation *op) {
  return op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle")
      .getHandle();
}

/// Binds the token, which is the last result.
static void bindToken(Operation *op, Frame &frame, unsigned device) {
  Value token = op->getResults().back();
  frame.at(token, device) = Tensor::token(token.getType());
}

static LogicalResult evaluateSend(Interpreter &interpreter, Operation *op,
                                  Frame &frame, ArrayRef<unsigned> active) {
  auto &queue = interpreter.mailboxes.channels[getChannel(op)];
  for (unsigned device : active) {
    SmallVector<Tensor> values;
    for (Value operand : op->getOperands().drop_back())
      values.push_back(frame.at(operand, device));
    queue.push_back(std::move(values));
    bindToken(op, frame, device);
  }
  return success();
}

/// Fails unless `values` fit the results of `op` but the token.
static LogicalResult bindReceived(Operation *op, Frame &frame, unsigned device,
                                  ArrayRef<Tensor> values) {
  bindToken(op, frame, device);
  if (values.size() + 1 != op->getNumResults())
    return op->emitError() << "takes " << op->getNumResults() - 1
                           << " values, but is given " << values.size();
  for (auto [result, value] : llvm::zip(op->getResults(), values)) {
    if (value.getType() != result.getType())
      return op->emitError()
             << "takes a value of type " << result.getType()
             << ", but is given one of type " << value.getType();
    frame.at(result, device) = value;
  }
  return success();
}

static LogicalResult evaluateRecv(Interpreter &interpreter, Operation *op,
                                  Frame &frame, ArrayRef<unsigned> active) {
  int64_t channel = getChannel(op);
  Mailboxes &boxes = interpreter.mailboxes;
  auto &queue = boxes.channels[channel];
  for (unsigned device : active) {
    if (queue.empty() && boxes.canWait) {
      boxes.waitsFor = channel;
      return failure();
    }
    if (queue.empty()) {
      InFlightDiagnostic diag = op->emitError()
                                << "nothing was sent on channel " << channel;
      diag.attachNote() << "fix: run the sender and the receiver by one "
                           "interpreter.run_parallel";
      return failure();
    }
    SmallVector<Tensor> values = std::move(queue.front());
    queue.pop_front();
    if (failed(bindReceived(op, frame, device, values)))
      return failure();
  }
  return success();
}

static LogicalResult evaluateInfeed(Interpreter &interpreter, Operation *op,
                                    Frame &frame, ArrayRef<unsigned> active) {
  std::deque<Tensor> &infeed = interpreter.mailboxes.infeed;
  size_t count = op->getNumResults() - 1;
  for (unsigned device : active) {
    if (infeed.size() < count) {
      InFlightDiagnostic diag = op->emitError()
                                << "takes " << count << " values, but "
                                << infeed.size() << " are left to feed in";
      diag.attachNote() << "fix: name a function for each infeed in "
                           "interpreter.run_parallel";
      return failure();
    }
    SmallVector<Tensor> values(infeed.begin(), infeed.begin() + count);
    infeed.erase(infeed.begin(), infeed.begin() + count);
    if (failed(bindReceived(op, frame, device, values)))
      return failure();
  }
  return success();
}

static LogicalResult evaluateOutfeed(Interpreter &, Operation *op, Frame &frame,
                                     ArrayRef<unsigned> active) {
  for (unsigned device : active)
    bindToken(op, frame, device);
  return success();
}

void partita::registerChannelKernels(KernelTable &table) {
  table.add("stablehlo.send", evaluateSend);
  table.add("stablehlo.recv", evaluateRecv);
  table.add("stablehlo.infeed", evaluateInfeed);
  table.add("stablehlo.outfeed", evaluateOutfeed);
}
