#include "engine/core/zip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

namespace headlight::zip {
namespace {

constexpr std::uint32_t kLocalMark = 0x04034b50, kCentralMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr std::uint32_t kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50;
constexpr std::uint64_t kWide = 0xffffffff;  // means "see the zip64 record"
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56, kLocator64Size = 20;

std::uint64_t number(std::string_view bytes, std::size_t at, int size) {
  std::uint64_t n = 0;
  for (int i = size; i-- > 0;) n = n << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return n;
}

void append(std::string& out, std::uint64_t n, int size) {
  for (int i = 0; i < size; ++i) out += static_cast<char>(n >> (8 * i) & 255);
}

Error malformed(const std::string& where, const Message& what) {
  return invalid("is not a readable .npz file: {}", what).at(where).mend("write it again with numpy.savez");
}

// The zip64 extra field holds those of size, packed and offset, in this order, that do not fit in 32 bits.
bool widen(std::string_view extra, Member& member) {
  while (extra.size() >= 4) {
    const std::size_t size = number(extra, 2, 2);
    if (size > extra.size() - 4) return false;
    if (number(extra, 0, 2) == 1) {
      std::string_view field = extra.substr(4, size);
      for (std::uint64_t* value : {&member.size, &member.packed, &member.offset}) {
        if (*value != kWide) continue;
        if (field.size() < 8) return false;
        *value = number(field, 0, 8);
        field.remove_prefix(8);
      }
      return true;
    }
    extra.remove_prefix(4 + size);
  }
  return member.size != kWide && member.packed != kWide && member.offset != kWide;
}

}  // namespace

Result<std::vector<Member>> directory(std::string_view file, const std::string& where) {
  if (file.size() < kEndSize) return malformed(where, Message("it is too short"));
  // The end record is last, followed by a comment of at most 65,535 bytes.
  std::size_t end = file.size() - kEndSize;
  const std::size_t lowest = end > 65535 ? end - 65535 : 0;
  while (number(file, end, 4) != kEndMark || end + kEndSize + number(file, end + 20, 2) > file.size()) {
    if (end == lowest) return malformed(where, Message("its table of contents is missing (the file may be cut off)"));
    --end;
  }
  std::uint64_t count = number(file, end + 10, 2), size = number(file, end + 12, 4), offset = number(file, end + 16, 4);
  std::uint64_t table_end = end;
  if (end >= kLocator64Size && number(file, end - kLocator64Size, 4) == kLocator64Mark) {
    const std::uint64_t record = number(file, end - kLocator64Size + 8, 8);
    if (record > end - kLocator64Size || end - kLocator64Size - record < kEnd64Size || number(file, record, 4) != kEnd64Mark) {
      return malformed(where, Message("its zip64 record is damaged"));
    }
    count = number(file, record + 32, 8);
    size = number(file, record + 40, 8);
    offset = number(file, record + 48, 8);
    table_end = record;
  }
  if (size > table_end || offset > table_end - size)
    return malformed(where, Message("its table of contents lies outside the file"));
  if (count > size / kCentralSize) return malformed(where, Message("its table of contents is too short for {} entries", count));

  std::vector<Member> members;
  std::string_view table = file.substr(offset, size);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (table.size() < kCentralSize || number(table, 0, 4) != kCentralMark)
      return malformed(where, Message("its table of contents is damaged"));
    const std::size_t name = number(table, 28, 2), extra = number(table, 30, 2), comment = number(table, 32, 2);
    if (kCentralSize + name + extra + comment > table.size())
      return malformed(where, Message("its table of contents is damaged"));
    Member m;
    m.name = std::string(table.substr(kCentralSize, name));
    m.method = static_cast<std::uint16_t>(number(table, 10, 2));
    m.crc = static_cast<std::uint32_t>(number(table, 16, 4));
    m.packed = number(table, 20, 4);
    m.size = number(table, 24, 4);
    m.offset = number(table, 42, 4);
    if (number(table, 8, 2) & 1) return invalid("is encrypted").at(where).mend("save it without a password");
    if (!widen(table.substr(kCentralSize + name, extra), m))
      return malformed(where, Message("the sizes of '{}' are damaged", m.name));
    if (m.offset > offset || m.packed > offset - m.offset) return malformed(where, Message("'{}' lies outside the file", m.name));
    members.push_back(std::move(m));
    table.remove_prefix(kCentralSize + name + extra + comment);
  }
  return members;
}

namespace {

// The member's bytes as they lie in the file.
Result<std::string_view> packed_bytes(std::string_view file, const Member& member, const std::string& where) {
  const Error damaged = malformed(where, Message("'{}' is damaged", member.name));
  if (member.offset > file.size() || file.size() - member.offset < kLocalSize) return damaged;
  const std::string_view local = file.substr(member.offset);
  if (number(local, 0, 4) != kLocalMark) return damaged;
  // Name and extra field may have other lengths here than in the central directory; the data begins after the local ones.
  const std::size_t begin = kLocalSize + number(local, 26, 2) + number(local, 28, 2);
  if (begin > local.size() || member.packed > local.size() - begin) return damaged;
  return local.substr(begin, member.packed);
}

}  // namespace

Result<std::optional<std::string_view>> stored(std::string_view file, const Member& member, const std::string& where) {
  if (member.method != kStored) return std::optional<std::string_view>();
  HL_ASSIGN(const std::string_view bytes, packed_bytes(file, member, where));
  if (member.size != member.packed) return malformed(where, Message("'{}' is damaged", member.name));
  return std::optional(bytes);
}

Result<std::string_view> unpack(std::string_view file, const Member& member, std::string& storage, const std::string& where) {
  const Error damaged = malformed(where, Message("'{}' is damaged", member.name));
  HL_ASSIGN(const std::string_view packed, packed_bytes(file, member, where));
  std::string_view bytes = packed;
  if (member.method == kDeflated) {
    // Deflate compresses at most 1032 to 1: a larger claim is false, and nothing is allocated for it.
    if (member.size / 1040 > member.packed) return malformed(where, Message("the size of '{}' is impossible", member.name));
    try {
      storage.resize(member.size);
    } catch (const std::exception&) {
      return failure(ErrorKind::too_large, "'{}' does not fit in memory", member.name).at(where).mend("give a smaller file");
    }
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return failure(ErrorKind::internal, "zlib could not start").at(where);
    const std::unique_ptr<z_stream, int (*)(z_stream*)> closing(&stream, inflateEnd);
    // zlib counts in 32 bits, so input and output are handed over in pieces.
    constexpr std::size_t kPiece = std::size_t{1} << 30;
    std::size_t in = 0, out = 0;
    int state = Z_OK;
    // The output has no room beyond the promised size: a longer stream ends with Z_BUF_ERROR and is refused.
    while (state == Z_OK) {
      const std::size_t in_now = std::min(kPiece, packed.size() - in), out_now = std::min(kPiece, storage.size() - out);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + in));
      stream.avail_in = static_cast<uInt>(in_now);
      stream.next_out = reinterpret_cast<Bytef*>(storage.data() + out);
      stream.avail_out = static_cast<uInt>(out_now);
      state = inflate(&stream, Z_NO_FLUSH);
      in += in_now - stream.avail_in;
      out += out_now - stream.avail_out;
    }
    if (state != Z_STREAM_END || out != storage.size()) return damaged;
    bytes = storage;
  } else if (member.method != kStored) {
    return invalid("'{}' is packed by method {}, which is not read here", member.name, member.method)
        .at(where)
        .mend("write the file with numpy.savez or numpy.savez_compressed");
  } else if (member.size != member.packed) {
    return damaged;
  }
  if (crc32(0, bytes) != member.crc)
    return malformed(where, Message("the checksum of '{}' does not match its content", member.name));
  return bytes;
}

std::string local_header(const Member& m) {
  const bool wide = m.size >= kWide || m.packed >= kWide;
  std::string out;
  append(out, kLocalMark, 4);
  append(out, wide ? 45 : 20, 2);
  append(out, 0x0800, 2);  // the name is UTF-8
  append(out, m.method, 2);
  append(out, 0x00210000, 4);  // midnight, 1980-01-01
  append(out, m.crc, 4);
  append(out, wide ? kWide : m.packed, 4);
  append(out, wide ? kWide : m.size, 4);
  append(out, m.name.size(), 2);
  append(out, wide ? 20 : 0, 2);
  out += m.name;
  if (wide) {
    append(out, 1, 2);
    append(out, 16, 2);
    append(out, m.size, 8);
    append(out, m.packed, 8);
  }
  return out;
}

std::string central_directory(const std::vector<Member>& members, std::uint64_t offset) {
  std::string out;
  for (const Member& m : members) {
    std::string extra;
    for (const std::uint64_t value : {m.size, m.packed, m.offset})
      if (value >= kWide) append(extra, value, 8);
    const bool wide = !extra.empty();
    append(out, kCentralMark, 4);
    append(out, 3 << 8 | 45, 2);  // made on Unix
    append(out, wide ? 45 : 20, 2);
    append(out, 0x0800, 2);
    append(out, m.method, 2);
    append(out, 0x00210000, 4);
    append(out, m.crc, 4);
    append(out, std::min(m.packed, kWide), 4);
    append(out, std::min(m.size, kWide), 4);
    append(out, m.name.size(), 2);
    append(out, wide ? extra.size() + 4 : 0, 2);
    append(out, 0, 2);               // comment
    append(out, 0, 2);               // disk
    append(out, 0, 2);               // internal attributes
    append(out, 0100644u << 16, 4);  // an ordinary file
    append(out, std::min(m.offset, kWide), 4);
    out += m.name;
    if (wide) {
      append(out, 1, 2);
      append(out, extra.size(), 2);
      out += extra;
    }
  }
  const std::uint64_t size = out.size(), count = members.size(), end = offset + size;
  if (count >= 0xffff || size >= kWide || offset >= kWide) {
    append(out, kEnd64Mark, 4);
    append(out, kEnd64Size - 12, 8);
    append(out, 3 << 8 | 45, 2);
    append(out, 45, 2);
    append(out, 0, 4);
    append(out, 0, 4);
    append(out, count, 8);
    append(out, count, 8);
    append(out, size, 8);
    append(out, offset, 8);
    append(out, kLocator64Mark, 4);
    append(out, 0, 4);
    append(out, end, 8);
    append(out, 1, 4);
  }
  append(out, kEndMark, 4);
  append(out, 0, 4);
  append(out, std::min<std::uint64_t>(count, 0xffff), 2);
  append(out, std::min<std::uint64_t>(count, 0xffff), 2);
  append(out, std::min(size, kWide), 4);
  append(out, std::min(offset, kWide), 4);
  append(out, 0, 2);
  return out;
}

std::uint32_t crc32(std::uint32_t crc, std::string_view bytes) {
  if (bytes.empty()) return crc;  // zlib takes a null pointer as "start again"
  return static_cast<std::uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Result<std::string> deflate(std::string_view head, std::string_view body) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return failure(ErrorKind::internal, "zlib could not start");
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closing(&stream, deflateEnd);
  try {
    std::string out, piece(std::size_t{1} << 18, '\0');
    for (const bool last : {false, true}) {
      std::string_view in = last ? body : head;
      int state = Z_OK;
      do {
        const std::size_t now = std::min(in.size(), std::size_t{1} << 30);
        const int flush = last && now == in.size() ? Z_FINISH : Z_NO_FLUSH;
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
        stream.avail_in = static_cast<uInt>(now);
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        state = ::deflate(&stream, flush);
        if (state == Z_STREAM_ERROR) return failure(ErrorKind::internal, "zlib failed");
        in.remove_prefix(now - stream.avail_in);
        out.append(piece, 0, piece.size() - stream.avail_out);
      } while (last ? state != Z_STREAM_END : !in.empty());
    }
    return out;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "a packed array does not fit in memory");
  }
}

}  // namespace headlight::zip
