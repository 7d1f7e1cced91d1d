// ragged_dot: sums of products over groups of rows of unequal size. Each row of
// the result finds its group, so that the work is that of one dot.
#include "Convert.h"
#include "Numbers.h"
#include "Strided.h"
#include "WorldState.h"
#include <algorithm>

using namespace partita::runtime;

namespace {
struct RaggedDot {
  Shape lhsBatch, rhsBatch, lhsDepth, rhsDepth, lhsRows, rhsColumns, prefix;
  int64_t ragged = 0, group = -1;
  BufferType lhs, rhs, sizes;
  const void *groupSizes = nullptr;

  int64_t getNumGroups() const { return sizes.shape.back(); }
  bool isBatch() const { return contains(lhsBatch, ragged); }
  bool isDepth() const { return contains(lhsDepth, ragged); }
  static bool contains(const Shape &dims, int64_t dim) {
    return std::find(dims.begin(), dims.end(), dim) != dims.end();
  }
  /// Where the sizes lie for an index of the lhs.
  int64_t getSizesRow(const Shape &index) const {
    int64_t row = 0;
    if (sizes.rank() > 1)
      for (int64_t d : prefix)
        row = row * lhs.shape[d] + index[d];
    return row * getNumGroups();
  }
  /// The group of the row at an index of the lhs; -1 if it is in none.
  int64_t findGroup(const Shape &index) const {
    int64_t row = getSizesRow(index), end = 0;
    for (int64_t g = 0; g < getNumGroups(); ++g) {
      end += readInteger(sizes.dtype, groupSizes, row + g);
      if (index[ragged] < end)
        return g;
    }
    return -1;
  }
  template <typename W> void run(const W *a, const W *b, W *out) const;
};
} // namespace

static Shape getOthers(int64_t rank, const std::vector<const Shape *> &lists,
                       int64_t one) {
  Shape others;
  for (int64_t d = 0; d < rank; ++d)
    if (d != one &&
        std::none_of(lists.begin(), lists.end(), [&](const Shape *list) {
          return RaggedDot::contains(*list, d);
        }))
      others.push_back(d);
  return others;
}

/// Sizes of the dimensions.
static Shape pick(const Shape &shape, const Shape &dims) {
  Shape sizes;
  for (int64_t d : dims)
    sizes.push_back(shape[d]);
  return sizes;
}

/// Writes the items of `from` to the places `dims` of `index`.
static void place(Shape &index, const Shape &dims, const int64_t *from) {
  for (size_t i = 0; i < dims.size(); ++i)
    index[dims[i]] = from[i];
}

static int64_t flatten(const Shape &index, const Shape &strides) {
  int64_t at = 0;
  for (size_t d = 0; d < index.size(); ++d)
    at += index[d] * strides[d];
  return at;
}

template <typename W>
void RaggedDot::run(const W *a, const W *b, W *out) const {
  Shape aStrides = getStrides(lhs.shape), bStrides = getStrides(rhs.shape);
  Shape outer;
  if (isDepth())
    outer.push_back(getNumGroups());
  for (const Shape &sizes :
       {pick(lhs.shape, lhsBatch), pick(lhs.shape, lhsRows),
        pick(rhs.shape, rhsColumns)})
    outer.insert(outer.end(), sizes.begin(), sizes.end());
  Shape depth = pick(lhs.shape, lhsDepth), ia(lhs.shape.size(), 0),
        ib(rhs.shape.size(), 0);
  forEachIndex(outer, [&](const Shape &index) {
    const int64_t *at = index.data() + (isDepth() ? 1 : 0);
    place(ia, lhsBatch, at);
    place(ib, rhsBatch, at);
    at += lhsBatch.size();
    place(ia, lhsRows, at);
    place(ib, rhsColumns, at + lhsRows.size());
    int64_t found = isDepth() ? index[0] : findGroup(ia);
    W sum = W();
    if (found >= 0) {
      if (group >= 0)
        ib[group] = found;
      forEachIndex(depth, [&](const Shape &k) {
        place(ia, lhsDepth, k.data());
        place(ib, rhsDepth, k.data());
        if (!isDepth() || findGroup(ia) == found)
          sum = combine<PARTITA_ADD>(
              sum, combine<PARTITA_MUL>(a[flatten(ia, aStrides)],
                                        b[flatten(ib, bStrides)]));
      });
    }
    *out++ = sum;
  });
}

/// The array with elements of the wide type.
static const void *widen(partita_dtype wide, const BufferType &type,
                         const void *data, std::vector<char> &storage) {
  if (type.dtype == wide)
    return data;
  storage.resize(type.getCount() * getElementBytes(wide));
  convertArray(wide, storage.data(), type.dtype, data, type.getCount());
  return storage.data();
}

static std::string raggedDot(Descriptor &d, void *const *buffers) {
  RaggedDot dot;
  dot.lhsBatch = d.nextList(), dot.rhsBatch = d.nextList();
  dot.lhsDepth = d.nextList(), dot.rhsDepth = d.nextList();
  dot.ragged = d.next(), dot.group = d.next();
  if (!d.isValid() || d.inputs.size() != 3 || d.outputs.size() != 1 ||
      d.inputs[2].rank() == 0)
    return "the descriptor is malformed";
  dot.lhs = d.inputs[0], dot.rhs = d.inputs[1], dot.sizes = d.inputs[2];
  dot.groupSizes = buffers[2];
  dot.lhsRows = getOthers(dot.lhs.rank(), {&dot.lhsBatch, &dot.lhsDepth}, -1);
  dot.rhsColumns =
      getOthers(dot.rhs.rank(), {&dot.rhsBatch, &dot.rhsDepth}, dot.group);
  if (!dot.isBatch())
    dot.prefix = dot.lhsBatch;
  const Shape &kind = dot.isBatch()   ? dot.lhsBatch
                      : dot.isDepth() ? dot.lhsDepth
                                      : dot.lhsRows;
  for (int64_t dim : kind)
    if (dim < dot.ragged)
      dot.prefix.push_back(dim);
  const BufferType &out = d.outputs[0];
  partita_dtype wide = getWideType(out.dtype);
  std::vector<char> a, b, sums(out.getCount() * getElementBytes(wide));
  const void *lhs = widen(wide, dot.lhs, buffers[0], a);
  const void *rhs = widen(wide, dot.rhs, buffers[1], b);
  bool isDone = dispatch(wide, [&](auto t) {
    using T = decltype(t);
    if constexpr (std::is_same_v<T, Wide<T>>)
      dot.run(static_cast<const T *>(lhs), static_cast<const T *>(rhs),
              reinterpret_cast<T *>(sums.data()));
    return std::is_same_v<T, Wide<T>>;
  });
  if (!isDone)
    return "no sums of " + std::string(getName(out.dtype));
  convertArray(out.dtype, buffers[3], wide, sums.data(), out.getCount());
  return "";
}

PARTITA_KERNEL(ragged_dot, raggedDot)
