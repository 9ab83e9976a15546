// Progress of a long command on a terminal: nothing in the first second, then one line on stderr that is rewritten a few times a
// second and cleared at the end. Prints nothing if stderr is not a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace headlight::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // "training: 1,200 of 3,836 pieces"; cheap enough to call at every step. A total of 0 or less is not shown.
  void show(std::int64_t done, std::int64_t total);

 private:
  std::string what_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace headlight::cli
