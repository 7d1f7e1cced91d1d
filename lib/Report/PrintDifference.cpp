// Two plans side by side: totals, layouts of the signature, groups of
// collectives.
#include "partita/Report/Plan.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mlir;

namespace partita {
namespace {

/// Equal collectives of one plan.
struct Share {
  int64_t count = 0, bytes = 0;
  std::string reason;
};

/// In a and in b.
struct Pair {
  Share a, b;
  int64_t getDifference() const { return b.bytes - a.bytes; }
};

} // namespace

static std::string printSigned(double bytes) {
  return (bytes < 0 ? "-" : "+") + printBytes(std::abs(bytes));
}

static void printTotal(StringRef what, int64_t a, int64_t b, bool isBytes,
                       raw_ostream &os) {
  auto print = [&](int64_t value) {
    return isBytes ? printBytes(double(value)) : std::to_string(value);
  };
  os << llvm::formatv("{0,-12} {1,14} {2,14}", what, print(a), print(b));
  if (a != b)
    os << llvm::formatv("  {0}",
                        isBytes ? printSigned(double(b - a))
                                : (b > a ? "+" : "") + std::to_string(b - a));
  os << "\n";
}

static void printPorts(ArrayRef<PlanPort> a, ArrayRef<PlanPort> b,
                       raw_ostream &os) {
  for (size_t i = 0, e = std::max(a.size(), b.size()); i < e; ++i) {
    if (i >= a.size() || i >= b.size()) {
      os << (i >= a.size() ? "only b has " + b[i].name
                           : "only a has " + a[i].name)
         << "\n";
      continue;
    }
    std::string before = printLayout(a[i].sharding),
                after = printLayout(b[i].sharding);
    if (before != after || a[i].global != b[i].global)
      os << a[i].name << ": " << before << " -> " << after << ", " << a[i].local
         << " -> " << b[i].local << " per device\n";
  }
}

void printDifference(const Plan &a, const Plan &b, raw_ostream &os) {
  os << llvm::formatv("{0,-12} {1,14} {2,14}\n", "", "a", "b");
  printTotal("sent", a.sentBytes, b.sentBytes, true, os);
  printTotal("peak", a.peakBytes, b.peakBytes, true, os);
  printTotal("launches", a.launches, b.launches, false, os);
  os << llvm::formatv("{0,-12} {1,14} {2,14}\n", "time",
                      printSeconds(a.seconds), printSeconds(b.seconds));
  printPorts(a.arguments, b.arguments, os);
  printPorts(a.results, b.results, os);
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, Pair> groups;
  auto collect = [&](const Plan &plan, Share Pair::*side) {
    for (const PlanCollective &collective : plan.collectives) {
      Share &share =
          groups[{collective.kind, collective.axes, collective.types}].*side;
      share.count += collective.trips;
      share.bytes += collective.getBytes();
      if (share.reason.empty())
        share.reason = collective.reason.summary;
    }
  };
  collect(a, &Pair::a);
  collect(b, &Pair::b);
  std::vector<std::pair<Key, Pair>> changed;
  for (auto &entry : groups)
    if (entry.second.a.count != entry.second.b.count ||
        entry.second.getDifference() != 0)
      changed.push_back(entry);
  llvm::sort(changed, [](const auto &left, const auto &right) {
    int64_t l = std::abs(left.second.getDifference());
    int64_t r = std::abs(right.second.getDifference());
    return l != r ? l > r : left.first < right.first;
  });
  for (const auto &[key, pair] : changed) {
    const auto &[kind, axes, types] = key;
    os << printSigned(double(pair.getDifference())) << ": " << pair.a.count
       << " -> " << pair.b.count << " x " << kind << " over " << axes << ", "
       << types << "\n";
    const std::string &reason =
        pair.b.count > pair.a.count ? pair.b.reason : pair.a.reason;
    if (!reason.empty())
      os << "    " << reason << "\n";
  }
  if (changed.empty())
    os << "the same collectives\n";
}

} // namespace partita
