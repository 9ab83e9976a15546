#include "app/views/walk/shapes_picture.h"

#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kText = 13, kLeastShapesWidth = 430, kBetweenShapes = 28, kIn = 14, kShapesHeading = 15, kAbove = 10;

// One row or heading, as it is laid out.
struct Entry {
  const WalkShapesInput::Row* row = nullptr;      // null: a heading
  const WalkShapesInput::Group* group = nullptr;  // of a heading
  int number = -1;
  std::vector<std::string> words;  // below the row
  float high = 0;
};

}  // namespace

Figure walk_shapes(const WalkShapesInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  figure.width = width;
  const int columns = std::clamp(static_cast<int>((width + kBetweenShapes) / (kLeastShapesWidth + kBetweenShapes)), 1, 4);
  const float wide = (width - kBetweenShapes * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float line = measure.line_height(kText, Font::mono) + 2, small = measure.line_height(kText, Font::words);
  const float heading_line = measure.line_height(kShapesHeading, Font::mono);

  std::vector<Entry> entries;
  int number = 0;
  for (const WalkShapesInput::Group& group : input.groups) {
    Entry heading;
    heading.group = &group;
    heading.high = kAbove + heading_line + 4;
    entries.push_back(heading);
    for (const WalkShapesInput::Row& row : group.rows) {
      Entry entry;
      entry.row = &row;
      entry.number = number++;
      if (!row.remark.empty()) entry.words = wrap(row.remark, wide - kIn - 6, kText, Font::words, measure);
      entry.high = line + small * static_cast<float>(entry.words.size()) + (entry.words.empty() ? 0 : 4);
      entries.push_back(std::move(entry));
    }
  }

  // The columns are about equally high.
  float all = 0;
  for (const Entry& entry : entries) all += entry.high;
  const float each = all / static_cast<float>(columns);
  int column = 0;
  float y = 0, deepest = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    // A heading stays with the row below it.
    const float needed = entry.high + (entry.row || i + 1 == entries.size() ? 0 : entries[i + 1].high);
    if (y > 0 && column + 1 < columns && y + needed > each + line) {
      ++column;
      y = 0;
    }
    const float x = static_cast<float>(column) * (wide + kBetweenShapes), top = y, middle = y + line / 2;
    y += entry.high;
    deepest = std::max(deepest, y);
    if (!entry.row) {
      pen.text(x, top + kAbove + heading_line / 2, entry.group->place, kShapesHeading, Font::mono, theme.text, Align::start,
               wide);
      pen.line({x, y - 2}, {x + wide, y - 2}, theme.line);
      continue;
    }
    const WalkShapesInput::Row& row = *entry.row;
    const bool hovered = entry.number == input.hovered;
    const Tag tag{Tag::row, entry.number, 0};
    pen.box({x - 4, top, wide + 8, entry.high}, hovered ? theme.raised : Color{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 4, tag);
    const Color ink = row.lit ? theme.selected : theme.text;
    const float name = measure.width(row.name, kText, Font::mono), shape = measure.width(row.shape, kText, Font::mono);
    pen.text(x, middle, row.name, kText, Font::mono, ink, Align::start, wide - shape - 8);
    pen.text(x + wide, middle, row.shape, kText, Font::mono, ink, Align::end);
    const std::string between = first_that_fits({row.said.empty() ? row.axes : row.axes + "; " + row.said, row.said, row.axes},
                                                wide - name - shape - 24, kText, Font::words, measure);
    pen.text(x + wide - shape - 10, middle, between, kText, Font::words, row.said.empty() ? theme.secondary : theme.text,
             Align::end);
    float below = top + line;
    if (!entry.words.empty()) pen.box({x + 2, below + 1, 2.5f, small * static_cast<float>(entry.words.size())}, theme.info);
    for (const std::string& words : entry.words) {
      pen.text(x + kIn, below + small / 2, words, kText, Font::words, theme.info, Align::start, wide - kIn);
      below += small;
    }
  }

  y = deepest + 8;
  for (const std::string& words : wrap(input.note, width, kText, Font::words, measure)) {
    pen.text(0, y + small / 2, words, kText, Font::words, theme.secondary, Align::start, width, kNoteTag);
    y += small;
  }
  figure.height = y + 2;
  return figure;
}

}  // namespace headlight::figures
