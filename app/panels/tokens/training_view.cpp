#include "app/panels/tokens/training_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/figures/base/compose.h"
#include "app/figures/tokens/training_step.h"
#include "app/gl/figure_view.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/tokens/training_film.h"
#include "app/panels/tokens/training_rounds.h"
#include "app/session/trainer.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kLeastFilm = 1100;

void draw_choices(Context& context, const ui::Look& look, Trainer& trainer) {
  TrainingRequest& request = trainer.request;
  const char* const corpora[] = {tr("a lecture's five words"), tr("sample corpus"), tr("a file")};
  const char* const corpora_why[] = {tr("hug, pug, pun, bun and hugs, counted: small enough to follow by hand"),
                                     tr("Sentences that come with the program"), tr("A text file of your own")};
  const float start = ImGui::GetCursorPosX(), right = start + ImGui::GetContentRegionAvail().x;
  const auto next = [&](float width) {  // on the same line if there is room
    ImGui::SameLine(0, look.px(16));
    if (ImGui::GetCursorPosX() + look.px(width) > right) ImGui::NewLine();
  };
  if (const int clicked = ui::segmented(look, "corpus", corpora, 3, static_cast<int>(request.corpus), corpora_why);
      clicked >= 0) {
    request.corpus = static_cast<TrainingRequest::Corpus>(clicked);
    request.vocabulary_size = clicked == 0 ? 32 : 1000;
  }
  if (request.corpus == TrainingRequest::Corpus::file) {
    next(240);
    push_font(context, Font::words, 14);
    ImGui::SetNextItemWidth(look.px(240));
    ui::text_input("##path", request.path, tr("path of a text file"));
    ImGui::PopFont();
  }
  std::vector<const char*> kinds, kinds_why;
  int selected = 0;
  const auto& entries = tokenizers::trainers().entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    kinds.push_back(tr(entries[i].label.c_str()));
    kinds_why.push_back(tr(entries[i].formula.c_str()));
    if (entries[i].id == request.kind) selected = static_cast<int>(i);
  }
  next(330);
  if (const int clicked = ui::segmented(look, "kind", kinds.data(), static_cast<int>(kinds.size()), selected, kinds_why.data());
      clicked >= 0)
    request.kind = entries[static_cast<std::size_t>(clicked)].id;
  next(230);
  push_font(context, Font::words, 14);
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, gl::vec4(look.theme.secondary));
  ImGui::TextUnformatted(tr("vocabulary"));
  ImGui::PopStyleColor();
  ImGui::SameLine(0, look.px(8));
  ImGui::SetNextItemWidth(look.px(86));
  int size = static_cast<int>(request.vocabulary_size);
  if (ImGui::InputInt("##size", &size, 0)) request.vocabulary_size = std::clamp(size, 5, 200000);
  ImGui::PopFont();
  ui::tooltip(look, tr("How many entries the vocabulary may have, special tokens included: training stops there"));
  ImGui::SameLine(0, look.px(16));
  if (trainer.running()) {
    if (ui::button(look, ui::labelled(tr("Cancel"), "cancel").c_str(), 0, 28)) trainer.cancel();
    ui::tooltip(look, tr("Stops the training; what was there before stays"));
    ImGui::SameLine(0, look.px(12));
    char progress[32];
    std::snprintf(progress, sizeof progress, "%.0f %%", 100 * trainer.progress());
    ImGui::AlignTextToFramePadding();
    ui::words(look, progress, look.theme.secondary);
  } else {
    if (ui::button(look, ui::labelled(tr("Train"), "train").c_str(), 0, 28, true)) trainer.start();
    ui::tooltip(look, tr("Trains this kind on this corpus, keeping every step"));
  }
}

// A slider in the window's style; true while it is moved.
bool step_slider(const ui::Look& look, std::int64_t& step, std::int64_t steps, float width) {
  const float height = look.px(28), radius = look.px(7);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("steps", {std::max(width, look.px(40)), height}, ImGuiButtonFlags_EnableNav);
  const float left = low.x + radius, room = std::max(1.0f, std::max(width, look.px(40)) - 2 * radius);
  bool moved = false;
  if (ImGui::IsItemActive()) {
    const float share = std::clamp((ImGui::GetIO().MousePos.x - left) / room, 0.0f, 1.0f);
    step = std::lround(share * static_cast<float>(steps));
    moved = true;
  }
  const float middle = low.y + height / 2,
              at = left + room * static_cast<float>(step) / static_cast<float>(std::max<std::int64_t>(1, steps));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float alpha = ImGui::GetStyle().Alpha;
  list.AddLine({left, middle}, {left + room, middle}, gl::packed(look.theme.line, alpha), look.px(5));
  list.AddLine({left, middle}, {at, middle}, gl::packed(look.theme.selected, alpha), look.px(5));
  list.AddCircleFilled({at, middle}, radius, gl::packed(look.theme.selected, alpha));
  return moved;
}

// Makes the trained tokenizer the document's. It is at the right end of the line.
constexpr float kUseWidth = 196, kFilmWidth = 72;
void draw_use(Context& context, const ui::Look& look, const TrainingResult& result) {
  ImGui::SameLine(0, look.px(16));
  if (ImGui::GetContentRegionAvail().x < look.px(kUseWidth - 16 + kFilmWidth + 10)) ImGui::NewLine();
  const std::string& name = result.trained->name;
  Document next = context.document;
  use_trained(next, result.trained);
  if (next == context.document) {
    ImGui::AlignTextToFramePadding();
    ui::words(look, tr("the sentence uses it"), look.theme.good, 14);
    return;
  }
  if (ui::button(look, ui::labelled(tr("Use it for the sentence"), "use").c_str(), 0, 28)) {
    context.edit(std::move(next));
  }
  ui::tooltip(look, fill(tr("Makes it the document's tokenizer, {}; a saved session carries it"), {name}));
}

void draw_film(Context& context, const ui::Look& look, const std::shared_ptr<const TrainingResult>& result) {
  if (!context.export_animation || result->film->steps() == 0) return;
  ImGui::SameLine(0, look.px(10));
  if (ui::button(look, ui::labelled(tr("Film…"), "film").c_str(), look.px(kFilmWidth), 28))
    context.export_animation(training_film(result, context.theme));
  ui::tooltip(look, tr("Saves the whole training as an animated picture, one merge after the other"));
}

constexpr float kStepButtons = 4 * 44 + 64 + 4 * 6 + 20, kLeastSlider = 80, kStepWords = 150;
void draw_stepper(const ui::Look& look, Trainer& trainer, bool merges, float keep) {
  const std::int64_t steps = trainer.steps();
  std::int64_t step = trainer.step();
  if (ui::button(look, "|<", look.px(44), 28, false, step > 0)) trainer.go_to(0);
  ui::tooltip(look, tr("Before the first step"));
  ImGui::SameLine(0, look.px(6));
  if (ui::button(look, "<", look.px(44), 28, false, step > 0)) trainer.go_to(step - 1);
  ui::tooltip(look, tr("One step back"));
  ImGui::SameLine(0, look.px(6));
  if (ui::button(look, ui::labelled(trainer.playing() ? tr("pause") : tr("play"), "play").c_str(), look.px(64), 28,
                 trainer.playing(), steps > 0))
    trainer.play(!trainer.playing());
  ui::tooltip(look, tr("Plays the training as a film"));
  ImGui::SameLine(0, look.px(6));
  if (ui::button(look, ">", look.px(44), 28, false, step < steps)) trainer.go_to(step + 1);
  ui::tooltip(look, tr("One step on"));
  ImGui::SameLine(0, look.px(6));
  if (ui::button(look, ">|", look.px(44), 28, false, step < steps)) trainer.go_to(steps);
  ui::tooltip(look, tr("After the last step"));
  ImGui::SameLine(0, look.px(20));
  // Room is reserved for these controls only if the slider keeps enough; else they go to the next line.
  const float room = ImGui::GetContentRegionAvail().x - look.px(kStepWords);
  step = trainer.step();
  if (step_slider(look, step, steps,
                  std::clamp(room - keep < look.px(kLeastSlider) ? room : room - keep, look.px(40), look.px(560))))
    trainer.go_to(step);
  ImGui::SameLine(0, look.px(16));
  ImGui::AlignTextToFramePadding();
  ui::words(look,
            fill(merges ? tr("merge {} of {}") : tr("entry {} of {}"), {std::to_string(trainer.step()), std::to_string(steps)}),
            look.theme.secondary, 14);
}

// The step of the film that was shown last, and when its parts began to move.
struct Fusing {
  std::optional<std::int64_t> shown;
  double began = 0;
};

// How far the step's parts have come together: they move when the film advances by one step; otherwise they are together.
float fusing_now(Context& context, std::int64_t step) {
  constexpr double kSeconds = 0.2;
  if (!context.transient || context.still) return 1;
  auto& [shown, began] = context.transient->of<Fusing>();
  if (shown != step) {
    began = shown && step == *shown + 1 ? context.now : 0;
    shown = step;
  }
  const double share = (context.now - began) / kSeconds;
  if (began <= 0 || share >= 1) return 1;
  if (context.frame_in) context.frame_in(0);
  const double rest = 1 - std::max(0.0, share);
  return static_cast<float>(1 - rest * rest * rest);
}

}  // namespace

void draw_training(Context& context) {
  if (!context.trainer) return;
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  Trainer& trainer = *context.trainer;
  trainer.tick(ImGui::GetTime());
  const bool presented = context.view.presentation;
  const ImVec2 head = ImGui::GetCursorScreenPos();
  if (!presented) {
    context.figures.text(*ImGui::GetWindowDrawList(), {head.x, head.y + look.px(4)}, tr("Training"), ui::kHeading,
                         Font::words_bold, look.theme.text);
    ImGui::Dummy({look.px(context.measure.width(tr("Training"), ui::kHeading, Font::words_bold)), look.px(28)});
    ImGui::SameLine(0, look.px(24));
    draw_choices(context, look, trainer);
  }
  if (const auto error = trainer.error()) ui::words(look, spoken(*error), look.theme.wrong, 14);
  const auto result = trainer.result();
  if (!result) {
    if (!trainer.running() && !trainer.error()) trainer.start();  // the lecture's words take less than a millisecond
    return;
  }
  ImGui::Dummy({0, look.px(2)});
  const std::int64_t steps = result->film->steps();
  const std::string title = fill(tr("{} on {}"), {training_kind(result->request.kind), tr(result->corpus_words.c_str())});
  const ImVec2 line = ImGui::GetCursorScreenPos();
  const float title_width = context.measure.width(title, 16, Font::words_bold);
  context.figures.text(*ImGui::GetWindowDrawList(), {line.x, line.y + look.px(4)}, title, 16, Font::words_bold, look.theme.text);
  ImGui::Dummy({look.px(title_width), look.px(28)});
  char taken[32];
  std::snprintf(taken, sizeof taken, "%.*f", result->seconds < 0.01 ? 1 : 0, result->seconds * 1e3);
  ui::tooltip(look, fill(tr("{} steps in {} ms"), {std::to_string(steps), taken}));
  if (steps > 0) {
    ImGui::SameLine(0, look.px(24));
    if (ImGui::GetContentRegionAvail().x < look.px(kStepButtons + kLeastSlider + kStepWords)) ImGui::NewLine();
    draw_stepper(look, trainer, result->film->merges(), presented ? 0 : look.px(kUseWidth + kFilmWidth + 10));
  }
  if (!presented) {
    draw_use(context, look, *result);
    draw_film(context, look, result);
  }
  if (!result->training->rounds.empty()) {
    const float room = ImGui::GetContentRegionAvail().x / context.scale - 4;
    const figures::TableInput rounds = rounds_table(*result->training);
    const gl::Hit hit = context.figures.draw(figures::table(rounds, room, context.theme, context.measure), "rounds");
    name_part(context, "tokens:rounds");
    figure_menu(context, "rounds menu", hit, [&] {
      return figures::framed(figures::table(rounds, 900, context.theme, context.measure), "", 16, context.theme);
    });
    return;
  }
  if (result->film->steps() == 0) {
    ui::words(look, tr("The vocabulary is full with the alphabet alone: there is no step to watch. Ask for a larger vocabulary."),
              look.theme.secondary, 14);
    return;
  }
  ImGui::Dummy({0, look.px(4)});
  const DerivedKey key = DerivedKey("tokens/training", {result->name, trainer.step()}).of(result->film);
  const auto input = context.derived.now<figures::TrainingStepInput>(
      key, [result, step = trainer.step()](const CancelToken&) -> Result<figures::TrainingStepInput> {
        return training_input(*result, step);
      });
  if (!input) return;
  const float fusing = fusing_now(context, trainer.step());
  figures::TrainingStepInput moving;
  if (fusing < 1) {
    moving = *input.value;
    moving.fusing = fusing;
  }
  // In presentation mode its three columns keep the width that they need and are drawn smaller.
  const float room = ImGui::GetContentRegionAvail().x / context.scale - 4;
  const float factor = presented ? std::min(1.0f, room / kLeastFilm) : 1.0f;
  const float height = (ImGui::GetContentRegionAvail().y - ImGui::GetStyle().ItemSpacing.y) / context.scale;
  const figures::Figure figure = figures::scaled(
      figures::training_step(fusing < 1 ? moving : *input.value, room / factor, context.theme, context.measure, height / factor),
      factor);
  const gl::Hit hit = context.figures.draw(figure, "step");
  name_part(context, "tokens:film");
  figure_menu(context, "step menu", hit, [&] {
    figures::Figure exported = figures::training_step(*input.value, 1100, context.theme, context.measure);
    exported.background = context.theme.background;
    return exported;
  });
}

}  // namespace headlight::panels
