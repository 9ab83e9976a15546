// Arcs between a column of queries and a column of keys.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/matrix_frame.h"
#include "app/figures/base/axis_labels.h"
#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "app/text/language.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

constexpr float kArcsMargin = 16, kArcsTitle = 18, kArcsAxis = 13, kArcsToken = 15, kArcsTick = 13, kArcsNumber = 13;
constexpr float kLeastArcsPitch = 0.86f;  // of a line: lines may overlap by their leading, so that few names are left out
constexpr float kMostPitch = 60, kArcsGap = 8;
constexpr float kBetweenNameLines = 8, kMostStaggered = 0.36f;  // of staggered names: between the two lines of them, of the width
constexpr std::int64_t kMostOfToken = 450;               // arcs of one token, over all heads: some 700 pixels are side by side
constexpr float kLeastArcs = 0.6f, kLeastArcNames = 24;  // of a file's width: the arcs; the names, in points
constexpr float kLeastUncutArc = 7;                      // in a file names are this small before long ones are cut
constexpr float kTightest = 0.75f;                       // of a line: the letters of one name just miss those of the next
constexpr float kThinnestArc = 0.75f, kWidestArc = 6, kFaintest = 0.12f;

// One of the two columns of tokens.
struct Column {
  std::int64_t first = 0, count = 0, hot = -1;
  const std::vector<std::string>* labels = nullptr;
  float widest = 0, size = kArcsToken, pitch = 0, top = 0;
  float close = kLeastArcsPitch;  // how close its names may be, in lines
  bool staggered = false;         // every second name stands further out, so that none of a few is left out

  float room() const { return staggered ? 2 * widest + kBetweenNameLines : widest; }
  float out(std::int64_t i) const { return staggered && (i - first) % 2 == 1 ? widest + kBetweenNameLines : 0; }
  bool has(std::int64_t i) const { return i >= first && i < first + count; }
  float y(std::int64_t i) const { return top + (static_cast<float>(i - first) + 0.5f) * pitch; }
  std::string label(std::int64_t i) const {
    return static_cast<std::size_t>(i) < labels->size() ? (*labels)[static_cast<std::size_t>(i)] : std::to_string(i);
  }
};

Column column_of(std::int64_t size, std::int64_t first, std::int64_t count, std::int64_t hot,
                 const std::vector<std::string>& labels, float most, const TextMeasure& measure) {
  Column c;
  c.first = std::clamp<std::int64_t>(first, 0, size - 1);
  c.count = count > 0 ? std::min(count, size - c.first) : size - c.first;
  c.hot = hot;
  c.labels = &labels;
  const std::int64_t step = std::max<std::int64_t>(1, c.count / 192);
  for (std::int64_t i = c.first; i < c.first + c.count; i += step)
    c.widest = std::max(c.widest, measure.width(c.label(i), kArcsToken, Font::mono));
  c.widest = std::min(step > 1 ? c.widest * 1.25f : c.widest, most);
  return c;
}

// The tokens whose names are written.
std::vector<std::int64_t> named_tokens(const Column& c, const TextMeasure& measure) {
  const float line = c.close * measure.line_height(c.size, Font::mono);
  return ticks(c.first, c.count, c.pitch, c.staggered ? line / 2 : line, c.hot);
}
std::int64_t hidden_names(const Column& c, const TextMeasure& measure) {
  return c.count - static_cast<std::int64_t>(named_tokens(c, measure).size());
}
std::int64_t name_step(const Column& c, const TextMeasure& measure) {
  const auto shown = named_tokens(c, measure);
  return shown.size() < 2 ? c.count : shown[1] - shown[0];
}

// Makes the names of a file so small that none of a few is left out, and not very small ones that no long one is cut.
void fit_names(Column& c, float pitch, float most, float least, const TextMeasure& measure) {
  if (c.count > kAllNamed) return;
  float natural = 0;
  for (std::int64_t i = c.first; i < c.first + c.count; ++i)
    natural = std::max(natural, measure.width(c.label(i), kArcsToken, Font::mono) / kArcsToken);
  if (!(hidden_names(c, measure) > 0 || natural * c.size > most)) return;
  c.staggered = false;
  c.close = kTightest;
  for (const float size : {15.0f, 13.0f, 12.0f, 11.0f, 10.0f, 9.0f, 8.0f, 7.0f, 6.0f, 5.0f, kLeastInFiles}) {
    if (size > 13 && pitch < 20) continue;
    c.size = std::max(size, least);
    c.widest = std::min(std::ceil(natural * c.size) + 2, most);
    if (size < least) return;
    if (kTightest * measure.line_height(size, Font::mono) <= pitch && (natural * size <= most || size <= kLeastUncutArc)) return;
  }
}

Color arcs_hue_of(const Theme& theme, int hue) {
  const auto count = static_cast<int>(theme.hues.size());
  return theme.hues[static_cast<std::size_t>(((hue % count) + count) % count)];
}

Curve curve_of(Point from, Point to, float share, Color color, Tag tag) {
  Curve curve;
  const float reach = 0.45f * (to.x - from.x);
  curve.from = from;
  curve.to = to;
  curve.control1 = {from.x + reach, from.y};
  curve.control2 = {to.x - reach, to.y};
  curve.width = arc_width(share);
  curve.color = with_alpha(color, arc_opacity(share));
  curve.tag = tag;
  return curve;
}

// The arcs of one token, the weakest first, including arcs that are otherwise left out. Of thousands of arcs only the strongest
// that a column of pixels can show.
std::vector<Arc> arcs_of_token(const ArcsInput::Head& head, const Tensor& mask, std::int64_t hot_row, std::int64_t hot_column,
                               std::int64_t most) {
  std::vector<Arc> list, unknown;
  const Tensor& values = head.matrix.values;
  const std::int64_t rows = values.dim(0), columns = values.dim(1);
  const auto add = [&](std::int64_t r, std::int64_t c) {
    const std::int64_t at = r * columns + c;
    const float weight = values.data<float>()[at];
    if (!mask.empty() && !mask.data<std::uint8_t>()[at]) return;
    if (!std::isfinite(weight)) unknown.push_back({r, c, weight, 0.2f});
    if (!(weight > 0) || !std::isfinite(weight)) return;
    list.push_back({r, c, weight, std::clamp(std::abs(head.matrix.shares.data<float>()[at]), 0.0f, 1.0f)});
  };
  if (hot_row >= 0 && hot_column >= 0) {
    if (hot_row < rows && hot_column < columns) add(hot_row, hot_column);
  } else if (hot_row >= 0 && hot_row < rows) {
    for (std::int64_t c = 0; c < columns; ++c) add(hot_row, c);
  } else if (hot_column >= 0 && hot_column < columns) {
    for (std::int64_t r = 0; r < rows; ++r) add(r, hot_column);
  }
  sort_stably(list, [](const Arc& a, const Arc& b) { return a.weight < b.weight; });
  if (const auto count = static_cast<std::int64_t>(list.size()); count > most) list.erase(list.begin(), list.end() - most);
  if (const auto count = static_cast<std::int64_t>(unknown.size()); count > most)
    unknown.erase(unknown.begin() + most, unknown.end());
  list.insert(list.end(), unknown.begin(), unknown.end());
  return list;
}

// Marks at the ends of the arcs of every token that has a cell without a finite number, however many such cells there are.
void add_unknown_marks(Figure& figure, const ArcsInput& input, const Tensor& mask, const Column& left, const Column& right,
                       float x0, float x1) {
  std::vector<NonFinite> rows(static_cast<std::size_t>(left.first + left.count)),
      columns(static_cast<std::size_t>(right.first + right.count));
  bool any = false;
  if (input.non_finite && !input.non_finite->any()) return;
  for (const ArcsInput::Head& head : input.heads) {
    const Tensor values = head.matrix.values.as(DType::f32).compact();
    const std::int64_t across = values.dim(1);
    for (std::int64_t r = left.first; r < left.first + left.count; ++r)
      for (std::int64_t c = right.first; c < right.first + right.count; ++c) {
        const NonFinite kind = non_finite(values.data<float>()[r * across + c]);
        if (kind == NonFinite::none || (!mask.empty() && !mask.data<std::uint8_t>()[r * across + c])) continue;
        any = true;
        for (NonFinite* end : {&rows[static_cast<std::size_t>(r)], &columns[static_cast<std::size_t>(c)]})
          *end = std::max(*end, kind);
      }
  }
  if (!any) return;
  constexpr float kWide = 4;
  const auto mark = [&](const Column& column, const std::vector<NonFinite>& kinds, float x) {
    const float high = std::clamp(0.6f * column.pitch, 1.0f, 12.0f);
    for (std::int64_t i = column.first; i < column.first + column.count; ++i)
      if (const NonFinite kind = kinds[static_cast<std::size_t>(i)]; kind != NonFinite::none)
        figure.add(Rectangle{{x, column.y(i) - high / 2, kWide, high}, color_of(kind), {0, 0, 0, 0}, 0, 0, {}});
  };
  mark(left, rows, x0 - kWide - 2);
  mark(right, columns, x1 + 2);
}

// Of the heads that are drawn.
NonFiniteCount legend_count(const ArcsInput& input) {
  NonFiniteCount count;
  if (input.non_finite) return *input.non_finite;
  for (const ArcsInput::Head& head : input.heads) count.add(head.matrix.values, input.mask);
  return count;
}

bool isolated(const ArcsInput& input) {
  return !input.heads.empty() && input.isolate && (input.hot_row >= 0 || input.hot_column >= 0);
}

std::int64_t most_of_token(const ArcsInput& input) {
  return kMostOfToken / static_cast<std::int64_t>(std::max<std::size_t>(1, input.heads.size()));
}

// What the picture shows while a token is lit and only its arcs are drawn.
std::string lit_words(const ArcsInput& input) {
  const auto label = [](const std::vector<std::string>& labels, std::int64_t i) {
    return i < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(i)] : std::to_string(i);
  };
  const bool row = input.hot_row >= 0, column = input.hot_column >= 0, queries_down = input.row_name == "query";
  const std::string down = row ? label(input.row_labels, input.hot_row) : "",
                    across = column ? label(input.column_labels, input.hot_column) : "";
  if (row && column)
    return fill(tr("{0} → {1}: this one weight is drawn"), {queries_down ? down : across, queries_down ? across : down});
  const std::string& token = row ? down : across;
  const bool is_query = row == queries_down;
  const Tensor& values = input.heads[0].matrix.values;
  std::int64_t many = 0;
  for (const ArcsInput::Head& head : input.heads)
    many = std::max(many, static_cast<std::int64_t>(arcs_of_token(head, input.mask.empty() ? input.mask : input.mask.compact(),
                                                                  input.hot_row, input.hot_column, values.count())
                                                        .size()));
  if (const std::int64_t most = most_of_token(input); many > most)
    return fill(is_query ? tr("{0}: its {1} strongest weights are drawn") : tr("{0}: the {1} strongest weights on it are drawn"),
                {token, std::to_string(most)});
  return fill(is_query ? tr("{}: all its weights are drawn") : tr("{}: all weights on it are drawn"), {token});
}

std::string share_words(const ArcsInput& input) {
  if (isolated(input)) return lit_words(input);
  double held = 0;
  for (const ArcsInput::Head& head : input.heads) held += head.arcs.held;
  held /= static_cast<double>(std::max<std::size_t>(1, input.heads.size()));
  if (held > 0.9995) return legend_count(input).any() ? tr("all finite weights are drawn") : tr("all weights are drawn");
  char percent[16];
  std::snprintf(percent, sizeof percent, held < 0.1 ? "%.1f" : "%.0f", 100 * held);
  return fill(tr("the strongest, {} % of the weight, are drawn"), {percent});
}

}  // namespace

float arc_width(float share) { return kThinnestArc + (kWidestArc - kThinnestArc) * share; }
float arc_opacity(float share) { return kFaintest + (1 - kFaintest) * share; }

Legend legend_of(const ArcsInput& input) {
  Legend legend;
  for (const ArcsInput::Head& head : input.heads) legend.heads.push_back({head.matrix.name, head.matrix.hue});
  if (input.heads.size() == 1 && input.heads[0].matrix.name.empty()) legend.heads.clear();
  legend.non_finite = legend_count(input);
  legend.notes = {input.range_words, share_words(input), input.note};
  legend.origin = input.note;
  return legend;
}

Figure arcs(const ArcsInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, box_width, box_height, theme);
  const Composer pen{figure, theme, measure};
  if (input.heads.empty() || input.heads[0].matrix.values.empty() || input.heads[0].matrix.values.count() == 0) return figure;

  // Both columns and the room between them.
  const Tensor& values = input.heads[0].matrix.values;
  const float inner = box_width - 2 * kArcsMargin;
  // In a file no token is lit, so no numbers stand beside the names, and most of the width is left for the arcs.
  const bool file = input.legend && !isolated(input);
  const float number_wide = file ? 0 : measure.width(".000", kArcsNumber, Font::mono) + kArcsGap;
  float most = std::min(0.24f * box_width, 200.0f);
  if (file) most = std::min(most, std::max(kLeastArcNames, ((1 - kLeastArcs) * box_width - 2 * kArcsMargin - 2 * kArcsGap) / 2));
  Column left = column_of(values.dim(0), input.first_row, input.row_count, input.hot_row, input.row_labels, most, measure);
  Column right =
      column_of(values.dim(1), input.first_column, input.column_count, input.hot_column, input.column_labels, most, measure);

  const float left_widest = left.widest, right_widest = right.widest;
  Legend legend = input.legend ? legend_of(input) : Legend();
  float below = legend_height(legend, inner, measure) + kArcsMargin;
  const float axis_line = measure.line_height(kArcsAxis, Font::words);
  const float title = input.title.empty() ? 0 : measure.line_height(kArcsTitle, Font::words_bold) + 10;
  const float top = kArcsMargin + title + axis_line + 8;  // of the columns
  const float tallest = static_cast<float>(std::max(left.count, right.count));
  float pitch = 1;
  // The shorter column is centred beside the longer one.
  const auto place = [&](Column* c) {
    c->pitch = pitch;
    c->top = top + (tallest - static_cast<float>(c->count)) * pitch / 2;
    c->size = pitch >= 20 ? kArcsToken : kArcsTick;
    const float line = kLeastArcsPitch * measure.line_height(c->size, Font::mono);
    c->widest = std::ceil(c->widest * c->size / kArcsToken) + 2;  // widths at two sizes are in proportion but for hinting
    c->staggered = pitch < line && c->count <= kAllNamed && line <= 2 * pitch &&
                   2 * c->widest + kBetweenNameLines <= kMostStaggered * box_width;
    if (file) {
      fit_names(*c, pitch, most, input.least_label, measure);
      c->widest = std::min(c->widest, most);
    }
  };
  const auto place_both = [&] {
    pitch = std::min(kMostPitch, std::max(16.0f, box_height - below - top - 12) / tallest);
    left.widest = left_widest;
    right.widest = right_widest;
    place(&left);
    place(&right);
    figure.hidden_labels = 0;
    std::int64_t step = 1;
    for (const Column* c : {&left, &right}) {
      const std::int64_t hidden = hidden_names(*c, measure);
      if (hidden == 0 || c->labels->empty()) continue;  // numbers may be left out
      figure.hidden_labels += hidden;
      step = std::max(step, name_step(*c, measure));
    }
    if (figure.hidden_labels == 0) return std::string();
    const std::string words = shown_words(step);
    return input.all_labels.empty() ? words : words + "; " + input.all_labels;
  };
  std::string hidden = place_both();
  if (file && !hidden.empty()) {  // the sentence takes room itself
    legend.notes.push_back(hidden);
    below = legend_height(legend, inner, measure) + kArcsMargin;
    hidden = place_both();
    legend.notes.back() = hidden;
  }
  const auto count_cut = [&] {
    std::int64_t cut = 0;
    for (const Column* c : {&left, &right}) {
      if (c->labels->empty()) continue;
      for (const std::int64_t i : named_tokens(*c, measure))
        cut += measure.width(c->label(i), c->size, Font::mono) > c->widest + 0.5f;
    }
    return cut == 0 ? std::string() : shortened_words(cut);
  };
  std::string cut = file ? count_cut() : std::string();
  if (!cut.empty()) {
    legend.notes.push_back(cut);
    below = legend_height(legend, inner, measure) + kArcsMargin;
    hidden = place_both();
    cut = count_cut();
    legend.notes.back() = cut;
  }
  if (file) {
    if (!hidden.empty()) figure.remarks.push_back(hidden);
    if (!cut.empty()) figure.remarks.push_back(cut);
    add_remarks(figure, legend.non_finite);
  }
  const float span = inner - left.room() - right.room() - 2 * number_wide - 2 * kArcsGap;
  // Where the arcs begin and end.
  const float x0 = kArcsMargin + number_wide + left.room() + kArcsGap, x1 = x0 + std::clamp(span, 24.0f, input.most_span);
  figure.width = std::min(box_width, x1 + kArcsGap + right.room() + number_wide + kArcsMargin);

  add_title(figure, input, theme);
  // The names of the axes are above their columns; they may extend over the arcs if the columns are narrow.
  const float middle = (x0 + x1) / 2, axis_y = kArcsMargin + title + axis_line / 2;
  const float left_room = middle - 6 - kArcsMargin, right_room = figure.width - kArcsMargin - middle - 6;
  const std::string left_axis = brief_axis(input.row_axis, left_room, measure),
                    right_axis = brief_axis(input.column_axis, right_room, measure);
  const float heads_left = std::min(measure.width(left_axis, kArcsAxis, Font::words), left_room),
              heads_right = std::min(measure.width(right_axis, kArcsAxis, Font::words), right_room);
  pen.text(std::max(kArcsMargin, x0 - kArcsGap - heads_left), axis_y, left_axis, kArcsAxis, Font::words, theme.secondary,
           Align::start, heads_left + 1, kAxisTag);
  pen.text(std::min(figure.width - kArcsMargin - heads_right, x1 + kArcsGap), axis_y, right_axis, kArcsAxis, Font::words,
           theme.secondary, Align::start, heads_right + 1, kAxisTag);

  const bool alone = isolated(input);  // of one token only
  const Tensor mask = input.mask.empty() ? input.mask : input.mask.compact();
  std::vector<std::vector<Arc>> shown;  // for each head
  for (const ArcsInput::Head& head : input.heads)
    shown.push_back(alone ? arcs_of_token(head, mask, input.hot_row, input.hot_column, most_of_token(input)) : head.arcs.arcs);
  for (std::size_t h = 0; h < shown.size(); ++h)
    for (const Arc& arc : shown[h])
      if (left.has(arc.row) && right.has(arc.column)) {
        Curve curve = curve_of({x0, left.y(arc.row)}, {x1, right.y(arc.column)}, arc.share,
                               arcs_hue_of(theme, input.heads[h].matrix.hue), {Tag::cell, arc.row, arc.column});
        if (const NonFinite kind = non_finite(arc.weight); kind != NonFinite::none) curve.color = color_of(kind);
        figure.add(curve);
      }
  add_unknown_marks(figure, input, mask, left, right, x0, x1);

  const auto draw_labels = [&](const Column& c, bool is_left) {
    const float edge = is_left ? x0 - kArcsGap : x1 + kArcsGap;
    // Every token responds to the mouse, even if its label is left out; of tokens thinner than two points only some do.
    const auto step = std::max<std::int64_t>(1, static_cast<std::int64_t>(2 / c.pitch));
    for (std::int64_t i = c.first; i < c.first + c.count; i += step) {
      Rectangle band;
      const auto tokens = static_cast<float>(std::min(step, c.first + c.count - i));
      band.box = {is_left ? kArcsMargin : x1, c.y(i) - c.pitch / 2, is_left ? x0 - kArcsMargin : figure.width - kArcsMargin - x1,
                  c.pitch * tokens};
      band.tag = {is_left ? Tag::row : Tag::column, i, 0};
      figure.add(band);
    }
    for (const std::int64_t i : named_tokens(c, measure)) {
      const float out = c.out(i), at = is_left ? edge - out : edge + out;
      if (out > 0) {  // a hairline leads from the name to its arcs
        Rectangle lead;
        lead.box = {is_left ? at + 3 : edge, c.y(i) - 0.5f, out - 3, 1};
        lead.fill = theme.line;
        figure.add(lead);
      }
      pen.text(at, c.y(i), c.label(i), c.size, Font::mono, i == c.hot ? theme.selected : theme.text,
               is_left ? Align::end : Align::start, c.widest + 1, {is_left ? Tag::row : Tag::column, i, 0});
    }
  };
  draw_labels(left, true);
  draw_labels(right, false);

  // The weights of the lit token as numbers beside the other column; only for one head, because there is no room for more.
  if (alone && shown.size() == 1) {
    const bool of_row = input.hot_row >= 0;
    const Column& other = of_row ? right : left;
    const float line = measure.line_height(kArcsNumber, Font::mono);
    std::vector<float> taken;
    for (auto arc = shown[0].rbegin(); arc != shown[0].rend(); ++arc) {  // the strongest first
      const std::int64_t i = of_row ? arc->column : arc->row;
      if (!other.has(i) || arc->weight < 0.005f) continue;
      const float y = other.y(i);
      if (std::any_of(taken.begin(), taken.end(), [&](float used) { return std::abs(used - y) < line * 0.85f; })) continue;
      taken.push_back(y);
      pen.text(of_row ? figure.width - kArcsMargin : kArcsMargin, y, cell_number(static_cast<double>(arc->weight)), kArcsNumber,
               Font::mono, theme.secondary, of_row ? Align::end : Align::start, 0, {Tag::none, 0, 0, Part::number});
    }
  }

  // The legend, and how large the figure is with it.
  const float end = top + tallest * pitch + 12;
  const float legend_room = std::min(inner, box_width - 2 * kArcsMargin);
  if (input.legend)
    figure.width = std::max(figure.width, std::min(box_width, 2 * kArcsMargin + legend_width(legend, inner, measure)));
  if (!input.title.empty())
    figure.width = std::max(figure.width,
                            std::min(box_width, 2 * kArcsMargin + 20 + measure.width(input.title, kArcsTitle, Font::words_bold)));
  const std::size_t first = figure.items.size();
  add_legend(figure, legend, kArcsMargin, end, legend_room, 0, theme, measure);
  for (std::size_t i = first; i < figure.items.size(); ++i)
    if (const auto* t = std::get_if<Text>(&figure.items[i]))
      figure.width =
          std::max(figure.width, std::min(box_width, t->at.x + measure.width(t->text, t->size, t->font) + kArcsMargin));
  figure.height = std::min(box_height, std::ceil(end + legend_height(legend, legend_room, measure) + kArcsMargin - 4));
  figure.width = std::min(box_width, std::ceil(figure.width));

  for (const ArcsInput::Head& head : input.heads) {
    Data data = matrix_data(input, head.matrix.values);
    if (input.heads.size() > 1) data.name += " " + head.matrix.name;
    figure.data.push_back(std::move(data));
  }
  return figure;
}

}  // namespace headlight::figures
