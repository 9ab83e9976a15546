// The Train view's controls: what is trained, playing, the slider over checkpoints, saving.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/files/configuration.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/train/train_tab.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "engine/document/stored_model.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

struct TaskWords {
  const char *id, *label, *why;
};
constexpr TaskWords kTasks[] = {
    {"induction", tr_later("induction"),
     tr_later("Random syllables that repeat themselves: what came behind this one last time?")},
    {"copy", tr_later("copy"), tr_later("d a c = d a c")},
    {"reverse", tr_later("reverse"), tr_later("d a c = c a d")},
    {"sort", tr_later("sort"), tr_later("d a c = a c d")},
    {"majority", tr_later("majority"), tr_later("b a b = b: the letter that stands there most often")},
    {"hello", tr_later("hello"), tr_later("The word hello again and again: behind an l comes another l, or an o")},
    {"text", tr_later("own text"), tr_later("The next character of a text file")},
};
constexpr std::array<std::int64_t, 4> kHeads = {1, 2, 4, 8}, kWidths = {16, 32, 64, 128};

std::string number_words(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// A stepper over the values of a list.
template <std::size_t count>
void draw_list_stepper(const TrainTab& tab, const char* id, const char* label, const std::array<std::int64_t, count>& values,
                       std::int64_t& value, const char* why) {
  const auto at = std::min<std::int64_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin(),
                                         static_cast<std::int64_t>(count) - 1);
  const std::string text = fill(label, {std::to_string(value)});
  next_on_line(tab.look, tab.look.figures.width(text, 14, Font::words) + 2 * 26 + 18, 12);
  if (const auto to = stepper(tab.look, id, text, at, static_cast<std::int64_t>(count), why); to >= 0)
    value = values[static_cast<std::size_t>(to)];
  name_part(tab.context, std::string("train:") + id);
}

void draw_compare(const TrainTab& tab) {
  TrainView& view = tab.context.view.train;
  const char* const labels[] = {tr("one run"), view.positions ? tr("and without positions") : tr("and with positions"),
                                view.layers == 1 ? tr("and two layers") : tr("and one layer")};
  const char* const why[] = {tr("One model is trained"),
                             tr("A second model learns the same beside it: does it need to know where a token stands?"),
                             tr("A second model learns the same beside it: two layers are needed to find what came before")};
  float wide = 0;
  for (const char* label : labels) wide += tab.look.figures.width(label, 14, Font::words) + 28;
  next_on_line(tab.look, wide, 16);
  const int at = view.compare == "positions" ? 1 : view.compare == "layers" ? 2 : 0;
  const int clicked = ui::segmented(tab.look, "compare", labels, 3, at, why);
  if (clicked >= 0) view.compare = clicked == 1 ? "positions" : clicked == 2 ? "layers" : "";
  name_part(tab.context, "train:compare");
}

void draw_status(const TrainTab& tab) {
  const LiveState& state = *tab.state;
  std::string words;
  if (state.preparing)
    words = tr("preparing …");
  else if (!state.runs.empty())
    words = fill(tr("step {}   {} steps/s   {}   {} numbers"),
                 {text::grouped_number(state.runs.front().step), number_words("%.0f", state.steps_per_second),
                  number_words("%.0f s", state.seconds), text::grouped_number(state.runs.front().numbers)});
  if (words.empty()) return;
  next_on_line(tab.look, tab.look.figures.width(words, 13, Font::words) + 8, 16);
  ImGui::AlignTextToFramePadding();
  ui::words(tab.look, words, tab.look.theme.secondary, 13);
}

std::string chosen_name(const TrainTab& tab, const TrainShown& shown) {
  const TrainView& view = tab.context.view.train;
  return view.name.empty() ? tab.state->settings.task + "-" + std::to_string(shown.checkpoint->step) : view.name;
}

// The sequence that is looked at, as a text.
std::string sequence_of(const LiveRun& run) { return run.data->tokenizer()->decode(run.ids); }

}  // namespace

const char* train_task_label(const std::string& id) {
  for (const TaskWords& one : kTasks)
    if (id == one.id) return tr(one.label);
  return tr(kTasks[0].label);
}

LiveSettings train_settings(const TrainView& view) {
  LiveSettings settings;
  const auto& known = live_tasks();
  settings.task = std::find(known.begin(), known.end(), view.task) == known.end() ? known.front() : view.task;
  settings.layers = view.layers;
  settings.heads = view.heads;
  settings.width = view.width;
  settings.positions = view.positions;
  settings.compare = view.compare == "positions" || view.compare == "layers" ? view.compare : "";
  settings.rate = view.rate;
  settings.seed = view.seed;
  if (settings.task == "text") settings.path = view.path;
  return settings;
}

namespace {

// Begins the training that the settings ask for.
void start(const TrainTab& tab) {
  TrainView& view = tab.context.view.train;
  view.step = -1;
  tab.own.sentence = tab.context.document.texts.empty() ? "" : tab.context.document.texts.front();
  tab.own.rate = view.rate;
  tab.live.look_at(tab.own.sentence);
  tab.live.start(train_settings(view));
}

// Pauses the training or goes on with it, where it is the one that the settings ask for; else begins that.
void play(const TrainTab& tab) {
  const LiveSettings wanted = train_settings(tab.context.view.train);
  LiveSettings trained = tab.state->settings;
  trained.rate = wanted.rate;  // it may change while the training runs
  const bool begun = !tab.state->runs.empty() || tab.state->preparing;
  if (begun && wanted == trained && !tab.state->error)
    tab.live.play(!tab.state->playing);
  else
    start(tab);
}

void save(const TrainTab& tab, const TrainShown& shown, bool open) {
  tab.own.problem.clear();
  tab.live.save(shown.run_index, shown.checkpoint->step, models_path(), chosen_name(tab, shown), open);
}

// The view's parts without its drawing, for the palette.
template <class Do>
void with_tab(Context& context, Do act) {
  LiveTrainer* const live = job_of<LiveTrainer>(context, "train");
  if (!live || !context.transient) return;
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  act(TrainTab{context, look, *live, live->state(), context.transient->of<TrainTransient>()});
}

}  // namespace

void play_training(Context& context) { with_tab(context, play); }

void save_training(Context& context, bool open) {
  with_tab(context, [open](const TrainTab& tab) {
    const TrainShown shown = train_shown(tab.context.view.train, *tab.state);
    if (shown.checkpoint && !tab.state->untrained()) save(tab, shown, open);
  });
}

void draw_train_settings(const TrainTab& tab) {
  TrainView& view = tab.context.view.train;
  std::array<const char*, std::size(kTasks)> labels{}, why{};
  int selected = 0;
  for (std::size_t i = 0; i < std::size(kTasks); ++i) {
    labels[i] = tr(kTasks[i].label);
    why[i] = tr(kTasks[i].why);
    if (view.task == kTasks[i].id) selected = static_cast<int>(i);
  }
  const int clicked = ui::segmented(tab.look, "task", labels.data(), static_cast<int>(labels.size()), selected, why.data());
  if (clicked >= 0) view.task = kTasks[clicked].id;
  name_part(tab.context, "train:task");
  if (view.task == "text") {
    next_on_line(tab.look, 240, 12);
    push_font(tab.context, Font::words, 14);
    ImGui::SetNextItemWidth(tab.look.px(240));
    ui::text_input("##path", view.path, tr("path of a text file"));
    ImGui::PopFont();
    ui::tooltip(tab.look, tr("A text of a few thousand characters or more; without one the sample corpus is read"));
    name_part(tab.context, "train:path");
  }
  const std::string text = fill(tr("layers {}"), {std::to_string(view.layers)});
  next_on_line(tab.look, tab.look.figures.width(text, 14, Font::words) + 2 * 26 + 18, 16);
  if (const auto to = stepper(tab.look, "layers", text, view.layers - 1, 4, tr("Layers of the model")); to >= 0)
    view.layers = to + 1;
  name_part(tab.context, "train:layers");
  draw_list_stepper(tab, "heads", tr("heads {}"), kHeads, view.heads, tr("Heads of a layer"));
  draw_list_stepper(tab, "width", tr("width {}"), kWidths, view.width, tr("d_model: the numbers that stand for a token"));
  const char* const places[] = {tr("with positions"), tr("without")};
  next_on_line(tab.look, 190, 12);
  const int placed = ui::segmented(tab.look, "positions", places, 2, view.positions ? 0 : 1,
                                   tr("Whether the model is told where a token stands (rotary positions)"));
  if (placed >= 0) view.positions = placed == 0;
  name_part(tab.context, "train:positions");
  draw_compare(tab);
}

void draw_train_player(const TrainTab& tab) {
  const ui::Look& look = tab.look;
  TrainView& view = tab.context.view.train;
  LiveSettings wanted = train_settings(view);
  LiveSettings trained = tab.state->settings;
  trained.rate = wanted.rate;  // it may change while the training runs
  const bool begun = !tab.state->runs.empty() || tab.state->preparing, same = begun && wanted == trained;
  const bool fresh = !begun || tab.state->untrained() || (tab.state->preparing && !tab.state->playing);
  const char* const label = fresh ? tr("train") : !same ? tr("train anew") : tab.state->playing ? tr("pause") : tr("go on");
  if (ui::button(look, ui::labelled(label, "play").c_str(), look.px(110), 30, true)) play(tab);
  ui::tooltip(look, tr("Trains in the background; you can type and look around meanwhile"));
  name_part(tab.context, "train:play");
  ImGui::SameLine(0, look.px(8));
  const bool paused = same && !tab.state->playing && !tab.state->runs.empty();
  if (ui::button(look, ui::labelled(tr("one step"), "step").c_str(), 0, 30, false, paused)) tab.live.one_step();
  ui::tooltip(look, tr("Changes the weights once"));
  name_part(tab.context, "train:step");
  ImGui::SameLine(0, look.px(8));
  if (ui::button(look, ui::labelled(tr("restart"), "restart").c_str(), 0, 30, false, same && !fresh)) start(tab);
  ui::tooltip(look, tr("Begins anew from random weights; the same seed gives the same training"));
  name_part(tab.context, "train:restart");
  const std::string words = tr("learning rate");
  const float wide = look.figures.width(words, 13, Font::words) + 8;
  next_on_line(look, wide + 160 + 70, 20);
  ImGui::AlignTextToFramePadding();
  ui::words(look, words, look.theme.secondary, 13);
  ImGui::SameLine(0, look.px(8));
  double rate = view.rate;
  if (number_slider(look, "##rate", &rate, 1e-5, 0.1, true, look.px(160))) {
    view.rate = std::stod(number_words("%.2g", rate));
    if (same && view.rate != tab.own.rate) {
      tab.own.rate = view.rate;
      tab.live.set_rate(view.rate);
    }
  }
  ui::tooltip(look, tr("How far each step goes; it may be changed while the training runs. Ctrl+click types a number"));
  name_part(tab.context, "train:rate");
  slider_number(look, number_words("%.2g", view.rate), 60);
  draw_status(tab);
}

void draw_train_slider(const TrainTab& tab, float width) {
  const TrainShown shown = train_shown(tab.context.view.train, *tab.state);
  if (!shown.checkpoint) return;
  const ui::Look& look = tab.look;
  TrainView& view = tab.context.view.train;
  const auto& kept = shown.run->checkpoints;
  const float height = look.px(26), radius = look.px(7);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  // The track has the chart's time axis.
  const float left = corner.x + look.px(figures::kLossLeft),
              room = std::max(look.px(40), look.px(width - figures::kLossLeft - figures::kLossRight));
  const std::string shown_words = tr("shown");
  look.figures.text(*ImGui::GetWindowDrawList(),
                    {corner.x, corner.y + (height - look.px(look.figures.line_height(13, Font::words))) / 2}, shown_words, 13,
                    Font::words, look.theme.secondary, look.px(figures::kLossLeft - 8));
  ImGui::SetCursorScreenPos({left - radius, corner.y});
  ImGui::InvisibleButton("checkpoints", {room + 2 * radius, height}, ImGuiButtonFlags_EnableNav);
  ui::tooltip(look, tr("Which step is shown; at the right end the newest is followed"));
  name_part(tab.context, "train:slider");
  const auto last = static_cast<float>(std::max<std::int64_t>(1, shown.run->points.back().step));
  const auto choose = [&](std::size_t i) { view.step = i + 1 == kept.size() ? -1 : kept[i]->step; };
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(0)) {
    const float wanted = std::clamp((ImGui::GetIO().MousePos.x - left) / room, 0.0f, 1.0f) * last;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (std::abs(static_cast<float>(kept[i]->step) - wanted) < std::abs(static_cast<float>(kept[nearest]->step) - wanted))
        nearest = i;
    choose(nearest);
  }
  if (ImGui::IsItemFocused()) {
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow) && shown.index > 0) choose(shown.index - 1);
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow) && shown.index + 1 < kept.size()) choose(shown.index + 1);
  }
  const float middle = corner.y + height / 2;
  const auto at = [&](std::int64_t step) { return left + room * static_cast<float>(step) / last; };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float alpha = ImGui::GetStyle().Alpha;
  list.AddLine({left, middle}, {left + room, middle}, gl::packed(look.theme.line, alpha), look.px(4));
  list.AddLine({left, middle}, {at(shown.checkpoint->step), middle}, gl::packed(look.theme.selected, alpha), look.px(4));
  for (const auto& one : kept)
    list.AddLine({at(one->step), middle - look.px(5)}, {at(one->step), middle + look.px(5)},
                 gl::packed(one->step <= shown.checkpoint->step ? look.theme.selected : look.theme.secondary, alpha), look.px(1));
  list.AddCircleFilled({at(shown.checkpoint->step), middle}, radius, gl::packed(look.theme.selected, alpha));
}

void draw_train_saving(const TrainTab& tab, float width) {
  const TrainShown shown = train_shown(tab.context.view.train, *tab.state);
  if (!shown.checkpoint) return;
  const ui::Look& look = tab.look;
  TrainView& view = tab.context.view.train;
  push_font(tab.context, Font::words, 14);
  ImGui::SetNextItemWidth(look.px(std::min(width, 260.0f)));
  ui::text_input("##name", view.name, chosen_name(tab, shown).c_str());
  ImGui::PopFont();
  ui::tooltip(look, tr("The name of the model that this step is saved as"));
  name_part(tab.context, "train:name");
  if (ui::button(look, ui::labelled(tr("Save as model"), "save").c_str(), 0, 30, false)) save(tab, shown, false);
  ui::tooltip(look, tr("Stores the shown step as a model, which the model picker then has"));
  name_part(tab.context, "train:save");
  next_on_line(look, look.figures.width(tr("Open in Heads"), 15, Font::words) + 32, 8);
  if (ui::button(look, ui::labelled(tr("Open in Heads"), "open").c_str(), 0, 30, true)) save(tab, shown, true);
  ui::tooltip(look, tr("Stores it and goes to Heads with the sequence; Ctrl+Z brings the present model back"));
  name_part(tab.context, "train:open");
  if (!tab.own.problem.empty()) ui::words(look, tab.own.problem, look.theme.wrong, 14);
}

void answer_train_saving(const TrainTab& tab) {
  const LiveSaved saved = tab.live.saved();
  if (saved.number == tab.own.saved) return;
  tab.own.saved = saved.number;
  if (saved.error) {
    tab.own.problem = spoken_in_window(*saved.error);
    return;
  }
  tab.own.problem.clear();
  tab.context.view.train.name.clear();
  tab.context.say(fill(tr("saved {}"), {saved.folder.filename().string()}));
  if (!saved.open) return;
  const auto model = open_stored_model(saved.folder.string());
  if (!model.ok()) {
    tab.own.problem = spoken_in_window(model.error());
    return;
  }
  Document document = tab.context.document;
  use_model(document, **model);
  document.targets.clear();
  const TrainShown shown = train_shown(tab.context.view.train, *tab.state);
  if (shown.run) document.texts = {sequence_of(*shown.run)};
  tab.context.view.layer = shown.layer;
  tab.context.view.head = shown.head;
  tab.context.view.tab = "heads";
  tab.context.edit(std::move(document));
}

}  // namespace headlight::panels
