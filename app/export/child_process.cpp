#include "app/export/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

extern char** environ;  // NOLINT: as POSIX has it

namespace headlight {
namespace {

// Makes writing to a program that has ended an error instead of a signal.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    if (!sigismember(&before_, SIGPIPE))
      while (sigtimedwait(&set_, nullptr, &at_once) > 0) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t set_{}, before_{};
};

struct Descriptor {
  int fd = -1;
  ~Descriptor() { close(); }
  void close() {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

Error failed(const std::string& program, const Message& how) {
  return failure(ErrorKind::io, how).at(program).mend("try it in a terminal to see what it says");
}

// Starts it with `input` as its standard input. Returns 0 or the error number.
int start(const std::vector<std::string>& arguments, int input, pid_t& child) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);  // the window blocks some signals; the child must not inherit that
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int result = posix_spawnp(&child, argv[0], &files, &how, argv.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return result;
}

}  // namespace

std::optional<std::string> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t end = rest.find(':');
    const std::string folder(rest.substr(0, end));
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
}

Status feed_program(const std::vector<std::string>& arguments, std::string_view input, double seconds) {
  using Clock = std::chrono::steady_clock;
  const std::string& program = arguments.front();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return failed(program, Message("could not be started: {}", Message::term(std::strerror(errno))));
  Descriptor read{ends[0]}, write{ends[1]};
  ::fcntl(write.fd, F_SETFL, O_NONBLOCK);
  const NoPipeSignal quiet;
  pid_t child = -1;
  if (const int problem = start(arguments, read.fd, child); problem != 0)
    return failed(program, Message("could not be started: {}", Message::term(std::strerror(problem))));
  read.close();

  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const auto left = [&] {
    return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count());
  };
  bool broken = false;
  while (!input.empty() && !broken && left() > 0) {
    pollfd ready{write.fd, POLLOUT, 0};
    if (::poll(&ready, 1, left()) <= 0) continue;
    const ssize_t count = ::write(write.fd, input.data(), input.size());
    if (count > 0)
      input.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EAGAIN && errno != EINTR)
      broken = true;
  }
  write.close();
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) return failed(program, Message("was lost sight of"));
    if (left() <= 0) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return failed(program, Message("did not answer"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return failed(program, WIFEXITED(status) ? Message("ended with status {}", WEXITSTATUS(status)) : Message("was ended"));
  if (!input.empty()) return failed(program, Message("did not read the whole picture"));
  return {};
}

}  // namespace headlight
