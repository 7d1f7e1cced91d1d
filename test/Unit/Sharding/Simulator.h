// Executes reshard steps on the contents of every device, by the documented
// semantics of the spmd ops alone. A cell knows which element of the whole tensor
// it holds and which partial values are summed in it.
#ifndef PARTITA_TEST_UNIT_SHARDING_SIMULATOR_H
#define PARTITA_TEST_UNIT_SHARDING_SIMULATOR_H

#include "partita/Sharding/ReshardPlanner.h"
#include <string>
#include <vector>

namespace partita::test {

/// One number of a buffer. `element` is -1 for padding; `parts` has one bit per
/// partial value that is summed in it, none for the neutral element.
struct Cell {
  int element = -1;
  uint64_t parts = 0;
};

struct Buffer {
  Shape shape;
  std::vector<Cell> cells;
  Cell &at(llvm::ArrayRef<int64_t> index);
  const Cell &at(llvm::ArrayRef<int64_t> index) const;
};

/// Device whose mixed-radix index over `list` is `index`, otherwise like
/// `device`.
int64_t withIndex(const AxisAtoms &atoms, int64_t device,
                  llvm::ArrayRef<AtomId> list, int64_t index);
/// Mixed-radix index of the device over `list`, by arithmetic on its own.
int64_t indexOver(const AxisAtoms &atoms, int64_t device,
                  llvm::ArrayRef<AtomId> list);

class Simulator {
public:
  /// Devices that hold `shape` laid out as `layout`; every partial value is a
  /// part of its own.
  Simulator(const AxisAtoms &atoms, const Layout &layout,
            llvm::ArrayRef<int64_t> shape);

  /// Executes one step. Empty on success, else what is wrong with the step.
  std::string execute(const ReshardStep &step);

  /// Compares with what `layout` demands, where `numParts` partial values make
  /// up each element. Empty on success.
  std::string check(const Layout &layout, int64_t numParts) const;

private:
  std::string resize(llvm::ArrayRef<int64_t> shape, bool grow);
  std::string gather(const ReshardStep &step);
  std::string slice(const ReshardStep &step, bool evenly);
  std::string reduce(llvm::ArrayRef<AtomId> list);
  std::string move(const AtomMove &move);
  std::string permute(const ReshardStep &step);
  std::string exchange(const ReshardStep &step);
  void makePartial(llvm::ArrayRef<AtomId> list);
  void broadcast(llvm::ArrayRef<AtomId> list);
  std::string run(const ReshardStep &step);

  const AxisAtoms &atoms;
  Shape global;
  Layout layout;
  std::vector<Buffer> devices;
};

} // namespace partita::test

#endif
