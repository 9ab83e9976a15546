// The recorder: a lesson being written in the window. A step is what the window shows when it is recorded, with a text, parts to
// ring and perhaps a question. Every change is kept in the configuration folder within a second, so that a kill loses nothing.
// No drawing here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/lessons/lesson.h"
#include "app/lessons/stage.h"

namespace headlight::lessons {

class Recorder {
 public:
  bool active() const { return active_; }
  // Shows the recorder, with the draft that was left if there is one; otherwise the present state is its first step.
  void open(Stage& stage);
  void close(Stage& stage);  // the draft is kept

  Lesson& draft() { return draft_; }
  std::int64_t selected() const { return selected_; }  // always a step of the draft
  Step& step() { return draft_.steps[static_cast<std::size_t>(selected_)]; }
  bool picking = false;  // a click on a part rings it, or lets it go

  void record(Stage& stage);                      // a step after the selected one: the present document and view
  void take(Stage& stage);                        // ... into the selected step
  void select(Stage& stage, std::int64_t index);  // clamped; the window shows it
  void move(std::int64_t by);                     // the selected step, up or down
  void remove();                                  // the selected step, unless it is the only one
  void toggle_part(const std::string& part);      // of the selected step's highlights

  Status save(const std::filesystem::path& path);
  Status load(Stage& stage, const std::filesystem::path& path);
  void begin_anew(Stage& stage);  // an empty lesson whose first step is the present state

  // Each frame: writes a changed draft once a second. Seconds until it has something to do, negative: nothing.
  double tick(Stage& stage, double now);
  static std::filesystem::path draft_path();

  std::string language;  // that is being written

 private:
  bool active_ = false;
  Lesson draft_;
  std::int64_t selected_ = 0;
  std::string written_;  // what the draft's file holds
  std::string seen_;     // the draft as it was when it last changed
  double changed_at_ = -1;
};

}  // namespace headlight::lessons
