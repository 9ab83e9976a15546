#include "app/figures/walk/head_products.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kSmall = 13, kTitle = 15, kGap = 8, kSign = 36, kLine = 19, kStrip = 20, kMostCell = 40, kSentence = 26;
constexpr float kTop = 26;                                   // the grids' titles
constexpr float kDot = 22 + 3 * (kStrip + 3);                // the row, the column and their products
constexpr float kSegments = 22;                              // the loop's heads
constexpr float kLoop = 2 * kLine + kSegments + kLine + 10;  // the loop with its words and the note, where they are yet unknown
constexpr float kLeastBlock = 52;                            // the height of a block among several sentences
constexpr std::int64_t kStride = std::int64_t{1} << 24;

std::string short_number(double value) {
  char text[24];
  std::snprintf(text, sizeof text, std::abs(value) >= 100 ? "%.0f" : "%.2f", value);
  return text;
}
class Drawer {
 public:
  Drawer(const HeadProductsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure)
      : input_(input), theme_(theme), measure_(measure), pen_{figure_, theme, measure} {
    figure_.width = width;
    figure_.height = height;
    left_ = input.by_sentence ? kSentence : 0;
    grid_ = (width - left_ - 2 * kSign) / 3;
    rows_ = std::max(1, (static_cast<int>(input.blocks.size()) + input.columns - 1) / input.columns);
    block_w_ = (grid_ - kGap * static_cast<float>(input.columns - 1)) / static_cast<float>(input.columns);
    loop_ = wrap(input.loop_words, width, kSmall, Font::words, measure);
    const float words = kLine * static_cast<float>(loop_.size() + (input.note.empty() ? 0 : 1));
    const float room = height - kTop - kLine - kDot - words - (input.difference.empty() ? 0 : kSegments + 8) - 26;
    const int labels = input.by_sentence ? 1 : rows_;
    block_h_ = (room - kLine * static_cast<float>(labels) - kGap * static_cast<float>(rows_ - 1)) / static_cast<float>(rows_);
    block_h_ = std::max(block_h_, 24.0f);
  }

  Figure draw() {
    titles();
    float lowest = 0;
    for (int i = 0; i < static_cast<int>(input_.blocks.size()); ++i) lowest = std::max(lowest, block(i));
    float y = lowest + 6;
    const std::string axes[] = {std::string("↓ ") + tr("query") + "  → d_k", std::string("↓ d_k  → ") + tr("key"),
                                std::string("↓ ") + tr("query") + "  → " + tr("key")};
    for (int which = 0; which < 3; ++which)
      pen_.text(x_of(which), y + kLine / 2, axes[which], kSmall, Font::words, theme_.secondary, Align::start, grid_, kAxisTag);
    y += kLine + 6;
    y = dot(y) + 8;
    y = loop(y);
    if (!input_.note.empty()) {
      pen_.text(0, y + kLine / 2, input_.note, kSmall, Font::words, theme_.secondary, Align::start, figure_.width, kNoteTag);
      y += kLine;
    }
    figure_.height = y;
    return std::move(figure_);
  }

 private:
  float x_of(int which) const { return left_ + static_cast<float>(which) * (grid_ + kSign); }
  const HeadProductsInput::Block& at(int i) const { return input_.blocks[static_cast<std::size_t>(i)]; }

  void titles() {
    const std::string names[] = {"Q", "Kᵀ", tr("scores")};
    for (int which = 0; which < 3; ++which) {
      const float x = x_of(which), wide = measure_.width(names[which], kTitle, Font::words_bold);
      pen_.text(x, kTop / 2, names[which], kTitle, Font::words_bold, theme_.text);
      pen_.text(x + wide + 10, kTop / 2, input_.shapes[which], kSmall, Font::mono, theme_.secondary, Align::start,
                grid_ - wide - 10);
    }
  }

  // The i-th block of all three grids; returns where it ends.
  float block(int i) {
    const int r = i / input_.columns, c = i % input_.columns;
    const float label = input_.by_sentence ? 0 : kLine;
    const float y =
        kTop + (input_.by_sentence ? kLine : kLine * static_cast<float>(r)) + static_cast<float>(r) * (block_h_ + kGap) + label;
    const bool chosen = i == input_.chosen;
    const auto& b = at(i);
    const auto rows = static_cast<float>(b.cells[HeadProductsInput::of_scores].dim(0));
    const float high = std::min(block_h_, rows * kMostCell);
    for (int which = 0; which < 3; ++which) {
      const float x = x_of(which) + static_cast<float>(c) * (block_w_ + kGap);
      if (!input_.by_sentence || r == 0) {
        const std::string number = std::to_string(b.head), words = fill(tr("head {}"), {number});
        pen_.text(x, y - kLine / 2, first_that_fits({words, number}, block_w_, kSmall, Font::words, measure_), kSmall,
                  Font::words, is_lit(i) ? theme_.selected : theme_.secondary, Align::start, block_w_);
      }
      const Box place{x, y, block_w_, which == HeadProductsInput::of_k ? block_h_ : high};
      cells(i, which, place);
      if (chosen) lights(i, which, place);
    }
    if (c == 0) {
      if (input_.by_sentence)
        pen_.text(kSentence - 8, y + block_h_ / 2, std::to_string(b.sentence + 1), kSmall, Font::mono,
                  b.sentence == at(input_.chosen).sentence ? theme_.selected : theme_.secondary, Align::end);
      const char* const signs[] = {"×", "="};
      for (int s = 0; s < 2; ++s)
        pen_.text(x_of(s + 1) - kSign / 2, y + high / 2, signs[s], 20, Font::words_bold, theme_.text, Align::middle);
    }
    return y + block_h_;
  }

  // Of several sentences the column of the chosen head is named in amber, else the chosen block.
  bool is_lit(int i) const { return input_.by_sentence ? at(i).head == at(input_.chosen).head : i == input_.chosen; }

  void cells(int i, int which, const Box& place) {
    const auto& b = at(i);
    Cells cells;
    cells.box = place;
    cells.values = b.cells[which];
    cells.rows = b.cells[which].dim(0);
    cells.columns = b.cells[which].dim(1);
    cells.colormap = "signed";
    cells.high = input_.largest[which] > 0 ? static_cast<float>(input_.largest[which]) : 1.0f;
    cells.low = -cells.high;
    cells.key = b.key * 3 + static_cast<std::uint64_t>(which);
    cells.tag = {Tag::cell_area, head_products_tag(i, which), 0};
    add_cells(figure_, std::move(cells), theme_);
  }

  // The row of q, the column of kᵀ and the score where they meet.
  void lights(int i, int which, const Box& place) {
    const auto& values = at(i).cells[which];
    const auto rows = values.dim(0), columns = values.dim(1);
    const float w = place.w / static_cast<float>(columns), h = place.h / static_cast<float>(rows);
    const Color clear{0, 0, 0, 0}, quiet = with_alpha(theme_.selected, 0.55f);
    pen_.box({place.x - 2, place.y - 2, place.w + 4, place.h + 4}, clear, theme_.secondary, 1, 2);
    const std::int64_t row =
        which == HeadProductsInput::of_k ? cell_of(input_.d, input_.d_block) : cell_of(input_.query, input_.query_block);
    const std::int64_t column =
        which == HeadProductsInput::of_q ? cell_of(input_.d, input_.d_block) : cell_of(input_.key, input_.key_block);
    const bool has_row = row >= 0 && row < rows, has_column = column >= 0 && column < columns;
    const Box across{place.x, place.y + static_cast<float>(row) * h, place.w, std::max(h, 2.0f)},
        down{place.x + static_cast<float>(column) * w, place.y, std::max(w, 2.0f), place.h};
    const bool both = which == HeadProductsInput::of_scores;
    if (has_row && which != HeadProductsInput::of_k) pen_.box(across, clear, both ? quiet : theme_.selected, both ? 1 : 2);
    if (has_column && which != HeadProductsInput::of_q) pen_.box(down, clear, both ? quiet : theme_.selected, both ? 1 : 2);
    if (has_row && has_column)
      pen_.box({down.x, across.y, down.w, across.h}, clear, theme_.selected, both && std::min(w, h) >= 12 ? 3.0f : 2.0f);
  }

  static std::int64_t cell_of(std::int64_t index, std::int64_t block) { return index < 0 ? -1 : index / block; }

  // The row of q and the column of kᵀ number under number, and their products, whose sum is the score.
  float dot(float y) {
    if (input_.q.empty() || input_.q.size() != input_.k.size()) return y;
    const std::string head = input_.score_name + " = Σ q k = " + short_number(input_.score);
    pen_.text(0, y + 10, head, kTitle, Font::mono, theme_.selected, Align::start, figure_.width);
    y += 22;
    const std::string names[] = {fill(tr("q of {}"), {input_.query_label}), fill(tr("k of {}"), {input_.key_label}),
                                 tr("products")};
    std::vector<double> products;
    for (std::size_t d = 0; d < input_.q.size(); ++d) products.push_back(input_.q[d] * input_.k[d]);
    const std::string sum = "Σ = " + short_number(input_.score);
    const float name = std::min(150.0f, figure_.width * 0.2f), tail = measure_.width(sum, kSmall, Font::mono) + 12;
    const float room = figure_.width - name - tail, w = room / static_cast<float>(products.size());
    const std::vector<double>* const strips[] = {&input_.q, &input_.k, &products};
    for (int s = 0; s < 3; ++s) {
      pen_.text(0, y + kStrip / 2, names[s], kSmall, Font::words, s == 2 ? theme_.text : theme_.secondary, Align::start,
                name - 10);
      strip(*strips[s], {name, y, w, kStrip});
      if (s == 2) pen_.text(figure_.width, y + kStrip / 2, sum, kSmall, Font::mono, theme_.text, Align::end);
      y += kStrip + 3;
    }
    if (input_.d >= 0 && input_.d < static_cast<std::int64_t>(products.size()))
      pen_.box(
          {name + static_cast<float>(input_.d) * w - 1, y - 3 * (kStrip + 3) - 2, std::max(w, 3.0f) + 1, 3 * (kStrip + 3) + 1},
          {0, 0, 0, 0}, theme_.selected, 2);
    return y;
  }

  // `first`: the box of the first number.
  void strip(const std::vector<double>& values, Box first) {
    const Colormap* const map = colormaps().find("signed");
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    const float gap = first.w > 4 ? 1.0f : 0.0f;
    for (const double value : values) {
      const double share = largest > 0 ? value / largest : 0;
      const Color color = map->at(static_cast<float>(0.5 + share / 2), theme_);
      pen_.box({first.x, first.y, first.w - gap, first.h}, color);
      const std::string number = short_number(value);
      if (measure_.width(number, kSmall, Font::mono) + 4 <= first.w)
        pen_.text(first.x + (first.w - gap) / 2, first.y + first.h / 2, number, kSmall, Font::mono, ink_on(color), Align::middle);
      first.x += first.w;
    }
  }

  // A segment for the columns of the matrices that each head owns, with its difference from the one reshape.
  float loop(float y) {
    y += 2;
    for (const std::string& line : loop_) {
      pen_.text(0, y + kLine / 2, line, kSmall, Font::words, theme_.text, Align::start, figure_.width);
      y += kLine;
    }
    if (input_.difference.empty()) return y;
    const auto heads = static_cast<float>(input_.difference.size());
    const float w = figure_.width / heads;
    for (std::size_t h = 0; h < input_.difference.size(); ++h) {
      const bool chosen = static_cast<std::int64_t>(h) == at(input_.chosen).head;
      const Box place{static_cast<float>(h) * w, y + 2, w - 3, kSegments};
      pen_.box(place, theme_.raised, chosen ? theme_.selected : theme_.line, 1, 4);
      const std::string number = tiny_number(input_.difference[h]), head = fill(tr("head {}"), {std::to_string(h)});
      pen_.text(place.x + place.w / 2, place.y + kSegments / 2,
                first_that_fits({head + ": " + number, number, std::to_string(h)}, place.w - 6, kSmall, Font::mono, measure_),
                kSmall, Font::mono, theme_.text, Align::middle);
    }
    return y + kSegments + 6;
  }

  const HeadProductsInput& input_;
  const Theme& theme_;
  const TextMeasure& measure_;
  Figure figure_;
  Composer pen_;
  std::vector<std::string> loop_;
  float left_ = 0, grid_ = 0, block_w_ = 0, block_h_ = 0;
  int rows_ = 1;
};

}  // namespace

std::string tiny_number(double value) {
  char text[24];
  std::snprintf(text, sizeof text, "%.1e", value);
  std::string words = text;
  if (const std::size_t zero = words.find("e-0"); zero != std::string::npos) words.erase(zero + 2, 1);
  return words;
}

int head_products_rows(float height) {
  return std::max(1, static_cast<int>((height - kTop - 2 * kLine - kDot - kLoop - 16 + kGap) / (kLeastBlock + kGap)));
}

std::int64_t head_products_tag(int block, int which) { return (static_cast<std::int64_t>(block) * 3 + which) * kStride; }
HeadProductsPlace head_products_place(std::int64_t row) {
  const std::int64_t at = row / kStride;
  return {static_cast<int>(at / 3), static_cast<int>(at % 3), row % kStride};
}

Figure head_products(const HeadProductsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  if (input.blocks.empty()) return {};
  Figure figure = Drawer(input, width, height, theme, measure).draw();
  const char* const names[] = {"q", "k_transposed", "scores"};
  const Axes axes[] = {{"query", "d_k"}, {"d_k", "key"}, {"query", "key"}};
  const auto& block = input.blocks[static_cast<std::size_t>(input.chosen)];
  for (int which = 0; which < 3; ++which) figure.data.emplace_back(names[which], block.cells[which], axes[which]);
  return figure;
}

}  // namespace headlight::figures
