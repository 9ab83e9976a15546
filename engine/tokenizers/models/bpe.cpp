// bpe: byte-pair encoding (Sennrich et al. 2016; byte-level: Radford et al. 2019). A word begins as its characters or bytes, and
// the merges are replayed in the order in which training found them. Over bytes every input comes back exactly; over a corpus's
// alphabet unseen characters are the unknown token, or, with a token for every byte beside it, their bytes (SentencePiece).
#include "engine/text/byte_alphabet.h"
#include "engine/text/display.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/models/byte_tokens.h"
#include "engine/tokenizers/models/merge_table.h"
#include "engine/tokenizers/models/model.h"

namespace headlight::tokenizers {
namespace {

using Part = MergeTable::Part;

enum class Alphabet { bytes, corpus, fallback };

// How the vocabulary writes a byte that is a piece.
std::string piece_of(Alphabet alphabet, unsigned char byte) {
  return alphabet == Alphabet::bytes ? text::byte_piece(byte) : byte_token(byte);
}

class Bpe final : public Model {
 public:
  Bpe(const Vocabulary& vocabulary, MergeTable merges, Alphabet alphabet)
      : Model(vocabulary), merges_(std::move(merges)), alphabet_(alphabet), unknown_(vocabulary.special(Role::unknown)) {
    for (int byte = 0; byte < 256; ++byte)
      ids_[byte] = vocabulary.find_text(piece_of(alphabet, static_cast<unsigned char>(byte)));
  }

  Status encode(std::string_view word, std::vector<Piece>& pieces, const CancelToken& cancel) const override {
    pieces.clear();
    std::vector<Part> parts;
    segment(word, parts);
    HL_TRY(merges_.replay(parts, cancel));
    std::int64_t end = 0;
    for (const Part& part : parts) pieces.push_back({part.id >= 0 ? part.id : unknown_, end += part.length});
    return {};
  }
  bool may_cut() const override { return true; }
  bool uses_unknown() const override { return alphabet_ == Alphabet::corpus; }
  Merges merges() const override {
    Merges pairs;
    pairs.reserve(merges_.merges().size());
    for (const auto& [left, right] : merges_.merges()) pairs.emplace_back(vocabulary().piece(left), vocabulary().piece(right));
    return pairs;
  }

 private:
  void segment(std::string_view word, std::vector<Part>& parts) const {
    parts.reserve(word.size());
    const auto put_bytes = [&](std::string_view bytes) {
      for (const char c : bytes) parts.push_back({ids_[static_cast<unsigned char>(c)], 1});
    };
    if (alphabet_ == Alphabet::bytes) return put_bytes(word);
    text::for_each_code_point(word, [&](std::int64_t at, const text::CodePoint& point) {
      const std::string_view character = word.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(point.length));
      const std::int32_t id = point.valid ? vocabulary().find_text(character) : -1;
      if (id < 0 && alphabet_ == Alphabet::fallback) return put_bytes(character);
      parts.push_back({id, point.length});
    });
  }

  MergeTable merges_;
  Alphabet alphabet_;
  std::int32_t unknown_;
  std::int32_t ids_[256];  // by byte; not for the corpus's alphabet
};

Result<std::shared_ptr<const Model>> make_bpe(const Values& values, const ModelData& data) {
  const std::string& name = std::get<std::string>(values.at("alphabet"));
  const Alphabet alphabet = name == "bytes" ? Alphabet::bytes : name == "corpus" ? Alphabet::corpus : Alphabet::fallback;
  if (alphabet != Alphabet::corpus) {
    for (int i = 0; i < 256; ++i) {
      const auto byte = static_cast<unsigned char>(i);
      const std::string piece = piece_of(alphabet, byte);
      if (data.vocabulary.find_text(piece) < 0)
        return invalid("the vocabulary lacks the byte {}, written '{}'", text::display_byte(byte), piece)
            .at(data.where)
            .mend("a byte-level vocabulary needs all 256, so that no text is lost");
    }
  } else if (data.vocabulary.special(Role::unknown) < 0) {
    return invalid("the vocabulary lacks [UNK]")
        .at(data.where)
        .mend("over a corpus's alphabet it stands for unseen characters: add it");
  }
  HL_ASSIGN(MergeTable table, MergeTable::of(data.merges, data.vocabulary, data.where));
  return std::shared_ptr<const Model>(std::make_shared<Bpe>(data.vocabulary, std::move(table), alphabet));
}

}  // namespace

ModelEntry bpe_model() {
  return {"bpe",
          "BPE",
          "merge argmax over pairs (a, b) of count(ab)",
          "S14; Sennrich et al. 2016, Radford et al. 2019",
          {{"alphabet",
            "alphabet",
            "bytes: a word begins as its bytes, pieces are written in the byte alphabet; corpus: as its characters; fallback: as "
            "its characters, unseen ones as their bytes, written <0xE2>.",
            Parameter::Kind::choice,
            std::string("bytes"),
            0,
            0,
            {"bytes", "corpus", "fallback"}}},
          make_bpe};
}

}  // namespace headlight::tokenizers
