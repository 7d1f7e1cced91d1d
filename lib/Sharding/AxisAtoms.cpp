// Factorisation of mesh axes into atoms. Sub-axes are kept as cut points of
// their axis: `"x":(pre)size` cuts at pre and at pre*size; a factorisation is a
// set of cuts of which each divides the next.
#include "partita/Sharding/AxisAtoms.h"
#include "llvm/ADT/STLExtras.h"

using namespace partita;

namespace {

using Cuts = llvm::SmallVector<int64_t, 6>;

void addCut(Cuts &cuts, int64_t cut) {
  auto position = llvm::lower_bound(cuts, cut);
  if (position == cuts.end() || *position != cut)
    cuts.insert(position, cut);
}

bool isChain(const Cuts &cuts) {
  for (size_t i = 1; i < cuts.size(); ++i)
    if (cuts[i] % cuts[i - 1] != 0)
      return false;
  return true;
}

/// Adds `cuts` to the first set with which they form a chain, or as a new set.
void addFactorisation(llvm::SmallVector<Cuts, 1> &sets, const Cuts &cuts) {
  for (Cuts &set : sets) {
    Cuts joined = set;
    for (int64_t cut : cuts)
      addCut(joined, cut);
    if (isChain(joined)) {
      set = joined;
      return;
    }
  }
  sets.push_back(cuts);
}

} // namespace

std::optional<AxisAtoms>
AxisAtoms::build(const Mesh &mesh,
                 llvm::ArrayRef<llvm::SmallVector<SubAxis, 4>> uses) {
  AxisAtoms result;
  result.mesh = mesh;
  size_t numAxes = mesh.axes.size();
  llvm::SmallVector<llvm::SmallVector<Cuts, 1>, 4> sets(numAxes);
  for (size_t axis = 0; axis < numAxes; ++axis) {
    Cuts whole;
    addCut(whole, 1);
    addCut(whole, mesh.axes[axis].size);
    sets[axis].push_back(whole);
  }
  for (const auto &use : uses) {
    llvm::SmallVector<Cuts, 4> cuts(numAxes);
    for (const SubAxis &part : use) {
      if (part.axis >= numAxes || part.pre < 1 || part.size < 1)
        return std::nullopt;
      int64_t size = mesh.axes[part.axis].size;
      if (size % part.pre != 0 || size / part.pre % part.size != 0)
        return std::nullopt;
      for (int64_t cut : {int64_t(1), part.pre, part.pre * part.size, size})
        addCut(cuts[part.axis], cut);
    }
    for (size_t axis = 0; axis < numAxes; ++axis) {
      if (!isChain(cuts[axis]))
        return std::nullopt;
      if (!cuts[axis].empty())
        addFactorisation(sets[axis], cuts[axis]);
    }
  }

  result.factorisations.resize(numAxes);
  for (size_t axis = 0; axis < numAxes; ++axis) {
    for (const Cuts &set : sets[axis]) {
      AtomList list;
      for (size_t i = 1; i < set.size(); ++i) {
        SubAxis part{unsigned(axis), set[i - 1], set[i] / set[i - 1]};
        auto known = llvm::find(result.atoms, part);
        if (known == result.atoms.end()) {
          if (result.atoms.size() == 64)
            return std::nullopt;
          result.atoms.push_back(part);
          known = result.atoms.end() - 1;
        }
        list.push_back(AtomId(known - result.atoms.begin()));
      }
      result.factorisations[axis].push_back(list);
    }
    result.alternatives |= sets[axis].size() > 1;
  }

  // Atoms overlap when they share an axis but no factorisation.
  result.overlaps.resize(result.atoms.size());
  for (size_t a = 0; a < result.atoms.size(); ++a) {
    AtomMask mask = 0;
    for (size_t b = 0; b < result.atoms.size(); ++b)
      if (result.atoms[a].axis == result.atoms[b].axis)
        mask |= atomBit(b);
    for (const AtomList &list : result.factorisations[result.atoms[a].axis])
      if (llvm::is_contained(list, AtomId(a)))
        for (AtomId other : list)
          mask &= ~atomBit(other);
    result.overlaps[a] = mask | atomBit(a);
  }
  return result;
}

int64_t AxisAtoms::getSize(llvm::ArrayRef<AtomId> list) const {
  int64_t product = 1;
  for (AtomId atom : list)
    product *= atoms[atom].size;
  return product;
}

int64_t AxisAtoms::getSize(AtomMask mask) const {
  int64_t product = 1;
  for (; mask; mask &= mask - 1)
    product *= atoms[llvm::countr_zero(mask)].size;
  return product;
}

AtomMask AxisAtoms::getOverlap(AtomMask mask) const {
  AtomMask result = 0;
  for (; mask; mask &= mask - 1)
    result |= overlaps[llvm::countr_zero(mask)];
  return result;
}

/// Appends the atoms of `list` that make up [part.pre, part.pre * part.size).
/// False if the list has not both cuts.
static bool appendRange(const AxisAtoms &atoms, llvm::ArrayRef<AtomId> list,
                        const SubAxis &part, AtomList &result) {
  int64_t end = part.pre * part.size;
  int64_t reached = part.pre;
  for (AtomId atom : list) {
    if (atoms[atom].pre != reached || reached == end)
      continue;
    reached *= atoms[atom].size;
    result.push_back(atom);
  }
  return reached == end;
}

std::optional<llvm::SmallVector<AtomList>>
AxisAtoms::expand(llvm::ArrayRef<SubAxis> use) const {
  llvm::SmallVector<AtomList> result(use.size());
  for (unsigned axis = 0; axis < mesh.axes.size(); ++axis) {
    bool found = false;
    for (const AtomList &list : factorisations[axis]) {
      found = true;
      for (size_t i = 0; i < use.size() && found; ++i) {
        if (use[i].axis != axis)
          continue;
        result[i].clear();
        found = appendRange(*this, list, use[i], result[i]);
      }
      if (found)
        break;
    }
    if (!found)
      return std::nullopt;
  }
  return result;
}

llvm::SmallVector<SubAxis, 4>
AxisAtoms::merge(llvm::ArrayRef<AtomId> list) const {
  llvm::SmallVector<SubAxis, 4> result;
  for (AtomId atom : list) {
    const SubAxis &part = atoms[atom];
    if (!result.empty() && result.back().axis == part.axis &&
        result.back().pre * result.back().size == part.pre)
      result.back().size *= part.size;
    else
      result.push_back(part);
  }
  return result;
}

static std::string partName(const Mesh &mesh, const SubAxis &part) {
  const MeshAxis &axis = mesh.axes[part.axis];
  if (part.pre == 1 && part.size == axis.size)
    return axis.name;
  return axis.name + ":(" + std::to_string(part.pre) + ")" +
         std::to_string(part.size);
}

std::string AxisAtoms::str(AtomId atom) const {
  return partName(mesh, atoms[atom]);
}

std::string AxisAtoms::str(llvm::ArrayRef<AtomId> list) const {
  std::string text = "{";
  for (const SubAxis &part : merge(list))
    text += (text.size() > 1 ? ", " : "") + partName(mesh, part);
  return text + "}";
}
