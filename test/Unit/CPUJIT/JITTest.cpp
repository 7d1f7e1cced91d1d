// Cache, units and linking of machine code, without a lowering.

#include "partita/Target/CPU/JIT.h"
#include "lib/Target/CPU/JIT/MachineCode.h"
#include "lib/Target/CPU/JIT/ObjectCache.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace partita;

namespace {

class JITTest : public ::testing::Test {
protected:
  JITTest() {
    context.loadDialect<LLVM::LLVMDialect>();
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("partita-jit", folder));
  }
  ~JITTest() override { llvm::sys::fs::remove_directories(folder); }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// The only file of the cache; "" if there is none or are several.
  std::string getFile() {
    std::string found;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end;
         it != end && !error; it.increment(error)) {
      if (!llvm::sys::path::filename(it->path()).starts_with("llvmcache-"))
        continue;
      if (!found.empty())
        return "";
      found = it->path();
    }
    return found;
  }

  static MachineCode makeCode(size_t bytes) {
    MachineCode code;
    code.arenaBytes = 77;
    code.numKernels = 5;
    code.objects.push_back(
        llvm::MemoryBuffer::getMemBufferCopy(std::string(bytes, 'x')));
    code.objects.push_back(llvm::MemoryBuffer::getMemBufferCopy("second"));
    return code;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  SmallString<128> folder;
};

constexpr StringLiteral kProgram = R"mlir(
module {
  llvm.func @partita_device_id(!llvm.ptr) -> i64
  llvm.mlir.global internal constant @bias(5 : i64) : i64
  llvm.func @kernel(%x: !llvm.ptr) attributes {partita.body, partita.kernel} {
    %address = llvm.mlir.addressof @bias : !llvm.ptr
    %bias = llvm.load %address : !llvm.ptr -> i64
    %old = llvm.load %x : !llvm.ptr -> i64
    %new = llvm.add %old, %bias : i64
    llvm.store %new, %x : i64, !llvm.ptr
    llvm.return
  }
  llvm.func @main(%context: !llvm.ptr, %x: !llvm.ptr, %out: !llvm.ptr, %arena: !llvm.ptr)
      attributes {partita.arena_bytes = 256 : i64} {
    %0 = llvm.call @partita_device_id(%context) : (!llvm.ptr) -> i64
    %1 = llvm.load %x : !llvm.ptr -> i64
    %2 = llvm.add %0, %1 : i64
    llvm.store %2, %out : i64, !llvm.ptr
    llvm.call @kernel(%out) : (!llvm.ptr) -> ()
    llvm.call @kernel(%out) : (!llvm.ptr) -> ()
    llvm.return
  }
})mlir";

TEST_F(JITTest, CacheGivesBackWhatWasStored) {
  ObjectCache cache(folder);
  EXPECT_FALSE(cache.load("key"));
  cache.store("key", makeCode(1001));
  std::optional<MachineCode> code = cache.load("key");
  ASSERT_TRUE(code);
  EXPECT_EQ(code->arenaBytes, 77);
  EXPECT_EQ(code->numKernels, 5);
  ASSERT_EQ(code->objects.size(), 2u);
  EXPECT_EQ(code->objects[0]->getBuffer(), std::string(1001, 'x'));
  EXPECT_EQ(code->objects[1]->getBuffer(), "second");
  EXPECT_FALSE(cache.load("other"));
}

TEST_F(JITTest, CacheRefusesDamage) {
  ObjectCache cache(folder);
  cache.store("key", makeCode(100));
  std::string path = getFile();
  ASSERT_NE(path, "");
  auto whole = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(bool(whole));
  std::string text = (*whole)->getBuffer().str();
  auto write = [&](StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
  };
  // Cut anywhere, or changed anywhere.
  for (size_t length = 0; length < text.size(); length += 7) {
    write(StringRef(text).take_front(length));
    EXPECT_FALSE(cache.load("key")) << length;
    EXPECT_FALSE(llvm::sys::fs::exists(path));
  }
  for (size_t at = 0; at < text.size(); at += 5) {
    std::string changed = text;
    changed[at] ^= 1;
    write(changed);
    EXPECT_FALSE(cache.load("key")) << at;
  }
  write(text);
  EXPECT_TRUE(cache.load("key"));
}

TEST_F(JITTest, CacheStaysSmall) {
  ObjectCache cache(folder, /*maxBytes=*/20000);
  for (int i = 0; i < 10; ++i)
    cache.store("key" + std::to_string(i), makeCode(5000));
  int left = 0;
  for (int i = 0; i < 10; ++i)
    left += cache.load("key" + std::to_string(i)).has_value();
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 4);
}

TEST_F(JITTest, CacheWithoutFolderIsSilent) {
  ObjectCache none("");
  none.store("key", makeCode(1));
  EXPECT_FALSE(none.load("key"));
  ObjectCache impossible("/dev/null/cache");
  impossible.store("key", makeCode(1));
  EXPECT_FALSE(impossible.load("key"));
}

TEST_F(JITTest, KeyIsContent) {
  llvm::InitializeNativeTarget();
  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  ASSERT_TRUE(bool(target));
  auto a = parse(kProgram), moved = parse(("\n\n" + kProgram).str()),
       b = parse(StringRef(kProgram).str().replace(
           StringRef(kProgram).find("5 : i64"), 1, "6"));
  ASSERT_TRUE(a && moved && b);
  auto key = computeCacheKey(*a, "cpu", *target);
  ASSERT_TRUE(key);
  EXPECT_EQ(*key, *computeCacheKey(*moved, "cpu", *target));
  EXPECT_NE(*key, *computeCacheKey(*b, "cpu", *target));
  EXPECT_NE(*key, *computeCacheKey(*a, "gpu", *target));
  target->setCPU("znver1");
  EXPECT_NE(*key, *computeCacheKey(*a, "cpu", *target));
}

TEST_F(JITTest, UnitsAreWhole) {
  auto module = parse(kProgram);
  ASSERT_TRUE(module);
  std::vector<CodeUnit> units = splitModule(*module);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_TRUE(units[0].isHost);
  EXPECT_FALSE(units[1].isHost);
  auto find = [&](int unit, StringRef name) {
    return units[unit].module->lookupSymbol<LLVM::LLVMFuncOp>(name);
  };
  EXPECT_FALSE(find(0, "main").isExternal());
  EXPECT_TRUE(find(0, "kernel").isExternal());
  EXPECT_FALSE(find(1, "kernel").isExternal());
  auto bias = units[1].module->lookupSymbol<LLVM::GlobalOp>("bias");
  ASSERT_TRUE(bias);
  EXPECT_FALSE(bias.getValueOrNull());
}

TEST_F(JITTest, RunsOnEveryDevice) {
  auto module = parse(kProgram);
  ASSERT_TRUE(module);
  CompileOptions options;
  options.buildLowering = [](OpPassManager &) {};
  options.cacheFolder = folder.str().str();
  for (bool isCached : {false, true}) {
    auto program = CompiledProgram::compile(*module, options);
    ASSERT_TRUE(succeeded(program));
    EXPECT_EQ((*program)->getReport().isFromCache, isCached);
    EXPECT_EQ((*program)->getReport().numKernels, 1);
    EXPECT_EQ((*program)->getArenaBytes(), 256);
    int64_t in[2] = {100, 200}, out[2] = {0, 0};
    EXPECT_EQ((*program)->run({{&in[0]}, {&in[1]}}, {{&out[0]}, {&out[1]}}),
              "");
    EXPECT_EQ(out[0], 110);
    EXPECT_EQ(out[1], 211);
  }
}

TEST_F(JITTest, MissingFunctionIsNamedAtItsCall) {
  auto module = parse(R"mlir(
module {
  llvm.func @partita_nothing()
  llvm.func @main(%context: !llvm.ptr, %arena: !llvm.ptr) {
    llvm.call @partita_nothing() : () -> ()
    llvm.return
  }
})mlir");
  ASSERT_TRUE(module);
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(text);
    stream << diagnostic.getLocation() << ": " << diagnostic;
    for (Diagnostic &note : diagnostic.getNotes())
      stream << "; " << note;
  });
  CompileOptions options;
  options.buildLowering = [](OpPassManager &) {};
  EXPECT_TRUE(failed(CompiledProgram::compile(*module, options)));
  EXPECT_NE(text.find(":5:5"), std::string::npos) << text;
  EXPECT_NE(text.find("'partita_nothing'"), std::string::npos) << text;
  EXPECT_NE(text.find("fix:"), std::string::npos) << text;
  // With an address it runs.
  options.symbols = {{"partita_nothing", reinterpret_cast<void *>(+[] {})}};
  auto program = CompiledProgram::compile(*module, options);
  ASSERT_TRUE(succeeded(program));
  EXPECT_EQ((*program)->run({{}}, {{}}), "");
}

} // namespace
