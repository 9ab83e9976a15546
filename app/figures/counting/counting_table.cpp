#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/counting/counting_figures.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kTitle = 18, kHead = 13, kCell = 14, kGroup = 8, kHeadHigh = 44, kTitleHigh = 36;
constexpr float kBar = 70;

// The distance between lines: less in a low room.
float pitch_of(const CountingInput& input) { return input.low ? 26 : 33; }

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f%%", 100 * share);
  return text;
}

// The right ends of the columns, in points; 0: left out.
struct Columns {
  float shape = 0, head = 0, layer = 0, model = 0, matrices = 0, bar = 0, share = 0;
};

// Each column as wide as its widest number; where all do not fit, shapes go, then what one head has.
Columns columns_of(const CountingInput& input, float width, const TextMeasure& measure) {
  float shape = 60, head = 60, layer = 60, model = 80, matrices = measure.width(tr("matrices"), kHead, Font::words), label = 60;
  const auto wider = [&](float& column, const std::string& text) {
    column = std::max(column, measure.width(text, kCell, Font::mono));
  };
  for (const CountedMatrix& m : input.count.lines) {
    wider(shape, text::grouped_number(m.rows) + " × " + text::grouped_number(m.columns));
    wider(head, text::grouped_number(m.a_head));
    wider(layer, text::grouped_number(m.a_layer));
    wider(model, text::grouped_number(m.numbers));
    wider(matrices, text::grouped_number(m.matrices));
    label = std::max(label, measure.width(tr(m.label.c_str()), kCell + 1, Font::words));
  }
  wider(model, text::grouped_number(input.count.total));
  constexpr float kGap = 16, kShare = 56;
  const float least = 24 + label + kGap + model + kGap + matrices + kGap + kShare;
  Columns at;
  float left = width - least;
  const auto take = [&](float column) { return left >= column + kGap ? (left -= column + kGap, true) : false; };
  const bool layers = take(layer), heads = take(head), bars = take(kBar), shapes = take(shape);
  const float spare = std::max(0.0f, left) / 6;  // between the columns
  float x = 24 + label;
  const auto place = [&](bool there, float column) { return there ? (x += kGap + column + spare, x) : 0.0f; };
  at.shape = place(shapes, shape);
  at.head = place(heads, head);
  at.layer = place(layers, layer);
  at.model = place(true, model);
  at.matrices = place(true, matrices);
  at.share = width - 4;
  at.bar = bars ? at.share - kShare : 0;
  return at;
}

void draw_title(const CountingInput& input, float width, const Composer& pen) {
  float x = 0;
  const auto put = [&](const std::string& words, Font font, Color color, float size) {
    const float wide = pen.measure.width(words, size, font);
    if (x + wide > width) return;
    pen.text(x, 14, words, size, font, color);
    x += wide + 10;
  };
  put(input.sizes.label, Font::words_bold, pen.theme.text, kTitle);
  put(tr("has"), Font::words, pen.theme.secondary, 15);
  put(text::grouped_number(input.count.total), Font::mono, pen.theme.text, kTitle);
  const std::string matrices = text::grouped_number(input.count.matrices);
  // All of what follows or nothing.
  const float more = pen.measure.width(tr("parameters in"), 15, Font::words) + pen.measure.width(matrices, kTitle, Font::mono) +
                     pen.measure.width(tr("matrices"), 15, Font::words) + 20;
  if (x + more > width) return put(tr("parameters"), Font::words, pen.theme.secondary, 15);
  put(tr("parameters in"), Font::words, pen.theme.secondary, 15);
  put(matrices, Font::mono, pen.theme.text, kTitle);
  put(tr("matrices"), Font::words, pen.theme.secondary, 15);
}

void draw_head(const CountingInput& input, const Columns& at, float y, const Composer& pen) {
  const auto put = [&](float x, float dy, const std::string& words, bool bright) {
    if (x > 0) pen.text(x, y + dy, words, kHead, Font::words, bright ? pen.theme.text : pen.theme.secondary, Align::end);
  };
  pen.text(24, y + 29, tr("matrix"), kHead, Font::words, pen.theme.secondary);
  put(at.shape, 29, tr("rows × columns"), false);
  put(at.head, 29, tr("one head"), false);
  put(at.layer, 11, fill(tr("× {} heads"), {text::grouped_number(input.sizes.heads)}), true);
  put(at.layer, 29, tr("one layer"), false);
  put(at.model, 11, fill(tr("× {} layers"), {text::grouped_number(input.sizes.layers + input.sizes.encoder_layers)}), true);
  put(at.model, 29, tr("whole model"), false);
  put(at.matrices, 29, tr("matrices"), false);
  put(at.share, 29, tr("share"), false);
}

void draw_line(const CountingInput& input, const CountedMatrix& m, std::int64_t number, const Columns& at, float y, float width,
               const Composer& pen) {
  const Tag tag{Tag::row, number, 0};
  const bool selected = m.id == input.line;
  const Theme& theme = pen.theme;
  pen.box({0.5f, y, width - 1, pitch_of(input) - 3}, selected ? with_alpha(theme.selected, 0.14f) : Color{0, 0, 0, 0},
          selected ? theme.selected : Color{0, 0, 0, 0}, selected ? 1.0f : 0.0f, 4, tag);
  const float middle = y + (pitch_of(input) - 3) / 2;
  pen.box({8, middle - 5, 10, 10}, counted_color(m, theme), {0, 0, 0, 0}, 0, 2, tag);
  const Color bright = selected ? theme.selected : theme.text, quiet = selected ? theme.selected : theme.secondary;
  pen.text(24, middle, tr(m.label.c_str()), kCell + 1, Font::words, bright, Align::start, 0, tag);
  const auto put = [&](float x, const std::string& words, Color color) {
    if (x > 0) pen.text(x, middle, words, kCell, Font::mono, color, Align::end, 0, tag);
  };
  put(at.shape, text::grouped_number(m.rows) + " × " + text::grouped_number(m.columns), quiet);
  put(at.head, m.a_head ? text::grouped_number(m.a_head) : "-", quiet);
  put(at.layer, m.a_layer ? text::grouped_number(m.a_layer) : "-", quiet);
  put(at.model, text::grouped_number(m.numbers), bright);
  put(at.matrices, text::grouped_number(m.matrices), quiet);
  const double share = static_cast<double>(m.numbers) / static_cast<double>(std::max<std::int64_t>(1, input.count.total));
  put(at.share, percent(share), quiet);
  if (at.bar > 0) {
    double most = 0;
    for (const CountedMatrix& each : input.count.lines) most = std::max(most, static_cast<double>(each.numbers));
    const float wide = std::max(2.0f, (kBar - 6) * static_cast<float>(static_cast<double>(m.numbers) / std::max(most, 1.0)));
    pen.box({at.bar - kBar, middle - 4, wide, 8}, counted_color(m, theme), {0, 0, 0, 0}, 0, 4, tag);
  }
}

// Which heads of queries share a head of keys and values: squares in the hues of the lines, joined by brackets. Returns the
// height.
float draw_shared(const CountingInput& input, float y, float width, const Composer& pen) {
  const ModelSizes& s = input.sizes;
  if (s.key_heads < 1 || s.key_heads >= s.heads || s.heads % s.key_heads != 0) return 0;
  const std::int64_t group = s.heads / s.key_heads;
  const auto hue = [&](const char* id) {
    for (const CountedMatrix& m : input.count.lines)
      if (m.id == id) return counted_color(m, pen.theme);
    return pen.theme.info;
  };
  const std::string first =
      fill(group == 2 ? tr("queries {0} and {1} share key head {2}") : tr("queries {0} to {1} share key head {2}"),
           {"0", text::grouped_number(group - 1), "0"});
  const std::string words = fill(tr("{0}, and so on: {1} heads of queries, {2} of keys and values"),
                                 {first, text::grouped_number(s.heads), text::grouped_number(s.key_heads)});
  float high = 0;
  for (const std::string& line : wrap(words, width - 24, kHead, Font::words, pen.measure)) {
    pen.text(24, y + high + 9, line, kHead, Font::words, pen.theme.secondary);
    high += 18;
  }
  const float room = width - 24, gap = 6;
  const float tile = std::min(16.0f, (room - gap * static_cast<float>(s.key_heads - 1)) / static_cast<float>(s.heads));
  if (tile < 3 || input.low) return high + 4;
  const float top = y + high + 4, line = tile >= 6 ? 2.0f : 1.0f;
  for (std::int64_t k = 0; k < s.key_heads; ++k) {
    const float x = 24 + static_cast<float>(k) * (tile * static_cast<float>(group) + gap),
                wide = tile * static_cast<float>(group);
    for (std::int64_t q = 0; q < group; ++q)
      pen.box({x + static_cast<float>(q) * tile, top, tile - line, tile - line}, hue("query"), {0, 0, 0, 0}, 0, 2);
    const float under = top + tile + 1;
    pen.line({x, under}, {x, under + 4}, pen.theme.secondary, 1);
    pen.line({x + wide - line, under}, {x + wide - line, under + 4}, pen.theme.secondary, 1);
    pen.line({x, under + 4}, {x + wide - line, under + 4}, pen.theme.secondary, 1);
    const float middle = x + (wide - line) / 2, side = tile - line;
    pen.box({middle - side / 2, under + 7, side / 2, side}, hue("key"), {0, 0, 0, 0}, 0, 2);
    pen.box({middle, under + 7, side / 2, side}, hue("value"), {0, 0, 0, 0}, 0, 2);
  }
  return high + 4 + 2 * tile + 16;
}

void add_data(const CountingInput& input, Figure& figure) {
  std::vector<double> values;
  Data data;
  data.labels.resize(2);
  for (const CountedMatrix& m : input.count.lines) {
    for (const std::int64_t n : {m.rows, m.columns, m.a_head, m.a_layer, m.numbers, m.matrices})
      values.push_back(static_cast<double>(n));
    data.labels[0].push_back(m.id);
  }
  data.name = "parameters";
  data.values = Tensor::of(values, {static_cast<std::int64_t>(input.count.lines.size()), 6});
  data.axes = {"matrix", "of it"};
  data.labels[1] = {"rows", "columns", "one head", "one layer", "whole model", "matrices"};
  figure.data.push_back(std::move(data));
}

}  // namespace

std::string weight_words(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  char text[48];
  std::snprintf(text, sizeof text, bytes >= 100 || unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

Color counted_color(const CountedMatrix& line, const Theme& theme) {
  const struct {
    const char* id;
    std::size_t hue;
  } hues[] = {{"embedding", 7}, {"target_embedding", 9}, {"query", 1}, {"key", 5},
              {"value", 4},     {"output", 11},          {"gate", 6},  {"up", 2},
              {"down", 10},     {"unembedding", 8}};
  for (const auto& each : hues)
    if (line.id == each.id) return theme.hues[each.hue];
  return theme.info;
}

Figure counting_table(const CountingInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.background = theme.background;
  figure.title = fill(tr("{} has {} parameters in {} matrices"),
                      {input.sizes.label, text::grouped_number(input.count.total), text::grouped_number(input.count.matrices)});
  const Composer pen{figure, theme, measure};
  draw_title(input, width, pen);
  const Columns at = columns_of(input, width, measure);
  draw_head(input, at, kTitleHigh - 6, pen);
  float y = kTitleHigh + kHeadHigh - 6;
  const CountedMatrix* before = nullptr;
  for (std::size_t i = 0; i < input.count.lines.size(); ++i) {
    const CountedMatrix& m = input.count.lines[i];
    if (!before || before->part != m.part) {
      pen.line({0, y + 1}, {width, y + 1}, theme.line, 1);
      y += kGroup - 3;
    }
    draw_line(input, m, static_cast<std::int64_t>(i), at, y, width, pen);
    y += pitch_of(input);
    before = &m;
  }
  pen.line({0, y + 2}, {width, y + 2}, theme.secondary, 1);
  pen.text(24, y + 20, tr("total"), kCell + 2, Font::words_bold, theme.text);
  pen.text(at.model, y + 20, text::grouped_number(input.count.total), kCell + 1, Font::mono, theme.text, Align::end);
  pen.text(at.matrices, y + 20, text::grouped_number(input.count.matrices), kCell, Font::mono, theme.secondary, Align::end);
  figure.height = y + 38 + draw_shared(input, y + 38, width, pen);
  add_data(input, figure);
  return figure;
}

}  // namespace headlight::figures
