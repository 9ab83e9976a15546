#include "app/lessons/player.h"

#include <algorithm>

#include "app/files/configuration.h"
#include "app/lessons/recorder.h"
#include "app/session/worker.h"
#include "app/text/language.h"
#include "engine/core/files.h"
#include "imgui.h"

namespace headlight::lessons {
namespace {

std::filesystem::path before_path() { return configuration_path().parent_path() / "before-lesson.json"; }

TrainingRequest request_of(const FilmAt& film) {
  TrainingRequest request;
  request.corpus = film.corpus == "sample" ? TrainingRequest::Corpus::sample : TrainingRequest::Corpus::lecture;
  request.kind = film.kind;
  request.vocabulary_size = film.vocabulary;
  return request;
}

// "cell:2,3" -> 2, 3; "row:2" -> 2, -1; "column:3" -> -1, 3. False for other parts.
bool cell_of(const std::string& part, std::int64_t& row, std::int64_t& column) {
  row = column = -1;
  const auto number = [&](std::size_t at) { return std::atoll(part.c_str() + at); };
  if (part.starts_with("cell:")) {
    const std::size_t comma = part.find(',');
    if (comma == std::string::npos) return false;
    row = number(5);
    column = number(comma + 1);
    return true;
  }
  if (part.starts_with("row:")) row = number(4);
  if (part.starts_with("column:")) column = number(7);
  return row >= 0 || column >= 0;
}

}  // namespace

const std::vector<std::shared_ptr<const Lesson>>& Player::list() {
  if (!found_) found_ = all();
  return found_->lessons;
}
const std::vector<Error>& Player::errors() {
  (void)list();
  return found_->errors;
}

Status Player::start(Stage& stage, const std::string& id, std::int64_t step) {
  std::string known;
  for (const auto& lesson : list()) {
    if (lesson->id == id) {
      play(stage, lesson, step);
      return {};
    }
    known += (known.empty() ? "" : ", ") + lesson->id;
  }
  return not_found("there is no lesson '{}'", id).mend("known are {}", known);
}

void Player::play(Stage& stage, std::shared_ptr<const Lesson> lesson, std::int64_t step) {
  if (stage.recorder().active()) stage.recorder().close(stage);
  if (!before_) {
    before_ = stage.session();
    before_->view.lesson.clear();
    before_->view.lesson_step = 0;
    film_before_ = stage.trainer().request;
    if (stage.autosaves()) (void)save_session(before_path(), *before_);
  }
  lesson_ = std::move(lesson);
  answers_.clear();
  unknown_.clear();
  take_focus = true;
  go(stage, step);
}

Status Player::play_on(Stage& stage, const std::string& model) {
  if (!lesson_ || lesson_->model == model) return {};
  HL_ASSIGN(Lesson other, load_lesson(lesson_->path, model));
  other.own = lesson_->own;
  lesson_ = std::make_shared<const Lesson>(std::move(other));
  answers_.clear();
  go(stage, step_);
  return {};
}

void Player::stop(Stage& stage) {
  if (!lesson_) return;
  lesson_ = nullptr;
  step_ = 0;
  answers_.clear();
  film_set_ = true;
  ViewState now = stage.view();
  if (before_) {
    // Settings of the window that the user changed meanwhile are kept.
    Step kept;
    kept.view = before_->view;
    stage.view() = view_for(kept, now);
    stage.edit(before_->document);
  }
  stage.view().lesson.clear();
  stage.view().lesson_step = 0;
  if (film_before_ && !(*film_before_ == stage.trainer().request)) {
    stage.trainer().request = *film_before_;
    stage.trainer().start();
  }
  before_.reset();
  film_before_.reset();
  if (stage.autosaves()) {
    std::error_code ignored;
    std::filesystem::remove(before_path(), ignored);
  }
}

std::shared_ptr<const Lesson> Player::following() {
  const auto& lessons = list();
  for (std::size_t i = 0; lesson_ && i + 1 < lessons.size(); ++i)
    if (lessons[i]->id == lesson_->id) return lessons[i + 1];
  return nullptr;
}

void Player::go(Stage& stage, std::int64_t step) {
  if (!lesson_) return;
  step_ = std::clamp<std::int64_t>(step, 0, static_cast<std::int64_t>(lesson_->steps.size()) - 1);
  begun_.clear();
  apply(stage, *current());
}

void Player::show_solution(Stage& stage) {
  if (current() && current()->exercise) apply(stage, solved_step(*current()));
}

bool Player::solution_shown(Stage& stage) {
  if (!current() || !current()->exercise) return false;
  const Exercise& exercise = *current()->exercise;
  Document expected = exercise.document;
  expected.backend = stage.document().backend;
  return expected == stage.document() && shows(solved_step(*current()), stage.view()) && away(stage) &&
         (!exercise.training || stage.trainer().request == request_of(*exercise.training));
}

std::vector<double> Player::begun(Stage& stage, const std::vector<Nearness>& now) {
  const auto trace = stage.shown_trace();
  if (begun_.empty() && film_set_ && trace && trace->document() == stage.document() && !away(stage))
    for (const Nearness& one : now) begun_.push_back(one.why ? -1 : one.distance);
  return begun_.size() == now.size() ? begun_ : std::vector<double>(now.size(), -1);
}

void Player::apply(Stage& stage, const Step& step) {
  stage.view() = view_for(step, stage.view());
  stage.view().lesson = lesson_->id;
  stage.view().lesson_step = step_;
  wanted_view_ = stage.view();
  // The user chooses where a step is computed: who chose a GPU keeps the GPU.
  Document document = step.document;
  document.backend = stage.document().backend;
  stage.edit(std::move(document));
  began_at = steady_seconds();
  stage.show_part(step.highlight.empty() ? std::string() : step.highlight.front(), began_at);
  film_ = step.training;
  film_set_ = !film_;
  film_begun_ = false;
  compared_view_.reset();
  set_film(stage);
}

// A trace that was still computed as the step began belongs to another document. The window fits the place that it shows to every
// trace, and so the step's place is put back once its own trace is there.
void Player::show_again(Stage& stage, const Trace& trace) {
  if (!wanted_view_) return;
  const Document &shown = trace.document(), &wanted = stage.document();
  if (shown.texts != wanted.texts || shown.targets != wanted.targets || shown.model != wanted.model) return;
  const ViewState step = std::move(*wanted_view_);
  wanted_view_.reset();
  ViewState& view = stage.view();
  view.site = step.site;
  view.batch = step.batch;
  view.layer = step.layer;
  view.head = step.head;
  view.pinned_row = step.pinned_row;
  view.pinned_column = step.pinned_column;
}

void Player::set_film(Stage& stage) {
  if (film_set_ || !film_) return;
  const FilmAt& film = *film_;
  Trainer& trainer = stage.trainer();
  const TrainingRequest wanted = request_of(film);
  if (!(trainer.request == wanted)) trainer.request = wanted;
  const auto result = trainer.result();
  if (!result || !(result->request == wanted)) {
    if (!trainer.running() && !film_begun_) trainer.start();
    film_begun_ = film_begun_ || trainer.running() || trainer.result() != result;
    return;
  }
  trainer.tick(ImGui::GetTime());
  trainer.go_to(film.step);
  film_set_ = true;
}

bool Player::away(Stage& stage) {
  if (!lesson_) return false;
  const Step& step = *current();
  if (!compared_view_ || !(*compared_view_ == stage.view())) {
    compared_view_ = stage.view();
    view_shows_ = shows(step, stage.view());
  }
  if (!view_shows_) return true;
  if (step.exercise && step.training && !(stage.trainer().request == request_of(*step.training))) return true;
  Document expected = step.document;
  expected.backend = stage.document().backend;
  return !(expected == stage.document());
}

std::int64_t Player::answered() const {
  const auto at = answers_.find(step_);
  return at == answers_.end() ? -1 : at->second;
}
void Player::answer(std::int64_t choice) {
  const Step* step = current();
  if (!step || !step->question || choice < 0 || choice >= static_cast<std::int64_t>(step->question->choices.size())) return;
  answers_[step_] = choice;
}

void Player::resume(Stage& stage) {
  const std::string id = stage.view().lesson;
  if (lesson_ && lesson_->id == id) return;
  if (id.empty()) {  // another session was opened: the lesson has ended; undo leads back to the state before
    lesson_ = nullptr;
    before_.reset();
    film_before_.reset();
    answers_.clear();
    return;
  }
  if (id == unknown_) return;
  for (const auto& lesson : list())
    if (lesson->id == id) {
      lesson_ = lesson;
      step_ = std::clamp<std::int64_t>(stage.view().lesson_step, 0, static_cast<std::int64_t>(lesson->steps.size()) - 1);
      stage.view().lesson_step = step_;
      began_at = steady_seconds();
      film_ = current()->training;
      film_set_ = !film_;
      film_begun_ = false;
      begun_.clear();
      answers_.clear();
      if (!before_ && stage.autosaves())
        if (auto before = load_session(before_path()); before.ok()) before_ = std::move(before).value();
      return;
    }
  unknown_ = id;
  lesson_ = nullptr;
  stage.view().lesson.clear();
  stage.say(fill(tr("There is no lesson '{}' here."), {id}), true);
}

void Player::frame(Stage& stage) {
  resume(stage);
  unknown_cells.clear();
  if (!lesson_) return;
  set_film(stage);
  const auto trace = stage.shown_trace();
  if (!trace) return;
  show_again(stage, *trace);
  const AttentionSite* site = nullptr;
  for (const AttentionSite& s : trace->sites())
    if (s.layer == stage.view().layer) {
      site = &s;
      break;
    }
  for (const std::string& part : current()->highlight) {
    std::int64_t row = -1, column = -1;
    if (!cell_of(part, row, column)) continue;
    if (!site || row >= site->queries || column >= site->keys) {
      unknown_cells.push_back(part);
      continue;
    }
    stage.light_cell(row, column);
  }
}

const std::string& Player::language(Stage& stage) {
  const std::string& chosen = stage.chosen_language();
  if (language_from_ != chosen) {
    language_from_ = chosen;
    language_ = chosen.empty() ? system_language() : chosen;
  }
  return language_;
}

}  // namespace headlight::lessons
