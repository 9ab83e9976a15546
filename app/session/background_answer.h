// One answer that takes seconds or minutes, on a thread of its own. Who asks for another one gives up the last.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight {

class BackgroundAnswer {
 public:
  using Progress = std::function<void(std::int64_t done, std::int64_t total)>;
  // Runs on the thread. A null value without an error: there is no answer.
  using Work = std::function<Result<std::shared_ptr<const void>>(const CancelToken&, const Progress&)>;
  // `wake` is called on the thread when there is something new to show. While `busy`, a call of the work's progress does not
  // return.
  BackgroundAnswer(std::function<bool()> busy, std::function<void()> wake);
  ~BackgroundAnswer();  // cancels, and waits for the work's end
  BackgroundAnswer(const BackgroundAnswer&) = delete;
  BackgroundAnswer& operator=(const BackgroundAnswer&) = delete;

  struct Answer {
    std::shared_ptr<const void> value;  // null: not known yet, or not at all
    std::shared_ptr<const Error> error;
    bool running = false;
    std::int64_t done = 0, total = 0;  // total 0: not begun
  };
  // The answer for a key, which says everything that the work is made of. The first call for another key begins it.
  Answer of(std::string_view key, const std::function<Work()>& work);
  // The same without beginning anything: an empty answer for a key that of() was not asked for.
  Answer asked(std::string_view key) const;
  void give_up();  // what runs; the next call of of() begins anew
  bool running() const;
  void wait() const;  // until nothing runs

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
