// Random meshes and shardings over them.

#include "Generator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace partita {

void Generator::chooseMesh() {
  const int64_t sizes[] = {2, 2, 3, 4, 4, 6};
  int64_t axes = random.in(1, 3), devices = 1;
  for (int64_t i = 0; i < axes; ++i) {
    int64_t size = random.pick(sizes);
    if (devices * size > 24)
      break;
    devices *= size;
    axisSizes.push_back(size);
    axisNames.push_back(std::string(1, "xyz"[i]));
  }
  isPermuted = random.chance(8);
}

int64_t Generator::deviceCount() const { return groupSize(allAxes()); }

int64_t Generator::groupSize(uint32_t axes) const {
  int64_t size = 1;
  for (auto [index, axis] : llvm::enumerate(axisSizes))
    if (axes >> index & 1)
      size *= axis;
  return size;
}

std::string Generator::replicaGroups(uint32_t axes, int64_t &size) const {
  size = groupSize(axes);
  // The key of a group is its coordinates over the other axes.
  std::vector<std::pair<int64_t, std::vector<int64_t>>> groups;
  for (int64_t device = 0, total = deviceCount(); device < total; ++device) {
    int64_t rest = device, key = 0;
    for (int64_t axis = axisSizes.size() - 1; axis >= 0; --axis) {
      int64_t coordinate = rest % axisSizes[axis];
      rest /= axisSizes[axis];
      if (!(axes >> axis & 1))
        key = key * 32 + coordinate;
    }
    auto found =
        llvm::find_if(groups, [&](auto &group) { return group.first == key; });
    if (found == groups.end())
      groups.push_back({key, {device}});
    else
      found->second.push_back(device);
  }
  std::string text = "dense<[";
  for (auto [index, group] : llvm::enumerate(groups))
    text += (index ? ", " : "") + list(group.second);
  return text +
         llvm::formatv("]> : tensor<{0}x{1}xi64>", groups.size(), size).str();
}

/// The axis whole, or cut into two sub-axes.
static void addAxis(Random &random, std::vector<std::string> &parts,
                    const std::string &name, int64_t size) {
  int64_t cut = size == 4 ? 2 : size == 6 ? (random.chance(50) ? 2 : 3) : 1;
  if (cut == 1 || random.chance(65)) {
    parts.push_back("\"" + name + "\"");
    return;
  }
  std::string major = llvm::formatv("\"{0}\":(1){1}", name, cut);
  std::string minor = llvm::formatv("\"{0}\":({1}){2}", name, cut, size / cut);
  if (random.chance(70))
    parts.push_back(major);
  if (random.chance(60))
    parts.push_back(minor);
}

std::string Generator::randomSharding(const TextType &type, uint32_t exclude,
                                      bool user) {
  std::vector<std::string> parts;
  for (size_t axis = 0; axis < axisSizes.size(); ++axis)
    if (!(exclude >> axis & 1) && random.chance(80))
      addAxis(random, parts, axisNames[axis], axisSizes[axis]);
  random.shuffle(parts);
  std::vector<std::vector<std::string>> dims(type.rank());
  std::vector<std::string> replicated, unreduced;
  for (const std::string &part : parts) {
    if (user && type.isFloat() && random.chance(4))
      unreduced.push_back(part);
    else if (random.chance(12))
      replicated.push_back(part);
    else if (type.rank() && random.chance(88))
      dims[random.in(0, type.rank() - 1)].push_back(part);
  }
  bool priorities = random.chance(8), open = random.chance(40);
  std::string text = "<@mesh, [";
  for (auto [index, dim] : llvm::enumerate(dims)) {
    // Neighbouring parts of one axis in their order are one axis.
    for (size_t i = 0; i + 1 < dim.size(); ++i)
      if (dim[i].substr(0, 3) == dim[i + 1].substr(0, 3) && dim[i] < dim[i + 1])
        std::swap(dim[i], dim[i + 1]);
    text += (index ? ", {" : "{") + llvm::join(dim, ", ");
    if (open && random.chance(60))
      text += dim.empty() ? "?" : ", ?";
    text += "}";
    if (priorities && !dim.empty())
      text += "p" + std::to_string(random.in(0, 2));
  }
  text += "]";
  auto addList = [&](const char *keyword, std::vector<std::string> &axes) {
    llvm::sort(axes);
    // Both halves of an axis side by side are the axis.
    for (size_t i = 0; i + 1 < axes.size(); ++i)
      if (axes[i].substr(0, 3) == axes[i + 1].substr(0, 3))
        axes.erase(axes.begin() + i + 1);
    if (!axes.empty())
      text += std::string(", ") + keyword + "={" + llvm::join(axes, ", ") + "}";
  };
  addList("replicated", replicated);
  addList("unreduced", unreduced);
  return text + ">";
}

} // namespace partita
