// The part of the ZIP format that .npz files use (PKWARE APPNOTE 6.3.10): stored and deflated members, zip64, CRC-32. No
// encryption and no archives of several parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight::zip {

struct Member {
  std::string name;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::uint64_t packed = 0, size = 0;  // bytes in the file, bytes unpacked
  std::uint64_t offset = 0;            // where its local header begins
};

inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kDeflated = 8;

// Reads the central directory of a whole file. Every offset and size is checked against the file.
// directory(file, "run.npz") lists the members of the file's bytes; errors name run.npz.
Result<std::vector<Member>> directory(std::string_view file, const std::string& where);
// The member's bytes, after checking its CRC. A stored member is a view into `file`; a deflated one is unpacked into `storage`.
// unpack(file, members[0], storage, "run.npz") gives the bytes of the first member.
Result<std::string_view> unpack(std::string_view file, const Member& member, std::string& storage, const std::string& where);
// A stored member's bytes as they lie in the file, without reading them: places and sizes are checked, the CRC is not. None: the
// member is deflated. stored(file, members[0], "run.npz")
Result<std::optional<std::string_view>> stored(std::string_view file, const Member& member, const std::string& where);

// Headers for writing. Dates are fixed (1980-01-01), so that the same arrays give the same file.
std::string local_header(const Member& member);
// The end of a file: the table of all members. central_directory(members, 4096): the table begins at byte 4096.
std::string central_directory(const std::vector<Member>& members, std::uint64_t offset);
// Continues a CRC-32, which begins as 0. crc32(crc32(0, "ab"), "c") equals crc32(0, "abc").
std::uint32_t crc32(std::uint32_t crc, std::string_view bytes);
// Raw deflate at zlib's fastest level of both parts, one after the other. deflate("a", "b") unpacks to "ab".
Result<std::string> deflate(std::string_view head, std::string_view body);

}  // namespace headlight::zip
