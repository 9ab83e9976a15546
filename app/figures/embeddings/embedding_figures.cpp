#include "app/figures/embeddings/embedding_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kEmbeddingToken = 15, kEmbeddingSmall = 13;

float begin(const Composer& pen, const std::string& title, float width) {
  pen.figure.width = width;
  pen.figure.background = pen.theme.background;
  pen.figure.title = title;
  if (title.empty()) return 0;
  pen.text(0, 12, title, 17, Font::words_bold, pen.theme.text, Align::start, width);
  return 30;
}

std::string three_decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", one_nan(value));
  return text;
}

void draw_arrow(const Composer& pen, Point from, Point to, Color color) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (length < 1) return;
  const float ux = dx / length, uy = dy / length, head = std::min(10.0f, length / 2);
  const Point base{to.x - ux * head, to.y - uy * head};
  pen.line(from, base, color, 2.5f);
  Polygon tip;
  tip.points = {
      to, {base.x - uy * head * 0.45f, base.y + ux * head * 0.45f}, {base.x + uy * head * 0.45f, base.y - ux * head * 0.45f}};
  tip.fill = color;
  pen.figure.add(std::move(tip));
}

}  // namespace

Figure neighbour_list(const NeighboursInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  float y = begin(pen, input.title, width);
  float token = 60;
  for (const auto& row : input.rows) token = std::max(token, measure.width(row.token, kEmbeddingToken, Font::mono) + 2);
  token = std::min(token, 0.5f * width);
  const float number = measure.width("-0.000", kEmbeddingToken, Font::mono) + 10, left = 40, bar = left + token + 12;
  pen.text(left, y + 9, tr("token"), kEmbeddingSmall, Font::words, theme.secondary);
  pen.text(width - 8, y + 9, tr("cosine"), kEmbeddingSmall, Font::words, theme.secondary, Align::end);
  y += 22;
  std::vector<float> cosines;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < input.rows.size(); ++i) {
    const auto& row = input.rows[i];
    const Tag tag{Tag::row, static_cast<std::int64_t>(i), 0};
    const bool hot = tag.a == input.hot;
    const float middle = y + input.row_height / 2;
    pen.box({0, y, width, input.row_height}, hot ? with_alpha(theme.selected, 0.14f) : Color{0, 0, 0, 0},
            hot ? theme.selected : Color{0, 0, 0, 0}, hot ? 1.0f : 0.0f, 8, tag);
    pen.text(26, middle, std::to_string(i + 1), kEmbeddingSmall, Font::mono, theme.secondary, Align::end, 0, tag);
    if (row.hue >= 0)
      pen.box({32, middle - 8, 3, 16}, theme.hues[static_cast<std::size_t>(row.hue) % theme.hues.size()], {0, 0, 0, 0}, 0, 1);
    pen.text(left, middle, row.token, kEmbeddingToken, Font::mono, hot ? theme.selected : theme.text, Align::start, token, tag);
    pen.bar({bar, middle - 4, std::max(4.0f, width - number - 8 - bar), 8}, row.cosine, hot ? theme.selected : theme.info);
    pen.text(width - 8, middle, three_decimals(row.cosine), kEmbeddingToken, Font::mono, hot ? theme.selected : theme.text,
             Align::end, 0, tag);
    y += input.row_height;
    cosines.push_back(static_cast<float>(row.cosine));
    names.push_back(row.token);
  }
  figure.height = y + 2;
  if (!names.empty())
    figure.data.push_back({"cosine", Tensor::of(cosines, {static_cast<std::int64_t>(names.size())}), {"token"}, {names}});
  return figure;
}

Figure difference_arrows(const DifferencesInput& input, float width, float height, const Theme& theme,
                         const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  float y = begin(pen, input.title, width);
  const bool defined = std::isfinite(input.cosine);
  const double angle = defined ? std::acos(std::clamp(input.cosine, -1.0, 1.0)) : 0;
  pen.text(0, y + 14, three_decimals(defined ? input.cosine : 0), 24, Font::mono, theme.text);
  const float number = measure.width(three_decimals(input.cosine), 24, Font::mono) + 12;
  char degrees[32];
  std::snprintf(degrees, sizeof degrees, "%.0f", angle * 180 / std::numbers::pi);
  pen.text(number, y + 16,
           defined ? fill(tr("cosine: {} degrees apart"), {degrees}) : std::string(tr("a difference of zero has no direction")),
           kEmbeddingSmall, Font::words, theme.secondary, Align::start, width - number);
  y += 36;
  const Color colors[] = {theme.info, theme.hues[4]};
  const std::string* const names[] = {&input.first, &input.second};
  const double lengths[] = {input.first_length, input.second_length};
  for (int i = 0; i < 2; ++i) {
    const std::string length = fill(tr("length {}"), {cell_number(lengths[i])});
    const float wide = measure.width(length, kEmbeddingSmall, Font::words);
    pen.box({0, y + 4, 12, 12}, colors[i], {0, 0, 0, 0}, 0, 3);
    pen.text(20, y + 10, *names[i], kEmbeddingToken, Font::mono, theme.text, Align::start, width - 32 - wide);
    pen.text(width, y + 10, length, kEmbeddingSmall, Font::words, theme.secondary, Align::end);
    y += 24;
  }
  // Both within a half plane: the first one to the right, the second one turned up by the angle.
  const double c = std::cos(angle), s = std::sin(angle);
  const double right = std::max(lengths[0], lengths[1] * c), over = std::max(0.0, -lengths[1] * c), up = lengths[1] * s;
  const double room_x = static_cast<double>(width) - 16, room_y = static_cast<double>(std::max(40.0f, height - y - 16));
  const double scale = std::min(room_x / std::max(1e-12, right + over), room_y / std::max(1e-12, up));
  if (defined && scale < 1e9) {
    const Point origin{8 + static_cast<float>(over * scale), y + 8 + static_cast<float>(up * scale)};
    draw_arrow(pen, origin, {origin.x + static_cast<float>(lengths[0] * scale), origin.y}, colors[0]);
    draw_arrow(pen, origin,
               {origin.x + static_cast<float>(lengths[1] * c * scale), origin.y - static_cast<float>(lengths[1] * s * scale)},
               colors[1]);
    figure.add(Disc{origin, 3, theme.text, {}});
    y = origin.y + 8;
  }
  figure.height = std::max(y + 6, 20.0f);
  figure.data.push_back(
      {"cosine", Tensor::of(std::vector<float>{static_cast<float>(input.cosine)}, {1}), {"value"}, {{"cosine"}}});
  figure.data.push_back({"length",
                         Tensor::of(std::vector<float>{static_cast<float>(lengths[0]), static_cast<float>(lengths[1])}, {2}),
                         {"difference"},
                         {{input.first, input.second}}});
  return figure;
}

}  // namespace headlight::figures
