// Reader and writer of .npz. The zip structures are those of PKWARE's APPNOTE,
// sections 4.3.7, 4.3.12 and 4.3.16; zip64 sizes are read, not written.

#include "Npz.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <zlib.h>

using namespace llvm;
using namespace llvm::support;

namespace partita {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50,
                   kEndOfDirectory = 0x06054b50;

Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

uint16_t read16(StringRef data, size_t at) {
  return endian::read16le(data.data() + at);
}
uint32_t read32(StringRef data, size_t at) {
  return endian::read32le(data.data() + at);
}

struct Member {
  StringRef name;
  uint16_t method;
  uint64_t packedSize, size, offset;
};

/// Replaces sizes and offset of 2^32-1 by those of the zip64 extra field.
void readZip64(StringRef extra, Member &member) {
  while (extra.size() >= 4) {
    uint16_t id = read16(extra, 0), length = read16(extra, 2);
    StringRef body = extra.substr(4, length);
    extra = extra.drop_front(std::min<size_t>(extra.size(), 4 + length));
    if (id != 1)
      continue;
    for (uint64_t *field : {&member.size, &member.packedSize, &member.offset})
      if (*field == 0xFFFFFFFFu && body.size() >= 8) {
        *field = endian::read64le(body.data());
        body = body.drop_front(8);
      }
  }
}

Expected<std::vector<Member>> readDirectory(StringRef zip) {
  if (zip.size() < 22)
    return fail("it is too short for a zip archive");
  size_t end = zip.size() - 22;
  while (read32(zip, end) != kEndOfDirectory) {
    if (end == 0 || zip.size() - end > 70000)
      return fail("it has no zip directory");
    --end;
  }
  uint16_t count = read16(zip, end + 10);
  size_t at = read32(zip, end + 16);
  std::vector<Member> members;
  for (uint16_t i = 0; i < count; ++i) {
    if (at + 46 > zip.size() || read32(zip, at) != kCentralHeader)
      return fail("its zip directory is damaged");
    uint16_t nameSize = read16(zip, at + 28), extraSize = read16(zip, at + 30),
             commentSize = read16(zip, at + 32);
    if (at + 46 + nameSize + extraSize > zip.size())
      return fail("its zip directory is damaged");
    Member member{zip.substr(at + 46, nameSize), read16(zip, at + 10),
                  read32(zip, at + 20), read32(zip, at + 24),
                  read32(zip, at + 42)};
    readZip64(zip.substr(at + 46 + nameSize, extraSize), member);
    members.push_back(member);
    at += 46 + nameSize + extraSize + commentSize;
  }
  return members;
}

Expected<std::vector<char>> extract(StringRef zip, const Member &member) {
  size_t at = member.offset;
  if (zip.size() < 30 || at > zip.size() - 30 ||
      read32(zip, at) != kLocalHeader)
    return fail("member '" + member.name + "' is damaged");
  at += 30 + read16(zip, at + 26) + read16(zip, at + 28);
  if (at > zip.size() || member.packedSize > zip.size() - at)
    return fail("member '" + member.name + "' is cut off");
  StringRef packed = zip.substr(at, member.packedSize);
  if (member.method == 0)
    return std::vector<char>(packed.begin(), packed.end());
  if (member.method != Z_DEFLATED)
    return fail("member '" + member.name + "' has an unknown compression");
  // No .npy compresses a thousandfold and a half: deflate's limit is 1032.
  if (member.size / 1100 > member.packedSize + 64)
    return fail("member '" + member.name + "' states an impossible size");
  std::vector<char> out(member.size);
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return fail("zlib could not start");
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
  stream.avail_in = packed.size();
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = out.size();
  int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.total_out != member.size)
    return fail("member '" + member.name + "' does not inflate");
  return out;
}

/// The value of `key` in the dictionary of a .npy header.
StringRef headerValue(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  return at == StringRef::npos ? StringRef()
                               : header.substr(at + key.size() + 2).ltrim(": ");
}

Expected<NpyArray> parseNpy(StringRef name, ArrayRef<char> data) {
  StringRef text(data.data(), data.size());
  if (text.size() < 12 || !text.starts_with("\x93NUMPY"))
    return fail("member '" + name + "' is no .npy array");
  bool isLong = text[6] >= 2;
  size_t length = isLong ? read32(text, 8) : read16(text, 8);
  size_t start = isLong ? 12 : 10;
  if (length > text.size() - start)
    return fail("member '" + name + "' is cut off");
  StringRef header = text.substr(start, length);
  NpyArray array;
  array.name = name.str();
  array.name.resize(name.ends_with(".npy") ? name.size() - 4 : name.size());
  StringRef descr = headerValue(header, "descr");
  if (!descr.starts_with("'"))
    return fail("member '" + name + "' has records, not numbers");
  array.dtype =
      descr.drop_front().take_until([](char c) { return c == '\''; }).str();
  if (headerValue(header, "fortran_order").starts_with("True"))
    return fail("member '" + name +
                "' is in Fortran order; save a C-order copy");
  StringRef shape =
      headerValue(header, "shape").drop_front(1).take_until([](char c) {
        return c == ')';
      });
  SmallVector<StringRef> dims;
  shape.split(dims, ',', -1, /*KeepEmpty=*/false);
  for (StringRef dim : dims) {
    int64_t size;
    if (dim.trim().empty())
      continue;
    if (dim.trim().getAsInteger(10, size) || size < 0)
      return fail("member '" + name + "' has a malformed shape");
    array.shape.push_back(size);
  }
  array.bytes.assign(data.begin() + start + length, data.end());
  return array;
}

void append16(std::string &out, uint16_t value) {
  char bytes[2];
  endian::write16le(bytes, value);
  out.append(bytes, 2);
}
void append32(std::string &out, uint32_t value) {
  char bytes[4];
  endian::write32le(bytes, value);
  out.append(bytes, 4);
}

std::string makeNpy(const NpyArray &array) {
  std::string shape;
  for (int64_t dim : array.shape)
    shape += std::to_string(dim) + ",";
  std::string header = "{'descr': '" + array.dtype +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Header and preamble together are a multiple of 64 bytes.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string npy("\x93NUMPY\x01\x00", 8);
  append16(npy, header.size());
  npy += header;
  npy.append(array.bytes.begin(), array.bytes.end());
  return npy;
}

/// What local and central headers share, from "version needed" on.
void appendHeader(std::string &out, StringRef name, StringRef data) {
  append16(out, 20);
  append16(out, 0);
  append16(out, 0); // stored
  append16(out, 0);
  append16(out, 0x21); // 1980-01-01, so that equal values give equal files
  append32(out,
           crc32(0, reinterpret_cast<const Bytef *>(data.data()), data.size()));
  append32(out, data.size());
  append32(out, data.size());
  append16(out, name.size());
  append16(out, 0);
}

} // namespace

Expected<std::vector<NpyArray>> readNpz(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(buffer.getError().message());
  StringRef zip = (*buffer)->getBuffer();
  Expected<std::vector<Member>> members = readDirectory(zip);
  if (!members)
    return members.takeError();
  std::vector<NpyArray> arrays;
  for (const Member &member : *members) {
    Expected<std::vector<char>> data = extract(zip, member);
    if (!data)
      return data.takeError();
    Expected<NpyArray> array = parseNpy(member.name, *data);
    if (!array)
      return array.takeError();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

Error writeNpz(StringRef path, ArrayRef<NpyArray> arrays) {
  std::string out, directory;
  for (const NpyArray &array : arrays) {
    std::string name = array.name + ".npy", data = makeNpy(array);
    if (out.size() + data.size() > 0xF0000000u)
      return fail("results of more than 4 GB do not fit a .npz without zip64");
    uint32_t offset = out.size();
    append32(out, kLocalHeader);
    appendHeader(out, name, data);
    out += name;
    out += data;
    append32(directory, kCentralHeader);
    append16(directory, 20);
    appendHeader(directory, name, data);
    append16(directory, 0);
    append16(directory, 0);
    append16(directory, 0);
    append32(directory, 0);
    append32(directory, offset);
    directory += name;
  }
  uint32_t directoryStart = out.size();
  out += directory;
  append32(out, kEndOfDirectory);
  append32(out, 0);
  append16(out, arrays.size());
  append16(out, arrays.size());
  append32(out, directory.size());
  append32(out, directoryStart);
  append16(out, 0);
  return writeToOutput(path, [&](raw_ostream &os) {
    os << out;
    return Error::success();
  });
}

} // namespace partita
