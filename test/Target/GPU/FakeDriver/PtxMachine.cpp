// Runs PTX: every thread on its own until it ends or stands at a barrier or shuffle.
#include "Ptx.h"
#include "lib/Runtime/Numbers.h"
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

using namespace ptx;
using partita::runtime::BF16;
using partita::runtime::F16;

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
  enum class State { Running, AtBarrier, AtShuffle, Ended } state = State::Running;
};

int getBits(Type type) {
  switch (type) {
  case Type::B8: case Type::U8: case Type::S8: return 8;
  case Type::B16: case Type::U16: case Type::S16: case Type::F16: case Type::BF16: return 16;
  case Type::B64: case Type::U64: case Type::S64: case Type::F64: return 64;
  case Type::Pred: return 1;
  default: return 32;
  }
}

bool isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
}
bool isFloat(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 || type == Type::F64;
}

uint64_t truncate(uint64_t value, int bits) {
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

/// The value as 64 bits: signed types with their sign.
int64_t extend(uint64_t value, Type type) {
  int shift = 64 - getBits(type);
  return isSigned(type) ? int64_t(value << shift) >> shift
                        : int64_t(truncate(value, getBits(type)));
}

double toDouble(uint64_t bits, Type type) {
  switch (type) {
  case Type::F64: return std::bit_cast<double>(bits);
  case Type::F32: return std::bit_cast<float>(uint32_t(bits));
  case Type::F16: { F16 half; half.bits = uint16_t(bits); return float(half); }
  default: { BF16 half; half.bits = uint16_t(bits); return float(half); }
  }
}

uint64_t fromFloat(float value, Type type) {
  if (type == Type::F16)
    return F16(value).bits;
  if (type == Type::BF16)
    return BF16(value).bits;
  return std::bit_cast<uint32_t>(value);
}

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
  uint64_t get(const Thread &thread, const Frame &frame, const Operand &operand) const;
  static void set(Frame &frame, const Operand &operand, uint64_t value) {
    if (operand.kind == Operand::Kind::Register)
      frame.registers[operand.index] = value;
  }
  uint64_t compute(const Instruction &i, Frame &frame, uint64_t a, uint64_t b, uint64_t c);
  uint64_t computeInteger(const Instruction &i, Frame &frame, uint64_t a, uint64_t b,
                          uint64_t c);
  template <typename T> T computeFloat(const Instruction &i, T a, T b, T c);
  uint64_t convert(const Instruction &i, uint64_t a);
  bool compare(const Instruction &i, uint64_t a, uint64_t b);
  bool isSync(const Instruction &i) const { return i.op == Op::Bar || i.op == Op::Shfl; }

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
    if (i < 3) return thread.id[i];
    if (i < 6) return launch.block[i - 3];
    if (i < 9) return blockId[i - 6];
    if (i < 12) return launch.grid[i - 9];
    return thread.linear % 32;
  }
  case Operand::Kind::None:
    return 0;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static int getRounding(uint32_t flags) {
  return flags & RoundZero   ? FE_TOWARDZERO
         : flags & RoundUp   ? FE_UPWARD
         : flags & RoundDown ? FE_DOWNWARD
                             : FE_TONEAREST;
}

template <typename T> static T roundToInteger(T value, uint32_t flags) {
  return flags & RoundZero   ? std::trunc(value)
         : flags & RoundUp   ? std::ceil(value)
         : flags & RoundDown ? std::floor(value)
                             : std::nearbyint(value);
}

template <typename T> static T flush(T value, bool on) {
  return on && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T(0), value) : value;
}

template <typename T> T Machine::computeFloat(const Instruction &i, T a, T b, T c) {
  bool ftz = i.flags & Ftz;
  a = flush(a, ftz);
  b = flush(b, ftz);
  int mode = getRounding(i.flags);
  if (mode != FE_TONEAREST)
    std::fesetround(mode);
  volatile T x = a, y = b, z = c, r = 0;
  switch (i.op) {
  case Op::Add: r = x + y; break;
  case Op::Sub: r = x - y; break;
  case Op::Mul: r = x * y; break;
  case Op::Mad:
  case Op::Fma: r = std::fma(T(x), T(y), T(z)); break;
  case Op::Div: r = x / y; break;
  case Op::Abs: r = std::fabs(T(x)); break;
  case Op::Neg: r = -x; break;
  case Op::Min:
  case Op::Max: {
    bool isMax = i.op == Op::Max, isNaN = x != x || y != y;
    if (isNaN && ((i.flags & NaN) || (x != x && y != y)))
      r = std::numeric_limits<T>::quiet_NaN();
    else if (isNaN)
      r = x != x ? y : x;
    else if (x == y)
      r = std::signbit(T(x)) == isMax ? y : x;
    else
      r = (x > y) == isMax ? x : y;
    break;
  }
  case Op::Sqrt: r = std::sqrt(T(x)); break;
  case Op::Rsqrt: r = T(1) / std::sqrt(T(x)); break;
  case Op::Rcp: r = T(1) / x; break;
  case Op::Ex2: r = std::exp2(T(x)); break;
  case Op::Lg2: r = std::log2(T(x)); break;
  case Op::Sin: r = std::sin(T(x)); break;
  case Op::Cos: r = std::cos(T(x)); break;
  case Op::Tanh: r = std::tanh(T(x)); break;
  case Op::Copysign: r = std::copysign(T(y), T(x)); break;
  default: fail(i, "no such operation on floats");
  }
  if (mode != FE_TONEAREST)
    std::fesetround(FE_TONEAREST);
  T result = flush(T(r), ftz);
  if (i.flags & Sat)
    result = result > 0 ? std::fmin(result, T(1)) : T(0);
  return result;
}

uint64_t Machine::computeInteger(const Instruction &i, Frame &frame, uint64_t a, uint64_t b,
                                 uint64_t c) {
  int bits = getBits(i.type);
  using Wider = unsigned __int128;
  int64_t sa = extend(a, i.type), sb = extend(b, i.type);
  uint64_t ua = truncate(a, bits), ub = truncate(b, bits), uc = truncate(c, bits);
  auto withCarry = [&](Wider sum) {
    if (i.flags & Carry)
      frame.carry = (sum >> bits) & 1;
    return uint64_t(sum);
  };
  uint64_t carry = i.flags & UseCarry ? frame.carry : 0;
  switch (i.op) {
  case Op::Add:
    return withCarry(Wider(ua) + ub + carry);
  case Op::Sub: {
    Wider difference = Wider(ua) - ub - carry;
    return withCarry(difference);
  }
  case Op::Mul:
  case Op::Mad: {
    __int128 product = isSigned(i.type) ? __int128(sa) * sb : __int128(Wider(ua) * ub);
    if (i.flags & Wide)
      return uint64_t(product) + (i.op == Op::Mad ? c : 0);
    uint64_t part = truncate(i.flags & Hi ? uint64_t(product >> bits) : uint64_t(product), bits);
    return i.op == Op::Mad ? withCarry(Wider(part) + uc + carry) : part;
  }
  case Op::Div:
    if (ub == 0)
      return ~uint64_t(0);
    return isSigned(i.type) ? (sb == -1 ? uint64_t(-sa) : uint64_t(sa / sb)) : ua / ub;
  case Op::Rem:
    if (ub == 0)
      return ua;
    return isSigned(i.type) ? (sb == -1 ? 0 : uint64_t(sa % sb)) : ua % ub;
  case Op::Abs: return uint64_t(sa < 0 ? -sa : sa);
  case Op::Neg: return uint64_t(-sa);
  case Op::Min: return isSigned(i.type) ? uint64_t(std::min(sa, sb)) : std::min(ua, ub);
  case Op::Max: return isSigned(i.type) ? uint64_t(std::max(sa, sb)) : std::max(ua, ub);
  case Op::And: return a & b;
  case Op::Or: return a | b;
  case Op::Xor: return a ^ b;
  case Op::Not: return i.type == Type::Pred ? !a : ~a;
  case Op::Shl: return uint32_t(b) >= uint32_t(bits) ? 0 : a << uint32_t(b);
  case Op::Shr: {
    uint32_t by = std::min<uint32_t>(uint32_t(b), uint32_t(bits));
    if (isSigned(i.type))
      return uint64_t(sa >> std::min<uint32_t>(by, 63));
    return by >= 64 ? 0 : ua >> by;
  }
  case Op::Shf: {
    uint64_t both = uint64_t(uint32_t(b)) << 32 | uint32_t(a);
    uint32_t by = i.flags & Wrap ? uint32_t(c) & 31 : std::min<uint32_t>(uint32_t(c), 32);
    return i.flags & Left ? uint32_t(both << by >> 32) : uint32_t(both >> by);
  }
  case Op::Popc: return uint64_t(std::popcount(ua));
  case Op::Clz: return uint64_t(std::countl_zero(ua) - (64 - bits));
  case Op::Brev: {
    uint64_t result = 0;
    for (int k = 0; k < bits; ++k)
      result |= (ua >> k & 1) << (bits - 1 - k);
    return result;
  }
  case Op::Bfe: {
    uint32_t from = uint32_t(b) & 255, length = uint32_t(c) & 255;
    if (isSigned(i.type)) {
      fail(i, "signed bfe");
      return 0;
    }
    return length == 0 || from >= 64 ? 0 : truncate(ua >> from, std::min<int>(int(length), 64));
  }
  case Op::Prmt: {
    uint64_t both = uint64_t(uint32_t(b)) << 32 | uint32_t(a), result = 0;
    for (int k = 0; k < 4; ++k) {
      uint32_t selector = uint32_t(c >> 4 * k) & 15;
      uint64_t byte = both >> 8 * (selector & 7) & 255;
      if (selector & 8)
        byte = byte & 128 ? 255 : 0;
      result |= byte << 8 * k;
    }
    return result;
  }
  default:
    fail(i, "no such operation on integers");
    return 0;
  }
}

uint64_t Machine::compute(const Instruction &i, Frame &frame, uint64_t a, uint64_t b,
                          uint64_t c) {
  switch (i.type) {
  case Type::F64:
    return std::bit_cast<uint64_t>(computeFloat<double>(
        i, std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(c)));
  case Type::F32:
    return std::bit_cast<uint32_t>(computeFloat<float>(
        i, std::bit_cast<float>(uint32_t(a)), std::bit_cast<float>(uint32_t(b)),
        std::bit_cast<float>(uint32_t(c))));
  case Type::F16:
  case Type::BF16:
    if (i.op == Op::Neg)
      return a ^ 0x8000;
    if (i.op == Op::Abs)
      return a & 0x7fff;
    return fromFloat(float(computeFloat<double>(i, toDouble(a, i.type), toDouble(b, i.type),
                                                toDouble(c, i.type))),
                     i.type);
  default: {
    uint64_t value = computeInteger(i, frame, a, b, c);
    bool isCount = i.op == Op::Popc || i.op == Op::Clz;
    int bits = getBits(i.type);
    return truncate(value, i.flags & Wide ? 2 * bits : isCount ? 32 : bits);
  }
  }
}

uint64_t Machine::convert(const Instruction &i, uint64_t a) {
  Type to = i.type, from = i.from;
  if (!isFloat(from) && !isFloat(to)) {
    int64_t value = extend(a, from);
    if (i.flags & Sat)
      fail(i, "saturating conversion of integers");
    return truncate(uint64_t(value), getBits(to));
  }
  if (!isFloat(from)) { // integer to float
    int64_t value = extend(a, from);
    bool isUnsigned = !isSigned(from);
    if (to == Type::F64)
      return std::bit_cast<uint64_t>(isUnsigned ? double(uint64_t(value)) : double(value));
    return fromFloat(isUnsigned ? float(uint64_t(value)) : float(value), to);
  }
  double value = toDouble(a, from);
  if (!isFloat(to)) {
    if (value != value)
      return 0;
    value = roundToInteger(value, i.flags);
    int bits = getBits(to);
    if (isSigned(to)) {
      double limit = std::ldexp(1.0, bits - 1);
      int64_t result = value >= limit    ? int64_t((uint64_t(1) << (bits - 1)) - 1)
                       : value <= -limit ? -int64_t(uint64_t(1) << (bits - 1))
                                         : int64_t(value);
      return truncate(uint64_t(result), bits);
    }
    if (value <= 0)
      return 0;
    return value >= std::ldexp(1.0, bits) ? truncate(~uint64_t(0), bits) : uint64_t(value);
  }
  if (i.flags & RoundInteger)
    value = roundToInteger(value, i.flags);
  if (i.flags & Sat)
    value = value > 0 ? std::fmin(value, 1.0) : 0.0;
  if (to == Type::F64)
    return std::bit_cast<uint64_t>(value);
  int mode = i.flags & RoundInteger ? FE_TONEAREST : getRounding(i.flags);
  if (mode != FE_TONEAREST)
    std::fesetround(mode);
  volatile float narrow = float(value);
  if (mode != FE_TONEAREST)
    std::fesetround(FE_TONEAREST);
  return fromFloat(flush(float(narrow), i.flags & Ftz), to);
}

bool Machine::compare(const Instruction &i, uint64_t a, uint64_t b) {
  auto decide = [&](auto x, auto y) {
    switch (i.compare) {
    case Compare::Eq: return x == y;
    case Compare::Ne: return x != y;
    case Compare::Lt: return x < y;
    case Compare::Le: return x <= y;
    case Compare::Gt: return x > y;
    default: return x >= y;
    }
  };
  if (isFloat(i.type)) {
    double x = toDouble(a, i.type), y = toDouble(b, i.type);
    bool isOrdered = x == x && y == y;
    if (i.compare == Compare::Num || i.compare == Compare::Nan)
      return isOrdered == (i.compare == Compare::Num);
    return isOrdered ? decide(x, y) : (i.flags & Unordered) != 0;
  }
  int64_t x = extend(a, i.type), y = extend(b, i.type);
  return isSigned(i.type) ? decide(x, y) : decide(uint64_t(x), uint64_t(y));
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
    isOurs |= !isWrite && address >= uint64_t(array->data()) &&
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
      set(frame, i.to[k], isSigned(i.type) ? uint64_t(extend(value, i.type)) : value);
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
      value = truncate(value, part * int(k)) | truncate(source(k), part) << part * int(k);
    for (size_t k = 0; k < i.to.size(); ++k)
      set(frame, i.to[k], i.to.size() == 1 ? value : truncate(value >> part * int(k), part));
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
    set(frame, i.to[0], convert(i, source(0)));
    return error.empty();
  default:
    set(frame, i.to[0], compute(i, frame, source(0), source(1), source(2)));
    return error.empty();
  }
}

/// Runs a thread until it ends or stands at a barrier or shuffle.
void Machine::advance(Thread &thread) {
  thread.state = Thread::State::Running;
  while (error.empty()) {
    Frame &frame = *thread.frames.back();
    const Instruction &i = frame.function->code[frame.pc];
    bool isOff = i.guard >= 0 && (frame.registers[i.guard] != 0) == i.isGuardNegated;
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
      std::memcpy(frame->memory.data() + kernel.parameters[p].offset, launch.arguments[p],
                  kernel.parameters[p].bytes);
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
      error = kernel.name + ": some threads have ended, others wait at a barrier";
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
    return kernel.name + ": " + std::to_string(count) + " threads, .maxntid is " +
           std::to_string(kernel.maxThreads);
  for (blockId[2] = 0; blockId[2] < launch.grid[2]; ++blockId[2])
    for (blockId[1] = 0; blockId[1] < launch.grid[1]; ++blockId[1])
      for (blockId[0] = 0; blockId[0] < launch.grid[0] && error.empty(); ++blockId[0]) {
        // Shared memory starts with whatever was there: poison.
        shared.assign(kernel.sharedBytes + 16, 0xcd);
        runBlock();
      }
  return error;
}

std::string ptx::run(Module &module, Function &kernel, const Launch &launch) {
  return Machine(module, kernel, launch).run();
}
