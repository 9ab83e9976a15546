#include "engine/insight/marked_pairs.h"

#include <algorithm>
#include <optional>

#include "engine/core/files.h"
#include "engine/core/text_file.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight {
namespace {

// The words of a text: runs of letters, marks, digits and apostrophes, and every other character that is no space.
std::vector<text::Span> spans_of(std::string_view text) {
  std::vector<text::Span> spans;
  bool inside = false;
  text::for_each_code_point(text, [&](std::int64_t at, const text::CodePoint& c) {
    const bool part =
        c.valid && (text::is_letter(c.value) || text::is_mark(c.value) || text::is_number(c.value) || c.value == U'\'');
    if (inside && part)
      spans.back().end = at + c.length;
    else if (part || !(c.valid && text::is_whitespace(c.value)))
      spans.push_back({at, at + c.length});
    inside = part;
  });
  return spans;
}

bool is_sign(std::string_view text, const text::Span& span) {
  bool sign = true;
  text::for_each_code_point(text.substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start)),
                            [&](std::int64_t, const text::CodePoint& c) { sign &= c.valid && text::is_punctuation(c.value); });
  return sign;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// What stands before the next `sign`, which is taken off with it.
std::string_view next_part(std::string_view& rest, char sign) {
  const std::size_t at = std::min(rest.find(sign), rest.size());
  const std::string_view part = trimmed(rest.substr(0, at));
  rest.remove_prefix(std::min(rest.size(), at + 1));
  return part;
}

std::optional<HeadPattern> marked_pattern(std::string_view name) {
  for (const HeadPattern pattern : kHeadPatterns)
    if (needs_marks(pattern) && name == name_of(pattern)) return pattern;
  return {};
}

// The place of "the#2" in the text.
Result<text::Span> span_of(std::string_view word, std::string_view text, const std::string& where) {
  const std::string given(word);
  std::int64_t nth = 1;
  if (word.size() > 2 && word[word.size() - 2] == '#') {
    nth = word.back() - '0';
    word.remove_suffix(2);
  }
  for (const text::Span& span : spans_of(text))
    if (text.substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start)) == word && --nth == 0)
      return span;
  return invalid("the text has no word '{}'", given).at(where).mend("write both words of a pair as they stand in the text");
}

}  // namespace

Result<std::vector<MarkedText>> read_marked_texts(std::string_view text, const std::string& where) {
  std::vector<MarkedText> all;
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    const std::string place = where + ":" + std::to_string(++number);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return invalid("this line has no tab").at(place).mend("write a text, a tab and its pairs");
    MarkedText one{std::string(line.substr(0, tab)), {}};
    std::string_view groups = line.substr(tab + 1);
    while (!groups.empty()) {
      std::string_view group = next_part(groups, ';');
      const std::string name(next_part(group, ':'));
      const auto pattern = marked_pattern(name);
      if (!pattern)
        return invalid("'{}' is no pattern of marked pairs", name)
            .at(place)
            .mend("name determiner, subject, object, pronoun or pair");
      while (!group.empty()) {
        std::string_view pair = next_part(group, ',');
        const std::size_t arrow = pair.find('>', 1);
        if (arrow == std::string_view::npos)
          return invalid("'{}' is no pair of words", std::string(pair)).at(place).mend("write the later word, > and the earlier");
        MarkedPair marked{*pattern, {}, {}};
        HL_ASSIGN(marked.later, span_of(pair.substr(0, arrow), one.text, place));
        HL_ASSIGN(marked.earlier, span_of(pair.substr(arrow + 1), one.text, place));
        if (marked.later.start <= marked.earlier.start)
          return invalid("the words of '{}' stand the other way round", std::string(pair))
              .at(place)
              .mend("write the later word, > and the earlier");
        one.pairs.push_back(marked);
      }
    }
    all.push_back(std::move(one));
  }
  if (all.empty()) return invalid("it has no marked text").at(where).mend("write a text, a tab and its pairs on each line");
  return all;
}

Result<std::vector<MarkedText>> open_marked_texts() {
  HL_ASSIGN(const std::filesystem::path assets, assets_folder());
  const std::filesystem::path file = assets / "sentences/marked.tsv";
  HL_ASSIGN(const std::string text, read_text_file(file));
  return read_marked_texts(text, file.string());
}

MarkedWords marked_words(const MarkedText& text, std::span<const tokenizers::Token> tokens, std::int64_t before) {
  MarkedWords marked;
  std::vector<text::Span> spans;
  for (const text::Span& span : spans_of(text.text)) {
    MarkedWords::Range range{-1, -1};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (std::max(tokens[i].start, span.start) >= std::min(tokens[i].end, span.end)) continue;
      if (range.begin < 0) range.begin = before + static_cast<std::int64_t>(i);
      range.end = before + static_cast<std::int64_t>(i) + 1;
    }
    // A word that the sequence ends within is none.
    if (range.begin < 0 || tokens[static_cast<std::size_t>(range.end - before - 1)].end < span.end) continue;
    marked.words.push_back(range);
    marked.signs.push_back(is_sign(text.text, span));
    spans.push_back(span);
  }
  const auto word_at = [&](const text::Span& span) {
    return static_cast<std::size_t>(std::find(spans.begin(), spans.end(), span) - spans.begin());
  };
  for (const MarkedPair& pair : text.pairs) {
    const std::size_t later = word_at(pair.later), earlier = word_at(pair.earlier);
    if (later == spans.size() || earlier == spans.size()) continue;
    if (marked.words[earlier].end > marked.words[later].begin) continue;  // a token in common
    marked.pairs.push_back({pair.pattern, later, earlier});
  }
  return marked;
}

void MarkedCounts::look(Count& count, const HeadMap& map, const MarkedWords& text, std::size_t from, std::size_t to) {
  const std::int64_t row = text.words[from].end - 1;
  if (row >= map.rows()) return;
  std::int64_t choices = 0;
  std::size_t best = from;
  double most = -1, of_marked = -1;
  for (std::size_t w = 0; w < text.words.size(); ++w) {
    const MarkedWords::Range& word = text.words[w];
    // The row's own word, what shares a token with it, and where heads rest.
    if (w == from || word.begin == 0 || word.end > map.columns() || (word.begin <= row && row < word.end)) continue;
    double weight = -1;
    for (std::int64_t j = word.begin; j < word.end; ++j)
      if (map.sees(row, j)) weight = std::max(weight, 0.0) + map(row, j);
    if (weight < 0) continue;
    ++choices;
    if (w == to) of_marked = weight;
    if (weight > most) {
      most = weight;
      best = w;
    }
  }
  if (of_marked < 0 || choices < 2) return;
  const std::ptrdiff_t step = to < from ? -1 : 1, words = static_cast<std::ptrdiff_t>(text.words.size());
  std::ptrdiff_t nearest = static_cast<std::ptrdiff_t>(from) + step;
  while (nearest >= 0 && nearest < words && !text.signs[static_cast<std::size_t>(nearest)]) nearest += step;
  count.signs += nearest == static_cast<std::ptrdiff_t>(to);
  ++count.pairs;
  count.hits += best == to;
  count.uniform += 1.0 / static_cast<double>(choices);
  ++count.apart[static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from)];
}

void MarkedCounts::add(const HeadMap& map, const MarkedWords& text) {
  for (const MarkedWords::Pair& pair : text.pairs) {
    auto& [back, ahead] = counts_[static_cast<std::size_t>(pair.pattern)];
    look(back, map, text, pair.later, pair.earlier);
    look(ahead, map, text, pair.earlier, pair.later);
  }
}

void MarkedCounts::tell(PatternScores& scores, PatternScores& chance) const {
  for (std::size_t p = 0; p < counts_.size(); ++p)
    for (const Count& count : counts_[p]) {
      if (count.pairs < kLeastPairs) continue;
      std::int64_t most = count.signs;
      for (const auto& [apart, pairs] : count.apart) most = std::max(most, pairs);
      const auto pairs = static_cast<double>(count.pairs);
      const double score = static_cast<double>(count.hits) / pairs;
      const double by_chance = std::max(count.uniform, static_cast<double>(most)) / pairs;
      if (scores[p] && *scores[p] - chance[p].value_or(0) >= score - by_chance) continue;
      scores[p] = score;
      chance[p] = by_chance;
    }
}

}  // namespace headlight
