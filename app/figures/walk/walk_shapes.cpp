#include "app/figures/walk/walk_shapes.h"

#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kText = 13, kLeast = 430, kBetween = 28, kIn = 14, kHeading = 15, kAbove = 10;

// One row or heading, as it is laid out.
struct Entry {
  const WalkShapesInput::Row* row = nullptr;      // null: a heading
  const WalkShapesInput::Group* group = nullptr;  // of a heading
  int number = -1;
  std::vector<std::string> words;  // below the row
  float high = 0;
};

class Drawer {
 public:
  Drawer(const WalkShapesInput& input, float width, const Theme& theme, const TextMeasure& measure)
      : input_(input), theme_(theme), measure_(measure), pen_{figure_, theme, measure} {
    figure_.width = width;
    columns_ = std::clamp(static_cast<int>((width + kBetween) / (kLeast + kBetween)), 1, 4);
    wide_ = (width - kBetween * static_cast<float>(columns_ - 1)) / static_cast<float>(columns_);
    line_ = measure.line_height(kText, Font::mono) + 2;
    small_ = measure.line_height(kText, Font::words);
  }

  Figure draw() {
    const std::vector<Entry> entries = laid_out();
    float all = 0;
    for (const Entry& entry : entries) all += entry.high;
    const float each = all / static_cast<float>(columns_);
    int column = 0;
    float y = 0, deepest = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Entry& entry = entries[i];
      // A heading stays with the row below it.
      const float needed = entry.high + (entry.row || i + 1 == entries.size() ? 0 : entries[i + 1].high);
      if (y > 0 && column + 1 < columns_ && y + needed > each + line_) {
        ++column;
        y = 0;
      }
      draw_entry(entry, static_cast<float>(column) * (wide_ + kBetween), y);
      y += entry.high;
      deepest = std::max(deepest, y);
    }
    y = deepest + 8;
    for (const std::string& line : wrap(input_.note, figure_.width, kText, Font::words, measure_)) {
      pen_.text(0, y + small_ / 2, line, kText, Font::words, theme_.secondary, Align::start, figure_.width, kNoteTag);
      y += small_;
    }
    figure_.height = y + 2;
    return std::move(figure_);
  }

 private:
  std::vector<Entry> laid_out() const {
    std::vector<Entry> entries;
    int number = 0;
    for (const WalkShapesInput::Group& group : input_.groups) {
      Entry heading;
      heading.group = &group;
      heading.high = kAbove + measure_.line_height(kHeading, Font::mono) + 4;
      entries.push_back(heading);
      for (const WalkShapesInput::Row& row : group.rows) {
        Entry entry;
        entry.row = &row;
        entry.number = number++;
        if (!row.remark.empty()) entry.words = wrap(row.remark, wide_ - kIn - 6, kText, Font::words, measure_);
        entry.high = line_ + small_ * static_cast<float>(entry.words.size()) + (entry.words.empty() ? 0 : 4);
        entries.push_back(std::move(entry));
      }
    }
    return entries;
  }

  void draw_entry(const Entry& entry, float x, float y) const {
    if (!entry.row) {
      const float high = measure_.line_height(kHeading, Font::mono);
      pen_.text(x, y + kAbove + high / 2, entry.group->place, kHeading, Font::mono, theme_.text, Align::start, wide_);
      pen_.line({x, y + entry.high - 2}, {x + wide_, y + entry.high - 2}, theme_.line);
      return;
    }
    const WalkShapesInput::Row& row = *entry.row;
    const bool hovered = entry.number == input_.hovered;
    const Tag tag{Tag::row, entry.number, 0};
    pen_.box({x - 4, y, wide_ + 8, entry.high}, hovered ? theme_.raised : Color{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 4, tag);
    const float middle = y + line_ / 2;
    const Color ink = row.lit ? theme_.selected : theme_.text;
    const float name = measure_.width(row.name, kText, Font::mono), shape = measure_.width(row.shape, kText, Font::mono);
    pen_.text(x, middle, row.name, kText, Font::mono, ink, Align::start, wide_ - shape - 8);
    pen_.text(x + wide_, middle, row.shape, kText, Font::mono, ink, Align::end);
    const float room = wide_ - name - shape - 24;
    const std::string between = first_that_fits({row.said.empty() ? row.axes : row.axes + "; " + row.said, row.said, row.axes},
                                                room, kText, Font::words, measure_);
    pen_.text(x + wide_ - shape - 10, middle, between, kText, Font::words, row.said.empty() ? theme_.secondary : theme_.text,
              Align::end);
    if (entry.words.empty()) return;
    float below = y + line_;
    pen_.box({x + 2, below + 1, 2.5f, small_ * static_cast<float>(entry.words.size())}, theme_.info);
    for (const std::string& line : entry.words) {
      pen_.text(x + kIn, below + small_ / 2, line, kText, Font::words, theme_.info, Align::start, wide_ - kIn);
      below += small_;
    }
  }

  const WalkShapesInput& input_;
  const Theme& theme_;
  const TextMeasure& measure_;
  Figure figure_;
  Composer pen_;
  int columns_ = 1;
  float wide_ = 0, line_ = 0, small_ = 0;
};

}  // namespace

Figure walk_shapes(const WalkShapesInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  return Drawer(input, width, theme, measure).draw();
}

}  // namespace headlight::figures
