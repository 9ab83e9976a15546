// The recorder: writes a lesson in the window. A step records the window's present state, with a text, parts to mark with a ring,
// and perhaps a question. Every change is saved in the configuration folder within a second, so that a kill loses nothing. The
// recorder draws nothing.
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
  // Shows the recorder with the saved draft. Without a draft, the present state becomes the first step.
  void open(Stage& stage);
  void close(Stage& stage);  // the draft is kept

  Lesson& draft() { return draft_; }
  std::int64_t selected() const { return selected_; }  // always a step of the draft
  Step& step() { return draft_.steps[static_cast<std::size_t>(selected_)]; }
  bool picking = false;  // a click on a part marks it with a ring, or removes the ring

  // select(stage, 0) shows the first step; record(stage) then inserts a second one.
  void record(Stage& stage);                      // adds a step after the selected one, with the present document and view
  void take(Stage& stage);                        // puts the present document and view into the selected step
  void select(Stage& stage, std::int64_t index);  // the index is clamped; the window shows the step
  void move(std::int64_t by);                     // moves the selected step by this many places
  void remove();                                  // removes the selected step, unless it is the only one
  void toggle_part(const std::string& part);      // adds a part to the selected step's highlights, or removes it

  Status save(const std::filesystem::path& path);
  // load(stage, "lessons/masks.json") replaces the draft.
  Status load(Stage& stage, const std::filesystem::path& path);
  void begin_anew(Stage& stage);  // an empty lesson whose first step is the present state

  // Call it in each frame: saves a changed draft once a second. Returns the seconds until the next call must come; negative: none
  // need come.
  // tick(stage, steady_seconds())
  double tick(Stage& stage, double now);
  static std::filesystem::path draft_path();

  std::string language;  // the language being written

 private:
  bool active_ = false;
  Lesson draft_;
  std::int64_t selected_ = 0;
  std::string written_;  // the content of the draft's file
  std::string seen_;     // the draft after its last change
  double changed_at_ = -1;
};

}  // namespace headlight::lessons
