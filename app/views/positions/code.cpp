// The code that tells a token its position, as a table, as curves and by distance.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/positions/parts.h"

namespace headlight::views::placed {

namespace {

using Node = sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr std::size_t kMostCurves = 8;
constexpr double kTau = 6.28318530717959;

void toggle_dim(const Frame& frame, std::int64_t dim) {
  std::vector<std::int64_t> dims = position_dims(frame.context());
  if (const auto at = std::find(dims.begin(), dims.end(), dim); at != dims.end()) {
    if (dims.size() > 1) dims.erase(at);  // the last curve stays
  } else {
    dims.push_back(dim);
    if (dims.size() > kMostCurves) dims.erase(dims.begin());
  }
  frame.state.dimensions = std::move(dims);
}

const figures::Cells* cells_of(const figures::Figure& figure) {
  for (const auto& item : figure.items)
    if (const auto* cells = std::get_if<figures::Cells>(&item); cells && cells->tag.kind == figures::Tag::cell_area) return cells;
  return nullptr;
}

// A mark in the curve's colour below each column that has a curve.
void mark_dims(figures::Figure& figure, const std::vector<std::int64_t>& dims, std::int64_t d, const figures::Theme& theme) {
  const figures::Cells* found = cells_of(figure);
  if (!found) return;
  const figures::Box box = found->box;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const float cell = box.w / static_cast<float>(d), x = box.x + (static_cast<float>(dims[i]) + 0.5f) * cell;
    figures::Polygon mark;
    mark.points = {{x, box.y + box.h + 1}, {x + 5, box.y + box.h + 8}, {x - 5, box.y + box.h + 8}};
    mark.fill = figures::curve_color(-1, i, theme);
    figure.add(std::move(mark));
  }
}

using Table = std::shared_ptr<const PositionTable>;

Node table_map(Sheet& sheet, const Shared& frame, const Table& table, Span high) {
  const Context& context = frame->context();
  const auto point = [frame, table](std::int64_t row, std::int64_t column, bool clicked) {
    const Context& now = frame->context();
    now.hover.next.row = row;
    now.hover.next.value = code_address(now, row, column);
    std::string words = fill(tr("position {}, dimension {}: {}"),
                             {std::to_string(row), std::to_string(column), short_number(table->values.at({row, column}))});
    if (is_wave(now.document))
      words += std::string(is_cosine(now.document, column) ? " = cos(" : " = sin(") + std::to_string(row) + " · " +
               short_number(kTau / wavelength_of(now, column)) + ")";
    say_at_mouse(frame->scene, words, tr("Click: adds or takes away the dimension's curve"));
    if (clicked) toggle_dim(*frame, column);
  };
  figures::HeatmapInput input = table_input(context, *table);
  const std::vector<std::int64_t> dims = position_dims(context);
  const std::int64_t d = table->values.dim(1);
  const auto of = sheet.scene.made_of<struct TableOf>(table, input.hot_row, dims, context.document.position);
  return map_of(
      sheet,
      {.id = "heatmap",
       .input = std::move(input),
       .hovered = point,
       .marks = [dims, d, &theme = sheet.scene.pen.theme](figures::Figure& figure) { mark_dims(figure, dims, d, theme); },
       .of = of},
      {240, 400, kAny}, high);
}

Node dims_curves(Sheet& sheet, const Shared& frame, const Table& table, Span high) {
  const Context& context = frame->context();
  figures::CurvesInput input = dims_input(context, *table);
  const auto point = [frame, curves = input.curves](std::int64_t at) {
    frame->context().hover.next.row = at;
    std::string words = fill(tr("position {}"), {std::to_string(at)});
    for (const auto& curve : curves) words += "\n" + curve.label + " = " + short_number(curve.y[static_cast<std::size_t>(at)]);
    say_at_mouse(frame->scene, words);
  };
  const auto of = sheet.scene.made_of<struct DimsOf>(table, input.hot, position_dims(context), context.document.position);
  return curves_of(sheet, {.id = "curves", .input = std::move(input), .hovered = point, .of = of}, {240, 400, kAny}, high);
}

using Products = std::shared_ptr<const PositionProducts>;

Node pairs_map(Sheet& sheet, const Shared& frame, const Products& products, Span wide, Span high) {
  const Context& context = frame->context();
  const auto point = [frame, products](std::int64_t i, std::int64_t j, bool) {
    const Context& now = frame->context();
    now.hover.next.row = i;
    now.hover.next.value = code_address(now, i, position_dims(now).back());
    say_at_mouse(frame->scene, fill(tr("p_{} · p_{} = {}, {} apart"),
                                    {std::to_string(i), std::to_string(j), short_number(products->values.at({i, j})),
                                     std::to_string(std::abs(i - j))}));
  };
  return map_of(sheet,
                {.id = "pairs",
                 .input = products_input(context, *products),
                 .hovered = point,
                 .widest = 1.35f,
                 .of = sheet.scene.made_of<struct PairsOf>(products, context.document.position),
                 .paper = {800, 760}},
                wide, high);
}

Node distance_curve(Sheet& sheet, const Shared& frame, const Products& products, Span wide, Span high) {
  figures::CurvesInput input = distance_input(frame->context(), *products);
  const auto point = [frame, products](std::int64_t at) {
    say_at_mouse(frame->scene, fill(tr("{} apart: p_i · p_j = {} on average over {} pairs"),
                                    {std::to_string(at), short_number(products->mean[static_cast<std::size_t>(at)]),
                                     std::to_string(products->values.dim(0) - at)}));
  };
  const auto of = sheet.scene.made_of<struct DistanceOf>(products, input.hot, frame->context().document.position);
  return curves_of(sheet, {.id = "distance", .input = std::move(input), .hovered = point, .of = of}, wide, high);
}

// Large: the matrix of all pairs above the curve, in a low and wide room beside it; small: the curve.
Node by_distance(Sheet& sheet, const Shared& frame, const Products& products, bool large) {
  if (!large) return distance_curve(sheet, frame, products, {240, 400, kAny}, high_of(false));
  constexpr float kLeastMap = 300, kLeastCurve = 340, kBetween = 24;  // widths beside each other, so that their words are whole
  const Size room = sheet.scene.room;
  const bool presented = sheet.scene.medium == sheet::Medium::presented;
  const Node pairs = pairs_map(sheet, frame, products, {240, 400, kAny}, {presented ? 220.0f : 250.0f, 870, kAny}),
             curve = distance_curve(sheet, frame, products, {240, 400, kAny}, {presented ? 130.0f : 150.0f, 530, kAny});
  Node above = Sheet::column("pairs above", 8, {pairs, curve});
  if (columns_of(sheet.scene).left < kLeastMap + kBetween + kLeastCurve || (presented && room.w <= 1.8f * room.h)) return above;
  // The map is about as wide as it can be high there.
  const float side = std::clamp(1.2f * (room.h - (presented ? 70 : 210)), kLeastMap, 700.0f);
  Node square = pairs, rest = curve;
  square.forms[0] = {{kLeastMap, side, side}, [](float) { return Span{250, 400, kAny}; }};
  rest.forms[0] = {{kLeastCurve, 400, kAny}, [](float) { return Span{150, 400, kAny}; }};
  Node beside = Sheet::row("pairs beside", kBetween, {std::move(square), std::move(rest)});
  if (presented) return beside;
  Node either = Sheet::either({std::move(above), std::move(beside)});
  either.rank = 3;
  return either;
}

}  // namespace

Span high_of(bool large) { return large ? Span{300, 460, kAny} : Span{230, 300, kAny}; }

sheet::Node words_of(Sheet& sheet, const std::string& id, std::string words, float size, figures::Color color, int rank) {
  Node node = sheet.words(id, std::move(words), size, color);
  node.presented = true;
  node.rank = rank;
  return node;
}

sheet::Node computing(Sheet& sheet, const std::string& id) {
  return words_of(sheet, id, tr("computing …"), 14, sheet.scene.pen.theme.secondary);
}

sheet::Node map_of(Sheet& sheet, MapPart part, Span wide, Span high) {
  const auto input = std::make_shared<const figures::HeatmapInput>(std::move(part.input));
  const auto draw = [marks = std::move(part.marks), widest = part.widest](const figures::HeatmapInput& map, Size s,
                                                                          const Pen& pen) {
    figures::Figure figure = figures::heatmap(map, widest > 0 ? std::min(s.w, widest * s.h) : s.w, s.h, pen.theme, pen.measure);
    if (marks) marks(figure);
    return figure;
  };
  return sheet.picture({.id = std::move(part.id),
                        .picture =
                            [input, draw, least = part.least_legend](Size s, const Pen& pen) {
                              if (s.h >= least) return draw(*input, s, pen);
                              figures::HeatmapInput low = *input;
                              low.legend = false;
                              low.note.clear();
                              return draw(low, s, pen);
                            },
                        .of = std::move(part.of),
                        .hit =
                            [input, hovered = std::move(part.hovered)](const Drawn& drawn) {
                              const gl::Hit& hit = drawn.hit;
                              if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 && hit.column >= 0 &&
                                  hit.row < input->values.dim(0) && hit.column < input->values.dim(1))
                                hovered(hit.row, hit.column, hit.clicked);
                            },
                        .paper = part.paper,
                        .on_paper =
                            [input, draw](Size s, const Pen& pen) {
                              figures::HeatmapInput plain = *input;
                              plain.hot_row = plain.hot_column = -1;
                              return draw(plain, s, pen);
                            }},
                       wide, high);
}

sheet::Node curves_of(Sheet& sheet, CurvesPart part, Span wide, Span high) {
  const auto input = std::make_shared<const figures::CurvesInput>(std::move(part.input));
  return sheet.picture(
      {.id = std::move(part.id),
       .picture = [input](Size s, const Pen& pen) { return figures::curves(*input, s.w, s.h, pen.theme, pen.measure); },
       .of = std::move(part.of),
       .hit =
           [input, hovered = std::move(part.hovered)](const Drawn& drawn) {
             if (!drawn.hit.hovered) return;
             if (const std::int64_t at = figures::curve_point_at(drawn.figure, *input, drawn.hit.at); at >= 0) hovered(at);
           },
       .paper = {900, 480},
       .on_paper =
           [input](Size s, const Pen& pen) {
             figures::CurvesInput plain = *input;
             plain.hot = -1;
             return figures::curves(plain, s.w, s.h, pen.theme, pen.measure);
           }},
      wide, high);
}

sheet::Node code_picture(Sheet& sheet, const Shared& frame, const std::string& which, bool large) {
  const Table table = position_table(frame->context());
  if (!table) return computing(sheet, which);
  if (which == "curves") return dims_curves(sheet, frame, table, high_of(large));
  if (which != "distance") return table_map(sheet, frame, table, high_of(large));
  const Products products = position_products(frame->context());
  return products ? by_distance(sheet, frame, products, large) : computing(sheet, which);
}

ValueAddress code_address(const Context& context, std::int64_t position, std::int64_t dim) {
  if (!context.trace || context.computing) return {};
  if (ValueAddress turned = turned_number(context); !turned.step.empty()) {
    const Step* step = context.trace->find(turned.step);
    if (position >= step->shape[2] || dim >= step->shape[3]) return {};
    turned.index[2] = position;
    turned.index[3] = dim;
    return turned;
  }
  for (const Step& step : context.trace->steps())
    if (step.role == Role::position && !step.of_targets && step.shape.size() == 2 && position < step.shape[0] &&
        dim < step.shape[1]) {
      const positions::Entry* entry = position_entry(context.document);
      const bool other_digits = entry && entry->used && entry->used(step.shape[0], step.shape[1]) != code_width(context);
      return other_digits ? ValueAddress{} : ValueAddress{step.name, {position, dim}};
    }
  return {};
}

}  // namespace headlight::views::placed
