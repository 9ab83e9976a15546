// The Index lab: what index-based attention looks up, how long it takes compared with the same layer without an index, and where
// it stops being worthwhile. Measured on this machine while the view is open; nothing depends on the sentence.
#include "app/views/base/view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "app/gl/fonts.h"
#include "app/text/language.h"
#include "app/views/index/parts.h"
#include "imgui.h"

namespace headlight::views {
namespace lab {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kGap = 28, kLines = 5, kTwoColumns = 900, kPaged = 430, kWhole = 600, kCompared = 15;
constexpr float kScrollBar = 14, kButtons = 28;

struct PageOf {
  const char *id, *label, *why;
};
constexpr std::array<PageOf, 6> kPages = {{
    {"times", tr_later("times"), tr_later("The layer with and without an index, measured")},
    {"word", tr_later("one word"), tr_later("The four terms of a word's scores, adding up")},
    {"map", tr_later("Where ISDPA wins"), tr_later("Speed-up over two sizes at once, measured over counted")},
    {"table", tr_later("look-up table"), tr_later("The products of all symbols and positions, and those that the word looks up")},
    {"errors", tr_later("errors"), tr_later("How far both ways are from a computation in double, number by number")},
    {"notebook", tr_later("the notebook"), tr_later("What the notebook measured, and the same here")},
}};
constexpr std::size_t kTimes = 0, kWord = 1, kMap = 2;

Arrangement arrangement_in(const Scene& scene, float width, float height) {
  if (scene.medium == sheet::Medium::presented || height < kPaged || (height < kWhole && width < kTwoColumns))
    return Arrangement::alone;
  return height < kWhole ? Arrangement::low : Arrangement::whole;
}
// The first page that can be chosen; earlier ones are always shown.
std::size_t first_page(Arrangement all) { return all == Arrangement::alone ? kTimes : all == Arrangement::low ? kWord : kMap; }
std::size_t index_of(const std::string& page) {
  return static_cast<std::size_t>(std::ranges::find(kPages, std::string_view(page), &PageOf::id) - kPages.begin());
}
std::size_t page_of(const State& state, Arrangement all) {
  const std::size_t chosen = index_of(state.page);
  return chosen < kPages.size() && chosen >= first_page(all) ? chosen : all == Arrangement::alone ? kTimes : kMap;
}
Arrangement last_arrangement(const Context& context) {
  return context.transient ? context.transient->of<Held>().arrangement : Arrangement::alone;
}

// Buttons for the pages that are not shown anyway; a menu where they have no room beside each other.
Node pages(Sheet& sheet, const Frame& frame) {
  const std::size_t first = first_page(frame.arrangement), shown = page_of(frame.state, frame.arrangement);
  std::vector<std::string> labels, why;
  for (std::size_t i = first; i < kPages.size(); ++i) {
    labels.emplace_back(tr(kPages[i].label));
    why.emplace_back(tr(kPages[i].why));
  }
  const auto turn = [&state = frame.state, first](int to) { state.page = kPages[first + static_cast<std::size_t>(to)].id; };
  Node menu = sheet.menu({"pages", "", tr(kPages[shown].label), tr(kPages[shown].why), [labels, turn, now = shown - first] {
                            for (std::size_t i = 0; i < labels.size(); ++i)
                              if (ImGui::MenuItem(labels[i].c_str(), nullptr, i == now)) turn(static_cast<int>(i));
                          }});
  Node choice = sheet.choice("pages", std::move(labels), static_cast<int>(shown - first), std::move(why), turn);
  Node either = Sheet::either({std::move(choice), std::move(menu)});
  either.rank = 5;
  return shown_everywhere(std::move(either));
}

// What is compared, in one sentence, the shorter one where the room is narrow.
Node compared(Sheet& sheet, const Frame& frame) {
  std::vector<std::string> texts = {tr("ISDPA, index-based scaled dot-product attention, beside SDPA, the same without an index"),
                                    tr("ISDPA (index-based attention) beside SDPA (without an index)"),
                                    tr("ISDPA: by index, SDPA: without")};
  if (frame.arrangement == Arrangement::whole)
    texts.insert(texts.begin(),
                 tr("The same attention computed in two ways: SDPA (scaled dot-product attention) multiplies every "
                    "query with every key; ISDPA (index-based SDPA) multiplies each symbol and position once, and "
                    "looks the products up."));
  Node node = first_in_line(sheet, "compared", std::move(texts), kCompared, sheet.scene.pen.theme.text, true);
  if (frame.presented()) node.rank = 6;
  return node;
}

Node rule(Sheet& sheet) {
  return sheet.by_hand({.id = "rule",
                        .draw =
                            [](const ui::Look& look, Size room) {
                              const ImVec2 at = ImGui::GetCursorScreenPos();
                              ImGui::GetWindowDrawList()->AddRectFilled(
                                  {at.x, at.y + look.px(3)},
                                  {at.x + look.px(room.w), at.y + look.px(3) + std::max(1.0f, look.scale)},
                                  gl::packed(look.theme.line));
                            }},
                       {0, 0, kAny}, 7);
}

// A page, or the times or the word where they are one.
Node page(Sheet& sheet, const Shared& frame, float high) {
  const std::size_t shown = page_of(frame->state, frame->arrangement);
  return shown == kTimes  ? times_column(sheet, frame)
         : shown == kWord ? word_section(sheet, frame, high)
                          : side_page(sheet, frame, kPages[shown].id);
}

// The times, and at their right what `right` names.
Node times_beside(Sheet& sheet, const Shared& frame, std::vector<Node> right) {
  const float share = frame->arrangement == Arrangement::low ? 0.6f : 0.57f;
  const float wide = std::floor((frame->width - kGap) * share);
  Node left = Sheet::column("left", kLines, {times_column(sheet, frame)}),
       side = Sheet::column("right", kLines, std::move(right));
  left.wide = wide;
  side.wide = frame->width - wide - kGap;
  left.scrolls = side.scrolls = true;
  return Sheet::row("both", kGap, {std::move(left), std::move(side)});
}

std::vector<Node> arranged(Sheet& sheet, const Shared& frame) {
  const float line = sheet.scene.pen.measure.line_height(kCompared, figures::Font::words) + kLines;
  if (frame->arrangement == Arrangement::whole) {
    // The terms take the height of their squares; times and map get the larger part.
    const float high = std::clamp(0.36f * (frame->height - line), 164.0f, 300.0f);
    std::vector<Node> all = {compared(sheet, *frame), word_section(sheet, frame, high), rule(sheet)};
    std::vector<Node> side = {pages(sheet, *frame), page(sheet, frame, 0)};
    if (frame->width >= kTwoColumns) {
      all.push_back(times_beside(sheet, frame, std::move(side)));
      return all;
    }
    std::vector<Node> below = {std::move(all[1]), std::move(all[2]), times_column(sheet, frame), rule(sheet)};
    for (Node& node : side) below.push_back(std::move(node));
    Node column = Sheet::column("all", kLines, std::move(below));
    column.scrolls = true;
    return {std::move(all[0]), std::move(column)};
  }
  const bool alone = frame->arrangement == Arrangement::alone;
  std::vector<Node> all;
  if (alone) {
    all = {compared(sheet, *frame), pages(sheet, *frame)};
  } else {
    // A low room has the sentence beside its buttons.
    Node sentence = compared(sheet, *frame);
    sentence.forms[0].high = [](float) { return Span(kButtons); };
    all = {Sheet::row("above", 16, {pages(sheet, *frame), std::move(sentence)})};
  }
  const bool word = page_of(frame->state, frame->arrangement) == kWord;
  Node shown = page(sheet, frame, frame->height - (alone ? line : 0) - kButtons - 2 * kLines);
  if (!alone && !word) {
    all.push_back(times_beside(sheet, frame, {std::move(shown)}));
    return all;
  }
  Node column = Sheet::column("page column", kLines, {std::move(shown)});
  column.scrolls = true;
  all.push_back(std::move(column));
  return all;
}

// Everything that the view shows, below each other.
void fill_file(Sheet& sheet) {
  const Context& context = sheet.scene.context;
  std::vector<Node> all;
  const auto add = [&](const char* id, figures::Figure (*figure)(const Context&, float, float), float high) {
    if (figure(context, 600, high).items.empty()) return;
    all.push_back(
        sheet.picture({.id = id, .picture = [&context, figure, high](Size s, const Pen&) { return figure(context, s.w, high); }},
                      {0, 900, kAny}));
  };
  add("terms", word_figure, 300);
  add("times", times_figure, 0);
  const std::size_t shown = page_of(state_of(context), Arrangement::whole);
  const std::string_view id = kPages[shown].id;
  if (id == "map") add("map", map_figure, 460);
  if (id == "table") add("table", table_figure, 560);
  if (id == "errors") add("errors", errors_figure, 300);
  if (id == "notebook") add("notebook", notebook_figure, 0);
  sheet.root = Sheet::column("index", 20, std::move(all));
  sheet.title = tr("Index-based attention");
}

Sheet sheet_of(const Scene& scene) {
  Sheet sheet(scene);
  if (scene.medium == sheet::Medium::file) {
    fill_file(sheet);
    return sheet;
  }
  Frame now{.scene = scene, .state = scene.state<State>(), .held = own_transient<Held>(scene)};
  now.width = scene.room.w - kScrollBar;
  now.height = scene.room.h - 4;
  now.arrangement = now.held->arrangement = arrangement_in(scene, now.width, now.height);
  const auto frame = std::make_shared<const Frame>(std::move(now));
  (void)terms_of(scene.context);  // asked for before the times, which take longer
  const std::size_t shown = page_of(frame->state, frame->arrangement);
  if (frame->arrangement != Arrangement::whole && shown != kWord) frame->held->hot_cell = 0;
  if (std::string_view(kPages[shown].id) != "table") frame->held->hot_in_table = 0;
  sheet.root = Sheet::column("index", kLines, arranged(sheet, frame));
  return sheet;
}

bool can_be_chosen(const Context& context, const std::string& value) {
  return index_of(value) >= first_page(last_arrangement(context));
}

std::vector<Page> declared_pages() {
  std::vector<Page> all;
  for (const PageOf& one : kPages) all.push_back({all.empty() ? "" : one.id, one.label, one.why, all.empty(), ""});
  return all;
}

}  // namespace
}  // namespace lab

const View& index_view() {
  using namespace lab;
  static const View view = {
      .id = "index",
      .label = tr_later("Index lab"),
      .sees = tr_later("How much time is saved by computing with the table of letters first"),
      .formula = "QKᵀ = MM[I, I] + MP[I, :] + PM[:, I] + PP",
      .source = "index-based attention: rows S1 to S3 of docs/material.md",
      .group = "measure",
      .icon = "2.5,15.5 3.5,10.5 6.3,7 10,5.7 13.7,7 16.5,10.5 17.5,15.5; 10,15.5 13.5,10",
      .pages = declared_pages(),
      .first = "times",
      .shown = [](const Context& context) -> std::string {
        return kPages[page_of(state_of(context), last_arrangement(context))].id;
      },
      .turn = [](ViewState& v, const std::string& value) { v.own.of<State>().page = value; },
      .has_page = can_be_chosen,
      .sheet = sheet_of,
      .full_width = true,
      // Tests and pictures must not wait for timings.
      .job = [](const JobHost& host) -> std::unique_ptr<Job> {
        return host.measures_times ? std::make_unique<Sweep>(host.lane, host.wake, host.edits, host.lab_machine) : nullptr;
      },
      .pictures = {{"index-word", "one word: four looked-up terms that add up to its scores", word_figure},
                   {"index-times", "the layer with and without an index: operations, or times where they are measured",
                    times_figure},
                   {"index-map", "over two sizes at once, how much faster the index is", map_figure},
                   {"index-table", "the table that scores are looked up in", table_figure}}};
  return view;
}

}  // namespace headlight::views
