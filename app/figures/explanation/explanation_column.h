// A column of written lines that grows downwards. Only app/figures/explanation/explanation_figure.cpp uses it.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/compose.h"
#include "app/figures/explanation/explanation_figure.h"

namespace headlight::figures {

class WrittenColumn {
 public:
  WrittenColumn(WrittenFigure& out, float width, const Theme& theme, const TextMeasure& measure)
      : out_(out), pen_{out.figure, theme, measure}, width_(width) {}

  void heading(const std::string& title);
  // The value stands behind the name, or below the name if the line is too short. title("weight", "0.42").
  void title(const std::string& name, const std::string& value);
  // Adds wrapped text. words("softmax over 8 keys", 14, Font::words, theme.text).
  void words(const std::string& text, float size, Font font, Color color);
  void section(const ExplainSection& section);
  float height() const { return y_; }

 private:
  // A piece of a line that must not be broken: a word, a number.
  struct Atom {
    std::string text;
    Font font = Font::words;
    Color color;
    int link = -1;
  };
  // The widths of the columns of a section's terms.
  struct Columns {
    float label = 0, factor = 0, second = 0, result = 0;
    bool fits = true;  // the columns fit into one line
  };
  void line(const ExplainLine& line);
  void terms(const std::vector<const ExplainLine*>& rows);
  void term(const ExplainLine& row, const Columns& columns);
  void share(const ExplainLine& row);
  void picture(const ExplainLine& line);
  void flow(const std::vector<Atom>& atoms, float size);
  void split(std::vector<Atom>& atoms, std::string_view text, Font font, Color color) const;
  int link_of(const ExplainSpan& span);
  void number(float right, float y, const ExplainSpan& span, Color color);
  void underline(float left, float right, float y) const;
  Color ink(const ExplainLine& line) const;

  WrittenFigure& out_;
  Composer pen_;
  float width_, y_ = 0;
};

}  // namespace headlight::figures
