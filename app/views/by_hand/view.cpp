// The By hand view: a case of attention in small tables on the left, the chosen score, its row and the plane of its values on the
// right. Any number can be typed over.
#include "app/views/base/view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/text_input.h"
#include "app/views/by_hand/data.h"
#include "imgui.h"

namespace headlight::views {
namespace hand {
namespace {

using figures::Font;
using Node = Sheet::Node;

// What the view's functions share in a frame. `input` also holds the number under the mouse.
struct Frame {
  const Scene& scene;
  State& state;
  std::shared_ptr<const Shown> shown;
  std::shared_ptr<const ByHandInput> input;
  std::shared_ptr<Editing> editing;
};
using Shared = std::shared_ptr<const Frame>;

void choose(State& state, const HandPlace& place) {
  state.stage = place.stage;
  state.row = place.row;
  state.column = place.column;
}

// `given`: the text is the cell's own number, so that Enter without a change leaves it, with all of its digits.
void begin_editing(const Frame& frame, const HandPlace& place, std::string text, bool given = true) {
  Editing& editing = *frame.editing;
  editing.open = editing.focus = true;
  editing.naming = {};
  editing.error.clear();
  choose(frame.state, place);
  editing.shown = given ? text : std::string();
  editing.draft = std::move(text);
}
std::string number_at(const Frame& frame, const HandPlace& place) {
  return hand_number(frame.input->worked.stages.at(place.stage).at(place.row, place.column), 6);
}

Node cases_of(Sheet& sheet, const Shared& frame) {
  const Shown& shown = *frame->shown;
  std::vector<Node> all;
  for (const by_hand::Entry& entry : by_hand::registry().entries())
    all.push_back(sheet.button({.id = entry.id,
                                .label = tr(entry.label.c_str()),
                                .on = &entry == shown.preset,
                                .why = entry.source.empty() ? "" : tr(entry.source.c_str()),
                                .formula = tr(entry.formula.c_str()),
                                .press =
                                    [frame, id = entry.id] {
                                      choose_preset(frame->state, id);
                                      frame->editing->open = false;
                                      frame->editing->naming = {};
                                    },
                                .high = 32}));
  const by_hand::Case& hand = shown.input.hand;
  if (shown.status.ok() && shown.input.worked.stages.contains("k"))
    all.push_back(sheet.choice("divided", {tr("unscaled"), "÷ √d"}, hand.divided ? 1 : 0,
                               {tr("Whether the scores are divided by the root of the width of a key")}, [frame](int chosen) {
                                 by_hand::Case changed = frame->input->hand;
                                 changed.divided = chosen == 1;
                                 set_case(frame->state, changed);
                               }));
  all.push_back(sheet.button({.id = "reset",
                              .label = tr("reset"),
                              .why = tr("All numbers as the source prints them"),
                              .press =
                                  [frame, id = shown.preset->id] {
                                    choose_preset(frame->state, id);
                                    frame->editing->open = false;
                                  },
                              .enabled = shown.own || !shown.status.ok(),
                              .wide = 80,
                              .high = 32}));
  const HandPlace& at = shown.input.chosen;
  if (shown.status.ok() && by_hand::is_held(hand, at.stage, at.row, at.column))
    all.push_back(sheet.button(
        {.id = "release",
         .label = tr("release"),
         .why = tr("The chosen number is computed again"),
         .press = [frame, at] { set_case(frame->state, by_hand::released(frame->input->hand, at.stage, at.row, at.column)); },
         .wide = 80,
         .high = 32}));
  return Sheet::flow("cases", 8, std::move(all));
}

// The field over the chosen cell. Enter takes the number, Escape leaves the old one.
void draw_field(const Frame& frame, const ui::Look& look, ImVec2 origin, const figures::Box& box) {
  Editing& editing = *frame.editing;
  const ImVec2 after = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({origin.x + look.px(box.x), origin.y + look.px(box.y)});
  ImGui::SetNextItemWidth(look.px(std::max(box.w, 92.0f)));
  push_font(frame.scene.context, Font::mono, 15);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(6), std::max(0.0f, look.px(box.h) / 2 - ImGui::GetFontSize() / 2)});
  const bool focused_now = editing.focus;
  if (focused_now) ImGui::SetKeyboardFocusHere();
  editing.focus = false;
  ImGui::SetNextItemAllowOverlap();
  const bool entered =
      ui::text_input("##number", editing.draft, nullptr, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_NoUndoRedo);
  name_part(frame.scene.context, "by-hand:field");
  const bool left = ImGui::IsItemDeactivated();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(after);
  ImGui::Dummy({0, 0});
  if (entered) {
    const bool same = !editing.shown.empty() && editing.draft == editing.shown;
    const Status done = same ? Status() : type_number(frame.state, frame.input->hand, editing.draft);
    editing.open = editing.focus = !done.ok();
    editing.error = done.ok() ? std::string() : spoken_in_window(done.error());
  } else if (left && !focused_now) {
    editing.open = false;
    editing.error.clear();
  }
}

// The field over a name. Enter takes the name, Escape leaves the old one.
void draw_name_field(const Frame& frame, const ui::Look& look, const Drawn& drawn) {
  Editing& editing = *frame.editing;
  figures::Box box;
  for (const figures::Item& item : drawn.figure.items)
    if (const auto* place = std::get_if<figures::Rectangle>(&item); place && hand_name(place->tag) == editing.naming) {
      box = place->box;
      break;
    }
  if (box.w <= 0) {
    editing.naming = {};
    return;
  }
  const ImVec2 after = ImGui::GetCursorScreenPos();
  const float wide = std::max(box.w, 110.0f), high = std::max(box.h, 24.0f);
  ImGui::SetCursorScreenPos({drawn.origin.x + look.px(std::max(0.0f, box.x + box.w / 2 - wide / 2)),
                             drawn.origin.y + look.px(box.y + box.h / 2 - high / 2)});
  ImGui::SetNextItemWidth(look.px(wide));
  push_font(frame.scene.context, Font::words, 15);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(6), std::max(0.0f, look.px(high) / 2 - ImGui::GetFontSize() / 2)});
  const bool focused_now = editing.focus;
  if (focused_now) ImGui::SetKeyboardFocusHere();
  editing.focus = false;
  ImGui::SetNextItemAllowOverlap();
  const bool entered =
      ui::text_input("##name", editing.draft, nullptr, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_NoUndoRedo);
  name_part(frame.scene.context, "by-hand:name");
  const bool left = ImGui::IsItemDeactivated();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(after);
  ImGui::Dummy({0, 0});
  if (entered) rename(frame.state, frame.input->hand, editing.naming, editing.draft);
  if (entered || (left && !focused_now)) editing.naming = {};
}

void begin_naming(const Frame& frame, const HandName& name) {
  Editing& editing = *frame.editing;
  editing.open = false;
  editing.error.clear();
  editing.naming = name;
  editing.focus = true;
  editing.draft = name.key ? key_name(frame.input->hand, name.index) : query_name(frame.input->hand, name.index);
}

// In which direction the arrows move in a table that is drawn turned.
HandPlace moved_by(const ByHandInput& input, int down, int right) {
  HandPlace place = input.chosen;
  const by_hand::Table& table = input.worked.stages.at(place.stage);
  const bool turned = input.hand.keys_down && (place.stage == "scores" || place.stage == "weights" || place.stage == "divided");
  const std::int64_t row = place.row + (turned ? right : down), column = place.column + (turned ? down : right);
  if (row >= 0 && row < table.rows && column >= 0 && column < table.columns) return {place.stage, row, column};
  // Beyond the left or right edge lies the neighbouring stage.
  if (right == 0) return place;
  const auto* at = std::find(by_hand::kStages.begin(), by_hand::kStages.end(), place.stage);
  while (at != by_hand::kStages.end() && (right > 0 ? at + 1 != by_hand::kStages.end() : at != by_hand::kStages.begin())) {
    at += right;
    const auto found = input.worked.stages.find(*at);
    if (found == input.worked.stages.end() || (std::string_view(*at) == "divided" && !input.hand.divided)) continue;
    return {*at, std::min(place.row, found->second.rows - 1), right > 0 ? 0 : found->second.columns - 1};
  }
  return place;
}

void use_keys(const Frame& frame) {
  const HandPlace& at = frame.input->chosen;
  constexpr std::array<std::array<int, 3>, 4> kArrows = {
      {{ImGuiKey_UpArrow, -1, 0}, {ImGuiKey_DownArrow, 1, 0}, {ImGuiKey_LeftArrow, 0, -1}, {ImGuiKey_RightArrow, 0, 1}}};
  for (const auto& [key, down, right] : kArrows)
    if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(key))) choose(frame.state, moved_by(*frame.input, down, right));
  if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false))
    return begin_editing(frame, at, number_at(frame, at));
  const by_hand::Case& hand = frame.input->hand;
  if (ImGui::IsKeyPressed(ImGuiKey_Delete, false) || ImGui::IsKeyPressed(ImGuiKey_Backspace, false))
    if (by_hand::is_held(hand, at.stage, at.row, at.column))
      set_case(frame.state, by_hand::released(hand, at.stage, at.row, at.column));
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_V, false)) {
    choose(frame.state, at);
    const char* const text = ImGui::GetClipboardText();
    const Status done = paste_table(frame.state, hand, text ? text : "");
    frame.editing->error = done.ok() ? std::string() : spoken_in_window(done.error());
    return;
  }
  for (const ImWchar typed : io.InputQueueCharacters)
    if (!io.KeyCtrl && ((typed >= '0' && typed <= '9') || typed == '-' || typed == '.'))
      return begin_editing(frame, at, std::string(1, static_cast<char>(typed)), false);
}

std::string cell_words(const ByHandInput& input, const HandPlace& place) {
  const auto found = input.worked.stages.find(place.stage);
  if (found == input.worked.stages.end()) return {};
  const bool square = place.stage == "scores" || place.stage == "divided" || place.stage == "weights";
  if (square && !input.worked.visible(place.row, place.column)) return tr("masked: a later key is not seen");
  const std::string number = hand_number(found->second.at(place.row, place.column), 6);
  const std::string where =
      fill(tr("{}, row {}, column {}"), {place.stage, std::to_string(place.row), std::to_string(place.column)});
  if (by_hand::is_held(input.hand, place.stage, place.row, place.column))
    return fill(tr("{}: held at {}; Delete releases it"), {where, number});
  return where + ": " + number + (input.hand.inputs.contains(place.stage) ? "" : std::string("; ") + tr("typed over it is held"));
}

// A click chooses a number, another opens its field.
void use_tables(const Frame& frame, const Drawn& drawn) {
  const Context& context = frame.scene.context;
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  Editing& editing = *frame.editing;
  const gl::Hit& hit = drawn.hit;
  const HandPlace under = hit.hovered ? hand_place(hit.tag) : HandPlace{};
  if (!(editing.hot == under) && context.frame_in) context.frame_in(0);
  editing.hot = under;
  HandPlace chosen = frame.input->chosen;
  if (!under.stage.empty()) {
    ui::tooltip(look, cell_words(*frame.input, under));
    if (hit.clicked || hit.double_clicked) {
      const bool again = under == chosen && !editing.open;
      chosen = under;
      choose(frame.state, under);
      editing.open = false;
      editing.error.clear();
      if (again || hit.double_clicked) begin_editing(frame, under, number_at(frame, under));
    }
  }
  if (const HandName name = hit.hovered ? hand_name(hit.tag) : HandName{}; name.index >= 0) {
    ui::tooltip(look, tr("A click renames it"));
    if (hit.clicked) begin_naming(frame, name);
  }
  if (editing.naming.index >= 0) return draw_name_field(frame, look, drawn);
  if (hit.focused && !editing.open) use_keys(frame);
  if (!editing.open) return;
  figures::Box box =
      hand_box(*frame.input, drawn.figure.width / drawn.type, drawn.figure.height / drawn.type, context.measure, chosen);
  box = {box.x * drawn.type, box.y * drawn.type, box.w * drawn.type, box.h * drawn.type};
  if (box.w > 0) draw_field(frame, look, drawn.origin, box);
}

Node tables_of(Sheet& sheet, const Shared& frame) {
  const auto high = [least = by_hand_least_height(*frame->input),
                     filed = sheet.scene.medium == sheet::Medium::file](float width) -> sheet::Span {
    if (filed) return std::max(420.0f, 0.55f * (width + 32));
    return {least, 560, sheet::kAny};
  };
  Node tables = sheet.picture(
      {.id = "sheet",
       .picture = [input = frame->input](
                      Size s, const Pen& pen) { return by_hand_sheet(*input, s.w, s.h > 0 ? s.h : 560, pen.theme, pen.measure); },
       .of = frame->input,
       .hit = [frame](const Drawn& drawn) { use_tables(*frame, drawn); },
       .focusable = true,
       .paper = {980, 560},
       .framed = true},
      {sheet.scene.medium == sheet::Medium::file ? 0.0f : 520.0f, 860, sheet::kAny}, high);
  tables.forms.push_back({{300, 860, sheet::kAny}, high});  // beside nothing else
  Node column = Sheet::column("tables", 0, {std::move(tables)});
  column.scrolls = true;
  return column;
}

Node side_of(Sheet& sheet, const Shared& frame) {
  const bool filed = sheet.scene.medium == sheet::Medium::file;
  const sheet::Span wide = filed ? sheet::Span{0, 460, 460} : sheet::Span(314);
  std::vector<Node> all = {sheet.picture(
      {.id = "row",
       .picture = [input = frame->input](Size s, const Pen& pen) { return by_hand_row(*input, s.w, pen.theme, pen.measure); },
       .of = frame->input,
       .paper = {420, 0},
       .framed = true},
      wide)};
  const double temperature = frame->input->hand.temperature;
  Node slider =
      sheet.slider({.id = "temperature",
                    .label = tr("temperature"),
                    .value = std::isinf(temperature) ? "∞" : hand_number(temperature, 2),
                    .now = place_of_temperature(temperature),
                    .log = false,
                    .set =
                        [frame](double place) {
                          by_hand::Case changed = frame->input->hand;
                          changed.temperature = temperature_at(place);
                          set_case(frame->state, changed);
                        },
                    .why = [] { return std::string(tr("0: the largest score takes all; 1 in the middle; ∞: all alike")); }});
  slider.forms[0].wide = {120, 314, 314};
  slider.presented = true;
  all.push_back(std::move(slider));
  if (has_plane(*frame->input)) {
    const auto high = [filed](float width) { return filed ? sheet::Span(0.8f * width) : sheet::Span{190, 330, 330}; };
    Node plane =
        sheet.picture({.id = "plane",
                       .picture = [input = frame->input](
                                      Size s, const Pen& pen) { return by_hand_plane(*input, s.w, s.h, pen.theme, pen.measure); },
                       .of = frame->input,
                       .paper = {480, 400},
                       .framed = true},
                      wide, high);
    plane.rank = 3;
    all.push_back(std::move(plane));
  }
  Node column = Sheet::column("side", filed ? sheet::Span(16) : sheet::Span{4, 8, 12}, std::move(all));
  column.rank = 2;
  column.scrolls = true;
  column.filed = false;
  return column;
}

Sheet sheet_of(const Scene& scene) {
  State& state = scene.state<State>();
  const auto shown = scene.data<Shown>(std::tuple(state, spoken_language()), [&] { return shown_case(state); });
  Sheet sheet(scene);
  const auto editing = own_transient<Editing>(scene);
  std::shared_ptr<const ByHandInput> input(shown, &shown->input);
  if (scene.medium != sheet::Medium::file && !editing->hot.stage.empty()) {
    auto hot = std::make_shared<ByHandInput>(shown->input);
    hot->hot = editing->hot;
    input = std::move(hot);
  }
  const Shared frame = std::make_shared<const Frame>(Frame{scene, state, shown, input, editing});
  std::vector<Node> all = {cases_of(sheet, frame)};
  sheet.title = tr(shown->preset->label.c_str());
  if (!shown->status.ok()) {
    all.push_back(sheet.words("why not", spoken_in_window(shown->status.error()), 15, scene.pen.theme.wrong));
    sheet.root = Sheet::column("by-hand", 8, std::move(all));
    return sheet;
  }
  if (!editing->error.empty()) all.push_back(sheet.words("error", editing->error, 14, scene.pen.theme.wrong));
  all.push_back(Sheet::row("case", 24, {tables_of(sheet, frame), side_of(sheet, frame)}));
  sheet.root = Sheet::column("by-hand", {2, 8, 8}, std::move(all));
  return sheet;
}

}  // namespace
}  // namespace hand

const View& by_hand_view() {
  using namespace hand;
  static const View view = {
      .id = "by-hand",
      .label = tr_later("By hand"),
      .sees = tr_later("Attention over numbers of your own, every table to be checked"),
      .formula = "softmax(x W_q (x W_k)^T) x W_v",
      .source = "Vaswani et al. 2017",
      .group = "attention",
      .icon = "2,3 8,3 8,9 2,9 2,3; 12,3 18,3 18,9 12,9 12,3; 7,11 13,11 13,17 7,17 7,11; 5,9 5,14 7,14; 15,9 15,14 13,14",
      .pages = {{"", "", "", true, "by-hand", "attention by hand: every table of a case"}},
      .sheet = sheet_of,
      .full_width = true,
      .samples = {{"pattern", [](ViewState& v) { v.own.of<State>().preset = "pattern"; }, true},
                  {"search", [](ViewState& v) { v.own.of<State>().preset = "search"; }}},
      .exports = {{"side", "by-hand-row", "attention by hand: one score, its row, and the plane of the values",
                   tr_later("One row by hand")}}};
  return view;
}

}  // namespace headlight::views
