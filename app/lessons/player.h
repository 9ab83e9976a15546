// The player: which lesson is on and where, without drawing. It puts a step's document and view into the window, lets the person
// change anything, and brings the step back; at the end the person has again what they had before. What is saved lies in the
// view (lesson, lesson_step); the state before the lesson is kept in the configuration folder too, so that a kill loses nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson.h"
#include "app/lessons/stage.h"
#include "app/session/session.h"
#include "app/session/trainer.h"

namespace headlight::lessons {

class Player {
 public:
  // The lessons there are, read from the folders at the first call and after reload().
  const std::vector<std::shared_ptr<const Lesson>>& list();
  const std::vector<Error>& errors();
  void reload() { found_.reset(); }

  // Begins a lesson of list(). Error: there is none of this id, with those there are.
  Status start(Stage& stage, const std::string& id, std::int64_t step = 0);
  // Begins this lesson, which need not lie in a folder.
  void play(Stage& stage, std::shared_ptr<const Lesson> lesson, std::int64_t step = 0);
  // Ends it: document and view are what they were before the first start().
  void stop(Stage& stage);

  bool active() const { return lesson_ != nullptr; }
  const Lesson* lesson() const { return lesson_.get(); }
  std::int64_t step() const { return step_; }
  const Step* current() const { return lesson_ ? &lesson_->steps[static_cast<std::size_t>(step_)] : nullptr; }
  std::shared_ptr<const Lesson> following();  // the next lesson in the menu; null after the last

  void go(Stage& stage, std::int64_t step);  // clamped; the step's document and view are put into the window
  void next(Stage& stage) { go(stage, step_ + 1); }
  void back(Stage& stage) { go(stage, step_ - 1); }
  // Free play: the window does not show the step's state any more.
  bool away(Stage& stage);
  void come_back(Stage& stage) { go(stage, step_); }

  // The choice at this step's question; -1: none yet.
  std::int64_t answered() const;
  void answer(std::int64_t choice);

  // Each frame before the panels draw: takes up a lesson that an opened session names, sets the film, lights cells.
  void frame(Stage& stage);

  // The language that lessons are read in: the window's.
  const std::string& language(Stage& stage);

  double began_at = 0;                     // steady_seconds() at which the step was entered: its rings move in
  bool take_focus = false;                 // the side panel wants the keyboard
  bool menu_wanted = false;                // open the menu in the next frame
  bool focused = false;                    // the side panel had the keyboard in the last frame
  std::vector<std::string> unknown_cells;  // of this frame's highlights: cells, rows and columns that the attention lacks

 private:
  void apply(Stage& stage);
  void set_film(Stage& stage);
  void resume(Stage& stage);

  std::optional<Found> found_;
  std::shared_ptr<const Lesson> lesson_;
  std::int64_t step_ = 0;
  std::optional<Session> before_;
  std::optional<TrainingRequest> film_before_;
  bool film_set_ = true, film_begun_ = false;
  std::string unknown_;  // an id in the view that no lesson has
  std::map<std::int64_t, std::int64_t> answers_;
  std::optional<ViewState> compared_view_;
  bool view_shows_ = true;
  std::string language_, language_from_ = "?";
};

}  // namespace headlight::lessons
