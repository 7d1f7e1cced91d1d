// The words of PTX: types, instructions, modifiers, comparisons, special
// registers.
#ifndef PARTITA_TEST_FAKEDRIVER_PTXWORDS_H
#define PARTITA_TEST_FAKEDRIVER_PTXWORDS_H

#include "Ptx.h"

namespace ptx {

inline const std::map<std::string, Type> kTypes = {
    {"b8", Type::B8},   {"b16", Type::B16},   {"b32", Type::B32},
    {"b64", Type::B64}, {"u8", Type::U8},     {"u16", Type::U16},
    {"u32", Type::U32}, {"u64", Type::U64},   {"s8", Type::S8},
    {"s16", Type::S16}, {"s32", Type::S32},   {"s64", Type::S64},
    {"f16", Type::F16}, {"bf16", Type::BF16}, {"f32", Type::F32},
    {"f64", Type::F64}, {"pred", Type::Pred}};

inline const std::map<std::string, Op> kOps = {
    {"mov", Op::Mov},   {"ld", Op::Load},     {"st", Op::Store},
    {"cvta", Op::Cvta}, {"add", Op::Add},     {"addc", Op::Add},
    {"sub", Op::Sub},   {"subc", Op::Sub},    {"mul", Op::Mul},
    {"mad", Op::Mad},   {"madc", Op::Mad},    {"fma", Op::Fma},
    {"div", Op::Div},   {"rem", Op::Rem},     {"abs", Op::Abs},
    {"neg", Op::Neg},   {"min", Op::Min},     {"max", Op::Max},
    {"and", Op::And},   {"or", Op::Or},       {"xor", Op::Xor},
    {"not", Op::Not},   {"shl", Op::Shl},     {"shr", Op::Shr},
    {"shf", Op::Shf},   {"popc", Op::Popc},   {"clz", Op::Clz},
    {"brev", Op::Brev}, {"bfe", Op::Bfe},     {"prmt", Op::Prmt},
    {"setp", Op::Setp}, {"selp", Op::Selp},   {"cvt", Op::Cvt},
    {"sqrt", Op::Sqrt}, {"rsqrt", Op::Rsqrt}, {"rcp", Op::Rcp},
    {"ex2", Op::Ex2},   {"lg2", Op::Lg2},     {"sin", Op::Sin},
    {"cos", Op::Cos},   {"tanh", Op::Tanh},   {"copysign", Op::Copysign},
    {"bra", Op::Bra},   {"call", Op::Call},   {"ret", Op::Ret},
    {"exit", Op::Ret},  {"bar", Op::Bar},     {"barrier", Op::Bar},
    {"shfl", Op::Shfl}, {"trap", Op::Trap}};

inline const std::map<std::string, uint32_t> kFlags = {
    {"wide", Wide},
    {"lo", Lo},
    {"hi", Hi},
    {"cc", Carry},
    {"NaN", NaN},
    {"sat", Sat},
    {"ftz", Ftz},
    {"rz", RoundZero},
    {"rp", RoundUp},
    {"rm", RoundDown},
    {"rn", RoundNearest},
    {"rzi", RoundZero | RoundInteger},
    {"rpi", RoundUp | RoundInteger},
    {"rmi", RoundDown | RoundInteger},
    {"rni", RoundNearest | RoundInteger},
    {"global", Global},
    {"wrap", Wrap},
    {"l", Left},
    {"r", Right},
    {"idx", Idx},
    {"approx", 0},
    {"uni", 0},
    {"sync", 0},
    {"nc", 0},
    {"shared", 0},
    {"local", 0},
    {"param", 0},
    {"to", 0},
    {"bfly", 0},
    {"full", 0},
    {"aligned", 0},
    {"const", 0}};

inline const std::map<std::string, std::pair<Compare, bool>> kCompares = {
    {"eq", {Compare::Eq, false}},   {"ne", {Compare::Ne, false}},
    {"lt", {Compare::Lt, false}},   {"le", {Compare::Le, false}},
    {"gt", {Compare::Gt, false}},   {"ge", {Compare::Ge, false}},
    {"equ", {Compare::Eq, true}},   {"neu", {Compare::Ne, true}},
    {"ltu", {Compare::Lt, true}},   {"leu", {Compare::Le, true}},
    {"gtu", {Compare::Gt, true}},   {"geu", {Compare::Ge, true}},
    {"lo", {Compare::Lt, false}},   {"ls", {Compare::Le, false}},
    {"hi", {Compare::Gt, false}},   {"hs", {Compare::Ge, false}},
    {"num", {Compare::Num, false}}, {"nan", {Compare::Nan, false}}};

inline const std::map<std::string, uint32_t> kSpecials = {
    {"%tid.x", 0},   {"%tid.y", 1},    {"%tid.z", 2},     {"%ntid.x", 3},
    {"%ntid.y", 4},  {"%ntid.z", 5},   {"%ctaid.x", 6},   {"%ctaid.y", 7},
    {"%ctaid.z", 8}, {"%nctaid.x", 9}, {"%nctaid.y", 10}, {"%nctaid.z", 11},
    {"%laneid", 12}};

} // namespace ptx

#endif
