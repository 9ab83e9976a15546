#include "app/figures/explanation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/compose.h"

namespace headlight::figures {
namespace {

constexpr std::size_t kTerms = 6;  // keys of the softmax row that are written out

// A column that grows downwards.
class Column {
 public:
  Column(Figure& figure, float width, const Theme& theme, const TextMeasure& measure)
      : pen_{figure, theme, measure}, width_(width), y_(0) {}

  void heading(const std::string& title) {
    y_ += 10;
    pen_.text(0, y_ + 8, title, 13, Font::words, pen_.theme.secondary);
    const float x = pen_.measure.width(title, 13, Font::words) + 12;
    if (x < width_) pen_.line({x, y_ + 8}, {width_, y_ + 8}, pen_.theme.line);
    y_ += 22;
  }
  void words(const std::string& text, float size, Font font, Color color, float leading = 1.45f) {
    for (const std::string& line : wrap(text, width_, size, font, pen_.measure)) {
      pen_.text(0, y_ + size * leading / 2, line, size, font, color);
      y_ += size * leading;
    }
  }
  void line(const ExplainLine& line) {
    using Tone = ExplainLine::Tone;
    const Theme& t = pen_.theme;
    const Color color = line.tone == Tone::good    ? t.good
                        : line.tone == Tone::wrong ? t.wrong
                        : line.tone == Tone::quiet ? t.secondary
                                                   : t.text;
    words(line.text, line.tone == Tone::quiet ? 13.0f : 14.0f, Font::mono, color);
  }
  // Signed values as bars about a middle line; more values than there is room for are shown by the largest of each group.
  void bars(const std::vector<double>& values, float height) {
    const std::vector<double> shown = grouped(values, static_cast<std::size_t>(width_ / 3));
    double largest = 0;
    for (const double v : shown) largest = std::max(largest, std::abs(v));
    y_ += 4;
    const float step = width_ / static_cast<float>(std::max<std::size_t>(shown.size(), 1));
    const float bar = std::max(1.0f, std::min(step - 1, 12.0f)), middle = y_ + height / 2;
    pen_.line({0, middle}, {width_, middle}, pen_.theme.line);
    for (std::size_t i = 0; i < shown.size() && largest > 0; ++i) {
      const float tall = static_cast<float>(std::abs(shown[i]) / largest) * height / 2;
      const float x = static_cast<float>(i) * step;
      pen_.box({x, shown[i] >= 0 ? middle - tall : middle, bar, std::max(tall, 0.5f)},
               shown[i] >= 0 ? pen_.theme.signed_high : pen_.theme.signed_low);
    }
    y_ += height + 4;
  }
  // Signed values as a strip of colour.
  void strip(const std::vector<double>& values, float height) {
    const std::vector<double> shown = grouped(values, static_cast<std::size_t>(width_ / 3));
    double largest = 0;
    for (const double v : shown) largest = std::max(largest, std::abs(v));
    y_ += 4;
    const float step = width_ / static_cast<float>(std::max<std::size_t>(shown.size(), 1));
    pen_.box({0, y_, width_, height}, pen_.theme.raised);
    for (std::size_t i = 0; i < shown.size() && largest > 0; ++i) {
      const float share = static_cast<float>(std::abs(shown[i]) / largest);
      pen_.box({static_cast<float>(i) * step, y_, std::max(step - (step > 3 ? 1.0f : 0.0f), 1.0f), height},
               with_alpha(shown[i] >= 0 ? pen_.theme.signed_high : pen_.theme.signed_low, share));
    }
    y_ += height + 6;
  }
  void term(const CellExplanation::Term& term, bool current) {
    const Theme& t = pen_.theme;
    const Color ink = current ? t.selected : term.visible ? t.text : t.faint;
    const float middle = y_ + 10, number = 48, exponent = width_ * 0.34f, bar = width_ * 0.60f;
    pen_.text(0, middle, term.label, 13, Font::mono, ink, Align::start, exponent - 8);
    char text[32];
    std::snprintf(text, sizeof text, "e^%+.2f", term.exponent);
    pen_.text(exponent, middle, !term.visible ? "masked" : std::isfinite(term.exponent) ? text : "e^-∞", 13, Font::mono, ink);
    pen_.bar({bar, middle - 4, std::max(width_ - bar - number, 8.0f), 8}, term.weight, current ? t.selected : t.info);
    std::snprintf(text, sizeof text, "%.3f", term.weight);
    pen_.text(width_, middle, text, 13, Font::mono, ink, Align::end);
    y_ += 21;
  }
  void skip(float height) { y_ += height; }
  float height() const { return y_; }

 private:
  static std::vector<double> grouped(const std::vector<double>& values, std::size_t most) {
    if (values.size() <= most || most == 0) return values;
    std::vector<double> out(most);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& group = out[i * most / values.size()];
      if (std::abs(values[i]) > std::abs(group)) group = values[i];
    }
    return out;
  }
  Composer pen_;
  float width_, y_;
};

// The strongest keys and the cell's own, in the order of the row.
std::vector<const CellExplanation::Term*> chosen_terms(const CellExplanation& cell) {
  std::vector<const CellExplanation::Term*> terms;
  for (const auto& term : cell.row) terms.push_back(&term);
  const auto stronger = [&](const auto* a, const auto* b) {
    const bool own_a = a->key == cell.cell.key, own_b = b->key == cell.cell.key;
    return own_a != own_b ? own_a : a->weight != b->weight ? a->weight > b->weight : a->key < b->key;
  };
  const std::size_t keep = std::min(kTerms, terms.size());
  std::partial_sort(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(keep), terms.end(), stronger);
  terms.resize(keep);
  std::sort(terms.begin(), terms.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
  return terms;
}

}  // namespace

Figure explanation(const CellExplanation& cell, const std::string& subtitle, float width, const Theme& theme,
                   const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.title = cell.query_label + " → " + cell.key_label;
  Column column(figure, width, theme, measure);
  column.words(cell.query_label + " → " + cell.key_label, 16, Font::mono, theme.selected);
  column.words(subtitle, 13, Font::words, theme.secondary);
  for (std::size_t s = 0; s < cell.sections.size(); ++s) {
    const ExplainSection& section = cell.sections[s];
    column.heading(section.title);
    for (std::size_t i = 0; i < section.lines.size(); ++i) {
      column.line(section.lines[i]);
      if (i == 0 && s == 0) column.bars(cell.products, 52);
      if (i == 0 && s == 4) column.strip(cell.delta, 18);
    }
    if (s == 3) {
      column.skip(4);
      const auto terms = chosen_terms(cell);
      for (const auto* term : terms) column.term(*term, term->key == cell.cell.key);
      if (cell.row.size() > terms.size())
        column.words("and " + std::to_string(cell.row.size() - terms.size()) + " more keys", 13, Font::words, theme.secondary);
    }
  }
  figure.height = column.height() + 4;
  return figure;
}

Figure explanation(const TokenExplanation& token, const std::string& subtitle, float width, const Theme& theme,
                   const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.title = "token " + token.label;
  Column column(figure, width, theme, measure);
  column.words(token.label, 16, Font::mono, theme.selected);
  column.words(subtitle, 13, Font::words, theme.secondary);
  for (const ExplainSection& section : token.sections) {
    column.heading(section.title);
    for (const ExplainLine& line : section.lines) column.line(line);
    const std::vector<double>* values = section.title.starts_with("2")   ? &token.embedding
                                        : section.title.starts_with("3") ? &token.position_code
                                        : section.title.starts_with("4") ? &token.input
                                                                         : nullptr;
    if (values) column.strip(*values, 14);
  }
  figure.height = column.height() + 4;
  return figure;
}

}  // namespace headlight::figures
