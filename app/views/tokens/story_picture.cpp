#include "app/views/tokens/story_picture.h"

#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kFact = 22, kFactNames = 84, kElsewhere = 22;

// Puts a part below what there is.
void put(Figure& figure, Figure part, float& y) {
  move(part, 0, y);
  y += part.height;
  for (Item& item : part.items) figure.items.push_back(std::move(item));
  for (Data& data : part.data) figure.data.push_back(std::move(data));
}

}  // namespace

Figure token_story(const TokenStory& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.title = input.where;
  const Composer pen{figure, theme, measure};
  float y = 0;
  const auto heading = [&](const std::string& words, const std::string& right) {
    y += 10;
    pen.text(0, y + 9, words, 13, Font::words, theme.secondary);
    pen.text(width, y + 9, right, 13, Font::words, theme.secondary, Align::end);
    const float left = measure.width(words, 13, Font::words) + 8, end = width - measure.width(right, 13, Font::words) - 8;
    if (end > left) pen.line({left, y + 9}, {right.empty() ? width : end, y + 9}, theme.line);
    y += 22;
  };
  pen.text(0, 13, input.piece, 20, Font::mono, theme.selected, Align::start, width);
  pen.text(0, 36, input.where, 13, Font::words, theme.secondary, Align::start, width);
  y = 44;
  heading(tr("what it is"), tr("counted from 0"));
  for (const auto& fact : input.facts) {
    pen.text(0, y + 9, fact.name, 13, Font::words, theme.secondary, Align::start, kFactNames - 6);
    pen.text(kFactNames, y + 9, fact.value, 13, Font::mono, theme.text);
    const float behind = kFactNames + measure.width(fact.value, 13, Font::mono) + 10;
    pen.text(behind, y + 9, first_that_fits({fact.more, ""}, width - behind, 13, Font::words, measure), 13, Font::words,
             theme.secondary);
    y += kFact;
  }
  const std::vector<std::string> bytes = wrap(input.bytes, width, 13, Font::mono, measure);
  for (std::size_t i = 0; i < bytes.size() && i < 4; ++i, y += 18)
    pen.text(0, y + 9, i == 3 && bytes.size() > 4 ? bytes[i] + " …" : bytes[i], 13, Font::mono, theme.text, Align::start, width);
  if (input.place >= 0) {
    y += 8;
    pen.box({0, y, width, 4}, theme.raised, {}, 0, 2);
    pen.box({static_cast<float>(input.place) * (width - 3), y - 4, 3, 12}, theme.selected);
    pen.text(0, y + 18, tr("0, learned first"), 12, Font::words, theme.secondary);
    pen.text(width, y + 18, input.place_end, 12, Font::mono, theme.secondary, Align::end);
    y += 28;
  }
  if (!input.how.empty()) {
    heading(input.how, input.joins.states.size() > 1 ? tr("merge rank") : "");
    if (!input.joins.letters.empty()) put(figure, merge_tree(input.joins, width, theme, measure), y);
    if (!input.tries.letters.empty()) put(figure, tries_picture(input.tries, width, theme, measure), y);
    if (!input.lattice.letters.empty()) {
      put(figure, lattice_picture(input.lattice, width, theme, measure), y);
      put(figure, lattice_paths(input.lattice, width, theme, measure), y);
    }
    for (const std::string& line : wrap(input.how_note, width, 13, Font::words, measure)) {
      pen.text(0, y + 10, line, 13, Font::words, theme.secondary);
      y += 18;
    }
  }
  if (!input.elsewhere.empty()) {
    heading(tr("the same characters elsewhere"), "");
    float names = 40;
    for (const auto& one : input.elsewhere) names = std::max(names, measure.width(one.name, 13, Font::words) + 6);
    names = std::min(names, 0.4f * width);
    for (const auto& one : input.elsewhere) {
      pen.text(0, y + 9, one.name, 13, Font::words, theme.text, Align::start, names);
      pen.text(names + 30, y + 9, one.count, 13, Font::mono, theme.text, Align::end);
      pen.text(names + 42, y + 9, one.pieces, 13, Font::mono, theme.text, Align::start, width - names - 42);
      y += kElsewhere;
    }
  }
  figure.height = y + 4;
  return figure;
}

}  // namespace headlight::figures
