// PTX as the fake driver runs it: what LLVM and the runtime write, no more.
// Parsed once per module, run thread by thread on the host.
#ifndef PARTITA_TEST_FAKEDRIVER_PTX_H
#define PARTITA_TEST_FAKEDRIVER_PTX_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptx {

enum class Type : uint8_t {
  None,
  B8,
  B16,
  B32,
  B64,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  F32,
  F64,
  Pred
};

enum class Op : uint8_t {
  Mov,
  Load,
  Store,
  Cvta,
  Add,
  Sub,
  Mul,
  Mad,
  Fma,
  Div,
  Rem,
  Abs,
  Neg,
  Min,
  Max,
  And,
  Or,
  Xor,
  Not,
  Shl,
  Shr,
  Shf,
  Popc,
  Clz,
  Brev,
  Bfe,
  Prmt,
  Setp,
  Selp,
  Cvt,
  Sqrt,
  Rsqrt,
  Rcp,
  Ex2,
  Lg2,
  Sin,
  Cos,
  Tanh,
  Copysign,
  Bra,
  Call,
  Ret,
  Bar,
  Shfl,
  Trap
};

/// Words between the dots of an opcode that are no types.
enum Flag : uint32_t {
  Wide = 1,
  Lo = 2,
  Hi = 4,
  Carry = 8,     // .cc
  UseCarry = 16, // addc, subc, madc
  NaN = 32,
  Sat = 64,
  Ftz = 128,
  RoundZero = 256,
  RoundUp = 512,
  RoundDown = 1024,
  RoundInteger = 2048,
  RoundNearest = 4096,
  Global = 1 << 13,
  Unordered = 1 << 14,
  Wrap = 1 << 15,
  Left = 1 << 16,
  Idx = 1 << 17,
  Right = 1 << 18
};

enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Num, Nan };

struct Operand {
  /// Frame: an address in the thread's own memory; Shared: in the block's.
  enum class Kind : uint8_t {
    None,
    Register,
    Immediate,
    Frame,
    Shared,
    Special
  };
  Kind kind = Kind::None;
  bool isNegated = false; ///< !%p
  uint32_t index = 0;     ///< register, special register
  uint64_t value = 0;     ///< immediate, offset
};

struct Instruction {
  Op op;
  Type type = Type::None,
       from = Type::None; ///< cvt: to, from; mul.wide: of the sources
  Compare compare = Compare::Eq;
  Op combine = Op::Mov; ///< setp.and: And, Or, Xor
  uint8_t width = 1;    ///< of vectors
  uint32_t flags = 0;
  int32_t guard = -1; ///< predicate register
  bool isGuardNegated = false;
  int32_t target = -1; ///< of branches; callee
  int32_t line = 0;
  /// Destinations, then sources; a vector's elements stand one by one.
  std::vector<Operand> to, from_;
  int64_t offset = 0; ///< of an address
};

struct Parameter {
  std::string name;
  uint32_t offset, bytes;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool hasSync = false; ///< barriers or shuffles
  std::vector<Parameter> parameters, results;
  std::vector<Instruction> code;
  uint32_t numRegisters = 0, frameBytes = 0, sharedBytes = 0;
  uint32_t maxThreads = 0;
};

struct Module {
  std::map<std::string, int> index;
  std::vector<std::unique_ptr<Function>> functions;
  /// Constant arrays.
  std::vector<std::unique_ptr<std::vector<uint8_t>>> arrays;
  std::map<std::string, uint64_t> addresses;

  Function *find(const std::string &name) {
    auto at = index.find(name);
    return at == index.end() ? nullptr : functions[at->second].get();
  }
};

/// An error text or "".
std::string parse(const std::string &text, Module &module);

struct Launch {
  uint32_t grid[3], block[3];
  std::vector<const void *> arguments;
  /// Called for each access to global memory; false refuses it.
  std::function<bool(uint64_t address, uint32_t bytes, bool isWrite)> access;
};

/// Runs a kernel to its end. An error text or "".
std::string run(Module &module, Function &kernel, const Launch &launch);

} // namespace ptx

#endif
