// A tokenizer in training: what is trained, a player of its film, and the step that is shown.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/figures/base/compose.h"
#include "app/figures/tokens/training_step.h"
#include "app/session/trainer.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/training_film.h"
#include "app/views/tokens/pages.h"
#include "app/views/tokens/training_rounds.h"
#include "imgui.h"

namespace headlight::views::tokens {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using Outcome = std::shared_ptr<const TrainingResult>;
using Step = std::shared_ptr<const figures::TrainingStepInput>;

constexpr float kLeastFilm = 1100, kLeastFilmOfTwo = 560, kLeastFilmFactor = 0.6f, kLeastBesideLesson = 0.8f;
constexpr float kRoomySlider = 660;  // a room that has the film's buttons and a long slider in one line

void draw_size(const Scene& scene, std::int64_t& size) {
  const ui::Look look = look_of(scene);
  push_font(scene.context, Font::words, 14);
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, gl::vec4(look.theme.secondary));
  ImGui::TextUnformatted(tr("vocabulary"));
  ImGui::PopStyleColor();
  ImGui::SameLine(0, look.px(8));
  ImGui::SetNextItemWidth(look.px(86));
  int typed = static_cast<int>(size);
  if (ImGui::InputInt("##size", &typed, 0)) size = std::clamp(typed, 5, 200000);
  ImGui::PopFont();
}

// Begins the training, or stops it.
Node train_button(Sheet& sheet, Trainer& trainer) {
  if (trainer.running())
    return sheet.button({.id = "cancel",
                         .label = tr("Cancel"),
                         .why = tr("Stops the training; what was there before stays"),
                         .press = [&trainer] { trainer.cancel(); },
                         .high = 28});
  return sheet.button({.id = "train",
                       .label = tr("Train"),
                       .on = true,
                       .why = tr("Trains this kind on this corpus, keeping every step"),
                       .press = [&trainer] { trainer.start(); },
                       .high = 28});
}

Node kind_choice(Sheet& sheet, TrainingRequest& request) {
  std::vector<std::string> labels, why, ids;
  int selected = 0;
  for (const auto& entry : tokenizers::trainers().entries()) {
    if (entry.id == request.kind) selected = static_cast<int>(ids.size());
    labels.emplace_back(tr(entry.label.c_str()));
    why.emplace_back(tr(entry.formula.c_str()));
    ids.push_back(entry.id);
  }
  return sheet.choice("kind", std::move(labels), selected, std::move(why),
                      [&request, ids](int kind) { request.kind = ids[static_cast<std::size_t>(kind)]; });
}

void draw_slider(const ui::Look& look, Trainer& trainer, float width) {
  const std::int64_t steps = trainer.steps(), step = trainer.step();
  const float height = look.px(28), radius = look.px(7);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("steps", {width, height}, ImGuiButtonFlags_EnableNav);
  const float left = low.x + radius, room = std::max(1.0f, width - 2 * radius);
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left))
    trainer.go_to(std::lround(std::clamp((ImGui::GetIO().MousePos.x - left) / room, 0.0f, 1.0f) * static_cast<float>(steps)));
  if (ImGui::IsItemFocused()) {
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow) && step > 0) trainer.go_to(step - 1);
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow) && step < steps) trainer.go_to(step + 1);
  }
  const float middle = low.y + height / 2,
              at = left + room * static_cast<float>(trainer.step()) / static_cast<float>(std::max<std::int64_t>(1, steps));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float alpha = ImGui::GetStyle().Alpha;
  list.AddLine({left, middle}, {left + room, middle}, gl::packed(look.theme.line, alpha), look.px(5));
  list.AddLine({left, middle}, {at, middle}, gl::packed(look.theme.selected, alpha), look.px(5));
  list.AddCircleFilled({at, middle}, radius, gl::packed(look.theme.selected, alpha));
}

void add_player(Sheet& sheet, Trainer& trainer, bool merges, std::vector<Node>& all) {
  const std::int64_t steps = trainer.steps(), step = trainer.step();
  const auto add = [&](const char* id, const char* label, const char* why, std::int64_t to, bool enabled) {
    all.push_back(shown_everywhere(sheet.button({.id = id,
                                                 .label = label,
                                                 .why = why,
                                                 .press = [&trainer, to] { trainer.go_to(to); },
                                                 .enabled = enabled,
                                                 .wide = 44,
                                                 .high = 28})));
  };
  all.push_back(shown_everywhere(sheet.label(
      "step", fill(merges ? tr("merge {} of {}") : tr("entry {} of {}"), {std::to_string(step), std::to_string(steps)}), 14,
      sheet.scene.pen.theme.secondary)));
  add("first", "|<", tr("Before the first step"), 0, step > 0);
  add("back", "<", tr("One step back"), step - 1, step > 0);
  all.push_back(shown_everywhere(sheet.button({.id = "play",
                                               .label = trainer.playing() ? tr("pause") : tr("play"),
                                               .on = trainer.playing(),
                                               .why = tr("Plays the training as a film"),
                                               .press = [&trainer] { trainer.play(!trainer.playing()); },
                                               .wide = 64,
                                               .high = 28})));
  add("on", ">", tr("One step on"), step + 1, step < steps);
  add("last", ">|", tr("After the last step"), steps, step < steps);
  // Beside a lesson it shares the buttons' line.
  const float wished = sheet.scene.room.w < kRoomySlider ? 120.0f : 320.0f;
  all.push_back(shown_everywhere(sheet.by_hand(
      {.id = "slider", .draw = [&trainer](const ui::Look& look, Size size) { draw_slider(look, trainer, look.px(size.w)); }},
      {80, wished, 560}, 28)));
}

// Makes the trained tokenizer the document's.
Node use_node(Sheet& sheet, const Outcome& result) {
  const Context& context = sheet.scene.context;
  Document next = context.document;
  use_trained(next, result->trained);
  if (next == context.document) return sheet.label("used", tr("the sentence uses it"), 14, sheet.scene.pen.theme.good);
  return sheet.button(
      {.id = "use",
       .label = tr("Use it for the sentence"),
       .why = fill(tr("Makes it the document's tokenizer, {}; a saved session carries it"), {result->trained->name}),
       .press = [&context, next] { context.edit(next); },
       .high = 28});
}

Node player_flow(Sheet& sheet, Trainer& trainer, const Outcome& result) {
  const Context& context = sheet.scene.context;
  const std::int64_t steps = result->film->steps();
  char taken[32];
  std::snprintf(taken, sizeof taken, "%.*f", result->seconds < 0.01 ? 1 : 0, result->seconds * 1e3);
  std::vector<Node> all = {shown_everywhere(
      sheet.label("trained", fill(tr("{} on {}"), {training_kind(result->request.kind), tr(result->corpus_words.c_str())}), 16,
                  sheet.scene.pen.theme.text, fill(tr("{} steps in {} ms"), {std::to_string(steps), taken}), Font::words_bold))};
  if (steps > 0) add_player(sheet, trainer, result->film->merges(), all);
  all.push_back(use_node(sheet, result));
  if (context.export_animation && steps > 0)
    all.push_back(sheet.button({.id = "save film",
                                .label = tr("Film…"),
                                .why = tr("Saves the whole training as an animated picture, one merge after the other"),
                                .press = [&context, result] { context.export_animation(training_film(result, context.theme)); },
                                .high = 28}));
  return Sheet::flow("player", 8, std::move(all));
}

// The step of the film that was shown last, and when its parts began to move.
struct Fusing {
  std::optional<std::int64_t> shown;
  double began = 0;
};

// How far the step's parts have come together: they move when the film advances by one step; otherwise they are together.
float fusing_now(const Scene& scene, std::int64_t step) {
  constexpr double kSeconds = 0.2;
  const Context& context = scene.context;
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

Step step_of(const Context& context, const Outcome& result, std::int64_t step) {
  const DerivedKey key = DerivedKey("tokens/training", {result->name, step}).of(result->film);
  return context.derived
      .now<figures::TrainingStepInput>(
          key, [&](const CancelToken&) -> Result<figures::TrainingStepInput> { return training_input(*result, step); })
      .value;
}

// In presentation mode its three columns keep the width that they need and are drawn smaller; where they would be too small to
// read, beside a lesson, two stand side by side, the curve gives way, and in a low room the rest is a little smaller.
figures::Figure film_picture(const figures::TrainingStepInput& input, bool presented, Size s, const Pen& pen) {
  const float three = presented ? s.w / kLeastFilm : 1;
  const bool all = three >= kLeastFilmFactor;
  const float wished = std::min(1.0f, all ? three : s.w / kLeastFilmOfTwo);
  const auto made = [&](const figures::TrainingStepInput& shown, float factor) {
    return figures::scaled(figures::training_step(shown, s.w / factor, pen.theme, pen.measure, s.h / factor), factor);
  };
  figures::Figure figure = made(input, wished);
  if (all || s.h <= 0 || figure.height <= s.h) return figure;
  figures::TrainingStepInput brief = input;
  brief.curve.clear();
  for (const float smaller : {1.0f, 0.93f, 0.86f, kLeastBesideLesson}) {
    figure = made(brief, wished * smaller);
    if (figure.height <= s.h) break;
  }
  return figure;
}

Node film_node(Sheet& sheet, const Step& step, float fusing) {
  const bool presented = sheet.scene.medium == sheet::Medium::presented;
  Part film{.id = "film",
            .picture =
                [step, fusing, presented](Size s, const Pen& pen) {
                  figures::TrainingStepInput input = *step;
                  input.fusing = fusing;
                  return film_picture(input, presented, s, pen);
                },
            .of = fusing < 1 ? nullptr : step,
            .paper = {1100, 600},
            .on_paper = [scene = &sheet.scene](Size s, const Pen&) { return figure_of_training(scene->context, s.w, s.h); }};
  Node node = sheet.picture(std::move(film), {300, 900, kAny}, sheet::Span());
  node.forms[0].high = [own = sheet.parts.back(), scene = &sheet.scene](float width) {
    const float least = Sheet::made(*scene, *own, {width, 1})->height, most = Sheet::made(*scene, *own, {width, 0})->height;
    return sheet::Span(std::min(least, most), most, most);
  };
  Node column = Sheet::column("film column", 0, {std::move(node)});
  column.scrolls = true;
  return column;
}

// A unigram training takes pieces out, round by round.
Node rounds_node(Sheet& sheet, const Outcome& result) {
  const auto rounds = std::make_shared<const figures::TableInput>(rounds_table(*result->training));
  const auto draw = [rounds](Size s, const Pen& pen) { return figures::table(*rounds, s.w, pen.theme, pen.measure); };
  Node column = Sheet::column("rounds column", 0,
                              {sheet.picture({.id = "rounds",
                                              .picture = draw,
                                              .of = sheet.scene.made_of<struct RoundsOf>(result),
                                              .paper = {900, 0},
                                              .framed = true},
                                             {300, 900, kAny})});
  column.scrolls = true;
  return column;
}

// What was trained, from its controls to its pictures, as lessons name it.
void name_all(const Scene& scene) {
  if (!scene.context.parts) return;
  const ImVec2 low = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  scene.context.parts->add("tokens:training", low.x, low.y, low.x + room.x, low.y + room.y);
}

}  // namespace

std::vector<sheet::Node> training_choices(Sheet& sheet) {
  Trainer* const job = job_of<Trainer>(sheet.scene.context, "tokens");
  if (!job) return {};
  Trainer& trainer = *job;
  TrainingRequest& request = trainer.request;
  const auto choose_corpus = [&request, &texts = sheet.scene.context.document.texts](int corpus) {
    constexpr std::array<std::int64_t, 4> kSizes = {32, 1000, 100, 1000};
    request.corpus = static_cast<TrainingRequest::Corpus>(corpus);
    request.vocabulary_size = kSizes.at(static_cast<std::size_t>(corpus));
    if (request.corpus != TrainingRequest::Corpus::typed || !request.text.empty()) return;
    for (const std::string& text : texts) request.text += (request.text.empty() ? "" : " ") + text;
  };
  std::vector<Node> all = {sheet.choice(
      "corpus", {tr("a lecture's five words"), tr("sample corpus"), tr("a text typed here"), tr("a file")},
      static_cast<int>(request.corpus),
      {tr("hug, pug, pun, bun and hugs, counted: small enough to follow by hand"), tr("Sentences that come with the program"),
       tr("Words of your own, the sentence above to begin with: what occurs often becomes a piece"),
       tr("A text file of your own")},
      choose_corpus)};
  if (request.corpus == TrainingRequest::Corpus::typed)
    all.push_back(sheet.field("text", &request.text, tr("a text to train on"),
                              tr("Words of your own, the sentence above to begin with: what occurs often becomes a piece"), 320));
  if (request.corpus == TrainingRequest::Corpus::file)
    all.push_back(sheet.field("path", &request.path, tr("path of a text file"), tr("A text file of your own"), 240));
  all.push_back(kind_choice(sheet, request));
  const float label = std::ceil(sheet.scene.pen.measure.width(tr("vocabulary"), 14, Font::words));
  all.push_back(sheet.by_hand(
      {.id = "size",
       .draw = [scene = &sheet.scene, &request](const ui::Look&, Size) { draw_size(*scene, request.vocabulary_size); },
       .explains = tr("How many entries the vocabulary may have, special tokens included: training stops there")},
      label + 8 + 86, 28));
  all.push_back(train_button(sheet, trainer));
  if (trainer.running()) {
    char progress[32];
    std::snprintf(progress, sizeof progress, "%.0f %%", 100 * trainer.progress());
    all.push_back(sheet.label("progress", progress, 15, sheet.scene.pen.theme.secondary));
  }
  return all;
}

sheet::Node training_page(Sheet& sheet) {
  const Scene& scene = sheet.scene;
  std::vector<Node> all;
  Trainer* const job = job_of<Trainer>(scene.context, "tokens");
  if (!job) return Sheet::column("training page", 0, {});
  Trainer& trainer = *job;
  trainer.tick(ImGui::GetTime());
  if (const auto error = trainer.error()) all.push_back(sheet.notice(spoken(*error), scene.pen.theme.wrong));
  const Outcome result = trainer.result();
  if (!result && !trainer.running() && !trainer.error()) trainer.start();  // the lecture's words take less than a millisecond
  if (result) {
    name_all(scene);
    all.push_back(player_flow(sheet, trainer, result));
    if (!result->training->rounds.empty())
      all.push_back(rounds_node(sheet, result));
    else if (result->film->steps() == 0)
      all.push_back(sheet.notice(
          tr("The vocabulary is full with the alphabet alone: there is no step to watch. Ask for a larger vocabulary."),
          scene.pen.theme.secondary));
    else if (const Step step = step_of(scene.context, result, trainer.step()))
      all.push_back(film_node(sheet, step, fusing_now(scene, trainer.step())));
  }
  return Sheet::column("training page", 8, std::move(all));
}

figures::Figure figure_of_training(const Context& context, float width, float height) {
  const Trainer* const trainer = job_of<Trainer>(context, "tokens");
  const Outcome result = trainer ? trainer->result() : nullptr;
  if (!result || result->film->steps() == 0) return figure_of_rows(context, width, height);
  const Step step = step_of(context, result, trainer->step());
  if (!step) return {};
  figures::Figure figure = figures::training_step(*step, std::max(width, kLeastFilm), context.theme, context.measure);
  figure.background = context.theme.background;
  return figure;
}

}  // namespace headlight::views::tokens
