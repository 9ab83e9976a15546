#include "app/figures/compose.h"

#include <algorithm>

namespace headlight::figures {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Appends `word` to the lines, cut into pieces that fit.
void cut_long(std::string word, float width, float size, Font font, const TextMeasure& measure, std::vector<std::string>& lines) {
  while (measure.width(word, size, font) > width) {
    std::size_t keep = word.size();
    while (keep > 1 && (keep == word.size() || continues_character(word[keep]) ||
                        measure.width(std::string_view(word).substr(0, keep), size, font) > width))
      --keep;
    while (keep < word.size() && continues_character(word[keep])) ++keep;  // at least one whole character a line
    if (keep >= word.size()) break;
    lines.push_back(word.substr(0, keep));
    word.erase(0, keep);
  }
  lines.push_back(std::move(word));
}

}  // namespace

std::vector<std::string> wrap(std::string_view words, float width, float size, Font font, const TextMeasure& measure) {
  if (measure.width(words, size, font) <= width) return {std::string(words)};
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t space = std::min(words.find(' ', at), words.size());
    const std::string word(words.substr(at, space - at));
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && measure.width(longer, size, font) > width) {
      lines.push_back(std::move(line));
      line = word;
    } else {
      line = longer;
    }
    if (measure.width(line, size, font) > width) {
      cut_long(std::move(line), width, size, font, measure, lines);
      line = std::move(lines.back());
      lines.pop_back();
    }
    at = space + 1;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace headlight::figures
