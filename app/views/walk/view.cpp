// The Walk-through: the pipeline of the present sentence as boxes and arrows, step by step; beside it what each step does, in
// words, formula and numbers. It needs the whole width: the column on the right is the text or, while a box is open, the
// inspector.
#include "app/views/base/view.h"

#include <algorithm>

#include "app/text/language.h"
#include "app/views/walk/bar.h"
#include "app/views/walk/diagram.h"
#include "app/views/walk/notes.h"
#include "app/views/walk/opened.h"
#include "app/views/walk/products_page.h"
#include "app/views/walk/shapes_page.h"
#include "app/views/walk/steps.h"

namespace headlight::views {
namespace walk {
namespace {

using Node = Sheet::Node;
using figures::WalkBox;
using sheet::kAny;
using sheet::Span;

constexpr float kLeastNotes = 110, kMostNotes = 230;    // below the diagram; with less room they are folded into a line
constexpr float kLeastColumn = 312, kMostColumn = 400;  // beside it

Node sized(Node node, Span wide, Span high) {
  node.forms = {{wide, [high](float) { return high; }}};
  return node;
}

// The text is beside the diagram if both have room, else below it. There the diagram comes first: the text gets more than its
// first lines only if the whole diagram is visible, and is folded into a line if even they have no room.
Node diagram_and_notes(Sheet& sheet, const Shared& frame, float high) {
  const figures::WalkSize least = walk_least_size(*frame->walk.graph);
  const figures::WalkSize tight = walk_least_size(*frame->walk.graph, figures::kWalkTight);
  const Node diagram = diagram_part(sheet, frame), notes = notes_part(sheet, frame);
  const Span any{0, 0, kAny};
  const float column = std::clamp(frame->scene.room.w * 0.23f, kLeastColumn, kMostColumn);
  const float below = std::clamp(high * 0.34f, kLeastNotes, kMostNotes);
  return Sheet::either(
      {Sheet::row("beside", kGap,
                  {sized(diagram, {least.width, least.width, kAny}, any), sized(notes, {kLeastColumn, column, column}, any)}),
       Sheet::column("below", kGap,
                     {sized(diagram, any, {tight.height, least.height, kAny}), sized(notes, any, {kLeastNotes, below, below})}),
       Sheet::column("folded", 0, {folded_notes(sheet, frame), diagram})});
}

Node shown_page(Sheet& sheet, const Shared& frame, float high) {
  const State& state = own(frame->context);
  if (!state.open.empty()) return opened_page(sheet, frame);
  if (state.page == "shapes") return shapes_page(sheet, frame);
  if (state.page == "heads") return products_page(sheet, frame);
  if (sheet.scene.medium == sheet::Medium::presented)
    return Sheet::column("presented", 0, {line_part(sheet, frame, true), diagram_part(sheet, frame)});
  return diagram_and_notes(sheet, frame, high);
}

figures::Figure diagram_figure(const Context& context, float width, float height) {
  const WalkScene scene = walk_scene(context);
  if (!scene.graph) return {};
  const int lit = scene.input.lit;
  // A smaller size would not have room for every box with its text.
  figures::Figure poster = walk_poster(*scene.graph, scene.input, walk_notes_of(context, scene, lit), lit, 1,
                                       std::max(width, 1320.0f), std::max(height, 760.0f), context.theme, context.measure);
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(lit)];
  for (const std::string& name : box.steps)
    if (const auto values = context.trace->values(name); values.ok())
      poster.data.push_back({name, *values, context.trace->find(name)->axes, {}});
  return poster;
}

figures::Figure figure_of_walk(const Context& context, float width, float height) {
  return own(context).page == "shapes"  ? shapes_figure(context, width)
         : own(context).page == "heads" ? products_figure(context, width, height)
                                        : diagram_figure(context, width, height);
}

Sheet sheet_of(const Scene& scene) {
  const Context& context = scene.context;
  Sheet sheet(scene);
  if (scene.medium == sheet::Medium::file) {
    sheet.root = sheet.picture(
        {.id = "picture", .picture = [&context](Size s, const Pen&) { return figure_of_walk(context, s.w, s.h); }}, 0, Span(0));
    return sheet;
  }
  if (!context.trace) {
    sheet.root = sheet.notice(context.error       ? ""
                              : context.computing ? tr("computing …")
                                                  : tr("Nothing is computed yet."),
                              scene.pen.theme.secondary);
    return sheet;
  }
  // Opening a box makes it the current step, whoever opened it.
  if (State& state = own(context); !state.open.empty()) {
    state.step = state.open;
    state.page.clear();
  }
  const auto begun = std::make_shared<Frame>(Frame{scene, context, look_of(scene), walk_scene(context)});
  follow_steps(context, begun->walk);
  const Shared frame = begun;
  // While presenting, the strip at the lower edge has the bar's buttons.
  const bool bar = !context.parts || !context.parts->places.contains("strip");
  const float gap = ui::is_low(frame->look) ? 6 : kGap;
  std::vector<Node> all = {shown_page(sheet, frame, scene.room.h - (bar ? bar_height(frame->look) + gap : 0))};
  if (bar) all.push_back(bar_part(sheet, frame));
  sheet.root = Sheet::column("walk", gap, std::move(all));
  return sheet;
}

std::vector<Control> strip_controls(Context& context) {
  if (!context.trace || !context.transient) return {};
  auto& kept = context.transient->of<WalkTransient>();
  const std::string last = std::to_string(kept.stops);
  return {{.id = "step",
           .label = tr("step"),
           .why = tr("One step on (Space), one step back (Shift+Space)"),
           .value = fill(tr("{0} of {1}"), {std::to_string(kept.stop + 1), last}),
           .widest = fill(tr("{0} of {1}"), {last, last}),
           .at = kept.stop,
           .count = kept.stops,
           .step = [&kept](std::int64_t to) { kept.asked_stop = static_cast<int>(to); }},
          {.id = "play",
           .label = kept.playing ? tr("pause") : tr("play"),
           .why = kept.playing ? tr("Stop here") : tr("Goes on by itself, as fast as one reads"),
           .press = [&kept] { kept.asked_play = true; },
           .on = kept.playing,
           .widest = tr("pause")}};
}

void show_values(ViewState& view, const char* step) {
  State& state = view.own.of<State>();
  state.step = state.open = step;
}

}  // namespace
}  // namespace walk

const View& walk_view() {
  using namespace walk;
  static const View view = {
      .id = "walk",
      .label = tr_later("Walk-through"),
      .sees = tr_later("The whole model as a diagram: every step of the computation, one after the other"),
      .formula = "text → tokens → x → q, k, v → softmax(q kᵀ / √d_k + mask) v → x + Δ",
      .source = "Vaswani et al. 2017",
      .group = "attention",
      .icon = "3,3 10,3 10,8 3,8 3,3; 10,12 17,12 17,17 10,17 10,12; 6,8 6,14.5 10,14.5",
      .pages = {{"", tr_later("diagram"),
                 tr_later("The whole model as a diagram: every step of the computation, one after the other"), true,
                 "walk-through", "the way from the text to the layer's output, with the current step's words"},
                {"shapes", tr_later("shapes"), tr_later("Every step of the model by name, with its shape, in order"), true,
                 "shapes", "every step of the model by name, with its shape, in order"},
                {"heads", tr_later("Q Kᵀ"),
                 tr_later("Q's grid of heads times Kᵀ's: which row meets which column; and the same as a loop over the heads"),
                 true, "head-products", "Q's grid of heads times K^T's, and the same as a loop over the heads"}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().page; },
      .turn =
          [](ViewState& v, const std::string& value) {
            State& state = v.own.of<State>();
            state.page = value;
            state.open.clear();  // an opened box would hide the page
          },
      .sheet = sheet_of,
      .needs = {Role::input},
      .full_width = true,
      .samples = {{"embedding", [](ViewState& v) { show_values(v, "embedding"); }},
                  {"queries", [](ViewState& v) { show_values(v, "q"); }},
                  {"scores", [](ViewState& v) { show_values(v, "scores"); }},
                  {"mask", [](ViewState& v) { show_values(v, "mask"); }},
                  {"softmax", [](ViewState& v) { show_values(v, "weights"); }, true}},
      .filed = "picture",
      .of_head = [](const ViewState&) { return true; },
      .controls = strip_controls,
      .closes =
          [](const ViewState& v) {
            const State& state = v.own.of<State>();
            return !state.open.empty() || !state.page.empty();
          },
      .uses_space = true,
      .toured = {.staged = {{.id = "cross", .set = [](ViewState& v) { v.site = "decoder.cross."; }, .two_sentences = true}}}};
  return view;
}

}  // namespace headlight::views
