// The Context view: one word in two to six sentences, from one vector at the beginning to as many as there are sentences.
#include "app/views/base/view.h"

#include <algorithm>
#include <utility>

#include "app/text/language.h"
#include "app/views/context/data.h"

namespace headlight::views {
namespace contexts {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

// One layer more every 0.8 seconds, until all are passed.
void go_on_playing(const Context& context, State& state, Held& held) {
  constexpr double kStep = 0.8;
  if (held.playing_since < 0 || !held.last.compared) return;
  const auto last = static_cast<std::int64_t>(held.last.compared->layers.size()) - 1;
  const auto steps = static_cast<std::int64_t>((context.now - held.playing_since) / kStep);
  state.layer = std::min(last, held.playing_from + steps);
  if (state.layer == last) {
    held.playing_since = -1;
    return;
  }
  if (context.frame_in) context.frame_in(kStep * static_cast<double>(steps + 1) - (context.now - held.playing_since));
}

// Goes to the head that was clicked, when the trace is of its sentence. Another sentence typed meanwhile wins.
void go_on_opening(const Context& context, Held::Opening& opening) {
  if (opening.head < 0) return;
  if (context.document.texts.empty() || context.document.texts.front() != opening.text || context.error) opening = {};
  if (opening.head < 0 || context.computing || !context.trace || context.trace->texts().empty() ||
      context.trace->texts().front().text != opening.text)
    return;
  ViewState& view = context.view;
  open_for(view, Offers::one_head);
  view.batch = 0;
  view.site = opening.site;
  view.layer = opening.layer;
  view.head = opening.head;
  view.chosen_heads.clear();
  view.pinned_row = opening.row;
  view.pinned_column = -1;
  opening = {};
}

// What is shown while the typed sentences are being compared: the last comparison, unless they can no longer be compared.
void keep_last(const ContextState& typed, Held& held) {
  if (typed.compared) held.last = typed;
  const bool waiting = std::any_of(typed.sentences.begin(), typed.sentences.end(),
                                   [](const ContextState::Sentence& one) { return !one.found && one.error.empty(); }) ||
                       typed.shown.size() >= 2;
  if (!typed.compared && !waiting) held.last = {};
}

Frame frame_of(const Scene& scene) {
  const Context& context = scene.context;
  Frame frame{scene, scene.state<State>(), contexts::context_state(context), {}, {}, own_transient<Held>(scene)};
  if (frame.filed()) {
    frame.shown = frame.typed;
    frame.choice = context_choice(context, frame.shown);
    return frame;
  }
  Held& held = *frame.held;
  held.lit = std::exchange(held.lit_next, {});
  held.hot_source = std::exchange(held.hot_source_next, -1);
  held.hot_head = std::exchange(held.hot_head_next, -1);
  keep_last(frame.typed, held);
  go_on_playing(context, frame.state, held);
  go_on_opening(context, held.opening);
  frame.shown = held.last;
  frame.choice = context_choice(context, frame.shown);
  frame.choice.lit = held.lit;
  frame.choice.hot_source = held.hot_source;
  frame.choice.hot_head = held.hot_head;
  return frame;
}

void append(std::vector<Node>& all, std::vector<Node> more) {
  for (Node& node : more) all.push_back(std::move(node));
}

Node left_column(Sheet& sheet, const Shared& frame) {
  std::vector<Node> all = {controls_flow(sheet, frame)};
  append(all, sentence_rows(sheet, frame));
  if (frame->shown.compared) {
    append(all, plane_nodes(sheet, frame));
    append(all, probe_nodes(sheet, frame));
  } else {  // why, where the sentences do not say it themselves
    const bool wrong = std::any_of(frame->typed.sentences.begin(), frame->typed.sentences.end(),
                                   [](const ContextState::Sentence& one) { return !one.error.empty(); });
    all.push_back(sheet.words("waiting", wrong ? tr("At least two sentences must have the word.") : tr("computing …"), 14,
                              sheet.scene.pen.theme.secondary));
    all.back().presented = true;
  }
  Node column = Sheet::column("left", {4, 8, 8}, std::move(all));
  column.wide = {390, 620, kAny};
  column.scrolls = true;
  return column;
}

Node right_column(Sheet& sheet, const Shared& frame) {
  std::vector<Node> all = pair_nodes(sheet, frame);
  append(all, added_nodes(sheet, frame));
  Node column = Sheet::column("right", {4, 8, 8}, std::move(all));
  column.wide = {316, 450, kAny};
  column.rank = 1;
  column.below = column.scrolls = true;
  return column;
}

Sheet sheet_of(const Scene& scene) {
  Sheet sheet(scene);
  const auto frame = std::make_shared<const Frame>(frame_of(scene));
  if (frame->filed()) {
    if (frame->shown.compared) fill_file(sheet, frame);
    return sheet;
  }
  std::vector<Node> columns = {left_column(sheet, frame)};
  if (frame->shown.compared) columns.push_back(right_column(sheet, frame));
  sheet.root = Sheet::row("context", 24, std::move(columns));
  return sheet;
}

}  // namespace
}  // namespace contexts

const View& context_view() {
  using namespace contexts;
  static const View view = {
      .id = "context",
      .label = tr_later("Context"),
      .sees = tr_later("One word in several sentences: how its vector moves apart, layer by layer"),
      .formula = "E_i' = E_i + ΔE_i, layer by layer",
      .source = "Pearson 1901; Ethayarajh 2019",
      .group = "meaning",
      .icon = "3,10 7,10 12,4 17,4; 7,10 17,10; 7,10 12,16 17,16",
      .pages = {{"", tr_later("paths"), tr_later("The word's vector after every layer, of all sentences in one plane"), true, ""},
                {"queries", tr_later("queries and keys"),
                 tr_later("Queries and keys of one head in the selected sentence: a query points at its strongest keys"), false,
                 ""}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().plane; },
      .first = "paths",
      .sheet = sheet_of,
      .needs = {Role::input},
      .full_width = true,
      .samples = {{"cosine",
                   [](ViewState& v) {
                     State& state = v.own.of<State>();
                     state.measure = "cosine";
                     state.layer = 2;
                     state.sentence = 2;
                   }}},
      .exports = {{"page", "context", "one word in several texts: everything on one page"},
                  {"paths", "context-paths", "the word's paths through the layers"},
                  {"space", "context-queries", "queries and keys of one head in one plane"},
                  {"distances", "context-distances", "the distances of the word's vectors by layer"},
                  {"cosines", "context-cosines", "their cosines by layer"},
                  {"distance-matrix", "context-distance-matrix", "the distances after one layer"},
                  {"cosine-matrix", "context-cosine-matrix", "the cosines after one layer"},
                  {"probe-bars", "context-probes", "cosines with probe words"},
                  {"added", "context-added", "what one layer's attention added, by head and source token"}},
      .filed = "page",
      .toured = {.model = "course"}};
  return view;
}

}  // namespace headlight::views
