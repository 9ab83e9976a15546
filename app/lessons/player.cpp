#include "app/lessons/player.h"

#include <algorithm>

#include "app/panels/shown_part.h"
#include "app/session/configuration.h"
#include "app/text/language.h"
#include "app/window/shell.h"
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

Status Player::start(window::Shell& shell, const std::string& id, std::int64_t step) {
  std::string known;
  for (const auto& lesson : list()) {
    if (lesson->id == id) {
      play(shell, lesson, step);
      return {};
    }
    known += (known.empty() ? "" : ", ") + lesson->id;
  }
  return not_found("there is no lesson '" + id + "'", {}, "known are " + known);
}

void Player::play(window::Shell& shell, std::shared_ptr<const Lesson> lesson, std::int64_t step) {
  if (shell.recorder().active()) shell.recorder().close(shell);
  if (!before_) {
    before_ = shell.session();
    before_->view.lesson.clear();
    before_->view.lesson_step = 0;
    film_before_ = shell.trainer().request;
    if (shell.autosaves()) (void)save_session(before_path(), *before_);
  }
  lesson_ = std::move(lesson);
  answers_.clear();
  unknown_.clear();
  take_focus = true;
  go(shell, step);
}

void Player::stop(window::Shell& shell) {
  if (!lesson_) return;
  lesson_ = nullptr;
  step_ = 0;
  answers_.clear();
  film_set_ = true;
  ViewState now = shell.view();
  if (before_) {
    // What the person chose about the window itself meanwhile stays chosen.
    Step kept;
    kept.view = before_->view;
    shell.view() = view_for(kept, now);
    shell.edit(before_->document);
  }
  shell.view().lesson.clear();
  shell.view().lesson_step = 0;
  if (film_before_ && !(*film_before_ == shell.trainer().request)) {
    shell.trainer().request = *film_before_;
    shell.trainer().start();
  }
  before_.reset();
  film_before_.reset();
  if (shell.autosaves()) {
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

void Player::go(window::Shell& shell, std::int64_t step) {
  if (!lesson_) return;
  step_ = std::clamp<std::int64_t>(step, 0, static_cast<std::int64_t>(lesson_->steps.size()) - 1);
  apply(shell);
}

void Player::apply(window::Shell& shell) {
  const Step& step = *current();
  shell.view() = view_for(step, shell.view());
  shell.view().lesson = lesson_->id;
  shell.view().lesson_step = step_;
  // Where a step's numbers are computed is the person's choice: a GPU's user keeps the GPU.
  Document document = step.document;
  document.backend = shell.document().backend;
  shell.edit(std::move(document));
  began_at = steady_seconds();
  if (step.highlight.empty())
    shell.transient.texts.erase(panels::kShownPart);
  else
    shell.transient.texts[panels::kShownPart] = step.highlight.front();
  shell.transient.clocks[panels::kShownPart] = began_at;
  film_set_ = !step.training;
  film_begun_ = false;
  compared_view_.reset();
  set_film(shell);
}

void Player::set_film(window::Shell& shell) {
  if (film_set_ || !current() || !current()->training) return;
  const FilmAt& film = *current()->training;
  Trainer& trainer = shell.trainer();
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

bool Player::away(const window::Shell& shell) {
  if (!lesson_) return false;
  const Step& step = *current();
  if (!compared_view_ || !(*compared_view_ == shell.view())) {
    compared_view_ = shell.view();
    view_shows_ = shows(step, shell.view());
  }
  if (!view_shows_) return true;
  Document expected = step.document;
  expected.backend = shell.document().backend;
  return !(expected == shell.document());
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

void Player::resume(window::Shell& shell) {
  const std::string id = shell.view().lesson;
  if (lesson_ && lesson_->id == id) return;
  if (id.empty()) {  // another session was opened: the lesson is over, and what was before lies in the history of undo
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
      step_ = std::clamp<std::int64_t>(shell.view().lesson_step, 0, static_cast<std::int64_t>(lesson->steps.size()) - 1);
      shell.view().lesson_step = step_;
      began_at = steady_seconds();
      film_set_ = !current()->training;
      film_begun_ = false;
      answers_.clear();
      if (!before_ && shell.autosaves())
        if (auto before = load_session(before_path()); before.ok()) before_ = std::move(before).value();
      return;
    }
  unknown_ = id;
  lesson_ = nullptr;
  shell.view().lesson.clear();
  shell.say(fill(tr("There is no lesson '{}' here."), {id}), true);
}

void Player::frame(window::Shell& shell) {
  resume(shell);
  unknown_cells.clear();
  if (!lesson_) return;
  set_film(shell);
  const auto& trace = shell.published().trace;
  if (!trace) return;
  const AttentionSite* site = nullptr;
  for (const AttentionSite& s : trace->sites())
    if (s.layer == shell.view().layer) {
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
    if (!(shell.hover.now == panels::Hot())) continue;
    shell.hover.now.row = row;
    shell.hover.now.column = column;
  }
}

const std::string& Player::language(const window::Shell& shell) {
  const std::string& chosen = shell.configuration().language;
  if (language_from_ != chosen) {
    language_from_ = chosen;
    language_ = chosen.empty() ? system_language() : chosen;
  }
  return language_;
}

}  // namespace headlight::lessons
