// bpe: byte-pair encoding (Sennrich et al. 2016; byte-level: Radford et al. 2019). A word begins as its characters or bytes, and
// the merges are replayed in the order in which training found them. Over bytes every input comes back exactly; over a corpus's
// alphabet unseen characters are the unknown token, or, with a token for every byte beside it, their bytes (SentencePiece).
#include <algorithm>
#include <charconv>

#include "engine/text/byte_alphabet.h"
#include "engine/text/display.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/models/byte_tokens.h"
#include "engine/tokenizers/models/merge_table.h"
#include "engine/tokenizers/models/model.h"
#include "engine/tokenizers/models/piece_trie.h"

namespace headlight::tokenizers {
namespace {

using Part = MergeTable::Part;

// A part that joins with nothing, but is the piece `id`, has the id kWhole - `id`.
constexpr std::int32_t kWhole = -2;

enum class Alphabet { bytes, corpus, fallback };

struct Options {
  Alphabet alphabet = Alphabet::bytes;
  std::string prefix, suffix;  // of what stands inside a word, and of what ends one
  bool whole_words = false, joins_unknown = false;
  std::vector<std::string> user_defined;
};

// How the vocabulary writes a byte that is a piece, at its place in a word.
std::string piece_of(const Options& options, unsigned char byte, bool first, bool last) {
  if (options.alphabet != Alphabet::bytes) return byte_token(byte);
  return (first ? "" : options.prefix) + text::byte_piece(byte) + (last ? options.suffix : "");
}

// The numbers in "3 1 2"; what is no number counts as 0.
std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::int64_t number = 0;
    std::from_chars(text.data() + at, text.data() + end, number);
    numbers.push_back(number);
    at = end + 1;
  }
  return numbers;
}

class Bpe final : public Model {
 public:
  Bpe(const Vocabulary& vocabulary, MergeTable merges, Options options)
      : Model(vocabulary), merges_(std::move(merges)), options_(std::move(options)), unknown_(vocabulary.special(Role::unknown)) {
    for (int place = 0; place < 4; ++place)
      for (int byte = 0; byte < 256; ++byte)
        ids_[place][byte] = vocabulary.find_text(piece_of(options_, static_cast<unsigned char>(byte), place & 1, place & 2));
    std::vector<std::pair<std::string_view, std::int32_t>> users;
    for (const std::string& piece : options_.user_defined)
      if (const std::int32_t id = vocabulary.find(piece); id >= 0) users.emplace_back(piece, id);
    user_defined_ = PieceTrie(std::move(users));
  }

  Status encode(std::string_view word, std::vector<Piece>& pieces, const CancelToken& cancel) const override {
    pieces.clear();
    if (const std::int32_t id = whole_piece(word); id >= 0) {
      pieces.push_back({id, static_cast<std::int64_t>(word.size())});
      return {};
    }
    std::vector<Part> parts;
    const bool in_letters = segment(word, parts);
    HL_TRY(merges_.replay(parts, cancel));
    std::int64_t end = 0;
    for (const Part& part : parts) pieces.push_back({id_of(part), end += part.length});
    if (in_letters) place_by_letters(word, pieces);
    return {};
  }
  Result<Explanation> explain(std::string_view word, const CancelToken& cancel) const override {
    MergeTrees trees;
    trees.whole = whole_piece(word) >= 0;
    if (trees.whole) return Explanation(std::move(trees));
    std::vector<Part> parts;
    if (segment(word, parts))
      for (Part& part : parts) part.length = 1;  // a tree's places are those of bytes, without the ones left out
    std::vector<std::int32_t> node_at;           // of the part that begins at each of the first parts
    std::int64_t end = 0;
    for (const Part& part : parts) {
      node_at.push_back(static_cast<std::int32_t>(trees.nodes.size()));
      trees.nodes.push_back({id_of(part), end, end + part.length});
      end += part.length;
    }
    trees.leaves = trees.nodes.size();
    std::vector<MergeTable::Join> joins;
    HL_TRY(merges_.replay(parts, &joins, cancel));
    for (const MergeTable::Join& join : joins) {
      std::int32_t &left = node_at[static_cast<std::size_t>(join.left)], &right = node_at[static_cast<std::size_t>(join.right)];
      trees.nodes.push_back({join.id, trees.nodes[static_cast<std::size_t>(left)].start,
                             trees.nodes[static_cast<std::size_t>(right)].end, left, right, join.rank});
      left = static_cast<std::int32_t>(trees.nodes.size()) - 1;
      right = -1;
    }
    for (const std::int32_t node : node_at)
      if (node >= 0) trees.roots.push_back(node);
    return Explanation(std::move(trees));
  }
  bool may_cut() const override { return true; }
  bool uses_unknown() const override {
    return unknown_ >= 0 && (options_.alphabet == Alphabet::corpus ||
                             (options_.alphabet == Alphabet::fallback && std::ranges::find(ids_[0], -1) != std::end(ids_[0])));
  }
  Merges merges() const override {
    Merges pairs;
    pairs.reserve(merges_.merges().size());
    for (const auto& [left, right] : merges_.merges()) pairs.emplace_back(vocabulary().piece(left), vocabulary().piece(right));
    return pairs;
  }

 private:
  // The word's own piece, where such are taken whole; -1: merges are replayed.
  std::int32_t whole_piece(std::string_view word) const {
    if (!options_.whole_words) return -1;
    if (options_.alphabet != Alphabet::bytes) return vocabulary().find_text(word);
    return vocabulary().find_text(text::to_byte_pieces(word));
  }
  std::int32_t id_of(const Part& part) const { return part.id >= 0 ? part.id : part.id <= kWhole ? kWhole - part.id : unknown_; }

  // The word's first parts. Returns whether their lengths are those of the letters that stand for bytes, and not of bytes.
  bool segment(std::string_view word, std::vector<Part>& parts) const {
    parts.reserve(word.size());
    const auto size = static_cast<std::int64_t>(word.size());
    const auto put_bytes = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t at = begin; at < end; ++at)
        parts.push_back(
            {ids_[(at == 0 ? 1 : 0) + (at + 1 == size ? 2 : 0)][static_cast<unsigned char>(word[static_cast<std::size_t>(at)])],
             1});
    };
    if (options_.alphabet == Alphabet::bytes) {
      put_bytes(0, size);
      const bool misses = std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.id == -1; });
      if (!misses) return false;
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i].length = letter_size(word[i]);
      leave_out_missing(parts);
      return true;
    }
    const bool affixed = !options_.prefix.empty() || !options_.suffix.empty();
    for (std::int64_t at = 0; at < size;) {
      const std::string_view rest = word.substr(static_cast<std::size_t>(at));
      if (!options_.user_defined.empty())
        if (const PieceTrie::Found found = user_defined_.longest(rest); found.id >= 0) {
          parts.push_back({kWhole - found.id, static_cast<std::int64_t>(found.length)});
          at += static_cast<std::int64_t>(found.length);
          continue;
        }
      const text::CodePoint point = text::decode_at(word, at);
      const std::string_view character = rest.substr(0, static_cast<std::size_t>(point.length));
      std::int32_t id = -1;
      std::string whole;  // with what stands before and behind it in a piece
      if (point.valid && !affixed) {
        id = vocabulary().find_text(character);
      } else if (point.valid) {
        const bool last = at + point.length == size;
        whole = (at == 0 ? "" : options_.prefix) + std::string(character) + (last ? options_.suffix : "");
        id = vocabulary().find_text(whole);
      }
      if (id < 0 && options_.alphabet == Alphabet::fallback && !whole.empty() && has_bytes(whole)) {
        const std::size_t begin = at == 0 ? 0 : options_.prefix.size();
        for (std::size_t i = 0; i < whole.size(); ++i)
          parts.push_back({ids_[0][static_cast<unsigned char>(whole[i])], i >= begin && i < begin + character.size() ? 1 : 0});
      } else if (id < 0 && options_.alphabet == Alphabet::fallback && whole.empty() && has_bytes(character))
        put_bytes(at, at + point.length);
      else if (id < 0 && options_.joins_unknown && !parts.empty() && parts.back().id == -1)
        parts.back().length += point.length;
      else
        parts.push_back({id, point.length});
      at += point.length;
    }
    if (unknown_ < 0) leave_out_missing(parts);
    return false;
  }

  static std::int64_t letter_size(char byte) {
    const std::string letter = text::byte_piece(static_cast<unsigned char>(byte));
    return static_cast<std::int64_t>(letter.size());
  }
  // Makes places that are counted in the bytes of letters places in the word.
  static void place_by_letters(std::string_view word, std::vector<Piece>& pieces) {
    std::vector<std::int64_t> byte_at;  // by place in the letters
    for (std::size_t i = 0; i < word.size(); ++i)
      byte_at.insert(byte_at.end(), static_cast<std::size_t>(letter_size(word[i])), static_cast<std::int64_t>(i));
    std::int64_t start = 0;
    for (Piece& piece : pieces) {
      piece.start = byte_at[static_cast<std::size_t>(start)];
      start = piece.end;
      piece.end = byte_at[static_cast<std::size_t>(piece.end) - 1] + 1;
    }
  }

  bool has_bytes(std::string_view character) const {
    return std::all_of(character.begin(), character.end(), [&](char c) { return ids_[0][static_cast<unsigned char>(c)] >= 0; });
  }

  // A published vocabulary may lack bytes, or characters, that its training never saw. They give no token, and their neighbours
  // may merge. As in the library tokenizers, the places of what follows in the word then begin too early.
  static void leave_out_missing(std::vector<Part>& parts) {
    std::erase_if(parts, [](const Part& part) { return part.id == -1; });
  }

  MergeTable merges_;
  Options options_;
  std::int32_t unknown_;
  PieceTrie user_defined_;
  std::int32_t ids_[4][256];  // by place in the word (1: first, 2: last) and byte; not for the corpus's alphabet
};

Result<std::shared_ptr<const Model>> make_bpe(const Values& values, const ModelData& data) {
  const std::string& name = std::get<std::string>(values.at("alphabet"));
  Options options;
  options.alphabet = name == "bytes" ? Alphabet::bytes : name == "corpus" ? Alphabet::corpus : Alphabet::fallback;
  options.prefix = std::get<std::string>(values.at("prefix"));
  options.suffix = std::get<std::string>(values.at("suffix"));
  options.whole_words = std::get<bool>(values.at("whole_words"));
  options.joins_unknown = std::get<bool>(values.at("joins_unknown"));
  HL_ASSIGN(options.user_defined, texts_in(std::get<std::string>(values.at("user_defined")), data.where));
  const bool may_lack = data.vocabulary.is_published();
  if (options.alphabet != Alphabet::corpus && !may_lack) {
    for (int i = 0; i < 1024; ++i) {
      const auto byte = static_cast<unsigned char>(i % 256);
      const std::string piece = piece_of(options, byte, i / 256 & 1, i / 256 & 2);
      if (data.vocabulary.find_text(piece) < 0)
        return invalid("the vocabulary lacks the byte {}, written '{}'", text::display_byte(byte), piece)
            .at(data.where)
            .mend("a byte-level vocabulary needs all 256, so that no text is lost");
    }
  } else if (!may_lack && data.vocabulary.special(Role::unknown) < 0) {
    return invalid("the vocabulary lacks [UNK]")
        .at(data.where)
        .mend("over a corpus's alphabet it stands for unseen characters: add it");
  }
  HL_ASSIGN(MergeTable table, MergeTable::of(data.merges, data.vocabulary, data.where, options.prefix,
                                             numbers_in(std::get<std::string>(values.at("tied")))));
  return std::shared_ptr<const Model>(std::make_shared<Bpe>(data.vocabulary, std::move(table), std::move(options)));
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
            {"bytes", "corpus", "fallback"}},
           {"prefix",
            "prefix",
            "What a piece inside a word begins with.",
            Parameter::Kind::text,
            std::string(),
            0,
            0,
            {},
            nullptr,
            true},
           {"suffix",
            "suffix",
            "What a piece at the end of a word ends with.",
            Parameter::Kind::text,
            std::string(),
            0,
            0,
            {},
            nullptr,
            true},
           {"whole_words",
            "whole words",
            "Whether a word that is a piece is taken whole, whatever the merges make of it.",
            Parameter::Kind::boolean,
            false,
            0,
            0,
            {},
            nullptr,
            true},
           {"tied",
            "tied merges",
            "How many merges behind each other have one rank, so that the leftmost goes first (SentencePiece's scores): 3 1 2. "
            "Nothing: each has its own.",
            Parameter::Kind::text,
            std::string(),
            0,
            0,
            {},
            nullptr,
            true},
           {"user_defined",
            "user's pieces",
            "Pieces that are taken wherever they fit, as a list in JSON.",
            Parameter::Kind::text,
            std::string(),
            0,
            0,
            {},
            nullptr,
            true},
           {"joins_unknown",
            "unknowns joined",
            "Whether unseen characters behind each other are one unknown token.",
            Parameter::Kind::boolean,
            false,
            0,
            0,
            {},
            nullptr,
            true}},
          make_bpe};
}

}  // namespace headlight::tokenizers
