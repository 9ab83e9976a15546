#include "engine/insight/head_scores.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/core/mean.h"
#include "engine/core/rng.h"
#include "engine/insight/word_alignment.h"

namespace headlight {
namespace {

constexpr std::int64_t kRepeats = 8;         // random sequences for the induction score
constexpr std::int64_t kLongestRepeat = 32;  // tokens of one half
constexpr std::uint64_t kRepeatSeed = 20220308;

std::string site_name(const Predictor& predictor, masks::Site site) {
  if (site == masks::Site::cross) return "cross";
  if (!predictor.reads_two()) return "self";
  return site == masks::Site::encoder_self ? "encoder" : "decoder";
}

// A head's weights of the only text of a batch, and its mask.
HeadMap map_of(const SiteWeights& site, std::int64_t head) {
  const Tensor weights = site.weights.select(0, 0).select(0, head);
  const Tensor& mask = site.site.mask.mask;
  return {weights, mask.empty()
                       ? mask
                       : mask.slice(0, 0, 1).broadcast_to({1, 1, weights.dim(0), weights.dim(1)}).select(0, 0).select(0, 0)};
}

bool is_finite(const Tensor& weights) {
  const Tensor flat = weights.as(DType::f32).compact();
  const auto values = flat.values<float>();
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

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
  std::int64_t texts() const { return texts_; }
  // The heads that had a weight that is no finite number.
  std::int64_t not_finite() const {
    return std::count_if(heads_.begin(), heads_.end(), [](const Head& head) { return head.not_finite; });
  }

 private:
  // Adds what `score` makes of every head as one text.
  template <class Score>
  void add_sites(const std::vector<SiteWeights>& sites, Score score);

  const Predictor& predictor_;
  TokenWords words_, target_words_;
  struct Head {
    AttentionSite site;
    std::int64_t head = 0;
    std::array<Mean, kHeadPatterns.size()> over_texts;
    bool not_finite = false;
  };
  std::vector<Head> heads_;
  std::int64_t texts_ = 0;
};

template <class Score>
void Scorer::add_sites(const std::vector<SiteWeights>& sites, Score score) {
  if (heads_.empty())
    for (const SiteWeights& site : sites)
      for (std::int64_t h = 0; h < site.site.heads; ++h) heads_.push_back({site.site, h, {}, false});
  auto head = heads_.begin();
  for (const SiteWeights& site : sites)
    for (std::int64_t h = 0; h < site.site.heads; ++h, ++head) {
      const HeadMap map = map_of(site, h);
      head->not_finite = head->not_finite || !is_finite(site.weights.select(0, 0).select(0, h));
      const PatternScores scores = score(map, site.site.site);
      for (std::size_t p = 0; p < scores.size(); ++p)
        if (scores[p]) head->over_texts[p].add(*scores[p]);
    }
}

// A text's own repetitions are too few to measure by: induction is measured on random ones.
PatternScores without_induction(PatternScores scores) {
  scores[static_cast<std::size_t>(HeadPattern::induction)].reset();
  return scores;
}

Status Scorer::add_text(const TokenIds& ids, const Nouns& nouns, const CancelToken& cancel) {
  HL_ASSIGN(const std::vector<SiteWeights> sites, predictor_.attention({&ids, 1}, {}, cancel));
  ++texts_;
  const PatternText text = pattern_text(words_, ids, nouns);
  add_sites(sites, [&](const HeadMap& map, masks::Site) { return without_induction(self_scores(map, text)); });
  return {};
}

Status Scorer::add_pair(const TokenPair& pair, const std::array<Nouns, 2>& nouns, const WordAlignment& alignment,
                        const CancelToken& cancel) {
  const TokenIds read(pair.target.begin(), pair.target.end() - 1);
  HL_ASSIGN(const std::vector<SiteWeights> sites, predictor_.attention({&pair.source, 1}, {&read, 1}, cancel));
  ++texts_;
  const PatternText source = pattern_text(words_, pair.source, nouns[0]), target = pattern_text(target_words_, read, nouns[1]);
  const std::vector<std::int64_t> places = translated_by(alignment, source, pattern_text(target_words_, pair.target, {}));
  const std::span<const std::int64_t> translated =
      std::span<const std::int64_t>(places).subspan(1);  // row i predicts token i + 1
  add_sites(sites, [&](const HeadMap& map, masks::Site site) {
    if (site == masks::Site::cross) return cross_scores(map, source, translated);
    return without_induction(self_scores(map, site == masks::Site::encoder_self ? source : target));
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
    add_sites(sites, [&](const HeadMap& map, masks::Site) {
      Mean mean;
      for (std::int64_t i = before + half; i < before + 2 * half; ++i)
        if (map.sees(i, i - half + 1)) mean.add(map(i, i - half + 1));
      PatternScores scores;
      if (mean.count > 0) scores[static_cast<std::size_t>(HeadPattern::induction)] = mean.value();
      return scores;
    });
  }
  return {};
}

std::vector<HeadScores> Scorer::result() const {
  std::vector<HeadScores> all;
  for (const Head& head : heads_) {
    HeadScores scores{site_name(predictor_, head.site.site), head.site.layer, head.head, {}};
    for (std::size_t p = 0; p < kHeadPatterns.size(); ++p)
      if (const Mean& mean = head.over_texts[p]; mean.count > 0) scores.scores[p] = mean.value();
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
  std::int64_t done = 0;
  for (const auto& [number, line] : lines) {
    if (progress) progress(done++, static_cast<std::int64_t>(lines.size()));
    HL_ASSIGN(TokenIds ids, predictor.beginning(line, cancel));
    if (static_cast<std::int64_t>(ids.size()) > predictor.model().length)
      ids.resize(static_cast<std::size_t>(predictor.model().length));
    if (ids.size() < 2) continue;
    const auto count = static_cast<std::int64_t>(ids.size());
    HL_ASSIGN(const Nouns nouns, nouns_of(lists, predictor.tokenizer(), line, begins, count, cancel));
    HL_TRY(scorer.add_text(ids, nouns, cancel));
  }
  if (scorer.texts() == 0)
    return invalid("no line of it has two tokens").at(where).mend("give a text with a sentence on each line");
  return scorer.add_repeats(cancel);
}

// `links`: what Model 1 learned of the pairs.
Status score_pairs(Scorer& scorer, std::vector<WordAlignment::Link>& links, const Predictor& predictor, std::string_view text,
                   const std::string& where, const WordLists& lists, const CancelToken& cancel,
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
  links = alignment.links(kLeastLink);
  return {};
}

}  // namespace

Result<MeasuredHeads> score_heads(const Predictor& predictor, std::string_view text, const std::string& where,
                                  const WordLists& words, const CancelToken& cancel,
                                  const std::function<void(std::int64_t, std::int64_t)>& progress) {
  Scorer scorer(predictor);
  std::vector<WordAlignment::Link> links;
  if (predictor.reads_two()) {
    HL_TRY(score_pairs(scorer, links, predictor, text, where, words, cancel, progress));
  } else {
    HL_TRY(score_texts(scorer, predictor, text, where, words, cancel, progress));
  }
  return MeasuredHeads{{}, scorer.texts(), scorer.result(), std::move(links), scorer.not_finite()};
}

}  // namespace headlight
