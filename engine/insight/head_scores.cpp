#include "engine/insight/head_scores.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/core/mean.h"
#include "engine/core/rng.h"
#include "engine/core/sorting.h"
#include "engine/insight/word_alignment.h"
#include "engine/insight/word_joins.h"

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

// What a text's words say beyond its tokens, by the tokens' places in a sequence.
struct Words {
  std::vector<WordLists::Described> nouns;  // that adjectives describe
  std::vector<bool> joins;                  // tokens that continue a word
};

// That of a text whose tokens stand `before` places behind the sequence's begin, as far as the sequence has `count` places.
Result<Words> words_of(const WordLists& lists, const tokenizers::Tokenizer& tokenizer, std::string_view text, std::int64_t before,
                       std::int64_t count, const CancelToken& cancel) {
  HL_ASSIGN(std::vector<tokenizers::Token> tokens, tokenizer.encode(text, cancel));
  tokens.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(count - before, 0, static_cast<std::int64_t>(tokens.size()))));
  Words words{lists.described_nouns(text, tokens), joins_to_words(text, tokens)};
  for (WordLists::Described& one : words.nouns) {
    one.noun += before;
    for (std::int64_t& adjective : one.adjectives) adjective += before;
  }
  words.joins.insert(words.joins.begin(), static_cast<std::size_t>(before), false);
  return words;
}

// How much of a pattern's cells lies at which distance behind the row, and what a head gives each distance. Both grow as texts
// need.
class Distances {
 public:
  void add(std::int64_t distance, double value) {
    auto& side = distance < 0 ? ahead_ : behind_;
    const auto at = static_cast<std::size_t>(std::abs(distance));
    if (side.size() <= at) side.resize(at + 1);
    side[at].add(value);
  }
  // The sum over the distances of `shares` of this one's mean there.
  double at(const Distances& shares) const {
    double sum = 0;
    const auto one = [&](const std::vector<Mean>& means, const std::vector<Mean>& of) {
      for (std::size_t d = 0; d < std::min(means.size(), of.size()); ++d) sum += means[d].value() * of[d].sum;
    };
    one(behind_, shares.behind_);
    one(ahead_, shares.ahead_);
    return sum;
  }

 private:
  std::vector<Mean> behind_, ahead_;
};

// The tokens that a row may see.
std::int64_t seen_by(const HeadMap& map, std::int64_t row) {
  std::int64_t count = 0;
  for (std::int64_t j = 0; j < map.columns(); ++j) count += map.sees(row, j);
  return count;
}

class Scorer {
 public:
  explicit Scorer(const Predictor& predictor)
      : predictor_(predictor), words_(predictor.tokenizer()), target_words_(predictor.output_tokenizer()) {}

  Status add_text(const TokenIds& ids, const Words& words, const CancelToken& cancel);
  // The words are those of the source and of what is read of the target.
  Status add_pair(const TokenPair& pair, const std::array<Words, 2>& words, const WordAlignment& alignment,
                  const CancelToken& cancel);
  // `ids` are the model's tokens of the text.
  Status add_marked(const TokenIds& ids, const MarkedWords& words, const CancelToken& cancel);
  Status add_repeats(const CancelToken& cancel);
  std::vector<HeadScores> result() const;
  std::int64_t texts() const { return texts_; }
  std::int64_t marked() const { return marked_; }
  // The heads that had a weight that is no finite number.
  std::int64_t not_finite() const {
    return std::count_if(heads_.begin(), heads_.end(), [](const Head& head) { return head.not_finite; });
  }

 private:
  // `rows` gives the patterns' rows of each attention, and every head is scored on them as on one text. `written`: a person wrote
  // the text, so that it counts for what heads give each distance.
  template <class Rows>
  void add_sites(const std::vector<SiteWeights>& sites, bool written, Rows rows);
  void find_heads(const std::vector<SiteWeights>& sites);
  // By pattern: the mean over texts of the share of its cells at each distance, and of what a head that looks at all tokens alike
  // gives them.
  struct Chance {
    std::array<Distances, kHeadPatterns.size()> apart;
    std::array<Mean, kHeadPatterns.size()> alike;
  };
  static void add_chance(Chance& chance, const HeadMap& map, std::span<const PatternRow> rows);

  const Predictor& predictor_;
  TokenWords words_, target_words_;
  struct Head {
    AttentionSite site;
    std::int64_t head = 0;
    std::size_t place = 0;  // index of its attention
    std::array<Mean, kHeadPatterns.size()> over_texts;
    Distances weights;  // its mean weight at each distance
    MarkedCounts marked;
    bool not_finite = false;
  };
  std::vector<Head> heads_;
  std::vector<Chance> chances_;  // by attention
  std::int64_t texts_ = 0, marked_ = 0;
};

// Adds the rows of one text.
void Scorer::add_chance(Chance& chance, const HeadMap& map, std::span<const PatternRow> rows) {
  std::array<std::int64_t, kHeadPatterns.size()> counts = {};
  for (const PatternRow& one : rows) ++counts[static_cast<std::size_t>(one.pattern)];
  std::array<double, kHeadPatterns.size()> alike = {};
  std::int64_t row = -1, seen = 1;
  for (const PatternRow& one : rows) {
    const auto p = static_cast<std::size_t>(one.pattern);
    if (one.row != row) seen = std::max<std::int64_t>(1, seen_by(map, one.row));
    row = one.row;
    alike[p] += static_cast<double>(one.columns.size()) / static_cast<double>(seen) / static_cast<double>(counts[p]);
    for (const std::int64_t j : one.columns) chance.apart[p].add(one.row - j, 1 / static_cast<double>(counts[p]));
  }
  for (std::size_t p = 0; p < counts.size(); ++p)
    if (counts[p] > 0) chance.alike[p].add(alike[p]);
}

void Scorer::find_heads(const std::vector<SiteWeights>& sites) {
  if (!heads_.empty()) return;
  for (std::size_t place = 0; place < sites.size(); ++place)
    for (std::int64_t h = 0; h < sites[place].site.heads; ++h) heads_.push_back({sites[place].site, h, place, {}, {}, {}, false});
  chances_.resize(sites.size());
}

template <class Rows>
void Scorer::add_sites(const std::vector<SiteWeights>& sites, bool written, Rows rows_of) {
  find_heads(sites);
  auto head = heads_.begin();
  for (std::size_t place = 0; place < sites.size(); ++place) {
    const SiteWeights& site = sites[place];
    std::vector<PatternRow> rows;
    for (std::int64_t h = 0; h < site.site.heads; ++h, ++head) {
      const HeadMap map = map_of(site, h);
      if (h == 0) {  // the mask is that of all heads
        rows = rows_of(map, site.site.site);
        add_chance(chances_[place], map, rows);
      }
      head->not_finite = head->not_finite || !is_finite(site.weights.select(0, 0).select(0, h));
      const PatternScores scores = scores_of(map, rows);
      for (std::size_t p = 0; p < scores.size(); ++p)
        if (scores[p]) head->over_texts[p].add(*scores[p]);
      for (std::int64_t i = 0; written && i < map.rows(); ++i)
        for (std::int64_t j = 0; j < map.columns(); ++j)
          if (map.sees(i, j)) head->weights.add(i - j, map(i, j));
    }
  }
}

// A text's own repetitions are too few to measure by: induction is measured on random ones.
std::vector<PatternRow> without_induction(std::vector<PatternRow> rows) {
  std::erase_if(rows, [](const PatternRow& one) { return one.pattern == HeadPattern::induction; });
  return rows;
}

Status Scorer::add_text(const TokenIds& ids, const Words& words, const CancelToken& cancel) {
  HL_ASSIGN(const std::vector<SiteWeights> sites, predictor_.attention({&ids, 1}, {}, cancel));
  ++texts_;
  const PatternText text = pattern_text(words_, ids, words.nouns, words.joins);
  add_sites(sites, true, [&](const HeadMap& map, masks::Site) { return without_induction(pattern_rows(map, text)); });
  return {};
}

Status Scorer::add_pair(const TokenPair& pair, const std::array<Words, 2>& words, const WordAlignment& alignment,
                        const CancelToken& cancel) {
  const TokenIds read(pair.target.begin(), pair.target.end() - 1);
  HL_ASSIGN(const std::vector<SiteWeights> sites, predictor_.attention({&pair.source, 1}, {&read, 1}, cancel));
  ++texts_;
  const PatternText source = pattern_text(words_, pair.source, words[0].nouns, words[0].joins),
                    target = pattern_text(target_words_, read, words[1].nouns, words[1].joins);
  const std::vector<std::int64_t> places = translated_by(alignment, source, pattern_text(target_words_, pair.target, {}));
  const std::span<const std::int64_t> translated =
      std::span<const std::int64_t>(places).subspan(1);  // row i predicts token i + 1
  add_sites(sites, true, [&](const HeadMap& map, masks::Site site) {
    if (site == masks::Site::cross) return cross_rows(map, source, translated);
    return without_induction(pattern_rows(map, site == masks::Site::encoder_self ? source : target));
  });
  return {};
}

Status Scorer::add_marked(const TokenIds& ids, const MarkedWords& words, const CancelToken& cancel) {
  // A translation that has not begun: of an encoder-decoder only the encoder reads English.
  std::vector<TokenIds> begun;
  if (predictor_.reads_two()) {
    HL_ASSIGN(const std::int32_t first, predictor_.first_output());
    begun.push_back({first});
  }
  HL_ASSIGN(const std::vector<SiteWeights> sites, predictor_.attention({&ids, 1}, begun, cancel));
  find_heads(sites);
  ++marked_;
  auto head = heads_.begin();
  for (const SiteWeights& site : sites)
    for (std::int64_t h = 0; h < site.site.heads; ++h, ++head)
      if (site.site.site != masks::Site::cross && (!predictor_.reads_two() || site.site.site == masks::Site::encoder_self))
        head->marked.add(map_of(site, h), words);
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
    add_sites(sites, false, [&](const HeadMap& map, masks::Site) {
      std::vector<PatternRow> rows;
      for (std::int64_t i = before + half; i < before + 2 * half; ++i)
        if (map.sees(i, i - half + 1)) rows.push_back({HeadPattern::induction, i, {i - half + 1}});
      return rows;
    });
  }
  return {};
}

std::vector<HeadScores> Scorer::result() const {
  std::vector<HeadScores> all;
  for (const Head& head : heads_) {
    HeadScores scores{site_name(predictor_, head.site.site), head.site.layer, head.head, {}};
    const Chance& chance = chances_[head.place];
    for (std::size_t p = 0; p < kHeadPatterns.size(); ++p) {
      const Mean& mean = head.over_texts[p];
      if (mean.count == 0) continue;
      scores.scores[p] = mean.value();
      // The random repetitions of induction are all equally far apart, so that a distance is no other explanation there.
      const bool by_distance = !is_distance(kHeadPatterns[p]) && kHeadPatterns[p] != HeadPattern::induction;
      const double apart = by_distance ? head.weights.at(chance.apart[p]) / static_cast<double>(mean.count) : 0;
      scores.chance[p] = std::min(1.0, std::max(chance.alike[p].value(), apart));
    }
    head.marked.tell(scores.scores, scores.chance);
    all.push_back(std::move(scores));
  }
  // Computed in the order decoder self, cross, next layer; told encoder, decoder, cross.
  const auto rank = [](const HeadScores& one) { return one.site == "cross" ? 2 : one.site == "decoder" ? 1 : 0; };
  sort_stably(all, [&](const HeadScores& a, const HeadScores& b) { return rank(a) < rank(b); });
  return all;
}

// `done` of `total` texts were measured before.
Status score_marked(Scorer& scorer, const Predictor& predictor, std::span<const MarkedText> marked, std::int64_t done,
                    std::int64_t total, const CancelToken& cancel,
                    const std::function<void(std::int64_t, std::int64_t)>& progress) {
  const tokenizers::Tokenizer& tokenizer = predictor.tokenizer();
  HL_ASSIGN(const TokenIds begin, predictor.beginning({}, cancel));
  for (const MarkedText& one : marked) {
    if (progress) progress(done++, total);
    HL_ASSIGN(TokenIds ids, predictor.beginning(one.text, cancel));
    if (static_cast<std::int64_t>(ids.size()) > predictor.model().length)
      ids.resize(static_cast<std::size_t>(predictor.model().length));
    HL_ASSIGN(std::vector<tokenizers::Token> tokens, tokenizer.encode(one.text, cancel));
    tokens.resize(std::min(tokens.size(), ids.size() - std::min(ids.size(), begin.size())));
    if (tokens.empty() || std::any_of(tokens.begin(), tokens.end(),
                                      [&](const tokenizers::Token& token) { return token.id == tokenizer.unknown_id(); }))
      continue;
    HL_TRY(scorer.add_marked(ids, marked_words(one, tokens, static_cast<std::int64_t>(begin.size())), cancel));
  }
  return {};
}

Status score_texts(Scorer& scorer, const Predictor& predictor, std::string_view text, const std::string& where,
                   const WordLists& lists, std::span<const MarkedText> marked, const CancelToken& cancel,
                   const std::function<void(std::int64_t, std::int64_t)>& progress) {
  const auto lines = numbered_lines(text);
  const auto written = static_cast<std::int64_t>(lines.size()), total = written + static_cast<std::int64_t>(marked.size());
  HL_ASSIGN(const TokenIds begin, predictor.beginning({}, cancel));
  const auto begins = static_cast<std::int64_t>(begin.size());
  std::int64_t done = 0;
  for (const auto& [number, line] : lines) {
    if (progress) progress(done++, total);
    HL_ASSIGN(TokenIds ids, predictor.beginning(line, cancel));
    if (static_cast<std::int64_t>(ids.size()) > predictor.model().length)
      ids.resize(static_cast<std::size_t>(predictor.model().length));
    if (ids.size() < 2) continue;
    const auto count = static_cast<std::int64_t>(ids.size());
    HL_ASSIGN(const Words words, words_of(lists, predictor.tokenizer(), line, begins, count, cancel));
    HL_TRY(scorer.add_text(ids, words, cancel));
  }
  if (scorer.texts() == 0)
    return invalid("no line of it has two tokens").at(where).mend("give a text with a sentence on each line");
  HL_TRY(scorer.add_repeats(cancel));
  return score_marked(scorer, predictor, marked, written, total, cancel, progress);
}

// `links`: what Model 1 learned of the pairs.
Status score_pairs(Scorer& scorer, std::vector<WordAlignment::Link>& links, const Predictor& predictor, std::string_view text,
                   const std::string& where, const WordLists& lists, std::span<const MarkedText> marked,
                   const CancelToken& cancel, const std::function<void(std::int64_t, std::int64_t)>& progress) {
  HL_ASSIGN(const std::vector<TokenPair> pairs, read_pairs(predictor, text, where, cancel));
  std::vector<TokenIds> sources, targets;
  for (const TokenPair& pair : pairs) {
    sources.push_back(pair.source);
    targets.push_back(pair.target);
  }
  HL_ASSIGN(const WordAlignment alignment, WordAlignment::learn(sources, targets, cancel));
  HL_ASSIGN(const TokenIds begin, predictor.beginning({}, cancel));
  const auto lines = numbered_lines(text);  // a pair each
  const auto total = static_cast<std::int64_t>(pairs.size() + marked.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (progress) progress(static_cast<std::int64_t>(i), total);
    const auto [source, target] = halves_of(lines[i].second);
    std::array<Words, 2> words;
    HL_ASSIGN(words[0], words_of(lists, predictor.tokenizer(), source, static_cast<std::int64_t>(begin.size()),
                                 static_cast<std::int64_t>(pairs[i].source.size()), cancel));
    HL_ASSIGN(words[1], words_of(lists, predictor.output_tokenizer(), target, 1,
                                 static_cast<std::int64_t>(pairs[i].target.size()) - 1, cancel));
    HL_TRY(scorer.add_pair(pairs[i], words, alignment, cancel));
  }
  links = alignment.links(kLeastLink);
  return score_marked(scorer, predictor, marked, static_cast<std::int64_t>(pairs.size()), total, cancel, progress);
}

}  // namespace

Result<MeasuredHeads> score_heads(const Predictor& predictor, std::string_view text, const std::string& where,
                                  const WordLists& words, const CancelToken& cancel,
                                  const std::function<void(std::int64_t, std::int64_t)>& progress,
                                  std::span<const MarkedText> marked) {
  Scorer scorer(predictor);
  std::vector<WordAlignment::Link> links;
  if (predictor.reads_two()) {
    HL_TRY(score_pairs(scorer, links, predictor, text, where, words, marked, cancel, progress));
  } else {
    HL_TRY(score_texts(scorer, predictor, text, where, words, marked, cancel, progress));
  }
  return MeasuredHeads{{}, scorer.texts(), scorer.result(), std::move(links), scorer.not_finite(), scorer.marked()};
}

}  // namespace headlight
