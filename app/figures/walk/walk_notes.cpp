#include "app/figures/walk/walk_notes.h"

#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kTitle = 18, kWords = 15, kFormula = 14, kSmall = 13;

class Writer {
 public:
  Writer(const WalkNotes& notes, float width, const Theme& theme, const TextMeasure& measure)
      : notes_(notes), theme_(theme), measure_(measure), pen_{figure_, theme, measure} {
    figure_.width = width;
  }

  Figure write() {
    constexpr float kBetween = 32;
    const bool beside = figure_.width >= 640 && (!notes_.rows.empty() || notes_.broadcast || notes_.losses);
    const float column = beside ? (figure_.width - kBetween) * 0.52f : figure_.width;
    float y = words(column);
    if (beside) {
      float right = second(column + kBetween, 0, figure_.width - column - kBetween);
      y = std::max(remarks(0, y, column), right);
    } else {
      y = second(0, y + 4, figure_.width);
      y = remarks(0, y, figure_.width);
    }
    figure_.height = y;
    return std::move(figure_);
  }

 private:
  float lines(float x, float y, float width, const std::string& words, float size, Font font, Color color) {
    const float high = measure_.line_height(size, font) + 1;
    for (const std::string& line : wrap(words, width, size, font, measure_)) {
      pen_.text(x, y + high / 2, line, size, font, color);
      y += high;
    }
    return y;
  }

  float words(float width) {
    float y = lines(0, 0, width, notes_.title, kTitle, Font::words_bold, theme_.selected) + 5;
    y = lines(0, y, width, notes_.words, kWords, Font::words, theme_.text) + 7;
    if (!notes_.formula.empty()) y = lines(0, y, width, notes_.formula, kFormula, Font::mono, theme_.text) + 4;
    if (!notes_.shape.empty()) y = lines(0, y, width, notes_.shape, kSmall, Font::mono, theme_.secondary) + 4;
    if (!notes_.chain.empty()) y = lines(0, y, width, notes_.chain, kSmall, Font::mono, theme_.text) + 4;
    for (const std::string& one : notes_.said) y = said(y, width, one);
    return y;
  }

  // A line at its left tells it from the words of the step itself.
  float said(float y, float width, const std::string& words) {
    constexpr float kIn = 12;
    const float end = lines(kIn, y + 2, width - kIn, words, kSmall, Font::words, theme_.info);
    pen_.box({0, y + 2, 2.5f, end - y - 3}, theme_.info);
    return end + 4;
  }

  void put(Figure picture, float x, float y) {
    for (Item& item : picture.items) {
      moved(item, x, y);
      figure_.items.push_back(std::move(item));
    }
  }

  float second(float x, float y, float width) {
    if (notes_.broadcast) {
      Figure picture = broadcast(*notes_.broadcast, width, std::clamp(width * 0.165f, 44.0f, 60.0f), theme_, measure_);
      const float high = picture.height + 2;
      put(std::move(picture), x, y + 2);
      y += high;
    }
    if (notes_.losses) {
      Figure picture = walk_losses(*notes_.losses, width, theme_, measure_);
      const float high = picture.height + 6;
      put(std::move(picture), x, y + 4);
      y += high;
    }
    if (notes_.rows.empty()) return y;
    if (!notes_.rows_title.empty()) y = lines(x, y + 2, width, notes_.rows_title, kSmall, Font::words, theme_.secondary) + 3;
    const float high = measure_.line_height(kSmall, Font::mono) + 2;
    // As many numbers as fit, in columns common to all rows.
    float widest = 0;
    for (const WalkNotes::Row& row : notes_.rows)
      for (const std::string& value : row.values) widest = std::max(widest, measure_.width(value, kSmall, Font::mono));
    const float pitch = std::max(widest + 9, 40.0f), dots = measure_.width("…", kSmall, Font::mono);
    for (const WalkNotes::Row& row : notes_.rows) {
      const Color color = row.result ? theme_.selected : theme_.text;
      const float shape = measure_.width(row.shape, kSmall, Font::mono);
      pen_.text(x, y + high / 2, (row.result ? "= " : "") + row.name, kSmall, Font::words,
                row.result ? theme_.text : theme_.secondary, Align::start, std::max(20.0f, width - shape - 8));
      pen_.text(x + width, y + high / 2, row.shape, kSmall, Font::mono, theme_.secondary, Align::end);
      y += high;
      auto fits = static_cast<std::size_t>(std::max(1.0f, (width + 10) / pitch));
      bool more = row.more;
      if (row.values.size() > fits || more) {
        more = true;
        fits = static_cast<std::size_t>(std::max(1.0f, (width - dots - 1) / pitch));
      }
      for (std::size_t k = 0; k < std::min(fits, row.values.size()); ++k)
        pen_.text(x + static_cast<float>(k) * pitch + widest, y + high / 2, row.values[k], kSmall, Font::mono, color, Align::end);
      if (more) pen_.text(x + width, y + high / 2, "…", kSmall, Font::mono, theme_.secondary, Align::end);
      y += high + 5;
    }
    return y;
  }

  float remarks(float x, float y, float width) {
    y += 2;
    for (const std::string& one : notes_.remarks) y = lines(x, y, width, one, kSmall, Font::words, theme_.secondary) + 1;
    return y;
  }

  const WalkNotes& notes_;
  const Theme& theme_;
  const TextMeasure& measure_;
  Figure figure_;
  Composer pen_;
};

}  // namespace

Figure walk_notes(const WalkNotes& notes, float width, const Theme& theme, const TextMeasure& measure) {
  return Writer(notes, width, theme, measure).write();
}

}  // namespace headlight::figures
