#include "app/views/walk/broadcast_picture.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/legend.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

Broadcast::Part part_of(std::string name, const Tensor& mask, std::int64_t batch, std::int64_t limit) {
  Broadcast::Part part;
  part.name = std::move(name);
  part.shape = mask.shape();
  const Tensor one = mask.select(0, mask.dim(0) == 1 ? 0 : batch).select(0, 0);
  const std::int64_t rows = one.dim(0), columns = one.dim(1);
  part.row_block = (rows + limit - 1) / limit;
  part.column_block = (columns + limit - 1) / limit;
  const auto blocks = [](std::int64_t count, std::int64_t block) { return block > 0 ? (count + block - 1) / block : 0; };
  part.cells = Tensor(DType::u8, {blocks(rows, part.row_block), blocks(columns, part.column_block)});
  for (std::int64_t r = 0; r < part.cells.dim(0); ++r)
    for (std::int64_t c = 0; c < part.cells.dim(1); ++c) {
      bool may = false;
      for (std::int64_t i = r * part.row_block; i < std::min(rows, (r + 1) * part.row_block) && !may; ++i)
        for (std::int64_t j = c * part.column_block; j < std::min(columns, (c + 1) * part.column_block) && !may; ++j)
          may = one.at({i, j}) != 0;
      part.cells.data<std::uint8_t>()[r * part.cells.dim(1) + c] = may;
    }
  return part;
}

}  // namespace

Broadcast broadcast_of(const masks::Combined& combined, std::int64_t batch, const Shape& full, std::int64_t limit) {
  Broadcast out;
  out.full = full;
  for (const masks::Part& part : combined.parts) {
    const masks::Entry* entry = masks::registry().find(part.choice.id);
    out.parts.push_back(part_of(entry ? entry->label : part.choice.id, part.mask, batch, limit));
    out.parts.back().widens = part.role == masks::Role::widens;
  }
  if (!combined.mask.empty()) out.applied = part_of("applied", combined.mask, batch, limit);
  return out;
}

Figure broadcast(const Broadcast& input, float width, float tile, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  figure.width = width;
  const auto n = static_cast<double>(input.full[2]), m = static_cast<double>(input.full[3]);
  // A full grid has the matrix's proportions, within limits.
  const float wide = static_cast<float>(std::clamp(m / std::max(n, 1.0), 0.5, 1.6)) * tile;
  const auto one_row = [&](const Broadcast::Part& p) { return p.shape[2] == 1 && input.full[2] > 1; };
  const auto one_column = [&](const Broadcast::Part& p) { return p.shape[3] == 1 && input.full[3] > 1; };
  // The part's own cells, or with their copies, of which the share 0..1 is there.
  const auto grid = [&](const Broadcast::Part& part, Box place, float share, bool copies) {
    const std::int64_t own_rows = part.cells.dim(0), own_columns = part.cells.dim(1);
    const std::int64_t rows = copies && one_row(part) ? std::min<std::int64_t>(input.full[2], 16) : own_rows;
    const std::int64_t columns = copies && one_column(part) ? std::min<std::int64_t>(input.full[3], 16) : own_columns;
    if (rows == 0 || columns == 0) return;
    const float w = place.w / static_cast<float>(columns), h = place.h / static_cast<float>(rows);
    const float gap = std::min(w, h) > 4 ? 1.0f : 0.0f;
    const auto shown_rows = static_cast<std::int64_t>(std::ceil(static_cast<float>(rows) * share));
    const auto shown_columns = static_cast<std::int64_t>(std::ceil(static_cast<float>(columns) * share));
    const std::int64_t last_row = own_rows < rows ? std::max<std::int64_t>(1, shown_rows) : rows;
    const std::int64_t last_column = own_columns < columns ? std::max<std::int64_t>(1, shown_columns) : columns;
    figure.add(hatched({place.x, place.y, w * static_cast<float>(last_column) - gap, h * static_cast<float>(last_row) - gap}));
    for (std::int64_t r = 0; r < last_row; ++r)
      for (std::int64_t c = 0; c < last_column; ++c) {
        if (part.cells.at({std::min(r, own_rows - 1), std::min(c, own_columns - 1)}) == 0) continue;
        const bool copy = r >= own_rows || c >= own_columns;
        const float k = copy ? 0.42f : 0.85f;
        const Color a = theme.panel, b = theme.info;
        pen.box({place.x + static_cast<float>(c) * w, place.y + static_cast<float>(r) * h, w - gap, h - gap},
                {a.r + (b.r - a.r) * k, a.g + (b.g - a.g) * k, a.b + (b.b - a.b) * k, 1});
      }
  };
  const auto arrow = [&](float x, float y, Color color) {
    pen.line({x, y}, {x + 13, y}, color, 1.5f);
    Polygon head;
    head.points = {{x + 18, y}, {x + 11, y - 4}, {x + 11, y + 4}};
    head.fill = color;
    figure.add(std::move(head));
  };
  const auto repeats = [&](const Broadcast::Part& p) -> std::string {
    if (one_row(p) && one_column(p)) return fill(tr("one cell, used {} times"), {std::to_string(input.full[2] * input.full[3])});
    if (one_row(p)) return fill(tr("1 row for {} queries"), {std::to_string(input.full[2])});
    if (one_column(p)) return fill(tr("1 column for {} keys"), {std::to_string(input.full[3])});
    return tr("already full");
  };
  const auto words = [&](float x, float middle, const std::string& name, const std::string& shape, const std::string& said,
                         Color color) {
    const float room = width - x, line = measure.line_height(13, Font::words) + 1;
    const bool three = tile + 10 >= 3 * line;
    float y = middle - (three ? line : line / 2);
    pen.text(x, y, name, 13, Font::words_bold, color, Align::start, room);
    y += line;
    pen.text(x, y, shape, 13, Font::mono, theme.text, Align::start, room);
    if (three) pen.text(x, y + line, said, 13, Font::words, theme.secondary, Align::start, room);
  };

  float y = 0;
  for (const Broadcast::Part& part : input.parts) {
    const float w = one_column(part) ? std::max(7.0f, wide / 12) : wide, h = one_row(part) ? std::max(7.0f, tile / 12) : tile;
    grid(part, {0, y + (tile - h) / 2, w, h}, 1, false);
    arrow(wide + 7, y + tile / 2, theme.secondary);
    grid(part, {wide + 34, y, wide, tile}, input.progress, true);
    words(2 * wide + 46, y + tile / 2, (part.widens ? "+ " : "") + std::string(tr(part.name.c_str())), to_string(part.shape),
          repeats(part), theme.text);
    y += tile + 12;
  }

  const std::int64_t heads = input.full[1];
  const Broadcast::Part& part = input.applied;
  const auto slabs = static_cast<int>(std::min<std::int64_t>(heads, 5));
  const float lift = 4, back = lift * static_cast<float>(slabs - 1);
  const std::string over =
      heads == 1 ? std::string(tr("for the one head")) : fill(tr("for each of {} heads"), {std::to_string(heads)});
  // The AND of the parts, then the same slab once per head.
  float x = 0;
  if (input.parts.size() > 1) {
    grid(part, {0, y, wide, tile}, 1, true);
    arrow(wide + 7, y + tile / 2, theme.selected);
    x = wide + 34;
  }
  const float high = tile - back, w = wide - back;
  for (int k = slabs - 1; k >= 0; --k) {
    const float shift = lift * static_cast<float>(k) * std::min(1.0f, input.progress * 1.2f);
    const Box slab{x + shift, y + back - shift, w, high};
    if (k > 0) {
      pen.box(slab, theme.raised, theme.line, 1);
    } else {
      pen.box(slab, theme.panel);
      if (input.parts.empty()) {
        Broadcast::Part all;
        all.shape = {1, 1, input.full[2], input.full[3]};
        all.cells = Tensor(DType::u8, {std::min<std::int64_t>(input.full[2], 16), std::min<std::int64_t>(input.full[3], 16)});
        std::fill_n(all.cells.data<std::uint8_t>(), all.cells.count(), std::uint8_t{1});
        grid(all, slab, 1, true);
      } else {
        grid(part, slab, 1, true);
      }
    }
  }
  const bool widened = std::any_of(input.parts.begin(), input.parts.end(), [](const Broadcast::Part& p) { return p.widens; });
  words(std::max(x + wide + 12, input.parts.size() > 1 ? 2 * wide + 46 : 0.0f), y + tile / 2,
        input.parts.empty()      ? tr("no mask: 1 everywhere")
        : input.parts.size() > 1 ? (widened ? tr("combined: applied") : tr("AND: applied"))
                                 : tr("applied"),
        to_string(input.full), over, theme.selected);
  figure.height = y + tile + 16;
  return figure;
}

}  // namespace headlight::figures
