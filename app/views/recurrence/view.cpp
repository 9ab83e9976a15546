// The Recurrence view: a network that reads the tokens one after the other, beside attention, which reaches each in one step.
#include "app/views/base/view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/base/attention_choice.h"
#include "app/views/recurrence/parts.h"
#include "imgui.h"

namespace headlight::views {
namespace recurrent {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kBeside = 860, kGap = 24, kLeastUnfolded = 220, kScrollBar = 14;
constexpr std::int64_t kMostUnits = 64, kMostStates = 16;
constexpr std::array<const char*, 5> kSides = {"reach", "gradients", "learning", "matrix", "forms"};

std::vector<std::string> side_labels() { return {tr("reach"), tr("gradients"), tr("learning"), tr("matrix"), tr("forms")}; }

template <std::size_t N>
int index_of(const std::array<const char*, N>& ids, const std::string& id) {
  const auto found = std::ranges::find(ids, id);
  return found == ids.end() ? 0 : static_cast<int>(found - ids.begin());
}

// --- controls

Node kind_choice(Sheet& sheet, State& state) {
  static constexpr std::array<const char*, 4> kIds = {"rnn", "lstm", "esn", "ssm"};
  std::vector<std::string> labels, why;
  for (const char* const id : kIds) {
    const recurrence::Kind& kind = *recurrence::kinds().find(id);
    labels.emplace_back(tr(kind.label.c_str()));
    why.push_back(kind.formula + "   " + kind.source);
  }
  const std::string& now = recurrence::kinds().find(state.kind) ? state.kind : "lstm";
  return sheet.choice("kind", std::move(labels), index_of(kIds, now), std::move(why),
                      [&state](int chosen) { state.kind = kIds.at(static_cast<std::size_t>(chosen)); });
}

// On a projector the network's name stays, with arrows to the others.
Node kind_stepper(Sheet& sheet, State& state) {
  const auto& kinds = recurrence::kinds().entries();
  std::size_t now = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i].id == state.kind) now = i;
  return sheet.stepper("kind", tr(kinds[now].label.c_str()), static_cast<std::int64_t>(now),
                       static_cast<std::int64_t>(kinds.size()), tr("Another network"),
                       [&state, &kinds](std::int64_t to) { state.kind = kinds[static_cast<std::size_t>(to)].id; });
}

void add_sizes(Sheet& sheet, State& state, std::vector<Node>& all) {
  const bool state_space = state.kind == "ssm";
  all.push_back(sheet.stepper("units", fill(state_space ? tr("{} channels") : tr("{} units"), {std::to_string(state.units)}),
                              state.units - 1, kMostUnits, tr("How many numbers the state has"),
                              [&state](std::int64_t to) { state.units = to + 1; }));
  if (!state_space) return;
  all.push_back(sheet.stepper("states", fill(tr("{} states"), {std::to_string(state.states)}), state.states - 1, kMostStates,
                              tr("How many numbers each channel keeps"), [&state](std::int64_t to) { state.states = to + 1; }));
  all.push_back(sheet.toggle(
      "selective", tr("selection"), &state.selective,
      tr("Whether Δ, B and C depend on the input: what is kept and what is forgotten is then chosen token by token")));
}

Node source_choice(Sheet& sheet, State& state) {
  static constexpr std::array<const char*, 3> kIds = {"text", "hello", "repeats"};
  return sheet.choice("source", {tr("your text"), "hello", tr("repeats")}, index_of(kIds, state.source),
                      {tr("What is read: the sentence's tokens, the five letters of hello, or eight letters three times over")},
                      [&state](int chosen) {
                        state.source = kIds.at(static_cast<std::size_t>(chosen));
                        state.at = -1;
                        state.first = state.learnt = 0;
                      });
}

// Learning: on, off, back to the beginning, and how far it is.
void add_learning(Sheet& sheet, const Shared& frame, std::vector<Node>& all) {
  State& state = frame->state;
  const auto& held = frame->held;
  const bool at_once = frame->reading.net && !frame->reading.kind().trains, at_end = state.learnt >= kMostLearnt;
  if (at_end) held->playing = false;
  all.push_back(sheet.button(
      {.id = "learn",
       .label = held->playing ? tr("pause")
                : at_once     ? tr("fit")
                              : tr("learn"),
       .on = !held->playing,
       .why = at_once ? tr("Fits the read-out to this text by one ridge regression; the reservoir stays as it is drawn")
                      : tr("Learns this text by gradients through time, ten steps a picture; edits come first"),
       .press = [held] { held->playing = !held->playing; },
       .enabled = !at_end,
       .high = 28}));
  if (state.learnt > 0)
    all.push_back(sheet.button({.id = "forget",
                                .label = tr("random again"),
                                .press =
                                    [&state, held] {
                                      state.learnt = 0;
                                      held->playing = false;
                                    },
                                .high = 28}));
  all.push_back(sheet.label(
      "learnt", state.learnt > 0 ? fill(tr("{} steps"), {std::to_string(state.learnt)}) : std::string(tr("random weights")), 13,
      sheet.scene.pen.theme.secondary));
}

// Where there is room for one page only: which.
Node page_buttons(Sheet& sheet, State& state) {
  std::vector<std::string> labels = side_labels();
  labels.insert(labels.begin(), tr("network"));
  return sheet.choice("page", std::move(labels), state.page == "network" ? 0 : 1 + index_of(kSides, state.side),
                      {tr("What of it is shown")}, [&state](int chosen) {
                        state.page = chosen == 0 ? "network" : "side";
                        if (chosen > 0) state.side = kSides.at(static_cast<std::size_t>(chosen) - 1);
                      });
}

// The next steps, when all that is shown has taken the last ones.
void play(const Frame& frame) {
  if (!frame.held->playing) return;
  bool complete = !frame.reading.learning && frame.reading.words.empty();
  if (complete && frame.state.side == "learning") (void)learning_input(frame.context(), frame.reading, &complete);
  if (complete) frame.state.learnt = std::min(kMostLearnt, frame.state.learnt + kLearnEach);
  // A picture a twentieth of a second, so that one sees it learn.
  frame.context().frame_in(0.05);
}

// --- the network

// The tokens in sight, moved by the wheel or by dragging.
struct Sight {
  std::int64_t first = 0, count = 0;
};
Sight sight_of(const Frame& frame, float width) {
  const std::int64_t all = frame.reading.text.count();
  // All tokens, somewhat narrower, before a part of them.
  const auto narrow = static_cast<std::int64_t>((width - figures::kUnfoldedNames) / kNarrowColumn);
  if (all <= narrow) return {0, all};
  const auto room = static_cast<std::int64_t>((width - figures::kUnfoldedNames) / figures::kUnfoldedColumn);
  Sight sight;
  sight.count = std::clamp<std::int64_t>(room, 1, all);
  sight.first = std::clamp<std::int64_t>(frame.state.first, 0, all - sight.count);
  return sight;
}

// What the number under the mouse is.
std::string band_words(const Frame& frame, const gl::Hit& hit, const figures::UnfoldedInput& input, std::int64_t token) {
  const auto number = static_cast<std::size_t>(hit.row / figures::kBandRows);
  const std::int64_t row = hit.row % figures::kBandRows, column = token - input.first;
  if (number >= input.bands.size()) return {};
  const figures::UnfoldedInput::Band& band = input.bands[number];
  if (row >= band.values.dim(0) || column < 0 || column >= band.values.dim(1)) return {};
  const std::vector<std::int64_t>& order = frame.reading.net->order;
  const std::int64_t each = band.values.dim(0) / static_cast<std::int64_t>(order.size());
  const std::string unit =
      std::to_string(order[static_cast<std::size_t>(row / each)]) + (each > 1 ? "." + std::to_string(row % each) : "");
  return fill(tr("{} of unit {} at {}: {}"), {band.label, unit, frame.reading.text.labels[static_cast<std::size_t>(token)],
                                              figures::cell_number(band.values.at({row, column}), 4)});
}

void follow_column(const Frame& frame, const gl::Hit& hit, const figures::UnfoldedInput& input) {
  const Context& context = frame.context();
  std::int64_t token = -1;
  if (hit.hovered && hit.tag.kind == figures::Tag::column) token = hit.tag.a;
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area) token = hit.column;
  if (token < 0 || token >= frame.reading.text.count()) return;
  if (frame.reading.text.of_document && context.trace && !context.trace->texts().empty()) {
    const auto& tokens = context.trace->texts().front().tokens;
    if (token < static_cast<std::int64_t>(tokens.size())) {
      Hot& next = context.hover.next;
      next.byte_start = tokens[static_cast<std::size_t>(token)].start;
      next.byte_end = tokens[static_cast<std::size_t>(token)].end;
      next.token = token;
    }
  }
  if (hit.clicked) frame.state.at = frame.state.at == token ? -1 : token;
  if (hit.tag.kind != figures::Tag::cell_area) return;
  if (const std::string words = band_words(frame, hit, input, token); !words.empty()) say_at_mouse(frame.scene, words);
}

// Moves what is in sight by the wheel, by dragging and by the arrow keys.
void move_sight(const Frame& frame, const gl::Hit& hit, const Sight& sight) {
  State& state = frame.state;
  const std::int64_t all = frame.reading.text.count();
  if (hit.wheel != 0 || hit.dragging) {
    const float by = hit.wheel != 0 ? -hit.wheel : -hit.drag.x / figures::kUnfoldedColumn;
    state.first = std::clamp<std::int64_t>(sight.first + std::lround(by), 0, all - sight.count);
  }
  const auto choose = [&](std::int64_t token) {
    state.at = std::clamp<std::int64_t>(token, 0, all - 1);
    state.first = std::clamp(sight.first, std::max<std::int64_t>(0, state.at - sight.count + 1), state.at);
  };
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_RightArrow)) choose(frame.reading.selected + 1);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) choose(frame.reading.selected - 1);
}

Node network(Sheet& sheet, const Shared& frame, const Sight& sight, Span wide) {
  const Context& context = frame->context();
  figures::UnfoldedInput input = unfolded_input(context, frame->reading, sight.first, sight.count);
  if (frame->reading.text.of_document && context.trace) {
    const std::int64_t hot = hovered_token(*context.trace, false, 0, context.hover.now);
    if (hot < frame->reading.text.count()) input.hot = hot;
  }
  const auto shared = std::make_shared<const figures::UnfoldedInput>(std::move(input));
  return sheet.picture(
      {.id = "network",
       .picture = [shared](Size s,
                           const Pen& pen) { return figures::unfolded_network(*shared, s.w, s.h, pen.theme, pen.measure); },
       .hit =
           [frame, shared, sight](const Drawn& drawn) {
             follow_column(*frame, drawn.hit, *shared);
             move_sight(*frame, drawn.hit, sight);
           },
       .focusable = true,
       .paper = {1100, 760},
       .on_paper = [frame](Size s, const Pen&) { return unfolded_for_file(frame->context(), frame->reading, s.w, s.h); }},
      wide, {kLeastUnfolded, 560, kAny});
}

Node sight_stepper(Sheet& sheet, const Shared& frame, const Sight& sight) {
  const std::int64_t all = frame->reading.text.count();
  return sheet.stepper("sight",
                       fill(tr("tokens {} to {} of {}"),
                            {std::to_string(sight.first + 1), std::to_string(sight.first + sight.count), std::to_string(all)}),
                       sight.first, all - sight.count + 1, tr("The tokens in sight"),
                       [&state = frame->state](std::int64_t to) { state.first = to; });
}

// --- the sheet

// The network's width, and that of the page beside it; 0: there is room for one of them only.
struct Widths {
  float network = 0, side = 0;
};
Widths widths_of(const Scene& scene) {
  const float width = scene.room.w - kScrollBar;
  const float left = std::round(0.62f * width), right = width - left - kGap;
  // With some room to spare, so that neither is crowded.
  float buttons = 0;
  for (const std::string& label : side_labels()) buttons += scene.pen.measure.width(label, 15, Font::words) + 30;
  if (scene.medium == sheet::Medium::presented || width < kBeside || right < buttons) return {width, 0};
  return {left, right};
}

// Whether a page may be higher than its room; charts give way instead.
bool scrolls(const State& state) { return state.side == "matrix" || state.side == "forms"; }

Node pages_of(Sheet& sheet, const Shared& frame, const Widths& widths, const Sight& sight) {
  State& state = frame->state;
  if (widths.side <= 0) {
    Node only =
        state.page == "network" ? network(sheet, frame, sight, {300, 600, kAny}) : side_page(sheet, frame, widths.network);
    Node column = Sheet::column("page column", 0, {std::move(only)});
    column.scrolls = state.page == "network" || scrolls(state);
    return column;
  }
  Node left = Sheet::column("left", 0, {network(sheet, frame, sight, widths.network)});
  std::vector<Node> beside = {
      sheet.choice("side", side_labels(), index_of(kSides, state.side),
                   {tr("How far an input reaches, how it is learnt, a state space as a matrix, what forms there are")},
                   [&state](int chosen) { state.side = kSides.at(static_cast<std::size_t>(chosen)); }),
      side_page(sheet, frame, widths.side)};
  Node right = Sheet::column("right", 8, std::move(beside));
  left.wide = widths.network;
  right.wide = widths.side;
  left.scrolls = true;
  right.scrolls = scrolls(state);
  return Sheet::row("both", kGap, {std::move(left), std::move(right)});
}

Node controls_of(Sheet& sheet, const Shared& frame, bool beside) {
  std::vector<Node> all;
  if (sheet.scene.medium == sheet::Medium::presented) {
    all.push_back(kind_stepper(sheet, frame->state));
  } else {
    if (!beside) all.push_back(page_buttons(sheet, frame->state));
    all.push_back(kind_choice(sheet, frame->state));
    add_sizes(sheet, frame->state, all);
    all.push_back(source_choice(sheet, frame->state));
    add_learning(sheet, frame, all);
  }
  return shown_everywhere(Sheet::flow("controls", 14, std::move(all)));
}

Sheet sheet_of(const Scene& scene) {
  Sheet sheet(scene);
  if (scene.medium == sheet::Medium::file) {
    sheet.root = sheet.picture(
        {.id = "all",
         .picture = [&context = scene.context](Size s, const Pen&) { return figure_of_both(context, s.w, s.h > 0 ? s.h : 440); }},
        {0, 1000, kAny});
    return sheet;
  }
  const auto frame = std::make_shared<const Frame>(Frame{begin_frame<State, Held>(scene), reading_of(scene.context)});
  play(*frame);
  const Widths widths = widths_of(scene);
  const bool beside = frame->held->beside = widths.side > 0;
  std::vector<Node> all = {controls_of(sheet, frame, beside)};
  if (!frame->reading.words.empty() || !frame->reading.net) {
    all.push_back(sheet.notice(frame->reading.words, scene.pen.theme.secondary));
  } else {
    const Sight sight = sight_of(*frame, widths.network);
    if ((beside || frame->state.page == "network") && sight.count < frame->reading.text.count())
      all.front().children.push_back(shown_everywhere(sight_stepper(sheet, frame, sight)));
    if (const std::string sentence = reach_sentence(frame->reading); !sentence.empty()) {
      all.push_back(sheet.words("word", sentence, 15, scene.pen.theme.text));
      all.back().presented = true;
    }
    all.push_back(pages_of(sheet, frame, widths, sight));
  }
  sheet.root = Sheet::column("recurrence", 8, std::move(all));
  return sheet;
}

// Whether the network is shown with a page beside it.
bool is_beside(const Context& context) { return context.transient && context.transient->of<Held>().beside; }

std::vector<Control> strip_controls(Context& context) {
  if (!context.transient) return {};
  Held& held = context.transient->of<Held>();
  return {{.id = "learn",
           .label = held.playing ? tr("pause") : tr("learn"),
           .why = tr("Learns this text by gradients through time, ten steps a picture; edits come first"),
           .press = [&held] { held.playing = !held.playing; },
           .on = held.playing,
           .enabled = context.view.own.of<State>().learnt < kMostLearnt,
           .widest = tr("pause")}};
}

std::string shown_page(const Context& context) {
  const State& state = context.view.own.of<State>();
  return state.page == "network" && !is_beside(context) ? "network" : state.side;
}
void turn_to(ViewState& view, const std::string& page) {
  State& state = view.own.of<State>();
  state.page = page == "network" ? "network" : "side";
  if (page != "network") state.side = page;
}

}  // namespace
}  // namespace recurrent

const View& recurrence_view() {
  using namespace recurrent;
  static const View view = {
      .id = "recurrence",
      .label = tr_later("Recurrence"),
      .sees = tr_later("The older way, reading word after word, beside attention"),
      .formula = "h_t = f(h_{t-1}, x_t)",
      .source = "Elman 1990; Hochreiter and Schmidhuber 1997",
      .group = "beyond",
      .icon = "2,10 5,10; 5,7 8,7 8,13 5,13 5,7; 8,10 12,10; 12,7 15,7 15,13 12,13 12,7; 15,10 18,10",
      .pages = {{"", tr_later("network"), tr_later("The network unfolded over the text, with its states and gates"), true, ""},
                {"reach", tr_later("reach"), tr_later("How far an input reaches, beside attention"), false, ""},
                {"gradients", tr_later("gradients"), tr_later("The gradient's length by steps back"), false, ""},
                {"learning", tr_later("learning"), tr_later("The losses while the network learns the text"), false, ""},
                {"matrix", tr_later("matrix"), tr_later("A state space unrolled as a matrix"), false, ""},
                {"forms", tr_later("forms"), tr_later("One to many, many to one, many to many"), false, ""}},
      .first = "network",
      .shown = shown_page,
      .turn = turn_to,
      .has_page = [](const Context& context, const std::string& value) { return value != "network" || !is_beside(context); },
      .sheet = sheet_of,
      .full_width = true,
      .samples = {{"hello", [](ViewState& v) { v.own.of<State>().source = "hello", v.own.of<State>().learnt = 200; }},
                  {"state-space",
                   [](ViewState& v) {
                     v.own.of<State>().kind = "ssm";
                     turn_to(v, "matrix");
                   },
                   true},
                  {"repeats",
                   [](ViewState& v) {
                     v.own.of<State>().source = "repeats", v.own.of<State>().learnt = 100;
                     v.own.of<State>().side = "learning";
                   }}},
      .filed = "all",
      .pictures = {{"recurrence", "a network unfolded over the text, with its states and gates", figure_of_network},
                   {"recurrence-states", "every state and gate of a network as a map: units by tokens", figure_of_states},
                   {"recurrence-influence", "influence of each token on the last state, beside attention's", figure_of_reach},
                   {"recurrence-gradients", "the gradient's length by steps back", figure_of_gradients},
                   {"recurrence-learning", "losses of every kind while it learns the text", figure_of_learning},
                   {"recurrence-forms", "one to many, many to one, many to many", figure_of_forms},
                   {"state-space", "a state space unrolled as a matrix", figure_of_matrix},
                   {"state-space-times", "measured times of a state space's scan and matrix", figure_of_times}},
      .controls = strip_controls,
      .own_weights = [](const ViewState& v) { return v.own.of<State>().learnt > 0 ? OwnWeights::learnt : OwnWeights::random; }};
  return view;
}

}  // namespace headlight::views
