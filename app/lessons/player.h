// The player: plays a lesson step by step. It draws nothing. It puts a step's document and view into the window, lets the person
// change anything, and can restore the step; at the end the person gets back the earlier state. The lesson and its step are saved
// in the view (lesson, lesson_step). The state before the lesson is also kept in the configuration folder, so that a kill loses
// nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lessons/exercise.h"
#include "app/lessons/lesson.h"
#include "app/lessons/stage.h"
#include "app/session/session.h"
#include "app/session/trainer.h"

namespace headlight::lessons {

class Player {
 public:
  // All lessons, read from the folders at the first call and after reload().
  const std::vector<std::shared_ptr<const Lesson>>& list();
  const std::vector<Error>& errors();
  void reload() { found_.reset(); }

  // Begins a lesson of list(). Error: no lesson has this id; the error lists the known ids.
  // start(stage, "masks", 2) begins at the third step.
  Status start(Stage& stage, const std::string& id, std::int64_t step = 0);
  // Begins this lesson, which need not be in a folder.
  // play(stage, lesson) begins at its first step.
  void play(Stage& stage, std::shared_ptr<const Lesson> lesson, std::int64_t step = 0);
  // Ends the lesson: document and view return to their state before the first start().
  void stop(Stage& stage);

  // Plays the lesson on another model, one of Lesson::also, which must be here; empty: on its own. Error: that model's steps.
  // play_on(stage, "smollm2") shows the same step of that model.
  Status play_on(Stage& stage, const std::string& model);

  bool active() const { return lesson_ != nullptr; }
  const Lesson* lesson() const { return lesson_.get(); }
  std::int64_t step() const { return step_; }
  const Step* current() const { return lesson_ ? &lesson_->steps[static_cast<std::size_t>(step_)] : nullptr; }
  std::shared_ptr<const Lesson> following();  // the next lesson in the menu; null after the last

  // go(stage, 2) shows the third step.
  void go(Stage& stage, std::int64_t step);  // the index is clamped; puts the step's document and view into the window
  void next(Stage& stage) { go(stage, step_ + 1); }
  void back(Stage& stage) { go(stage, step_ - 1); }
  // Whether the person has changed something, so that the window no longer shows the step's state.
  bool away(Stage& stage);
  void come_back(Stage& stage) { go(stage, step_); }

  // The answer chosen for this step's question; -1: none yet.
  std::int64_t answered() const;
  void answer(std::int64_t choice);

  // Of a step with an exercise: puts its solution into the window.
  void show_solution(Stage& stage);
  // Whether the window shows it.
  bool solution_shown(Stage& stage);
  // How far each condition of the exercise was from being met as the step began, once `now`, in the order of the goal, is of that
  // state; negative before.
  // begun(stage, nearness(exercise, source)) has a number for each condition.
  std::vector<double> begun(Stage& stage, const std::vector<Nearness>& now);

  // Call it in each frame before the panels draw. It begins the lesson that an opened session names, sets the film and highlights
  // cells.
  void frame(Stage& stage);

  // The language that lessons are shown in: the window's.
  const std::string& language(Stage& stage);

  double began_at = 0;                     // when the step began, steady_seconds(); its rings then move in
  bool take_focus = false;                 // the side panel gets the keyboard focus in the next frame
  bool menu_wanted = false;                // the menu opens in the next frame
  bool focused = false;                    // the side panel had the keyboard focus in the last frame
  std::vector<std::string> unknown_cells;  // highlights of this frame that name cells, rows or columns beyond the attention

 private:
  void apply(Stage& stage, const Step& step);
  void show_again(Stage& stage, const Trace& trace);
  void set_film(Stage& stage);
  void resume(Stage& stage);

  std::optional<Found> found_;
  std::shared_ptr<const Lesson> lesson_;
  std::int64_t step_ = 0;
  std::optional<Session> before_;
  std::optional<TrainingRequest> film_before_;
  std::optional<FilmAt> film_;  // that the step shows
  bool film_set_ = true, film_begun_ = false;
  std::optional<ViewState> wanted_view_;  // the step's, until its document is computed
  std::vector<double> begun_;
  std::string unknown_;  // a lesson id in the view that no lesson has
  std::map<std::int64_t, std::int64_t> answers_;
  std::optional<ViewState> compared_view_;
  bool view_shows_ = true;
  std::string language_, language_from_ = "?";
};

}  // namespace headlight::lessons
