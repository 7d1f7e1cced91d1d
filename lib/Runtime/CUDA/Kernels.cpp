// PTX texts of the runtime's own kernels, and their launches.
//
// One thread per element. Pointers and strides are a table among the kernel's
// parameters, which is constant memory: no copy to the device comes before a
// launch.
#include "Kernels.h"
#include <algorithm>
#include <cstring>

using namespace partita::runtime;
using namespace partita::runtime::cuda;

static constexpr unsigned kThreads = 256;
static constexpr size_t kMaxRank = 8;

/// How values of a type are held in registers while they are folded.
namespace {
struct Form {
  const char *load, *store;   ///< suffixes of ld.global and st.global
  const char *reg, *type;     ///< register class and type of arithmetic
  const char *widen, *narrow; ///< code from %raw to a value and back, or ""
  int bytes;
};
} // namespace

static Form getForm(partita_dtype dtype) {
  switch (dtype) {
  case PARTITA_F64:
  case PARTITA_C128:
    return {"f64", "f64", "f64", "f64", "", "", 8};
  case PARTITA_F32:
  case PARTITA_C64:
    return {"f32", "f32", "f32", "f32", "", "", 4};
  case PARTITA_BF16:
    return {"b16",
            "b16",
            "f32",
            "f32",
            "cvt.u32.u16 %wide, %raw;\n\tshl.b32 %wide, %wide, 16;\n\tmov.b32 "
            "VALUE, %wide;",
            "cvt.rn.bf16.f32 %raw, %acc;",
            2};
  case PARTITA_F16:
    return {"b16",
            "b16",
            "f32",
            "f32",
            "cvt.f32.f16 VALUE, %raw;",
            "cvt.rn.f16.f32 %raw, %acc;",
            2};
  case PARTITA_I1:
  case PARTITA_UI8:
    return {"u8", "u8", "b32", "u32", "", "", 1};
  case PARTITA_I8:
    return {"s8", "u8", "b32", "s32", "", "", 1};
  case PARTITA_I16:
    return {"s16", "u16", "b32", "s32", "", "", 2};
  case PARTITA_UI16:
    return {"u16", "u16", "b32", "u32", "", "", 2};
  case PARTITA_I32:
    return {"b32", "b32", "b32", "s32", "", "", 4};
  case PARTITA_UI32:
    return {"b32", "b32", "b32", "u32", "", "", 4};
  case PARTITA_I64:
    return {"b64", "b64", "b64", "s64", "", "", 8};
  case PARTITA_UI64:
    return {"b64", "b64", "b64", "u64", "", "", 8};
  }
  return {};
}

/// Code of %acc = %acc op %item.
static std::string getCombination(partita_reduction kind, partita_dtype dtype) {
  std::string type = getForm(dtype).type;
  bool isWide = type == "s64" || type == "u64";
  std::string bits = isWide ? "b64" : "b32", operands = " %acc, %acc, %item;";
  bool isFloat = type[0] == 'f';
  if (dtype == PARTITA_I1 && (kind == PARTITA_ADD || kind == PARTITA_MAX))
    kind = PARTITA_OR;
  if (dtype == PARTITA_I1 && (kind == PARTITA_MUL || kind == PARTITA_MIN))
    kind = PARTITA_AND;
  switch (kind) {
  case PARTITA_ADD:
    return isFloat ? "add.rn." + type + operands
                   : (isWide ? "add.s64" : "add.s32") + operands;
  case PARTITA_MUL:
    return isFloat ? "mul.rn." + type + operands
                   : (isWide ? "mul.lo.s64" : "mul.lo.s32") + operands;
  case PARTITA_MAX:
  case PARTITA_MIN: {
    std::string name = kind == PARTITA_MAX ? "max" : "min";
    if (type == "f32")
      return name + ".NaN.f32" + operands;
    if (type == "f64") // has no .NaN
      return "setp.nan.f64 %nan, %acc, %item;\n\t" + name + ".f64" + operands +
             "\n\tselp.f64 %acc, 0d7FF8000000000000, %acc, %nan;";
    return name + "." + type + operands;
  }
  case PARTITA_AND:
    return "and." + bits + operands;
  case PARTITA_OR:
    return "or." + bits + operands;
  case PARTITA_XOR:
    return "xor." + bits + operands;
  default:
    return "mov." + (isFloat ? type : bits) + " %acc, %item;";
  }
}

bool partita::runtime::cuda::hasReduction(partita_reduction kind,
                                          partita_dtype dtype) {
  bool isComplex = dtype == PARTITA_C64 || dtype == PARTITA_C128;
  return kind != PARTITA_BODY &&
         (!isComplex || kind == PARTITA_ADD || kind == PARTITA_SET);
}

std::string partita::runtime::cuda::getReductionName(partita_reduction kind,
                                                     partita_dtype dtype) {
  return std::string("partita_reduce_") + getName(kind) + "_" + getName(dtype);
}

static std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Header, and the thread's number in %i; leaves if it is not below `count`.
static constexpr const char *kStart = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry NAME(
	PARAMETERS
)
{
	.reg .pred %out, %end, %nan;
	.reg .b32 %block, %size, %thread;
	.reg .b64 %i, %n, %count;
	mov.u32 %block, %ctaid.x;
	mov.u32 %size, %ntid.x;
	mov.u32 %thread, %tid.x;
	mul.wide.u32 %i, %block, %size;
	cvt.u64.u32 %n, %thread;
	add.s64 %i, %i, %n;
	ld.param.u64 %count, [NAME_param_0];
	setp.ge.u64 %out, %i, %count;
	@%out bra $L_end;
)";

/// Parameters: count; number of inputs; of outputs; table of 64 and 64
/// pointers.
static constexpr const char *kReduction =
    R"(	.reg .b32 %inputs, %outputs, %k, %wide;
	.reg .b16 %raw;
	.reg .b64 %table, %at, %place;
	.reg .REG %acc, %item;
	mul.lo.s64 %n, %i, BYTES;
	mov.u64 %table, NAME_param_3;
	ld.param.u32 %inputs, [NAME_param_1];
	ld.param.u32 %outputs, [NAME_param_2];
	ld.param.u64 %at, [%table];
	cvta.to.global.u64 %at, %at;
	add.s64 %at, %at, %n;
	LOAD_ACC
	mov.b32 %k, 1;
$L_fold:
	setp.ge.u32 %end, %k, %inputs;
	@%end bra $L_store;
	mul.wide.u32 %place, %k, 8;
	add.s64 %place, %place, %table;
	ld.param.u64 %at, [%place];
	cvta.to.global.u64 %at, %at;
	add.s64 %at, %at, %n;
	LOAD_ITEM
	COMBINE
	add.s32 %k, %k, 1;
	bra $L_fold;
$L_store:
	mov.b32 %k, 0;
	NARROW
$L_next:
	setp.ge.u32 %end, %k, %outputs;
	@%end bra $L_end;
	mul.wide.u32 %place, %k, 8;
	add.s64 %place, %place, %table;
	ld.param.u64 %at, [%place+512];
	cvta.to.global.u64 %at, %at;
	add.s64 %at, %at, %n;
	st.global.STORE [%at], STORED;
	add.s32 %k, %k, 1;
	bra $L_next;
$L_end:
	ret;
}
)";

std::string partita::runtime::cuda::makeReductionText(const std::string &name) {
  // NAME = partita_reduce_KIND_DTYPE
  partita_reduction kind = PARTITA_ADD;
  partita_dtype dtype = PARTITA_F32;
  for (int k = PARTITA_ADD; k < PARTITA_BODY; ++k)
    for (int d = PARTITA_F64; d <= PARTITA_C128; ++d)
      if (getReductionName(partita_reduction(k), partita_dtype(d)) == name) {
        kind = partita_reduction(k);
        dtype = partita_dtype(d);
      }
  Form form = getForm(dtype);
  std::string widen = form.widen;
  auto load = [&](const std::string &value) {
    std::string target = widen.empty() ? value : "%raw";
    return std::string("ld.global.") + form.load + " " + target +
           ", [%at];\n\t" + replaceAll(widen, "VALUE", value);
  };
  std::string text = std::string(kStart) + kReduction;
  text = replaceAll(
      text, "PARAMETERS",
      ".param .u64 NAME_param_0,\n\t.param .u32 NAME_param_1,\n\t.param .u32 "
      "NAME_param_2,\n\t.param .align 8 .b8 NAME_param_3[1024]");
  text = replaceAll(text, "LOAD_ACC", load("%acc"));
  text = replaceAll(text, "LOAD_ITEM", load("%item"));
  text = replaceAll(text, "COMBINE", getCombination(kind, dtype));
  text = replaceAll(text, "NARROW", form.narrow);
  text = replaceAll(text, "STORED", widen.empty() ? "%acc" : "%raw");
  text = replaceAll(text, "STORE", form.store);
  text = replaceAll(text, ".REG", std::string(".") + form.reg);
  text = replaceAll(text, "BYTES", std::to_string(form.bytes));
  return replaceAll(text, "NAME", name);
}

/// Parameters: count; rank; target; source; table of size, target stride and
/// source stride (in bytes) per dimension.
static constexpr const char *kCopy =
    R"(	.reg .b32 %rank, %left, %extent, %quotient, %index;
	.reg .b64 %to, %from, %place, %stride, %wide;
	.reg .b32 %word;
	.reg .b16 %half;
	.reg .b64 %long, %longer;
	cvt.u32.u64 %left, %i;
	ld.param.u32 %rank, [NAME_param_1];
	ld.param.u64 %to, [NAME_param_2];
	ld.param.u64 %from, [NAME_param_3];
	cvta.to.global.u64 %to, %to;
	cvta.to.global.u64 %from, %from;
	mov.u64 %place, NAME_param_4;
	mul.wide.u32 %wide, %rank, 24;
	add.s64 %place, %place, %wide;
$L_next:
	setp.eq.u32 %end, %rank, 0;
	@%end bra $L_copy;
	add.s64 %place, %place, -24;
	ld.param.u32 %extent, [%place];
	div.u32 %quotient, %left, %extent;
	mul.lo.s32 %index, %quotient, %extent;
	sub.s32 %index, %left, %index;
	mov.b32 %left, %quotient;
	cvt.u64.u32 %wide, %index;
	ld.param.u64 %stride, [%place+8];
	mul.lo.s64 %stride, %stride, %wide;
	add.s64 %to, %to, %stride;
	ld.param.u64 %stride, [%place+16];
	mul.lo.s64 %stride, %stride, %wide;
	add.s64 %from, %from, %stride;
	add.s32 %rank, %rank, -1;
	bra $L_next;
$L_copy:
	ld.global.MOVE, [%from];
	st.global.STORE;
$L_end:
	ret;
}
)";

std::string partita::runtime::cuda::makeCopyText(const std::string &name) {
  std::string bytes = name.substr(name.rfind('_') + 1);
  std::string move, store;
  if (bytes == "16") {
    move = "v2.b64 {%long, %longer}";
    store = "v2.b64 [%to], {%long, %longer}";
  } else {
    std::string type =
        bytes == "1" ? "u8" : "b" + std::to_string(8 * std::stoi(bytes));
    std::string value = bytes == "8"   ? "%long"
                        : bytes == "2" ? "%half"
                                       : "%word";
    move = type + " " + value;
    store = type + " [%to], " + value;
  }
  std::string text = std::string(kStart) + kCopy;
  text = replaceAll(
      text, "PARAMETERS",
      ".param .u64 NAME_param_0,\n\t.param .u32 NAME_param_1,\n\t.param .u64 "
      "NAME_param_2,\n\t.param .u64 NAME_param_3,\n\t.param .align 8 .b8 "
      "NAME_param_4[192]");
  text = replaceAll(text, "MOVE", move);
  text = replaceAll(text, "STORE", store);
  return replaceAll(text, "NAME", name);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static std::string launch(Stream stream, Function function, int64_t count,
                          void **arguments) {
  int64_t blocks = (count + kThreads - 1) / kThreads;
  if (blocks > INT32_MAX)
    return "a copy or reduction of " + std::to_string(count) + " elements";
  PARTITA_CUDA(cuLaunchKernel, function, unsigned(blocks), 1, 1, kThreads, 1, 1,
               0, stream, arguments, nullptr);
  return "";
}

std::string partita::runtime::cuda::enqueueReduction(
    Device &device, Stream stream, partita_dtype dtype, partita_reduction kind,
    const std::vector<DevicePointer> &inputs,
    const std::vector<DevicePointer> &outputs, int64_t count) {
  if (count == 0 || outputs.empty())
    return "";
  if (inputs.size() > kMaxFolded || outputs.size() > kMaxFolded)
    return "groups of more than " + std::to_string(kMaxFolded) +
           " devices on one card are not supported";
  if (dtype == PARTITA_C64 || dtype == PARTITA_C128) {
    count *= 2; // sums of parts
    dtype = dtype == PARTITA_C64 ? PARTITA_F32 : PARTITA_F64;
  }
  Function function;
  std::string error = device.findOwnKernel(getReductionName(kind, dtype),
                                           makeReductionText, function);
  if (!error.empty())
    return error;
  uint64_t words = uint64_t(count), table[2 * kMaxFolded] = {};
  uint32_t numInputs = uint32_t(inputs.size()),
           numOutputs = uint32_t(outputs.size());
  std::copy(inputs.begin(), inputs.end(), table);
  std::copy(outputs.begin(), outputs.end(), table + kMaxFolded);
  void *arguments[] = {&words, &numInputs, &numOutputs, table};
  return launch(stream, function, count, arguments);
}

namespace {
struct Box {
  Shape sizes, to, from; ///< strides in bytes
};
} // namespace

/// Merges dimensions that are one in both arrays and drops those of size 1.
static Box simplify(const Shape &sizes, const Shape &to, const Shape &from,
                    int64_t bytes) {
  Box box;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1)
      continue;
    int64_t t = to[d] * bytes, f = from[d] * bytes;
    if (!box.sizes.empty() && box.to.back() == t * sizes[d] &&
        box.from.back() == f * sizes[d]) {
      box.sizes.back() *= sizes[d];
      box.to.back() = t;
      box.from.back() = f;
      continue;
    }
    box.sizes.push_back(sizes[d]);
    box.to.push_back(t);
    box.from.push_back(f);
  }
  return box;
}

std::string partita::runtime::cuda::enqueueStridedCopy(
    Device &device, Stream stream, DevicePointer to, const Shape &toStrides,
    DevicePointer from, const Shape &fromStrides, const Shape &sizes,
    int64_t bytes) {
  if (getVolume(sizes) == 0)
    return "";
  Box box = simplify(sizes, toStrides, fromStrides, bytes);
  // The innermost run as elements of up to 16 bytes.
  int64_t run = bytes;
  if (!box.sizes.empty() && box.to.back() == bytes &&
      box.from.back() == bytes) {
    run *= box.sizes.back();
    box.sizes.pop_back();
    box.to.pop_back();
    box.from.pop_back();
  }
  if (box.sizes.empty()) {
    PARTITA_CUDA(cuMemcpyDtoDAsync, to, from, size_t(run), stream);
    return "";
  }
  int64_t width = 16;
  auto fits = [&](int64_t value) { return value % width == 0; };
  while (width > 1 && !(fits(run) && fits(int64_t(to)) && fits(int64_t(from)) &&
                        std::all_of(box.to.begin(), box.to.end(), fits) &&
                        std::all_of(box.from.begin(), box.from.end(), fits)))
    width /= 2;
  if (run > width) {
    box.sizes.push_back(run / width);
    box.to.push_back(width);
    box.from.push_back(width);
  }
  if (box.sizes.size() > kMaxRank || getVolume(box.sizes) > INT32_MAX)
    return "a copy of too many dimensions or elements";
  Function function;
  std::string error = device.findOwnKernel(
      "partita_copy_" + std::to_string(width), makeCopyText, function);
  if (!error.empty())
    return error;
  uint64_t count = uint64_t(getVolume(box.sizes));
  uint32_t rank = uint32_t(box.sizes.size());
  int64_t table[3 * kMaxRank] = {};
  for (size_t d = 0; d < box.sizes.size(); ++d) {
    table[3 * d] = box.sizes[d];
    table[3 * d + 1] = box.to[d];
    table[3 * d + 2] = box.from[d];
  }
  void *arguments[] = {&count, &rank, &to, &from, table};
  return launch(stream, function, int64_t(count), arguments);
}
