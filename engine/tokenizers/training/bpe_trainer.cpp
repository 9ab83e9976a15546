// bpe: joins the most frequent pair of neighbours again and again, starting from bytes or from the corpus's characters (Sennrich
// et al. 2016; byte-level: Radford et al. 2019).
#include <set>

#include "engine/text/byte_alphabet.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/training/corpus.h"
#include "engine/tokenizers/training/library_trainer.h"

namespace headlight::tokenizers {
namespace {

Result<bool> over_bytes(const TrainingOptions& options) {
  if (options.alphabet.empty()) return !options.word_counts;
  if (options.alphabet != "bytes" && options.alphabet != "corpus")
    return usage_error("there is no alphabet '{}'", options.alphabet).at("alphabet").mend("known are bytes, corpus");
  return options.alphabet == "bytes";
}

Result<std::vector<WordCount>> count_bpe(std::string_view input, const TrainingOptions& options, const CancelToken& cancel) {
  HL_TRY(over_bytes(options));
  return count_spans(input, "gpt2", {}, options.progress, cancel);
}

Result<Training> train_bpe(const std::vector<WordCount>& corpus, const TrainingOptions& options, const CancelToken& cancel) {
  HL_ASSIGN(const bool bytes, over_bytes(options));
  HL_ASSIGN(const auto words, checked_corpus(corpus, {}));
  Training training;
  std::set<std::string> alphabet;  // in the order of code points, which is the order of UTF-8
  if (bytes) {
    for (int byte = 0; byte < 256; ++byte) alphabet.insert(text::byte_piece(static_cast<unsigned char>(byte)));
  } else {
    for (const WordCount& word : words)
      text::for_each_code_point(word.word, [&](std::int64_t, const text::CodePoint& point) {
        if (point.valid) alphabet.insert(text::to_utf8(point.value));
      });
  }
  training.alphabet.assign(alphabet.begin(), alphabet.end());
  HL_TRY(check_vocabulary_size(options, static_cast<std::int64_t>(alphabet.size()),
                               bytes ? Message("bytes of the alphabet") : Message("characters of the corpus")));
  Vocabulary vocabulary = Vocabulary::with_specials();
  for (const std::string& piece : training.alphabet) vocabulary.add(piece);

  std::vector<SegmentedWord> segmented;
  segmented.reserve(words.size());
  for (const WordCount& word : words) {
    const std::string pieces = bytes ? text::to_byte_pieces(word.word) : word.word;
    SegmentedWord& cut = segmented.emplace_back();
    cut.count = word.count;
    text::for_each_code_point(pieces, [&](std::int64_t at, const text::CodePoint& point) {
      cut.pieces.push_back(point.valid ? vocabulary.find(std::string_view(pieces).substr(static_cast<std::size_t>(at),
                                                                                         static_cast<std::size_t>(point.length)))
                                       : -1);
    });
    if (training.words.size() < kFilmWords && text::is_valid_utf8(pieces)) training.words.push_back({pieces, word.count});
  }
  HL_ASSIGN(PairTraining pairs, options.as_library ? train_as_library(segmented, "", options, vocabulary, cancel)
                                                   : train_pairs(segmented, PairRule::frequency, options, vocabulary, cancel));
  training.steps = std::move(pairs.steps);
  training.ran_out_of_pairs = pairs.ran_out_of_pairs;
  Merges merges;
  for (const auto& [left, right] : pairs.merges) merges.emplace_back(vocabulary.piece(left), vocabulary.piece(right));
  // A list of words has no spaces to keep: then text is cut at whitespace when it is encoded, as the list's maker did.
  KindOptions kind;
  kind.bytes = bytes;
  kind.splitter = options.word_counts && !bytes ? "words" : "gpt2";
  HL_ASSIGN(training.tokenizer,
            Tokenizer::make(plan_of("bpe", std::move(vocabulary), std::move(merges), kind), "the trained vocabulary"));
  return training;
}

}  // namespace

Entry bpe_entry() {
  return {"bpe",     "BPE",    "merge argmax over pairs (a, b) of count(ab)", "S14; Sennrich et al. 2016, Radford et al. 2019",
          train_bpe, count_bpe};
}

}  // namespace headlight::tokenizers
