#include "app/cli/progress.h"

#include <unistd.h>

#include <cstdio>

namespace headlight::cli {

Progress::Progress(std::string what)
    : what_(std::move(what)),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + std::chrono::seconds(1)) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::show(std::int64_t done, std::int64_t total) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  shown_ = true;
  std::fprintf(stderr, "\r\x1b[K%s: %lld", what_.c_str(), static_cast<long long>(done));
  if (total > 0) std::fprintf(stderr, " of %lld", static_cast<long long>(total));
  std::fflush(stderr);
}

Waiting::Waiting(std::string what) {
  if (isatty(STDERR_FILENO) != 1) return;
  ticker_ = std::thread([this, what = std::move(what)] {
    std::unique_lock lock(mutex_);
    int seconds = 0;
    while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; }))
      std::fprintf(stderr, "\r\x1b[K%s, %d s", what.c_str(), ++seconds);
    if (seconds > 0) std::fputs("\r\x1b[K", stderr);
  });
}

Waiting::~Waiting() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

}  // namespace headlight::cli
