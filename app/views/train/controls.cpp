// The Train view's controls: what is trained, playing, the slider over checkpoints, saving.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/files/configuration.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/base/view.h"
#include "app/views/train/data.h"
#include "engine/document/stored_model.h"
#include "imgui.h"

namespace headlight::views::training {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;

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

// Of two runs one is told the same as the settings ask for, whatever their rates.
bool alike(LiveSettings a, const LiveSettings& b) {
  a.rate = b.rate;
  return a == b;
}

// A stepper over the values of a list.
Node list_stepper(Sheet& sheet, std::string id, const char* label, const std::array<std::int64_t, 4>& values, std::int64_t* value,
                  const char* why) {
  const auto at = std::min<std::int64_t>(std::lower_bound(values.begin(), values.end(), *value) - values.begin(),
                                         static_cast<std::int64_t>(values.size()) - 1);
  return sheet.stepper(std::move(id), fill(label, {std::to_string(*value)}), at, static_cast<std::int64_t>(values.size()), why,
                       [values, value](std::int64_t to) { *value = values.at(static_cast<std::size_t>(to)); });
}

Node task_choice(Sheet& sheet, State& state) {
  std::vector<std::string> labels, why;
  int selected = 0;
  for (const TaskWords& task : kTasks) {
    if (state.task == task.id) selected = static_cast<int>(labels.size());
    labels.emplace_back(tr(task.label));
    why.emplace_back(tr(task.why));
  }
  return sheet.choice("task", std::move(labels), selected, std::move(why),
                      [&state](int task) { state.task = kTasks[static_cast<std::size_t>(task)].id; });
}

Node compare_choice(Sheet& sheet, State& state) {
  static constexpr std::array<const char*, 3> kIds = {"", "positions", "layers"};
  return sheet.choice(
      "compare",
      {tr("one run"), state.positions ? tr("and without positions") : tr("and with positions"),
       state.layers == 1 ? tr("and two layers") : tr("and one layer")},
      state.compare == kIds[1]   ? 1
      : state.compare == kIds[2] ? 2
                                 : 0,
      {tr("One model is trained"), tr("A second model learns the same beside it: does it need to know where a token stands?"),
       tr("A second model learns the same beside it: two layers are needed to find what came before")},
      [&state](int chosen) { state.compare = kIds.at(static_cast<std::size_t>(chosen)); });
}

std::string status_words(const LiveState& live) {
  if (live.preparing) return tr("preparing …");
  if (live.runs.empty()) return {};
  return fill(tr("step {}   {} steps/s   {}   {} numbers"),
              {text::grouped_number(live.runs.front().step), number_words("%.0f", live.steps_per_second),
               number_words("%.0f s", live.seconds), text::grouped_number(live.runs.front().numbers)});
}

void set_rate(const Frame& frame, double rate) {
  frame.state.rate = std::stod(number_words("%.2g", rate));
  if (!frame.same() || frame.state.rate == frame.held->rate) return;
  frame.held->rate = frame.state.rate;
  frame.trainer->set_rate(frame.state.rate);
}

// The sequence that is looked at, as a text.
std::string sequence_of(const LiveRun& run) { return run.data->tokenizer()->decode(run.ids); }

}  // namespace

const char* task_label(const std::string& id) {
  for (const TaskWords& one : kTasks)
    if (id == one.id) return tr(one.label);
  return tr(kTasks[0].label);
}

LiveSettings settings_of(const State& state) {
  LiveSettings settings;
  const auto& known = live_tasks();
  settings.task = std::find(known.begin(), known.end(), state.task) == known.end() ? known.front() : state.task;
  settings.layers = state.layers;
  settings.heads = state.heads;
  settings.width = state.width;
  settings.positions = state.positions;
  settings.compare = state.compare == "positions" || state.compare == "layers" ? state.compare : "";
  settings.rate = state.rate;
  settings.seed = state.seed;
  if (settings.task == "text") settings.path = state.path;
  return settings;
}

std::string chosen_name(const State& state, const LiveState& live, const Shown& shown) {
  return state.name.empty() ? live.settings.task + "-" + std::to_string(shown.checkpoint->step) : state.name;
}

// --- the trainer

bool Frame::same() const { return begun() && alike(live->settings, settings_of(state)); }

void start(const Frame& frame) {
  frame.state.step = -1;
  frame.held->sentence = frame.sentence();
  frame.held->rate = frame.state.rate;
  frame.trainer->look_at(frame.held->sentence);
  frame.trainer->start(settings_of(frame.state));
}

void play(const Frame& frame) {
  if (frame.same() && !frame.live->error)
    frame.trainer->play(!frame.live->playing);
  else
    start(frame);
}

void save(const Frame& frame, bool open) {
  if (!frame.shown.checkpoint || frame.live->untrained()) return;
  frame.held->problem.clear();
  frame.trainer->save(frame.shown.run_index, frame.shown.checkpoint->step, models_path(),
                      chosen_name(frame.state, *frame.live, frame.shown), open);
}

void prepare(const Frame& frame) {
  const LiveState& live = *frame.live;
  const LiveSettings wanted = settings_of(frame.state);
  const bool none = live.runs.empty() && !live.preparing && !live.error;
  const bool stuck = live.error && live.runs.empty() && !live.preparing;
  if (!none && !((live.untrained() || stuck) && !alike(live.settings, wanted))) return;
  frame.state.step = -1;
  frame.held->sentence = frame.sentence();
  frame.held->rate = wanted.rate;
  frame.trainer->look_at(frame.held->sentence);
  frame.trainer->start(wanted, false);
}

void answer_saving(const Frame& frame) {
  const LiveSaved saved = frame.trainer->saved();
  Held& held = *frame.held;
  if (saved.number == held.saved) return;
  held.saved = saved.number;
  if (saved.error) {
    held.problem = spoken_in_window(*saved.error);
    return;
  }
  held.problem.clear();
  frame.state.name.clear();
  const Context& context = frame.context();
  context.say(fill(tr("saved {}"), {saved.folder.filename().string()}));
  if (!saved.open) return;
  const auto model = open_stored_model(saved.folder.string());
  if (!model.ok()) {
    held.problem = spoken_in_window(model.error());
    return;
  }
  Document document = context.document;
  use_model(document, **model);
  document.targets.clear();
  if (frame.shown.run) document.texts = {sequence_of(*frame.shown.run)};
  context.view.layer = frame.shown.layer;
  context.view.head = frame.shown.head;
  open_for(context.view, Offers::one_head);
  context.edit(std::move(document));
}

// --- parts

Node settings_flow(Sheet& sheet, const Shared& frame) {
  State& state = frame->state;
  std::vector<Node> all = {task_choice(sheet, state)};
  if (state.task == "text")
    all.push_back(sheet.field("path", &state.path, tr("path of a text file"),
                              tr("A text of a few thousand characters or more; without one the sample corpus is read"), 240));
  all.push_back(sheet.stepper("layers", fill(tr("layers {}"), {std::to_string(state.layers)}), state.layers - 1, 4,
                              tr("Layers of the model"), [&state](std::int64_t to) { state.layers = to + 1; }));
  all.push_back(list_stepper(sheet, "heads count", tr("heads {}"), kHeads, &state.heads, tr("Heads of a layer")));
  all.push_back(
      list_stepper(sheet, "width", tr("width {}"), kWidths, &state.width, tr("d_model: the numbers that stand for a token")));
  all.push_back(sheet.choice("positions", {tr("with positions"), tr("without")}, state.positions ? 0 : 1,
                             {tr("Whether the model is told where a token stands (rotary positions)")},
                             [&state](int chosen) { state.positions = chosen == 0; }));
  all.push_back(compare_choice(sheet, state));
  return Sheet::flow("settings", 14, std::move(all));
}

Node player_flow(Sheet& sheet, const Shared& frame) {
  const LiveState& live = *frame->live;
  const figures::Theme& theme = sheet.scene.pen.theme;
  const bool same = frame->same(), fresh = !frame->begun() || live.untrained() || (live.preparing && !live.playing);
  const bool paused = same && !live.playing && !live.runs.empty();
  std::vector<Node> all = {
      sheet.button({.id = "play",
                    .label = fresh          ? tr("train")
                             : !same        ? tr("train anew")
                             : live.playing ? tr("pause")
                                            : tr("go on"),
                    .on = true,
                    .why = tr("Trains in the background; you can type and look around meanwhile"),
                    .press = [frame] { play(*frame); },
                    .wide = 110}),
      sheet.button({.id = "step",
                    .label = tr("one step"),
                    .why = tr("Changes the weights once"),
                    .press = [frame] { frame->trainer->one_step(); },
                    .enabled = paused}),
      sheet.button({.id = "restart",
                    .label = tr("restart"),
                    .why = tr("Begins anew from random weights; the same seed gives the same training"),
                    .press = [frame] { start(*frame); },
                    .enabled = same && !fresh}),
      sheet.slider({.id = "rate",
                    .label = tr("learning rate"),
                    .value = number_words("%.2g", frame->state.rate),
                    .now = frame->state.rate,
                    .least = 1e-5,
                    .most = 0.1,
                    .set = [frame](double rate) { set_rate(*frame, rate); },
                    .why =
                        [] {
                          return tr(
                              "How far each step goes; it may be changed while the training runs. Ctrl+click types a number");
                        }})};
  if (const std::string words = status_words(live); !words.empty())
    all.push_back(sheet.label("status", words, 13, theme.secondary));
  for (Node& node : all) node = shown_everywhere(std::move(node));
  return Sheet::flow("player", 8, std::move(all));
}

namespace {

// Which checkpoint is nearest to a share of the track.
void choose_at(const Frame& frame, float share) {
  const auto& kept = frame.shown.run->checkpoints;
  const auto last = static_cast<float>(std::max<std::int64_t>(1, frame.shown.run->points.back().step));
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (std::abs(static_cast<float>(kept[i]->step) - share * last) <
        std::abs(static_cast<float>(kept[nearest]->step) - share * last))
      nearest = i;
  frame.state.step = nearest + 1 == kept.size() ? -1 : kept[nearest]->step;
}

void draw_slider(const Frame& frame, const ui::Look& look, Size size) {
  const Shown& shown = frame.shown;
  const auto& kept = shown.run->checkpoints;
  const float height = look.px(size.h), radius = look.px(7);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float left = corner.x + radius, room = std::max(look.px(40), look.px(size.w) - 2 * radius);
  ImGui::InvisibleButton("checkpoints", {room + 2 * radius, height}, ImGuiButtonFlags_EnableNav);
  const auto last = static_cast<float>(std::max<std::int64_t>(1, shown.run->points.back().step));
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(0))
    choose_at(frame, std::clamp((ImGui::GetIO().MousePos.x - left) / room, 0.0f, 1.0f));
  const auto choose = [&](std::size_t i) { frame.state.step = i + 1 == kept.size() ? -1 : kept[i]->step; };
  if (ImGui::IsItemFocused()) {
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow) && shown.index > 0) choose(shown.index - 1);
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow) && shown.index + 1 < kept.size()) choose(shown.index + 1);
  }
  const float middle = corner.y + height / 2, alpha = ImGui::GetStyle().Alpha;
  const auto at = [&](std::int64_t step) { return left + room * static_cast<float>(step) / last; };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({left, middle}, {left + room, middle}, gl::packed(look.theme.line, alpha), look.px(4));
  list.AddLine({left, middle}, {at(shown.checkpoint->step), middle}, gl::packed(look.theme.selected, alpha), look.px(4));
  for (const auto& one : kept)
    list.AddLine({at(one->step), middle - look.px(5)}, {at(one->step), middle + look.px(5)},
                 gl::packed(one->step <= shown.checkpoint->step ? look.theme.selected : look.theme.secondary, alpha), look.px(1));
  list.AddCircleFilled({at(shown.checkpoint->step), middle}, radius, gl::packed(look.theme.selected, alpha));
}

}  // namespace

Node checkpoint_slider(Sheet& sheet, const Shared& frame) {
  constexpr float kRadius = 7;
  Node name = sheet.words("slider name", tr("shown"), 13, sheet.scene.pen.theme.secondary);
  name.forms[0].wide = figures::kLossLeft - kRadius;
  Part part{.id = "slider",
            .draw = [frame](const ui::Look& look, Size size) { draw_slider(*frame, look, size); },
            .explains = tr("Which step is shown; at the right end the newest is followed")};
  std::vector<Node> all = {
      std::move(name), sheet.by_hand(std::move(part), {60, 400, kAny}, 26),
      sheet.by_hand({.id = "slider end", .draw = [](const ui::Look&, Size) {}}, figures::kLossRight - kRadius, 1)};
  Node row = Sheet::row("slider row", 0, std::move(all));
  return shown_everywhere(std::move(row));
}

std::vector<Node> saving_nodes(Sheet& sheet, const Shared& frame) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  std::vector<Node> buttons = {
      sheet.button({.id = "save",
                    .label = tr("Save as model"),
                    .why = tr("Stores the shown step as a model, which the model picker then has"),
                    .press = [frame] { save(*frame, false); }}),
      sheet.button({.id = "open",
                    .label = tr("Open in Heads"),
                    .on = true,
                    .why = tr("Stores it and goes to Heads with the sequence; Ctrl+Z brings the present model back"),
                    .press = [frame] { save(*frame, true); }})};
  std::vector<Node> all = {sheet.field("name", &frame->state.name, chosen_name(frame->state, *frame->live, frame->shown),
                                       tr("The name of the model that this step is saved as"), {120, 260, 260}),
                           Sheet::flow("saving", 8, std::move(buttons))};
  if (!frame->held->problem.empty()) all.push_back(sheet.words("problem", frame->held->problem, 14, theme.wrong));
  for (Node& node : all) {
    node.presented = false;
  }
  return all;
}

}  // namespace headlight::views::training
