// characters: the most frequent grapheme clusters, after the 256 byte tokens into which unseen ones fall apart.
#include "engine/text/graphemes.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/models/byte_tokens.h"
#include "engine/tokenizers/training/corpus.h"

namespace headlight::tokenizers {
namespace {

Result<std::vector<WordCount>> count_characters(std::string_view input, const TrainingOptions& options,
                                                const CancelToken& cancel) {
  return count_spans(input, "graphemes", {}, options.progress, cancel);
}

Result<Training> train_characters(const std::vector<WordCount>& corpus, const TrainingOptions& options,
                                  const CancelToken& cancel) {
  HL_ASSIGN(const auto words, checked_corpus(corpus, {}));
  HL_TRY(check_vocabulary_size(options, 256, Message("byte tokens, into which unseen characters fall apart")));
  Training training;
  Vocabulary vocabulary = Vocabulary::with_specials();
  for (int byte = 0; byte < 256; ++byte) {
    training.alphabet.push_back(byte_token(static_cast<unsigned char>(byte)));
    vocabulary.add(training.alphabet.back());
  }
  std::vector<WordCount> clusters;
  StringMap<std::size_t> places;
  for (const WordCount& word : words) {
    if (cancel.cancelled()) return cancelled();
    if (training.words.size() < kFilmWords && text::is_valid_utf8(word.word)) training.words.push_back(word);
    text::for_each_grapheme(word.word, [&](std::int64_t start, std::int64_t end) {
      const std::string cluster = word.word.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
      if (!text::decode_at(cluster, 0).valid) return;  // a byte token already
      const auto [it, added] = places.try_emplace(cluster, clusters.size());
      if (added) clusters.push_back({cluster, 0});
      clusters[it->second].count += word.count;
    });
  }
  add_most_frequent(std::move(clusters), options, vocabulary, training);
  HL_ASSIGN(training.tokenizer, Tokenizer::make(plan_of("characters", std::move(vocabulary)), "the trained vocabulary"));
  return training;
}

}  // namespace

Entry characters_entry() {
  return {"characters",     "Characters",    "one token a grapheme cluster, unseen ones byte by byte", "S14; Unicode Annex 29",
          train_characters, count_characters};
}

}  // namespace headlight::tokenizers
