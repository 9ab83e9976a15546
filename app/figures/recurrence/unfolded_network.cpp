#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/recurrence/recurrence_figures.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kUnfoldedWord = 14, kSmallWord = 13, kBoxGap = 6, kBandGap = 7, kLeastBand = 18, kLegendRow = 20;

// Where each row of the picture lies. A low room has one line in a box instead of two.
struct UnfoldedRows {
  bool low = false;
  float follows = 9, loss = 28, guess = 42, guess_high = 38, state = 104, state_high = 44, input = 172, input_high = 28, way = 0,
        bands = 0;
  explicit UnfoldedRows(float height) : low(height < 430) {
    if (low) {
      guess = 40, guess_high = 22, state = 76, state_high = 24, input = 114, input_high = 24;
    }
    way = input + input_high + 14;
    bands = way + 16;
  }
};

struct UnfoldedPicture {
  const UnfoldedInput& input;
  const Composer pen;
  const UnfoldedRows rows;
  float pitch = 0;

  const Theme& theme() const { return pen.theme; }
  float left(std::size_t c) const { return kUnfoldedNames + static_cast<float>(c) * pitch; }
  float middle(std::size_t c) const { return left(c) + pitch / 2; }
  std::int64_t token(std::size_t c) const { return input.first + static_cast<std::int64_t>(c); }
  Tag tag(std::size_t c) const { return {Tag::column, token(c), 0, Part::picture}; }
  bool is_last(std::size_t c) const { return token(c) + 1 == input.all; }
  bool lit(std::size_t c) const { return token(c) == input.selected || (input.selected >= 0 && is_last(c)); }
  // Between the followed token and the last one.
  bool on_way(std::int64_t t) const { return input.selected >= 0 && t >= input.selected; }

  void arrow(Point from, Point to, Color color, float width) const {
    pen.line(from, to, color, width);
    const float x = to.x - from.x, y = to.y - from.y, length = std::max(0.1f, std::hypot(x, y)), size = 3.5f + width;
    const Point along{x / length * size, y / length * size};
    const Point base{to.x - along.x, to.y - along.y};
    Polygon head;
    head.points = {to, {base.x - along.y * 0.5f, base.y + along.x * 0.5f}, {base.x + along.y * 0.5f, base.y - along.x * 0.5f}};
    head.fill = color;
    pen.figure.add(std::move(head));
  }

  void name(float y, const std::string& words) const {
    pen.text(kUnfoldedNames - 10, y, words, kSmallWord, Font::words, theme().secondary, Align::end, kUnfoldedNames - 12);
  }

  void draw_names() const {
    name(rows.follows, tr("follows"));
    name(rows.loss, tr("loss, nat"));
    name(rows.guess + rows.guess_high / 2, tr("best guess"));
    name(rows.input + rows.input_high / 2, tr("input"));
    const std::string zero = input.state_names.empty() ? "h" : input.state_names.back();
    if (input.first == 0) name(rows.state + rows.state_high / 2, zero + "₀ = 0 →");
  }

  void draw_outcome(std::size_t c) const {
    const UnfoldedInput::Column& column = input.columns[c];
    const float room = pitch - kBoxGap;
    if (column.loss >= 0) {
      pen.text(middle(c), rows.follows, column.follows, kUnfoldedWord, Font::mono, theme().text, Align::middle, room, tag(c));
      const std::string number = cell_number(column.loss);
      const float wide = pen.measure.width(number, kUnfoldedWord, Font::mono), bar = room - wide - 6;
      if (bar >= 10) pen.bar({left(c) + kBoxGap / 2, rows.loss - 3, bar, 6}, column.loss / input.largest_loss, theme().info);
      pen.text(bar >= 10 ? left(c) + pitch - kBoxGap / 2 : middle(c), rows.loss, number, kUnfoldedWord, Font::mono, theme().text,
               bar >= 10 ? Align::end : Align::middle, 0, tag(c));
    } else {
      pen.text(middle(c), rows.follows, first_that_fits({tr("nothing yet"), "–"}, room, kSmallWord, Font::words, pen.measure),
               kSmallWord, Font::words, theme().secondary, Align::middle, room, tag(c));
      const std::string number = cell_number(input.sum);
      pen.text(middle(c), rows.loss,
               first_that_fits({fill(tr("sum {}"), {number}), "Σ " + number, number}, room, kSmallWord, Font::mono, pen.measure),
               kSmallWord, Font::mono, theme().text, Align::middle, room, tag(c));
    }
  }

  void draw_guess(std::size_t c) const {
    const UnfoldedInput::Column& column = input.columns[c];
    const Box box{left(c) + kBoxGap / 2, rows.guess, pitch - kBoxGap, rows.guess_high};
    const Color color = column.right ? theme().good : theme().text;
    pen.box(box, theme().raised, column.right ? theme().good : theme().line, 1, 6, tag(c));
    char share[16];
    std::snprintf(share, sizeof share, "%.0f %%", 100 * column.share);
    if (rows.low) {
      pen.text(middle(c), box.y + box.h / 2, column.guess, kSmallWord, Font::mono, color, Align::middle, box.w - 6, tag(c));
    } else {
      pen.text(middle(c), box.y + 12, column.guess, kUnfoldedWord, Font::mono, color, Align::middle, box.w - 6, tag(c));
      pen.text(middle(c), box.y + 28, share, kSmallWord, Font::mono, theme().secondary, Align::middle, box.w - 6, tag(c));
    }
    arrow({middle(c), rows.state - 1}, {middle(c), rows.guess + rows.guess_high + 2}, theme().secondary, 1);
    if (c == 0 && !rows.low)
      pen.text(middle(c) + 8, (rows.state + rows.guess + rows.guess_high) / 2, input.output_matrix, kSmallWord, Font::mono,
               theme().secondary);
  }

  void draw_state(std::size_t c) const {
    const Box box{left(c) + kBoxGap, rows.state, pitch - 2 * kBoxGap, rows.state_high};
    const bool amber = lit(c);
    pen.box(box, amber ? with_alpha(theme().selected, 0.16f) : theme().panel, amber ? theme().selected : theme().line,
            amber ? 2.0f : 1.0f, 6, tag(c));
    const std::string number = std::to_string(token(c) + 1);
    const auto named = [&](const std::string& letter) {
      std::string words = letter;
      static const char* const lowered[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
      for (const char digit : number) words += lowered[digit - '0'];
      return words;
    };
    const std::size_t count = rows.low ? std::min<std::size_t>(1, input.state_names.size()) : input.state_names.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& letter = rows.low ? input.state_names.back() : input.state_names[i];
      const float y = box.y + box.h * (static_cast<float>(i) + 1) / (static_cast<float>(count) + 1);
      pen.text(middle(c), y, named(letter), kUnfoldedWord, Font::mono, amber ? theme().selected : theme().text, Align::middle,
               box.w, tag(c));
    }
    // From the state before: one line a state that is handed on.
    if (c == 0 && input.first > 0) return;
    const bool amber_way = c > 0 && on_way(token(c) - 1);
    for (std::size_t i = 0; i < count; ++i) {
      const float y = box.y + box.h * (static_cast<float>(i) + 1) / (static_cast<float>(count) + 1);
      arrow({box.x - 2 * kBoxGap + 1, y}, {box.x - 1, y}, amber_way ? theme().selected : theme().secondary,
            amber_way ? 2.0f : 1.0f);
    }
  }

  void draw_input(std::size_t c) const {
    const UnfoldedInput::Column& column = input.columns[c];
    const Box box{left(c) + kBoxGap / 2, rows.input, pitch - kBoxGap, rows.input_high};
    const Color hue =
        column.hue < 0 ? theme().secondary : theme().hues[static_cast<std::size_t>(column.hue) % theme().hues.size()];
    const bool chosen = token(c) == input.selected || token(c) == input.hot;
    pen.box(box, with_alpha(hue, 0.16f), chosen ? theme().selected : hue, chosen ? 2.0f : 1.0f, 6, tag(c));
    pen.text(middle(c), box.y + box.h / 2, column.token, kUnfoldedWord, Font::mono, theme().text, Align::middle, box.w - 6,
             tag(c));
    const bool amber = token(c) == input.selected;
    arrow({middle(c), rows.input - 1}, {middle(c), rows.state + rows.state_high + 2},
          amber ? theme().selected : theme().secondary, amber ? 2.0f : 1.0f);
    if (c == 0 && !rows.low)
      pen.text(middle(c) + 8, (rows.input + rows.state + rows.state_high) / 2, input.input_matrix, kSmallWord, Font::mono,
               theme().secondary);
  }

  // Attention reaches the last token in one step, however far it is.
  void draw_way() const {
    const std::size_t count = input.columns.size();
    const std::int64_t last_token = input.all - 1, last_seen = token(count) - 1;
    if (input.selected < 0 || input.selected >= last_token || last_seen < input.selected) return;
    const float from =
        input.selected < input.first ? kUnfoldedNames : middle(static_cast<std::size_t>(input.selected - input.first));
    const float to = last_seen < last_token ? left(count) : middle(count - 1);
    const float bottom = rows.input + rows.input_high + 2, y = rows.way;
    pen.line({from, bottom}, {from, y}, theme().info, 1.5f);
    pen.line({from, y}, {to, y}, theme().info, 1.5f);
    if (last_seen == last_token) arrow({to, y}, {to, bottom}, theme().info, 1.5f);
    const std::string steps = std::to_string(last_token - input.selected);
    const std::string words =
        first_that_fits({fill(tr("attention: one step; here {} steps, one after another"), {steps}), tr("attention: one step")},
                        to - from - 16, kSmallWord, Font::words, pen.measure);
    if (words.empty()) return;
    const float wide = pen.measure.width(words, kSmallWord, Font::words) + 10;
    pen.box({(from + to - wide) / 2, y - 8, wide, 16}, theme().background);
    pen.text((from + to) / 2, y, words, kSmallWord, Font::words, theme().info, Align::middle);
  }

  void draw_band(const UnfoldedInput::Band& band, std::size_t number, float y, float height) const {
    Cells cells;
    cells.box = {kUnfoldedNames, y, pitch * static_cast<float>(input.columns.size()), height};
    cells.rows = band.values.dim(0);
    cells.columns = band.values.dim(1);
    cells.values = band.values;
    cells.colormap = band.colormap;
    cells.low = band.low;
    cells.high = band.high;
    cells.gap = 1;
    cells.key = band.key;
    cells.tag = {Tag::cell_area, static_cast<std::int64_t>(number) * kBandRows, input.first};
    add_cells(pen.figure, std::move(cells), theme());
    const float right = kUnfoldedNames - 10;
    std::vector<std::pair<std::string, bool>> lines = {{band.id, true}};
    if (height >= 34) lines.push_back({band.label, false});
    if (height >= 50) lines.push_back({band.range, false});
    const float pitch_y = std::min(17.0f, height / static_cast<float>(lines.size()));
    float at = y + height / 2 - pitch_y * static_cast<float>(lines.size() - 1) / 2;
    if (lines.size() == 1)
      lines[0].first = first_that_fits({band.id + " " + band.label, band.id}, right, kSmallWord, Font::words, pen.measure);
    for (const auto& [words, strong] : lines) {
      pen.text(right, at, words, kSmallWord, strong && lines.size() > 1 ? Font::mono : Font::words,
               strong ? theme().text : theme().secondary, Align::end, right);
      at += pitch_y;
    }
    pen.figure.data.push_back({band.id, band.values, {"unit", "token"}, {{}, tokens()}});
  }

  std::vector<std::string> tokens() const {
    std::vector<std::string> names;
    for (const UnfoldedInput::Column& column : input.columns) names.push_back(column.token);
    return names;
  }

  void draw_legend(float y, float width) const {
    float x = kUnfoldedNames;
    const auto words = [&](const std::string& text, Font font) {
      pen.text(x, y, text, kSmallWord, font, theme().secondary);
      x += pen.measure.width(text, kSmallWord, font) + 6;
    };
    for (const bool is_signed : {false, true}) {
      std::string ids, colormap;
      for (const UnfoldedInput::Band& band : input.bands)
        if ((band.low < 0) == is_signed) ids += (ids.empty() ? "" : " ") + band.id, colormap = band.colormap;
      if (ids.empty()) continue;
      words(ids, Font::mono);
      words(is_signed ? "−" : "0", Font::mono);
      pen.figure.add(ColorBar{{x, y - 5, 60, 10}, colormap, false, {}});
      x += 66;
      words(is_signed ? "+" : tr("most"), is_signed ? Font::mono : Font::words);
      x += 14;
    }
    const std::string order = first_that_fits({input.order_words}, width - x, kSmallWord, Font::words, pen.measure);
    if (!order.empty()) pen.text(width, y, order, kSmallWord, Font::words, theme().secondary, Align::end);
  }

  void draw_bands(float width, float height) const {
    const auto count = static_cast<float>(input.bands.size());
    if (input.bands.empty()) return;
    const float room = height - rows.bands - kLegendRow, each = (room - kBandGap * (count - 1)) / count;
    if (each < kLeastBand) return;
    float y = rows.bands;
    for (std::size_t b = 0; b < input.bands.size(); ++b) {
      draw_band(input.bands[b], b, y, each);
      y += each + kBandGap;
    }
    const std::int64_t marked = input.hot >= 0 ? input.hot : input.selected;
    const std::int64_t c = marked - input.first;
    if (c >= 0 && c < static_cast<std::int64_t>(input.columns.size()))
      pen.box({left(static_cast<std::size_t>(c)) - 1, rows.bands - 2, pitch + 1, y - kBandGap - rows.bands + 4}, {0, 0, 0, 0},
              theme().selected, 2, 4);
    draw_legend(height - kLegendRow / 2, width);
  }
};

}  // namespace

Figure unfolded_network(const UnfoldedInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, height, theme);
  if (input.columns.empty()) return figure;
  const auto count = static_cast<float>(input.columns.size());
  const UnfoldedPicture picture{input, Composer{figure, theme, measure}, UnfoldedRows(height), (width - kUnfoldedNames) / count};
  picture.draw_names();
  std::vector<float> losses;
  for (std::size_t c = 0; c < input.columns.size(); ++c) {
    // The whole column answers the mouse.
    picture.pen.box({picture.left(c), 0, picture.pitch, height}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, picture.tag(c));
    picture.draw_outcome(c);
    picture.draw_guess(c);
    picture.draw_state(c);
    picture.draw_input(c);
    losses.push_back(static_cast<float>(input.columns[c].loss));
  }
  picture.draw_way();
  picture.draw_bands(width, height);
  if (losses.back() < 0) losses.pop_back();
  if (!losses.empty()) {
    const auto steps = static_cast<std::int64_t>(losses.size());
    std::vector<std::string> names = picture.tokens();
    names.resize(losses.size());
    figure.data.push_back({"loss", Tensor::of(losses, {steps}), {"token"}, {names}});
  }
  return figure;
}

}  // namespace headlight::figures
