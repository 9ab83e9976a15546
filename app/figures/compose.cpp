#include "app/figures/compose.h"

#include <algorithm>
#include <type_traits>
#include <variant>

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

void moved(Item& item, float dx, float dy) {
  const auto shift = [&](Point& p) {
    p.x += dx;
    p.y += dy;
  };
  std::visit(
      [&](auto& one) {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, Line>) {
          shift(one.from);
          shift(one.to);
        } else if constexpr (std::is_same_v<T, Curve>) {
          for (Point* p : {&one.from, &one.control1, &one.control2, &one.to}) shift(*p);
        } else if constexpr (std::is_same_v<T, Disc>) {
          shift(one.centre);
        } else if constexpr (std::is_same_v<T, Polygon>) {
          for (Point& p : one.points) shift(p);
        } else if constexpr (std::is_same_v<T, Text>) {
          shift(one.at);
        } else {
          one.box.x += dx;
          one.box.y += dy;
        }
      },
      item);
}

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
