#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/patches/pictures.h"

namespace headlight::figures {
namespace {

constexpr float kHeat = 0.72f, kPatchAxisLeft = 26, kAxisTop = 20, kLegendRoom = 26, kNumberSize = 12, kPatchSmallSize = 13,
                kTitleRoom = 24, kTileGap = 8, kTileInset = 5, kTileLabel = 20, kSmallestTile = 56;

// Where a picture's parts lie.
struct PatchPlace {
  Box box;         // of the whole picture
  float cell = 1;  // side of a patch in points
  Box patch(std::int64_t row, std::int64_t column, std::int64_t count = 1) const {
    return {box.x + static_cast<float>(column) * cell, box.y + static_cast<float>(row) * cell, cell * static_cast<float>(count),
            cell * static_cast<float>(count)};
  }
};

PatchPlace placed(const PatchPictureInput& input, Box room) {
  const float scale = std::min(room.w / input.width, room.h / input.height);
  return {{room.x, room.y, input.width * scale, input.height * scale}, static_cast<float>(input.side) * scale};
}

// A cell of the heat, cut off where the patches end.
Box region_box(const PatchPictureInput& input, const PatchPlace& place, std::int64_t row, std::int64_t column) {
  const std::int64_t k = input.region, below = std::min(input.rows, (row + 1) * k),
                     right = std::min(input.columns, (column + 1) * k);
  const Box first = place.patch(row * k, column * k);
  return {first.x, first.y, static_cast<float>(right - column * k) * place.cell,
          static_cast<float>(below - row * k) * place.cell};
}

void draw_heat(const PatchPictureInput& input, const Tensor& heat, const PatchPlace& place, const Composer& pen) {
  const Colormap* const map = colormaps().find(input.colormap);
  if (heat.empty() || !map) return;
  const float range = input.high > input.low ? input.high - input.low : 1;
  for (std::int64_t r = 0; r < heat.dim(0); ++r)
    for (std::int64_t c = 0; c < heat.dim(1); ++c) {
      const auto value = static_cast<float>(heat.at({r, c}));
      pen.box(region_box(input, place, r, c),
              with_alpha(map->at(std::clamp((value - input.low) / range, 0.0f, 1.0f), pen.theme), kHeat));
    }
}

// What fills no patch is faded.
void draw_left_out(const PatchPictureInput& input, const PatchPlace& place, const Composer& pen) {
  if (input.rows == 0) return;
  const float right = place.box.x + static_cast<float>(input.columns) * place.cell,
              below = place.box.y + static_cast<float>(input.rows) * place.cell;
  const float end_x = place.box.x + place.box.w, end_y = place.box.y + place.box.h;
  const Color fade = with_alpha(pen.theme.background, 0.75f);
  if (end_x - right > 0.3f) pen.box({right, place.box.y, end_x - right, place.box.h}, fade);
  if (end_y - below > 0.3f) pen.box({place.box.x, below, right - place.box.x, end_y - below}, fade);
}

void draw_patch_grid(const PatchPictureInput& input, const PatchPlace& place, const Composer& pen) {
  if (place.cell < 3) return;
  const Color color = with_alpha(pen.theme.background, place.cell < 8 ? 0.3f : 0.55f);
  const float right = place.box.x + static_cast<float>(input.columns) * place.cell,
              below = place.box.y + static_cast<float>(input.rows) * place.cell;
  for (std::int64_t c = 1; c <= input.columns; ++c) {
    const float x = place.box.x + static_cast<float>(c) * place.cell;
    pen.line({x, place.box.y}, {x, below}, color, 1);
  }
  for (std::int64_t r = 1; r <= input.rows; ++r) {
    const float y = place.box.y + static_cast<float>(r) * place.cell;
    pen.line({place.box.x, y}, {right, y}, color, 1);
  }
}

void ring(const PatchPictureInput& input, const PatchPlace& place, const Composer& pen, std::int64_t patch, float width) {
  if (patch < 0 || patch >= input.rows * input.columns) return;
  const Box box = place.patch(patch / input.columns, patch % input.columns);
  pen.box(box, {0, 0, 0, 0}, pen.theme.selected, width, 1);
}

// The query is a ring with a dot, so that it is told from a key without colours.
void draw_marks(const PatchPictureInput& input, const PatchPlace& place, const Composer& pen) {
  ring(input, place, pen, input.pinned, 2);
  ring(input, place, pen, input.hot, 2);
  ring(input, place, pen, input.query, 3);
  if (input.query >= 0 && input.query < input.rows * input.columns && place.cell >= 8) {
    const Box box = place.patch(input.query / input.columns, input.query % input.columns);
    pen.figure.add(Disc{{box.x + box.w / 2, box.y + box.h / 2}, std::min(4.0f, box.w / 5), pen.theme.selected, {}});
  }
  if (input.hot_region >= 0 && !input.heat.empty() && input.hot_region < input.heat.count()) {
    const std::int64_t columns = input.heat.dim(1);
    pen.box(region_box(input, place, input.hot_region / columns, input.hot_region % columns), {0, 0, 0, 0}, pen.theme.selected, 2,
            1);
  }
}

void draw_patch_axes(const PatchPictureInput& input, const PatchPlace& place, const Composer& pen) {
  if (input.rows == 0) return;
  const std::int64_t shown = input.hot >= 0 ? input.hot : input.query;
  const std::int64_t hot_row = shown >= 0 ? shown / input.columns : -1, hot_column = shown >= 0 ? shown % input.columns : -1;
  const float digit = pen.measure.width("0", kNumberSize, Font::mono), need = digit * (input.columns > 100 ? 3.0f : 2.0f) + 6;
  for (const std::int64_t c : ticks(0, input.columns, place.cell, need, hot_column))
    pen.text(place.patch(0, c).x + place.cell / 2, place.box.y - 9, std::to_string(c), kNumberSize, Font::mono,
             c == hot_column ? pen.theme.selected : pen.theme.secondary, Align::middle, 0, kAxisTag);
  for (const std::int64_t r : ticks(0, input.rows, place.cell, 14, hot_row))
    pen.text(place.box.x - 6, place.patch(r, 0).y + place.cell / 2, std::to_string(r), kNumberSize, Font::mono,
             r == hot_row ? pen.theme.selected : pen.theme.secondary, Align::end, 0, kAxisTag);
}

// Within `width` points; returns where it ends.
float draw_patch_legend(const PatchPictureInput& input, const PatchPlace& place, float width, const Composer& pen) {
  constexpr float kBar = 90;
  constexpr Tag kLegendTag{Tag::none, 0, 0, Part::legend};
  const float y = place.box.y + place.box.h + kLegendRoom / 2 + 2;
  float x = place.box.x;
  const auto words = [&](const std::string& text, Font font, Tag tag) {
    const float wide = pen.measure.width(text, kNumberSize, font);
    if (text.empty() || x + wide > width) return;
    pen.text(x, y, text, kNumberSize, font, pen.theme.secondary, Align::start, 0, tag);
    x += wide + 6;
  };
  if (!input.heat.empty()) {
    words(range_number(static_cast<double>(input.low)), Font::mono, kLegendTag);
    pen.figure.add(ColorBar{{x, y - 5, kBar, 10}, input.colormap, false, kLegendTag});
    x += kBar + 6;
    words(cell_number(static_cast<double>(input.high), input.high < 0.1f ? 4 : 2), Font::mono, kLegendTag);
    words(input.quantity, Font::words, kLegendTag);
    x += 10;
  }
  words(input.note, Font::words, kNoteTag);
  return x;
}

void draw_picture(const PatchPictureInput& input, const Tensor& heat, const PatchPlace& place, const Composer& pen, bool grid) {
  Photo photo = input.photo;
  photo.box = place.box;
  pen.figure.add(std::move(photo));
  draw_heat(input, heat, place, pen);
  draw_left_out(input, place, pen);
  if (grid) draw_patch_grid(input, place, pen);
}

// The width of a tile if `in_row` tiles fill `width`.
float tile_width(std::size_t in_row, float width) { return (width + kTileGap) / static_cast<float>(in_row) - kTileGap; }

// The distance from one row of tiles to the next.
float tile_pitch(const PatchTilesInput& input, float tile) {
  return kTileLabel + (tile - 2 * kTileInset) * input.picture.height / input.picture.width + 2 * kTileInset + kTileGap;
}

// The width of tiles of which one row is `high` points high.
float tile_as_high(const PatchTilesInput& input, float high) {
  return (high - 1 - kTileLabel - 2 * kTileInset) * input.picture.width / input.picture.height + 2 * kTileInset;
}

struct TileRows {
  std::size_t in_row = 1;
  float tile = 0;  // its width
};
TileRows tile_rows(const PatchTilesInput& input, float width) {
  const auto count = static_cast<float>(std::max<std::size_t>(1, input.tiles.size()));
  const float most = std::floor((width + kTileGap) / (input.least_tile + kTileGap));
  const auto in_row =
      static_cast<std::size_t>(input.in_row > 0 ? static_cast<float>(input.in_row) : std::max(1.0f, std::min(count, most)));
  return {in_row, std::min(input.most_tile, tile_width(in_row, width))};
}

// What a picture leaves free at its left, above and below.
struct Edges {
  float left = 2, top = 2, below = 2;
};
Edges edges_of(const PatchPictureInput& input) {
  const float title = input.title.empty() ? 0 : kTitleRoom;
  return {input.numbers ? kPatchAxisLeft : 2, title + (input.numbers ? kAxisTop : 2), input.legend ? kLegendRoom : 2};
}

}  // namespace

float patch_picture_height(const PatchPictureInput& input, float width) {
  const Edges edges = edges_of(input);
  return edges.top + std::max(24.0f, width - edges.left - 2) * input.height / input.width + edges.below;
}

Figure patch_picture(const PatchPictureInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.background = theme.background;
  figure.title = input.title;
  const Composer pen{figure, theme, measure};
  const auto [left, top, below] = edges_of(input);
  const PatchPlace place = placed(input, {left, top, std::max(24.0f, width - left - 2), std::max(24.0f, height - top - below)});
  figure.width = std::max(std::min(width, 180.0f), place.box.x + place.box.w + 2);
  figure.height = place.box.y + place.box.h + below;
  if (!input.title.empty())
    pen.text(left, 10, input.title, kPatchSmallSize, Font::words_bold, theme.text, Align::start, figure.width - left, kTitleTag);
  draw_picture(input, input.heat, place, pen, true);
  if (input.numbers) draw_patch_axes(input, place, pen);
  draw_marks(input, place, pen);
  // A narrow picture has its legend beyond its edge rather than none.
  if (input.legend) figure.width = std::max(figure.width, draw_patch_legend(input, place, std::max(width, figure.width), pen));
  for (std::int64_t r = 0; r < input.rows; ++r)
    for (std::int64_t c = 0; c < input.columns; ++c)
      pen.box(place.patch(r, c), {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::cell, r, c});
  if (!input.heat.empty()) figure.data.push_back({input.data_name, input.heat, {"row", "column"}});
  return figure;
}

float patch_tiles_height(const PatchTilesInput& input, float width) {
  const TileRows rows = tile_rows(input, width);
  const std::size_t count = (std::max<std::size_t>(1, input.tiles.size()) + rows.in_row - 1) / rows.in_row;
  return static_cast<float>(count) * tile_pitch(input, rows.tile) - kTileGap + 1;
}

void fit_patch_tiles(PatchTilesInput& input, float width, float height, float most) {
  const std::size_t count = std::max<std::size_t>(1, input.tiles.size());
  for (std::size_t in_row = 1; in_row <= count; ++in_row) {
    float tile = std::min(most, tile_width(in_row, width));
    if (in_row > 1 && tile < kSmallestTile) return;
    if (in_row == count) tile = std::clamp(tile_as_high(input, height), std::min(kSmallestTile, tile), tile);
    input.least_tile = std::min(input.least_tile, tile);
    input.most_tile = tile;
    input.in_row = static_cast<std::int64_t>(in_row);
    if (patch_tiles_height(input, width) <= height + 0.5f) return;
  }
}

Figure patch_tiles(const PatchTilesInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, 0, theme);
  const Composer pen{figure, theme, measure};
  const auto [in_row, tile] = tile_rows(input, width);
  const float picture = tile - 2 * kTileInset, high = tile_pitch(input, tile) - kTileGap;
  float x = 0, y = 0;
  for (std::size_t i = 0; i < input.tiles.size(); ++i) {
    const PatchTilesInput::Tile& one = input.tiles[i];
    const auto number = static_cast<std::int64_t>(i);
    if (x > 0 && (x + tile > width + 0.5f || i % in_row == 0)) {
      x = 0;
      y += high + kTileGap;
    }
    const bool selected = number == input.selected;
    pen.box({x, y, tile, high}, selected ? theme.raised : theme.panel,
            selected || number == input.hot ? theme.selected : theme.line, selected ? 2.0f : 1.0f, 6);
    pen.text(x + tile / 2, y + kTileInset + kTileLabel / 2 - 2, one.label, kPatchSmallSize,
             input.tokens ? Font::mono : Font::words, selected ? theme.selected : theme.text, Align::middle, tile - 8);
    const PatchPlace place = placed(input.picture, {x + kTileInset, y + kTileInset + kTileLabel - 2, picture, high});
    draw_picture(input.picture, one.heat, place, pen, false);
    if (input.picture.query >= 0) ring(input.picture, place, pen, input.picture.query, 1.5f);
    pen.box({x, y, tile, high}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::link, number, 0});
    x += tile + kTileGap;
  }
  figure.height = y + high + 1;
  if (input.tiles.empty() || input.tiles.front().heat.empty()) return figure;
  const std::int64_t rows = input.tiles.front().heat.dim(0), columns = input.tiles.front().heat.dim(1);
  Tensor all(DType::f32, {static_cast<std::int64_t>(input.tiles.size()), rows, columns}, {"tile", "row", "column"});
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < input.tiles.size(); ++i) {
    labels.push_back(input.tiles[i].label);
    const Tensor heat = input.tiles[i].heat.as(DType::f32).compact();
    std::copy_n(heat.data<float>(), rows * columns, all.data<float>() + static_cast<std::int64_t>(i) * rows * columns);
  }
  figure.data.push_back({input.picture.data_name, std::move(all), {"tile", "row", "column"}, {labels, {}, {}}});
  return figure;
}

}  // namespace headlight::figures
