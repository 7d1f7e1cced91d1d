// Replica groups. Groups along mesh axes are an iota, reshaped and transposed,
// so that their text does not grow with the number of devices.

#include "HLOWriter.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partita::hlo {
namespace {

/// One digit of a mesh position.
struct Digit {
  int64_t size;
  /// Of the group that it numbers a member of: order among the members, or -1.
  int64_t member = -1;
};

/// An array of device ids: iota reshaped to `dims` and transposed.
struct IotaTile {
  SmallVector<int64_t> dims, permutation;
};

} // namespace

/// Digits of the mesh, major to minor; empty if the axes are not parts of one
/// split of their mesh axes.
static SmallVector<Digit> getDigits(spmd::MeshAttr mesh, ArrayAttr axes) {
  SmallVector<Digit> digits;
  int64_t members = 0;
  for (spmd::MeshAxisAttr axis : mesh.getAxes()) {
    // Cuts of the axis: products of the sizes major to them.
    SmallVector<int64_t> cuts{1, axis.getSize()};
    for (auto ref : axes.getAsRange<stablehlo::AxisRefAttr>())
      if (auto part = ref.getSubAxisInfo();
          part && ref.getName() == axis.getName())
        cuts.append({part.getPreSize(), part.getPreSize() * part.getSize()});
    llvm::sort(cuts);
    cuts.erase(llvm::unique(cuts), cuts.end());
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i + 1] % cuts[i] != 0)
        return {};
      Digit digit{cuts[i + 1] / cuts[i]};
      for (auto [order, ref] :
           llvm::enumerate(axes.getAsRange<stablehlo::AxisRefAttr>())) {
        if (ref.getName() != axis.getName())
          continue;
        auto part = ref.getSubAxisInfo();
        if (!part || (part.getPreSize() <= cuts[i] &&
                      cuts[i + 1] <= part.getPreSize() * part.getSize())) {
          // Digits of one axis stay in their order.
          digit.member = order * mesh.getNumDevices() + members++;
          break;
        }
      }
      digits.push_back(digit);
    }
  }
  return digits;
}

/// Splits `digits` and the dimensions `devices` (both major to minor, of one
/// product) into common parts: per part, the digit and the dimension it is of.
static bool refine(ArrayRef<Digit> digits, ArrayRef<int64_t> devices,
                   SmallVectorImpl<std::array<int64_t, 3>> &parts) {
  int64_t digit = digits.size(), device = devices.size();
  int64_t a = 1, b = 1;
  while (true) {
    while (a == 1 && digit > 0)
      a = digits[--digit].size;
    while (b == 1 && device > 0)
      b = devices[--device];
    if (a == 1 && b == 1)
      break;
    int64_t part = std::min(a, b);
    if (part == 1 || a % part != 0 || b % part != 0)
      return false;
    parts.push_back({part, digit, device});
    a /= part;
    b /= part;
  }
  std::reverse(parts.begin(), parts.end());
  return true;
}

/// Device ids in the order of the groups: groups major, members minor.
static std::optional<IotaTile> getTile(spmd::MeshAttr mesh,
                                       ArrayRef<Digit> digits) {
  SmallVector<int64_t> dims(mesh.getIotaDims()),
      permutation(mesh.getIotaPerm());
  if (!mesh.getDeviceIds().empty() && dims.empty())
    return std::nullopt;
  if (dims.empty())
    dims = {mesh.getNumDevices()};
  if (permutation.empty())
    permutation = llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  SmallVector<int64_t> transposed;
  for (int64_t dim : permutation)
    transposed.push_back(dims[dim]);
  SmallVector<std::array<int64_t, 3>> parts;
  if (!refine(digits, transposed, parts))
    return std::nullopt;
  // Parts in the order of the iota's own dimensions, and where each went.
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, parts.size()));
  llvm::sort(order, [&](int64_t x, int64_t y) {
    return std::pair(permutation[parts[x][2]], x) <
           std::pair(permutation[parts[y][2]], y);
  });
  SmallVector<int64_t> place(parts.size());
  IotaTile tile;
  for (auto [index, part] : llvm::enumerate(order)) {
    place[part] = index;
    tile.dims.push_back(parts[part][0]);
  }
  SmallVector<int64_t> wanted =
      llvm::to_vector(llvm::seq<int64_t>(0, parts.size()));
  llvm::sort(wanted, [&](int64_t x, int64_t y) {
    return std::pair(digits[parts[x][1]].member, x) <
           std::pair(digits[parts[y][1]].member, y);
  });
  for (int64_t part : wanted)
    tile.permutation.push_back(place[part]);
  return tile;
}

/// Joins dimensions that stay neighbours.
static void simplify(IotaTile &tile) {
  for (size_t i = 0; i + 1 < tile.permutation.size();) {
    int64_t dim = tile.permutation[i];
    if (tile.permutation[i + 1] != dim + 1) {
      ++i;
      continue;
    }
    tile.dims[dim] *= tile.dims[dim + 1];
    tile.dims.erase(tile.dims.begin() + dim + 1);
    tile.permutation.erase(tile.permutation.begin() + i + 1);
    for (int64_t &other : tile.permutation)
      other -= other > dim;
  }
}

static std::string join(ArrayRef<int64_t> values) {
  return llvm::join(
      llvm::map_range(values, [](int64_t v) { return std::to_string(v); }),
      ",");
}

/// All groups, one by one; for meshes in an order of no pattern.
static std::string getExplicit(spmd::MeshAttr mesh, ArrayRef<Digit> digits) {
  SmallVector<int64_t> order = mesh.getDeviceOrder();
  SmallVector<size_t> sorted =
      llvm::to_vector(llvm::seq<size_t>(0, digits.size()));
  llvm::sort(sorted, [&](size_t x, size_t y) {
    return std::pair(digits[x].member, x) < std::pair(digits[y].member, y);
  });
  SmallVector<int64_t> strides(digits.size(), 1);
  for (size_t i = digits.size(); i-- > 1;)
    strides[i - 1] = strides[i] * digits[i].size;
  int64_t size = 1, count = mesh.getNumDevices();
  for (const Digit &digit : digits)
    size *= digit.member >= 0 ? digit.size : 1;
  std::string text = "{";
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, position = 0;
    for (size_t digit : llvm::reverse(sorted)) {
      position += rest % digits[digit].size * strides[digit];
      rest /= digits[digit].size;
    }
    text += i % size == 0 ? (i ? "},{" : "{") : ",";
    text += std::to_string(order.empty() ? position : order[position]);
  }
  return text + "}}";
}

static std::string getDense(DenseIntElementsAttr groups) {
  auto type = cast<RankedTensorType>(groups.getType());
  int64_t width = type.getRank() == 2 ? type.getDimSize(1) : 0;
  std::string text = "{";
  SmallVector<int64_t> row;
  int64_t column = 0;
  for (const APInt &value : groups.getValues<APInt>()) {
    if (value.getSExtValue() >= 0) // -1 fills up short rows
      row.push_back(value.getSExtValue());
    if (++column < width)
      continue;
    text += (text.size() > 1 ? "," : "") + getList(row);
    row.clear();
    column = 0;
  }
  return text + "}";
}

std::string getReplicaGroups(Attribute groups, ModuleOp module) {
  auto named = dyn_cast<stablehlo::ReplicaGroupMeshAxesAttr>(groups);
  if (!named)
    return getDense(cast<DenseIntElementsAttr>(groups));
  auto mesh = module
                  .lookupSymbol<spmd::MeshOp>(
                      cast<FlatSymbolRefAttr>(named.getMesh()).getAttr())
                  .getMesh();
  SmallVector<Digit> digits = getDigits(mesh, named.getAxes());
  int64_t size = 1;
  for (const Digit &digit : digits)
    size *= digit.member >= 0 ? digit.size : 1;
  std::optional<IotaTile> tile = getTile(mesh, digits);
  if (!tile)
    return getExplicit(mesh, digits);
  simplify(*tile);
  std::string text = "[" + join({mesh.getNumDevices() / size, size}) + "]<=[" +
                     join(tile->dims) + "]";
  if (tile->dims.size() > 1)
    text += "T(" + join(tile->permutation) + ")";
  return text;
}

} // namespace partita::hlo
