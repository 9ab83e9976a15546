// unigram: begins with very many pieces and takes out those that are missed least, until so many are left as were asked for (Kudo
// 2018). It goes as SentencePiece does it: the same seeds, two steps of EM with digamma's prior a round, and a quarter of the
// pieces fewer after each round.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include "engine/text/utf8.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/training/corpus.h"
#include "engine/tokenizers/training/unigram_lattices.h"

namespace headlight::tokenizers {
namespace {

using Round = PruningRound;

constexpr std::size_t kMostSeeds = 1'000'000;
constexpr double kLeastExpected = 0.5, kShrink = 0.75, kMargin = 1.1;
constexpr double kTie = 0.0001;  // between the scores of characters that lost their piece in training

std::vector<Choice> unigram_normalizers(const TrainingOptions& options) {
  std::vector<Choice> stages{{"nmt", {}}, {"nfkc", {}}};
  if (options.lowercase) stages.push_back({"lowercase", {}});
  return stages;
}

// The words of what stands between two spaces: normalising may cut it. What ends a line has a newline behind it
// (count_stretches).
Result<std::vector<CorpusWord>> normal_words(const std::vector<WordCount>& corpus, const TrainingOptions& options,
                                             const CancelToken& cancel) {
  const TokenizerPlan plan = plan_of("unigram", Vocabulary::with_specials());
  HL_ASSIGN(const text::Normalizers normalizers, text::make_normalizers(unigram_normalizers(options)));
  HL_ASSIGN(const text::Splitters splitters, text::make_splitters(plan.splitters));
  std::vector<CorpusWord> words;
  StringMap<std::size_t> places;
  std::int64_t round = 0;
  for (const WordCount& word : corpus) {
    if (++round % 4096 == 0 && cancel.cancelled()) return cancelled();
    if (word.count < 1)
      return invalid("the word '{}' has the count {}", word.word, word.count).at("corpus").mend("counts begin at 1");
    const text::Split split = text::split(text::normalize(word.word, normalizers), splitters);
    for (const text::Span& span : split.words) {
      const auto [it, added] = places.try_emplace(
          split.text.text().substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start)),
          words.size());
      if (added) words.push_back({{it->first, 0}, 0});
      words[it->second].count += word.count;
      if (word.word.ends_with('\n') && &span == &split.words.back()) words[it->second].ends_line += word.count;
    }
  }
  return words;
}

Result<std::vector<WordCount>> count_unigram(std::string_view input, const TrainingOptions& options, const CancelToken& cancel) {
  // The words are normalised when they have been counted: each of them once.
  return count_stretches(input, options.progress, cancel);
}

// The derivative of log gamma, for x > 0.
double digamma(double x) {
  double sum = 0;
  for (; x < 7; ++x) sum -= 1 / x;
  x -= 0.5;
  const double square = 1 / (x * x);
  return sum + std::log(x) + square / 24 - 7.0 / 960 * square * square + 31.0 / 8064 * square * square * square -
         127.0 / 30720 * square * square * square * square;
}

class UnigramTrainer {
 public:
  UnigramTrainer(UnigramLattices lattices, const std::vector<CorpusWord>& words, const TrainingOptions& options,
                 Training& training)
      : lattices_(std::move(lattices)), words_(words), options_(options), training_(training) {
    for (const CorpusWord& word : words) occurrences_ += static_cast<double>(word.count);
  }

  // Trains until about kMargin times the pieces asked for are left. Error: cancelled.
  Status run(const CancelToken& cancel) {
    const auto wanted = static_cast<std::size_t>(kMargin * static_cast<double>(options_.vocabulary_size));
    const auto begun = static_cast<double>(pieces().size());
    while (true) {
      Round round;
      round.pieces_before = static_cast<std::int64_t>(pieces().size());
      for (int step = 0; step < 2; ++step) HL_TRY(expect_and_maximise(round, step == 0, cancel));
      HL_TRY(prune(round, pieces().size() <= wanted, wanted, cancel));
      if (options_.record_steps) training_.rounds.push_back(std::move(round));
      if (pieces().size() <= wanted) return {};
      if (options_.progress && begun > static_cast<double>(wanted)) {
        const double way = std::log(begun / static_cast<double>(pieces().size())) / std::log(begun / static_cast<double>(wanted));
        options_.progress(static_cast<std::int64_t>(1000 * std::clamp(way, 0.0, 1.0)), 1000);
      }
    }
  }

  // The characters of the alphabet and the most probable other pieces, with their scores: as many as were asked for.
  std::vector<std::pair<std::string, double>> finished(const std::vector<std::pair<char32_t, std::int64_t>>& alphabet,
                                                       std::size_t size) {
    std::map<std::string, double> scores;
    double least = 0;
    for (const UnigramPiece& piece : pieces()) {
      scores.emplace(lattices_.text_of(piece), piece.score);
      least = std::min(least, piece.score);
    }
    std::map<std::string, double> chosen;
    double tie = 0;
    for (const auto& [character, count] : alphabet) {
      const std::string text = text::to_utf8(character);
      const auto found = scores.find(text);
      chosen[text] = found != scores.end() ? found->second : least + tie;
      if (found == scores.end()) tie += kTie;
    }
    std::vector<std::pair<std::string, double>> others(scores.begin(), scores.end());
    const auto better = [](const auto& a, const auto& b) { return a.second > b.second; };
    std::stable_sort(others.begin(), others.end(), better);
    Round round;
    round.pieces_before = static_cast<std::int64_t>(others.size());
    for (const auto& [text, score] : others) {
      if (chosen.count(text) > 0) continue;
      if (chosen.size() < size) {
        chosen[text] = score;
        continue;
      }
      ++round.taken_for[static_cast<std::size_t>(Round::Why::surplus)];
      if (round.taken.size() < static_cast<std::size_t>(options_.keep_candidates))
        round.taken.push_back({text, score, 0, 0, {}, Round::Why::surplus});
    }
    std::vector<std::pair<std::string, double>> all(chosen.begin(), chosen.end());
    std::stable_sort(all.begin(), all.end(), better);
    round.pieces_after = static_cast<std::int64_t>(all.size());
    if (options_.record_steps) training_.rounds.push_back(std::move(round));
    return all;
  }

 private:
  const std::vector<UnigramPiece>& pieces() const { return lattices_.pieces(); }

  void note(Round& round, std::size_t piece, Round::Why why, double count, double loss, std::vector<std::string> instead) const {
    round.taken.push_back({lattices_.text_of(pieces()[piece]), pieces()[piece].score, count, loss, std::move(instead), why});
  }
  // Keeps those taken out that occur most often.
  void shorten(std::vector<Round::Piece>& noted, bool by_count) const {
    const auto most = std::min(noted.size(), static_cast<std::size_t>(options_.keep_candidates));
    std::partial_sort(
        noted.begin(), noted.begin() + static_cast<std::ptrdiff_t>(most), noted.end(),
        [&](const Round::Piece& a, const Round::Piece& b) { return by_count ? a.count > b.count : a.loss < b.loss; });
    noted.resize(most);
  }

  // One step of EM. Pieces that are hardly expected any more go.
  Status expect_and_maximise(Round& round, bool first, const CancelToken& cancel) {
    HL_ASSIGN(const UnigramLattices::Expected expected, lattices_.expected(cancel));
    if (first) round.log_likelihood = expected.log_likelihood;
    std::vector<bool> keep(pieces().size());
    double sum = 0;
    for (std::size_t i = 0; i < keep.size(); ++i) {
      keep[i] = expected.counts[i] >= kLeastExpected;
      if (keep[i]) {
        sum += expected.counts[i];
      } else {
        ++round.taken_for[static_cast<std::size_t>(Round::Why::rare)];
        if (options_.record_steps && round.taken.size() < static_cast<std::size_t>(options_.keep_candidates) / 4)
          note(round, i, Round::Why::rare, expected.counts[i], 0, {});
      }
    }
    // Digamma instead of the logarithm is a prior for few pieces: rare ones lose most.
    const double whole = digamma(sum);
    for (std::size_t i = 0; i < keep.size(); ++i)
      if (keep[i]) lattices_.pieces()[i].score = digamma(expected.counts[i]) - whole;
    lattices_.keep(keep);
    return {};
  }

  // Takes out the pieces whose loss is least, a quarter of all; where few enough are left, it only says how the words are cut.
  Status prune(Round& round, bool done, std::size_t wanted, const CancelToken& cancel) {
    HL_ASSIGN(const std::vector<double> counts, lattices_.best_counts(cancel));
    const double sum = std::accumulate(counts.begin(), counts.end(), 0.0), log_sum = std::log(sum);
    const std::vector<double> scores = lattices_.scores();
    round.tokens_per_word = sum / occurrences_;
    if (options_.record_steps)
      for (std::size_t i = 0; i < training_.words.size(); ++i) round.cuts.push_back(lattices_.best_cut(words_, i, scores));
    round.pieces_after = static_cast<std::int64_t>(pieces().size());
    if (done) return {};
    struct Candidate {
      std::size_t piece = 0;
      double loss = 0;
      std::vector<std::int32_t> instead;
    };
    std::vector<Candidate> candidates;
    std::vector<bool> keep(pieces().size(), false);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < keep.size(); ++i) {
      if (i % 4096 == 0 && cancel.cancelled()) return cancelled();
      if (counts[i] == 0) {
        take(round, i, Round::Why::unused, 0, 0, {});
        continue;
      }
      UnigramLattices::Cuts cuts = lattices_.cuts_of(pieces()[i].place, pieces()[i].place + pieces()[i].length, scores);
      if (cuts.best.size() > 1) {
        take(round, i, Round::Why::cut, counts[i], 0, cuts.best);
        continue;
      }
      if (cuts.second.empty()) {
        keep[i] = true;
        ++kept;
        continue;
      }
      // Without it, its occurrences are those of the pieces that its text is then cut into.
      const double log_sum_without = std::log(sum + counts[i] * static_cast<double>(cuts.second.size() - 1));
      double without = 0;
      for (const std::int32_t other : cuts.second)
        without += std::log((other < 0 ? 0 : counts[static_cast<std::size_t>(other)]) + counts[i]) - log_sum_without;
      candidates.push_back({i, counts[i] * (std::log(counts[i]) - log_sum - without), std::move(cuts.second)});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.loss > b.loss; });
    const auto size = std::max(wanted, static_cast<std::size_t>(kShrink * static_cast<double>(keep.size())));
    const std::size_t room = size > kept ? std::min(size - kept, candidates.size()) : 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Candidate& candidate = candidates[i];
      keep[candidate.piece] = i < room;
      if (i >= room) {
        take(round, candidate.piece, Round::Why::missed, counts[candidate.piece], candidate.loss, candidate.instead);
      } else if (options_.record_steps && room - i <= static_cast<std::size_t>(options_.keep_candidates)) {
        const UnigramPiece& piece = pieces()[candidate.piece];
        round.spared.push_back({lattices_.text_of(piece), piece.score, counts[candidate.piece], candidate.loss,
                                texts_of(piece, candidate.instead), Round::Why::missed});
      }
    }
    shorten(round.taken, true);
    shorten(round.spared, false);
    lattices_.keep(keep);
    round.pieces_after = static_cast<std::int64_t>(pieces().size());
    return {};
  }

  // The texts of the pieces that the text of `piece` is cut into; what is unknown is one character.
  std::vector<std::string> texts_of(const UnigramPiece& piece, const std::vector<std::int32_t>& ids) const {
    std::vector<std::string> texts;
    std::int64_t place = piece.place;
    for (const std::int32_t id : ids) {
      const std::int32_t length = id < 0 ? 1 : pieces()[static_cast<std::size_t>(id)].length;
      texts.push_back(lattices_.text_of({place, length}));
      place += length;
    }
    return texts;
  }
  void take(Round& round, std::size_t piece, Round::Why why, double count, double loss,
            const std::vector<std::int32_t>& instead) const {
    ++round.taken_for[static_cast<std::size_t>(why)];
    if (options_.record_steps && count > 0) note(round, piece, why, count, loss, texts_of(pieces()[piece], instead));
  }

  UnigramLattices lattices_;
  const std::vector<CorpusWord>& words_;
  const TrainingOptions& options_;
  Training& training_;
  double occurrences_ = 0;
};

// The most frequent characters that make up options.coverage of the corpus, the most frequent first.
std::vector<std::pair<char32_t, std::int64_t>> alphabet_of(const std::vector<CorpusWord>& words, double coverage) {
  std::unordered_map<char32_t, std::int64_t> counts;
  std::int64_t all = 0;
  for (const CorpusWord& word : words)
    text::for_each_code_point(word.word, [&](std::int64_t, const text::CodePoint& point) {
      if (!point.valid || point.value == 0) return;
      counts[point.value] += word.count;
      all += word.count;
    });
  std::vector<std::pair<char32_t, std::int64_t>> alphabet(counts.begin(), counts.end());
  std::sort(alphabet.begin(), alphabet.end(),
            [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  std::int64_t covered = 0;
  std::size_t kept = 0;
  while (kept < alphabet.size() && (coverage >= 1 || static_cast<double>(covered) < coverage * static_cast<double>(all)))
    covered += alphabet[kept++].second;
  alphabet.resize(kept);
  return alphabet;
}

Result<Training> train_unigram(const std::vector<WordCount>& corpus, const TrainingOptions& options, const CancelToken& cancel) {
  HL_ASSIGN(std::vector<CorpusWord> words, normal_words(corpus, options, cancel));
  if (words.empty()) return invalid("there are no words to train on").at("corpus").mend("give a text with at least one word");
  if (!(options.coverage > 0) || options.coverage > 1)
    return usage_error("the share of characters that are known is not between 0 and 1")
        .at("coverage")
        .mend("give one such as 0.9995");
  Vocabulary vocabulary = Vocabulary::with_specials();
  auto alphabet = alphabet_of(words, options.coverage);
  HL_TRY(check_vocabulary_size(options, static_cast<std::int64_t>(alphabet.size()), Message("characters of the corpus")));
  Training training;
  for (const auto& [character, count] : alphabet) training.alphabet.push_back(text::to_utf8(character));
  // The kept words are the first ones, whose cuts every round shows.
  std::stable_partition(words.begin(), words.end(), [](const CorpusWord& word) { return text::is_valid_utf8(word.word); });
  for (std::size_t i = 0; i < std::min(words.size(), kFilmWords) && text::is_valid_utf8(words[i].word); ++i)
    training.words.push_back(words[i]);
  HL_ASSIGN(UnigramLattices lattices, UnigramLattices::of(words, alphabet, kMostSeeds, cancel));
  UnigramTrainer trainer(std::move(lattices), words, options, training);
  HL_TRY(trainer.run(cancel));
  TokenizerPlan plan = plan_of("unigram", Vocabulary::with_specials());
  plan.scores.assign(static_cast<std::size_t>(vocabulary.size()), 0);
  const auto size = static_cast<std::size_t>(options.vocabulary_size - vocabulary.size());
  for (const auto& [text, score] : trainer.finished(alphabet, size)) {
    if (plan.vocabulary.find(text) >= 0) continue;  // a text of the corpus that is the name of a special token
    plan.vocabulary.add(text);
    plan.scores.push_back(score);
  }
  training.ran_out_of_pairs = plan.vocabulary.size() < options.vocabulary_size;
  plan.normalizers = unigram_normalizers(options);
  HL_ASSIGN(training.tokenizer, Tokenizer::make(plan, "the trained vocabulary"));
  return training;
}

}  // namespace

Entry unigram_entry() {
  return {"unigram",     "Unigram",    "argmax over cuts of the sum of log p(piece)", "Kudo 2018 (subword regularisation)",
          train_unigram, count_unigram};
}

}  // namespace headlight::tokenizers
