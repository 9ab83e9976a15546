// Lays out a document from top to bottom as pages: blocks of text and pictures, with a page break before a block that does not
// fit.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/compose.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

class Pager {
 public:
  // A4 at 96 points an inch.
  static constexpr float kWidth = 793.7f, kHeight = 1122.5f, kMargin = 56;
  static constexpr float kInner = kWidth - 2 * kMargin;

  Pager(const Theme& theme, const TextMeasure& measure) : theme_(theme), measure_(measure) { new_page(); }

  // The height that is left on the page, in points.
  float room() const { return kHeight - kMargin - kFooter - y_; }
  void new_page();
  void skip(float height) { y_ += height; }
  // Adds a heading and keeps it on the same page as at least `with` points of the block below it.
  // heading("The masks", 200) begins a new page unless 248 points are left.
  void heading(const std::string& words, float with = 120);
  // Adds wrapped text; `size` and `indent` in points. words("One head.", 13, Font::words, theme.text) adds one line.
  void words(const std::string& text, float size, Font font, Color color, float indent = 0);
  // Adds a name and, in a second column, its wrapped value. entry("Seed", "0") adds one line.
  void entry(const std::string& name, const std::string& value);
  void rule();
  // Adds a figure at the left margin, without its background. A figure that does not fit goes to the next page; a figure higher
  // than a page is cut between its items.
  void figure(Figure figure);

  // Returns the pages, each with `title` and its number at the foot.
  std::vector<Figure> finish(const std::string& title);

 private:
  static constexpr float kFooter = 28;
  void place(Figure figure);

  const Theme& theme_;
  const TextMeasure& measure_;
  std::vector<Figure> pages_;
  float y_ = 0;
};

}  // namespace headlight::figures
