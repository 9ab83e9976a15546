#include "engine/core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

#include "engine/core/whole_file.h"
#include "headlight_version.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string in_words(std::uint64_t bytes) {
  for (const auto& [shift, unit] : {std::pair{30, " GiB"}, {20, " MiB"}, {10, " KiB"}})
    if (bytes >= (std::uint64_t{1} << shift)) return std::to_string(bytes >> shift) + unit;
  return std::to_string(bytes) + " bytes";
}

Error too_large(const std::string& where, std::uint64_t limit) {
  return failure(ErrorKind::too_large, "is larger than {}, the most that is read here", in_words(limit))
      .at(where)
      .mend("give a smaller one");
}

Error read_error(int code, const std::string& where) {
  if (code == ENOENT) return not_found("there is no such file").at(where).mend("check the name");
  if (code == EACCES) return failure(ErrorKind::io, "may not be read by you").at(where).mend("change its permissions");
  if (code == EISDIR) return failure(ErrorKind::io, "is a folder, not a file").at(where).mend("give a file in it");
  return failure(ErrorKind::io, "cannot be read: {}", Message::term(std::strerror(code))).at(where);
}

// Reads to the end of the file; room for `expected` bytes is allocated first.
Result<std::string> read_all(int descriptor, const std::string& where, std::uint64_t limit, std::uint64_t expected) {
  try {
    std::string bytes;
    // One byte more than expected, so that the end of the file is found without another allocation.
    bytes.resize(static_cast<std::size_t>(std::min(expected, limit)) + 1);
    std::size_t filled = 0;
    for (;;) {
      if (filled == bytes.size()) bytes.resize(std::max<std::size_t>(bytes.size() * 2, 65536));
      const std::size_t room = std::min<std::size_t>(bytes.size() - filled, std::size_t{1} << 30);
      const ssize_t count = ::read(descriptor, bytes.data() + filled, room);
      if (count < 0) {
        if (errno == EINTR) continue;
        return read_error(errno, where);
      }
      if (count == 0) break;
      filled += static_cast<std::size_t>(count);
      if (filled > limit) return too_large(where, limit);
    }
    bytes.resize(filled);
    return bytes;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "does not fit in memory").at(where).mend("give a smaller one");
  }
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::uint64_t limit) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return read_error(errno, path.string());
  struct stat found {};
  std::uint64_t expected = 0;
  if (::fstat(descriptor, &found) == 0) {
    const bool folder = S_ISDIR(found.st_mode);
    if (S_ISREG(found.st_mode)) expected = static_cast<std::uint64_t>(found.st_size);
    if (folder || expected > limit) {
      ::close(descriptor);
      return folder ? read_error(EISDIR, path.string()) : too_large(path.string(), limit);
    }
  }
  Result<std::string> bytes = read_all(descriptor, path.string(), limit, expected);
  ::close(descriptor);
  return bytes;
}

Result<std::string> read_standard_input(std::uint64_t limit) { return read_all(STDIN_FILENO, "standard input", limit, 65536); }

Status write_file(const fs::path& path, std::string_view bytes) {
  HL_ASSIGN(WholeFile file, WholeFile::create(path));
  HL_TRY(file.write(bytes));
  return file.finish();
}

Result<fs::path> assets_folder() {
  std::error_code problem;
  if (const char* named = std::getenv("HEADLIGHT_ASSETS_DIR"); named && *named) {
    if (fs::is_directory(named, problem)) return fs::path(named);
    return not_found("is not a folder")
        .at("HEADLIGHT_ASSETS_DIR ({})", named)
        .mend("set it to the folder of the assets or unset it");
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  const fs::path installed = (program.parent_path() / ".." / "share" / "headlight").lexically_normal();
  if (!program.empty() && fs::is_directory(installed, problem)) return installed;
  const fs::path source = fs::path(HEADLIGHT_SOURCE_DIR) / "assets";
  if (fs::is_directory(source, problem)) return source;
  return not_found("the assets are missing: neither {} nor {} is there", installed.string(), source.string())
      .mend("install the program again or set HEADLIGHT_ASSETS_DIR");
}

}  // namespace headlight
