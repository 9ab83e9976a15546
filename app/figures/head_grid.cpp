// All heads of all layers as thumbnails: rows are layers, columns are heads.
#include <algorithm>
#include <cmath>

#include "app/figures/labels.h"
#include "app/figures/layouts.h"
#include "app/figures/legend.h"

namespace headlight::figures {
namespace {

constexpr float kMargin = 16, kTitle = 18, kAxis = 13, kTick = 13, kMostSlot = 168;

Text text_at(std::string s, Point at, float size, Font font, Color color) {
  Text t;
  t.text = std::move(s);
  t.at = at;
  t.size = size;
  t.font = font;
  t.color = color;
  return t;
}

// The largest box of the matrix's proportions within a slot, centred. Very long ones stay at least an eighth as wide as tall.
Box fitted(Box slot, std::int64_t rows, std::int64_t columns) {
  const float ratio = std::clamp(static_cast<float>(columns) / static_cast<float>(std::max<std::int64_t>(rows, 1)), 0.125f, 8.0f);
  const float w = std::min(slot.w, slot.h * ratio), h = w / ratio;
  return {slot.x + (slot.w - w) / 2, slot.y + (slot.h - h) / 2, w, h};
}

}  // namespace

Figure head_grid(const GridInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.background = theme.background;
  figure.title = input.title;
  figure.width = box_width;
  figure.height = box_height;
  if (input.layers < 1 || input.heads < 1) return figure;

  const float margin = input.bare ? 4 : kMargin;
  const float axis_line = measure.line_height(kAxis, Font::words), tick_line = measure.line_height(kTick, Font::mono);
  const bool row_axis = !input.bare && !input.row_axis.empty(), column_axis = !input.bare && !input.column_axis.empty();
  const float title_room = input.bare || input.title.empty() ? 0 : measure.line_height(kTitle, Font::words_bold) + 10;
  const float layer_wide = measure.width(std::to_string(input.first_layer + input.layers - 1), kTick, Font::mono);
  const float head_wide = measure.width(std::to_string(input.heads - 1), kTick, Font::mono);
  const float inner = box_width - 2 * margin;

  Legend legend;
  legend.colormap = input.colormap;
  legend.low = input.low;
  legend.high = input.high;
  legend.range_words = input.range_words;
  legend.notes = {input.cell_words, input.note};
  for (const Tensor& mask : input.masks) {
    if (mask.empty()) continue;
    const auto values = mask.as(DType::u8).compact();
    const auto cells = values.values<std::uint8_t>();
    if (std::find(cells.begin(), cells.end(), std::uint8_t{0}) == cells.end()) continue;
    legend.masked = true;
    break;
  }

  const float left = margin + (row_axis ? axis_line + 6 : 0) + layer_wide + 8;
  const float top = margin + title_room + (column_axis ? axis_line + 4 : 0) + tick_line + 4;
  const float below = input.bare ? margin : 14 + legend_height(legend, inner, measure) + margin;
  const auto across = static_cast<float>(input.heads), down = static_cast<float>(input.layers);
  float pitch = std::min((box_width - margin - left) / across, (box_height - below - top) / down);
  pitch = std::clamp(pitch, 2.0f, kMostSlot);
  if (pitch > 8) pitch = std::floor(pitch);
  const float gap = pitch >= 24 ? 6 : pitch >= 12 ? 3 : pitch >= 6 ? 1 : 0;
  const float right = left + pitch * across, bottom = top + pitch * down;

  if (title_room > 0) {
    Text t = text_at(input.title, {margin, margin}, kTitle, Font::words_bold, theme.text);
    t.vertical = Align::start;
    t.max_width = inner;
    figure.add(std::move(t));
  }
  // The selected and the hovered numbers give no way to others.
  for (const std::int64_t i :
       ticks(0, input.layers, pitch, tick_line, input.hot_layer >= 0 ? input.hot_layer : input.selected_layer)) {
    const bool lit = i == input.selected_layer || i == input.hot_layer;
    Text t = text_at(std::to_string(input.first_layer + i), {left - 8, top + (static_cast<float>(i) + 0.5f) * pitch}, kTick,
                     Font::mono, lit ? theme.selected : theme.secondary);
    t.horizontal = Align::end;
    figure.add(std::move(t));
  }
  for (const std::int64_t i :
       ticks(0, input.heads, pitch, head_wide + 4, input.hot_head >= 0 ? input.hot_head : input.selected_head)) {
    const bool lit = i == input.selected_head || i == input.hot_head;
    Text t = text_at(std::to_string(i), {left + (static_cast<float>(i) + 0.5f) * pitch, top - 4}, kTick, Font::mono,
                     lit ? theme.selected : theme.secondary);
    t.horizontal = Align::middle;
    t.vertical = Align::end;
    figure.add(std::move(t));
  }

  for (std::int64_t layer = 0; layer < input.layers; ++layer) {
    for (std::int64_t head = 0; head < input.heads; ++head) {
      const auto at = static_cast<std::size_t>(layer * input.heads + head);
      const Box slot{left + static_cast<float>(head) * pitch, top + static_cast<float>(layer) * pitch, pitch, pitch};
      const Box inside{slot.x + gap / 2, slot.y + gap / 2, pitch - gap, pitch - gap};
      const Tag tag{Tag::thumbnail, layer, head};
      Rectangle behind;  // the whole slot answers the mouse, not only the cells
      behind.box = slot;
      behind.tag = tag;
      figure.add(behind);
      if (at >= input.values.size() || input.values[at].empty() || input.values[at].rank() != 2) continue;
      Cells cells;
      cells.rows = input.values[at].dim(0);
      cells.columns = input.values[at].dim(1);
      if (cells.rows < 1 || cells.columns < 1) continue;
      cells.box = fitted(inside, cells.rows, cells.columns);
      cells.values = input.values[at].as(DType::f32).compact();
      if (at < input.masks.size()) cells.mask = input.masks[at];
      cells.colormap = input.colormap;
      cells.low = input.low;
      cells.high = input.high;
      cells.gap = 0;  // thumbnails are patterns: lines between their cells would only dim them
      cells.key = at < input.keys.size() ? input.keys[at] : 0;
      cells.tag = tag;
      figure.add(std::move(cells));
    }
  }
  const auto outline = [&](std::int64_t layer, std::int64_t head, float line) {
    if (layer < 0 || head < 0 || layer >= input.layers || head >= input.heads) return;
    Rectangle r;
    const float out = gap >= 6 ? 1.0f : 0.0f;
    r.box = {left + static_cast<float>(head) * pitch + gap / 2 - out, top + static_cast<float>(layer) * pitch + gap / 2 - out,
             pitch - gap + 2 * out, pitch - gap + 2 * out};
    r.stroke = theme.selected;
    r.line = line;
    r.radius = pitch >= 24 ? 4 : 1;
    figure.add(r);
  };
  if (input.hot_layer != input.selected_layer || input.hot_head != input.selected_head)
    outline(input.hot_layer, input.hot_head, 1);
  outline(input.selected_layer, input.selected_head, 2);

  float reach = right;
  if (column_axis) {
    Text t = text_at(input.column_axis, {left + pitch * across / 2, margin + title_room}, kAxis, Font::words, theme.secondary);
    t.horizontal = Align::middle;
    t.vertical = Align::start;
    reach = std::max(reach, t.at.x + measure.width(t.text, kAxis, Font::words) / 2);
    figure.add(std::move(t));
  }
  if (row_axis) {
    const float wide = measure.width(input.row_axis, kAxis, Font::words);
    Text t = text_at(input.row_axis, {margin + axis_line / 2, std::min((top + bottom) / 2, bottom - wide / 2)}, kAxis,
                     Font::words, theme.secondary);
    t.horizontal = Align::middle;
    t.rotation = 90;
    figure.add(std::move(t));
  }
  float end = bottom + margin;
  if (!input.bare) {
    const float needs = legend_width(legend, inner, measure);
    const float legend_left = std::max(margin, std::min(left, box_width - margin - needs));
    const float room = box_width - margin - legend_left;
    const std::size_t first = figure.items.size();
    add_legend(figure, legend, legend_left, bottom + 14, room, right - left, theme, measure);
    for (std::size_t i = first; i < figure.items.size(); ++i) {
      if (const auto* t = std::get_if<Text>(&figure.items[i]); t && t->horizontal == Align::start) {
        reach = std::max(reach, t->at.x + measure.width(t->text, t->size, t->font));
      }
      if (const auto* bar = std::get_if<ColorBar>(&figure.items[i])) reach = std::max(reach, bar->box.x + bar->box.w);
    }
    if (title_room > 0) reach = std::max(reach, margin + measure.width(input.title, kTitle, Font::words_bold));
    end = bottom + 14 + legend_height(legend, room, measure) + margin - 4;
  }
  figure.width = std::min(box_width, std::ceil(reach + margin));
  figure.height = std::min(box_height, std::ceil(end));
  return figure;
}

}  // namespace headlight::figures
