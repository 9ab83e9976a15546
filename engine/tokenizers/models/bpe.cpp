// Byte-pair encoding (Sennrich et al. 2016; byte-level: Radford et al. 2019). Encoding replays the merges in the order in which
// training found them. Over bytes every input comes back exactly; over a corpus's alphabet unseen characters are [UNK].
#include "engine/tokenizers/models/bpe.h"

#include <algorithm>
#include <set>

#include "engine/text/display.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/byte_alphabet.h"
#include "engine/tokenizers/files/tokenizer_file.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/models/merge_table.h"
#include "engine/tokenizers/training/pair_trainer.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight::tokenizers {
namespace {

using Part = MergeTable::Part;

class Bpe final : public VocabularyTokenizer {
 public:
  Bpe(Vocabulary vocabulary, MergeTable merges, bool bytes, text::PreTokenizer pre_tokenizer)
      : VocabularyTokenizer(std::move(vocabulary)), merges_(std::move(merges)), bytes_(bytes), pre_tokenizer_(pre_tokenizer) {
    for (int byte = 0; byte < 256; ++byte)
      ids_[byte] = this->vocabulary().find_text(byte_piece(static_cast<unsigned char>(byte)));
  }

  std::string kind() const override { return "bpe"; }
  std::int32_t unknown_id() const override { return bytes_ ? -1 : VocabularyTokenizer::unknown_id(); }
  std::string display_text(std::int32_t id) const override {
    if (!bytes_ || vocabulary().is_special(id)) return VocabularyTokenizer::display_text(id);
    return text::display_text(from_byte_pieces(vocabulary().piece(id)));
  }

  Result<std::vector<Token>> encode(std::string_view input, const CancelToken& cancel) const override {
    std::vector<Token> tokens;
    tokens.reserve(input.size() / 3 + 8);
    // Words repeat: each is merged once a call. Its parts lie one after the other in `known`.
    std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> seen;
    std::vector<Part> known, parts;
    const auto size = static_cast<std::int64_t>(input.size());
    for (std::int64_t begin = 0; begin < size;) {
      if (cancel.cancelled()) return cancelled();
      const std::int64_t end = text::part_end(input, begin);
      const std::string_view part = input.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
      std::int64_t round = 0;
      for (const text::Span& span : text::split(pre_tokenizer_, part)) {
        if (++round % 4096 == 0 && cancel.cancelled()) return cancelled();
        const std::string_view word =
            part.substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start));
        auto it = seen.find(word);
        if (it == seen.end()) {
          segment(word, parts);
          HL_TRY(merges_.replay(parts, cancel));
          it = seen.emplace(word, std::pair{known.size(), known.size() + parts.size()}).first;
          known.insert(known.end(), parts.begin(), parts.end());
        }
        std::int64_t at = begin + span.start;
        for (std::size_t i = it->second.first; i < it->second.second; ++i) {
          const std::int32_t id = known[i].id >= 0 ? known[i].id : VocabularyTokenizer::unknown_id();
          tokens.push_back({id, vocabulary().piece(id), at, at + known[i].length});
          at += known[i].length;
        }
      }
      begin = end;
    }
    return tokens;
  }

  std::string decode(const std::vector<std::int32_t>& ids) const override {
    std::string pieces;
    for (const std::int32_t id : ids)
      if (!vocabulary().is_special(id) || id == unknown_id()) pieces += vocabulary().piece(id);
    return bytes_ ? from_byte_pieces(pieces) : pieces;
  }

  Status save(const std::filesystem::path& folder) const override {
    TokenizerFile file{kind(), bytes_ ? "bytes" : "corpus", pre_tokenizer_, {}, vocabulary().pieces(), {}};
    file.merges.reserve(merges_.merges().size());
    for (const auto& [left, right] : merges_.merges()) file.merges.emplace_back(piece(left), piece(right));
    return write_tokenizer_file(folder, file);
  }

 protected:
  const char* name() const override { return "BPE"; }

 private:
  void segment(std::string_view word, std::vector<Part>& parts) const {
    parts.clear();
    if (bytes_) {
      for (const char c : word) parts.push_back({ids_[static_cast<unsigned char>(c)], 1});
      return;
    }
    text::for_each_code_point(word, [&](std::int64_t at, const text::CodePoint& point) {
      const std::string_view character = word.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(point.length));
      parts.push_back({point.valid ? vocabulary().find_text(character) : -1, point.length});
    });
  }

  MergeTable merges_;
  bool bytes_;
  text::PreTokenizer pre_tokenizer_;
  std::int32_t ids_[256];  // by byte, for the byte alphabet
};

Result<std::shared_ptr<const Tokenizer>> make(std::vector<std::string> pieces, const Merges& merges, bool bytes,
                                              text::PreTokenizer pre_tokenizer, const std::string& where) {
  HL_ASSIGN(Vocabulary vocabulary, Vocabulary::of(std::move(pieces), where));
  if (bytes) {
    for (int byte = 0; byte < 256; ++byte)
      if (vocabulary.find_text(byte_piece(static_cast<unsigned char>(byte))) < 0)
        return invalid("the vocabulary lacks the byte " + text::display_byte(static_cast<unsigned char>(byte)) + ", written '" +
                           byte_piece(static_cast<unsigned char>(byte)) + "'",
                       where, "a byte-level vocabulary needs all 256, so that no text is lost");
  } else if (vocabulary.special(kUnknown) < 0) {
    return invalid("the vocabulary lacks [UNK]", where, "over a corpus's alphabet it stands for unseen characters: add it");
  }
  HL_ASSIGN(MergeTable table, MergeTable::of(merges, vocabulary, where));
  return std::shared_ptr<const Tokenizer>(std::make_shared<Bpe>(std::move(vocabulary), std::move(table), bytes, pre_tokenizer));
}

Result<bool> over_bytes(const TrainingOptions& options) {
  if (options.alphabet.empty()) return !options.word_counts;
  if (options.alphabet != "bytes" && options.alphabet != "corpus")
    return usage_error("there is no alphabet '" + options.alphabet + "'", "alphabet", "known are bytes, corpus");
  return options.alphabet == "bytes";
}

Result<std::vector<WordCount>> count(std::string_view input, const TrainingOptions& options, const CancelToken& cancel) {
  HL_TRY(over_bytes(options));
  return count_spans(input, text::PreTokenizer::gpt2, {}, options.progress, cancel);
}

Result<Training> train(const std::vector<WordCount>& corpus, const TrainingOptions& options, const CancelToken& cancel) {
  HL_ASSIGN(const bool bytes, over_bytes(options));
  HL_ASSIGN(const auto words, checked_corpus(corpus, {}));
  Training training;
  std::set<std::string> alphabet;  // in the order of code points, which is the order of UTF-8
  if (bytes) {
    for (int byte = 0; byte < 256; ++byte) alphabet.insert(byte_piece(static_cast<unsigned char>(byte)));
  } else {
    for (const WordCount& word : words)
      text::for_each_code_point(word.word, [&](std::int64_t, const text::CodePoint& point) {
        if (point.valid) alphabet.insert(text::to_utf8(point.value));
      });
  }
  training.alphabet.assign(alphabet.begin(), alphabet.end());
  HL_TRY(check_vocabulary_size(options, static_cast<std::int64_t>(alphabet.size()),
                               bytes ? "bytes of the alphabet" : "characters of the corpus"));
  Vocabulary vocabulary = Vocabulary::with_specials();
  for (const std::string& piece : training.alphabet) vocabulary.add(piece);

  std::vector<SegmentedWord> segmented;
  segmented.reserve(words.size());
  for (const WordCount& word : words) {
    const std::string pieces = bytes ? to_byte_pieces(word.word) : word.word;
    SegmentedWord& cut = segmented.emplace_back();
    cut.count = word.count;
    text::for_each_code_point(pieces, [&](std::int64_t at, const text::CodePoint& point) {
      cut.pieces.push_back(point.valid ? vocabulary.find(std::string_view(pieces).substr(static_cast<std::size_t>(at),
                                                                                         static_cast<std::size_t>(point.length)))
                                       : -1);
    });
    if (training.words.size() < kFilmWords && text::is_valid_utf8(pieces)) training.words.push_back({pieces, word.count});
  }
  HL_ASSIGN(PairTraining pairs, train_pairs(segmented, PairRule::frequency, options, vocabulary, cancel));
  training.steps = std::move(pairs.steps);
  training.ran_out_of_pairs = pairs.ran_out_of_pairs;
  Merges merges;
  for (const auto& [left, right] : pairs.merges) merges.emplace_back(vocabulary.piece(left), vocabulary.piece(right));
  // A list of words has no spaces to keep: then text is cut at whitespace when it is encoded, as the list's maker did.
  const auto pre_tokenizer = options.word_counts && !bytes ? text::PreTokenizer::words : text::PreTokenizer::gpt2;
  HL_ASSIGN(training.tokenizer, make(vocabulary.pieces(), merges, bytes, pre_tokenizer, "the trained vocabulary"));
  return training;
}

Result<std::shared_ptr<const Tokenizer>> load(const std::filesystem::path& folder) {
  HL_ASSIGN(TokenizerFile file, read_tokenizer_file(folder, "bpe"));
  return make(std::move(file.vocabulary), file.merges, file.alphabet == "bytes", file.pre_tokenizer, folder.string());
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> make_byte_level_bpe(std::vector<std::string> vocabulary, const Merges& merges,
                                                             const std::string& where) {
  return make(std::move(vocabulary), merges, true, text::PreTokenizer::gpt2, where);
}

Entry bpe_entry() {
  return {
      "bpe", "BPE", "merge argmax over pairs (a, b) of count(ab)", "S14; Sennrich et al. 2016, Radford et al. 2019", train, count,
      load,  "bpe"};
}

}  // namespace headlight::tokenizers
