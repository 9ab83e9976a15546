// wordpiece: joins the pair of neighbours with the highest count(ab) / (count(a) count(b)) again and again, starting from
// letters; one that continues a word is written "##h" (Schuster and Nakajima 2012; Devlin et al. 2018).
#include <set>

#include "engine/text/utf8.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/training/corpus.h"
#include "engine/tokenizers/training/library_trainer.h"

namespace headlight::tokenizers {
namespace {

constexpr std::string_view kContinues = "##";

Result<std::vector<WordCount>> count_wordpiece(std::string_view input, const TrainingOptions& options,
                                               const CancelToken& cancel) {
  return count_spans(input, "words", normalizers_for(options), options.progress, cancel);
}

// The alphabet of the library tokenizers: every letter as one that begins a word, then those that continue one, as they appear.
std::vector<std::string> library_alphabet(const std::vector<WordCount>& words) {
  std::set<std::string> letters, continuing;
  std::vector<std::string> appearing;
  for (const WordCount& word : words)
    text::for_each_code_point(word.word, [&](std::int64_t at, const text::CodePoint& point) {
      if (!point.valid) return;
      const std::string letter = text::to_utf8(point.value);
      letters.insert(letter);
      if (at > 0 && continuing.insert(letter).second) appearing.push_back(std::string(kContinues) + letter);
    });
  std::vector<std::string> alphabet(letters.begin(), letters.end());
  alphabet.insert(alphabet.end(), appearing.begin(), appearing.end());
  return alphabet;
}

Result<Training> train_wordpiece(const std::vector<WordCount>& corpus, const TrainingOptions& options,
                                 const CancelToken& cancel) {
  HL_ASSIGN(const auto words, checked_corpus(corpus, normalizers_for(options)));
  Training training;
  // First pass: the pieces of the alphabet, "h" where it begins a word, "##h" where it continues one.
  std::set<std::string> alphabet;
  const auto each_letter = [](const WordCount& word, const auto& visit) {
    text::for_each_code_point(word.word, [&](std::int64_t at, const text::CodePoint& point) {
      visit(point.valid,
            (at > 0 ? std::string(kContinues) : std::string()) + (point.valid ? text::to_utf8(point.value) : std::string()));
    });
  };
  for (const WordCount& word : words)
    each_letter(word, [&](bool valid, const std::string& piece) {
      if (valid) alphabet.insert(piece);
    });
  training.alphabet = options.as_library ? library_alphabet(words) : std::vector<std::string>(alphabet.begin(), alphabet.end());
  const std::size_t letters = training.alphabet.size();
  HL_TRY(check_vocabulary_size(options, static_cast<std::int64_t>(letters),
                               Message("letters of the corpus, beginning and continuing")));
  Vocabulary vocabulary = Vocabulary::with_specials();
  for (const std::string& piece : training.alphabet) vocabulary.add(piece);

  std::vector<SegmentedWord> segmented;
  segmented.reserve(words.size());
  for (const WordCount& word : words) {
    SegmentedWord& cut = segmented.emplace_back();
    cut.count = word.count;
    each_letter(word, [&](bool valid, const std::string& piece) { cut.pieces.push_back(valid ? vocabulary.find(piece) : -1); });
    if (training.words.size() < kFilmWords && text::is_valid_utf8(word.word)) training.words.push_back(word);
  }
  HL_ASSIGN(PairTraining pairs, options.as_library
                                    ? train_as_library(segmented, std::string(kContinues), options, vocabulary, cancel)
                                    : train_pairs(segmented, PairRule::likelihood, options, vocabulary, cancel));
  training.steps = std::move(pairs.steps);
  training.ran_out_of_pairs = pairs.ran_out_of_pairs;
  KindOptions kind;
  kind.normalizers = normalizers_for(options);
  HL_ASSIGN(training.tokenizer, Tokenizer::make(plan_of("wordpiece", std::move(vocabulary), {}, kind), "the trained vocabulary"));
  return training;
}

}  // namespace

Entry wordpiece_entry() {
  return {"wordpiece",
          "WordPiece",
          "merge argmax over pairs (a, b) of count(ab) / (count(a) count(b))",
          "S14; Schuster and Nakajima 2012, Devlin et al. 2018",
          train_wordpiece,
          count_wordpiece};
}

}  // namespace headlight::tokenizers
