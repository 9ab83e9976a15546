#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/views/scores/pictures.h"
#include "engine/text/grouped_number.h"

namespace headlight::figures {
namespace {

constexpr float kRowGap = 8, kRowsTop = 34, kMapLabel = 13, kTallRows = 320;

Tensor as_f32(const Tensor& values) { return values.as(DType::f32); }

float largest_of(const RelatedMap& map) {
  double most = 0;
  if (!map.scores.empty())
    for (const double x : map.scores.values<double>())
      if (std::isfinite(x)) most = std::max(most, std::abs(x));
  return most > 0 ? static_cast<float>(most) : 1;
}

Cells relation_cells(const RelationsInput& input, std::size_t which, Box box) {
  const RelatedMap& map = input.maps[which];
  Cells cells;
  cells.rows = map.scores.dim(0);
  cells.columns = map.scores.dim(1);
  cells.box = box;
  cells.values = as_f32(map.scores);
  cells.colormap = "signed";
  cells.high = largest_of(map);
  cells.low = -cells.high;
  cells.key = input.key * 8 + which;
  return cells;
}

// As large as it can be in a square of `side` points, centred.
Box map_box(const RelatedMap& map, float x, float y, float side) {
  const auto rows = static_cast<float>(map.scores.dim(0)), columns = static_cast<float>(map.scores.dim(1));
  const float cell = side / std::max(rows, columns);
  return {x + (side - cell * columns) / 2, y + (side - cell * rows) / 2, cell * columns, cell * rows};
}

std::string cost_words(const RelatedMap& map) {
  const std::string weights = text::grouped_number(map.weights);
  return map.maps == 0   ? std::string(tr("no map"))
         : map.maps == 1 ? fill(tr("1 map, {} weights"), {weights})
                         : fill(tr("{} maps, {} weights"), {std::to_string(map.maps), weights});
}

// What the asker takes away, as a strip.
void draw_strip(const RelationsInput& input, std::size_t which, Box box, const Theme& theme, Figure& figure) {
  const RelatedMap& map = input.maps[which];
  if (map.given.empty()) return;
  double most = 0;
  for (const double x : map.given)
    if (std::isfinite(x)) most = std::max(most, std::abs(x));
  Cells cells;
  cells.rows = 1;
  cells.columns = static_cast<std::int64_t>(map.given.size());
  cells.box = box;
  cells.values = as_f32(Tensor::of(map.given, {1, cells.columns}));
  cells.colormap = "signed";
  cells.high = most > 0 ? static_cast<float>(most) : 1;
  cells.low = -cells.high;
  cells.key = input.key * 8 + 4 + which;
  cells.tag = {Tag::link, static_cast<std::int64_t>(which), 0};
  add_cells(figure, std::move(cells), theme);
}

void draw_relation(const RelationsInput& input, std::size_t which, Box box, const Composer& pen) {
  const Theme& theme = pen.theme;
  const RelatedMap& map = input.maps[which];
  const Tag tag{Tag::link, static_cast<std::int64_t>(which), 0};
  const bool on = map.relation == input.chosen;
  pen.box(box,
          on             ? with_alpha(theme.selected, 0.12f)
          : map.possible ? theme.raised
                         : theme.panel,
          on ? theme.selected : theme.line, on ? 1.5f : 1, 8, tag);
  float x = box.x + 10;
  const float side = std::min(box.h - 14, 96.0f);
  if (map.possible && side >= 24 && box.w > 300) {
    Cells cells = relation_cells(input, which, map_box(map, x, box.y + (box.h - side) / 2, side));
    cells.gap = 0;
    cells.tag = tag;
    add_cells(pen.figure, std::move(cells), theme);
  }
  if (side >= 24 && box.w > 300) x += side + 14;
  const std::string cost = map.possible ? cost_words(map) : std::string();
  const float room = box.x + box.w - 12 - x, cost_wide = pen.measure.width(cost, 13, Font::words);
  const Color ink = on ? theme.selected : map.possible ? theme.text : theme.secondary;
  const std::vector<std::string> meaning = wrap(input.meanings[which], room, 13, Font::words, pen.measure);
  const float words_high = 20 + 17 * static_cast<float>(std::min<std::size_t>(meaning.size(), 2));
  const bool meant = words_high <= box.h - 3, strip = words_high + 20 <= box.h && !map.given.empty();
  const float lines = words_high + (strip ? 16 : 0);
  float y = box.y + (meant ? std::max(13.0f, (box.h - lines) / 2 + 10) : box.h / 2);
  pen.text(x, y, input.names[which], 15, Font::words_bold, ink, Align::start,
           std::max(20.0f, room - (cost_wide > 0 ? cost_wide + 10 : 0)), tag);
  if (pen.measure.width(input.names[which], 15, Font::words_bold) + cost_wide + 10 <= room)
    pen.text(box.x + box.w - 12, y, cost, 13, Font::words, on ? theme.text : theme.secondary, Align::end, 0, tag);
  const float name_wide = pen.measure.width(input.names[which], 15, Font::words_bold) + 14;
  const float meaning_wide = pen.measure.width(input.meanings[which], 13, Font::words);
  if (!meant && name_wide + meaning_wide + cost_wide + 12 <= room)
    pen.text(x + name_wide, y, input.meanings[which], 13, Font::words, on ? theme.text : theme.secondary, Align::start, 0, tag);
  if (!meant) return;
  y += 20;
  for (std::size_t n = 0; n < meaning.size() && n < 2; ++n, y += 17)
    pen.text(x, y, n == 1 && meaning.size() > 2 ? meaning[n] + " …" : meaning[n], 13, Font::words,
             on ? theme.text : theme.secondary, Align::start, room, tag);
  if (!strip) return;
  const float words = pen.measure.width(input.given_words, 13, Font::words) + 12;
  if (words > 0.5f * room) return draw_strip(input, which, {x, y - 4, room, 9}, theme, pen.figure);
  pen.text(x, y, input.given_words, 13, Font::words, theme.secondary, Align::start, 0, tag);
  draw_strip(input, which, {x + words, y - 4, room - words, 9}, theme, pen.figure);
}

bool is_square_map(const RelatedMap& map) { return map.scores.dim(0) == map.scores.dim(1); }

// The names of rows and columns, where the cells are as large as letters.
float labels_room(const RelationsInput& input, float side, const RelatedMap& map, const TextMeasure& measure) {
  const auto cells = static_cast<float>(std::max(map.scores.dim(0), map.scores.dim(1)));
  float wide = 0;
  for (const auto* labels : {&input.queries, &input.keys})
    for (const std::string& label : *labels) wide = std::max(wide, measure.width(label, kMapLabel, Font::mono));
  wide = std::min(wide + 8, 96.0f);
  return (side - wide) / cells >= 17 ? wide : 0;
}

void draw_map_labels(const RelationsInput& input, const RelatedMap& map, Box box, float cell, float room, const Composer& pen) {
  const Theme& theme = pen.theme;
  const std::int64_t from_key = is_square_map(map) ? map.from : 0;
  const auto named = [](const std::vector<std::string>& labels, std::int64_t at) {
    return at < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(at)] : std::string();
  };
  for (std::int64_t i = 0; i < map.scores.dim(0); ++i)
    pen.text(box.x - 6, box.y + (static_cast<float>(i) + 0.5f) * cell, named(input.queries, map.from + i), kMapLabel, Font::mono,
             map.from + i == input.hot_query ? theme.selected : theme.text, Align::end, room - 6);
  for (std::int64_t j = 0; j < map.scores.dim(1); ++j) {
    Text t = text_at(named(input.keys, from_key + j), {box.x + (static_cast<float>(j) + 0.5f) * cell, box.y - 6}, kMapLabel,
                     Font::mono, from_key + j == input.hot_key ? theme.selected : theme.text);
    t.rotation = 90;
    t.max_width = room - 6;
    pen.figure.add(std::move(t));
  }
}

// The chosen one's scores, row by column; the pair under the mouse is ringed both ways.
void draw_map(const RelationsInput& input, std::size_t which, Box room, const Composer& pen) {
  const Theme& theme = pen.theme;
  const RelatedMap& map = input.maps[which];
  const float side = std::min(room.w, room.h - 18), names = labels_room(input, side, map, pen.measure);
  const Box box = map_box(map, room.x + names, room.y + names, side - names);
  Cells cells = relation_cells(input, which, box);
  cells.tag = {Tag::cell_area, 0, 0};
  const float cell = box.w / static_cast<float>(cells.columns);
  add_cells(pen.figure, std::move(cells), theme);
  if (names > 0) draw_map_labels(input, map, box, cell, names, pen);
  const auto ring = [&](std::int64_t query, std::int64_t key) {
    const std::int64_t i = query - map.from, j = key - (is_square_map(map) ? map.from : 0);
    if (i < 0 || j < 0 || i >= map.scores.dim(0) || j >= map.scores.dim(1)) return;
    pen.box({box.x + static_cast<float>(j) * cell - 1, box.y + static_cast<float>(i) * cell - 1, cell + 2, cell + 2},
            {0, 0, 0, 0}, theme.selected, 2, 2);
  };
  if (input.hot_query >= 0 && input.hot_key >= 0) {
    ring(input.hot_query, input.hot_key);
    if (is_square_map(map)) ring(input.hot_key, input.hot_query);
  }
  // Under a small map the words begin further to the left, where the rows' names end above them; with no room they are left out.
  const std::string asks = first_that_fits({tr("row asks column"), ""}, room.w, 13, Font::words, pen.measure);
  const float wide = pen.measure.width(asks, 13, Font::words),
              left = std::max(room.x, room.x + std::min(names, room.w - wide - 2));
  pen.text(left, box.y + box.h + 11, asks, 13, Font::words, theme.secondary);
}

}  // namespace

Figure relation_rows(const RelationsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(tr("What asks, what is matched, what is handed on"), width, height, theme);
  const Composer pen{figure, theme, measure};
  const std::string widths =
      fill(tr("maps from width {} to {}"), {std::to_string(input.from_width), std::to_string(input.to_width)});
  const float widths_wide = measure.width(widths, 13, Font::words);
  const bool both = measure.width(figure.title, 16, Font::words_bold) + widths_wide + 16 <= width;
  pen.text(0, 10, figure.title, 16, Font::words_bold, theme.text, Align::start, both ? width - widths_wide - 10 : width);
  if (both && input.to_width > 0) pen.text(width, 10, widths, 13, Font::words, theme.secondary, Align::end);
  std::size_t chosen = input.maps.size();
  for (std::size_t i = 0; i < input.maps.size(); ++i)
    if (input.maps[i].relation == input.chosen && input.maps[i].possible) chosen = i;
  const float high = height - kRowsTop, side = std::min(high - 18, std::max(96.0f, width * (height > kTallRows ? 0.42f : 0.22f)));
  const bool map = chosen < input.maps.size() && side >= 90 && width - side - 20 >= 340;
  const float rows = map ? width - side - 20 : width;
  const auto count = static_cast<float>(std::max<std::size_t>(1, input.maps.size()));
  const float each = (high - kRowGap * (count - 1)) / count;
  for (std::size_t i = 0; i < input.maps.size(); ++i)
    draw_relation(input, i, {0.5f, kRowsTop + static_cast<float>(i) * (each + kRowGap), rows - 1, each - 0.5f}, pen);
  if (map) draw_map(input, chosen, {rows + 20, kRowsTop, side, high}, pen);
  std::vector<double> given;
  std::vector<std::string> names;
  std::size_t wide = 0;
  for (std::size_t i = 0; i < input.maps.size(); ++i) {
    if (input.maps[i].given.empty()) continue;
    wide = input.maps[i].given.size();
    given.insert(given.end(), input.maps[i].given.begin(), input.maps[i].given.end());
    names.emplace_back(name_of(input.maps[i].relation));
  }
  if (chosen < input.maps.size()) figure.data.push_back({"score", input.maps[chosen].scores, {"query", "key"}, {{}, {}}});
  if (wide > 0)
    figure.data.push_back({"handed on",
                           Tensor::of(given, {static_cast<std::int64_t>(names.size()), static_cast<std::int64_t>(wide)}),
                           {"relation", "d"},
                           {names, {}}});
  return figure;
}

}  // namespace headlight::figures
