#include "app/cli/interrupt.h"

#include <sys/time.h>

#include <atomic>
#include <csignal>

#include "engine/core/whole_file.h"

namespace headlight::cli {
namespace {

constexpr long kMicrosecondsToStop = 700'000;

CancelSource& source() {
  static CancelSource& interrupted = *new CancelSource;  // never destroyed: a signal may come while the program exits
  return interrupted;
}

std::atomic<int> received{0};
std::atomic<bool> saves{false};

void die_by(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// A signal handler may only use lock-free atomics and calls that POSIX lists as safe in it.
extern "C" void time_is_up(int) { die_by(received); }

extern "C" void stop(int signal) {
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) {
    die_by(signal);
    return;
  }
  source().cancel();
  if (saves) return;
  std::signal(SIGALRM, time_is_up);
  const itimerval once{{0, 0}, {0, kMicrosecondsToStop}};
  ::setitimer(ITIMER_REAL, &once, nullptr);
}

}  // namespace

CancelToken interrupt_token(TimeFor time) {
  if (time == TimeFor::saving) saves = true;
  static const CancelToken token = [] {
    CancelToken t = source().token();
    std::signal(SIGINT, stop);
    std::signal(SIGTERM, stop);
    return t;
  }();
  return token;
}

void die_if_interrupted() {
  std::signal(SIGINT, SIG_DFL);  // one that comes later ends the program by itself
  std::signal(SIGTERM, SIG_DFL);
  if (const int signal = received; signal != 0) die_by(signal);
}

}  // namespace headlight::cli
