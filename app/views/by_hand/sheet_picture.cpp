#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/legend.h"
#include "app/figures/base/non_finite.h"
#include "app/text/language.h"
#include "app/views/by_hand/pictures.h"

namespace headlight::views::hand {
namespace {

using namespace figures;

using by_hand::Table;

constexpr float kTitle = 23, kColumnNames = 18, kBandGap = 12, kFooter = 70, kMostCell = 50, kLeastCell = 18, kArrow = 30,
                kTitleLine = 18, kNamesMost = 110;
constexpr std::int64_t kWeighted = 99;  // beside by_hand::kStages: weight times value, which is shown and not changed

// One table of the sheet.
struct Block {
  std::string stage, title;
  int column = 0, band = 0;  // band 0: keys, 1: queries, 2: values
  bool turned = false;       // drawn with its columns down
  bool names_rows = false, marks_rows = false, names_columns = false;
  float names_room = 0;                // left of its cells
  std::int64_t rows = 0, columns = 0;  // as drawn
  Box box;                             // of its cells
};

struct Sheet {
  std::vector<Block> blocks;
  float cell_h = 20, font = 13;
};

bool is_square(const std::string& stage) { return stage == "scores" || stage == "divided" || stage == "weights"; }
bool is_of_keys(const std::string& stage) { return stage == "k" || stage == "v"; }

std::string stage_title(const std::string& stage, const by_hand::Case& hand) {
  const bool source = hand.inputs.contains("source");
  if (stage == "wq") return "W_q";
  if (stage == "wk") return "W_k";
  if (stage == "wv") return "W_v";
  if (stage == "q") return hand.inputs.contains("q") ? "Q" : "Q = x W_q";
  if (stage == "k") return source ? tr("K = source") : hand.inputs.contains("k") ? "K" : "K = x W_k";
  if (stage == "v") return source ? tr("V = source") : hand.inputs.contains("v") ? "V" : "V = x W_v";
  if (stage == "divided") return "÷ √d";
  if (stage == "scores") return tr("scores");
  if (stage == "weights") return tr("weights");
  if (stage == "output") return tr("output");
  return stage;
}

class SheetLayout {
 public:
  SheetLayout(const ByHandInput& input, float width, float height, const TextMeasure& measure)
      : input_(input), measure_(measure), width_(width), height_(height) {
    gather();
    place();
  }
  const Sheet& sheet() const { return sheet_; }

 private:
  void add(const std::string& stage, int band, bool turned = false) {
    const auto found = input_.worked.stages.find(stage);
    if (found == input_.worked.stages.end()) return;
    Block block;
    block.stage = stage;
    block.title = turned && stage == "k" ? "Kᵀ" : stage_title(stage, input_.hand);
    block.column = column_;
    block.band = band;
    block.turned = turned || (is_square(stage) && input_.hand.keys_down);
    block.rows = block.turned ? found->second.columns : found->second.rows;
    block.columns = block.turned ? found->second.rows : found->second.columns;
    sheet_.blocks.push_back(std::move(block));
  }
  void close_column() {
    if (std::any_of(sheet_.blocks.begin(), sheet_.blocks.end(), [&](const Block& b) { return b.column == column_; })) ++column_;
  }

  void gather() {
    const bool keys = input_.worked.stages.contains("k") && input_.worked.stages.contains("q");
    add("x", 1);
    close_column();
    add("wk", 0);
    add("wq", 1);
    add("wv", 2);
    close_column();
    if (keys) add("k", 0);
    add("q", 1);
    add("v", 2);
    close_column();
    if (keys) add("k", 0, true);
    add("scores", 1);
    close_column();
    if (input_.hand.divided) add("divided", 1);
    close_column();
    add("weights", 1);
    close_column();
    add("output", 1);
    if (input_.worked.stages.contains("v")) {
      const Table& v = input_.worked.stages.at("v");
      Block block;
      block.stage = "weighted";
      block.title = tr("weight × value");
      block.column = column_;
      block.band = 2;
      block.rows = v.rows;
      block.columns = v.columns;
      sheet_.blocks.push_back(std::move(block));
    }
    close_column();
    // Names stand at the first table that has them; the tables behind it have their marks.
    const bool x = input_.worked.stages.contains("x");
    std::array<bool, 3> named{x, false, x};
    for (Block& block : sheet_.blocks) {
      const auto band = static_cast<std::size_t>(block.band);
      const bool turned_keys = block.stage == "k" && block.turned;
      block.marks_rows =
          !turned_keys && (block.stage == "x" || block.stage == "q" || is_square(block.stage) || is_of_keys(block.stage));
      block.names_rows = block.marks_rows && !named[band];
      if (block.marks_rows) named[band] = true;
      block.names_columns = is_square(block.stage) || turned_keys;
      if (is_square(block.stage)) block.marks_rows = block.names_rows;
    }
  }

  // How many times as wide as a whole number of one digit a table's cells are.
  float stretch(const Block& block) const {
    std::size_t longest = 1;
    const auto take = [&](double value) { longest = std::max(longest, hand_number(value, shown_digits(block.stage)).size()); };
    if (block.stage == "weighted") {  // of every query, so that the table is as wide for each
      const Table &weights = input_.worked.stages.at("weights"), &v = input_.worked.stages.at("v");
      for (std::int64_t i = 0; i < weights.rows; ++i)
        for (std::int64_t j = 0; j < v.rows; ++j)
          for (std::int64_t c = 0; c < v.columns; ++c) take(weights.at(i, j) * v.at(j, c));
    } else {
      for (const double value : input_.worked.stages.at(block.stage).numbers) take(value);
    }
    return std::max(1.0f, 0.24f * static_cast<float>(longest) + 0.28f);
  }
  int shown_digits(const std::string& stage) const { return input_.hand.inputs.contains(stage) ? 6 : input_.digits; }

  float name_room(int column) const {
    float room = 0;
    for (const Block& block : sheet_.blocks)
      if (block.column == column && block.names_rows) {
        const bool keys = block.turned || is_of_keys(block.stage);
        for (std::int64_t r = 0; r < block.rows; ++r)
          room =
              std::max(room, measure_.width(keys ? key_name(input_.hand, r) : query_name(input_.hand, r), 14, Font::words) + 16);
      }
    return std::min(room, kNamesMost);
  }

  void place() {
    std::array<std::int64_t, 3> rows{};
    std::array<float, 3> heads{};
    for (const Block& block : sheet_.blocks)
      rows[static_cast<std::size_t>(block.band)] = std::max(rows[static_cast<std::size_t>(block.band)], block.rows);
    // The keys end at the bottom of their band: above one that is less high there is room for its names.
    for (const Block& block : sheet_.blocks) {
      const auto band = static_cast<std::size_t>(block.band);
      const bool above = block.names_columns && (band != 0 || block.rows == rows[band]);
      heads[band] = std::max(heads[band], kTitle + (above ? kColumnNames : 0.0f));
    }
    float units = 0, taken = 0;
    std::vector<float> wide(static_cast<std::size_t>(column_), 0), names(static_cast<std::size_t>(column_), 0);
    for (int c = 0; c < column_; ++c) {
      for (const Block& block : sheet_.blocks)
        if (block.column == c)
          wide[static_cast<std::size_t>(c)] =
              std::max(wide[static_cast<std::size_t>(c)], stretch(block) * static_cast<float>(block.columns));
      names[static_cast<std::size_t>(c)] = name_room(c);
      units += wide[static_cast<std::size_t>(c)];
      taken += names[static_cast<std::size_t>(c)];
    }
    taken += kArrow * static_cast<float>(column_ - 1);
    const std::int64_t all_rows = rows[0] + rows[1] + rows[2];
    float between = 0;
    for (std::size_t b = 0; b < 3; ++b)
      if (rows[b] > 0) between += heads[b] + kBandGap;
    sheet_.cell_h = std::clamp((height_ - kFooter - between + kBandGap) / static_cast<float>(std::max<std::int64_t>(1, all_rows)),
                               kLeastCell, kMostCell);
    const float unit = std::clamp((width_ - taken) / std::max(1.0f, units), 8.0f, 1.15f * kMostCell);
    sheet_.font = std::clamp(std::min(0.5f * sheet_.cell_h, 0.39f * unit), 9.0f, 19.0f);
    std::array<float, 3> tops{};
    float y = 0;
    for (std::size_t b = 0; b < 3; ++b) {
      tops[b] = y + heads[b];
      if (rows[b] > 0) y += heads[b] + sheet_.cell_h * static_cast<float>(rows[b]) + kBandGap;
    }
    float x = 0;
    for (int c = 0; c < column_; ++c) {
      const auto at = static_cast<std::size_t>(c);
      x += names[at];
      for (Block& block : sheet_.blocks) {
        if (block.column != c) continue;
        block.names_room = block.names_rows ? names[at] : block.marks_rows ? 8 : 0;
        const auto band = static_cast<std::size_t>(block.band);
        const float free = sheet_.cell_h * static_cast<float>(rows[band] - block.rows);
        // Keys end above the scores that they meet; others are in the middle of their band.
        block.box = {x, tops[band] + (band == 0 ? free : free / 2), unit * stretch(block) * static_cast<float>(block.columns),
                     sheet_.cell_h * static_cast<float>(block.rows)};
      }
      x += unit * wide[at] + kArrow;
    }
    // In the middle of the room.
    const float spare = std::max(0.0f, (width_ - (x - kArrow)) / 2);
    for (Block& block : sheet_.blocks) block.box.x += spare;
  }

  const ByHandInput& input_;
  const TextMeasure& measure_;
  float width_, height_;
  int column_ = 0;
  Sheet sheet_;
};

Box cell_box(const Block& block, std::int64_t row, std::int64_t column) {
  if (block.turned) std::swap(row, column);
  const float w = block.box.w / static_cast<float>(block.columns), h = block.box.h / static_cast<float>(block.rows);
  return {block.box.x + static_cast<float>(column) * w, block.box.y + static_cast<float>(row) * h, w, h};
}

class SheetDrawing {
 public:
  SheetDrawing(const ByHandInput& input, const Sheet& sheet, const Composer& pen, float height)
      : input_(input), sheet_(sheet), pen_(pen), height_(height), pair_(pair_of(shown(), input.worked)) {}

  void draw() {
    arrows();
    for (const Block& block : sheet_.blocks) table(block);
    outlines();
    footer();
  }

 private:
  const HandPlace& shown() const { return input_.hot.stage.empty() ? input_.chosen : input_.hot; }
  const Block* block_of(const std::string& stage, bool turned = false) const {
    for (const Block& block : sheet_.blocks)
      if (block.stage == stage && (stage != "k" || block.turned == turned)) return &block;
    return nullptr;
  }
  Color hue(std::int64_t key) const { return pen_.theme.hues[static_cast<std::size_t>(key) % pen_.theme.hues.size()]; }

  double value_at(const Block& block, std::int64_t row, std::int64_t column) const {
    if (block.stage != "weighted") return input_.worked.stages.at(block.stage).at(row, column);
    return input_.worked.stages.at("weights").at(pair_.query, row) * input_.worked.stages.at("v").at(row, column);
  }

  static float title_y(const Block& block) { return block.box.y - (block.names_columns ? 12 + kColumnNames : 12.0f); }

  // Whether a cell belongs to what the shown cell is made of, or to what is made of it.
  bool lit(const Block& block, std::int64_t row, std::int64_t column) const {
    const std::string& s = block.stage;
    if (s == "q" || s == "output") return row == pair_.query;
    if (s == "k") return row == pair_.key;
    if (s == "scores" || s == "divided") return row == pair_.query && column == pair_.key;
    return false;
  }

  void table(const Block& block) {
    const Theme& theme = pen_.theme;
    // The last one ends where its cells end if its name is longer; one that would reach into the next one's is the letter alone.
    const float y = title_y(block), right = block.box.x + block.box.w;
    const float end = block.box.x + pen_.measure.width(block.title, 15, Font::words_bold);
    const bool beyond = end > pen_.figure.width;
    const bool meets = std::ranges::any_of(sheet_.blocks, [&](const Block& next) {
      return next.box.x > block.box.x && next.box.x < end + 6 && std::abs(title_y(next) - y) < kTitleLine;
    });
    const std::string title = meets ? block.title.substr(0, block.title.find(" = ")) : block.title;
    pen_.text(beyond ? right : block.box.x, y, title, 15, Font::words_bold, theme.text, beyond ? Align::end : Align::start, 0,
              kAxisTag);
    const bool weighted = block.stage == "weighted";
    const bool square = is_square(block.stage);
    const std::int64_t rows = block.turned ? block.columns : block.rows, columns = block.turned ? block.rows : block.columns;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) {
        Box box = cell_box(block, r, c);
        box = {box.x + 1, box.y + 1, box.w - 2, box.h - 2};
        if (square && !input_.worked.visible(r, c)) {
          pen_.figure.add(hatched(box));
          pen_.box(box, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, hand_tag({block.stage, r, c}));
          continue;
        }
        cell(block, box, r, c, weighted);
      }
    names(block);
  }

  void cell(const Block& block, Box box, std::int64_t r, std::int64_t c, bool weighted) {
    const Theme& theme = pen_.theme;
    const bool input =
        input_.hand.inputs.contains(block.stage) || (is_of_keys(block.stage) && input_.hand.inputs.contains("source"));
    const bool held = by_hand::is_held(input_.hand, block.stage, r, c), on = lit(block, r, c);
    const double value = value_at(block, r, c);
    Color fill = theme.panel, ink = input ? theme.text : theme.secondary, stroke = input ? theme.secondary : theme.line;
    if (!input) ink = theme.text;
    if (block.stage == "weights") {
      fill = colormaps().find("viridis")->at(static_cast<float>(std::clamp(value, 0.0, 1.0)), theme);
      ink = ink_on(fill);
      stroke = fill;
    } else if (on) {
      fill = {theme.selected.r, theme.selected.g, theme.selected.b, 0.18f};
      ink = theme.selected;
      stroke = theme.selected;
    } else if (input) {
      fill = theme.raised;
    }
    if (const NonFinite kind = non_finite(value); kind != NonFinite::none) {
      pen_.figure.add(gap_mark(kind, box));
      fill.a = 0;
      ink = ink_on(color_of(kind));
    }
    pen_.box(box, fill, stroke, input || on ? 1.2f : 1, 4, weighted ? Tag{} : hand_tag({block.stage, r, c}));
    const int digits = input && !held ? 6 : input_.digits;
    pen_.text(box.x + box.w / 2, box.y + box.h / 2, hand_number(value, digits), sheet_.font, Font::mono, ink, Align::middle, 0,
              {Tag::none, 0, 0, Part::number});
    if (held) {  // a pin in its corner
      pen_.figure.add(Disc{{box.x + box.w - 6, box.y + 6}, 3.5f, theme.selected, {}});
    }
    if (std::find(input_.misprints.begin(), input_.misprints.end(), HandPlace{block.stage, r, c}) != input_.misprints.end())
      pen_.line({box.x + 4, box.y + box.h - 4}, {box.x + box.w - 4, box.y + box.h - 4}, theme.wrong, 2);
  }

  void names(const Block& block) {
    const Theme& theme = pen_.theme;
    const bool keys_down = block.turned || is_of_keys(block.stage);
    const float h = block.box.h / static_cast<float>(block.rows), w = block.box.w / static_cast<float>(block.columns);
    for (std::int64_t r = 0; block.marks_rows && r < block.rows; ++r) {
      const bool on = r == (keys_down ? pair_.key : pair_.query);
      const float y = block.box.y + (static_cast<float>(r) + 0.5f) * h;
      pen_.box({block.box.x - 7, y - 0.36f * h, 3.5f, 0.72f * h}, hue(r), {0, 0, 0, 0}, 0, 1.5f);
      if (!block.names_rows) continue;
      const std::string name = keys_down ? key_name(input_.hand, r) : query_name(input_.hand, r);
      pen_.text(block.box.x - 12, y, name, 14, Font::words, on ? theme.selected : theme.text, Align::end, kNamesMost - 14,
                kAxisTag);
      const float wide = std::min(kNamesMost - 14, pen_.measure.width(name, 14, Font::words)) + 6;
      pen_.box({block.box.x - 9 - wide, y - h / 2, wide, h}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, name_tag({keys_down, r}));
    }
    if (!block.names_columns) return;
    const bool queries_across = is_square(block.stage) && block.turned;
    float widest = 0;
    for (std::int64_t c = 0; c < block.columns; ++c)
      widest = std::max(
          widest, pen_.measure.width(queries_across ? query_name(input_.hand, c) : key_name(input_.hand, c), 13, Font::words));
    for (std::int64_t c = 0; c < block.columns; ++c) {
      const bool on = c == (queries_across ? pair_.query : pair_.key);
      const std::string name = queries_across ? query_name(input_.hand, c) : key_name(input_.hand, c);
      const float x = block.box.x + (static_cast<float>(c) + 0.5f) * w;
      pen_.box({x - w / 2, block.box.y - kColumnNames, w, kColumnNames}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0,
               name_tag({!queries_across, c}));
      if (widest <= w - 2)
        pen_.text(x, block.box.y - 11, name, 13, Font::words, on ? theme.selected : theme.secondary, Align::middle, 0, kAxisTag);
      else
        pen_.box({x - 0.36f * w, block.box.y - 8, 0.72f * w, 3.5f}, on ? theme.selected : hue(c), {0, 0, 0, 0}, 0, 1.5f);
    }
  }

  // From the middle of a table's right side to the next one's left.
  void arrow(const Block* from, const Block* to, Color color, const std::string& words = {}) {
    if (!from || !to) return;
    const float y = from->box.y + from->box.h / 2;
    if (y < to->box.y || y > to->box.y + to->box.h) return;
    const float x0 = from->box.x + from->box.w + 4, x1 = to->box.x - to->names_room - 4;
    if (x1 - x0 < 8) return;
    pen_.line({x0, y}, {x1 - 5, y}, color, 1.3f);
    head({x1, y}, 1, 0, color);
    if (!words.empty() && pen_.measure.width(words, 12, Font::words) <= x1 - x0)
      pen_.text((x0 + x1) / 2, y - 10, words, 12, Font::words, pen_.theme.secondary, Align::middle);
  }
  void head(Point at, float dx, float dy, Color color) {
    Polygon p;
    p.points = {
        at, {at.x - 6 * dx - 3.5f * dy, at.y - 6 * dy - 3.5f * dx}, {at.x - 6 * dx + 3.5f * dy, at.y - 6 * dy + 3.5f * dx}};
    p.fill = color;
    pen_.figure.add(std::move(p));
  }

  void arrows() {
    const Color quiet = pen_.theme.faint, on = pen_.theme.selected;
    const Block *x = block_of("x"), *scores = block_of("scores"), *weights = block_of("weights"), *turned = block_of("k", true);
    if (x) {
      const float from = x->box.x + x->box.w + 4, y = x->box.y + x->box.h / 2;
      for (const char* name : {"wk", "wq", "wv"})
        if (const Block* w = block_of(name)) {
          const float to = w->box.x - 4, middle = (from + to) / 2, at = w->box.y + w->box.h / 2;
          pen_.line({from, y}, {middle, y}, quiet, 1.3f);
          pen_.line({middle, y}, {middle, at}, quiet, 1.3f);
          pen_.line({middle, at}, {to - 5, at}, quiet, 1.3f);
          head({to, at}, 1, 0, quiet);
        }
    }
    arrow(block_of("wk"), block_of("k"), quiet);
    arrow(block_of("wq"), block_of("q"), quiet);
    arrow(block_of("wv"), block_of("v"), quiet);
    arrow(block_of("k"), turned, quiet);
    arrow(block_of("q"), scores, on);
    if (turned && scores && scores->box.y - 44 > turned->box.y + turned->box.h) {
      const Box cell = cell_box(*turned, pair_.key, 0);
      const float x_at = cell.x + cell.w / 2;
      pen_.line({x_at, turned->box.y + turned->box.h + 3}, {x_at, scores->box.y - 43}, on, 1.3f);
      head({x_at, scores->box.y - 38}, 0, 1, on);
    }
    const Block* const divided = block_of("divided");
    arrow(scores, divided, on);
    arrow(divided ? divided : scores, weights, on, "softmax");
    arrow(weights, block_of("output"), on);
    drop_weights();
  }

  // The row's weights fall onto the values, which they multiply.
  void drop_weights() {
    const Block *v = block_of("v"), *weights = block_of("weights"), *weighted = block_of("weighted");
    if (!v || !weights || !weighted) return;
    const Table& w = input_.worked.stages.at("weights");
    const float room = weighted->box.x - (v->box.x + v->box.w);
    for (std::int64_t j = 0; j < w.columns && j < v->rows; ++j) {
      const float y = v->box.y + (static_cast<float>(j) + 0.5f) * v->box.h / static_cast<float>(v->rows);
      pen_.line({v->box.x + v->box.w + 4, y}, {weighted->box.x - 9, y}, with_alpha(hue(j), 0.8f), 1.2f);
      head({weighted->box.x - 4, y}, 1, 0, hue(j));
      const Box from = cell_box(*weights, pair_.query, j);
      const float x = weights->turned ? weights->box.x + (static_cast<float>(j) + 0.5f) * weights->box.w /
                                                             static_cast<float>(std::max<std::int64_t>(1, weights->columns))
                                      : from.x + from.w / 2;
      if (!weights->turned)
        for (float at = weights->box.y + weights->box.h + 4; at < y - 12; at += 6)
          pen_.line({x, at}, {x, at + 3}, with_alpha(hue(j), 0.8f), 1.2f);
      const std::string words = "× " + hand_number(w.at(pair_.query, j), input_.digits);
      const float wide = pen_.measure.width(words, 13, Font::mono) + 14;
      if (wide + 20 > room) continue;
      pen_.box({x - wide / 2, y - 11, wide, 22}, pen_.theme.background, hue(j), 1.2f, 11);
      pen_.text(x, y, words, 13, Font::mono, pen_.theme.text, Align::middle, 0, {Tag::none, 0, 0, Part::number});
    }
  }

  void outlines() {
    const Color on = pen_.theme.selected;
    if (const Block* weights = block_of("weights")) {
      const Box first = cell_box(*weights, pair_.query, 0),
                last = cell_box(*weights, pair_.query, input_.worked.stages.at("weights").columns - 1);
      pen_.box({first.x, first.y, last.x + last.w - first.x, last.y + last.h - first.y}, {0, 0, 0, 0}, on, 1.5f, 5);
    }
    for (const Block& block : sheet_.blocks)
      if (block.stage == input_.chosen.stage) {
        const Table& table = input_.worked.stages.at(block.stage);
        if (input_.chosen.row < table.rows && input_.chosen.column < table.columns)
          pen_.box(cell_box(block, input_.chosen.row, input_.chosen.column), {0, 0, 0, 0}, on, 2.5f, 5);
      }
  }

  void footer() {
    const Theme& theme = pen_.theme;
    float y = height_ - kFooter + 22;
    pen_.line({0, y - 16}, {pen_.figure.width, y - 16}, theme.line, 1);
    const float width = pen_.figure.width;
    pen_.text(0, y, first_that_fits({input_.formula}, width, 14, Font::mono, pen_.measure), 14, Font::mono, theme.text);
    y += 21;
    bool hint = true;
    if (!input_.check.empty()) {
      std::vector<std::string> lines = wrap(input_.check, width, 13, Font::words, pen_.measure);
      if (lines.size() > 2) lines.resize(2);
      hint = lines.size() == 1;
      for (const std::string& one : lines) {
        pen_.text(0, y, one, 13, Font::words, input_.check_good ? theme.good : theme.wrong);
        y += 19;
      }
    }
    if (hint)
      pen_.text(0, y, first_that_fits({input_.hint}, width, 13, Font::words, pen_.measure), 13, Font::words, theme.secondary,
                Align::start, 0, {Tag::none, 0, 0, Part::caption});
  }

  const ByHandInput& input_;
  const Sheet& sheet_;
  const Composer& pen_;
  float height_;
  HandPair pair_;
};

std::int64_t index_of(const std::string& stage) {
  const auto* const found = std::find(by_hand::kStages.begin(), by_hand::kStages.end(), stage);
  return found == by_hand::kStages.end() ? kWeighted : found - by_hand::kStages.begin();
}

}  // namespace

float by_hand_least_height(const ByHandInput& input) {
  const auto rows_of = [&](const char* stage) {
    const auto found = input.worked.stages.find(stage);
    return found == input.worked.stages.end() ? std::int64_t{0} : found->second.rows;
  };
  const bool keys = input.worked.stages.contains("k") && input.worked.stages.contains("q");
  const Table& scores = input.worked.stages.at("scores");
  const std::int64_t middle = std::max({rows_of("x"), rows_of("wq"), input.hand.keys_down ? scores.columns : scores.rows});
  const std::array<std::int64_t, 3> rows{keys ? std::max(rows_of("k"), rows_of("wk")) : 0, middle,
                                         std::max(rows_of("v"), rows_of("wv"))};
  float height = kFooter;
  for (const std::int64_t count : rows)
    if (count > 0) height += kTitle + kColumnNames + kBandGap + kLeastCell * static_cast<float>(count);
  return height;
}

Tag hand_tag(const HandPlace& place) {
  return {Tag::cell, index_of(place.stage), place.row * by_hand::kMostColumns + place.column};
}

HandPlace hand_place(const Tag& tag) {
  if (tag.kind != Tag::cell || tag.a < 0 || tag.a >= static_cast<std::int64_t>(by_hand::kStages.size()) || tag.b < 0) return {};
  return {by_hand::kStages[static_cast<std::size_t>(tag.a)], tag.b / by_hand::kMostColumns, tag.b % by_hand::kMostColumns};
}

Tag name_tag(const HandName& name) { return {name.key ? Tag::column : Tag::row, name.index, 0, Part::axis}; }

HandName hand_name(const Tag& tag) {
  const bool key = tag.kind == Tag::column;
  return {key, key || tag.kind == Tag::row ? tag.a : -1};
}

Box hand_box(const ByHandInput& input, float width, float height, const TextMeasure& measure, const HandPlace& place) {
  const SheetLayout layout(input, width, height, measure);
  for (const Block& block : layout.sheet().blocks)
    if (block.stage == place.stage) return cell_box(block, place.row, place.column);
  return {};
}

Figure by_hand_sheet(const ByHandInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(tr("Attention by hand"), width, height, theme);
  const Composer pen{figure, theme, measure};
  const SheetLayout layout(input, width, height, measure);
  SheetDrawing(input, layout.sheet(), pen, height).draw();
  for (const char* const stage : by_hand::kStages)
    if (const auto found = input.worked.stages.find(stage); found != input.worked.stages.end())
      figure.data.push_back(
          {stage, Tensor::of(found->second.numbers, {found->second.rows, found->second.columns}), {"row", "column"}});
  return figure;
}

}  // namespace headlight::views::hand
