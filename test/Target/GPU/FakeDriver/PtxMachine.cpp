// Runs PTX: every thread on its own until it ends or stands at a barrier or
// shuffle.
#include "PtxArithmetic.h"
#include <algorithm>
#include <cstring>

using namespace ptx;

namespace {

struct Frame {
  Function *function;
  std::vector<uint64_t> registers;
  std::vector<uint8_t> memory;
  size_t pc = 0;
  bool carry = false;
};

struct Thread {
  std::vector<std::unique_ptr<Frame>> frames;
  uint32_t id[3], linear;
  enum class State {
    Running,
    AtBarrier,
    AtShuffle,
    Ended
  } state = State::Running;
};

class Machine {
public:
  Machine(Module &module, Function &kernel, const Launch &launch)
      : module(module), kernel(kernel), launch(launch) {}
  std::string run();

private:
  bool fail(const Instruction &i, const std::string &message) {
    if (error.empty())
      error = kernel.name + ", line " + std::to_string(i.line) + ": " + message;
    return false;
  }
  void startThread(Thread &thread, uint32_t linear);
  void runBlock();
  void advance(Thread &thread);
  void shuffle(size_t warp);
  bool step(Thread &thread, Frame &frame, const Instruction &i);
  bool access(Thread &thread, Frame &frame, const Instruction &i);
  bool call(Thread &thread, Frame &frame, const Instruction &i);
  uint64_t get(const Thread &thread, const Frame &frame,
               const Operand &operand) const;
  static void set(Frame &frame, const Operand &operand, uint64_t value) {
    if (operand.kind == Operand::Kind::Register)
      frame.registers[operand.index] = value;
  }
  bool isSync(const Instruction &i) const {
    return i.op == Op::Bar || i.op == Op::Shfl;
  }

  Module &module;
  Function &kernel;
  const Launch &launch;
  std::string error;
  std::vector<Thread> threads;
  std::vector<uint8_t> shared;
  uint32_t blockId[3] = {};
};

} // namespace

uint64_t Machine::get(const Thread &thread, const Frame &frame,
                      const Operand &operand) const {
  switch (operand.kind) {
  case Operand::Kind::Register:
    return operand.isNegated ? !frame.registers[operand.index]
                             : frame.registers[operand.index];
  case Operand::Kind::Immediate:
    return operand.value;
  case Operand::Kind::Frame:
    return reinterpret_cast<uint64_t>(frame.memory.data()) + operand.value;
  case Operand::Kind::Shared:
    return reinterpret_cast<uint64_t>(shared.data()) + operand.value;
  case Operand::Kind::Special: {
    uint32_t i = operand.index;
    if (i < 3)
      return thread.id[i];
    if (i < 6)
      return launch.block[i - 3];
    if (i < 9)
      return blockId[i - 6];
    if (i < 12)
      return launch.grid[i - 9];
    return thread.linear % 32;
  }
  case Operand::Kind::None:
    return 0;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

bool Machine::access(Thread &thread, Frame &frame, const Instruction &i) {
  uint64_t address = get(thread, frame, i.from_[0]) + uint64_t(i.offset);
  uint32_t bytes = uint32_t(getBits(i.type)) / 8;
  bool isWrite = i.op == Op::Store;
  if (address % bytes)
    return fail(i, "a misaligned access");
  bool isOurs = false; // constant arrays of the module
  for (auto &array : module.arrays)
    isOurs |=
        !isWrite && address >= uint64_t(array->data()) &&
        address + bytes * i.width <= uint64_t(array->data()) + array->size();
  if ((i.flags & Global) && !isOurs && launch.access &&
      !launch.access(address, bytes * i.width, isWrite))
    return fail(i, "an access outside all allocations");
  for (uint32_t k = 0; k < i.width; ++k) {
    void *at = reinterpret_cast<void *>(address + k * bytes);
    uint64_t value = 0;
    if (isWrite) {
      value = get(thread, frame, i.from_[1 + k]);
      std::memcpy(at, &value, bytes);
    } else {
      std::memcpy(&value, at, bytes);
      set(frame, i.to[k],
          isSigned(i.type) ? uint64_t(extend(value, i.type)) : value);
    }
  }
  return true;
}

bool Machine::call(Thread &thread, Frame &frame, const Instruction &i) {
  Function *callee = module.functions[i.target].get();
  auto made = std::make_unique<Frame>();
  made->function = callee;
  made->registers.resize(callee->numRegisters);
  made->memory.resize(callee->frameBytes + 16);
  for (size_t p = 0; p < callee->parameters.size(); ++p)
    std::memcpy(made->memory.data() + callee->parameters[p].offset,
                reinterpret_cast<void *>(get(thread, frame, i.from_[p])),
                callee->parameters[p].bytes);
  thread.frames.push_back(std::move(made));
  return true;
}

/// One instruction that is no barrier or shuffle. False ends the thread's turn.
bool Machine::step(Thread &thread, Frame &frame, const Instruction &i) {
  auto source = [&](size_t k) {
    return k < i.from_.size() ? get(thread, frame, i.from_[k]) : 0;
  };
  switch (i.op) {
  case Op::Bra:
    frame.pc = size_t(i.target);
    return true;
  case Op::Call:
    return call(thread, frame, i);
  case Op::Ret: {
    if (thread.frames.size() == 1) {
      thread.state = Thread::State::Ended;
      return false;
    }
    Frame &caller = *thread.frames[thread.frames.size() - 2];
    const Instruction &site = caller.function->code[caller.pc - 1];
    for (size_t r = 0; r < frame.function->results.size(); ++r)
      std::memcpy(reinterpret_cast<void *>(get(thread, caller, site.to[r])),
                  frame.memory.data() + frame.function->results[r].offset,
                  frame.function->results[r].bytes);
    thread.frames.pop_back();
    return true;
  }
  case Op::Load:
  case Op::Store:
    return access(thread, frame, i);
  case Op::Trap:
    return fail(i, "trap");
  case Op::Mov: {
    // Packs or unpacks where one side is a vector.
    uint64_t value = source(0);
    int part = getBits(i.type) / int(std::max(i.to.size(), i.from_.size()));
    for (size_t k = 1; k < i.from_.size(); ++k)
      value = truncate(value, part * int(k)) | truncate(source(k), part)
                                                   << part * int(k);
    for (size_t k = 0; k < i.to.size(); ++k)
      set(frame, i.to[k],
          i.to.size() == 1 ? value : truncate(value >> part * int(k), part));
    return true;
  }
  case Op::Cvta:
    set(frame, i.to[0], source(0));
    return true;
  case Op::Setp: {
    bool value = compare(i, source(0), source(1));
    bool other = i.combine == Op::Mov ? false : source(2);
    bool first = i.combine == Op::And  ? value && other
                 : i.combine == Op::Or ? value || other
                                       : value != other;
    set(frame, i.to[0], first);
    if (i.to.size() > 1)
      set(frame, i.to[1], !value);
    return true;
  }
  case Op::Selp:
    set(frame, i.to[0], source(2) ? source(0) : source(1));
    return true;
  case Op::Cvt:
    set(frame, i.to[0], convert(i, source(0), error));
    return error.empty();
  default:
    set(frame, i.to[0],
        compute(i, frame.carry, source(0), source(1), source(2), error));
    return error.empty();
  }
}

/// Runs a thread until it ends or stands at a barrier or shuffle.
void Machine::advance(Thread &thread) {
  thread.state = Thread::State::Running;
  while (error.empty()) {
    Frame &frame = *thread.frames.back();
    const Instruction &i = frame.function->code[frame.pc];
    bool isOff =
        i.guard >= 0 && (frame.registers[i.guard] != 0) == i.isGuardNegated;
    if (!isOff && isSync(i)) {
      thread.state =
          i.op == Op::Bar ? Thread::State::AtBarrier : Thread::State::AtShuffle;
      return;
    }
    ++frame.pc;
    if (!isOff && !step(thread, frame, i))
      return;
  }
}

/// All running lanes of the warp stand at a shuffle: exchanges their values.
void Machine::shuffle(size_t first) {
  size_t last = std::min(first + 32, threads.size());
  std::vector<uint64_t> values(last - first);
  size_t pc = threads[first].frames.back()->pc;
  for (size_t t = first; t < last; ++t) {
    Frame &frame = *threads[t].frames.back();
    const Instruction &i = frame.function->code[frame.pc];
    if (threads[t].state != Thread::State::AtShuffle || frame.pc != pc) {
      fail(i, "lanes of a warp stand at different shuffles");
      return;
    }
    values[t - first] = get(threads[t], frame, i.from_[0]);
  }
  for (size_t t = first; t < last; ++t) {
    Frame &frame = *threads[t].frames.back();
    const Instruction &i = frame.function->code[frame.pc];
    size_t operand = get(threads[t], frame, i.from_[1]);
    size_t lane = i.flags & Idx ? operand & 31 : (t - first) ^ operand;
    bool isValid = lane < values.size();
    set(frame, i.to[0], isValid ? values[lane] : values[t - first]);
    if (i.to.size() > 1)
      set(frame, i.to[1], isValid);
    ++frame.pc;
    threads[t].state = Thread::State::Running;
  }
}

void Machine::startThread(Thread &thread, uint32_t linear) {
  thread.linear = linear;
  thread.id[0] = linear % launch.block[0];
  thread.id[1] = linear / launch.block[0] % launch.block[1];
  thread.id[2] = linear / launch.block[0] / launch.block[1];
  thread.state = Thread::State::Running;
  if (thread.frames.empty()) {
    auto frame = std::make_unique<Frame>();
    frame->function = &kernel;
    frame->registers.resize(kernel.numRegisters);
    frame->memory.resize(kernel.frameBytes + 16);
    for (size_t p = 0; p < kernel.parameters.size(); ++p)
      std::memcpy(frame->memory.data() + kernel.parameters[p].offset,
                  launch.arguments[p], kernel.parameters[p].bytes);
    thread.frames.push_back(std::move(frame));
  }
  thread.frames.front()->pc = 0;
}

void Machine::runBlock() {
  uint32_t count = launch.block[0] * launch.block[1] * launch.block[2];
  if (!kernel.hasSync) {
    threads.resize(1);
    for (uint32_t t = 0; t < count && error.empty(); ++t) {
      startThread(threads[0], t);
      advance(threads[0]);
    }
    return;
  }
  threads.resize(count);
  for (uint32_t t = 0; t < count; ++t)
    startThread(threads[t], t);
  while (error.empty()) {
    for (Thread &thread : threads)
      if (thread.state == Thread::State::Running)
        advance(thread);
    bool anyAtShuffle = false, allAtBarrier = true, allEnded = true;
    for (size_t t = 0; t < count; ++t) {
      anyAtShuffle |= threads[t].state == Thread::State::AtShuffle;
      allAtBarrier &= threads[t].state == Thread::State::AtBarrier;
      allEnded &= threads[t].state == Thread::State::Ended;
    }
    if (allEnded)
      return;
    if (allAtBarrier) {
      for (Thread &thread : threads) {
        ++thread.frames.back()->pc;
        thread.state = Thread::State::Running;
      }
      continue;
    }
    if (!anyAtShuffle) {
      error =
          kernel.name + ": some threads have ended, others wait at a barrier";
      return;
    }
    for (size_t first = 0; first < count; first += 32)
      if (threads[first].state == Thread::State::AtShuffle)
        shuffle(first);
  }
}

std::string Machine::run() {
  uint32_t count = launch.block[0] * launch.block[1] * launch.block[2];
  if (kernel.maxThreads && count > kernel.maxThreads)
    return kernel.name + ": " + std::to_string(count) +
           " threads, .maxntid is " + std::to_string(kernel.maxThreads);
  for (blockId[2] = 0; blockId[2] < launch.grid[2]; ++blockId[2])
    for (blockId[1] = 0; blockId[1] < launch.grid[1]; ++blockId[1])
      for (blockId[0] = 0; blockId[0] < launch.grid[0] && error.empty();
           ++blockId[0]) {
        // Shared memory starts with whatever was there: poison.
        shared.assign(kernel.sharedBytes + 16, 0xcd);
        runBlock();
      }
  return error.empty() || error.rfind(kernel.name, 0) == 0
             ? error
             : kernel.name + ": " + error;
}

std::string ptx::run(Module &module, Function &kernel, const Launch &launch) {
  return Machine(module, kernel, launch).run();
}
