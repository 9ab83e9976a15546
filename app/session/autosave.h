// Autosave: a changed session is saved within a second of the change, on a thread of its own, completely or not at all.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "app/session/session.h"
#include "engine/core/status.h"

namespace headlight {

class Autosave {
 public:
  static constexpr double kSeconds = 1.0;  // a kill loses at most this many seconds

  // `saved` is the session that the file already contains; nothing: there is no file yet. `notify` is called after each write, on
  // the writer's thread.
  Autosave(std::filesystem::path path, std::optional<Session> saved, std::function<void()> notify = {});
  ~Autosave();  // finishes a running and a queued write; saves nothing else

  // Call it once per frame: begins a write once the oldest unsaved change is kSeconds old.
  // tick(session, steady_seconds()) starts a write in the first frame that is a second or more after a change.
  void tick(const Session& session, double now);
  // Seconds until tick() must be called; negative: not needed.
  double due_in(double now) const;
  // Saves now and waits for the end of the write, as before quitting.
  Status flush(const Session& session);

  enum class State { saved, waiting, failed };
  State state() const;
  Status last() const;  // the last write's result
  const std::filesystem::path& path() const { return path_; }

 private:
  void loop();

  std::filesystem::path path_;
  std::function<void()> notify_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Session> newest_, queued_, saved_;
  double dirty_since_ = -1;
  bool writing_ = false, quit_ = false;
  Status last_;
  std::thread thread_;
};

}  // namespace headlight
