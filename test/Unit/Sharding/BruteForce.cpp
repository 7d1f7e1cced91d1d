// Exhaustive search over all layouts with all collectives.
#include "BruteForce.h"
#include "partita/Sharding/ExchangeSchedule.h"
#include <limits>

using namespace partita;
using namespace partita::test;

static void enumerate(const AxisAtoms &atoms, Layout &layout, size_t dim,
                      AtomMask used, AtomMask partial,
                      std::unordered_map<Layout, unsigned, LayoutHash> &seen,
                      std::vector<Layout> &result) {
  if (dim == layout.getRank()) {
    AtomMask free = partial & ~used;
    for (AtomMask mask = free;; mask = (mask - 1) & free) {
      Layout one = layout;
      one.unreduced = mask;
      if (seen.try_emplace(canonicalize(atoms, one), 0).second)
        result.push_back(canonicalize(atoms, one));
      if (mask == 0)
        return;
    }
  }
  enumerate(atoms, layout, dim + 1, used, partial, seen, result);
  for (AtomId atom = 0; atom < atoms.size(); ++atom) {
    if (used & atomBit(atom))
      continue;
    layout.dims[dim].push_back(atom);
    enumerate(atoms, layout, dim, used | atoms.getOverlap(atom), partial, seen,
              result);
    layout.dims[dim].pop_back();
  }
}

std::vector<Layout> test::getAllLayouts(const AxisAtoms &atoms, size_t rank,
                                        AtomMask partial) {
  std::unordered_map<Layout, unsigned, LayoutHash> seen;
  std::vector<Layout> result;
  Layout layout(rank);
  enumerate(atoms, layout, 0, 0, partial, seen, result);
  return result;
}

BruteForce::BruteForce(const AxisAtoms &atoms, llvm::ArrayRef<int64_t> shape,
                       AtomMask partial, const CostModel &model)
    : atoms(atoms), shape(shape.begin(), shape.end()), model(model),
      layouts(getAllLayouts(atoms, shape.size(), partial)) {
  for (unsigned i = 0; i < layouts.size(); ++i)
    indices[layouts[i]] = i;
  edges.resize(layouts.size());
  for (unsigned i = 0; i < layouts.size(); ++i)
    addEdges(i);
}

/// Elements of a buffer.
double BruteForce::getLocal(const Layout &layout) const {
  double product = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t k = atoms.getSize(layout.dims[d]);
    product *= double((shape[d] + k - 1) / k);
  }
  return product;
}

/// Every block of the dimension over `outer` shards is the union, in place, of
/// the blocks over outer*inner shards.
bool BruteForce::mayNest(size_t dim, int64_t outer, int64_t inner) const {
  int64_t n = shape[dim];
  int64_t large = (n + outer - 1) / outer;
  int64_t small = (n + outer * inner - 1) / (outer * inner);
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t j = 0; j < inner; ++j)
      for (int64_t e = 0; e < small; ++e) {
        int64_t fine = (i * inner + j) * small + e;
        if (fine < n && fine != i * large + j * small + e)
          return false;
        if (fine < n && fine >= (i + 1) * large)
          return false;
      }
  return true;
}

void BruteForce::addEdge(unsigned source, const Layout &target, double bytes) {
  Layout canonical = canonicalize(atoms, target);
  auto known = indices.find(canonical);
  if (known != indices.end() && known->second != source)
    edges[source].push_back({known->second, bytes});
}

/// Every combination of suffixes of the dimensions is gathered or, where the
/// first device of a group has the only index, broadcast.
void BruteForce::addGathers(unsigned source, Layout layout, size_t dim,
                            double group, bool isOwned) {
  if (dim == layout.getRank()) {
    if (group > 1)
      addEdge(source, layout,
              getLocal(layouts[source]) * (isOwned ? 1 : group - 1));
    return;
  }
  addGathers(source, layout, dim + 1, group, isOwned);
  int64_t inner = 1;
  while (!layout.dims[dim].empty()) {
    inner *= atoms.getSize(layout.dims[dim].back());
    layout.dims[dim].pop_back();
    int64_t outer = atoms.getSize(layout.dims[dim]);
    if (mayNest(dim, outer, inner))
      addGathers(source, layout, dim + 1, group * double(inner),
                 isOwned && shape[dim] <= outer);
  }
}

/// Every way to append free atoms (slice) or unreduced ones (reduce-scatter).
void BruteForce::addSlices(unsigned source, Layout layout, size_t dim,
                           double factor, AtomMask scattered) {
  const Layout &before = layouts[source];
  if (dim == layout.getRank()) {
    double group = double(atoms.getSize(scattered));
    // `factor` is the size of the padded operand.
    addEdge(source, layout, factor * (group - 1) / group);
    return;
  }
  auto extend = [&](auto &self, Layout current, AtomMask taken) -> void {
    int64_t outer = atoms.getSize(before.dims[dim]);
    int64_t inner = atoms.getSize(current.dims[dim]) / outer;
    int64_t local = (shape[dim] + outer * inner - 1) / (outer * inner) * inner;
    if (mayNest(dim, outer, inner))
      addSlices(source, current, dim + 1, factor * double(local), taken);
    AtomMask used = atoms.getOverlap(current.getUsed());
    AtomMask choices = before.unreduced ? before.unreduced & ~taken : 0;
    for (AtomId atom = 0; atom < atoms.size(); ++atom) {
      bool isPartial = (choices & atomBit(atom)) != 0;
      bool isFree = (used & atomBit(atom)) == 0;
      // One op either slices or scatters.
      bool slices = current.getSharded() != before.getSharded() && !taken;
      if (!(isFree && !taken) && !(isPartial && !slices))
        continue;
      Layout next = current;
      next.dims[dim].push_back(atom);
      next.unreduced &= ~atomBit(atom);
      self(self, next, isPartial ? taken | atomBit(atom) : taken);
    }
  };
  extend(extend, layout, scattered);
}

/// Every sequence of all_to_all moves of single atoms. A dimension is either
/// source or target.
void BruteForce::addMoves(unsigned source, const Layout &layout, AtomMask moved,
                          uint64_t sources, uint64_t targets) {
  const Layout &before = layouts[source];
  if (moved) {
    double operand = 1;
    bool valid = true;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t a = atoms.getSize(before.dims[d]);
      int64_t b = atoms.getSize(layout.dims[d]);
      valid &= a <= b ? mayNest(d, a, b / a) : mayNest(d, b, a / b);
      int64_t k = std::max(a, b);
      operand *= double((shape[d] + k - 1) / k * (k / a));
    }
    double group = double(atoms.getSize(moved));
    if (valid)
      addEdge(source, layout, operand * (group - 1) / group);
  }
  for (size_t s = 0; s < shape.size(); ++s) {
    if (layout.dims[s].empty() || (targets >> s & 1))
      continue;
    AtomId atom = layout.dims[s].back();
    for (size_t t = 0; t < shape.size(); ++t) {
      if (t == s || (sources >> t & 1))
        continue;
      Layout next = layout;
      next.dims[s].pop_back();
      next.dims[t].push_back(atom);
      addMoves(source, next, moved | atomBit(atom), sources | uint64_t(1) << s,
               targets | uint64_t(1) << t);
    }
    // Several atoms may also move together, keeping their order.
    for (size_t length = 2; length <= layout.dims[s].size(); ++length)
      for (size_t t = 0; t < shape.size(); ++t) {
        if (t == s || (sources >> t & 1))
          continue;
        Layout next = layout;
        AtomMask group = moved;
        auto begin = layout.dims[s].end() - length;
        next.dims[s].resize(layout.dims[s].size() - length);
        for (auto it = begin; it != layout.dims[s].end(); ++it) {
          next.dims[t].push_back(*it);
          group |= atomBit(*it);
        }
        addMoves(source, next, group, sources | uint64_t(1) << s,
                 targets | uint64_t(1) << t);
      }
  }
}

void BruteForce::addReductions(unsigned source) {
  const Layout &before = layouts[source];
  for (AtomMask mask = before.unreduced; mask;
       mask = (mask - 1) & before.unreduced) {
    Layout next = before;
    next.unreduced &= ~mask;
    double group = double(atoms.getSize(mask));
    addEdge(source, next, 2 * getLocal(before) * (group - 1) / group);
  }
  AtomMask used = atoms.getOverlap(before.getUsed());
  for (const Layout &after : layouts) {
    AtomMask added = after.unreduced & ~before.unreduced;
    if (after.dims == before.dims && !(before.unreduced & ~after.unreduced) &&
        added && !(added & used))
      addEdge(source, after, 0);
  }
}

void BruteForce::addPermutesAndExchanges(unsigned source) {
  const Layout &before = layouts[source];
  for (const Layout &after : layouts) {
    if (after == before || after.unreduced != before.unreduced)
      continue;
    bool sameCounts = true;
    llvm::SmallVector<ExchangeInterval, 4> intervals;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t k = atoms.getSize(after.dims[d]);
      sameCounts &= k == atoms.getSize(before.dims[d]);
      intervals.push_back({0, (shape[d] + k - 1) / k, (shape[d] + k - 1) / k});
    }
    if (sameCounts && !atoms.hasAlternatives())
      addEdge(source, after, getLocal(before));
    if (!before.unreduced)
      addEdge(source, after,
              priceExchange(atoms, model, before, after, shape, intervals, 8)
                  .sentBytes);
  }
}

void BruteForce::addEdges(unsigned source) {
  // Read the layout in every factorisation of every axis.
  std::vector<Layout> forms = {layouts[source]};
  for (unsigned axis = 0; axis < atoms.getMesh().axes.size(); ++axis)
    for (unsigned i = 1; i < atoms.getNumFactorisations(axis); ++i)
      for (size_t j = 0, count = forms.size(); j < count; ++j)
        if (auto form = express(atoms, forms[j], axis, i))
          forms.push_back(*form);
  Layout original = layouts[source];
  for (const Layout &form : forms) {
    layouts[source] = form;
    addGathers(source, form, 0, 1, /*isOwned=*/true);
    addSlices(source, form, 0, 1, 0);
    addMoves(source, form, 0, 0, 0);
    layouts[source] = original;
  }
  addReductions(source);
  addPermutesAndExchanges(source);
}

std::vector<double> BruteForce::getBytes(size_t source) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> bytes(layouts.size(), infinity);
  std::vector<bool> done(layouts.size());
  bytes[source] = 0;
  while (true) {
    size_t best = layouts.size();
    for (size_t i = 0; i < layouts.size(); ++i)
      if (!done[i] && bytes[i] < infinity &&
          (best == layouts.size() || bytes[i] < bytes[best]))
        best = i;
    if (best == layouts.size())
      return bytes;
    done[best] = true;
    for (const Edge &edge : edges[best])
      bytes[edge.target] =
          std::min(bytes[edge.target], bytes[best] + edge.bytes);
  }
}
