#include "app/lessons/recorder.h"

#include <algorithm>

#include "app/files/configuration.h"
#include "app/lessons/player.h"
#include "app/session/view_fields.h"
#include "app/session/worker.h"
#include "app/text/error_words.h"
#include "app/text/language.h"

namespace headlight::lessons {
namespace {

constexpr double kSeconds = 1;

// The window's state as a step: the lesson sets those keys of the view that differ from the defaults.
Step step_of(Stage& stage) {
  Step step;
  step.document = stage.document();
  step.document.backend = Document().backend;  // each user chooses where it is computed
  step.view = stage.view();
  const ViewState plain;
  for (const SavedField& field : saved_fields())
    if (!personal_keys().contains(field.path()) && (field.path() == "tab" || !field.same(step.view, plain)))
      step.view_keys.insert(field.path());
  Step bare;
  step.view = view_for(step, bare.view);  // without the user's own settings
  return step;
}

}  // namespace

std::filesystem::path Recorder::draft_path() { return configuration_path().parent_path() / "lesson-draft.json"; }

void Recorder::begin_anew(Stage& stage) {
  draft_ = {};
  draft_.id = "lesson";
  draft_.title[language] = "";
  draft_.steps = {step_of(stage)};
  draft_.steps[0].text[language] = "";
  selected_ = 0;
}

void Recorder::open(Stage& stage) {
  if (active_) return;
  if (stage.player().active()) stage.player().stop(stage);
  active_ = true;
  if (language.empty()) language = stage.player().language(stage);
  if (!draft_.steps.empty()) return;
  std::error_code ignored;
  if (stage.autosaves() && std::filesystem::exists(draft_path(), ignored)) {
    auto draft = load_lesson(draft_path());
    if (draft.ok()) {
      draft_ = std::move(draft).value();
      draft_.path.clear();
      written_ = seen_ = to_json(draft_);
      selected_ = 0;
      return;
    }
    // Renamed, not deleted: the user may still want the unreadable file.
    std::filesystem::rename(draft_path(), draft_path().string() + ".unreadable", ignored);
    stage.say(spoken(draft.error()), true);
  }
  begin_anew(stage);
}

void Recorder::close(Stage& stage) {
  picking = false;
  changed_at_ = -2;  // so that unsaved changes are written now
  (void)tick(stage, steady_seconds());
  active_ = false;
}

void Recorder::record(Stage& stage) {
  Step step = step_of(stage);
  step.text[language] = "";
  draft_.steps.insert(draft_.steps.begin() + selected_ + 1, std::move(step));
  ++selected_;
}

void Recorder::take(Stage& stage) {
  Step now = step_of(stage);
  Step& step = this->step();
  step.document = std::move(now.document);
  step.view = std::move(now.view);
  step.view_keys = std::move(now.view_keys);
}

void Recorder::select(Stage& stage, std::int64_t index) {
  selected_ = std::clamp<std::int64_t>(index, 0, static_cast<std::int64_t>(draft_.steps.size()) - 1);
  stage.view() = view_for(step(), stage.view());
  Document document = step().document;
  document.backend = stage.document().backend;
  stage.edit(std::move(document));
}

void Recorder::move(std::int64_t by) {
  const std::int64_t to = selected_ + by;
  if (to < 0 || to >= static_cast<std::int64_t>(draft_.steps.size())) return;
  std::swap(draft_.steps[static_cast<std::size_t>(selected_)], draft_.steps[static_cast<std::size_t>(to)]);
  selected_ = to;
}

void Recorder::remove() {
  if (draft_.steps.size() < 2) return;
  draft_.steps.erase(draft_.steps.begin() + selected_);
  selected_ = std::min<std::int64_t>(selected_, static_cast<std::int64_t>(draft_.steps.size()) - 1);
}

void Recorder::toggle_part(const std::string& part) {
  auto& parts = step().highlight;
  if (const auto at = std::find(parts.begin(), parts.end(), part); at != parts.end())
    parts.erase(at);
  else
    parts.push_back(part);
}

Status Recorder::save(const std::filesystem::path& path) {
  draft_.id = id_from(path.stem().string());
  HL_TRY(save_lesson(path, draft_));
  draft_.path = path;
  return {};
}

Status Recorder::load(Stage& stage, const std::filesystem::path& path) {
  HL_ASSIGN(draft_, load_lesson(path));
  select(stage, 0);
  return {};
}

double Recorder::tick(Stage& stage, double now) {
  if (!active_ || draft_.steps.empty() || !stage.autosaves()) return -1;
  std::string json = to_json(draft_);
  if (json == written_) {
    changed_at_ = -1;
    return -1;
  }
  if (changed_at_ == -1) changed_at_ = now;
  if (changed_at_ >= 0 && now - changed_at_ < kSeconds) return changed_at_ + kSeconds - now;
  changed_at_ = -1;
  if (const Status status = save_lesson(draft_path(), draft_); !status.ok()) {
    stage.say(spoken(status.error()), true);
    return -1;
  }
  written_ = std::move(json);
  return -1;
}

}  // namespace headlight::lessons
