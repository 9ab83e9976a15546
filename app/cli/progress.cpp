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

}  // namespace headlight::cli
