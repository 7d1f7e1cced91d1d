// The simulator of reshard steps.
#include "Simulator.h"
#include <functional>

using namespace partita;
using namespace partita::test;

static int64_t linearize(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> index) {
  int64_t linear = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    linear = linear * shape[d] + index[d];
  return linear;
}

static int64_t volume(llvm::ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t n : shape)
    product *= n;
  return product;
}

static Buffer makeBuffer(llvm::ArrayRef<int64_t> shape) {
  return {Shape(shape.begin(), shape.end()),
          std::vector<Cell>(volume(shape))};
}

static void forEachIndex(llvm::ArrayRef<int64_t> shape,
                         const std::function<void(Shape &)> &body) {
  if (volume(shape) == 0)
    return;
  Shape index(shape.size(), 0);
  while (true) {
    body(index);
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

Cell &Buffer::at(llvm::ArrayRef<int64_t> index) {
  return cells[linearize(shape, index)];
}
const Cell &Buffer::at(llvm::ArrayRef<int64_t> index) const {
  return cells[linearize(shape, index)];
}

/// Devices per step of the atom's coordinate.
static int64_t getStride(const AxisAtoms &atoms, AtomId atom) {
  const auto &axes = atoms.getMesh().axes;
  int64_t stride = 1;
  for (size_t axis = axes.size() - 1; axis > atoms[atom].axis; --axis)
    stride *= axes[axis].size;
  return stride * axes[atoms[atom].axis].size /
         (atoms[atom].pre * atoms[atom].size);
}

int64_t test::indexOver(const AxisAtoms &atoms, int64_t device,
                        llvm::ArrayRef<AtomId> list) {
  int64_t index = 0;
  for (AtomId atom : list)
    index = index * atoms.getSize(atom) +
            device / getStride(atoms, atom) % atoms.getSize(atom);
  return index;
}

int64_t test::withIndex(const AxisAtoms &atoms, int64_t device,
                        llvm::ArrayRef<AtomId> list, int64_t index) {
  for (size_t i = list.size(); i-- > 0;) {
    int64_t size = atoms.getSize(list[i]), stride = getStride(atoms, list[i]);
    device += (index % size - device / stride % size) * stride;
    index /= size;
  }
  return device;
}

static AtomList toList(AtomMask mask) {
  AtomList list;
  for (AtomId atom = 0; atom < 64; ++atom)
    if (mask >> atom & 1)
      list.push_back(atom);
  return list;
}

Simulator::Simulator(const AxisAtoms &atoms, const Layout &layout,
                     llvm::ArrayRef<int64_t> shape)
    : atoms(atoms), global(shape.begin(), shape.end()), layout(layout) {
  Shape local;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t k = atoms.getSize(layout.dims[d]);
    local.push_back((shape[d] + k - 1) / k);
  }
  AtomList unreduced = toList(layout.unreduced);
  for (int64_t v = 0; v < atoms.getMesh().getNumDevices(); ++v) {
    Buffer buffer = makeBuffer(local);
    forEachIndex(local, [&](Shape &index) {
      Shape position(index);
      for (size_t d = 0; d < shape.size(); ++d) {
        position[d] += indexOver(atoms, v, layout.dims[d]) * local[d];
        if (position[d] >= shape[d])
          return;
      }
      buffer.at(index) = {int(linearize(shape, position)),
                          uint64_t(1) << indexOver(atoms, v, unreduced)};
    });
    devices.push_back(std::move(buffer));
  }
}

std::string Simulator::resize(llvm::ArrayRef<int64_t> shape, bool grow) {
  for (Buffer &buffer : devices) {
    if (llvm::ArrayRef<int64_t>(buffer.shape) == shape)
      continue;
    for (size_t d = 0; d < shape.size(); ++d)
      if (grow ? shape[d] < buffer.shape[d] : shape[d] > buffer.shape[d])
        return grow ? "operand would be cut" : "result would be padded";
    Buffer next = makeBuffer(shape);
    forEachIndex(shape, [&](Shape &index) {
      for (size_t d = 0; d < shape.size(); ++d)
        if (index[d] >= buffer.shape[d])
          return;
      next.at(index) = buffer.at(index);
    });
    buffer = std::move(next);
  }
  return "";
}

std::string Simulator::gather(const ReshardStep &step) {
  std::vector<Buffer> results;
  for (int64_t v = 0; v < int64_t(devices.size()); ++v) {
    Shape shape(devices[v].shape);
    for (size_t d = 0; d < shape.size(); ++d)
      shape[d] *= atoms.getSize(step.dimAtoms[d]);
    Buffer result = makeBuffer(shape);
    forEachIndex(shape, [&](Shape &index) {
      Shape inner(index);
      int64_t source = v;
      for (size_t d = 0; d < shape.size(); ++d) {
        source = withIndex(atoms, source, step.dimAtoms[d],
                           index[d] / devices[v].shape[d]);
        inner[d] %= devices[v].shape[d];
      }
      result.at(index) = devices[source].at(inner);
    });
    results.push_back(std::move(result));
  }
  devices = std::move(results);
  return "";
}

std::string Simulator::slice(const ReshardStep &step, bool evenly) {
  for (int64_t v = 0; v < int64_t(devices.size()); ++v) {
    Shape shape(devices[v].shape), base;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t size = atoms.getSize(step.dimAtoms[d]);
      if (evenly && shape[d] % size != 0)
        return "scattered dimension does not divide";
      shape[d] = (shape[d] + size - 1) / size;
      base.push_back(indexOver(atoms, v, step.dimAtoms[d]) * shape[d]);
    }
    Buffer result = makeBuffer(shape);
    forEachIndex(shape, [&](Shape &index) {
      Shape position(index);
      for (size_t d = 0; d < shape.size(); ++d) {
        position[d] += base[d];
        if (position[d] >= devices[v].shape[d])
          return;
      }
      result.at(index) = devices[v].at(position);
    });
    devices[v] = std::move(result);
  }
  return "";
}

std::string Simulator::reduce(llvm::ArrayRef<AtomId> list) {
  std::vector<Buffer> results = devices;
  int64_t group = atoms.getSize(list);
  for (int64_t v = 0; v < int64_t(devices.size()); ++v) {
    for (size_t i = 0; i < results[v].cells.size(); ++i) {
      Cell sum = devices[withIndex(atoms, v, list, 0)].cells[i];
      for (int64_t member = 1; member < group; ++member) {
        const Cell &cell =
            devices[withIndex(atoms, v, list, member)].cells[i];
        if (sum.element < 0 || cell.element < 0) {
          sum = Cell();
          continue;
        }
        if (sum.element != cell.element)
          return "different elements are added";
        if (sum.parts & cell.parts)
          return "a partial value is added twice";
        sum.parts |= cell.parts;
      }
      results[v].cells[i] = sum;
    }
  }
  devices = std::move(results);
  return "";
}

std::string Simulator::move(const AtomMove &move) {
  std::vector<Buffer> results;
  int64_t size = atoms.getSize(move.atoms);
  for (int64_t v = 0; v < int64_t(devices.size()); ++v) {
    const Shape &operand = devices[v].shape;
    Shape shape(operand);
    if (shape[move.target] % size != 0)
      return "target dimension does not divide";
    shape[move.source] *= size;
    shape[move.target] /= size;
    Buffer result = makeBuffer(shape);
    int64_t own = indexOver(atoms, v, move.atoms);
    forEachIndex(shape, [&](Shape &index) {
      Shape inner(index);
      int64_t block = index[move.source] / operand[move.source];
      inner[move.source] %= operand[move.source];
      inner[move.target] += own * shape[move.target];
      result.at(index) =
          devices[withIndex(atoms, v, move.atoms, block)].at(inner);
    });
    results.push_back(std::move(result));
  }
  devices = std::move(results);
  // The axes must have been the minor ones of the source.
  AtomList &source = layout.dims[move.source];
  if (source.size() < move.atoms.size() ||
      !std::equal(move.atoms.begin(), move.atoms.end(),
                  source.end() - move.atoms.size()))
    return "moved axes are not the minor ones of their dimension";
  source.resize(source.size() - move.atoms.size());
  layout.dims[move.target].append(move.atoms);
  return "";
}

std::string Simulator::permute(const ReshardStep &step) {
  AtomMask source = 0, target = 0;
  for (AtomId atom : step.atoms)
    source |= atomBit(atom);
  for (AtomId atom : step.targetAtoms)
    target |= atomBit(atom);
  if (source != target || step.atoms.size() != step.targetAtoms.size())
    return "permute names different axes";
  std::vector<Buffer> results = devices;
  std::vector<bool> written(devices.size());
  for (int64_t v = 0; v < int64_t(devices.size()); ++v) {
    int64_t receiver = withIndex(atoms, v, step.targetAtoms,
                                 indexOver(atoms, v, step.atoms));
    if (written[receiver])
      return "permute writes a device twice";
    written[receiver] = true;
    results[receiver] = devices[v];
  }
  devices = std::move(results);
  return "";
}

std::string Simulator::exchange(const ReshardStep &step) {
  if (step.before.unreduced || step.after.unreduced)
    return "exchange of partial values";
  std::vector<Buffer> results;
  for (int64_t v = 0; v < int64_t(devices.size()); ++v) {
    Shape shape;
    for (const ExchangeInterval &interval : step.intervals)
      shape.push_back(interval.length);
    Buffer result = makeBuffer(shape);
    forEachIndex(shape, [&](Shape &index) {
      int64_t source = v;
      Shape inner(index);
      for (size_t d = 0; d < shape.size(); ++d) {
        const ExchangeInterval &interval = step.intervals[d];
        int64_t block = indexOver(atoms, v, step.after.dims[d]);
        int64_t position = interval.base + block * interval.step + index[d];
        if (position < 0 || position >= global[d])
          return;
        int64_t size = devices[v].shape[d];
        source = withIndex(atoms, source, step.before.dims[d], position / size);
        inner[d] = position % size;
      }
      result.at(index) = devices[source].at(inner);
    });
    results.push_back(std::move(result));
  }
  devices = std::move(results);
  return "";
}

void Simulator::makePartial(llvm::ArrayRef<AtomId> list) {
  for (int64_t v = 0; v < int64_t(devices.size()); ++v)
    if (indexOver(atoms, v, list) != 0)
      for (Cell &cell : devices[v].cells)
        cell.parts = 0;
}

void Simulator::broadcast(llvm::ArrayRef<AtomId> list) {
  for (int64_t v = 0; v < int64_t(devices.size()); ++v)
    devices[v] = devices[withIndex(atoms, v, list, 0)];
}

std::string Simulator::run(const ReshardStep &step) {
  std::string error;
  switch (step.kind) {
  case CollectiveKind::AllSlice:
    return slice(step, /*evenly=*/false);
  case CollectiveKind::AllGather:
    return gather(step);
  case CollectiveKind::AllToAll:
    for (const AtomMove &one : step.moves)
      if (error = move(one); !error.empty())
        return error;
    return "";
  case CollectiveKind::Permute:
    return permute(step);
  case CollectiveKind::ReduceScatter: {
    AtomList all;
    for (const AtomList &list : step.dimAtoms)
      all.append(list);
    error = reduce(all);
    return error.empty() ? slice(step, /*evenly=*/true) : error;
  }
  case CollectiveKind::AllReduce:
    return reduce(step.atoms);
  case CollectiveKind::ToUnreduced:
    makePartial(step.atoms);
    return "";
  case CollectiveKind::Exchange:
    return exchange(step);
  case CollectiveKind::Broadcast:
    broadcast(step.atoms);
    return "";
  }
  return "unknown step";
}

std::string Simulator::execute(const ReshardStep &step) {
  if (canonicalize(atoms, step.before) != canonicalize(atoms, layout))
    return "step does not start from the layout before it";
  layout = step.before;
  std::string error = resize(step.operandShape, /*grow=*/true);
  if (error.empty())
    error = run(step);
  if (!error.empty())
    return error;
  for (const Buffer &buffer : devices)
    if (buffer.shape != step.resultShape)
      return "result shape is not the one announced";
  layout = step.after;
  return resize(getLocalShape(atoms, layout, global), /*grow=*/false);
}

std::string Simulator::check(const Layout &expected, int64_t numParts) const {
  if (canonicalize(atoms, expected) != canonicalize(atoms, layout))
    return "plan ends in another layout";
  Simulator combined = *this;
  std::string error = combined.reduce(toList(expected.unreduced));
  if (!error.empty())
    return error;
  uint64_t all = numParts == 64 ? ~uint64_t(0) : (uint64_t(1) << numParts) - 1;
  Layout whole = expected;
  whole.unreduced = 0;
  Simulator wanted(atoms, whole, global);
  for (size_t v = 0; v < devices.size(); ++v) {
    if (combined.devices[v].shape != wanted.devices[v].shape)
      return "wrong local shape";
    for (size_t i = 0; i < wanted.devices[v].cells.size(); ++i) {
      const Cell &cell = combined.devices[v].cells[i];
      const Cell &want = wanted.devices[v].cells[i];
      if (want.element < 0)
        continue;
      if (cell.element != want.element)
        return "device " + std::to_string(v) + " holds element " +
               std::to_string(cell.element) + " instead of " +
               std::to_string(want.element);
      if (cell.parts != all)
        return "device " + std::to_string(v) + " lacks partial values";
    }
  }
  return "";
}
