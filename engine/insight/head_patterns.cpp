#include "engine/insight/head_patterns.h"

#include <utility>

#include "engine/attention/patterns/order_patterns.h"
#include "engine/core/mean.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight {
namespace {

using Means = std::array<Mean, kHeadPatterns.size()>;
Mean& of(Means& means, HeadPattern pattern) { return means[static_cast<std::size_t>(pattern)]; }

PatternScores scores_of(const Means& means) {
  PatternScores scores;
  for (std::size_t p = 0; p < means.size(); ++p)
    if (means[p].count > 0) scores[p] = means[p].value();
  return scores;
}

}  // namespace

const char* name_of(HeadPattern pattern) {
  switch (pattern) {
    case HeadPattern::previous: return "previous";
    case HeadPattern::next: return "next";
    case HeadPattern::first: return "first";
    case HeadPattern::same: return "same";
    case HeadPattern::induction: return "induction";
    case HeadPattern::punctuation: return "punctuation";
    case HeadPattern::adjective: return "adjective";
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

PatternText pattern_text(TokenWords& words, std::vector<std::int32_t> ids, std::vector<WordLists::Described> nouns) {
  PatternText text;
  for (const std::int32_t id : ids) text.words.push_back(words.of(id));
  text.ids = std::move(ids);
  text.nouns = std::move(nouns);
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

PatternScores self_scores(const HeadMap& map, const PatternText& text) {
  Means means;
  const auto count = static_cast<std::int64_t>(text.words.size());
  for (std::int64_t i = 0; i < count; ++i) {
    if (i + 1 < count && map.sees(i, i + 1)) of(means, HeadPattern::next).add(map(i, i + 1));
    if (i > 0 && map.sees(i, 0)) of(means, HeadPattern::first).add(map(i, 0));
    const TokenWords::Word& own = text.words[static_cast<std::size_t>(i)];
    Mean same, punctuation;  // over columns: their sum counts, if there are any
    for (std::int64_t j = 0; j < count; ++j) {
      if (j == i || !map.sees(i, j)) continue;
      const TokenWords::Word& other = text.words[static_cast<std::size_t>(j)];
      if (other.punctuation) punctuation.add(map(i, j));
      if (!own.punctuation && !own.text.empty() && other.text == own.text) same.add(map(i, j));
    }
    if (same.count > 0) of(means, HeadPattern::same).add(same.sum);
    if (punctuation.count > 0) of(means, HeadPattern::punctuation).add(punctuation.sum);
  }
  for (const WordLists::Described& one : text.nouns) {
    Mean adjectives;
    for (const std::int64_t j : one.adjectives)
      if (map.sees(one.noun, j)) adjectives.add(map(one.noun, j));
    if (adjectives.count > 0) of(means, HeadPattern::adjective).add(adjectives.sum);
  }
  of(means, HeadPattern::previous) = patterns::previous_weight(map);
  of(means, HeadPattern::induction) = patterns::induction_weight(map, text.ids);
  return scores_of(means);
}

PatternScores cross_scores(const HeadMap& map, const PatternText& source, std::span<const std::int64_t> translated) {
  Means means;
  for (std::int64_t i = 0; i < map.rows(); ++i) {
    if (map.sees(i, 0)) of(means, HeadPattern::first).add(map(i, 0));
    Mean punctuation;
    for (std::int64_t j = 0; j < map.columns(); ++j)
      if (map.sees(i, j) && source.words[static_cast<std::size_t>(j)].punctuation) punctuation.add(map(i, j));
    if (punctuation.count > 0) of(means, HeadPattern::punctuation).add(punctuation.sum);
    const std::int64_t place = i < static_cast<std::int64_t>(translated.size()) ? translated[static_cast<std::size_t>(i)] : -1;
    if (place >= 0 && map.sees(i, place)) of(means, HeadPattern::alignment).add(map(i, place));
  }
  return scores_of(means);
}

}  // namespace headlight
