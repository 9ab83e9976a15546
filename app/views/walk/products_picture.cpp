#include "app/views/walk/products_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kHeadProductsSmall = 13, kHeadProductsTitle = 15, kHeadProductsGap = 8, kProductSign = 36, kHeadProductsLine = 19,
                kProductsStrip = 20, kMostProductsCell = 40, kSentenceLine = 26;
constexpr float kHeadProductsTop = 26;                     // the grids' titles
constexpr float kDotHigh = 22 + 3 * (kProductsStrip + 3);  // the row, the column and their products
constexpr float kSegments = 22;                            // the loop's heads
constexpr float kLoop = 2 * kHeadProductsLine + kSegments + kHeadProductsLine +
                        10;        // the loop with its words and the note, where they are yet unknown
constexpr float kLeastBlock = 52;  // the height of a block among several sentences
constexpr std::int64_t kStride = std::int64_t{1} << 24;

std::string short_number(double value) {
  char text[24];
  std::snprintf(text, sizeof text, std::abs(value) >= 100 ? "%.0f" : "%.2f", one_nan(value));
  return text;
}

}  // namespace

std::string tiny_number(double value) {
  char text[24];
  std::snprintf(text, sizeof text, "%.1e", value);
  std::string words = text;
  if (const std::size_t zero = words.find("e-0"); zero != std::string::npos) words.erase(zero + 2, 1);
  return words;
}

int head_products_rows(float height) {
  return std::max(
      1, static_cast<int>((height - kHeadProductsTop - 2 * kHeadProductsLine - kDotHigh - kLoop - 16 + kHeadProductsGap) /
                          (kLeastBlock + kHeadProductsGap)));
}

std::int64_t head_products_tag(int block, int which) { return (static_cast<std::int64_t>(block) * 3 + which) * kStride; }
HeadProductsPlace head_products_place(std::int64_t row) {
  const std::int64_t at = row / kStride;
  return {static_cast<int>(at / 3), static_cast<int>(at % 3), row % kStride};
}

Figure head_products(const HeadProductsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  if (input.blocks.empty()) return {};
  Figure figure;
  const Composer pen{figure, theme, measure};
  figure.width = width;
  const float left = input.by_sentence ? kSentenceLine : 0;
  const float grid = (width - left - 2 * kProductSign) / 3;
  const int rows = std::max(1, (static_cast<int>(input.blocks.size()) + input.columns - 1) / input.columns);
  const float block_w = (grid - kHeadProductsGap * static_cast<float>(input.columns - 1)) / static_cast<float>(input.columns);
  const std::vector<std::string> loop = wrap(input.loop_words, width, kHeadProductsSmall, Font::words, measure);
  const float words_high = kHeadProductsLine * static_cast<float>(loop.size() + (input.note.empty() ? 0 : 1));
  const float room =
      height - kHeadProductsTop - kHeadProductsLine - kDotHigh - words_high - (input.difference.empty() ? 0 : kSegments + 8) - 26;
  const auto labels = static_cast<float>(input.by_sentence ? 1 : rows);
  const float block_h = std::max(
      (room - kHeadProductsLine * labels - kHeadProductsGap * static_cast<float>(rows - 1)) / static_cast<float>(rows), 24.0f);

  const std::string names[] = {"Q", "Kᵀ", tr("scores")};
  const auto x_of = [&](int which) { return left + static_cast<float>(which) * (grid + kProductSign); };
  for (int which = 0; which < 3; ++which) {
    const float x = x_of(which), wide = measure.width(names[which], kHeadProductsTitle, Font::words_bold);
    pen.text(x, kHeadProductsTop / 2, names[which], kHeadProductsTitle, Font::words_bold, theme.text);
    pen.text(x + wide + 10, kHeadProductsTop / 2, input.shapes[which], kHeadProductsSmall, Font::mono, theme.secondary,
             Align::start, grid - wide - 10);
  }

  const auto at = [&](int i) -> const HeadProductsInput::Block& { return input.blocks[static_cast<std::size_t>(i)]; };
  // Of several sentences the column of the chosen head is named in amber, else the chosen block.
  const auto is_lit = [&](int i) { return input.by_sentence ? at(i).head == at(input.chosen).head : i == input.chosen; };
  const auto cell_of = [](std::int64_t index, std::int64_t of) { return index < 0 ? -1 : index / of; };
  float lowest = 0;
  for (int i = 0; i < static_cast<int>(input.blocks.size()); ++i) {  // each block, in all three grids
    const int r = i / input.columns, c = i % input.columns;
    const float label = input.by_sentence ? 0 : kHeadProductsLine;
    const float y = kHeadProductsTop + (input.by_sentence ? kHeadProductsLine : kHeadProductsLine * static_cast<float>(r)) +
                    static_cast<float>(r) * (block_h + kHeadProductsGap) + label;
    const auto& b = at(i);
    const float high = std::min(block_h, static_cast<float>(b.cells[HeadProductsInput::of_scores].dim(0)) * kMostProductsCell);
    for (int which = 0; which < 3; ++which) {
      const float x = x_of(which) + static_cast<float>(c) * (block_w + kHeadProductsGap);
      if (!input.by_sentence || r == 0) {
        const std::string number = std::to_string(b.head), words = fill(tr("head {}"), {number});
        pen.text(x, y - kHeadProductsLine / 2,
                 first_that_fits({words, number}, block_w, kHeadProductsSmall, Font::words, measure), kHeadProductsSmall,
                 Font::words, is_lit(i) ? theme.selected : theme.secondary, Align::start, block_w);
      }
      const Box place{x, y, block_w, which == HeadProductsInput::of_k ? block_h : high};
      Cells cells;
      cells.box = place;
      cells.values = b.cells[which];
      cells.rows = b.cells[which].dim(0);
      cells.columns = b.cells[which].dim(1);
      cells.colormap = "signed";
      cells.high = input.largest[which] > 0 ? static_cast<float>(input.largest[which]) : 1.0f;
      cells.low = -cells.high;
      cells.key = b.key * 3 + static_cast<std::uint64_t>(which);
      cells.tag = {Tag::cell_area, head_products_tag(i, which), 0};
      add_cells(figure, std::move(cells), theme);

      if (i != input.chosen) continue;
      // The row of q, the column of kᵀ and the score where they meet.
      const std::int64_t across_cells = b.cells[which].dim(1), down_cells = b.cells[which].dim(0);
      const float w = place.w / static_cast<float>(across_cells), h = place.h / static_cast<float>(down_cells);
      const Color clear{0, 0, 0, 0}, quiet = with_alpha(theme.selected, 0.55f);
      pen.box({place.x - 2, place.y - 2, place.w + 4, place.h + 4}, clear, theme.secondary, 1, 2);
      const std::int64_t row =
          which == HeadProductsInput::of_k ? cell_of(input.d, input.d_block) : cell_of(input.query, input.query_block);
      const std::int64_t column =
          which == HeadProductsInput::of_q ? cell_of(input.d, input.d_block) : cell_of(input.key, input.key_block);
      const bool has_row = row >= 0 && row < down_cells, has_column = column >= 0 && column < across_cells;
      const Box across{place.x, place.y + static_cast<float>(row) * h, place.w, std::max(h, 2.0f)},
          down{place.x + static_cast<float>(column) * w, place.y, std::max(w, 2.0f), place.h};
      const bool both = which == HeadProductsInput::of_scores;
      if (has_row && which != HeadProductsInput::of_k) pen.box(across, clear, both ? quiet : theme.selected, both ? 1 : 2);
      if (has_column && which != HeadProductsInput::of_q) pen.box(down, clear, both ? quiet : theme.selected, both ? 1 : 2);
      if (has_row && has_column)
        pen.box({down.x, across.y, down.w, across.h}, clear, theme.selected, both && std::min(w, h) >= 12 ? 3.0f : 2.0f);
    }
    if (c == 0) {
      if (input.by_sentence)
        pen.text(kSentenceLine - 8, y + block_h / 2, std::to_string(b.sentence + 1), kHeadProductsSmall, Font::mono,
                 b.sentence == at(input.chosen).sentence ? theme.selected : theme.secondary, Align::end);
      const char* const signs[] = {"×", "="};
      for (int s = 0; s < 2; ++s)
        pen.text(x_of(s + 1) - kProductSign / 2, y + high / 2, signs[s], 20, Font::words_bold, theme.text, Align::middle);
    }
    lowest = y + block_h;
  }

  float y = lowest + 6;
  const std::string axes[] = {std::string("↓ ") + tr("query") + "  → d_k", std::string("↓ d_k  → ") + tr("key"),
                              std::string("↓ ") + tr("query") + "  → " + tr("key")};
  for (int which = 0; which < 3; ++which)
    pen.text(x_of(which), y + kHeadProductsLine / 2, axes[which], kHeadProductsSmall, Font::words, theme.secondary, Align::start,
             grid, kAxisTag);
  y += kHeadProductsLine + 6;
  // The row of q and the column of kᵀ number under number, and their products, whose sum is the score.
  if (!input.q.empty() && input.q.size() == input.k.size()) {
    const std::string head = input.score_name + " = Σ q k = " + short_number(input.score);
    pen.text(0, y + 10, head, kHeadProductsTitle, Font::mono, theme.selected, Align::start, width);
    y += 22;
    const std::string rows_names[] = {fill(tr("q of {}"), {input.query_label}), fill(tr("k of {}"), {input.key_label}),
                                      tr("products")};
    std::vector<double> products;
    for (std::size_t d = 0; d < input.q.size(); ++d) products.push_back(input.q[d] * input.k[d]);
    const std::string sum = "Σ = " + short_number(input.score);
    const float name = std::min(150.0f, width * 0.2f), tail = measure.width(sum, kHeadProductsSmall, Font::mono) + 12;
    const float w = (width - name - tail) / static_cast<float>(products.size());
    // `first`: the box of the first number.
    const auto strip = [&](const std::vector<double>& values, Box first) {
      const Colormap* const map = colormaps().find("signed");
      double largest = 0;
      for (const double value : values) largest = std::max(largest, std::abs(value));
      const float gap = first.w > 4 ? 1.0f : 0.0f;
      for (const double value : values) {
        const double share = largest > 0 ? value / largest : 0;
        const Color color = map->at(static_cast<float>(0.5 + share / 2), theme);
        pen.box({first.x, first.y, first.w - gap, first.h}, color);
        const std::string number = short_number(value);
        if (measure.width(number, kHeadProductsSmall, Font::mono) + 4 <= first.w)
          pen.text(first.x + (first.w - gap) / 2, first.y + first.h / 2, number, kHeadProductsSmall, Font::mono, ink_on(color),
                   Align::middle);
        first.x += first.w;
      }
    };
    const std::vector<double>* const strips[] = {&input.q, &input.k, &products};
    for (int s = 0; s < 3; ++s) {
      pen.text(0, y + kProductsStrip / 2, rows_names[s], kHeadProductsSmall, Font::words, s == 2 ? theme.text : theme.secondary,
               Align::start, name - 10);
      strip(*strips[s], {name, y, w, kProductsStrip});
      if (s == 2) pen.text(width, y + kProductsStrip / 2, sum, kHeadProductsSmall, Font::mono, theme.text, Align::end);
      y += kProductsStrip + 3;
    }
    if (input.d >= 0 && input.d < static_cast<std::int64_t>(products.size()))
      pen.box({name + static_cast<float>(input.d) * w - 1, y - 3 * (kProductsStrip + 3) - 2, std::max(w, 3.0f) + 1,
               3 * (kProductsStrip + 3) + 1},
              {0, 0, 0, 0}, theme.selected, 2);
  }
  y += 8;

  y += 2;
  for (const std::string& line : loop) {
    pen.text(0, y + kHeadProductsLine / 2, line, kHeadProductsSmall, Font::words, theme.text, Align::start, width);
    y += kHeadProductsLine;
  }
  if (!input.difference.empty()) {  // for each head, the difference of its own loop from the one reshape
    const float w = width / static_cast<float>(input.difference.size());
    for (std::size_t h = 0; h < input.difference.size(); ++h) {
      const bool chosen = static_cast<std::int64_t>(h) == at(input.chosen).head;
      const Box place{static_cast<float>(h) * w, y + 2, w - 3, kSegments};
      pen.box(place, theme.raised, chosen ? theme.selected : theme.line, 1, 4);
      const std::string number = tiny_number(input.difference[h]), head = fill(tr("head {}"), {std::to_string(h)});
      pen.text(place.x + place.w / 2, place.y + kSegments / 2,
               first_that_fits({head + ": " + number, number, std::to_string(h)}, place.w - 6, kHeadProductsSmall, Font::mono,
                               measure),
               kHeadProductsSmall, Font::mono, theme.text, Align::middle);
    }
    y += kSegments + 6;
  }
  if (!input.note.empty()) {
    pen.text(0, y + kHeadProductsLine / 2, input.note, kHeadProductsSmall, Font::words, theme.secondary, Align::start, width,
             kNoteTag);
    y += kHeadProductsLine;
  }
  figure.height = y;

  const char* const data_names[] = {"q", "k_transposed", "scores"};
  const Axes data_axes[] = {{"query", "d_k"}, {"d_k", "key"}, {"query", "key"}};
  for (int which = 0; which < 3; ++which)
    figure.data.emplace_back(data_names[which], at(input.chosen).cells[which], data_axes[which]);
  return figure;
}

}  // namespace headlight::figures
