#include "engine/insight/embedding_space.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <system_error>
#include <utility>

#include "engine/core/npy.h"
#include "engine/core/parallel.h"
#include "engine/insight/residual_stream.h"
#include "engine/models/stored_models.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/tokenizers/files/open.h"

namespace headlight {
namespace {

constexpr const char* kTable = "parameters.embedding";
constexpr const char* kTargetTable = "parameters.target_embedding";

constexpr std::int64_t kRowsAtOnce = 256;  // of a table that is widened while it is read

void measure(EmbeddingSpace& space, std::int64_t tokens) {
  space.lengths.resize(static_cast<std::size_t>(tokens));
  const std::int64_t d = space.dimensions();
  parallel_for(tokens, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> room;
    for (std::int64_t first = begin; first < end; first += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, end - first);
      const float* row = space.rows(first, count, room);
      for (std::int64_t token = first; token < first + count; ++token, row += d) {
        double square = 0;
        for (std::int64_t c = 0; c < d; ++c) square += static_cast<double>(row[c]) * static_cast<double>(row[c]);
        space.lengths[static_cast<std::size_t>(token)] = std::sqrt(square);
      }
    }
  });
}

EmbeddingSpace space_of(const Tensor& values, std::shared_ptr<const tokenizers::Tokenizer> tokenizer, bool random) {
  EmbeddingSpace space;
  space.table = values.as(DType::f32).compact();
  space.tokenizer = std::move(tokenizer);
  space.random = random;
  measure(space, space.table.dim(0));
  return space;
}

EmbeddingSpace space_of(std::shared_ptr<const backends::StoredMatrix> table,
                        std::shared_ptr<const tokenizers::Tokenizer> tokenizer) {
  EmbeddingSpace space;
  space.stored = std::move(table);
  space.tokenizer = std::move(tokenizer);
  measure(space, space.stored->columns());
  return space;
}

bool has_parameter(const Trace& trace, const char* name) {
  return std::any_of(trace.parameters().begin(), trace.parameters().end(),
                     [&](const NamedParameter& parameter) { return parameter.name == name; });
}

// "+", "-" or the minus sign; 0: a word.
int sign_of(std::string_view piece) { return piece == "+" ? 1 : piece == "-" || piece == "−" || piece == "–" ? -1 : 0; }

// Cut at whitespace; a sign at the front of a word stands apart as well: "-uncle".
std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
    std::string_view piece = text.substr(begin, end - begin);
    for (const std::string_view sign : {"+", "-", "−", "–"})
      if (piece.size() > sign.size() && piece.starts_with(sign)) {
        pieces.emplace_back(sign);
        piece.remove_prefix(sign.size());
      }
    pieces.emplace_back(piece);
    at = end;
  }
  return pieces;
}

Result<EmbeddingTerm> term_of(const EmbeddingSpace& space, const std::string& word, int sign) {
  EmbeddingTerm term;
  term.sign = sign;
  term.word = word;
  HL_ASSIGN(const auto tokens, space.tokenizer->encode(" " + word));
  const auto d = static_cast<std::size_t>(space.dimensions());
  term.vector.assign(d, 0.0);
  for (const tokenizers::Token& token : tokens) {
    const bool known = token.id >= 0 && token.id < space.tokens() && token.id != space.tokenizer->unknown_id();
    if (!known)
      return usage_error("this model's vocabulary has no token for '{}'", word).mend("choose another word, or another model");
    // A space of its own before the word is no part of it.
    if (token.end <= 1 && tokens.size() > 1) continue;
    term.tokens.push_back(token.id);
  }
  if (term.tokens.empty()) return usage_error("'{}' has no token", word).mend("choose another word");
  std::vector<float> room;
  for (const std::int32_t id : term.tokens) {
    const float* const row = space.rows(id, 1, room);
    for (std::size_t c = 0; c < d; ++c) term.vector[c] += static_cast<double>(row[c]) / static_cast<double>(term.tokens.size());
  }
  return term;
}

}  // namespace

const float* EmbeddingSpace::rows(std::int64_t first, std::int64_t count, std::vector<float>& room) const {
  if (!stored) return table.data<float>() + first * dimensions();
  room.resize(static_cast<std::size_t>(count * dimensions()));
  stored->widen(first, count, room.data());
  return room.data();
}

bool has_target_embeddings(const Trace& trace) { return has_parameter(trace, kTargetTable); }

Result<EmbeddingSpace> embedding_space(const Trace& trace, bool of_targets, const CancelToken& cancel) {
  const char* const name = of_targets && has_target_embeddings(trace) ? kTargetTable : kTable;
  const auto parameters = trace.parameters();
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const auto& one) { return one.name == name; });
  if (found == parameters.end()) return not_found("this model has no embedding table");
  if (const auto model = trace.stored_model(); model && trace.document().matrices.empty()) {
    HL_ASSIGN(auto stored, models::stored_table(*model, cancel));
    if (stored) return space_of(std::move(stored), trace.tokenizer());
  }
  HL_ASSIGN(const Tensor table, trace.values(name, cancel));
  return space_of(table, name == kTable ? trace.tokenizer() : trace.target_tokenizer(), found->origin == Origin::random);
}

EmbeddingSpace embedding_space(const Tensor& table, std::shared_ptr<const tokenizers::Tokenizer> tokenizer) {
  return space_of(table, std::move(tokenizer), false);
}

Status save_word_vectors(const std::filesystem::path& folder, const tokenizers::Tokenizer& tokenizer, const Tensor& embedding,
                         const Tensor& context, const std::string& kind) {
  std::error_code error;
  const bool there = std::filesystem::exists(folder, error);
  // A new folder is written beside its place and then renamed.
  std::filesystem::path writing = folder;
  if (!there) writing += ".part";
  const auto write = [&]() -> Status {
    HL_TRY(tokenizers::save(tokenizer, writing));
    HL_ASSIGN(NpzWriter writer, NpzWriter::create(writing / kWordVectorFile));
    HL_TRY(writer.add("embedding", embedding));
    HL_TRY(writer.add("context", context));
    HL_TRY(writer.add_text("kind", kind));
    HL_TRY(writer.close());
    if (there) return {};
    std::filesystem::rename(writing, folder, error);
    if (!error) return {};
    return failure(ErrorKind::io, "this folder cannot be made: {}", Message::term(error.message()))
        .at(folder.string())
        .mend("choose one that you may write to");
  };
  Status written = write();
  if (!written.ok() && !there) std::filesystem::remove_all(writing, error);
  return written;
}

Result<EmbeddingSpace> embedding_space(const std::filesystem::path& folder) {
  // Its whole path: a folder may be called as a tokenizer is ("words").
  HL_ASSIGN(auto tokenizer, tokenizers::open(std::filesystem::absolute(folder).string()));
  const std::filesystem::path file = folder / kWordVectorFile;
  HL_ASSIGN(const NamedTensors arrays, read_npz(file));
  const auto table = std::find_if(arrays.begin(), arrays.end(), [](const auto& one) { return one.first == "embedding"; });
  if (table == arrays.end())
    return invalid("this file has no array 'embedding'")
        .at(file.string())
        .mend("name a folder that headlight train-embeddings wrote");
  if (table->second.rank() != 2 || table->second.dim(0) != tokenizer->vocabulary_size())
    return invalid("'embedding' has the shape {} and there are {} words", to_string(table->second.shape()),
                   tokenizer->vocabulary_size())
        .at(file.string())
        .mend("name a folder that headlight train-embeddings wrote");
  return space_of(table->second, std::move(tokenizer), false);
}

Result<EmbeddingSpace> embedding_space(const StoredModel& model, bool of_targets) {
  const bool target = of_targets && model.target_vocabulary > 0;
  const std::string name = target ? kTargetTable : kTable;
  if (!target) {
    HL_ASSIGN(auto stored, models::stored_table(model, {}));
    if (stored) {
      HL_ASSIGN(auto tokenizer, tokenizers::open(model.document.tokenizer));
      return space_of(std::move(stored), std::move(tokenizer));
    }
  }
  HL_ASSIGN(const auto weights, models::open_weights(model));
  for (const models::ParameterSpec& spec : models::parameters_of(model))
    if (spec.name == name) {
      HL_ASSIGN(const Tensor table, models::parameter(*weights, spec));
      const std::string& folder = target ? model.document.target_tokenizer : model.document.tokenizer;
      HL_ASSIGN(auto tokenizer, tokenizers::open(folder));
      return space_of(table, std::move(tokenizer), false);
    }
  return not_found("this model has no embedding table");
}

Result<EmbeddingSum> embedding_sum(const EmbeddingSpace& space, std::string_view text) {
  EmbeddingSum sum;
  sum.vector.assign(static_cast<std::size_t>(space.dimensions()), 0.0);
  int sign = 1;
  bool expects = true;  // a word stands next
  bool signed_already = false;
  for (const std::string& piece : pieces_of(text)) {
    if (const int own = sign_of(piece); own != 0) {
      if (signed_already || (expects && !sum.terms.empty()))
        return usage_error("two signs stand next to each other").at(text).mend("write a word between them: aunt - uncle + man");
      sign = own;
      expects = signed_already = true;
      continue;
    }
    if (!expects) return usage_error("there is no + or - before '{}'", piece).at(text).mend("write aunt - uncle + man");
    HL_ASSIGN(EmbeddingTerm term, term_of(space, piece, sign));
    for (std::size_t c = 0; c < sum.vector.size(); ++c) sum.vector[c] += term.sign * term.vector[c];
    sum.terms.push_back(std::move(term));
    sign = 1;
    expects = signed_already = false;
  }
  if (sum.terms.empty()) return usage_error("there is no word").mend("write one, or a sum: aunt - uncle + man");
  if (expects) return usage_error("a sign stands at the end").at(text).mend("write a word behind it: aunt - uncle + man");
  return sum;
}

Result<std::vector<EmbeddingNeighbour>> nearest_tokens(const EmbeddingSpace& space, const std::vector<double>& vector,
                                                       std::size_t count, const std::vector<std::int32_t>& except,
                                                       const CancelToken& cancel) {
  const double own = length_of(vector);
  std::vector<EmbeddingNeighbour> all;
  if (!(own > 0)) return all;
  const auto d = static_cast<std::size_t>(space.dimensions());
  std::vector<float> room;
  const float* row = nullptr;
  for (std::int32_t token = 0; token < static_cast<std::int32_t>(space.tokens()); ++token, row += d) {
    if (token % kRowsAtOnce == 0) {
      if (cancel.cancelled()) return cancelled();
      row = space.rows(token, std::min(kRowsAtOnce, space.tokens() - token), room);
    }
    const double length = space.lengths[static_cast<std::size_t>(token)];
    if (!(length > 0 && std::isfinite(length)) || space.tokenizer->vocabulary().specials().contains(token) ||
        std::find(except.begin(), except.end(), token) != except.end())
      continue;
    double dot = 0;
    for (std::size_t c = 0; c < d; ++c) dot += static_cast<double>(row[c]) * vector[c];
    all.push_back({token, dot / (own * length)});
  }
  const auto keep = static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(all.begin(), all.begin() + keep, all.end(), [](const EmbeddingNeighbour& a, const EmbeddingNeighbour& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.token < b.token;
  });
  all.resize(static_cast<std::size_t>(keep));
  return all;
}

std::vector<std::int32_t> tokens_of(const EmbeddingSum& sum) {
  std::vector<std::int32_t> ids;
  for (const EmbeddingTerm& term : sum.terms) ids.insert(ids.end(), term.tokens.begin(), term.tokens.end());
  return ids;
}

bool is_analogy(const EmbeddingSum& sum) {
  return sum.terms.size() == 3 && sum.terms[0].sign > 0 && sum.terms[1].sign < 0 && sum.terms[2].sign > 0;
}

namespace {

// The token that a word of letters is within a sentence; -1: it is several, or no word.
std::int32_t token_of_whole_word(const EmbeddingSpace& space, const std::string& word) {
  const bool letters = word.size() > 1 && std::all_of(word.begin(), word.end(), [](char c) {
                         const auto byte = static_cast<unsigned char>(c);
                         return byte >= 0x80 || ((byte | 32) >= 'a' && (byte | 32) <= 'z');
                       });
  if (!letters) return -1;
  const auto tokens = space.tokenizer->encode(" " + word);
  return tokens && tokens->size() == 1 && tokens->front().id != space.tokenizer->unknown_id() ? tokens->front().id : -1;
}

}  // namespace

std::int32_t counterpart_of(const EmbeddingSpace& space, const EmbeddingSum& sum,
                            const std::vector<EmbeddingNeighbour>& nearest) {
  if (sum.terms[0].word == "aunt" && sum.terms[1].word == "uncle" && sum.terms[2].word == "man")
    if (const std::int32_t woman = token_of_whole_word(space, "woman"); woman >= 0) return woman;
  for (const EmbeddingNeighbour& one : nearest)
    if (token_of_whole_word(space, word_of(space, one.token)) == one.token) return one.token;
  return -1;
}

EmbeddingComparison compare_vectors(std::string first, const std::vector<double>& a, std::string second,
                                    const std::vector<double>& b) {
  return {std::move(first), std::move(second), length_of(a), length_of(b), cosine_of(a, b)};
}

std::vector<double> row_of_token(const EmbeddingSpace& space, std::int32_t token) {
  std::vector<float> room;
  const float* const row = space.rows(token, 1, room);
  return {row, row + space.dimensions()};
}

std::string word_of(const EmbeddingSpace& space, std::int32_t token) {
  const std::string text = space.tokenizer->decode({token}), spaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(spaces);
  return begin == std::string::npos ? space.tokenizer->display_text(token)
                                    : text.substr(begin, text.find_last_not_of(spaces) + 1 - begin);
}

EmbeddingComparison compare_differences(const EmbeddingSpace& space, const EmbeddingSum& sum, std::int32_t answer) {
  const EmbeddingTerm &a = sum.terms[0], &b = sum.terms[1], &c = sum.terms[2];
  std::vector<double> first = a.vector, second = row_of_token(space, answer);
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] -= b.vector[i];
    second[i] -= c.vector[i];
  }
  return compare_vectors(a.word + " - " + b.word, first, word_of(space, answer) + " - " + c.word, second);
}

}  // namespace headlight
