// bpe: byte-pair encoding (Sennrich et al. 2016; byte-level: Radford et al. 2019). A word begins as its characters or bytes, and
// the merges are replayed in the order in which training found them. Over bytes every input comes back exactly; over a corpus's
// alphabet unseen characters are the unknown token.
#include "engine/text/byte_alphabet.h"
#include "engine/text/display.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/models/merge_table.h"
#include "engine/tokenizers/models/model.h"

namespace headlight::tokenizers {
namespace {

using Part = MergeTable::Part;

class Bpe final : public Model {
 public:
  Bpe(const Vocabulary& vocabulary, MergeTable merges, bool bytes)
      : Model(vocabulary), merges_(std::move(merges)), bytes_(bytes), unknown_(vocabulary.special(Role::unknown)) {
    for (int byte = 0; byte < 256; ++byte) ids_[byte] = vocabulary.find_text(text::byte_piece(static_cast<unsigned char>(byte)));
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
  bool uses_unknown() const override { return !bytes_; }
  Merges merges() const override {
    Merges pairs;
    pairs.reserve(merges_.merges().size());
    for (const auto& [left, right] : merges_.merges()) pairs.emplace_back(vocabulary().piece(left), vocabulary().piece(right));
    return pairs;
  }

 private:
  void segment(std::string_view word, std::vector<Part>& parts) const {
    parts.reserve(word.size());
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
  std::int32_t unknown_;
  std::int32_t ids_[256];  // by byte, for the byte alphabet
};

Result<std::shared_ptr<const Model>> make(const Values& values, const ModelData& data) {
  const bool bytes = std::get<std::string>(values.at("alphabet")) == "bytes";
  if (bytes) {
    for (int i = 0; i < 256; ++i) {
      const auto byte = static_cast<unsigned char>(i);
      if (data.vocabulary.find_text(text::byte_piece(byte)) < 0)
        return invalid("the vocabulary lacks the byte " + text::display_byte(byte) + ", written '" + text::byte_piece(byte) + "'",
                       data.where, "a byte-level vocabulary needs all 256, so that no text is lost");
    }
  } else if (data.vocabulary.special(Role::unknown) < 0) {
    return invalid("the vocabulary lacks [UNK]", data.where, "over a corpus's alphabet it stands for unseen characters: add it");
  }
  HL_ASSIGN(MergeTable table, MergeTable::of(data.merges, data.vocabulary, data.where));
  return std::shared_ptr<const Model>(std::make_shared<Bpe>(data.vocabulary, std::move(table), bytes));
}

}  // namespace

ModelEntry bpe_model() {
  return {"bpe",
          "BPE",
          "merge argmax over pairs (a, b) of count(ab)",
          "S14; Sennrich et al. 2016, Radford et al. 2019",
          {{"alphabet",
            "alphabet",
            "bytes: a word begins as its bytes, pieces are written in the byte alphabet; corpus: as its characters.",
            Parameter::Kind::choice,
            std::string("bytes"),
            0,
            0,
            {"bytes", "corpus"}}},
          make};
}

}  // namespace headlight::tokenizers
