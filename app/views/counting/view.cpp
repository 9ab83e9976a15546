// The Counting view: a model's sizes on the left, its matrices counted in the middle, what they weigh and cost on the right.
#include "app/views/base/view.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/counting/data.h"

namespace headlight::views {

const View& counting_view();

namespace counting {
namespace {

using Node = Sheet::Node;
using Data = std::shared_ptr<const Counted>;

std::vector<Node> preset_rows(Sheet& sheet, const Data& data, State& state) {
  std::vector<Node> rows;
  for (std::size_t i = 0; i < data->presets.size(); ++i) {
    const ModelSizes& preset = data->presets[i];
    if (i % 2 == 0) rows.push_back(Sheet::row({}, 8, {}));
    const auto choose = [&state, id = preset.id] {
      State kept;
      kept.base = id;
      kept.line = state.line;
      kept.numbers = state.numbers;
      state = kept;
    };
    rows.back().children.push_back(sheet.button({.id = preset.id,
                                                 .label = preset.label,
                                                 .on = preset.id == data->base.id && !data->own,
                                                 .why = preset.source.empty() ? preset.label : preset.source,
                                                 .press = choose,
                                                 .wide = {60, 94, 94}}));
  }
  return rows;
}

// A size with its name, its value and a slider; amber if it enters the line that is looked at.
Node slider_of(Sheet& sheet, const Data& data, State& state, const Knob& knob) {
  const std::int64_t now = data->input.sizes.*knob.size;
  Sheet::Slider slider{.id = knob.id, .label = tr(knob.label), .value = text::grouped_number(now)};
  slider.now = static_cast<double>(now);
  slider.least = static_cast<double>(std::min(knob.least, now));
  slider.most = static_cast<double>(std::max(knob.most, now));
  for (const CountedMatrix& m : data->input.count.lines)
    if (m.id == data->input.line) slider.lit = std::ranges::count(m.sizes, knob.id) > 0;
  slider.set = [&state, own = knob.own](double moved) { state.*own = std::max<std::int64_t>(1, std::llround(moved)); };
  slider.why = [data, size = knob.size]() -> std::string {
    ModelSizes twice = data->input.sizes;
    twice.*size *= 2;
    if (!data->status.ok() || !check(twice).ok()) return {};
    return fill(tr("Twice as much would make {} parameters of {}."),
                {text::grouped_number(count_parameters(twice).total), text::grouped_number(data->input.count.total)});
  };
  return sheet.slider(std::move(slider));
}

Node sizes_column(Sheet& sheet, const Data& data, State& state) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  std::vector<Node> presets = {sheet.words("preset", tr("Preset"), 16, theme.text)};
  for (Node& row : preset_rows(sheet, data, state)) presets.push_back(std::move(row));
  Node heading = sheet.words("sizes", tr("Sizes"), 16, theme.text);
  std::vector<Node> sliders;
  for (const Knob& knob : knobs())
    if (data->input.sizes.*knob.size != 0)  // a model without a feed-forward part has no neurons
      sliders.push_back(slider_of(sheet, data, state, knob));
  std::vector<Node> unembedding = {sheet.words("unembedding name", tr("unembedding"), 14, theme.secondary)};
  unembedding.push_back(sheet.choice("unembedding", {tr("its own"), tr("shared")}, data->input.sizes.shared ? 1 : 0,
                                     {tr("Shared: the output matrix is the embedding table, turned, and is counted once")},
                                     [&state](int chosen) { state.unembedding = chosen == 1 ? "shared" : "own"; }));
  unembedding.push_back(
      sheet.words("one matrix", tr("One output matrix a layer: its heads stand side by side in it."), 13, theme.secondary));
  if (const ParameterCount& c = data->input.count; c.total > 0) {
    char share[16];
    std::snprintf(share, sizeof share, "%.2f", 100 * static_cast<double>(c.left_out()) / static_cast<double>(c.total));
    unembedding.push_back(sheet.words(
        "left out", fill(tr("Left out: positions, biases, norms: {} ({} %)."), {text::grouped_number(c.left_out()), share}), 13,
        theme.secondary));
  }
  Node column = Sheet::column("sizes", {8, 16, 16},
                              {Sheet::column({}, 8, std::move(presets)),
                               Sheet::column({}, 8, {std::move(heading), Sheet::column({}, {1, 5, 5}, std::move(sliders))}),
                               Sheet::column({}, 8, std::move(unembedding))});
  column.wide = {196, 196, 196};
  return column;
}

// A click on a line of the table, or on its band, chooses it.
auto line_hit(const Scene& scene, const Data& data, State& state) {
  return [&scene, data, &state](const Drawn& drawn) {
    const gl::Hit& hit = drawn.hit;
    if (!hit.hovered || hit.tag.kind != figures::Tag::row) return;
    const auto at = static_cast<std::size_t>(hit.tag.a);
    if (at >= data->input.count.lines.size()) return;
    const CountedMatrix& m = data->input.count.lines[at];
    if (hit.clicked) state.line = state.line == m.id ? "" : m.id;
    say_at_mouse(scene, fill(tr("{}: {} of {} × {}"), {tr(m.label.c_str()), text::grouped_number(m.matrices),
                                                       text::grouped_number(m.rows), text::grouped_number(m.columns)}));
  };
}

auto length_hit(const Scene& scene, const figures::CurvesInput& curves, State& state) {
  return [&scene, curves, &state](const Drawn& drawn) {
    const gl::Hit& hit = drawn.hit;
    const std::int64_t at = hit.hovered ? figures::curve_point_at(drawn.figure, curves, hit.at) : -1;
    if (at < 0) return;
    const double tokens = curves.x[static_cast<std::size_t>(at)];
    std::string words = fill(tr("at {} tokens"), {text::grouped_number(std::llround(tokens))});
    for (const auto& curve : curves.curves)
      words += "\n" + curve.label + ": " + weight_words(curve.y[static_cast<std::size_t>(at)] * 1024.0 * 1024 * 1024);
    say_at_mouse(scene, words);
    if (hit.clicked) state.context = std::llround(tokens);
  };
}

Node count_column(Sheet& sheet, const Data& data, State& state) {
  if (!data->status.ok())
    return Sheet::column("count", 0,
                         {sheet.words("why not", spoken_in_window(data->status.error()), 13, sheet.scene.pen.theme.wrong)});
  const auto table_height = [data, measure = &sheet.scene.pen.measure](float width) {
    const Heights heights = counting_table_heights(data->input, width, *measure);
    return sheet::Span{heights.least, heights.wished, heights.wished};
  };
  Node table = sheet.picture(
      {.id = "table",
       .picture = [data](Size s, const Pen& pen) { return counting_table(data->input, s.w, s.h, pen.theme, pen.measure); },
       .of = data,
       .hit = line_hit(sheet.scene, data, state),
       .framed = true},
      {430, 860, sheet::kAny}, table_height);
  Node bands = sheet.picture(
      {.id = "bands",
       .picture = [data](Size s, const Pen& pen) { return parameter_bands(data->input, s.w, s.h, pen.theme, pen.measure); },
       .of = data,
       .hit = line_hit(sheet.scene, data, state),
       .paper = {860, 260},
       .framed = true},
      {430, 860, sheet::kAny}, sheet::Span{130, 260, 260});
  bands.rank = 1;
  return Sheet::column("count", {8, 20, 20}, {std::move(table), std::move(bands)});
}

Node lengths_column(Sheet& sheet, const Data& data) {
  return Sheet::column(
      "count", 8,
      {sheet.picture(
          {.id = "lengths",
           .picture = [data](Size s, const Pen& pen) { return counting_lengths(data->input, s.w, s.h, pen.theme, pen.measure); },
           .of = data,
           .explains = tr("A text twice as long: the cache grows twofold, the maps fourfold"),
           .framed = true},
          {430, 860, sheet::kAny}, {kLengthsHeights.least, kLengthsHeights.wished, kLengthsHeights.wished})});
}

Node costs_column(Sheet& sheet, const Data& data, State& state) {
  Node bytes = sheet.choice("numbers", {"fp16", "fp32"}, state.numbers == "fp32" ? 1 : 0,
                            {tr("How many bytes a number takes: two or four")},
                            [&state](int chosen) { state.numbers = chosen == 1 ? "fp32" : "fp16"; });
  std::vector<Node> all = {Sheet::flow("choices", 8, {std::move(bytes), page_choice(sheet, counting_view())})};
  if (data->status.ok()) {
    const figures::CurvesInput curves = memory_curves(data->input);
    all.push_back(sheet.picture(
        {.id = "memory",
         .picture = [curves](Size s, const Pen& pen) { return figures::curves(curves, s.w, s.h, pen.theme, pen.measure); },
         .of = data,
         .hit = length_hit(sheet.scene, curves, state),
         .paper = {760, 532}},
        {260, 292, 420}, 240));
    all.push_back(sheet.picture(
        {.id = "costs",
         .picture = [data](Size s, const Pen& pen) { return counting_costs(data->input, s.w, pen.theme, pen.measure); },
         .of = data,
         .paper = {360, 0},
         .framed = true,
         .caption = data->input.sizes.label},
        {260, 292, 420}));
  }
  Node column = Sheet::column("costs side", {4, 8, 8}, std::move(all));
  column.wide = {292, 292, 420};
  column.presented = column.filed = false;
  return column;
}

Sheet sheet_of(const Scene& scene) {
  State& state = scene.state<State>();
  const auto key = std::tuple(state, scene.context.document.model, scene.context.trace, spoken_language());
  const Data data = scene.data<Counted>(key, [&] { return counted(state, scene.context.document, scene.context.trace.get()); });
  Sheet sheet(scene);
  Node left = sizes_column(sheet, data, state),
       middle = state.page == "lengths" && data->status.ok() ? lengths_column(sheet, data) : count_column(sheet, data, state),
       right = costs_column(sheet, data, state);
  left.rank = 1, right.rank = 2;
  left.below = right.below = true;
  left.scrolls = middle.scrolls = right.scrolls = true;
  sheet.root = Sheet::row("counting", 24, {std::move(left), std::move(middle), std::move(right)});
  const CountingInput& input = data->input;
  sheet.title = fill(tr("{} has {} parameters in {} matrices"),
                     {input.sizes.label, text::grouped_number(input.count.total), text::grouped_number(input.count.matrices)});
  return sheet;
}

}  // namespace
}  // namespace counting

const View& counting_view() {
  using namespace counting;
  static const View view = {.id = "counting",
                            .label = tr_later("Counting"),
                            .sees = tr_later("How many numbers, bytes and operations a model has"),
                            .formula = "4 d d_k h + 2 d d_ff numbers a layer",
                            .source = "Brown et al. 2020",
                            .group = "measure",
                            .icon = "3,16 3,5; 7,16 7,5; 11,16 11,5; 15,16 15,5; 1.5,14 16.5,7",
                            .pages = {{"", tr_later("matrices"), tr_later("Every kind of matrix, counted"), true, "counting",
                                       "a model's matrices, counted"},
                                      {"lengths", tr_later("by length"), tr_later("What a text needs, by its length")}},
                            .page = [](ViewState& v) -> std::string& { return v.own.of<State>().page; },
                            .sheet = sheet_of,
                            .full_width = true,
                            .least_file = 760,
                            .samples = {{"model", [](ViewState& v) { v.own.of<State>().base = "model"; }}},
                            .exports = {{"memory", "counting-memory", "memory by length of text"}}};
  return view;
}

}  // namespace headlight::views
