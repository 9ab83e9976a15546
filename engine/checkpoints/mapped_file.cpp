#include "engine/checkpoints/mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

#include "engine/checkpoints/mends.h"
#include "engine/core/files.h"

namespace headlight::checkpoints {
namespace {

namespace fs = std::filesystem;

// The mapped ranges. The handler may run at any moment, so it reads nothing but lock-free atomics.
struct Guard {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> damaged{false};
};
std::array<Guard, 2048> guards;
std::uintptr_t page_size = 4096;
struct sigaction earlier {};

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int kept = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Guard& guard : guards) {
    if (address < guard.begin.load() || address >= guard.end.load()) continue;
    void* const page = reinterpret_cast<void*>(address / page_size * page_size);
    if (::mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
    guard.damaged.store(true);
    errno = kept;
    return;
  }
  errno = kept;
  if (earlier.sa_flags & SA_SIGINFO) {
    if (earlier.sa_sigaction) return earlier.sa_sigaction(signal, info, context);
  } else if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN) {
    return earlier.sa_handler(signal);
  }
  ::signal(SIGBUS, SIG_DFL);  // the access is repeated, and ends the program where it happened
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &earlier);
  });
}

int take_guard(const void* at, std::size_t size) {
  for (std::size_t i = 0; i < guards.size(); ++i) {
    bool free = false;
    if (!guards[i].taken.compare_exchange_strong(free, true)) continue;
    guards[i].damaged.store(false);
    guards[i].begin.store(reinterpret_cast<std::uintptr_t>(at));
    guards[i].end.store(reinterpret_cast<std::uintptr_t>(at) + size);
    return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const fs::path& path) {
  const std::shared_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  file->descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat found {};
  if (file->descriptor_ < 0 || ::fstat(file->descriptor_, &found) != 0 || S_ISDIR(found.st_mode)) {
    HL_TRY(read_file(path, 0));  // says why
    return failure(ErrorKind::io, "cannot be mapped into memory").at(path.string());
  }
  if (!S_ISREG(found.st_mode)) return failure(ErrorKind::io, "is no regular file").at(path.string()).mend("copy it to a disk");
  if (found.st_size == 0) return invalid("is empty").at(path.string()).mend(kCopyFile);
  const auto size = static_cast<std::size_t>(found.st_size);
  install_handler();
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file->descriptor_, 0);
  if (at == MAP_FAILED) return failure(ErrorKind::io, "cannot be mapped into memory").at(path.string());
  file->bytes_ = {static_cast<const std::byte*>(at), size};
  file->guard_ = take_guard(at, size);
  if (file->guard_ < 0)
    return failure(ErrorKind::too_large, "{} files are open already", guards.size()).at(path.string()).mend("close other models");
  return std::shared_ptr<const MappedFile>(file);
}

MappedFile::~MappedFile() {
  if (guard_ >= 0) {
    Guard& guard = guards[static_cast<std::size_t>(guard_)];
    guard.end.store(0);
    guard.begin.store(0);
    guard.taken.store(false);
  }
  if (bytes_.data()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool MappedFile::intact() const {
  struct stat now {};
  if (guards[static_cast<std::size_t>(guard_)].damaged.load()) return false;
  return ::fstat(descriptor_, &now) == 0 && static_cast<std::uint64_t>(now.st_size) >= bytes_.size();
}

}  // namespace headlight::checkpoints
