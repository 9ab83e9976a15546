// Pages of a document that is written from top to bottom: blocks of text and pictures, with page breaks where they do not fit.
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

  float room() const { return kHeight - kMargin - kFooter - y_; }
  void new_page();
  void skip(float height) { y_ += height; }
  // Keeps a heading on the same page as at least `with` points of what follows.
  void heading(const std::string& words, float with = 120);
  void words(const std::string& text, float size, Font font, Color color, float indent = 0);
  // Two columns: a name, and its value, wrapped.
  void entry(const std::string& name, const std::string& value);
  void rule();
  // A figure at the left margin. If it does not fit, it goes to the next page; if it is higher than a page, it is cut between its
  // items. Its background is left out.
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
