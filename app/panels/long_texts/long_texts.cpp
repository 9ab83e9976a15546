// The Long texts view: every method over the shown head as a tile, the chosen one large beside its difference from full
// attention, and what each costs by the length of the text.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/long_texts/long_texts_data.h"
#include "app/panels/panels.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/two_columns.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/widgets.h"
#include "engine/recurrence/network.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;
using Of = figures::LongCostsInput::Of;

constexpr float kLongBeside = 820, kLongHigh = 600, kLongLow = 420, kLongWordsShare = 0.3f, kLongGap = 24, kLongLeastMap = 128,
                kLongNamedMap = 150, kLongForWords = 340, kLongSpeech = 70, kLongChartForSpeech = 330;
constexpr std::int64_t kFewTokens = 24;
// Lincoln 1863, whose words nobody owns.
constexpr const char* kLongerText =
    "Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in Liberty, and "
    "dedicated "
    "to the proposition that all men are created equal. Now we are engaged in a great civil war, testing whether that nation, or "
    "any nation so conceived and so dedicated, can long endure.";

// How many lengths the chart of times has been told to measure.
struct LongHeld {
  std::size_t lengths = 0;
};

bool shows_parts(const Context& context, const LongState& state) {
  return context.view.long_texts.parts && state.result().shown && !state.result().shown->part_of.empty();
}

void draw_long_controls(Context& context, const ui::Look& look, const AttentionChoice& choice, const LongState& state,
                        bool pages) {
  LongTextsView& view = context.view.long_texts;
  if (pages) {
    const char* const labels[] = {tr("patterns"), tr("costs")};
    const int clicked = ui::segmented(look, "page", labels, 2, view.page == "costs" ? 1 : 0,
                                      tr("Who may look at whom, or what it costs by the length of the text"));
    name_part(context, "long:page");
    if (clicked >= 0) view.page = clicked == 1 ? "costs" : "patterns";
    next_on_line(look, 200);
  }
  draw_attention_bar(context, look, choice);
  if (!state.words.empty()) return;
  const char* const labels[] = {tr("as the model"), tr("all keys"), tr("causal")};
  const char* const ids[] = {"model", "off", "on"};
  int now = 0;
  for (int i = 0; i < 3; ++i)
    if (view.causal == ids[i]) now = i;
  next_on_line(look, look.figures.width(std::string(labels[0]) + labels[1] + labels[2], 15, Font::words) + 120);
  ImGui::BeginGroup();
  const int clicked =
      ui::segmented(look, "causal", labels, 3, now,
                    state.task.causal ? tr("Now no query sees later keys.") : tr("Now every query may see every key."));
  ImGui::EndGroup();
  name_part(context, "long:causal");
  if (clicked >= 0) view.causal = ids[clicked];
  if (state.all_tokens >= kFewTokens || context.document.texts.size() != 1) return;
  const std::string words = tr("a longer text");
  next_on_line(look, look.figures.width(words, 15, Font::words) + 40);
  if (ui::button(look, words.c_str(), 0, 28)) {
    Document longer = context.document;
    longer.texts = {kLongerText};
    context.edit(std::move(longer));
  }
  ui::tooltip(look, tr("Patterns differ where a text is longer than their windows: this one has some seventy tokens."));
  name_part(context, "long:longer");
}

void choose_method(Context& context, std::int64_t index) {
  const auto& entries = long_texts::registry().entries();
  if (index >= 0 && index < static_cast<std::int64_t>(entries.size()))
    context.view.long_texts.method = entries[static_cast<std::size_t>(index)].id;
}

void explain_method(const ui::Look& look, const LongState& state, std::size_t index) {
  const long_texts::Entry& entry = long_texts::registry().entries()[index];
  std::string words = std::string(tr(entry.label.c_str())) + ": " + tr(entry.says.c_str());
  if (index < state.results.size() && !state.results[index].refused.empty()) words += "\n" + state.results[index].refused;
  ui::tooltip(look, words, std::string(tr(entry.formula.c_str())) + "   " + entry.source);
}

void draw_tiles(Context& context, const ui::Look& look, const LongState& state, float width, float map) {
  figures::LongTilesInput input = long_tiles_input(context, state);
  input.map = map;
  figures::Figure figure = figures::long_tiles(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "tiles", true);
  name_part(context, "long:tiles");
  if (hit.hovered && hit.tag.kind == figures::Tag::link) {
    if (hit.clicked) choose_method(context, hit.tag.a);
    explain_method(look, state, static_cast<std::size_t>(hit.tag.a));
  }
  const auto chosen = static_cast<std::int64_t>(state.chosen);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_RightArrow)) choose_method(context, chosen + 1);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) choose_method(context, chosen - 1);
  figure_menu(context, "tiles menu", hit, [&] {
    figures::LongTilesInput plain = long_tiles_input(context, state);
    plain.map = 110;
    return figures::framed(figures::long_tiles(plain, 1400, context.theme, context.measure), plain.title, 16, context.theme);
  });
}

// "window 4" with buttons; two at a time where only even numbers make sense.
void draw_knob(Context& context, const ui::Look& look, const Parameter& parameter, const Values& values) {
  LongTextsView& view = context.view.long_texts;
  if (parameter.kind == Parameter::Kind::choice) {
    const auto& now = std::get<std::string>(values.at(parameter.id));
    std::vector<const char*> labels;
    int selected = 0;
    for (std::size_t i = 0; i < parameter.choices.size(); ++i) {
      labels.push_back(parameter.choices[i].c_str());
      if (parameter.choices[i] == now) selected = static_cast<int>(i);
    }
    ImGui::BeginGroup();
    const int clicked = ui::segmented(look, parameter.id.c_str(), labels.data(), static_cast<int>(labels.size()), selected,
                                      tr(parameter.help.c_str()));
    ImGui::EndGroup();
    if (clicked >= 0) view.similarity = parameter.choices[static_cast<std::size_t>(clicked)];
  } else {
    const std::int64_t step = parameter.id == "buckets" ? 2 : 1, least = static_cast<std::int64_t>(parameter.least),
                       value = long_texts::whole(values, parameter.id.c_str());
    const std::string text = std::string(tr(parameter.label.c_str())) + " " + std::to_string(value);
    const auto count = (static_cast<std::int64_t>(parameter.most) - least) / step + 1;
    const std::int64_t to = stepper(look, parameter.id.c_str(), text, (value - least) / step, count, tr(parameter.help.c_str()));
    for (const LongKnob& knob : long_knobs())
      if (to >= 0 && knob.id == parameter.id) view.*knob.own = least + to * step;
  }
  name_part(context, "long:" + parameter.id);
}

void draw_knobs(Context& context, const ui::Look& look, const LongState& state) {
  const Values values = long_values(context.view.long_texts, state.entry());
  bool first = true;
  const auto begin = [&](float width) {
    if (!first) next_on_line(look, width);
    first = false;
  };
  for (const Parameter& parameter : state.entry().parameters) {
    begin(parameter.kind == Parameter::Kind::choice ? 280
                                                    : look.figures.width(tr(parameter.label.c_str()), 14, Font::words) + 120);
    draw_knob(context, look, parameter, values);
  }
  if (state.entry().id == "ring") {
    const std::int64_t devices = std::max<std::int64_t>(1, long_texts::whole(values, "devices")),
                       step = context.view.long_texts.step % devices;
    const std::string text = fill(tr("at step {} of {}"), {std::to_string(step), std::to_string(devices)});
    begin(look.figures.width(text, 14, Font::words) + 80);
    const std::int64_t to =
        stepper(look, "step", text, step, devices, tr("At each step every device passes its keys and values to the next one"));
    if (to >= 0) context.view.long_texts.step = to;
    name_part(context, "long:step");
  }
  if (!state.result().shown || state.result().shown->part_of.empty()) return;
  const char* const labels[] = {tr("difference"), state.entry().id == "ring" ? tr("devices") : tr("buckets")};
  begin(look.figures.width(std::string(labels[0]) + labels[1], 15, Font::words) + 80);
  ImGui::BeginGroup();
  const int clicked = ui::segmented(look, "parts", labels, 2, context.view.long_texts.parts ? 1 : 0,
                                    tr("Beside the weights: what they differ in from full attention's, or who shares a part"));
  ImGui::EndGroup();
  name_part(context, "long:parts");
  if (clicked >= 0) context.view.long_texts.parts = clicked == 1;
}

void follow_cell(Context& context, const ui::Look& look, const LongState& state, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::cell_area || hit.row < 0 || hit.row >= state.tokens || hit.column < 0 ||
      hit.column >= state.tokens)
    return;
  context.hover.next.row = hit.row;
  context.hover.next.column = hit.column;
  const LongShown& shown = *state.result().shown;
  const double own = shown.weights.at({hit.row, hit.column}), by = shown.apart.at({hit.row, hit.column});
  std::string words = fill(tr("{} looks at {}: full {}, here {}"),
                           {state.labels[static_cast<std::size_t>(hit.row)], state.labels[static_cast<std::size_t>(hit.column)],
                            figures::cell_number(own - by, 4), figures::cell_number(own, 4)});
  const bool masked = state.task.causal && state.entry().has_causal && hit.column > hit.row;
  if (masked)
    words += std::string("\n") + tr("masked: a later token");
  else if (!shown.computed.empty() && shown.computed.at({hit.row, hit.column}) == 0)
    words += std::string("\n") + tr("here not computed");
  ui::tooltip(look, words);
  if (!hit.clicked) return;
  const bool again = context.view.pinned_row == hit.row && context.view.pinned_column == hit.column;
  context.view.pinned_row = again ? -1 : hit.row;
  context.view.pinned_column = again ? -1 : hit.column;
}

// The window names its maps itself; a low map has numbers along its sides, which need less room than tokens.
figures::HeatmapInput fitted(figures::HeatmapInput input, float height) {
  input.title.clear();
  input.note.clear();
  if (height < kLongNamedMap) {
    input.row_labels.clear();
    input.column_labels.clear();
  }
  return input;
}

void draw_map(Context& context, const ui::Look& look, const LongState& state, bool apart, float width, float height) {
  figures::Figure figure =
      figures::heatmap(fitted(long_map_input(context, state, apart), height), width, height, context.theme, context.measure);
  figure.background.a = 0;
  const char* const id = apart ? "difference" : "weights";
  const gl::Hit hit = context.figures.draw(figure, id);
  name_part(context, std::string("long:") + id);
  follow_cell(context, look, state, hit);
  figure_menu(context, apart ? "difference menu" : "weights menu", hit, [&] {
    figures::HeatmapInput plain = long_map_input(context, state, apart);
    plain.hot_row = plain.hot_column = -1;
    return figures::heatmap(plain, 900, 900, context.theme, context.measure);
  });
}

figures::Figure parts_figure(const Context& context, const LongState& state, float width, float height) {
  std::vector<figures::Figure> parts;
  if (state.entry().id == "ring") {
    const std::int64_t devices = long_texts::whole(long_values(context.view.long_texts, state.entry()), "devices");
    if (devices > 0 && height >= 200)
      parts.push_back(figures::ring_steps(devices, context.view.long_texts.step % devices,
                                          std::min({width, height * 0.58f, 300.0f}), context.theme, context.measure));
  }
  const float left = height - (parts.empty() ? 0 : parts.front().height + 8);
  parts.push_back(figures::part_rows(long_part_rows(context, state), width, left, context.theme, context.measure));
  return figures::stacked(parts, 8, 0);
}

void draw_parts(Context& context, const LongState& state, float width, float height) {
  figures::Figure figure = parts_figure(context, state, width, height);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "parts");
  name_part(context, "long:part-rows");
  figure_menu(context, "parts menu", hit, [&] {
    return figures::framed(parts_figure(context, state, 700, 700), tr(state.entry().label.c_str()), 16, context.theme);
  });
}

void draw_heading(Context& context, const ui::Look& look, const LongState& state, float width, float height) {
  const std::string name = tr(state.entry().label.c_str());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  look.figures.text(list, at, name, 18, Font::words_bold, look.theme.selected);
  const float wide = look.figures.width(name, 18, Font::words_bold);
  const std::string says = tr(state.entry().says.c_str());
  const bool beside = wide + 14 + look.figures.width(says, 13, Font::words) <= width;
  if (beside)
    look.figures.text(list, {at.x + look.px(wide + 14), at.y + look.px(4)}, says, 13, Font::words, look.theme.secondary);
  ImGui::Dummy({look.px(width), look.px(22)});
  explain_method(look, state, state.chosen);
  name_part(context, "long:heading");
  if (!beside && !context.view.presentation && height >= kLongForWords) ui::words(look, says, look.theme.secondary, 13);
}

// What the maps show in numbers, as one paragraph.
std::string said_of(const LongState& state) {
  std::string said;
  for (const std::string& line : long_words(state)) said += (said.empty() ? "" : "; ") + line;
  return said;
}

// Two pictures beside each other with their names above, the legend and what is `said` of them below.
void draw_maps(Context& context, const ui::Look& look, const LongState& state, const std::string& said, float width,
               float height) {
  const auto& theme = context.theme;
  const std::size_t lines = said.empty() ? 0 : figures::wrap(said, width, 13, Font::words, context.measure).size();
  constexpr float kName = 20, kLegend = 22, kLine = 18;
  const float room = std::max(kLongLeastMap, height - kName - kLegend - static_cast<float>(lines) * kLine - 16);
  const bool two = width >= 320, parts = shows_parts(context, state);
  const float half = two ? (width - 16) / 2 : width;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto name = [&](float x, const std::string& words) {
    look.figures.text(list, {at.x + look.px(x), at.y}, words, 13, Font::words, theme.secondary, look.px(half));
  };
  name(0, long_map_input(context, state, false).title);
  if (two && !parts) name(half + 16, long_map_input(context, state, true).title);
  if (two && parts) name(half + 16, state.entry().id == "ring" ? tr("who holds what") : tr("who shares a bucket"));
  ImGui::Dummy({look.px(width), look.px(kName)});
  const ImVec2 below = ImGui::GetCursorScreenPos();
  draw_map(context, look, state, false, half, room);
  float low = ImGui::GetItemRectMax().y;
  if (two) {
    ImGui::SetCursorScreenPos({at.x + look.px(half + 16), below.y});
    if (parts)
      draw_parts(context, state, half, room);
    else
      draw_map(context, look, state, true, half, room);
    low = std::max(low, ImGui::GetItemRectMax().y);
    ImGui::SetCursorScreenPos({at.x, low + look.px(4)});
  }
  figures::Figure legend = long_legend(context, state, two && !parts, width);
  legend.background.a = 0;
  (void)context.figures.draw(legend, "legend");
  if (!said.empty()) ui::words(look, said, theme.text, 13);
}

// Why the chosen method has no maps; false: it has them.
bool says_no_maps(const ui::Look& look, const LongState& state) {
  if (state.result().shown) return false;
  if (state.result().refused.empty())
    ui::words(look, tr("computing …"), look.theme.secondary, 15);
  else
    ui::words(look, state.result().refused, look.theme.wrong, 15);
  return true;
}

// In a wide and low room: the words at the left, so that the maps have its whole height.
void draw_large_low(Context& context, const ui::Look& look, const LongState& state, float width, float height) {
  const float left = std::round(kLongWordsShare * width), right = width - left - kLongGap;
  two_columns(
      "low", look, left, right, kLongGap,
      [&] {
        draw_heading(context, look, state, left, kLongForWords);
        draw_knobs(context, look, state);
        if (!says_no_maps(look, state)) ui::words(look, said_of(state), look.theme.text, 13);
      },
      [&] {
        if (state.result().shown) draw_maps(context, look, state, {}, right, height);
      });
}

void draw_large(Context& context, const ui::Look& look, const LongState& state, float width, float height) {
  const float top = ImGui::GetCursorPosY();
  if (!context.view.presentation && width >= kLongBeside && height < kLongLow)
    return draw_large_low(context, look, state, width, height);
  if (context.view.presentation) {
    const auto& entries = long_texts::registry().entries();
    const std::string name = tr(state.entry().label.c_str());
    const std::int64_t to = stepper(look, "method", name, static_cast<std::int64_t>(state.chosen),
                                    static_cast<std::int64_t>(entries.size()), tr("Another method"));
    name_part(context, "long:method");
    if (to >= 0) choose_method(context, to);
    next_on_line(look, 200);
  } else {
    draw_heading(context, look, state, width, height);
  }
  draw_knobs(context, look, state);
  if (says_no_maps(look, state)) return;
  draw_maps(context, look, state, said_of(state), width, height - (ImGui::GetCursorPosY() - top) / look.scale);
}

Of cost_of(const LongTextsView& view) {
  return view.cost == "time" ? Of::seconds : view.cost == "bytes" ? Of::bytes : Of::operations;
}

void draw_cost_controls(Context& context, const ui::Look& look, const LongCosts& costs) {
  LongTextsView& view = context.view.long_texts;
  LongHeld& held = context.transient->of<LongHeld>();
  const char* const labels[] = {tr("operations"), tr("bytes"), tr("time")};
  const char* const ids[] = {"operations", "bytes", "time"};
  const Of of = cost_of(view);
  ImGui::BeginGroup();
  const int clicked =
      ui::segmented(look, "cost", labels, 3, static_cast<int>(of),
                    tr("Operations and bytes are counted from the sizes; times are measured here, in the background"));
  ImGui::EndGroup();
  name_part(context, "long:cost");
  if (clicked >= 0) {
    view.cost = ids[clicked];
    if (clicked == 2) held.lengths = kLongLengths.size();
  }
  if (of != Of::seconds) return;
  const std::string all = std::to_string(kLongLengths.size());
  if (costs.measuring) {
    const std::string words = fill(tr("measuring, {} of {} lengths"), {std::to_string(costs.done), all});
    next_on_line(look, look.figures.width(words, 13, Font::words) + 90);
    if (ui::button(look, tr("stop"), 0, 28)) held.lengths = costs.done;
    name_part(context, "long:stop");
    ImGui::SameLine(0, look.px(8));
    ui::words(look, words, look.theme.secondary, 13);
    context.frame_in(0.1);
  } else if (costs.done < kLongLengths.size() && costs.error.empty()) {
    next_on_line(look, 120);
    if (ui::button(look, tr("measure"), 0, 28)) held.lengths = kLongLengths.size();
    ui::tooltip(look, tr("Times every method at each length, about a second a length; edits come first"));
    name_part(context, "long:measure");
  }
}

void draw_costs(Context& context, const ui::Look& look, const LongState& state, float width, float height) {
  const float top = ImGui::GetCursorPosY();
  const LongCosts costs = long_costs(context, state, cost_of(context.view.long_texts), context.transient->of<LongHeld>().lengths);
  draw_cost_controls(context, look, costs);
  if (!costs.error.empty()) ui::words(look, costs.error, look.theme.wrong, 13);
  float left = height - (ImGui::GetCursorPosY() - top) / look.scale - 4;
  const bool speech = !context.view.presentation && left >= kLongChartForSpeech + kLongSpeech;
  if (speech) left -= kLongSpeech + 8;
  figures::Figure chart = figures::long_costs(costs.input, width, std::max(170.0f, left), context.theme, context.measure);
  chart.background.a = 0;
  const gl::Hit hit = context.figures.draw(chart, "costs");
  name_part(context, "long:chart");
  const auto methods = static_cast<std::int64_t>(long_texts::registry().entries().size());
  if (hit.hovered && hit.tag.kind == figures::Tag::link && hit.tag.a >= 0) {
    if (hit.clicked) choose_method(context, hit.tag.a);
    if (hit.tag.a < methods)
      explain_method(look, state, static_cast<std::size_t>(hit.tag.a));
    else if (const auto* kind = recurrence::kinds().find(costs.input.lines[static_cast<std::size_t>(hit.tag.a)].id))
      ui::tooltip(look, tr("Reads one token after the other and keeps a state of d numbers: the view Recurrence"),
                  kind->formula + "   " + kind->source);
  }
  figure_menu(context, "costs menu", hit,
              [&] { return figures::long_costs(costs.input, 860, 560, context.theme, context.measure); });
  if (!speech) return;
  ImGui::Dummy({0, look.px(2)});
  figures::Figure table = figures::speech_table(width, context.theme, context.measure);
  table.background.a = 0;
  const gl::Hit below = context.figures.draw(table, "speech");
  name_part(context, "long:speech");
  if (below.hovered) ui::tooltip(look, tr("Quoted, not measured here"), tr("Katharopoulos et al. 2020"));
  figure_menu(context, "speech menu", below,
              [&] { return figures::framed(figures::speech_table(600, context.theme, context.measure), "", 16, context.theme); });
}

// The arrangement of the last frame.
struct LongRoom {
  bool beside = false;  // both pages are shown
};

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const AttentionChoice choice = choose_attention(context);
  if (says_no_attention(context, look, choice)) return;
  const LongState state = long_state(context, choice);
  const bool presented = context.view.presentation;
  const float width = ImGui::GetContentRegionAvail().x / context.scale - 14;
  const bool beside = !presented && width >= kLongBeside && ImGui::GetContentRegionAvail().y / context.scale >= kLongHigh;
  if (context.transient) context.transient->of<LongRoom>().beside = beside;
  if (!presented) draw_long_controls(context, look, choice, state, !beside);
  if (!state.words.empty()) {
    ui::words(look, state.words, look.theme.secondary, 15);
    return;
  }
  ImGui::Dummy({0, look.px(2)});
  const bool costs_only = !beside && context.view.long_texts.page == "costs";
  const auto room = [&] { return ImGui::GetContentRegionAvail().y / context.scale - 4; };
  if (!presented && !costs_only) {
    draw_tiles(context, look, state, width, std::clamp(0.13f * room(), 44.0f, 110.0f));
    ImGui::Dummy({0, look.px(4)});
  }
  if (costs_only) return draw_costs(context, look, state, width, room());
  if (!beside) return draw_large(context, look, state, width, room());
  const float left = std::round(0.55f * width), right = width - left - kLongGap, height = std::max(250.0f, room());
  two_columns(
      "long texts", look, left, right, kLongGap, [&] { draw_large(context, look, state, left, height); },
      [&] { draw_costs(context, look, state, right, height); });
}

// For files.
LongState state_for_file(const Context& context) {
  const AttentionChoice choice = context.trace ? choose_attention(context) : AttentionChoice();
  LongState none;
  none.words = "-";
  return choice.site ? long_state(context, choice) : none;
}

figures::Figure pattern_for_file(const Context& context, const LongState& state, float width) {
  if (!state.words.empty() || !state.result().shown) return {};
  figures::HeatmapInput weights = long_map_input(context, state, false), apart = long_map_input(context, state, true);
  const std::string name = tr(state.entry().label.c_str());
  weights.title = name + ": " + weights.title;
  for (figures::HeatmapInput* input : {&weights, &apart}) input->hot_row = input->hot_column = -1;
  figures::Figure figure = figures::stacked(
      {figures::heatmap(weights, width, width, context.theme, context.measure),
       figures::heatmap(apart, width, width, context.theme, context.measure), long_legend(context, state, true, width)},
      14, 16);
  figure.title = weights.title;
  return figure;
}

figures::Figure figure_of_pattern(const Context& context, float width, float) {
  return pattern_for_file(context, state_for_file(context), std::max(width, 300.0f) - 32);
}

figures::Figure figure_of_costs(const Context& context, float width, float height, Of of) {
  const LongState state = state_for_file(context);
  if (!state.words.empty()) return {};
  const LongCosts costs = long_costs(context, state, of, kLongLengths.size());
  if (costs.done == 0) return {};
  return figures::stacked({figures::long_costs(costs.input, std::max(width, 620.0f) - 32, std::clamp(height, 380.0f, 620.0f),
                                               context.theme, context.measure)},
                          0, 16);
}

figures::Figure figure_of_long_texts(const Context& context, float width, float) {
  const LongState state = state_for_file(context);
  if (!state.words.empty()) return {};
  figures::LongTilesInput tiles = long_tiles_input(context, state);
  const float wide = std::max(width, 1100.0f) - 32;
  tiles.map = 110;
  figures::Figure figure =
      figures::stacked({figures::long_tiles(tiles, wide, context.theme, context.measure),
                        figures::long_costs(long_costs(context, state, Of::operations, kLongLengths.size()).input, wide, 460,
                                            context.theme, context.measure),
                        figures::speech_table(wide, context.theme, context.measure)},
                       20, 16);
  figure.title = tiles.title;
  return figure;
}

}  // namespace

Entry long_texts_panel() {
  Entry entry = {"long-texts", "Long texts", "O(L² d) against O(L w d), O(L d²)", "Tay et al. 2020", draw, figure_of_long_texts};
  entry.full_width = true;
  entry.pages = pages_in([](ViewState& view) -> std::string& { return view.long_texts.page; },
                         {{"patterns", tr_later("patterns"), tr_later("Who may look at whom, by each method")},
                          {"costs", tr_later("costs"), tr_later("What each method costs, by the length of the text")}});
  entry.pages.has = [](const Context& context, const std::string&) {
    return !context.transient || !context.transient->of<LongRoom>().beside;  // else both are shown
  };
  entry.of_head = [](const ViewState& view) { return view.long_texts.page != "costs"; };
  entry.pictures = {
      {"long-texts", "every method's pattern, and what each costs", figure_of_long_texts},
      {"long-pattern", "one method's weights, and their difference from full attention's", figure_of_pattern},
      {"long-operations", "operations by the length of the text",
       [](const Context& context, float width, float height) { return figure_of_costs(context, width, height, Of::operations); }},
      {"long-bytes", "bytes by the length of the text",
       [](const Context& context, float width, float height) { return figure_of_costs(context, width, height, Of::bytes); }},
      {"long-times", "measured times by the length of the text",
       [](const Context& context, float width, float height) { return figure_of_costs(context, width, height, Of::seconds); }}};
  return entry;
}

}  // namespace headlight::panels
