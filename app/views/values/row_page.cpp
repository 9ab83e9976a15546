// The page of one row: what each key gives, their sum and what it does to the query's vector; beside it the effect of scale and
// temperature, with controls that change them in the document.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/values/data.h"
#include "app/views/values/pages.h"
#include "engine/core/one_nan.h"
#include "imgui.h"

namespace headlight::views::values {
namespace {

using figures::Font;
using figures::Tag;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;
using Row = std::shared_ptr<const RowSum>;

constexpr int kLeastLines = 6, kMostLines = 12, kFiledLines = 24;

// Reports what is under the mouse: the cell's row and column, and the exact number.
void light_cell(const Frame& frame, const RowSum& row, std::int64_t key, ValueAddress value) {
  Hot& next = frame.context().hover.next;
  if (key >= 0) {
    next.row = row.query;
    next.column = key;
  }
  next.value = std::move(value);
}

ValueAddress weight_at(const Frame& frame, const RowSum& row, std::int64_t key) {
  return {frame.context().trace->name_at(row.prefix, Role::weights), {row.batch, row.head, row.query, key}};
}

void pin_key(const Frame& frame, const RowSum& row, std::int64_t key) {
  ViewState& view = frame.scene.view;
  const bool again = view.pinned_row == row.query && view.pinned_column == key;
  view.pinned_row = again ? -1 : row.query;
  view.pinned_column = again ? -1 : key;
  view.inspector.step.clear();
  view.inspector.index.clear();
}

void pin_value(const Frame& frame, const ValueAddress& value) {
  ViewState& view = frame.scene.view;
  const bool again = view.inspector.step == value.step && view.inspector.index == value.index;
  view.inspector.step = again ? std::string() : value.step;
  view.inspector.index = again ? std::vector<std::int64_t>() : value.index;
}

// --- the row and its sum

Node bar_of(Sheet& sheet, const Shared& frame, const Row& row) {
  const Hot& now = frame->context().hover.now;
  const std::int64_t hot = !frame->filed() && now.row == row->query ? now.column : -1;
  const auto hit = [frame, row](const Drawn& drawn) {
    if (!drawn.hit.hovered || drawn.hit.tag.kind != Tag::column) return;
    const std::int64_t key = drawn.hit.tag.a;
    light_cell(*frame, *row, key, weight_at(*frame, *row, key));
    if (drawn.hit.clicked) pin_key(*frame, *row, key);
    std::string label;
    for (const auto& part : bar_input(frame->context(), frame->choice, *row).parts)
      if (part.index == key) label = part.label;
    for (const RowSum::Part& part : row->parts)
      if (part.key == key)
        say_at_mouse(frame->scene, fill(tr("{}: weight {}, weight × length of v {}, along the sum {}"),
                                        {label, short_number(part.weight), short_number(part.length), short_number(part.along)}));
  };
  return sheet.picture({.id = "bar",
                        .picture =
                            [frame, row, hot](Size s, const Pen& pen) {
                              figures::StackedBarInput input = bar_input(frame->context(), frame->choice, *row);
                              input.hot = hot;
                              return figures::stacked_bar(input, s.w, pen.theme, pen.measure);
                            },
                        .of = sheet.scene.made_of<struct BarOf>(row, hot),
                        .hit = hit,
                        .paper = {900, 0},
                        .framed = true},
                       frame->wide(300, 600));
}

Node entropy_of(Sheet& sheet, const RowSum& row) {
  const std::string n = std::to_string(row.parts.size());
  Node node = sheet.words("entropy",
                          row.parts.size() < 2
                              ? std::string(tr("One key alone: it gets weight 1, there is nothing to choose and no entropy."))
                              : fill(tr("row entropy {} nat, {} % of ln {} = {}: as if it looked at {} of {} keys alike"),
                                     {short_number(row.entropy), short_number(100 * row.entropy / row.most_entropy), n,
                                      short_number(row.most_entropy), short_number(std::exp(row.entropy)), n}),
                          14, sheet.scene.pen.theme.text);
  sheet.parts.back()->explains = tr("How spread out the row is: 0 when one key gets all, ln n when all n keys get the same");
  sheet.parts.back()->formula = "H = - Σ w ln w";
  return node;
}

void follow_sum(const Frame& frame, const RowSum& row, std::int64_t lines, const gl::Hit& hit) {
  if (!hit.hovered) return;
  if (hit.tag.kind == Tag::row && hit.tag.a >= 0) {
    light_cell(frame, row, hit.tag.a, weight_at(frame, row, hit.tag.a));
    if (hit.clicked) pin_key(frame, row, hit.tag.a);
  }
  if (hit.tag.kind != Tag::cell_area || hit.row < 0) return;
  const figures::StripsInput input = sum_input(frame.context(), frame.choice, row, static_cast<std::size_t>(lines));
  if (hit.row >= static_cast<std::int64_t>(input.rows.size())) return;
  const auto& line = input.rows[static_cast<std::size_t>(hit.row)];
  const Trace& trace = *frame.context().trace;
  const std::int64_t dimension = hit.column - (hit.column >= figures::kRightStrips ? figures::kRightStrips : 0);
  ValueAddress value;
  if (line.sum) value = {trace.name_at(row.prefix, Role::context), {row.batch, row.head, row.query, dimension}};
  if (line.index >= 0) value = {trace.name_at(row.prefix, Role::v), {row.batch, row.head, line.index, dimension}};
  light_cell(frame, row, line.index, value);
  if (hit.clicked && !value.step.empty()) pin_value(frame, value);
}

// As many keys have their own lines as there is room for.
Node sum_of(Sheet& sheet, const Shared& frame, const Row& row) {
  const Scene& scene = sheet.scene;
  const bool presented = scene.medium == sheet::Medium::presented;
  const std::int64_t hot = frame->filed() ? -1 : hot_key(frame->context());
  const auto heights = scene.data<Heights>(std::tuple(row, presented, spoken_language()), [] { return Heights(); });
  const auto draw = [frame, row, hot, presented](float width, int lines, const Pen& pen) {
    figures::StripsInput input = sum_input(frame->context(), frame->choice, *row, static_cast<std::size_t>(lines));
    input.hot = hot;
    if (presented) input.note.clear();  // shown beside the tabs instead
    return figures::strips(input, width, pen.theme, pen.measure);
  };
  const int all = static_cast<int>(std::min<std::size_t>(row->parts.size(), 1000));
  const auto height_of = [heights, draw, &scene, all](float width, int lines) {
    const int few = std::min(all, 2);
    return heights->at(width, few, [&] { return draw(width, few, scene.pen); }) +
           kStrip * static_cast<float>(std::min(all, lines) - few);
  };
  const auto lines_in = [all, height_of](Size s) {
    return std::clamp(2 + static_cast<int>(std::floor((s.h - height_of(s.w, 2) + 0.01f) / kStrip)), std::min(all, 2),
                      std::max(1, all));
  };
  Part part{.id = "sum",
            .picture = [draw, lines_in](Size s, const Pen& pen) { return draw(s.w, s.h > 0 ? lines_in(s) : kFiledLines, pen); },
            .of = scene.made_of<struct SumOf>(row, hot, presented),
            .hit =
                [frame, row, lines_in](const Drawn& d) {
                  follow_sum(*frame, *row, lines_in({d.figure.width / d.type, d.figure.height / d.type}), d.hit);
                },
            .paper = {900, 0},
            .framed = true};
  if (frame->filed()) return sheet.picture(std::move(part), frame->wide(300, 600));
  return sheet.picture(std::move(part), frame->wide(300, 600), [presented, height_of](float width) {
    const float most = height_of(width, presented ? 1000 : kMostLines);
    return Span{height_of(width, presented ? 2 : kLeastLines), most, most};
  });
}

// Rows in the order of vectors_input(); one head's share is not a step of the trace.
std::vector<std::string> steps_of_vectors(const RowSum& row, bool several_heads) {
  std::vector<std::string> steps;
  if (!row.before.empty()) steps.push_back(row.before_step);
  if (!row.head_adds.empty()) steps.push_back(several_heads ? "" : row.all_step);
  if (several_heads) steps.push_back(row.all_step);
  steps.push_back(row.replaces ? row.all_step : row.after_step);
  return steps;
}

Node vectors_of(Sheet& sheet, const Shared& frame, const Row& row) {
  const auto hit = [frame, row](const Drawn& drawn) {
    if (!drawn.hit.hovered || drawn.hit.tag.kind != Tag::cell_area || drawn.hit.row < 0) return;
    const std::vector<std::string> steps = steps_of_vectors(*row, frame->choice.site->heads > 1);
    const auto at = static_cast<std::size_t>(drawn.hit.row);
    if (at >= steps.size() || steps[at].empty()) return;
    const ValueAddress value{steps[at], {row->batch, row->query, drawn.hit.column}};
    light_cell(*frame, *row, -1, value);
    if (drawn.hit.clicked) pin_value(*frame, value);
  };
  Node node = sheet.picture({.id = "vectors",
                             .picture =
                                 [frame, row](Size s, const Pen& pen) {
                                   return figures::strips(vectors_input(frame->context(), frame->choice, *row), s.w, pen.theme,
                                                          pen.measure);
                                 },
                             .of = sheet.scene.made_of<struct VectorsOf>(row),
                             .hit = hit,
                             .paper = {900, 0},
                             .framed = true},
                            frame->wide(300, 600));
  node.presented = false;
  return node;
}

// --- scale and temperature

// Changes the document, and keeps the shown row: changing the weights may move the strongest cell to another.
template <class Change>
void edit(const Frame& frame, const RowSum& row, Change change) {
  const Context& context = frame.context();
  if (context.view.pinned_row < 0) pin_row(context, row);
  Document document = context.document;
  change(document);
  context.edit(std::move(document));
}

// Rounded as the slider shows it, so that the document contains the number that is displayed.
std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", one_nan(value));
  return text;
}

void add_scale_controls(Sheet& sheet, const Shared& frame, const Row& row, std::vector<Node>& all) {
  const Document& document = frame->context().document;
  const figures::Theme& theme = sheet.scene.pen.theme;
  const auto set_temperature = [frame, row](double value) {
    edit(*frame, *row, [value](Document& d) { d.temperature = value; });
  };
  const auto set_scale = [frame, row](const std::string& value) {
    edit(*frame, *row, [&value](Document& d) { d.scale = value; });
  };
  all.push_back(sheet.words("temperature name", tr("temperature T: softmax(score / T)"), 13, theme.secondary));
  Node temperature =
      sheet.track({.id = "temperature",
                   .value = "T = " + short_number(document.temperature),
                   .now = document.temperature,
                   .least = 0.05,
                   .most = 20,
                   .set = [set_temperature](double to) { set_temperature(std::strtod(rounded(to).c_str(), nullptr)); },
                   .why = tr("Below 1 the row sharpens until one key gets everything, above 1 it flattens. "
                             "Recomputes everything as you drag; Ctrl+click types a number."),
                   .formula = tr("weights = softmax(score / T)")});
  temperature.children.push_back(sheet.button({.id = "temperature 1",
                                               .label = "1",
                                               .why = tr("Back to T = 1"),
                                               .press = [set_temperature] { set_temperature(1); },
                                               .enabled = document.temperature != 1,
                                               .wide = 34,
                                               .high = 28}));
  all.push_back(std::move(temperature));

  all.push_back(sheet.words("scale name", tr("scale: what q·k is multiplied by before softmax"), 13, theme.secondary));
  const bool own = document.scale != "sqrt" && document.scale != "none";
  const double scale = scale_of(document, row->d_k);
  const char* const keeps =
      tr("1/√d_k keeps the spread of the scores near 1 however long the vectors are; 1 leaves them as they are");
  all.push_back(
      sheet.choice("scale buttons", {"1/√" + std::to_string(row->d_k), "1", tr("own")},
                   own                        ? 2
                   : document.scale == "none" ? 1
                                              : 0,
                   {keeps, keeps, tr("What the scores are multiplied by before softmax: take 1 and see the weights sharpen")},
                   [set_scale, own, scale](int chosen) {
                     if (chosen < 2) set_scale(chosen == 0 ? "sqrt" : "none");
                     if (chosen == 2 && !own) set_scale(rounded(scale));
                   }));
  if (own)
    all.push_back(sheet.track({.id = "own",
                               .value = "× " + short_number(scale),
                               .now = scale,
                               .least = 0.01,
                               .most = 4,
                               .set = [set_scale](double to) { set_scale(rounded(to)); },
                               .why = tr("The number that every score is multiplied by; Ctrl+click types one")}));
}

void follow_softmax(const Frame& frame, const RowSum& row, const figures::CurvesInput& input, const Drawn& drawn) {
  if (!drawn.hit.hovered) return;
  const std::int64_t at = figures::curve_point_at(drawn.figure, input, drawn.hit.at);
  if (at < 0 || at >= static_cast<std::int64_t>(row.parts.size())) return;
  const auto i = static_cast<std::size_t>(at);
  const RowSum::Part& part = row.parts[i];
  light_cell(frame, row, part.key, weight_at(frame, row, part.key));
  say_at_mouse(frame.scene, fill(tr("{}: q·k = {}; weight {} at scale 1, {} at 1/√d_k, {} as chosen"),
                                 {input.x_words.empty() ? std::to_string(part.key) : input.x_words[i], short_number(part.score),
                                  short_number(input.curves[0].y[i]), short_number(input.curves[1].y[i]),
                                  short_number(input.curves[2].y[i])}));
}

Node softmax_of(Sheet& sheet, const Shared& frame, const Row& row) {
  std::int64_t hot = -1;
  for (std::size_t i = 0; i < row->parts.size(); ++i)
    if (row->parts[i].key == frame->context().hover.now.column) hot = static_cast<std::int64_t>(i);
  return sheet.picture({.id = "scale",
                        .picture =
                            [frame, row, hot](Size s, const Pen& pen) {
                              figures::CurvesInput input = scale_input(frame->context(), frame->choice, *row);
                              input.hot = hot;
                              return figures::curves(input, s.w, s.h, pen.theme, pen.measure);
                            },
                        .of = sheet.scene.made_of<struct SoftmaxOf>(row, hot),
                        .hit =
                            [frame, row](const Drawn& drawn) {
                              follow_softmax(*frame, *row, scale_input(frame->context(), frame->choice, *row), drawn);
                            },
                        .paper = {720, 420},
                        .framed = true},
                       frame->wide(260, 480), 210);
}

void add_scale_words(Sheet& sheet, const Shared& frame, const RowSum& row, std::vector<Node>& all) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const std::string d = std::to_string(row.d_k);
  const bool additive = !frame->choice.site->score_vector.empty();  // then a score is no product
  if (!additive)
    all.push_back(sheet.words(
        "why scaled",
        fill(tr("q·k adds up {} products. If the components of q and k are independent with mean 0 and variance 1, its "
                "variance is d_k = {}: the longer the vectors, the further apart the scores, until softmax gives one key "
                "everything and hardly learns. 1/√{} brings the variance back to 1 (Vaswani et al. 2017, footnote 4)."),
             {d, d, d}),
        14, theme.secondary));
  if (std::isnan(row.score_variance)) return;
  const double scale = frame->choice.site->scale;
  all.push_back(sheet.words("variance",
                            fill(additive ? tr("In this head the variance of the scores is {}, after scaling {}.")
                                          : tr("In this head the variance of q·k is {}, after scaling {}."),
                                 {short_number(row.score_variance), short_number(row.score_variance * scale * scale)}),
                            14, theme.text));
}

// --- how far the token moves

void follow_movement(const Frame& frame, const RowSum& row, const Movement& moved, const Drawn& drawn) {
  if (!drawn.hit.hovered) return;
  const std::int64_t layer =
      figures::curve_point_at(drawn.figure, movement_input(frame.context(), frame.choice, row.query, moved), drawn.hit.at);
  if (layer < 0) return;
  const Movement::Layer& here = moved.layers[static_cast<std::size_t>(layer)];
  say_at_mouse(frame.scene, fill(tr("layer {}: moved {} by attention, {} by feed-forward; now {} from its start, cos {}"),
                                 {std::to_string(layer), short_number(here.by_attention), short_number(here.by_feed_forward),
                                  short_number(here.from_start), short_number(here.cosine)}));
  if (drawn.hit.clicked) frame.scene.view.layer = layer;
}

void add_movement(Sheet& sheet, const Shared& frame, const Row& row, std::vector<Node>& all) {
  const auto moved = movement_of(frame->context(), frame->choice, row->query);
  if (!moved) return;
  all.push_back(sheet.picture({.id = "movement",
                               .picture =
                                   [frame, row, moved](Size s, const Pen& pen) {
                                     return figures::curves(movement_input(frame->context(), frame->choice, row->query, *moved),
                                                            s.w, s.h, pen.theme, pen.measure);
                                   },
                               .of = sheet.scene.made_of<struct MovementOf>(moved, frame->choice.site->layer),
                               .hit = [frame, row, moved](const Drawn& drawn) { follow_movement(*frame, *row, *moved, drawn); },
                               .paper = {640, 360},
                               .framed = true},
                              frame->wide(260, 480), {160, 260, 260}));
}

Node scale_column(Sheet& sheet, const Shared& frame, const Row& row) {
  std::vector<Node> all = {
      sheet.words("scale title", tr("Scale and temperature"), 16, sheet.scene.pen.theme.text, Font::words_bold)};
  add_scale_controls(sheet, frame, row, all);
  if (!row->parts.empty()) {
    all.push_back(softmax_of(sheet, frame, row));
    add_scale_words(sheet, frame, *row, all);
  }
  add_movement(sheet, frame, row, all);
  Node column = Sheet::column("scale side", {4, 6, 6}, std::move(all));
  column.wide = {290, 480, 480};
  column.rank = 1;
  column.below = column.scrolls = true;
  column.presented = column.filed = false;
  return column;
}

}  // namespace

Node row_page(Sheet& sheet, const Shared& frame) {
  const Error* error = nullptr;
  const Row row = row_of(frame->context(), frame->choice, frame->query, &error);
  if (!row) return waiting(sheet, error ? spoken_in_window(*error) : "");
  sheet.title = attention_title(frame->choice) + ": " + query_name(frame->context(), frame->choice, row->query);
  std::vector<Node> all = {bar_of(sheet, frame, row), entropy_of(sheet, *row)};
  if (frame->filed() || !row->parts.empty())
    all.push_back(sum_of(sheet, frame, row));
  else
    all.push_back(sheet.words("all masked", tr("Every key is masked for this query: the row is all zeros and adds nothing."), 15,
                              sheet.scene.pen.theme.text));
  if (frame->filed() || !vectors_input(frame->context(), frame->choice, *row).rows.empty())
    all.push_back(vectors_of(sheet, frame, row));
  Node column = Sheet::column("row", frame->filed() ? Span(20) : Span{4, 8, 8}, std::move(all));
  column.wide = {frame->filed() ? 0.0f : 462.0f, 820, kAny};
  column.scrolls = true;
  return Sheet::row("row and scale", 28, {std::move(column), scale_column(sheet, frame, row)});
}

}  // namespace headlight::views::values
