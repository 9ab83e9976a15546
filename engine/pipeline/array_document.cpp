#include "engine/pipeline/array_document.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "engine/core/files.h"
#include "engine/text/display.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {
namespace {

using Lists = std::vector<std::vector<std::string>>;

constexpr std::string_view kByteSpace = "\xc4\xa0", kLowStroke = "\xe2\x96\x81";  // Ġ and ▁

// What a piece stands for in the text: GPT's Ġ and SentencePiece's low stroke are spaces, BERT's ## continues a word.
std::string text_of_piece(const std::string& piece, bool marked, bool first) {
  if (piece.starts_with("##") && piece.size() > 2) return piece.substr(2);
  for (const std::string_view space : {kByteSpace, kLowStroke})
    if (piece.starts_with(space)) return (first ? "" : " ") + piece.substr(space.size());
  return first || marked ? piece : " " + piece;
}

Sentence sentence_of_pieces(const std::vector<std::string>& pieces) {
  const bool marked = std::any_of(pieces.begin(), pieces.end(), [](const std::string& piece) {
    return piece.starts_with(kByteSpace) || piece.starts_with(kLowStroke) || (piece.size() > 1 && piece.front() == ' ');
  });
  Sentence sentence;
  std::map<std::string, std::int32_t> ids;  // equal pieces have equal ids: patterns of heads compare them
  for (const std::string& piece : pieces) {
    const std::string text = text_of_piece(piece, marked, sentence.text.empty());
    const auto begin = static_cast<std::int64_t>(sentence.text.size());
    sentence.text += text;
    // A space that stands between bare words belongs to no token.
    const bool between = !marked && !piece.starts_with(kByteSpace) && text.size() == piece.size() + 1;
    tokenizers::Token token;
    token.id = ids.try_emplace(piece, static_cast<std::int32_t>(ids.size())).first->second;
    token.piece = piece;
    token.start = begin + (between ? 1 : 0);
    token.end = static_cast<std::int64_t>(sentence.text.size());
    sentence.tokens.push_back(std::move(token));
    std::string shown = piece;
    for (const std::string_view space : {kByteSpace, kLowStroke})
      if (shown.starts_with(space)) shown = " " + shown.substr(space.size());
    sentence.labels.push_back(text::display_text(shown));
  }
  return sentence;
}

std::vector<std::string> numbers(std::int64_t count, std::int64_t first = 0) {
  std::vector<std::string> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(std::to_string(first + i));
  return all;
}

Sentence sentence_of_ids(const std::vector<std::int32_t>& ids, const tokenizers::Tokenizer& tokenizer) {
  Sentence sentence;
  sentence.text = tokenizer.decode(ids, true);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t begin = at;
    const std::string own = tokenizer.decode({ids[i]}, true);
    at = std::min<std::int64_t>(at + static_cast<std::int64_t>(own.size()), static_cast<std::int64_t>(sentence.text.size()));
    sentence.tokens.push_back({ids[i], tokenizer.piece(ids[i]), begin, at});
    sentence.labels.push_back(tokenizer.display_text(ids[i]));
  }
  return sentence;
}

const arrays::Array* find_array(const arrays::File& file, const std::string& name) {
  for (const arrays::Array& array : file.arrays)
    if (array.name == name) return &array;
  return nullptr;
}

struct Tokenized {
  std::vector<Sentence> sentences;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer;
};

// The sentences that `name` means: a list of tokens, an array of ids, or a text. Empty: it is none of them.
Result<Tokenized> sentences_named(const arrays::File& file, const std::string& name, const std::string& tokenizer_name,
                                  const CancelToken& cancel) {
  Tokenized out;
  if (name.empty()) return out;
  if (const arrays::Texts* texts = file.text(name); texts && !texts->alone) {
    for (const auto& list : texts->lists) out.sentences.push_back(sentence_of_pieces(list));
    return out;
  }
  if (const arrays::Array* ids = find_array(file, name)) {
    if (ids->shape.empty() || ids->shape.size() > 2)
      return usage_error("'{}' is {}, and ids are [token] or [sentence, token]", name, to_string(ids->shape)).at(file.where);
    if (tokenizer_name.empty())
      return usage_error("'{}' holds ids, and no tokenizer says what they mean", name).at(file.where).mend("name a tokenizer");
    HL_ASSIGN(out.tokenizer, tokenizers::open(tokenizer_name));
    const std::int64_t sentences = ids->shape.size() == 2 ? ids->shape[0] : 1, length = ids->shape.back();
    for (std::int64_t s = 0; s < sentences; ++s) {
      std::vector<double> row(static_cast<std::size_t>(length));
      arrays::read_run(*ids, ids->shape.size() == 2 ? s * ids->strides[0] : 0, ids->strides.back(), length, row.data());
      std::vector<std::int32_t> numbers;
      for (const double id : row) {
        if (!(id >= 0 && id < out.tokenizer->vocabulary_size()))
          return usage_error("'{}' holds the id {}, and the tokenizer has {} pieces", name, static_cast<std::int64_t>(id),
                             out.tokenizer->vocabulary_size())
              .at(file.where)
              .mend("name the tokenizer that made them");
        numbers.push_back(static_cast<std::int32_t>(id));
      }
      out.sentences.push_back(sentence_of_ids(numbers, *out.tokenizer));
    }
    return out;
  }
  if (const arrays::Texts* texts = file.text(name)) {
    const std::string& text = texts->lists.front().front();
    if (!tokenizer_name.empty()) {
      HL_ASSIGN(out.tokenizer, tokenizers::open(tokenizer_name));
      HL_ASSIGN(const auto encoded, out.tokenizer->encode_single(text, cancel));
      std::vector<std::int32_t> ids;
      for (const auto& token : encoded.tokens) ids.push_back(token.id);
      out.sentences.push_back(sentence_of_ids(ids, *out.tokenizer));
      return out;
    }
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = text.find_first_not_of(" \n\t", at),
                        end = std::min(text.find_first_of(" \n\t", begin), text.size());
      if (begin == std::string::npos) break;
      words.push_back(text.substr(begin, end - begin));
      at = end;
    }
    out.sentences.push_back(sentence_of_pieces(words));
    return out;
  }
  return not_found("there is no list of tokens '{}'", name).at(file.where).mend("choose another one");
}

std::vector<Sentence> numbered(std::int64_t sentences, std::int64_t length, std::int64_t first = 0) {
  return std::vector<Sentence>(static_cast<std::size_t>(sentences), sentence_of_pieces(numbers(length, first)));
}

Status fit(const std::vector<Sentence>& sentences, std::int64_t count, std::int64_t length, const char* of,
           const std::string& name, const arrays::Cells& cells) {
  if (static_cast<std::int64_t>(sentences.size()) != count)
    return usage_error("'{}' has tokens of {} sentences, and '{}' has {}", name, sentences.size(), cells.name, count)
        .at(cells.file->where)
        .mend("give a list of tokens for each sentence");
  for (const Sentence& sentence : sentences) {
    const auto its = static_cast<std::int64_t>(sentence.tokens.size());
    if (its == length || (count > 1 && its < length && its > 0)) continue;
    return usage_error("'{}' has {} tokens, and '{}' has {} {}", name, its, cells.name, length, Message::term(of))
        .at(cells.file->where)
        .mend("give a token for each, or correct the axes");
  }
  return {};
}

}  // namespace

Result<ArraySentences> sentences_of(const arrays::File& file, const arrays::Reading& reading,
                                    const std::vector<arrays::Part>& parts, const CancelToken& cancel) {
  ArraySentences out;
  HL_ASSIGN(Tokenized rows, sentences_named(file, reading.tokens, reading.tokenizer, cancel));
  HL_ASSIGN(Tokenized columns, sentences_named(file, reading.source_tokens, reading.tokenizer, cancel));
  out.tokenizer = rows.tokenizer;
  out.has_ids = rows.tokenizer != nullptr;
  const std::int64_t sentences = parts.front().sentences;
  const auto part = [&](const char* name) {
    const auto at = std::find_if(parts.begin(), parts.end(), [&](const arrays::Part& one) { return one.name == name; });
    return at == parts.end() ? nullptr : &*at;
  };
  const arrays::Part *alone = part(""), *encoder = part("encoder"), *decoder = part("decoder"), *cross = part("cross");
  if (alone && alone->queries == alone->keys && columns.sentences.empty()) {
    if (rows.sentences.empty()) rows.sentences = numbered(sentences, alone->queries);
    HL_TRY(fit(rows.sentences, sentences, alone->queries, "queries", reading.tokens, alone->cells.front()));
    out.texts = std::move(rows.sentences);
    return out;
  }
  const arrays::Part& of_queries = alone ? *alone : cross ? *cross : decoder ? *decoder : *encoder;
  const arrays::Part& of_keys = alone ? *alone : cross ? *cross : encoder ? *encoder : *decoder;
  const std::int64_t queries = of_queries.queries, keys = of_keys.keys;
  // A model that kept the keys of the words before asks with the last words alone.
  const bool last = alone && columns.sentences.empty() && queries < keys && !rows.sentences.empty() &&
                    std::all_of(rows.sentences.begin(), rows.sentences.end(),
                                [&](const Sentence& s) { return static_cast<std::int64_t>(s.tokens.size()) == keys; });
  if (last) {
    columns.sentences = rows.sentences;
    for (Sentence& sentence : rows.sentences) {
      std::vector<std::string> pieces;
      for (std::int64_t i = keys - queries; i < keys; ++i) pieces.push_back(sentence.tokens[static_cast<std::size_t>(i)].piece);
      sentence = sentence_of_pieces(pieces);
    }
  }
  if (rows.sentences.empty()) rows.sentences = numbered(sentences, queries);
  if (columns.sentences.empty()) columns.sentences = numbered(sentences, keys);
  HL_TRY(fit(rows.sentences, sentences, queries, "queries", reading.tokens, of_queries.cells.front()));
  HL_TRY(fit(columns.sentences, sentences, keys, "keys", reading.source_tokens, of_keys.cells.front()));
  out.texts = std::move(columns.sentences);
  out.targets = std::move(rows.sentences);
  return out;
}

namespace {

std::vector<std::string> texts_of(const std::vector<Sentence>& sentences) {
  std::vector<std::string> all;
  for (const Sentence& sentence : sentences) all.push_back(sentence.text);
  return all;
}

// The fields of the document that follow from its arrays.
void take_over(const std::vector<arrays::Part>& parts, const ArraySentences& sentences, bool causal, Document& document) {
  const arrays::Part& part = parts.front();
  document.texts = texts_of(sentences.texts);
  document.targets = texts_of(sentences.targets);
  document.masks.clear();
  if (causal) document.masks.push_back({"causal", {}});
  // Scores that stand alone are what softmax takes; those of q and k are divided by the root of their width.
  document.scale = part.find(arrays::What::q) ? "sqrt" : "none";
}

Result<ArraysOpened> made(const std::shared_ptr<const arrays::File>& file, arrays::Guess guess, const ArraySource& source,
                          const Document& base) {
  HL_ASSIGN(const std::vector<arrays::Part> parts, arrays::parts_of(file, guess.reading));
  HL_ASSIGN(const ArraySentences sentences, sentences_of(*file, guess.reading, parts, {}));
  ArraysOpened out{base, std::move(guess)};
  ArraySource now = source;
  now.reading = out.guess.reading;
  take_over(parts, sentences, out.guess.causal, out.document);
  use_arrays(out.document, now);
  return out;
}

}  // namespace

Result<ArraysOpened> open_array_document(const std::filesystem::path& path, const arrays::Asked& asked) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(path, ignored);
  ArraySource source;
  source.file = (ignored ? path : whole).string();
  HL_ASSIGN(source.checksum, arrays::checksum(source.file));
  HL_ASSIGN(const auto file, open_arrays(source));
  HL_ASSIGN(arrays::Guess guess, arrays::guess(*file, asked));
  Document base;
  auto opened = made(file, guess, source, base);
  if (opened || guess.reading.tokens.empty()) return opened;
  // Tokens that do not fit do not keep the arrays from being seen.
  const Message why = opened.error().what;
  guess.reading.tokens.clear();
  guess.reading.source_tokens.clear();
  guess.remarks.push_back(Message("{}: the tokens are numbered instead", why));
  return made(file, std::move(guess), source, base);
}

bool is_array_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".npy" || ending == ".safetensors") return true;
  const bool page = ending == ".html" || ending == ".htm";
  if (ending != ".npz" && ending != ".json" && !page) return false;
  const auto file = arrays::open(path);
  if (page) return !file || !(*file)->text("document.json");  // a page with the session that it shows opens as that
  if (!file) return ending == ".npz";                         // whose error says more than a session's
  if ((*file)->text("document.json") || (*file)->text("document.texts")) return false;  // with the document that computed it
  const bool session = std::any_of((*file)->texts.begin(), (*file)->texts.end(), [](const arrays::Texts& texts) {
    return texts.name == "texts" || texts.name == "document.texts" || texts.name == "tokenizer_class" ||
           texts.name == "model_type";
  });
  return !session && !(*file)->arrays.empty();
}

Result<ArraysOpened> with_reading(const Document& document, const arrays::Reading& reading) {
  const auto source = arrays_of(document);
  HL_ASSIGN(const auto file, open_arrays(*source));
  HL_ASSIGN(arrays::Guess guess, arrays::look_again(*file, reading));
  return made(file, std::move(guess), *source, document);
}

Result<Document> keeping(const Document& document, bool copy) {
  ArraySource source = *arrays_of(document);
  if (!copy) {
    source.copy = nullptr;
  } else if (!source.copy) {
    HL_ASSIGN(std::string bytes, read_file(source.file, kMostCopied));
    source.copy = std::make_shared<const std::string>(std::move(bytes));
  }
  Document next = document;
  use_arrays(next, source);
  return next;
}

}  // namespace headlight
