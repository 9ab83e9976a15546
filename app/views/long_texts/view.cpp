// The Long texts view: every method over the shown head as a tile, the chosen one large beside its difference from full
// attention, and what each costs by the length of the text.
#include "app/views/base/view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/views/base/attention_nodes.h"
#include "app/views/long_texts/parts.h"
#include "imgui.h"

namespace headlight::views {

const View& long_texts_view();

namespace long_range {

void choose_method(const Frame& frame, std::int64_t index) {
  const auto& entries = long_texts::registry().entries();
  if (index >= 0 && index < static_cast<std::int64_t>(entries.size()))
    frame.state.method = entries[static_cast<std::size_t>(index)].id;
}

void explain_method(const Frame& frame, std::size_t index) {
  const long_texts::Entry& entry = long_texts::registry().entries()[index];
  std::string words = std::string(tr(entry.label.c_str())) + ": " + tr(entry.says.c_str());
  const auto& results = frame.shown.results;
  if (index < results.size() && !results[index].refused.empty()) words += "\n" + results[index].refused;
  say_at_mouse(frame.scene, words, std::string(tr(entry.formula.c_str())) + "   " + entry.source);
}

namespace {

using Node = Sheet::Node;
using Of = figures::LongCostsInput::Of;
using sheet::kAny;

constexpr float kBeside = 820, kHigh = 600, kGap = 24, kScrollBar = 14, kLow = 400;
constexpr std::int64_t kFewTokens = 24;
// Lincoln 1863, whose words nobody owns.
constexpr const char* kLongerText =
    "Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in Liberty, and "
    "dedicated "
    "to the proposition that all men are created equal. Now we are engaged in a great civil war, testing whether that nation, or "
    "any nation so conceived and so dedicated, can long endure.";

Node causal_choice(Sheet& sheet, const Shared& frame) {
  static constexpr std::array<const char*, 3> kIds = {"model", "off", "on"};
  const auto found = std::ranges::find(kIds, frame->state.causal);
  return sheet.choice("causal", {tr("as the model"), tr("all keys"), tr("causal")},
                      found == kIds.end() ? 0 : static_cast<int>(found - kIds.begin()),
                      {frame->shown.task.causal ? tr("Now no query sees later keys.") : tr("Now every query may see every key.")},
                      [frame](int chosen) { frame->state.causal = kIds.at(static_cast<std::size_t>(chosen)); });
}

Node longer_button(Sheet& sheet, const Shared& frame) {
  return sheet.button({.id = "longer",
                       .label = tr("a longer text"),
                       .why = tr("Patterns differ where a text is longer than their windows: this one has some seventy tokens."),
                       .press =
                           [frame] {
                             Document longer = frame->context().document;
                             longer.texts = {kLongerText};
                             frame->context().edit(std::move(longer));
                           },
                       .high = 28});
}

Node controls(Sheet& sheet, const Shared& frame, bool pages) {
  std::vector<Node> all;
  if (pages) all.push_back(page_choice(sheet, long_texts_view(), "page"));
  for (Node& node : attention_nodes(sheet, frame->shown.choice)) all.push_back(std::move(node));
  if (frame->shown.words.empty()) {
    all.push_back(causal_choice(sheet, frame));
    if (frame->shown.all_tokens < kFewTokens && frame->context().document.texts.size() == 1)
      all.push_back(longer_button(sheet, frame));
  }
  return Sheet::flow("controls", 16, std::move(all));
}

void choose_tile(const Frame& frame, const gl::Hit& hit) {
  if (hit.hovered && hit.tag.kind == figures::Tag::link) {
    if (hit.clicked) choose_method(frame, hit.tag.a);
    explain_method(frame, static_cast<std::size_t>(hit.tag.a));
  }
  const auto chosen = static_cast<std::int64_t>(frame.shown.chosen);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_RightArrow)) choose_method(frame, chosen + 1);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) choose_method(frame, chosen - 1);
}

Node tiles(Sheet& sheet, const Shared& frame) {
  const float map = std::clamp(0.13f * (sheet.scene.room.h - 36), 44.0f, 110.0f);
  const auto input = std::make_shared<const figures::LongTilesInput>(long_tiles_input(frame->context(), frame->shown));
  const auto draw = [input](float width, float side, const Pen& pen) {
    figures::LongTilesInput own = *input;
    own.map = side;
    return figures::long_tiles(own, width, pen.theme, pen.measure);
  };
  Node node = sheet.picture(
      {.id = "tiles",
       .picture = [draw, map](Size s, const Pen& pen) { return draw(s.w, map, pen); },
       .hit = [frame](const Drawn& drawn) { choose_tile(*frame, drawn.hit); },
       .focusable = true,
       .paper = {1400, 0},
       .on_paper = [draw, input](Size s,
                                 const Pen& pen) { return figures::framed(draw(s.w, 110, pen), input->title, 16, pen.theme); }},
      {300, 900, kAny});
  node.presented = false;
  return node;
}

void add_pages(Sheet& sheet, const Shared& frame, std::vector<Node>& all) {
  const float width = sheet.scene.room.w - kScrollBar;
  const bool costs_only = !frame->held->beside && frame->state.page == "costs";
  // In a low room the tiles scroll with the page.
  const bool low = sheet.scene.medium == sheet::Medium::screen && sheet.scene.room.h < kLow;
  if (!costs_only && !low) all.push_back(tiles(sheet, frame));
  if (!frame->held->beside) {
    std::vector<Node> page;
    if (!costs_only && low) page.push_back(tiles(sheet, frame));
    page.push_back(costs_only ? costs_page(sheet, frame) : large_method(sheet, frame, width));
    Node column = Sheet::column("page column", 8, std::move(page));
    column.scrolls = low;
    all.push_back(std::move(column));
    return;
  }
  const float left = std::round(0.55f * width), right = width - left - kGap;
  Node patterns = Sheet::column("left", 0, {large_method(sheet, frame, left)}),
       costs = Sheet::column("right", 0, {costs_page(sheet, frame)});
  patterns.wide = left;
  costs.wide = right;
  all.push_back(Sheet::row("both", kGap, {std::move(patterns), std::move(costs)}));
}

Sheet sheet_of(const Scene& scene) {
  Sheet sheet(scene);
  if (scene.medium == sheet::Medium::file) {
    sheet.root = sheet.picture(
        {.id = "all", .picture = [&context = scene.context](Size s, const Pen&) { return figure_of_all(context, s.w, s.h); }},
        {0, 1100, kAny});
    return sheet;
  }
  const AttentionChoice choice = choose_attention(scene.context);
  if (auto notice = no_attention(sheet, choice)) {
    sheet.root = std::move(*notice);
    return sheet;
  }
  const auto frame = std::make_shared<const Frame>(Frame{begin_frame<State, Held>(scene), long_state(scene.context, choice)});
  const bool presented = scene.medium == sheet::Medium::presented;
  frame->held->beside = !presented && scene.room.w - kScrollBar >= kBeside && scene.room.h >= kHigh;
  std::vector<Node> all;
  if (!presented) all.push_back(controls(sheet, frame, !frame->held->beside));
  if (!frame->shown.words.empty())
    all.push_back(sheet.notice(frame->shown.words, scene.pen.theme.secondary));
  else
    add_pages(sheet, frame, all);
  sheet.root = Sheet::column("long texts", {4, 8, 8}, std::move(all));
  return sheet;
}

template <Of of>
figures::Figure costs_for_file(const Context& context, float width, float height) {
  return figure_of_costs(context, width, height, of);
}

}  // namespace
}  // namespace long_range

const View& long_texts_view() {
  using namespace long_range;
  static const View view = {
      .id = "long-texts",
      .label = tr_later("Long texts"),
      .sees = tr_later("What attention costs in long texts, and ways to make it cheaper"),
      .formula = "O(L² d) against O(L w d), O(L d²)",
      .source = "Tay et al. 2020",
      .group = "beyond",
      .icon = "3,3 17,3 17,17 3,17 3,3; 3,3 17,17; 3,6.5 13.5,17; 6.5,3 17,13.5",
      .pages = {{"", tr_later("patterns"), tr_later("Who may look at whom, by each method"), true, ""},
                {"costs", tr_later("costs"), tr_later("What each method costs, by the length of the text"), true, ""}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().page; },
      .first = "patterns",
      .has_page =
          [](const Context& context, const std::string&) {
            return !context.transient || !context.transient->of<Held>().beside;  // else both are shown
          },
      .sheet = sheet_of,
      .named = "long",
      .needs = {Role::q, Role::k, Role::v},
      .full_width = true,
      .samples = {{"ring", [](ViewState& v) { v.own.of<State>().method = "ring"; }}},
      .filed = "all",
      .pictures = {{"long-texts", "every method's pattern, and what each costs", figure_of_all},
                   {"long-pattern", "one method's weights, and their difference from full attention's", figure_of_pattern},
                   {"long-operations", "operations by the length of the text", costs_for_file<Of::operations>},
                   {"long-bytes", "bytes by the length of the text", costs_for_file<Of::bytes>},
                   {"long-times", "measured times by the length of the text", costs_for_file<Of::seconds>}},
      .of_head = [](const ViewState& v) { return v.own.of<State>().page != "costs"; }};
  return view;
}

}  // namespace headlight::views
