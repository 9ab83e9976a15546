#include "app/views/counting/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::views::counting {
namespace {

using namespace figures;

// --- the table

constexpr float kTitle = 18, kHead = 13, kCell = 14, kGroup = 5, kHeadHigh = 44, kTitleHigh = 36, kTotalHigh = 38;
constexpr float kBar = 70;
constexpr float kLeastPitch = 26, kPitch = 33;  // between lines

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

void draw_line(const CountingInput& input, const CountedMatrix& m, std::int64_t number, const Columns& at, float y, float pitch,
               const Composer& pen) {
  const Tag tag{Tag::row, number, 0};
  const bool selected = m.id == input.line;
  const Theme& theme = pen.theme;
  pen.box({0.5f, y, pen.figure.width - 1, pitch - 3}, selected ? with_alpha(theme.selected, 0.14f) : Color{0, 0, 0, 0},
          selected ? theme.selected : Color{0, 0, 0, 0}, selected ? 1.0f : 0.0f, 4, tag);
  const float middle = y + (pitch - 3) / 2;
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

// Which heads of queries share a head of keys and values: lines of words, then squares in the hues of the lines, joined by
// brackets. Without lines: none do.
struct SharedHeads {
  std::vector<std::string> lines;
  float tile = 0;  // a square's side; 0: the squares would be too small
  float high(bool low) const {
    return lines.empty() ? 0 : 18 * static_cast<float>(lines.size()) + 4 + (tile > 0 && !low ? 2 * tile + 16 : 0);
  }
};
constexpr float kSharedGap = 6;

SharedHeads shared_heads(const CountingInput& input, float width, const TextMeasure& measure) {
  const ModelSizes& s = input.sizes;
  if (s.key_heads < 1 || s.key_heads >= s.heads || s.heads % s.key_heads != 0) return {};
  const std::int64_t group = s.heads / s.key_heads;
  const std::string first =
      fill(group == 2 ? tr("queries {0} and {1} share key head {2}") : tr("queries {0} to {1} share key head {2}"),
           {"0", text::grouped_number(group - 1), "0"});
  const std::string words = fill(tr("{0}, and so on: {1} heads of queries, {2} of keys and values"),
                                 {first, text::grouped_number(s.heads), text::grouped_number(s.key_heads)});
  const float room = width - 24;
  const float tile = std::min(16.0f, (room - kSharedGap * static_cast<float>(s.key_heads - 1)) / static_cast<float>(s.heads));
  return {wrap(words, room, kHead, Font::words, measure), tile < 3 ? 0 : tile};
}

void draw_shared(const CountingInput& input, const SharedHeads& shared, bool low, float y, const Composer& pen) {
  for (const std::string& words : shared.lines) {
    pen.text(24, y + 9, words, kHead, Font::words, pen.theme.secondary);
    y += 18;
  }
  if (shared.tile <= 0 || low) return;
  const auto hue = [&](const char* id) {
    for (const CountedMatrix& m : input.count.lines)
      if (m.id == id) return counted_color(m, pen.theme);
    return pen.theme.info;
  };
  const std::int64_t group = input.sizes.heads / input.sizes.key_heads;
  const float top = y + 4, tile = shared.tile, line = tile >= 6 ? 2.0f : 1.0f;
  for (std::int64_t k = 0; k < input.sizes.key_heads; ++k) {
    const float x = 24 + static_cast<float>(k) * (tile * static_cast<float>(group) + kSharedGap),
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
}

// All of the table but its lines and what is below them.
float high_without_lines(const CountingInput& input) {
  float high = kTitleHigh - 6 + kHeadHigh + kTotalHigh;
  const CountedMatrix* before = nullptr;
  for (const CountedMatrix& m : input.count.lines) {
    if (!before || before->part != m.part) high += kGroup;
    before = &m;
  }
  return high;
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

Heights counting_table_heights(const CountingInput& input, float width, const TextMeasure& measure) {
  const SharedHeads shared = shared_heads(input, width, measure);
  const float rest = high_without_lines(input), lines = static_cast<float>(input.count.lines.size());
  return {rest + lines * kLeastPitch + shared.high(true), rest + lines * kPitch + shared.high(false)};
}

Figure counting_table(const CountingInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture("", width, 0, theme);
  figure.title = fill(tr("{} has {} parameters in {} matrices"),
                      {input.sizes.label, text::grouped_number(input.count.total), text::grouped_number(input.count.matrices)});
  const Composer pen{figure, theme, measure};
  draw_title(input, width, pen);
  const Columns at = columns_of(input, width, measure);
  draw_head(input, at, kTitleHigh - 6, pen);
  const SharedHeads shared = shared_heads(input, width, measure);
  const float rest = high_without_lines(input), lines = static_cast<float>(std::max<std::size_t>(1, input.count.lines.size()));
  const bool low = height > 0 && height < rest + lines * kPitch + shared.high(false) - 0.5f;
  const float pitch = low ? std::clamp((height - rest - shared.high(true)) / lines, kLeastPitch, kPitch) : kPitch;
  float y = kTitleHigh + kHeadHigh - 6;
  const CountedMatrix* before = nullptr;
  for (std::size_t i = 0; i < input.count.lines.size(); ++i) {
    const CountedMatrix& m = input.count.lines[i];
    if (!before || before->part != m.part) {
      pen.line({0, y + 1}, {width, y + 1}, theme.line, 1);
      y += kGroup;
    }
    draw_line(input, m, static_cast<std::int64_t>(i), at, y, pitch, pen);
    y += pitch;
    before = &m;
  }
  pen.line({0, y + 2}, {width, y + 2}, theme.secondary, 1);
  pen.text(24, y + 20, tr("total"), kCell + 2, Font::words_bold, theme.text);
  pen.text(at.model, y + 20, text::grouped_number(input.count.total), kCell + 1, Font::mono, theme.text, Align::end);
  pen.text(at.matrices, y + 20, text::grouped_number(input.count.matrices), kCell, Font::mono, theme.secondary, Align::end);
  draw_shared(input, shared, low, y + kTotalHigh, pen);
  figure.height = y + kTotalHigh + shared.high(low);
  add_data(input, figure);
  return figure;
}

// --- the bands

namespace {

using Kind = CountedMatrix::Part;

constexpr float kBandsTop = 30, kBandsBottom = 22, kNames = 150, kLeastNames = 520;
constexpr std::int64_t kMostColumns = 240;  // more layers are drawn as one block

struct Column {
  std::int64_t attentions = 1;  // two in a decoder that looks at an encoder
  double numbers = 0;
};

double of_layer(const ParameterCount& count, const Column& column) {
  double sum = 0;
  for (const CountedMatrix& m : count.lines)
    if (m.part != Kind::embedding)
      sum += static_cast<double>(m.a_layer) * (m.part == Kind::attention ? static_cast<double>(column.attentions) : 1.0);
  return sum;
}

std::vector<Column> layers_of(const CountingInput& input) {
  std::vector<Column> columns(static_cast<std::size_t>(input.sizes.encoder_layers));
  columns.resize(columns.size() + static_cast<std::size_t>(input.sizes.layers), {input.sizes.encoder_layers > 0 ? 2 : 1, 0});
  for (Column& column : columns) column.numbers = of_layer(input.count, column);
  return columns;
}

// One layer's lines from top to bottom, each as high as its share.
void draw_layer(const CountingInput& input, const Column& column, Box box, float gap, const Composer& pen) {
  float y = box.y;
  for (std::size_t i = 0; i < input.count.lines.size(); ++i) {
    const CountedMatrix& m = input.count.lines[i];
    if (m.part == Kind::embedding || column.numbers <= 0) continue;
    const double numbers =
        static_cast<double>(m.a_layer) * (m.part == Kind::attention ? static_cast<double>(column.attentions) : 1.0);
    const auto high = static_cast<float>(numbers / column.numbers) * box.h;
    const bool selected = m.id == input.line;
    pen.box({box.x, y, std::max(0.5f, box.w - gap), std::max(0.5f, high - gap)},
            with_alpha(counted_color(m, pen.theme), input.line.empty() || selected ? 0.9f : 0.55f), {0, 0, 0, 0}, 0, 0,
            {Tag::row, static_cast<std::int64_t>(i), 0});
    y += high;
  }
}

void draw_names(const CountingInput& input, float high, const Composer& pen) {
  const double total = static_cast<double>(std::max<std::int64_t>(1, input.count.total));
  const double layers = static_cast<double>(std::max<std::int64_t>(1, input.count.attention + input.count.feed_forward));
  const bool low = high < 94;  // there is no room for two blocks of three lines
  const float block = low ? 36 : 54, apart = low ? 40 : 62;
  const auto put = [&](const char* name, std::int64_t numbers, float y) {
    char share[16];
    std::snprintf(share, sizeof share, "%.1f%%", 100 * static_cast<double>(numbers) / total);
    pen.text(0, y + 9, name, 15, Font::words_bold, pen.theme.text, Align::start, kNames - 10);
    if (!low) pen.text(0, y + 28, text::grouped_number(numbers), 13, Font::mono, pen.theme.secondary, Align::start, kNames - 10);
    pen.text(0, y + block - 8, share, 14, Font::mono, pen.theme.text);
  };
  put(tr("attention"), input.count.attention, kBandsTop);
  if (input.count.feed_forward == 0) return;
  const float below = kBandsTop + high * static_cast<float>(static_cast<double>(input.count.attention) / layers);
  put(tr("feed-forward"), input.count.feed_forward,
      std::clamp(below, kBandsTop + apart, std::max(kBandsTop + apart, kBandsTop + high + kBandsBottom - block)));
}

}  // namespace

Figure parameter_bands(const CountingInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture("", width, height, theme);
  const ParameterCount& c = input.count;
  const double total = static_cast<double>(std::max<std::int64_t>(1, c.total));
  char share[16];
  std::snprintf(share, sizeof share, "%.1f", 100 * static_cast<double>(c.attention) / total);
  figure.title = fill(tr("Attention is {} % of it"), {share});
  const Composer pen{figure, theme, measure};
  pen.text(0, 10, figure.title, 16, Font::words_bold, theme.text);
  const std::string how = tr("a column is a layer, an area is a number of parameters");
  if (measure.width(how, 13, Font::words) + measure.width(figure.title, 16, Font::words_bold) + 24 < width)
    pen.text(width, 10, how, 13, Font::words, theme.secondary, Align::end);
  const float high = std::max(20.0f, height - kBandsTop - kBandsBottom), names = width >= kLeastNames ? kNames : 0;
  if (names > 0) draw_names(input, high, pen);
  const std::vector<Column> layers = layers_of(input);
  const double in_layers = static_cast<double>(c.attention + c.feed_forward);
  const float room = width - names;
  float x = names;
  const auto draw_side = [&](bool out) {
    for (std::size_t i = 0; i < c.lines.size(); ++i) {
      const CountedMatrix& m = c.lines[i];
      if (m.part != Kind::embedding || (m.id == "unembedding") != out) continue;
      const float wide = std::max(1.5f, room * static_cast<float>(static_cast<double>(m.numbers) / total));
      pen.box({x, kBandsTop, std::max(1.0f, wide - 1), high}, counted_color(m, theme), {0, 0, 0, 0}, 0, 0,
              {Tag::row, static_cast<std::int64_t>(i), 0});
      x += wide;
    }
  };
  draw_side(false);
  const float first = x;
  const float wide = room * static_cast<float>(in_layers / total);
  if (static_cast<std::int64_t>(layers.size()) > kMostColumns) {
    Column all = layers.back();
    draw_layer(input, all, {x, kBandsTop, wide, high}, 0, pen);
    x += wide;
  } else {
    for (const Column& column : layers) {
      const float each = wide * static_cast<float>(column.numbers / std::max(in_layers, 1.0));
      draw_layer(input, column, {x, kBandsTop, each, high}, each > 3 ? 1.0f : 0.0f, pen);
      x += each;
    }
  }
  const float last = x;
  draw_side(true);
  const std::string span = fill(tr("layers 0 to {}"), {text::grouped_number(static_cast<std::int64_t>(layers.size()) - 1)});
  const float wide_span = measure.width(span, 13, Font::words), y = kBandsTop + high + 12;
  const float middle =
      std::clamp((first + last) / 2, names + wide_span / 2, std::max(names + wide_span / 2, width - wide_span / 2));
  pen.text(middle, y, span, 13, Font::words, theme.secondary, Align::middle);
  const float half = wide_span / 2 + 12;
  const std::string in = tr("embedding"), out = tr("unembedding");
  if (names + measure.width(in, 13, Font::words) < middle - half) pen.text(names, y, in, 13, Font::words, theme.secondary);
  if (!input.sizes.shared && width - measure.width(out, 13, Font::words) > middle + half)
    pen.text(width, y, out, 13, Font::words, theme.secondary, Align::end);
  return figure;
}

// --- what the model weighs and costs

namespace {

constexpr float kCostsHead = 16, kWords = 14, kLine = 25;

// "349.1 GFLOP"
std::string operations(double flops) {
  const char* const units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
  std::size_t unit = 0;
  for (; flops >= 1000 && unit + 1 < std::size(units); ++unit) flops /= 1000;
  char text[48];
  std::snprintf(text, sizeof text, "%.1f %s", flops, units[unit]);
  return text;
}

}  // namespace

Figure counting_costs(const CountingInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(fill(tr("What {} weighs and costs"), {input.sizes.label}), width, 0, theme);
  const Composer pen{figure, theme, measure};
  float y = 0;
  const auto title = [&](const std::string& words) {
    pen.line({0, y}, {width, y}, theme.line, 1);
    pen.text(0, y + 22, words, kCostsHead, Font::words_bold, theme.text, Align::start, width);
    y += 42;
  };
  const auto line = [&](const std::string& name, double bytes, Color color) {
    pen.box({0, y + 5, 10, 10}, color, {0, 0, 0, 0}, 0, 2);
    pen.text(18, y + 10, name, kWords, Font::words, theme.text);
    pen.text(width, y + 10, weight_words(bytes), kWords, Font::mono, theme.text, Align::end);
    y += kLine;
  };
  const auto bar = [&](const std::string& name, double flops, double most, Color color) {
    pen.text(0, y + 8, name, 13, Font::words, theme.text);
    pen.text(width, y + 8, operations(flops), 13, Font::mono, theme.text, Align::end);
    pen.bar({0, y + 20, width, 8}, most > 0 ? flops / most : 0, color);
    y += 40;
  };
  const auto paragraph = [&](const std::string& words) {
    for (const std::string& one : wrap(words, width, 13, Font::words, measure)) {
      pen.text(0, y + 9, one, 13, Font::words, theme.secondary);
      y += 19;
    }
    y += 6;
  };

  const ModelSizes& sizes = input.sizes;
  const double weights = input.bytes * static_cast<double>(input.count.total);
  const double cache = cache_bytes(sizes, input.tokens, input.bytes), maps = map_bytes(sizes, input.tokens, input.bytes);
  const std::string tokens = text::grouped_number(std::llround(input.tokens));
  pen.text(0, y + 9, fill(tr("at {} tokens"), {tokens}), 13, Font::words, theme.selected, Align::start, width);
  y += 24;
  line(tr("weights"), weights, theme.hues[9]);
  if (cache > 0) line(tr("key-value cache"), cache, theme.hues[1]);
  line(tr("one layer's maps"), maps, theme.hues[4]);
  if (cache > 0) {
    const double equal = equal_length(sizes);
    paragraph(fill(tr("cache and maps are equal at {} tokens: {}"),
                   {text::grouped_number(std::llround(equal)), weight_words(cache_bytes(sizes, equal, input.bytes))}));
  }
  y += 8;

  title(tr("Cost of the next word"));
  const double through = matrix_flops(sizes), back = look_back_flops(sizes, input.tokens);
  bar(tr("through the matrices"), through, std::max(through, back), theme.secondary);
  bar(fill(tr("looking back at {} tokens"), {tokens}), back, std::max(through, back), theme.info);
  y += 4;

  title(tr("Why a value is two thin maps"));
  const auto d = static_cast<double>(sizes.d_model), k = static_cast<double>(sizes.d_k);
  const float side = std::min(84.0f, width * 0.3f), thin = std::max(1.5f, side * static_cast<float>(std::min(1.0, k / d)));
  const Color hue = theme.hues[4];
  pen.box({0, y, side, side}, with_alpha(hue, 0.35f), hue, 1);
  pen.text(side + 14, y + side / 2, tr("or"), kWords, Font::words, theme.secondary);
  const float x = side + 44;
  pen.box({x, y, thin, side}, hue);
  pen.text(x + thin + 10, y + side / 2, "×", kWords, Font::mono, theme.secondary);
  pen.box({x + thin + 28, y + side / 2 - thin / 2, side, thin}, hue);
  y += side + 14;
  const double full = d * d, two = 2 * d * k;
  char times[32];
  std::snprintf(times, sizeof times, "%.3g", full / two);
  paragraph(fill(tr("A value map of full rank would have {} numbers a head, instead of {}: {} times as many."),
                 {text::grouped_number(std::llround(full)), text::grouped_number(std::llround(two)), times}));
  figure.height = y;

  const std::vector<double> values = {input.tokens, weights, cache, maps, through, back};
  figure.data.push_back({"costs",
                         Tensor::of(values, {6}),
                         {"of it"},
                         {{"tokens", "weight bytes", "cache bytes", "map bytes", "matrix flops", "look-back flops"}}});
  return figure;
}

// --- by length of text

Figure counting_lengths(const CountingInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(fill(tr("What {} needs by length of text"), {input.sizes.label}), width, 0, theme);
  const Composer pen{figure, theme, measure};
  const float pitch = std::clamp(((height > 0 ? height : kLengthsHeights.wished) - 30) / 12, 24.0f, 36.0f);
  const auto right = [&](std::size_t column) { return width * (0.205f + 0.265f * static_cast<float>(column)) - 8; };
  const char* const names[] = {tr("tokens"), tr("key-value cache"), tr("one layer's maps"), tr("next word")};
  for (std::size_t column = 0; column < 4; ++column)
    pen.text(right(column), 14, names[column], kHead, Font::words, theme.secondary, Align::end, 0.265f * width - 10);
  std::vector<double> values;
  for (int line = 0; line < 12; ++line) {
    const double tokens = 512 * std::exp2(line), cache = cache_bytes(input.sizes, tokens, input.bytes),
                 maps = map_bytes(input.sizes, tokens, input.bytes),
                 word = matrix_flops(input.sizes) + look_back_flops(input.sizes, tokens);
    const float y = 30 + pitch * (static_cast<float>(line) + 0.5f);
    const bool here = tokens <= input.tokens && input.tokens < 2 * tokens;
    const std::string cells[] = {text::grouped_number(std::llround(tokens)), weight_words(cache), weight_words(maps),
                                 operations(word)};
    for (std::size_t column = 0; column < 4; ++column)
      pen.text(right(column), y, cells[column], kCell, Font::mono, here ? theme.selected : theme.text, Align::end);
    values.insert(values.end(), {tokens, cache, maps, word});
  }
  figure.height = 30 + 12 * pitch;
  figure.data.push_back(
      {"lengths", Tensor::of(values, {12, 4}), {"length", "of it"}, {{}, {"tokens", "cache bytes", "map bytes", "flops"}}});
  return figure;
}

}  // namespace headlight::views::counting
