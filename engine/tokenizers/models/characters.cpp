// Characters: one token a grapheme cluster. Clusters outside the vocabulary, and bytes that are no UTF-8, become one token a
// byte, "<0xE2>": nothing is lost, so decode(encode(x)) == x for any bytes.

#include "engine/text/display.h"
#include "engine/text/graphemes.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/files/tokenizer_file.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight::tokenizers {
namespace {

std::string byte_token(int byte) { return "<" + text::display_byte(static_cast<unsigned char>(byte)) + ">"; }

class Characters final : public VocabularyTokenizer {
 public:
  // The vocabulary must hold the 256 byte tokens.
  explicit Characters(Vocabulary vocabulary) : VocabularyTokenizer(std::move(vocabulary)) {
    bytes_of_.assign(static_cast<std::size_t>(vocabulary_size()), -1);
    for (int byte = 0; byte < 256; ++byte) {
      const std::int32_t id = this->vocabulary().find(byte_token(byte));
      ids_[byte] = id;
      bytes_of_[static_cast<std::size_t>(id)] = byte;
    }
  }

  std::string kind() const override { return "characters"; }
  std::int32_t unknown_id() const override { return -1; }
  std::string display_text(std::int32_t id) const override {
    if (const int byte = byte_of(id); byte >= 0) return text::display_byte(static_cast<unsigned char>(byte));
    return VocabularyTokenizer::display_text(id);
  }

  Result<std::vector<Token>> encode(std::string_view input, const CancelToken& cancel) const override {
    std::vector<Token> tokens;
    tokens.reserve(input.size());
    const auto size = static_cast<std::int64_t>(input.size());
    for (std::int64_t at = 0, round = 0; at < size; ++round) {
      if (round % 4096 == 0 && cancel.cancelled()) return cancelled();
      const std::int64_t end = text::grapheme_end(input, at);
      const std::string_view cluster = input.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(end - at));
      if (const std::int32_t id = character(cluster); id >= 0) {
        tokens.push_back({id, std::string(cluster), at, end});
      } else {
        for (std::int64_t i = at; i < end; ++i) {
          const int byte = static_cast<unsigned char>(input[static_cast<std::size_t>(i)]);
          tokens.push_back({ids_[byte], piece(ids_[byte]), i, i + 1});
        }
      }
      at = end;
    }
    return tokens;
  }

  std::string decode(const std::vector<std::int32_t>& ids) const override {
    std::string text;
    for (const std::int32_t id : ids) {
      if (const int byte = byte_of(id); byte >= 0) {
        text.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
      } else if (!vocabulary().is_special(id)) {
        text += vocabulary().piece(id);
      }
    }
    return text;
  }

  Status save(const std::filesystem::path& folder) const override {
    return write_tokenizer_file(folder, {kind(), "bytes", text::PreTokenizer::gpt2, {}, vocabulary().pieces(), {}});
  }

 protected:
  const char* name() const override { return "Characters"; }

 private:
  // A cluster's own id: "<0xE2>" and "[PAD]" in a text are single characters each, so they never meet the byte and special
  // tokens.
  std::int32_t character(std::string_view cluster) const { return vocabulary().find(cluster); }
  int byte_of(std::int32_t id) const { return id >= 0 && id < vocabulary_size() ? bytes_of_[static_cast<std::size_t>(id)] : -1; }

  std::int32_t ids_[256];
  std::vector<int> bytes_of_;  // by id; -1: not a byte token
};

Result<std::vector<WordCount>> count(std::string_view input, const TrainingOptions& options, const CancelToken& cancel) {
  StringMap<std::size_t> places;
  std::vector<WordCount> words;
  std::int64_t round = 0;
  bool stopped = false;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(input.size()) && !stopped; ++round) {
    const std::int64_t end = text::grapheme_end(input, at);
    const std::string_view cluster = input.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(end - at));
    if (const auto it = places.find(cluster); it != places.end()) {
      ++words[it->second].count;
    } else {
      places.emplace(std::string(cluster), words.size());
      words.push_back({std::string(cluster), 1});
    }
    at = end;
    if (round % 4096 != 0) continue;
    stopped = cancel.cancelled();
    if (options.progress) options.progress(at, static_cast<std::int64_t>(input.size()));
  }
  if (stopped) return cancelled();
  return words;
}

Result<Training> train(const std::vector<WordCount>& corpus, const TrainingOptions& options, const CancelToken& cancel) {
  HL_ASSIGN(const auto words, checked_corpus(corpus, {}));
  HL_TRY(check_vocabulary_size(options, 256, "byte tokens, into which unseen characters fall apart"));
  Training training;
  Vocabulary vocabulary = Vocabulary::with_specials();
  for (int byte = 0; byte < 256; ++byte) {
    training.alphabet.push_back(byte_token(byte));
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
  training.tokenizer = std::make_shared<Characters>(std::move(vocabulary));
  return training;
}

Result<std::shared_ptr<const Tokenizer>> load(const std::filesystem::path& folder) {
  HL_ASSIGN(TokenizerFile file, read_tokenizer_file(folder, "characters"));
  HL_ASSIGN(Vocabulary vocabulary, Vocabulary::of(std::move(file.vocabulary), folder.string()));
  for (int byte = 0; byte < 256; ++byte)
    if (vocabulary.find(byte_token(byte)) < 0)
      return invalid("the vocabulary lacks the byte token " + byte_token(byte), folder.string(),
                     "a characters vocabulary needs all 256, so that no text is lost");
  return std::shared_ptr<const Tokenizer>(std::make_shared<Characters>(std::move(vocabulary)));
}

}  // namespace

Entry characters_entry() {
  return {
      "characters", "Characters", "one token a grapheme cluster, unseen ones byte by byte", "S14; Unicode Annex 29", train, count,
      load,         "characters"};
}

}  // namespace headlight::tokenizers
