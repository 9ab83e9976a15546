#include "engine/insight/head_scores.h"

#include <algorithm>
#include <unordered_map>

#include "engine/core/rng.h"
#include "engine/insight/word_alignment.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight {
namespace {

constexpr std::int64_t kRepeats = 8;         // random sequences for the induction score
constexpr std::int64_t kLongestRepeat = 32;  // tokens of one half
constexpr std::uint64_t kRepeatSeed = 20220308;

// What a token says, as far as patterns go by it.
class TokenWords {
 public:
  explicit TokenWords(const tokenizers::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  struct Word {
    std::string text;  // in small letters, without spaces around it; empty of special tokens
    bool punctuation = false;
  };
  const Word& of(std::int32_t id) {
    const auto [at, fresh] = words_.try_emplace(id);
    if (fresh) at->second = read(id);
    return at->second;
  }
  std::vector<const Word*> of(const TokenIds& ids) {
    std::vector<const Word*> all;
    for (const std::int32_t id : ids) all.push_back(&of(id));
    return all;
  }

 private:
  Word read(std::int32_t id) const {
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
  const tokenizers::Tokenizer& tokenizer_;
  std::unordered_map<std::int32_t, Word> words_;
};

struct Mean {
  double sum = 0;
  std::int64_t count = 0;
  void add(double x) {
    sum += x;
    ++count;
  }
};

std::string site_name(const Predictor& predictor, masks::Site site) {
  if (site == masks::Site::cross) return "cross";
  if (!predictor.reads_two()) return "self";
  return site == masks::Site::encoder_self ? "encoder" : "decoder";
}

// One head's weights of one text, and which of them the mask leaves.
class Map {
 public:
  Map(const SiteWeights& site, std::int64_t head) : weights_(site.weights.select(0, 0).select(0, head).as(DType::f64).compact()) {
    if (site.site.mask.mask.empty()) return;
    mask_ = site.site.mask.mask.slice(0, 0, 1).broadcast_to({1, 1, rows(), columns()}).compact();
  }
  std::int64_t rows() const { return weights_.dim(0); }
  std::int64_t columns() const { return weights_.dim(1); }
  double operator()(std::int64_t row, std::int64_t column) const { return weights_.data<double>()[row * columns() + column]; }
  bool sees(std::int64_t row, std::int64_t column) const {
    return mask_.empty() || mask_.data<std::uint8_t>()[row * columns() + column] != 0;
  }

 private:
  Tensor weights_, mask_;
};

// Nouns that adjectives describe, by their tokens' places in a sequence.
using Nouns = std::vector<WordLists::Described>;

// Those of a text whose tokens stand `before` places behind the sequence's begin, as far as the sequence has `count` places.
Result<Nouns> nouns_of(const WordLists& lists, const tokenizers::Tokenizer& tokenizer, std::string_view text, std::int64_t before,
                       std::int64_t count, const CancelToken& cancel) {
  HL_ASSIGN(std::vector<tokenizers::Token> tokens, tokenizer.encode(text, cancel));
  tokens.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(count - before, 0, static_cast<std::int64_t>(tokens.size()))));
  Nouns nouns = lists.described_nouns(text, tokens);
  for (WordLists::Described& one : nouns) {
    one.noun += before;
    for (std::int64_t& adjective : one.adjectives) adjective += before;
  }
  return nouns;
}

class Scorer {
 public:
  explicit Scorer(const Predictor& predictor)
      : predictor_(predictor), words_(predictor.tokenizer()), target_words_(predictor.output_tokenizer()) {}

  Status add_text(const TokenIds& ids, const Nouns& nouns, const CancelToken& cancel);
  // The nouns are those of the source and of what is read of the target.
  Status add_pair(const TokenPair& pair, const std::array<Nouns, 2>& nouns, const WordAlignment& alignment,
                  const CancelToken& cancel);
  Status add_repeats(const CancelToken& cancel);
  std::vector<HeadScores> result() const;

 private:
  using Means = std::array<Mean, kHeadPatterns.size()>;
  static Mean& of(Means& means, HeadPattern pattern) { return means[static_cast<std::size_t>(pattern)]; }

  static void score_self(const Map& map, const std::vector<const TokenWords::Word*>& words, const Nouns& nouns, Means& means);
  void score_cross(const Map& map, const TokenPair& pair, const std::vector<std::int64_t>& places, Means& means);
  // Adds what `score` makes of every head as one text.
  template <class Score>
  void add_sites(const std::vector<SiteWeights>& sites, Score score);

  const Predictor& predictor_;
  TokenWords words_, target_words_;
  struct Head {
    AttentionSite site;
    std::int64_t head = 0;
    Means over_texts;
  };
  std::vector<Head> heads_;
};

template <class Score>
void Scorer::add_sites(const std::vector<SiteWeights>& sites, Score score) {
  if (heads_.empty())
    for (const SiteWeights& site : sites)
      for (std::int64_t h = 0; h < site.site.heads; ++h) heads_.push_back({site.site, h, {}});
  auto head = heads_.begin();
  for (const SiteWeights& site : sites)
    for (std::int64_t h = 0; h < site.site.heads; ++h, ++head) {
      Means means;
      score(Map(site, h), site.site.site, means);
      for (std::size_t p = 0; p < means.size(); ++p)
        if (means[p].count > 0) head->over_texts[p].add(means[p].sum / static_cast<double>(means[p].count));
    }
}

void Scorer::score_self(const Map& map, const std::vector<const TokenWords::Word*>& words, const Nouns& nouns, Means& means) {
  const auto count = static_cast<std::int64_t>(words.size());
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0 && map.sees(i, i - 1)) of(means, HeadPattern::previous).add(map(i, i - 1));
    if (i + 1 < count && map.sees(i, i + 1)) of(means, HeadPattern::next).add(map(i, i + 1));
    if (i > 0 && map.sees(i, 0)) of(means, HeadPattern::first).add(map(i, 0));
    const TokenWords::Word& own = *words[static_cast<std::size_t>(i)];
    Mean same, punctuation;  // over columns: their sum counts, if there are any
    for (std::int64_t j = 0; j < count; ++j) {
      if (j == i || !map.sees(i, j)) continue;
      const TokenWords::Word& other = *words[static_cast<std::size_t>(j)];
      if (other.punctuation) punctuation.add(map(i, j));
      if (!own.punctuation && !own.text.empty() && other.text == own.text) same.add(map(i, j));
    }
    if (same.count > 0) of(means, HeadPattern::same).add(same.sum);
    if (punctuation.count > 0) of(means, HeadPattern::punctuation).add(punctuation.sum);
  }
  for (const WordLists::Described& one : nouns) {
    Mean adjectives;
    for (const std::int64_t j : one.adjectives)
      if (map.sees(one.noun, j)) adjectives.add(map(one.noun, j));
    if (adjectives.count > 0) of(means, HeadPattern::adjective).add(adjectives.sum);
  }
}

void Scorer::score_cross(const Map& map, const TokenPair& pair, const std::vector<std::int64_t>& places, Means& means) {
  for (std::int64_t i = 0; i < map.rows(); ++i) {
    if (map.sees(i, 0)) of(means, HeadPattern::first).add(map(i, 0));
    Mean punctuation;
    for (std::int64_t j = 0; j < map.columns(); ++j)
      if (map.sees(i, j) && words_.of(pair.source[static_cast<std::size_t>(j)]).punctuation) punctuation.add(map(i, j));
    if (punctuation.count > 0) of(means, HeadPattern::punctuation).add(punctuation.sum);
    // Row i predicts the target's token i + 1.
    const std::int64_t place = places[static_cast<std::size_t>(i + 1)];
    if (place >= 0 && map.sees(i, place)) of(means, HeadPattern::alignment).add(map(i, place));
  }
}

Status Scorer::add_text(const TokenIds& ids, const Nouns& nouns, const CancelToken& cancel) {
  HL_ASSIGN(const std::vector<SiteWeights> sites, predictor_.attention({&ids, 1}, {}, cancel));
  const auto words = words_.of(ids);
  add_sites(sites, [&](const Map& map, masks::Site, Means& means) { score_self(map, words, nouns, means); });
  return {};
}

Status Scorer::add_pair(const TokenPair& pair, const std::array<Nouns, 2>& nouns, const WordAlignment& alignment,
                        const CancelToken& cancel) {
  const TokenIds read(pair.target.begin(), pair.target.end() - 1);
  HL_ASSIGN(const std::vector<SiteWeights> sites, predictor_.attention({&pair.source, 1}, {&read, 1}, cancel));
  std::vector<std::int64_t> places = alignment.align(pair.source, pair.target);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool to_special = places[i] >= 0 && words_.of(pair.source[static_cast<std::size_t>(places[i])]).text.empty();
    if (to_special || target_words_.of(pair.target[i]).text.empty()) places[i] = -1;  // [BOS] and [EOS] translate nothing
  }
  const auto source_words = words_.of(pair.source), target_words = target_words_.of(read);
  add_sites(sites, [&](const Map& map, masks::Site site, Means& means) {
    if (site == masks::Site::cross) score_cross(map, pair, places, means);
    if (site == masks::Site::encoder_self) score_self(map, source_words, nouns[0], means);
    if (site == masks::Site::decoder_self) score_self(map, target_words, nouns[1], means);
  });
  return {};
}

Status Scorer::add_repeats(const CancelToken& cancel) {
  const tokenizers::Tokenizer& tokenizer = predictor_.tokenizer();
  HL_ASSIGN(const TokenIds begin, predictor_.beginning({}, cancel));
  const auto before = static_cast<std::int64_t>(begin.size());
  const std::int64_t half = std::min(kLongestRepeat, (predictor_.model().length - before) / 2);
  TokenIds ordinary;
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id)
    if (!tokenizer.vocabulary().is_special(id)) ordinary.push_back(id);
  if (half < 2 || ordinary.empty()) return {};
  for (std::int64_t n = 0; n < kRepeats; ++n) {
    const Rng rng(kRepeatSeed, "induction");
    TokenIds ids = begin;
    for (std::int64_t i = 0; i < 2 * half; ++i)
      ids.push_back(ordinary[static_cast<std::size_t>(
          rng.bits(static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(i % half)) % ordinary.size())]);
    HL_ASSIGN(const std::vector<SiteWeights> sites, predictor_.attention({&ids, 1}, {}, cancel));
    add_sites(sites, [&](const Map& map, masks::Site, Means& means) {
      for (std::int64_t i = before + half; i < before + 2 * half; ++i)
        if (map.sees(i, i - half + 1)) of(means, HeadPattern::induction).add(map(i, i - half + 1));
    });
  }
  return {};
}

std::vector<HeadScores> Scorer::result() const {
  std::vector<HeadScores> all;
  for (const Head& head : heads_) {
    HeadScores scores{site_name(predictor_, head.site.site), head.site.layer, head.head, {}};
    for (std::size_t p = 0; p < kHeadPatterns.size(); ++p)
      if (const Mean& mean = head.over_texts[p]; mean.count > 0) scores.scores[p] = mean.sum / static_cast<double>(mean.count);
    all.push_back(std::move(scores));
  }
  // Computed in the order decoder self, cross, next layer; told encoder, decoder, cross.
  const auto rank = [](const HeadScores& one) { return one.site == "cross" ? 2 : one.site == "decoder" ? 1 : 0; };
  std::stable_sort(all.begin(), all.end(), [&](const HeadScores& a, const HeadScores& b) { return rank(a) < rank(b); });
  return all;
}

Status score_texts(Scorer& scorer, const Predictor& predictor, std::string_view text, const std::string& where,
                   const WordLists& lists, const CancelToken& cancel,
                   const std::function<void(std::int64_t, std::int64_t)>& progress) {
  const auto lines = numbered_lines(text);
  HL_ASSIGN(const TokenIds begin, predictor.beginning({}, cancel));
  const auto begins = static_cast<std::int64_t>(begin.size());
  std::int64_t done = 0, scored = 0;
  for (const auto& [number, line] : lines) {
    if (progress) progress(done++, static_cast<std::int64_t>(lines.size()));
    HL_ASSIGN(TokenIds ids, predictor.beginning(line, cancel));
    if (static_cast<std::int64_t>(ids.size()) > predictor.model().length)
      ids.resize(static_cast<std::size_t>(predictor.model().length));
    if (ids.size() < 2) continue;
    ++scored;
    const auto count = static_cast<std::int64_t>(ids.size());
    HL_ASSIGN(const Nouns nouns, nouns_of(lists, predictor.tokenizer(), line, begins, count, cancel));
    HL_TRY(scorer.add_text(ids, nouns, cancel));
  }
  if (scored == 0) return invalid("no line of it has two tokens", where, "give a text with a sentence on each line");
  return scorer.add_repeats(cancel);
}

Status score_pairs(Scorer& scorer, const Predictor& predictor, std::string_view text, const std::string& where,
                   const WordLists& lists, const CancelToken& cancel,
                   const std::function<void(std::int64_t, std::int64_t)>& progress) {
  HL_ASSIGN(const std::vector<TokenPair> pairs, read_pairs(predictor, text, where, cancel));
  std::vector<TokenIds> sources, targets;
  for (const TokenPair& pair : pairs) {
    sources.push_back(pair.source);
    targets.push_back(pair.target);
  }
  HL_ASSIGN(const WordAlignment alignment, WordAlignment::learn(sources, targets, cancel));
  HL_ASSIGN(const TokenIds begin, predictor.beginning({}, cancel));
  const auto lines = numbered_lines(text);  // a pair each
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (progress) progress(static_cast<std::int64_t>(i), static_cast<std::int64_t>(pairs.size()));
    const auto [source, target] = halves_of(lines[i].second);
    std::array<Nouns, 2> nouns;
    HL_ASSIGN(nouns[0], nouns_of(lists, predictor.tokenizer(), source, static_cast<std::int64_t>(begin.size()),
                                 static_cast<std::int64_t>(pairs[i].source.size()), cancel));
    HL_ASSIGN(nouns[1], nouns_of(lists, predictor.output_tokenizer(), target, 1,
                                 static_cast<std::int64_t>(pairs[i].target.size()) - 1, cancel));
    HL_TRY(scorer.add_pair(pairs[i], nouns, alignment, cancel));
  }
  return {};
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

Result<std::vector<HeadScores>> score_heads(const Predictor& predictor, std::string_view text, const std::string& where,
                                            const WordLists& words, const CancelToken& cancel,
                                            const std::function<void(std::int64_t, std::int64_t)>& progress) {
  Scorer scorer(predictor);
  if (predictor.reads_two()) {
    HL_TRY(score_pairs(scorer, predictor, text, where, words, cancel, progress));
  } else {
    HL_TRY(score_texts(scorer, predictor, text, where, words, cancel, progress));
  }
  return scorer.result();
}

}  // namespace headlight
