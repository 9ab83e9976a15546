#include "app/figures/base/non_finite.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/text/language.h"

namespace headlight::figures {

NonFinite non_finite(double value) {
  if (std::isfinite(value)) return NonFinite::none;
  return std::isnan(value) ? NonFinite::nan : value > 0 ? NonFinite::plus : NonFinite::minus;
}

float value_of(NonFinite kind) {
  using Limits = std::numeric_limits<float>;
  switch (kind) {
    case NonFinite::nan: return Limits::quiet_NaN();
    case NonFinite::plus: return Limits::infinity();
    case NonFinite::minus: return -Limits::infinity();
    case NonFinite::none: break;
  }
  return 0;
}

Color color_of(NonFinite kind) {
  return kind == NonFinite::nan ? rgb(0xff00ff) : kind == NonFinite::plus ? rgb(0xff0000) : rgb(0x00ffff);
}

void NonFiniteCount::add(double value) {
  ++cells;
  switch (non_finite(value)) {
    case NonFinite::nan: ++nan; break;
    case NonFinite::plus: ++plus; break;
    case NonFinite::minus: ++minus; break;
    case NonFinite::none: break;
  }
}

void NonFiniteCount::add(const Tensor& values, const Tensor& mask) {
  if (values.empty()) return;
  const Tensor numbers = values.as(DType::f32).compact(), shown = mask.empty() ? mask : mask.as(DType::u8).compact();
  const std::uint8_t* may = shown.empty() ? nullptr : shown.data<std::uint8_t>();
  cells += numbers.count();
  for (std::int64_t i = 0; i < numbers.count(); ++i)
    if (const float v = numbers.data<float>()[i]; !std::isfinite(v) && (!may || may[i]))
      ++(std::isnan(v) ? nan : v > 0 ? plus : minus);
}

void NonFiniteCount::add(const CellCounts& other) {
  nan += other.nan;
  plus += other.plus;
  minus += other.minus;
  cells += other.cells;
}

void NonFiniteCount::add(NonFinite kind, std::int64_t count) {
  if (kind != NonFinite::none) (kind == NonFinite::nan ? nan : kind == NonFinite::plus ? plus : minus) += count;
}

std::int64_t NonFiniteCount::of(NonFinite kind) const {
  return kind == NonFinite::nan ? nan : kind == NonFinite::plus ? plus : kind == NonFinite::minus ? minus : 0;
}

std::vector<NonFiniteCount::Line> NonFiniteCount::lines(bool brief) const {
  std::vector<Line> list;
  const auto add_line = [&](NonFinite kind, const char* name, const char* one, const char* many) {
    const std::int64_t count = of(kind);
    if (count == 0) return;
    const std::string some = grouped(count), all = grouped(cells);
    list.push_back({kind, !brief      ? fill(count == 1 ? one : many, {some, all})
                          : cells > 0 ? fill(tr("{0}: {1} of {2}"), {name, some, all})
                                      : name + (": " + some)});
  };
  if (cells == 0) {
    add_line(NonFinite::nan, "NaN", tr("{0} value is not a number"), tr("{0} values are not a number"));
    add_line(NonFinite::plus, "+∞", tr("{0} value is +∞"), tr("{0} values are +∞"));
    add_line(NonFinite::minus, "−∞", tr("{0} value is −∞"), tr("{0} values are −∞"));
    return list;
  }
  add_line(NonFinite::nan, "NaN", tr("{0} of {1} cells is not a number"), tr("{0} of {1} cells are not a number"));
  add_line(NonFinite::plus, "+∞", tr("{0} of {1} cells is +∞"), tr("{0} of {1} cells are +∞"));
  add_line(NonFinite::minus, "−∞", tr("{0} of {1} cells is −∞"), tr("{0} of {1} cells are −∞"));
  return list;
}

namespace {

// The matrices that a figure shows, without the swatches of its legend.
const Cells* shown_cells(const Item& item) {
  const auto* cells = std::get_if<Cells>(&item);
  return cells && !cells->values.empty() && cells->rows > 0 && cells->columns > 0 && cells->tag.part != Part::legend ? cells
                                                                                                                     : nullptr;
}
Tensor shown_part(const Cells& cells, const Tensor& matrix) {
  if (matrix.empty()) return matrix;
  return matrix.slice(0, cells.from_row, cells.from_row + cells.rows)
      .slice(1, cells.from_column, cells.from_column + cells.columns);
}

}  // namespace

NonFiniteParts non_finite_in(const Figure& figure) {
  NonFiniteParts parts;
  for (const Item& item : figure.items) {
    if (const Cells* cells = shown_cells(item); cells && cells->counts)
      parts.cells.add(*cells->counts);
    else if (cells)
      parts.cells.add(shown_part(*cells, cells->values), shown_part(*cells, cells->mask));
    if (const auto* mark = std::get_if<Rectangle>(&item); mark && mark->tag.kind == Tag::gap)
      parts.gaps.add(static_cast<NonFinite>(mark->tag.a), mark->tag.b);
    if (const auto* swatch = std::get_if<Cells>(&item))
      parts.counts_them |= swatch->tag.kind == Tag::non_finite && swatch->tag.b == 0;
  }
  return parts;
}

std::optional<NonFinitePlace> non_finite_place(const Figure& figure, NonFinite kind, bool gaps, std::int64_t& before) {
  for (std::size_t i = 0; i < figure.items.size(); ++i) {
    if (const auto* mark = std::get_if<Rectangle>(&figure.items[i]); gaps && mark && mark->tag.kind == Tag::gap) {
      if (mark->tag.a != static_cast<std::int64_t>(kind)) continue;
      if (before < mark->tag.b) return NonFinitePlace{i, 0, 0, mark->box};
      before -= mark->tag.b;
    }
    const Cells* cells = gaps ? nullptr : shown_cells(figure.items[i]);
    if (!cells) continue;
    const Tensor values = shown_part(*cells, cells->values).as(DType::f32).compact(),
                 mask = cells->mask.empty() ? Tensor() : shown_part(*cells, cells->mask).as(DType::u8).compact();
    for (std::int64_t at = 0; at < values.count(); ++at) {
      if (non_finite(values.data<float>()[at]) != kind || (!mask.empty() && !mask.data<std::uint8_t>()[at]) || before-- > 0)
        continue;
      const std::int64_t row = at / cells->columns, column = at % cells->columns;
      const float w = cells->box.w / static_cast<float>(cells->columns), h = cells->box.h / static_cast<float>(cells->rows);
      return NonFinitePlace{
          i, row, column, {cells->box.x + static_cast<float>(column) * w, cells->box.y + static_cast<float>(row) * h, w, h}};
    }
  }
  return {};
}

Rectangle gap_mark(NonFinite kind, Box box, std::int64_t count) {
  Rectangle mark;
  mark.box = box;
  mark.fill = color_of(kind);
  mark.tag = {Tag::gap, static_cast<std::int64_t>(kind), count};
  return mark;
}

void add_remarks(Figure& figure, const NonFiniteCount& count) {
  for (NonFiniteCount::Line& line : count.lines())
    if (std::find(figure.remarks.begin(), figure.remarks.end(), line.words) == figure.remarks.end())
      figure.remarks.push_back(std::move(line.words));
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

}  // namespace headlight::figures
