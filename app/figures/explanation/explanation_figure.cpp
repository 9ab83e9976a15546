#include "app/figures/explanation/explanation_figure.h"

#include <cmath>

#include "app/figures/explanation/explanation_column.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

// The numbers of the pictures and of the softmax rows, for export.
void add_explanation_data(Figure& figure, const std::vector<ExplainSection>& sections) {
  const auto vector = [&](const std::string& name, const std::vector<double>& values, const std::string& axis,
                          std::vector<std::string> labels) {
    if (values.empty()) return;
    Data data{name, Tensor::of<double>(values, {static_cast<std::int64_t>(values.size())}), {axis}, {}};
    if (!labels.empty()) data.labels = {std::move(labels)};
    figure.data.push_back(std::move(data));
  };
  for (const ExplainSection& section : sections) {
    std::vector<double> shares;
    std::vector<std::string> keys;
    for (const ExplainLine& line : section.lines) {
      vector(section.title, line.values, line.axis, line.labels);
      if (line.kind != ExplainLine::Kind::term || std::isnan(line.share)) continue;
      shares.push_back(line.share);
      keys.push_back(line.label);
    }
    vector(section.title, shares, "key", std::move(keys));
  }
}

}  // namespace

WrittenFigure written(const std::string& title, const std::string& value, const std::string& subtitle,
                      const std::vector<ExplainSection>& sections, float width, const Theme& theme, const TextMeasure& measure) {
  WrittenFigure out;
  out.figure.width = width;
  out.figure.title = title + (value.empty() ? "" : " = " + value);
  WrittenColumn column(out, width, theme, measure);
  column.title(title, value);
  if (!subtitle.empty()) column.words(subtitle, 13, Font::words, theme.secondary);
  for (const ExplainSection& section : sections) column.section(section);
  out.figure.height = column.height() + 4;
  add_explanation_data(out.figure, sections);
  return out;
}

WrittenFigure explanation(const CellExplanation& cell, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure) {
  return written(cell.query_label + " → " + cell.key_label, {}, subtitle, cell.sections, width, theme, measure);
}

WrittenFigure explanation(const TokenExplanation& token, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure) {
  WrittenFigure out = written(token.label, {}, subtitle, token.sections, width, theme, measure);
  out.figure.title = "token " + token.label;
  return out;
}

WrittenFigure explanation(const ValueExplanation& value, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure) {
  return written(value.name, value.value_text, subtitle, value.sections, width, theme, measure);
}

std::string spoken(const ExplainLine& line) {
  if (line.words.empty()) return line.text;
  // fill() takes an initializer list, so the values are listed one by one; a line has at most six.
  std::string values[6];
  for (std::size_t i = 0; i < line.spans.size() && i < 6; ++i) values[i] = line.spans[i].text;
  return fill(tr(line.words.c_str()), {values[0], values[1], values[2], values[3], values[4], values[5]});
}

std::string bar_words(const ExplainLine& picture, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  if (index < 0 || i >= picture.values.size()) return {};
  std::string words =
      i < picture.labels.size() ? picture.labels[i] : std::string(tr(picture.axis.c_str())) + " " + std::to_string(index);
  words += ": ";
  if (i < picture.left.size() && i < picture.right.size())
    words += number_text(picture.left[i]) + " · " + number_text(picture.right[i]) + " = ";
  return words + number_text(picture.values[i]);
}

ValueAddress bar_address(const ExplainLine& picture, std::int64_t index) {
  ValueAddress at = picture.first;
  if (at.step.empty() || picture.running < 0 || picture.running >= static_cast<int>(at.index.size())) return {};
  at.index[static_cast<std::size_t>(picture.running)] += index;
  return at;
}

}  // namespace headlight::figures
