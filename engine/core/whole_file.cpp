#include "engine/core/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

namespace headlight {
namespace {

namespace fs = std::filesystem;

Error write_error(int code, const fs::path& path) {
  const auto refused = [&](Message what, Message mend) {
    return Error(ErrorKind::io, std::move(what), path.string(), std::move(mend));
  };
  const Message in_general("cannot be written: {}", Message::term(std::strerror(code)));
  std::error_code ignored;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string in = folder.string();
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return refused(Message("the disk is full"),
                     Message("free some space or choose another folder; nothing was left half-written"));
    case ENOENT:
      // Some file systems, such as /proc, say this of every new file.
      if (fs::is_directory(folder, ignored))
        return refused(Message("the folder {} may not be written: no new file can be made in it", in),
                       Message("choose another folder"));
      return refused(Message("the folder {} does not exist", in), Message("create it or choose another one"));
    case ENOTDIR: return refused(Message("{} is not a folder", in), Message("choose a folder"));
    case EISDIR: return refused(Message("is a folder"), Message("give the name of a file in it"));
    case EROFS:
      return refused(Message("the folder {} is on a read-only disk", in),
                     Message("choose another folder or change its permissions"));
    case EACCES:
    case EPERM:
      return refused(Message("the folder {} may not be written by you", in),
                     Message("choose another folder or change its permissions"));
    case ENAMETOOLONG: return refused(in_general, Message("choose a shorter name"));
    default: return refused(in_general, Message("choose another place"));
  }
}

// The open descriptor that "/dev/stdout", "/dev/fd/N" and the like name, or -1. Opening these by name would write from the
// beginning of a redirected file instead of continuing at the shell's position.
int named_descriptor(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.rfind(prefix, 0) != 0) continue;
    int number = -1;
    const char* end = path.data() + path.size();
    const auto [stop, problem] = std::from_chars(path.data() + prefix.size(), end, number);
    if (problem == std::errc() && stop == end) return number;
  }
  return -1;
}

// The temporary files that exist, where a signal handler finds them without allocating. A file beyond the last place, or with a
// longer name, is not listed.
struct Listed {
  enum State : int { empty, taken, there };
  std::atomic<int> state{empty};
  std::array<char, 1024> path{};
};
std::array<Listed, 32>& unfinished() {
  static std::array<Listed, 32> all;
  return all;
}

std::atomic<bool> removed{false};  // remove_unfinished_files() was called: the process ends

int list_unfinished(const std::string& path) {
  std::array<Listed, 32>& all = unfinished();
  for (std::size_t i = 0; i < all.size() && path.size() < all[i].path.size(); ++i) {
    int expected = Listed::empty;
    if (!all[i].state.compare_exchange_strong(expected, Listed::taken)) continue;
    std::copy_n(path.c_str(), path.size() + 1, all[i].path.begin());
    all[i].state = Listed::there;
    return static_cast<int>(i);
  }
  return -1;
}

void unlist(int place) {
  if (place >= 0) unfinished()[static_cast<std::size_t>(place)].state = Listed::empty;
}

std::string temporary_name() {
  // The counter makes the name unique in this process, the process id among processes. O_EXCL detects files that a killed process
  // left.
  static std::atomic<std::uint64_t> counter{0};
  return ".headlight-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
}

}  // namespace

Result<WholeFile> WholeFile::create(const fs::path& path) {
  WholeFile file;
  file.shown_ = path;
  if (path.empty()) return usage_error("no file name was given").mend("give the name of the file to write");

  if (const int descriptor = named_descriptor(path.string()); descriptor >= 0) {
    file.descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (file.descriptor_ < 0) return write_error(errno, path);
    return file;
  }
  struct stat found {};
  const bool exists = ::stat(path.c_str(), &found) == 0;
  if (exists && S_ISDIR(found.st_mode)) return write_error(EISDIR, path);
  if (exists && !S_ISREG(found.st_mode)) {
    file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return write_error(errno, path);
    return file;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    return failure(ErrorKind::io, "the file may not be written by you")
        .at(path.string())
        .mend("choose another name or change its permissions");
  }

  // If the path is a link, the file that it names is replaced and the link stays.
  std::error_code problem;
  file.target_ = exists ? fs::canonical(path, problem) : path;
  if (problem) file.target_ = path;
  const fs::path folder = file.target_.has_parent_path() ? file.target_.parent_path() : fs::path(".");
  for (;;) {
    file.temporary_ = folder / temporary_name();
    // Listed before it exists: a signal between the two finds it.
    file.listed_ = list_unfinished(file.temporary_.string());
    file.descriptor_ = ::open(file.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file.descriptor_ >= 0) {
      // A signal handler that has already removed the files does not see this one.
      if (removed) ::unlink(file.temporary_.c_str());
      break;
    }
    const int code = errno;
    unlist(std::exchange(file.listed_, -1));
    if (code == EEXIST || code == EINTR) continue;
    file.temporary_.clear();
    return write_error(code, path);
  }
  if (exists) {
    // Takes the permissions of the file being replaced; if that fails, those of a new file.
    [[maybe_unused]] const int kept = ::fchmod(file.descriptor_, found.st_mode & 07777);
  }
  return file;
}

WholeFile::WholeFile(WholeFile&& other) noexcept { *this = std::move(other); }

WholeFile& WholeFile::operator=(WholeFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  descriptor_ = std::exchange(other.descriptor_, -1);
  shown_ = std::move(other.shown_);
  target_ = std::move(other.target_);
  temporary_ = std::exchange(other.temporary_, {});
  listed_ = std::exchange(other.listed_, -1);
  written_ = std::exchange(other.written_, 0);
  return *this;
}

WholeFile::~WholeFile() { discard(); }

void WholeFile::discard() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  unlist(std::exchange(listed_, -1));
}

Status WholeFile::write(std::string_view bytes) {
  if (descriptor_ < 0) return failure(ErrorKind::internal, "was written to after an error").at(shown_.string());
  while (!bytes.empty()) {
    // Linux writes at most 2 GiB at a time.
    const ssize_t count = ::write(descriptor_, bytes.data(), std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    if (count < 0) {
      if (errno == EINTR) continue;
      const int code = errno;
      discard();
      return write_error(code, shown_);
    }
    written_ += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Status WholeFile::finish() {
  if (descriptor_ < 0) return failure(ErrorKind::internal, "was finished after an error").at(shown_.string());
  // Pipes and terminals have nothing to flush (EINVAL), and some file systems have no fsync (EROFS, ENOTSUP).
  if (::fsync(descriptor_) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT)) {
    const int code = errno;
    discard();
    return write_error(code, shown_);
  }
  const int closed = ::close(std::exchange(descriptor_, -1));
  const int close_code = errno;
  if (closed != 0 && close_code != EINTR) {
    discard();
    return write_error(close_code, shown_);
  }
  if (temporary_.empty()) return {};
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    discard();
    return write_error(code, shown_);
  }
  temporary_.clear();
  unlist(std::exchange(listed_, -1));
  // Flushes the folder, so that the new name reaches the disk. Where folders cannot be flushed, the rename itself is still valid.
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); handle >= 0) {
    [[maybe_unused]] const int flushed = ::fsync(handle);
    ::close(handle);
  }
  return {};
}

void remove_unfinished_files() noexcept {
  removed = true;
  for (const Listed& one : unfinished())
    if (one.state == Listed::there) ::unlink(one.path.data());
}

}  // namespace headlight
