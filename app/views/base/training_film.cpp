#include "app/views/base/training_film.h"

#include <algorithm>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::views {
namespace {

constexpr std::size_t kWords = 7, kCandidates = 7, kVocabulary = 80;
constexpr std::int64_t kDetailed = 24, kMostSteps = 240;
constexpr float kFilmStripWidth = 1080;

// Of one merge, in tenths of a second: its two parts stand apart, come together, and are one.
constexpr int kApart = 6, kFusing = 3, kTogether = 9, kPictures = kApart + kFusing + kTogether;

std::string times(std::int64_t n) { return fill(n == 1 ? tr("{} time") : tr("{} times"), {std::to_string(n)}); }

}  // namespace

std::string why_chosen(const tokenizers::Film& film, std::int64_t step) {
  const tokenizers::Film::Reason reason = film.reason(step);
  if (reason.chosen.empty()) return {};
  if (!film.merges())
    return fill(tr("\"{}\" occurs {} in the corpus: the most of those not yet in the vocabulary."),
                {reason.chosen, times(reason.count)});
  std::string where;
  for (const auto& [word, count] : reason.where)
    where += (where.empty() ? "" : ", ") + fill(tr("{0} in \"{1}\""), {times(count), word});
  std::string text;
  if (where.empty())
    text = fill(tr("{0} occurs {1}"), {reason.chosen, times(reason.count)});
  else if (reason.where.size() == 1)
    text = fill(tr("{0} occurs {1}"), {reason.chosen, where});
  else
    text = fill(tr("{0} occurs {1}: {2} in all"), {reason.chosen, where, std::to_string(reason.count)});
  if (reason.product <= 0)
    return text + (reason.tie ? tr(". Another pair occurs as often: the first in corpus order is taken.")
                              : tr(", the most of all pairs."));
  char product[48], score[24];
  if (reason.left > 0)
    std::snprintf(product, sizeof product, "(%lld × %lld)", static_cast<long long>(reason.left),
                  static_cast<long long>(reason.right));
  else
    std::snprintf(product, sizeof product, "%.0f", reason.product);
  std::snprintf(score, sizeof score, "%.4g", reason.score);
  text += fill(tr("; divided by how often each part occurs: {0} / {1} = {2}"), {std::to_string(reason.count), product, score});
  return text +
         (reason.tie ? tr(". Others have the same score: the first in corpus order is taken.") : tr(", the highest score."));
}

std::string training_kind(const std::string& kind) {
  const tokenizers::Entry* entry = tokenizers::trainers().find(kind);
  return entry ? tr(entry->label.c_str()) : kind;
}

namespace {

// What a step chose among: `scored` by WordPiece's score, else by count. `begun`: one of them was chosen.
void add_candidates(figures::TrainingStepInput& input, const tokenizers::Film& film, const tokenizers::TrainingStep& table,
                    bool scored, bool begun) {
  double best = 0;
  for (const auto& candidate : table.candidates) best = std::max(best, candidate.score);
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < table.candidates.size(); ++i)
    if (table.candidates[i].left == table.left && table.candidates[i].right == table.right) chosen = i;
  for (std::size_t i = 0; i < table.candidates.size() && input.candidates.size() < kCandidates; ++i) {
    // The chosen one is always among them.
    const std::size_t at = i + 1 == kCandidates && chosen >= kCandidates ? chosen : i;
    const auto& candidate = table.candidates[at];
    figures::TrainingStepInput::Candidate shown;
    const std::string right = film.display(candidate.right);
    std::string token =
        candidate.left + (candidate.right.starts_with("##") && scored ? candidate.right.substr(2) : candidate.right);
    shown.text = film.merges() ? film.display(candidate.left) + " + " + right + " → " + film.display(token)
                               : film.display(candidate.left.empty() ? candidate.right : candidate.left);
    char number[32];
    if (scored)
      std::snprintf(number, sizeof number, "%.4g", candidate.score);
    else
      std::snprintf(number, sizeof number, "%lld", static_cast<long long>(candidate.count));
    shown.number = number;
    shown.share = best > 0 ? candidate.score / best : 0;
    shown.chosen = begun && at == chosen;
    input.candidates.push_back(std::move(shown));
  }
  if (scored) {
    input.candidates_title = tr("candidate pairs: count / (count left × count right)");
    input.candidates_brief = tr("pairs: count / (left × right)");
  }
}

}  // namespace

figures::TrainingStepInput training_input(const TrainingResult& result, std::int64_t step) {
  const tokenizers::Film& film = *result.film;
  const tokenizers::Training& training = *result.training;
  figures::TrainingStepInput input;
  input.step = step;
  input.title = fill(tr("{} on {}, step {} of {}"), {training_kind(result.request.kind), tr(result.corpus_words.c_str()),
                                                     std::to_string(step), std::to_string(film.steps())});
  const tokenizers::TrainingStep* current = step >= 1 ? &training.steps[static_cast<std::size_t>(step - 1)] : nullptr;

  if (film.merges()) {
    for (const std::int64_t index : film.words_to_show(step, kWords)) {
      figures::TrainingStepInput::Word word;
      for (const std::string& symbol : film.symbols(index, step)) {
        word.fresh.push_back(current && symbol == current->token);
        word.symbols.push_back(film.display(symbol));
      }
      if (current)
        for (const std::string& symbol : film.symbols(index, step - 1)) word.before.push_back(film.display(symbol));
      word.count = "x " + std::to_string(training.words[static_cast<std::size_t>(index)].count);
      input.words.push_back(std::move(word));
    }
    input.words_title = training.words.size() > kWords ? tr("corpus words, this merge's first") : tr("corpus words, fusing");
    input.curve = film.tokens_per_word();
  } else {
    input.words_title = tr("the corpus's first words");
    for (const std::int64_t index : film.words_to_show(step, kWords)) {
      const auto& counted = training.words[static_cast<std::size_t>(index)];
      input.words.push_back(
          {{film.display(counted.word)}, {current && counted.word == current->token}, "x " + std::to_string(counted.count)});
    }
    input.candidates_title = tr("most frequent, not yet in the vocabulary");
  }

  // Step 0 shows what the first step will choose among.
  const tokenizers::TrainingStep* table = current ? current : training.steps.empty() ? nullptr : &training.steps.front();
  if (table) add_candidates(input, film, *table, result.request.kind == "wordpiece", current != nullptr);

  const auto added = static_cast<std::size_t>(step);
  const std::size_t all = training.alphabet.size() + added, first = all > kVocabulary ? all - kVocabulary : 0;
  for (std::size_t i = first; i < all; ++i)
    input.vocabulary.push_back(
        film.display(i < training.alphabet.size() ? training.alphabet[i] : training.steps[i - training.alphabet.size()].token));
  input.newest = step >= 1;
  input.vocabulary_size = static_cast<std::int64_t>(all) + 4;  // [PAD] [UNK] [BOS] [EOS]
  input.why = current ? why_chosen(film, step)
                      : fill(tr("Before the first step the vocabulary is the alphabet: {} units."),
                             {std::to_string(training.alphabet.size())});
  if (training.words.size() >= 1000 && film.merges())
    input.compare = tr("Words and curve: the corpus's first 1,000 different words.");
  if (step == film.steps() && training.ran_out_of_pairs)
    input.compare = tr("No pair is left: training ends here, which is a normal end.");
  return input;
}

figures::Animation training_film(std::shared_ptr<const TrainingResult> result, const figures::Theme& theme) {
  figures::Animation film;
  const std::int64_t steps = result->film->steps();
  film.title = fill(tr("{} on {}"), {training_kind(result->request.kind), tr(result->corpus_words.c_str())});
  const bool detailed = result->film->merges() && steps <= kDetailed;
  const std::int64_t shown = std::min(steps, kMostSteps);
  film.seconds_per_frame = detailed ? 0.1 : 0.25;
  // The beginning, before the first step, stands as long as a merge.
  film.frames = static_cast<int>(detailed ? (steps + 1) * kPictures : shown + 1);
  film.frame = [result = std::move(result), theme = &theme, detailed, steps, shown](int index,
                                                                                    const figures::TextMeasure& measure) {
    const std::int64_t step = detailed ? index / kPictures : shown > 0 ? index * steps / shown : 0;
    figures::TrainingStepInput input = training_input(*result, step);
    if (detailed && step > 0) {
      const int at = index % kPictures - kApart;
      const float left = 1 - static_cast<float>(std::clamp(at, 0, kFusing)) / kFusing;
      input.fusing = 1 - left * left;
    }
    figures::Figure picture = figures::training_step(input, kFilmStripWidth - 2 * 24, *theme, measure);
    // A margin and a heading around it.
    return figures::framed(std::move(picture), input.title, 24, *theme);
  };
  return film;
}

}  // namespace headlight::views
