#include "engine/insight/head_patterns.h"

#include <algorithm>
#include <utility>

#include "engine/core/mean.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight {
namespace {

// Whether a sentence ends with this token: behind it, and behind what closes a quotation, the next begins.
bool ends_sentence(const TokenWords::Word& word) {
  return word.punctuation && word.text.find_first_of(".!?") != std::string::npos;
}

// The first token of each token's sentence; -1: of the first sentence, which begins with the text.
std::vector<std::int64_t> sentence_begins(const PatternText& text) {
  std::vector<std::int64_t> begins;
  std::int64_t begin = -1;
  bool ended = false;
  for (std::size_t i = 0; i < text.words.size(); ++i) {
    const TokenWords::Word& word = text.words[i];
    if (ended && !word.punctuation && !word.text.empty()) {
      begin = static_cast<std::int64_t>(i);
      ended = false;
    }
    ended = ended || ends_sentence(word);
    begins.push_back(begin);
  }
  return begins;
}

}  // namespace

const char* name_of(HeadPattern pattern) {
  switch (pattern) {
    case HeadPattern::previous: return "previous";
    case HeadPattern::next: return "next";
    case HeadPattern::first: return "first";
    case HeadPattern::sentence: return "sentence";
    case HeadPattern::same: return "same";
    case HeadPattern::induction: return "induction";
    case HeadPattern::punctuation: return "punctuation";
    case HeadPattern::previous_punctuation: return "previous_punctuation";
    case HeadPattern::pieces: return "pieces";
    case HeadPattern::adjective: return "adjective";
    case HeadPattern::determiner: return "determiner";
    case HeadPattern::subject: return "subject";
    case HeadPattern::object: return "object";
    case HeadPattern::pronoun: return "pronoun";
    case HeadPattern::pair: return "pair";
    case HeadPattern::alignment: return "alignment";
  }
  return "";
}

const TokenWords::Word& TokenWords::of(std::int32_t id) {
  const auto [at, fresh] = words_.try_emplace(id);
  if (fresh) at->second = read(id);
  return at->second;
}

TokenWords::Word TokenWords::read(std::int32_t id) const {
  Word word;
  if (tokenizer_.vocabulary().is_special(id)) return word;
  bool all = true;
  text::for_each_code_point(tokenizer_.decode({id}), [&](std::int64_t, const text::CodePoint& c) {
    if (!c.valid || text::is_whitespace(c.value)) return;
    all &= text::is_punctuation(c.value);
    text::append_utf8(word.text, text::to_lower(c.value));
  });
  word.punctuation = all && !word.text.empty();
  return word;
}

PatternText pattern_text(TokenWords& words, std::vector<std::int32_t> ids, std::vector<WordLists::Described> nouns,
                         std::vector<bool> joins) {
  PatternText text;
  for (const std::int32_t id : ids) text.words.push_back(words.of(id));
  text.ids = std::move(ids);
  text.nouns = std::move(nouns);
  text.joins = std::move(joins);
  return text;
}

std::vector<std::int64_t> translated_by(const WordAlignment& alignment, const PatternText& source, const PatternText& target) {
  std::vector<std::int64_t> places = alignment.align(source.ids, target.ids);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool to_special = places[i] >= 0 && source.words[static_cast<std::size_t>(places[i])].text.empty();
    if (to_special || target.words[i].text.empty()) places[i] = -1;  // [BOS] and [EOS] translate nothing
  }
  return places;
}

std::vector<PatternRow> pattern_rows(const HeadMap& map, const PatternText& text) {
  std::vector<PatternRow> rows;
  const auto count = static_cast<std::int64_t>(text.words.size());
  const auto add = [&](HeadPattern pattern, std::int64_t row, const std::vector<std::int64_t>& columns) {
    PatternRow one{pattern, row, {}};
    for (const std::int64_t j : columns)
      if (j >= 0 && j < count && map.sees(row, j)) one.columns.push_back(j);
    if (!one.columns.empty()) rows.push_back(std::move(one));
  };
  const std::vector<std::int64_t> begins = sentence_begins(text);
  std::unordered_map<std::string, std::vector<std::int64_t>> places;   // of each word
  std::unordered_map<std::int32_t, std::vector<std::int64_t>> behind;  // a token: the places behind its occurrences
  std::vector<std::int64_t> signs;                                     // punctuation
  for (std::int64_t i = 0; i < count; ++i) {
    const TokenWords::Word& own = text.words[static_cast<std::size_t>(i)];
    if (own.punctuation)
      signs.push_back(i);
    else if (!own.text.empty())
      places[own.text].push_back(i);
  }
  std::int64_t last_sign = -1, word_begin = 0;
  const auto joins = [&](std::int64_t i) {
    return i < static_cast<std::int64_t>(text.joins.size()) && text.joins[static_cast<std::size_t>(i)];
  };
  const auto others = [](std::vector<std::int64_t> columns, std::int64_t row) {
    std::erase(columns, row);
    return columns;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const TokenWords::Word& own = text.words[static_cast<std::size_t>(i)];
    add(HeadPattern::previous, i, {i - 1});
    add(HeadPattern::next, i, {i + 1});
    if (i > 0) add(HeadPattern::first, i, {0});
    if (const std::int64_t begin = begins[static_cast<std::size_t>(i)]; begin >= 0 && begin < i)
      add(HeadPattern::sentence, i, {begin});
    if (!own.punctuation && !own.text.empty()) add(HeadPattern::same, i, others(places[own.text], i));
    std::vector<std::int64_t>& repeated = behind[text.ids[static_cast<std::size_t>(i)]];
    add(HeadPattern::induction, i, repeated);
    repeated.push_back(i + 1);
    add(HeadPattern::punctuation, i, others(signs, i));
    if (last_sign >= 0) add(HeadPattern::previous_punctuation, i, {last_sign});
    if (own.punctuation) last_sign = i;
    if (!joins(i)) word_begin = i;
    std::vector<std::int64_t> word;
    for (std::int64_t j = word_begin; j == word_begin || joins(j); ++j) word.push_back(j);
    if (word.size() > 1) add(HeadPattern::pieces, i, others(std::move(word), i));
  }
  for (const WordLists::Described& one : text.nouns) add(HeadPattern::adjective, one.noun, one.adjectives);
  return rows;
}

std::vector<PatternRow> cross_rows(const HeadMap& map, const PatternText& source, std::span<const std::int64_t> translated) {
  std::vector<PatternRow> rows;
  for (std::int64_t i = 0; i < map.rows(); ++i) {
    if (map.sees(i, 0)) rows.push_back({HeadPattern::first, i, {0}});
    PatternRow signs{HeadPattern::punctuation, i, {}};
    for (std::int64_t j = 0; j < std::min(map.columns(), static_cast<std::int64_t>(source.words.size())); ++j)
      if (map.sees(i, j) && source.words[static_cast<std::size_t>(j)].punctuation) signs.columns.push_back(j);
    if (!signs.columns.empty()) rows.push_back(std::move(signs));
    const std::int64_t place = i < static_cast<std::int64_t>(translated.size()) ? translated[static_cast<std::size_t>(i)] : -1;
    if (place >= 0 && map.sees(i, place)) rows.push_back({HeadPattern::alignment, i, {place}});
  }
  return rows;
}

PatternScores scores_of(const HeadMap& map, std::span<const PatternRow> rows) {
  std::array<Mean, kHeadPatterns.size()> means;
  for (const PatternRow& one : rows) {
    double sum = 0;
    for (const std::int64_t j : one.columns) sum += map(one.row, j);
    means[static_cast<std::size_t>(one.pattern)].add(sum);
  }
  PatternScores scores;
  for (std::size_t p = 0; p < means.size(); ++p)
    if (means[p].count > 0) scores[p] = means[p].value();
  return scores;
}

PatternScores self_scores(const HeadMap& map, const PatternText& text) { return scores_of(map, pattern_rows(map, text)); }

PatternScores cross_scores(const HeadMap& map, const PatternText& source, std::span<const std::int64_t> translated) {
  return scores_of(map, cross_rows(map, source, translated));
}

}  // namespace headlight
