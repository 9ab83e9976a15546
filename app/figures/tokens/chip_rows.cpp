#include "app/figures/tokens/chip_rows.h"

#include <algorithm>
#include <charconv>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kChipRowsGap = 5, kPadding = 10, kPiece = 16, kWidestChip = 260;

}  // namespace

void add_chip(Figure& figure, const Box& box, const Chip& chip, float text_size, const Theme& theme, const TextMeasure& measure,
              Tag tag) {
  const Composer pen{figure, theme, measure};
  const Color hue = chip.unknown ? theme.wrong : theme.hues[static_cast<std::size_t>(chip.hue) % theme.hues.size()];
  const Color edge = chip.hot ? theme.selected : chip.added ? theme.text : hue;
  pen.box(box, with_alpha(hue, chip.hot ? 0.34f : 0.16f), edge, chip.hot ? 2.0f : 1.0f,
          chip.added ? 0 : std::min(6.0f, box.w / 3), tag);
  constexpr float kDouble = 2.5f;
  if (chip.added && box.w > 4 * kDouble)
    pen.box({box.x + kDouble, box.y + kDouble, box.w - 2 * kDouble, box.h - 2 * kDouble}, {0, 0, 0, 0}, edge, 1, 0);
  const float middle = box.x + box.w / 2, room = std::max(1.0f, box.w - 4);
  // Text that does not fit is first drawn smaller, then shortened.
  while (text_size > 12 && measure.width(chip.text, text_size, Font::mono) > room) text_size -= 1;
  const bool id_fits = box.h >= 36 && !chip.id.empty() && measure.width(chip.id, kChipId, Font::mono) <= room;
  const float y = id_fits ? box.y + box.h * 0.36f : box.y + box.h / 2;
  pen.text(middle, y, chip.text, text_size, Font::mono, theme.text, Align::middle, room);
  if (id_fits)
    pen.text(middle, box.y + box.h * 0.77f, chip.id, kChipId, Font::mono, chip.unknown ? theme.wrong : hue, Align::middle);
}

namespace {

// The ids of the pieces; -1 for a token that shows none.
Data ids_of(const std::vector<Chip>& chips) {
  Tensor ids(DType::i32, {static_cast<std::int64_t>(chips.size())});
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    std::int32_t id = -1;
    std::from_chars(chips[i].id.data(), chips[i].id.data() + chips[i].id.size(), id);
    ids.data<std::int32_t>()[i] = id;
    pieces.push_back(chips[i].text);
  }
  return {"ids", std::move(ids), {"token"}, {std::move(pieces)}};
}

}  // namespace

Figure chip_rows(const ChipRowsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.title = tr("tokens");
  if (!input.chips.empty()) figure.data.push_back(ids_of(input.chips));
  const Composer pen{figure, theme, measure};
  const float high = input.slim ? kSlimChip : kChipHeight, padding = input.slim ? 6.0f : kPadding;
  const float piece = input.slim ? 15.0f : kPiece;
  float x = 0, y = 0;
  if (!input.lead.empty()) {
    pen.text(0, high / 2, input.lead, 13, Font::words, theme.secondary);
    x = std::max(56.0f, measure.width(input.lead, 13, Font::words) + 12);
  }
  const float indent = x;
  const auto total = std::max<std::int64_t>(input.total, static_cast<std::int64_t>(input.chips.size()));
  const float counter = measure.width("+" + std::to_string(total), 14, Font::mono) + 2 * padding;
  std::vector<float> widths;
  for (const Chip& chip : input.chips) {
    const float text =
        std::max(measure.width(chip.text, piece, Font::mono), input.slim ? 0 : measure.width(chip.id, kChipId, Font::mono));
    widths.push_back(std::min(std::max(text + 2 * padding, input.slim ? 20.0f : 30.0f), std::min(kWidestChip, width - indent)));
  }
  // Where not all fit the oldest are counted, before the first that is shown: what is being typed is always seen.
  const auto left_out = [&](std::size_t first) { return total - static_cast<std::int64_t>(input.chips.size() - first); };
  const auto begin = [&](std::size_t first) { return left_out(first) > 0 ? indent + counter + kChipRowsGap : indent; };
  const auto fits = [&](std::size_t first) {
    float at = begin(first);
    int row = 0;
    for (std::size_t i = first; i < widths.size(); ++i) {
      if (at > indent && at + widths[i] > width && ++row < input.rows) at = indent;
      at += widths[i] + kChipRowsGap;
    }
    return row < input.rows;
  };
  std::size_t first = 0, none = widths.empty() ? 0 : widths.size() - 1;  // the last one is shown however wide it is
  while (first < none) {
    const std::size_t middle = first + (none - first) / 2;
    if (fits(middle))
      none = middle;
    else
      first = middle + 1;
  }
  if (const std::int64_t hidden = left_out(first); hidden > 0) {
    pen.box({x, y, counter, high}, theme.raised, theme.line, 1, 6);
    pen.text(x + counter / 2, y + high / 2, "+" + std::to_string(hidden), 14, Font::mono, theme.secondary, Align::middle);
  }
  x = begin(first);
  int row = 0;
  for (std::size_t i = first; i < input.chips.size(); ++i) {
    if (x > indent && x + widths[i] > width && row + 1 < input.rows) {
      ++row;
      x = indent;
      y += high + kChipRowsGap;
    }
    add_chip(figure, {x, y, widths[i], high}, input.chips[i], piece, theme, measure,
             {Tag::token, left_out(0) + static_cast<std::int64_t>(i), input.line});
    x += widths[i] + kChipRowsGap;
  }
  figure.height = y + high;
  return figure;
}

}  // namespace headlight::figures
