#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "app/figures/long_texts/long_figures.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kTileGap = 8, kGroupGap = 18, kTileInset = 6, kLeastTile = 84, kMostTile = 132, kTileSize = 13, kTileLine = 17,
                kGroupHead = 24;

Color faded(Color color, float alpha) { return with_alpha(color, alpha); }

void add_dashed_border(const Composer& pen, Box box, Color color) {
  const auto dashes = [&](Point from, Point to) {
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    for (float at = 0; at < length; at += 6) {
      const float end = std::min(length, at + 3);
      const auto on = [&](float where) {
        return Point{from.x + (to.x - from.x) * where / length, from.y + (to.y - from.y) * where / length};
      };
      pen.line(on(at), on(end), color, 1);
    }
  };
  dashes({box.x, box.y}, {box.x + box.w, box.y});
  dashes({box.x, box.y + box.h}, {box.x + box.w, box.y + box.h});
  dashes({box.x, box.y}, {box.x, box.y + box.h});
  dashes({box.x + box.w, box.y}, {box.x + box.w, box.y + box.h});
}

// Step t brings device p the block of device p - t.
std::int64_t ring_step(std::int64_t device, std::int64_t block, std::int64_t devices) {
  return (device - block + devices) % devices;
}

void add_ring(const Composer& pen, Box box, std::int64_t devices, std::int64_t lit) {
  const float cell = box.w / static_cast<float>(devices);
  const std::size_t hues = pen.theme.hues.size();
  for (std::int64_t device = 0; device < devices; ++device)
    for (std::int64_t block = 0; block < devices; ++block) {
      const Color color = pen.theme.hues[1 + static_cast<std::size_t>(block) % (hues - 1)];
      const std::int64_t step = ring_step(device, block, devices);
      const Box at{box.x + static_cast<float>(block) * cell, box.y + static_cast<float>(device) * cell, cell - 1, cell - 1};
      const bool on = lit < 0 || step == lit;
      pen.box(at, faded(color, on ? 0.45f : 0.14f), step == lit ? pen.theme.selected : Color{0, 0, 0, 0}, step == lit ? 2.0f : 0,
              2, {Tag::cell, device, block});
      if (cell >= 15)
        pen.text(at.x + at.w / 2, at.y + at.h / 2, std::to_string(step), cell >= 30 ? 15 : 12, Font::mono,
                 on ? pen.theme.text : pen.theme.secondary, Align::middle);
    }
}

}  // namespace

Color method_group_color(int group, const Theme& theme) {
  return group == 0 ? theme.secondary : group == 1 ? theme.info : group == 2 ? theme.hues[4] : theme.good;
}

Figure long_tiles(const LongTilesInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, 0, theme);
  const Composer pen{figure, theme, measure};
  const auto count = static_cast<float>(input.tiles.size());
  int gaps = 0;
  for (std::size_t i = 1; i < input.tiles.size(); ++i) gaps += input.tiles[i].group != input.tiles[i - 1].group;
  const float wide = width - (count - 1) * kTileGap - static_cast<float>(gaps) * (kGroupGap - kTileGap);
  const float tile = std::clamp(wide / std::max(1.0f, count), kLeastTile, kMostTile);
  const float side = std::max(24.0f, std::min(input.map, tile - 2 * kTileInset));
  // A word that is wider than its tile is written a little smaller.
  const auto size_of = [&](const std::string& label) {
    std::string word;
    float widest = 0;
    for (const char c : label + " ") {
      if (c != ' ') {
        word += c;
        continue;
      }
      widest = std::max(widest, measure.width(word, kTileSize, Font::words));
      word.clear();
    }
    return widest <= tile - 2 * kTileInset ? kTileSize : 12;
  };
  const auto wrapped = [&](const std::string& label) {
    auto lines = wrap(label, tile - 2 * kTileInset + 4, size_of(label), Font::words, measure);
    if (lines.size() > 2) lines.resize(2);
    return lines;
  };
  float label_high = kTileLine;
  for (const LongTile& one : input.tiles)
    if (wrapped(one.label).size() > 1) label_high = 2 * kTileLine;
  const float high = kTileInset + label_high + 4 + side + 4 + 2 * kTileLine + kTileInset;

  float x = 0, y = 0, group_from = 0;
  std::size_t first = 0;
  const auto head = [&](std::size_t until) {  // over the tiles of a group in one row
    if (until == first) return;
    const auto group = static_cast<std::size_t>(input.tiles[first].group);
    const Color color = method_group_color(input.tiles[first].group, theme);
    const float end = x - kTileGap;
    std::string words = group < input.groups.size() ? input.groups[group] : std::string();
    const float room = end - group_from;
    // A narrow group has its name alone, without what it means.
    if (measure.width(words, kTileSize, Font::words) > room)
      words = words.substr(0, std::min(words.find(':'), words.find("\xEF\xBC\x9A")));
    pen.text(group_from, y + 8, words, kTileSize, Font::words, theme.secondary, Align::start, room, kAxisTag);
    pen.line({group_from, y + 18}, {end, y + 18}, color, 1.5f);
    first = until;
  };
  for (std::size_t i = 0; i < input.tiles.size(); ++i) {
    const LongTile& one = input.tiles[i];
    if (i > 0 && one.group != input.tiles[i - 1].group) {
      head(i);
      x += kGroupGap - kTileGap;
      group_from = x;
    }
    if (x > 0 && x + tile > width + 0.5f) {
      head(i);
      x = group_from = 0;
      y += kGroupHead + high + 10;
    }
    const auto number = static_cast<std::int64_t>(i);
    const bool selected = number == input.selected;
    const float top = y + kGroupHead, middle = x + tile / 2;
    pen.box({x, top, tile, high}, selected ? theme.raised : theme.panel,
            selected || number == input.hot ? theme.selected : theme.line, selected ? 2.0f : 1.0f, 6, {Tag::link, number, 0});
    const auto lines = wrapped(one.label);
    float at = top + kTileInset + label_high / 2 - kTileLine * static_cast<float>(lines.size() - 1) / 2;
    for (const std::string& line : lines) {
      pen.text(middle, at, line, size_of(one.label), Font::words, selected ? theme.selected : theme.text, Align::middle,
               tile - 4);
      at += kTileLine;
    }
    at = top + kTileInset + label_high + 4;
    const Box box{x + (tile - side) / 2, at, side, side};
    if (one.devices > 0 && one.refused.empty()) {
      add_ring(pen, box, one.devices, -1);
    } else if (one.weights.empty()) {
      pen.box(box, {0, 0, 0, 0}, theme.line, 1, 2);
      if (!one.refused.empty())
        pen.text(box.x + box.w / 2, box.y + box.h / 2, one.refused, 12, Font::words, theme.wrong, Align::middle, tile - 8);
    } else {
      Cells cells;
      cells.box = box;
      cells.rows = cells.columns = one.weights.dim(0);
      cells.values = one.shades;
      cells.mask = one.computed;
      cells.colormap = input.colormap;
      cells.high = one.high;
      cells.gap = 0;
      cells.key = one.key;
      figure.add(std::move(cells));
      if (!one.formed) add_dashed_border(pen, box, theme.secondary);
    }
    at += side + 4 + kTileLine / 2;
    const auto draw_pair = [&](float line, const char* name, const std::string& value, Color ink) {
      const float room = tile - 2 * kTileInset;
      const bool named = measure.width(value, 12, Font::mono) + measure.width(name, 12, Font::words) + 6 <= room;
      if (named) pen.text(x + kTileInset, line, name, 12, Font::words, theme.secondary);
      pen.text(x + tile - kTileInset, line, value, 12, Font::mono, ink, Align::end, room);
    };
    if (one.refused.empty()) {
      draw_pair(at, tr("cells"), one.cells, theme.text);
      draw_pair(at + kTileLine, tr("max Δ"), one.apart, one.exact ? theme.good : theme.text);
    }
    pen.box({x, top, tile, high}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::link, number, 0});
    x += tile + kTileGap;
  }
  head(input.tiles.size());
  figure.height = y + kGroupHead + high + 1;

  for (const LongTile& one : input.tiles)
    if (!one.weights.empty()) figure.data.push_back({one.label, one.weights, {"query", "key"}});
  return figure;
}

Figure ring_steps(std::int64_t devices, std::int64_t step, float side, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.background = theme.background;
  const Composer pen{figure, theme, measure};
  constexpr float kAxis = 20, kNumber = 20;
  const float cells = std::max(20.0f, side - kAxis - kNumber);
  figure.width = figure.height = kAxis + kNumber + cells;
  figure.title = tr("ring: who meets whose keys at which step");
  pen.text(kAxis + kNumber + cells / 2, 9, tr("keys of device"), kTileSize, Font::words, theme.secondary, Align::middle, cells,
           kAxisTag);
  Text turned = text_at(tr("queries of device"), {9, figure.height / 2}, kTileSize, Font::words, theme.secondary);
  turned.rotation = 90;
  turned.horizontal = Align::middle;
  turned.max_width = figure.height;
  turned.tag = kAxisTag;
  figure.add(std::move(turned));
  const float cell = cells / static_cast<float>(devices);
  for (std::int64_t i = 0; i < devices && cell >= 12; ++i) {
    const float at = kAxis + kNumber + (static_cast<float>(i) + 0.5f) * cell;
    const std::string name = std::to_string(i);
    pen.text(at, kAxis + 9, name, kTileSize, Font::mono, theme.text, Align::middle);
    pen.text(kAxis + 14, at, name, kTileSize, Font::mono, theme.text, Align::end);
  }
  add_ring(pen, {kAxis + kNumber, kAxis + kNumber, cells, cells}, devices, step);
  Tensor steps(DType::f32, {devices, devices}, {"device", "block"});
  for (std::int64_t device = 0; device < devices; ++device)
    for (std::int64_t block = 0; block < devices; ++block)
      steps.data<float>()[device * devices + block] = static_cast<float>(ring_step(device, block, devices));
  figure.data.push_back({"step", std::move(steps), {"device", "block"}});
  return figure;
}

Figure part_rows(const std::vector<PartRow>& rows, float width, float height, const Theme& theme, const TextMeasure& measure) {
  constexpr float kRow = 24;
  Figure figure = begin_picture("", width, 0, theme);
  const Composer pen{figure, theme, measure};
  float names = 0;
  for (const PartRow& row : rows) names = std::max(names, measure.width(row.name, kTileSize, Font::words));
  const auto fit = static_cast<std::size_t>(std::max(1.0f, std::floor(height / kRow)));
  const std::size_t shown = rows.size() <= fit ? rows.size() : fit - 1;
  float y = 0;
  for (std::size_t i = 0; i < shown; ++i, y += kRow) {
    const PartRow& row = rows[i];
    const Color color =
        row.hue < 0 ? theme.secondary : theme.hues[1 + static_cast<std::size_t>(row.hue) % (theme.hues.size() - 1)];
    pen.box({0, y + 4, 3, kRow - 8}, color, {0, 0, 0, 0}, 0, 1);
    pen.text(9, y + kRow / 2, row.name, kTileSize, Font::words, theme.text, Align::start, width - 10);
    float x = 9 + names + 10;
    for (std::size_t m = 0; m < row.members.size(); ++m) {
      const std::size_t after = row.members.size() - m;
      const std::string more = "+" + std::to_string(after);
      const float wide = measure.width(row.members[m], kTileSize, Font::mono) + 8;
      const float reserve = after > 1 ? measure.width("+9999", kTileSize, Font::mono) + 4 : 0;
      if (x + wide + reserve > width) {
        pen.text(x, y + kRow / 2, more, kTileSize, Font::mono, theme.secondary, Align::start, std::max(1.0f, width - x));
        break;
      }
      pen.box({x, y + 3, wide, kRow - 6}, faded(color, 0.16f), faded(color, 0.7f), 1, 3);
      pen.text(x + 4, y + kRow / 2, row.members[m], kTileSize, Font::mono, theme.text);
      x += wide + 4;
    }
  }
  if (shown < rows.size()) {
    pen.text(9, y + kRow / 2, fill(tr("{} others"), {std::to_string(rows.size() - shown)}), kTileSize, Font::words,
             theme.secondary);
    y += kRow;
  }
  figure.height = std::max(1.0f, y);
  return figure;
}

}  // namespace headlight::figures
