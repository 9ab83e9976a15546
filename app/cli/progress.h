// The progress of a long command on a terminal: nothing in the first second, then one line on stderr, rewritten a few times a
// second and cleared at the end. Nothing is printed if stderr is not a terminal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace headlight::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Prints the progress; cheap enough for a call at every step. A total of 0 or less is not shown.
  // Progress("training").show(1200, 3836) prints "training: 1200 of 3836" after the first second.
  void show(std::int64_t done, std::int64_t total);

 private:
  std::string what_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

// The same for work of unknown length: "sdpa: computing, 12 s". A thread of its own counts the seconds.
class Waiting {
 public:
  explicit Waiting(std::string what);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread ticker_;  // not started if stderr is not a terminal
};

}  // namespace headlight::cli
