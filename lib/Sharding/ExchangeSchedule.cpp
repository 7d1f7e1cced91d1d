// Who sends what to whom in an exchange, and in which rounds. Senders are
// chosen among the replicas of a block, largest messages first, each by the
// least loaded holder. Rounds are translations of mesh coordinates where those
// are as few as an edge colouring of the transfer graph, else that colouring.
#include "partita/Sharding/ExchangeSchedule.h"
#include "LiveDevices.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace partita;

namespace {

/// Beyond this size an exchange is not listed for its price, but estimated.
constexpr size_t maxPricedTransfers = 4096;
constexpr size_t maxColourTable = size_t(1) << 22;

/// Transfer between live devices.
struct LiveTransfer {
  int32_t source = 0, target = 0;
  int32_t block = 0; ///< linear index of the source block
  int32_t order = 0; ///< in which it was found
  int64_t elements = 0;
};

class Exchange {
public:
  Exchange(const LiveDevices &devices, const Layout &from, const Layout &to,
           llvm::ArrayRef<int64_t> shape,
           llvm::ArrayRef<ExchangeInterval> intervals)
      : devices(devices), shape(shape), intervals(intervals) {
    const AxisAtoms &atoms = devices.getAtoms();
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t k = getShardCount(atoms, from, d);
      counts.push_back(k);
      sizes.push_back(std::max<int64_t>(1, ceilDiv(shape[d], k)));
    }
    fromBlocks.resize(shape.size());
    toBlocks.resize(shape.size());
    for (size_t d = 0; d < shape.size(); ++d) {
      devices.getBlocks(from.dims[d], fromBlocks[d]);
      devices.getBlocks(to.dims[d], toBlocks[d]);
    }
  }

  /// Global indices that live device `v` reads along dimension `d`.
  IndexInterval getNeeded(int64_t v, size_t d) const {
    const ExchangeInterval &interval = intervals[d];
    int64_t begin = interval.base + toBlocks[d][v] * interval.step;
    return {std::clamp<int64_t>(begin, 0, shape[d]),
            std::clamp<int64_t>(begin + interval.length, 0, shape[d])};
  }

  /// Part of it in block `block` of dimension `d`.
  IndexInterval getPart(int64_t v, size_t d, int64_t block) const {
    IndexInterval needed = getNeeded(v, d);
    return {std::max(needed.begin, block * sizes[d]),
            std::min(needed.end, (block + 1) * sizes[d])};
  }

  /// Elements that the listed device `v` needs and does not hold.
  double getMissing(int64_t v) const {
    double needed = 1, held = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      needed *= double(getNeeded(v, d).size());
      held *= double(getPart(v, d, fromBlocks[d][v]).size());
    }
    return needed - held;
  }

  /// Lists what every device needs; false if that is more than `limit`.
  bool collect(size_t limit);
  void chooseSources();
  void colour();
  /// Most transfers that a device sends or receives; as many rounds suffice.
  int64_t getLargestDegree() const;

  llvm::SmallVector<int64_t, 4> counts, sizes;
  std::vector<LiveTransfer> transfers;
  /// Round of each transfer.
  std::vector<int32_t> rounds;
  llvm::SmallVector<int64_t> largest; ///< elements, per round
  int64_t maxSent = 0, maxReceived = 0;

private:
  bool addTarget(int32_t v, size_t limit);
  int64_t getHeldBlock(int64_t v) const {
    int64_t linear = 0;
    for (size_t d = 0; d < counts.size(); ++d)
      linear = linear * counts[d] + fromBlocks[d][v];
    return linear;
  }
  int32_t colourByTranslation(std::vector<int32_t> &colours) const;
  int32_t colourByMatching(std::vector<int32_t> &colours) const;

  const LiveDevices &devices;
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<ExchangeInterval> intervals;
  llvm::SmallVector<std::vector<int32_t>, 4> fromBlocks, toBlocks;
};

/// Lists the blocks that `v` needs and does not hold.
bool Exchange::addTarget(int32_t v, size_t limit) {
  size_t rank = shape.size();
  llvm::SmallVector<int64_t, 4> first(rank), last(rank), block(rank);
  for (size_t d = 0; d < rank; ++d) {
    IndexInterval needed = getNeeded(v, d);
    if (needed.size() == 0)
      return true;
    first[d] = needed.begin / sizes[d];
    last[d] = (needed.end - 1) / sizes[d];
  }
  block.assign(first.begin(), first.end());
  int64_t held = getHeldBlock(v);
  while (true) {
    int64_t linear = 0, elements = 1;
    for (size_t d = 0; d < rank; ++d) {
      linear = linear * counts[d] + block[d];
      elements *= getPart(v, d, block[d]).size();
    }
    if (linear != held) {
      if (transfers.size() >= limit)
        return false;
      transfers.push_back({0, v, int32_t(linear), 0, elements});
    }
    size_t d = rank;
    while (d > 0 && block[d - 1] == last[d - 1]) {
      --d;
      block[d] = first[d];
    }
    if (d == 0)
      return true;
    ++block[d - 1];
  }
}

bool Exchange::collect(size_t limit) {
  for (int32_t v = 0; v < devices.size(); ++v)
    if (!addTarget(v, limit))
      return false;
  // The order found is kept among equals: it makes the choice deterministic.
  for (size_t i = 0; i < transfers.size(); ++i)
    transfers[i].order = int32_t(i);
  llvm::sort(transfers, [](const LiveTransfer &a, const LiveTransfer &b) {
    return a.elements != b.elements ? a.elements > b.elements
                                    : a.order < b.order;
  });
  return true;
}

void Exchange::chooseSources() {
  int64_t numBlocks = 1;
  for (int64_t count : counts)
    numBlocks *= count;
  std::vector<std::vector<int32_t>> holders(numBlocks);
  std::vector<int32_t> rank(devices.size());
  for (int32_t v = 0; v < devices.size(); ++v) {
    auto &list = holders[getHeldBlock(v)];
    rank[v] = int32_t(list.size());
    list.push_back(v);
  }
  std::vector<int64_t> sent(devices.size()), received(devices.size());
  for (LiveTransfer &transfer : transfers) {
    const auto &list = holders[transfer.block];
    size_t best = rank[transfer.target] % list.size();
    for (size_t i = 0; i < list.size(); ++i) {
      size_t candidate = (rank[transfer.target] + i) % list.size();
      if (sent[list[candidate]] < sent[list[best]])
        best = candidate;
    }
    transfer.source = list[best];
    sent[transfer.source] += transfer.elements;
    received[transfer.target] += transfer.elements;
  }
  for (int32_t v = 0; v < devices.size(); ++v) {
    maxSent = std::max(maxSent, sent[v]);
    maxReceived = std::max(maxReceived, received[v]);
  }
}

/// One round per difference of coordinates. Returns the number of rounds.
int32_t Exchange::colourByTranslation(std::vector<int32_t> &colours) const {
  llvm::DenseMap<int64_t, int32_t> seen;
  colours.resize(transfers.size());
  for (size_t i = 0; i < transfers.size(); ++i) {
    int64_t offset =
        devices.getDifference(transfers[i].source, transfers[i].target);
    colours[i] = seen.try_emplace(offset, int32_t(seen.size())).first->second;
  }
  return int32_t(seen.size());
}

int64_t Exchange::getLargestDegree() const {
  std::vector<int32_t> degree(2 * devices.size());
  for (const LiveTransfer &transfer : transfers) {
    ++degree[transfer.source];
    ++degree[devices.size() + transfer.target];
  }
  return *std::max_element(degree.begin(), degree.end());
}

/// Edge colouring of the bipartite graph senders x receivers with as many
/// colours as the largest degree (alternating paths). Returns their number, or
/// -1 when the table would be too large.
int32_t Exchange::colourByMatching(std::vector<int32_t> &colours) const {
  size_t count = devices.size();
  size_t width = getLargestDegree();
  if (width * 2 * count > maxColourTable)
    return -1;
  // at[vertex * width + colour]: the transfer of that colour at the vertex.
  std::vector<int32_t> at(2 * count * width, -1);
  auto findFree = [&](size_t vertex) {
    size_t colour = 0;
    while (at[vertex * width + colour] >= 0)
      ++colour;
    return colour;
  };
  colours.assign(transfers.size(), -1);
  auto getEnds = [&](int32_t edge) {
    return std::make_pair(size_t(transfers[edge].source),
                          count + size_t(transfers[edge].target));
  };
  for (size_t i = 0; i < transfers.size(); ++i) {
    auto [u, w] = getEnds(int32_t(i));
    size_t a = findFree(u), b = findFree(w);
    if (a != b && at[w * width + a] >= 0) {
      // Swap a and b along the path that leaves w with colour a; it never
      // reaches u, where a is free.
      llvm::SmallVector<int32_t> path;
      size_t vertex = w, colour = a;
      while (at[vertex * width + colour] >= 0) {
        int32_t edge = at[vertex * width + colour];
        path.push_back(edge);
        auto [s, t] = getEnds(edge);
        vertex = vertex == s ? t : s;
        colour = colour == a ? b : a;
      }
      for (int32_t edge : path) {
        auto [s, t] = getEnds(edge);
        at[s * width + colours[edge]] = at[t * width + colours[edge]] = -1;
      }
      for (int32_t edge : path) {
        auto [s, t] = getEnds(edge);
        colours[edge] = colours[edge] == int32_t(a) ? int32_t(b) : int32_t(a);
        at[s * width + colours[edge]] = at[t * width + colours[edge]] = edge;
      }
    }
    colours[i] = int32_t(a);
    at[u * width + a] = at[w * width + a] = int32_t(i);
  }
  return int32_t(width);
}

void Exchange::colour() {
  if (transfers.empty())
    return;
  std::vector<int32_t> matched;
  int32_t count = colourByTranslation(rounds);
  int32_t matchedCount = colourByMatching(matched);
  if (matchedCount >= 0 && matchedCount < count) {
    rounds = std::move(matched);
    count = matchedCount;
  }
  largest.assign(count, 0);
  for (size_t i = 0; i < transfers.size(); ++i)
    largest[rounds[i]] = std::max(largest[rounds[i]], transfers[i].elements);
}

} // namespace

/// Bytes through the busiest device, and its messages.
namespace {
struct Traffic {
  double elements = 0;
  int64_t rounds = 0;
};
} // namespace

/// Even reshards in closed form: all blocks divide, so that every device needs
/// equally many equal pieces, and the holders of a block share its readers
/// evenly. Where blocks do not nest, some device holds no piece that it needs.
static std::optional<Traffic>
getEvenTraffic(const AxisAtoms &atoms, const Layout &from, const Layout &to,
               llvm::ArrayRef<int64_t> shape,
               llvm::ArrayRef<ExchangeInterval> intervals) {
  if (atoms.hasAlternatives())
    return std::nullopt;
  bool nested = true;
  double elements = 1, pieces = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    const AtomList &x = from.dims[d], &y = to.dims[d];
    int64_t a = atoms.getSize(x), b = atoms.getSize(y), n = shape[d];
    int64_t large = std::max(a, b), small = std::min(a, b);
    bool isReshard = intervals[d].base == 0 && intervals[d].step == n / b &&
                     intervals[d].length == n / b;
    if (!isReshard || n == 0 || n % large != 0 || large % small != 0)
      return std::nullopt;
    nested &= std::equal(x.begin(), x.begin() + std::min(x.size(), y.size()),
                         y.begin());
    elements *= double(n / b);
    pieces *= double(std::max<int64_t>(1, a / b));
  }
  if (nested)
    return Traffic{elements * (pieces - 1) / pieces, int64_t(pieces) - 1};
  return Traffic{elements, int64_t(pieces)};
}

/// Takes the axes off dimensions in which every device keeps its own block: a
/// dimension of one block's size remains.
static void dropKeptDims(const AxisAtoms &atoms, Layout &from, Layout &to,
                         Shape &shape,
                         llvm::ArrayRef<ExchangeInterval> intervals) {
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t block = ceilDiv(shape[d], getShardCount(atoms, from, d));
    if (from.dims[d] != to.dims[d] ||
        !(intervals[d] == ExchangeInterval{0, block, block}))
      continue;
    from.dims[d].clear();
    to.dims[d].clear();
    shape[d] = block;
  }
}

/// Rounds of an exchange of borders that takes one dimension after the other:
/// corners travel in two steps, as many elements as by themselves. Another
/// exchange has no such rounds.
static std::optional<int64_t>
getHaloRounds(const AxisAtoms &atoms, const Layout &from, const Layout &to,
              llvm::ArrayRef<int64_t> shape,
              llvm::ArrayRef<ExchangeInterval> intervals) {
  int64_t rounds = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (from.dims[d] != to.dims[d])
      return std::nullopt;
    if (from.dims[d].empty())
      continue;
    int64_t block = ceilDiv(shape[d], getShardCount(atoms, from, d));
    int64_t begin = intervals[d].base, end = begin + intervals[d].length;
    if (intervals[d].step != block || block == 0)
      return std::nullopt;
    rounds += ceilDiv(end, block) - floorDiv(begin, block);
    if (begin < block && end > 0)
      --rounds;
  }
  return rounds;
}

CollectiveCost
partita::priceExchange(const AxisAtoms &atoms, const CostModel &model,
                       const Layout &fromLayout, const Layout &toLayout,
                       llvm::ArrayRef<int64_t> globalShape,
                       llvm::ArrayRef<ExchangeInterval> intervals,
                       unsigned elementBits, bool countsResult) {
  Layout from = fromLayout, to = toLayout;
  Shape fromShape(globalShape.begin(), globalShape.end());
  dropKeptDims(atoms, from, to, fromShape, intervals);
  AtomMask live = from.getSharded() | to.getSharded();
  auto traffic = getEvenTraffic(atoms, from, to, fromShape, intervals);
  double missing = 0;
  if (!traffic) {
    LiveDevices devices(atoms, live, maxPricedDevices);
    Exchange exchange(devices, from, to, fromShape, intervals);
    if (devices.listsAll() && exchange.collect(maxPricedTransfers)) {
      exchange.chooseSources();
      traffic =
          Traffic{double(std::max(exchange.maxSent, exchange.maxReceived)),
                  exchange.getLargestDegree()};
    }
    for (int64_t v = 0; !traffic && v < devices.getNumListed(); ++v)
      missing = std::max(missing, exchange.getMissing(v));
  }
  double result = 1, pieces = 1;
  for (size_t d = 0; d < fromShape.size(); ++d) {
    int64_t block = std::max<int64_t>(
        1, ceilDiv(fromShape[d], getShardCount(atoms, from, d)));
    result *= double(intervals[d].length);
    pieces *= double(ceilDiv(intervals[d].length, block));
  }
  // Too large to list: each device receives all that it needs and lacks.
  if (!traffic)
    traffic = Traffic{missing, int64_t(std::clamp<double>(pieces, 1, 65536))};
  if (auto rounds = getHaloRounds(atoms, from, to, fromShape, intervals))
    traffic->rounds = std::min(traffic->rounds, *rounds);
  double bytes = elementBits / 8.0;
  return model.getRoundsCost(traffic->elements * bytes,
                             countsResult ? result * bytes : 0, traffic->rounds,
                             getGroup(atoms, live));
}

ExchangeSchedule
partita::scheduleExchange(const AxisAtoms &atoms, const Layout &from,
                          const Layout &to, llvm::ArrayRef<int64_t> fromShape,
                          llvm::ArrayRef<ExchangeInterval> intervals) {
  ExchangeSchedule schedule;
  AtomMask live = from.getSharded() | to.getSharded();
  LiveDevices devices(atoms, live, INT64_MAX);
  Exchange exchange(devices, from, to, fromShape, intervals);
  exchange.collect(SIZE_MAX);
  exchange.chooseSources();
  exchange.colour();
  schedule.sentElements = exchange.maxSent;
  schedule.receivedElements = exchange.maxReceived;
  schedule.rounds.resize(exchange.largest.size());

  // Every setting of the remaining axes repeats the pattern: positions with the
  // same number, in order, belong to successive settings.
  std::vector<llvm::SmallVector<int64_t, 1>> positions(devices.size());
  int64_t numPositions = atoms.getMesh().getNumDevices();
  for (int64_t position = 0; position < numPositions; ++position)
    positions[devices.getNumber(position)].push_back(position);
  for (size_t i = 0; i < exchange.transfers.size(); ++i) {
    const LiveTransfer &live = exchange.transfers[i];
    Transfer transfer;
    transfer.elements = live.elements;
    transfer.box.resize(fromShape.size());
    int64_t block = live.block;
    for (size_t d = fromShape.size(); d-- > 0;) {
      transfer.box[d] =
          exchange.getPart(live.target, d, block % exchange.counts[d]);
      block /= exchange.counts[d];
    }
    for (size_t r = 0; r < positions[live.source].size(); ++r) {
      transfer.source = positions[live.source][r];
      transfer.target = positions[live.target][r];
      schedule.rounds[exchange.rounds[i]].push_back(transfer);
    }
  }
  return schedule;
}
