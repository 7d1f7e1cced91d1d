// Files of the cache: magic, BLAKE3 of the rest, arena bytes, number of
// kernels, number of objects, their sizes, then the objects at multiples of 16.

#include "ObjectCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <link.h>

using namespace mlir;

namespace partita {
namespace {

constexpr StringLiteral kMagic = "PARTITA1";
constexpr size_t kHashBytes = 32, kAlignment = 16;
constexpr size_t kPrefixBytes = 8 + kHashBytes;

/// Hashes what is printed to it.
class HashStream : public llvm::raw_ostream {
public:
  HashStream() : raw_ostream(/*unbuffered=*/false) {}
  ~HashStream() override { flush(); }

  std::string getHex() {
    flush();
    return llvm::toHex(hash.final<kHashBytes>(), /*LowerCase=*/true);
  }
  /// Ends a field, so that neighbours do not run together.
  void field(StringRef text) { *this << text.size() << ':' << text; }

private:
  void write_impl(const char *data, size_t size) override {
    hash.update(StringRef(data, size));
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  llvm::BLAKE3 hash;
  uint64_t position = 0;
};

/// Looks for the build id of the loaded file that holds `address`.
struct BuildIdSearch {
  uintptr_t address;
  std::string id;
};

/// The GNU build id among the notes of one loaded file.
std::string readBuildId(const dl_phdr_info &info, const ElfW(Phdr) & header) {
  const char *at =
      reinterpret_cast<const char *>(info.dlpi_addr + header.p_vaddr);
  const char *end = at + header.p_memsz;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
    const char *name = at + sizeof(*note);
    const char *value = name + llvm::alignTo(note->n_namesz, 4);
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
        StringRef(name, 3) == "GNU")
      return std::string(value, note->n_descsz);
    at = value + llvm::alignTo(note->n_descsz, 4);
  }
  return "";
}

int visitLoadedFile(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<BuildIdSearch *>(data);
  bool isHere = false;
  std::string id;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD)
      isHere |=
          search.address >= begin && search.address < begin + header.p_memsz;
    else if (header.p_type == PT_NOTE && id.empty())
      id = readBuildId(*info, header);
  }
  if (isHere)
    search.id = id;
  return isHere;
}

/// Changes with every change of the code that is linked with this file.
std::string getBuildId() {
  BuildIdSearch search{reinterpret_cast<uintptr_t>(&visitLoadedFile), ""};
  dl_iterate_phdr(visitLoadedFile, &search);
  return search.id;
}

std::string hashBytes(StringRef bytes) {
  auto hash =
      llvm::BLAKE3::hash<kHashBytes>(llvm::arrayRefFromStringRef(bytes));
  return std::string(hash.begin(), hash.end());
}

/// Reads numbers and objects, and says whether all of them were there.
class Reader {
public:
  explicit Reader(StringRef bytes) : bytes(bytes) {}

  uint64_t readNumber() {
    StringRef text = take(8);
    return text.empty() ? 0 : llvm::support::endian::read64le(text.data());
  }
  StringRef take(uint64_t count) {
    if (count > bytes.size() - at) {
      isGood = false;
      return "";
    }
    StringRef part = bytes.substr(at, count);
    at += count;
    return part;
  }
  void align() { (void)take(llvm::alignTo(at, kAlignment) - at); }

  bool isGood = true;

private:
  StringRef bytes;
  size_t at = 0;
};

} // namespace

std::optional<std::string>
computeCacheKey(ModuleOp module, StringRef lowering,
                const llvm::orc::JITTargetMachineBuilder &target) {
  std::string build = getBuildId();
  if (build.empty())
    return std::nullopt;
  HashStream stream;
  stream.field(build);
  stream.field(LLVM_VERSION_STRING);
  stream.field(lowering);
  stream.field(target.getTargetTriple().str());
  stream.field(target.getCPU());
  stream.field(target.getFeatures().getString());
  module->print(stream, OpPrintingFlags()
                            .enableDebugInfo(false)
                            .printGenericOpForm()
                            .elideLargeElementsAttrs(INT64_MAX));
  return stream.getHex();
}

std::string ObjectCache::getPath(StringRef key) const {
  SmallString<128> path(folder);
  // The prefix is the one that llvm::pruneCache looks for.
  llvm::sys::path::append(path, "llvmcache-" + key);
  return path.str().str();
}

std::optional<MachineCode> ObjectCache::load(StringRef key) const {
  if (folder.empty())
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(getPath(key), /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  StringRef bytes = (*file)->getBuffer();
  Reader reader(bytes);
  bool isWhole =
      reader.take(8) == kMagic &&
      reader.take(kHashBytes) ==
          hashBytes(bytes.drop_front(std::min(bytes.size(), kPrefixBytes)));
  MachineCode code;
  code.arenaBytes = reader.readNumber();
  code.numKernels = reader.readNumber();
  std::vector<uint64_t> sizes(isWhole ? reader.readNumber() : 0);
  for (uint64_t &size : sizes)
    size = reader.readNumber();
  for (uint64_t size : sizes) {
    reader.align();
    code.objects.push_back(
        llvm::MemoryBuffer::getMemBuffer(reader.take(size), "", false));
  }
  if (!isWhole || !reader.isGood || code.objects.empty()) {
    (void)llvm::sys::fs::remove(getPath(key));
    return std::nullopt;
  }
  code.file = std::move(*file);
  return std::move(code);
}

void ObjectCache::store(StringRef key, const MachineCode &code) const {
  if (folder.empty() || llvm::sys::fs::create_directories(folder))
    return;
  std::string body;
  llvm::raw_string_ostream stream(body);
  auto writeNumber = [&](uint64_t number) {
    char text[8];
    llvm::support::endian::write64le(text, number);
    stream.write(text, 8);
  };
  writeNumber(code.arenaBytes);
  writeNumber(code.numKernels);
  writeNumber(code.objects.size());
  for (const auto &object : code.objects)
    writeNumber(object->getBufferSize());
  for (const auto &object : code.objects) {
    size_t at = kPrefixBytes + body.size();
    stream.write_zeros(llvm::alignTo(at, kAlignment) - at);
    stream << object->getBuffer();
  }
  int descriptor;
  SmallString<128> temporary;
  if (llvm::sys::fs::createUniqueFile(getPath(key) + ".%%%%%%%%.part",
                                      descriptor, temporary))
    return;
  llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
  file << kMagic << hashBytes(body) << body;
  file.close();
  bool isWritten = !file.has_error();
  file.clear_error();
  if (!isWritten || llvm::sys::fs::rename(temporary, getPath(key)))
    (void)llvm::sys::fs::remove(temporary);
  llvm::CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(0);
  policy.Expiration = std::chrono::hours(0);
  policy.MaxSizePercentageOfAvailableSpace = 50;
  policy.MaxSizeBytes = maxBytes;
  policy.MaxSizeFiles = 0;
  (void)llvm::pruneCache(folder, policy);
}

} // namespace partita
