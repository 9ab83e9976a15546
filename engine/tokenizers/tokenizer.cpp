#include "engine/tokenizers/tokenizer.h"

#include <algorithm>
#include <array>
#include <map>

#include "engine/text/parts.h"
#include "engine/tokenizers/decoders/by_piece.h"
#include "engine/tokenizers/stretches.h"

namespace headlight::tokenizers {
namespace {

constexpr std::string_view kBefore = "x";  // a piece that every decoder keeps
constexpr std::size_t kManyIds = 256;      // from here on a list of ids is decoded by the pieces' texts
constexpr std::size_t kLongestBeginning = 64;

// An error of a stage with the place of the whole tokenizer.
Error at(const std::string& where, Error error) {
  error.kind = ErrorKind::invalid;
  if (error.where.empty())
    error.where = where;
  else if (!(error.where == where))
    error.where = Message("{} {}", where, error.where);
  return error;
}

// The pieces of the words that one call has seen: words repeat, and each is encoded once.
class Seen {
 public:
  // [first, second) of all().
  using Range = std::pair<std::size_t, std::size_t>;

  const std::vector<Piece>& all() const { return pieces_; }
  Result<Range> pieces_of(std::string_view word, const Model& model, const CancelToken& cancel) {
    Range* const byte = word.size() == 1 ? &of_bytes_[static_cast<unsigned char>(word[0])] : nullptr;
    if (byte && byte->second > 0) return *byte;
    if (!byte)
      if (const auto it = ranges_.find(word); it != ranges_.end()) return it->second;
    HL_TRY(model.encode(word, made_, cancel));
    const Range range{pieces_.size(), pieces_.size() + made_.size()};
    pieces_.insert(pieces_.end(), made_.begin(), made_.end());
    if (byte) {
      *byte = range;
    } else {
      ranges_.emplace(word, range);
    }
    return range;
  }

 private:
  StringMap<Range> ranges_;
  std::array<Range, 256> of_bytes_{};  // of the words of one byte
  std::vector<Piece> pieces_, made_;
};

}  // namespace

Result<std::shared_ptr<const Tokenizer>> Tokenizer::make(const TokenizerPlan& plan, const std::string& where) {
  const std::shared_ptr<Tokenizer> made(new Tokenizer);
  auto normalizers = text::make_normalizers(plan.normalizers);
  if (!normalizers) return at(where, normalizers.error());
  made->normalizers_ = std::move(normalizers).value();
  auto splitters = text::make_splitters(plan.splitters);
  if (!splitters) return at(where, splitters.error());
  made->splitters_ = std::move(splitters).value();
  auto model = make_stage<Model>(model_registry(), plan.model, ModelData{plan.vocabulary, plan.merges, where, plan.scores});
  if (!model) return at(where, model.error());
  made->model_ = std::move(model).value();
  auto post_processor = make_stage<PostProcessor>(post_processor_registry(), plan.post_processor, plan.vocabulary);
  if (!post_processor) return at(where, post_processor.error());
  made->post_processor_ = std::move(post_processor).value();
  auto decoders = make_decoders(plan.decoders);
  if (!decoders) return at(where, decoders.error());
  made->decoders_ = std::move(decoders).value();
  made->added_ = AddedTokens(plan.added, made->normalizers_);
  made->notes_ = plan.notes;
  const auto may_cut = [](const auto& stage) { return stage->may_cut(); };
  made->may_cut_ = std::all_of(made->normalizers_.begin(), made->normalizers_.end(), may_cut) &&
                   std::all_of(made->splitters_.begin(), made->splitters_.end(), may_cut) && made->model_->may_cut() &&
                   made->added_.may_cut() && !made->splitters_.empty();  // without a splitter the whole text is one word
  made->caches_ = make_caches();
  made->decoding_ = std::make_shared<Decoding>();
  made->stretches_ = std::make_shared<const Stretches>(
      stretches_of(made->normalizers_, made->splitters_, *made->model_.made, made->added_.any(true)));
  if (made->added_.any_special()) {
    const std::shared_ptr<Tokenizer> plain(new Tokenizer(*made));
    plain->plain_ = true;
    made->plain_twin_ = plain;
  }
  return std::shared_ptr<const Tokenizer>(made);
}

TokenizerPlan Tokenizer::plan() const {
  TokenizerPlan plan;
  for (const auto& stage : normalizers_) plan.normalizers.push_back(stage.choice);
  for (const auto& stage : splitters_) plan.splitters.push_back(stage.choice);
  plan.model = model_.choice;
  plan.post_processor = post_processor_.choice;
  for (const auto& stage : decoders_) plan.decoders.push_back(stage.choice);
  plan.vocabulary = vocabulary();
  plan.merges = model_->merges();
  plan.scores = model_->scores();
  plan.added = added_.all();
  plan.notes = notes_;
  return plan;
}

std::string Tokenizer::label() const {
  std::string digits = std::to_string(vocabulary_size());
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), ",");
  return model_registry().find(kind())->label + " " + digits;
}

std::string Tokenizer::display_text(std::int32_t id) const {
  if (added_.find(id)) return text::display_text(piece(id));
  return vocabulary().is_special(id) ? piece(id) : display(piece(id), decoders_);
}

// Encodes one text, a part at a time; the words of earlier parts are remembered.
class Tokenizer::Encoder {
 public:
  Encoder(const Tokenizer& tokenizer, std::string_view input, const CancelToken& cancel)
      : tokenizer_(tokenizer), input_(input), cancel_(cancel) {
    if (tokenizer.added_.any(false))
      pieces_ = tokenizer.added_.pieces(input, false, tokenizer.plain_);
    else if (!input.empty())
      pieces_ = {{-1, 0, static_cast<std::int64_t>(input.size())}};
    if (!pieces_.empty()) begin_ = pieces_.front().start;
  }

  bool at_end() const { return piece_ >= pieces_.size(); }

  // Adds the next part's tokens, and the added tokens before and behind it. Error: cancelled.
  Status add_part(std::vector<Token>& tokens) {
    if (cancel_.cancelled()) return cancelled();
    while (!at_end() && pieces_[piece_].id >= 0) {
      const text::Span at{pieces_[piece_].start, pieces_[piece_].end};
      const std::string_view read =
          input_.substr(static_cast<std::size_t>(at.start), static_cast<std::size_t>(at.end - at.start));
      add(pieces_[piece_].id, tokenizer_.piece(pieces_[piece_].id), at, read, tokens).added = true;
      next_piece();
    }
    if (at_end()) return {};
    const std::int64_t last = pieces_[piece_].end;
    const std::int64_t end =
        tokenizer_.may_cut_ ? text::part_end(input_.substr(0, static_cast<std::size_t>(last)), begin_) : last;
    const std::string_view part = input_.substr(static_cast<std::size_t>(begin_), static_cast<std::size_t>(end - begin_));
    text::Normalized normalized = text::normalize(part, tokenizer_.normalizers_);
    if (tokenizer_.added_.any(true)) {
      for (const AddedTokens::Piece& one : tokenizer_.added_.pieces(normalized.text(), true, tokenizer_.plain_)) {
        if (one.id < 0) {
          HL_TRY(add_words(normalized.slice(one.start, one.end), tokens));
        } else if (one.end > one.start) {
          const text::Span source = normalized.source(one.start, one.end);
          const std::string_view read =
              std::string_view(normalized.text())
                  .substr(static_cast<std::size_t>(one.start), static_cast<std::size_t>(one.end - one.start));
          add(one.id, tokenizer_.piece(one.id), {begin_ + source.start, begin_ + source.end}, read, tokens).added = true;
        }
      }
    } else {
      HL_TRY(add_words(std::move(normalized), tokens));
    }
    begin_ = end;
    if (begin_ >= last) next_piece();
    return {};
  }

 private:
  void next_piece() {
    ++piece_;
    if (!at_end()) begin_ = pieces_[piece_].start;
  }
  // `read`: as for PostProcessor::place().
  Token& add(std::int32_t id, const std::string& piece, text::Span at, std::string_view read, std::vector<Token>& tokens) {
    Token& token = tokens.emplace_back(Token{id, piece, at.start, at.end});
    tokenizer_.post_processor_->place(token, read, !begun_, input_);
    begun_ = true;
    return token;
  }
  // The words of the part, or of a stretch of it.
  Status add_words(text::Normalized normalized, std::vector<Token>& tokens) {
    const text::Split split = text::split(std::move(normalized), tokenizer_.splitters_, begin_ == 0);
    const std::string_view words = split.text.text();
    if (const std::size_t least = tokens.size() + split.words.size(); least > tokens.capacity())
      tokens.reserve(std::max(least, 2 * tokens.capacity()));
    std::int64_t round = 0;
    for (const text::Span& span : split.words) {
      if (++round % 4096 == 0 && cancel_.cancelled()) return cancelled();
      const std::string_view word =
          words.substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start));
      HL_ASSIGN(const Seen::Range range, seen_.pieces_of(word, *tokenizer_.model_.made, cancel_));
      std::int64_t from = span.start;
      for (std::size_t i = range.first; i < range.second; ++i) {
        const Piece& piece = seen_.all()[i];
        if (piece.start >= 0) from = span.start + piece.start;
        const text::Span source = split.text.source(from, span.start + piece.end);
        const std::string& name = tokenizer_.vocabulary().piece(piece.id);
        add(piece.id, name, {begin_ + source.start, begin_ + source.end}, name, tokens);
        from = span.start + piece.end;
      }
    }
    return {};
  }

  const Tokenizer& tokenizer_;
  std::string_view input_;
  const CancelToken& cancel_;
  std::vector<AddedTokens::Piece> pieces_;  // of the input
  std::size_t piece_ = 0;                   // the one in work
  std::int64_t begin_ = 0;                  // of the part in work
  bool begun_ = false;                      // a token was made
  Seen seen_;
};

Result<std::vector<Token>> Tokenizer::encode(std::string_view input, const CancelToken& cancel) const {
  std::vector<Token> tokens;
  tokens.reserve(input.size() / 3 + 8);
  for (Encoder encoder(*this, input, cancel); !encoder.at_end();) HL_TRY(encoder.add_part(tokens));
  return tokens;
}

Status Tokenizer::encode_parts(std::string_view input, const std::function<Status(const std::vector<Token>&)>& take,
                               const CancelToken& cancel) const {
  std::vector<Token> tokens;
  for (Encoder encoder(*this, input, cancel); !encoder.at_end();) {
    tokens.clear();
    HL_TRY(encoder.add_part(tokens));
    HL_TRY(take(tokens));
  }
  return {};
}

Result<Encoding> Tokenizer::encode_single(std::string_view text, const CancelToken& cancel) const {
  HL_ASSIGN(const std::vector<Token> tokens, encode(text, cancel));
  return post_processor_->process(tokens, nullptr);
}

Result<Encoding> Tokenizer::encode_pair(std::string_view a, std::string_view b, const CancelToken& cancel) const {
  HL_ASSIGN(const std::vector<Token> first, encode(a, cancel));
  HL_ASSIGN(const std::vector<Token> second, encode(b, cancel));
  return post_processor_->process(first, &second);
}

// Whether decoding leaves a token out.
bool Tokenizer::left_out(std::int32_t id) const {
  if (id < 0 || id >= vocabulary_size() || piece(id).empty()) return true;
  if (!vocabulary().is_published()) return vocabulary().is_special(id) && id != unknown_id();
  const AddedTokens::Decoded* const added = added_.decoded(id);
  if (!added && decoders_.front().choice.id == "sentence")  // SentencePiece writes no control pieces
    return vocabulary().is_special(id) && id != special(Role::unknown);
  return added && added->left_out;
}

// The text of every piece behind others; none where it depends on them.
const std::vector<std::string>& Tokenizer::texts_of_pieces() const {
  std::call_once(decoding_->once, [&] {
    if (!are_by_piece(decoders_)) return;
    const std::string before = tokenizers::decode({kBefore}, decoders_);
    std::vector<std::string> texts(static_cast<std::size_t>(vocabulary_size()));
    for (std::int32_t id = 0; id < vocabulary_size(); ++id) {
      if (left_out(id)) continue;
      const AddedTokens::Decoded* const added = added_.decoded(id);
      const std::string both =
          tokenizers::decode({kBefore, added ? std::string_view(added->text) : std::string_view(piece(id))}, decoders_);
      if (before.empty() || !both.starts_with(before)) return;
      texts[static_cast<std::size_t>(id)] = both.substr(before.size());
    }
    decoding_->texts = std::move(texts);
  });
  return decoding_->texts;
}

std::string Tokenizer::decode(const std::vector<std::int32_t>& ids, bool special) const {
  // The beginning of a text may be another than its pieces are elsewhere: the decoders themselves write it. Of a long list the
  // rest is then put together from the pieces' texts.
  const std::vector<std::string>* const texts =
      !special && ids.size() >= kManyIds && !texts_of_pieces().empty() ? &texts_of_pieces() : nullptr;
  std::vector<std::string_view> pieces;
  if (!texts) pieces.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int32_t id = ids[i];
    if (id < 0 || id >= vocabulary_size() || piece(id).empty() || (!special && left_out(id))) continue;
    const AddedTokens::Decoded* const added = added_.decoded(id);
    pieces.push_back(added ? std::string_view(added->text) : piece(id));
    if (!texts || pieces.size() > kLongestBeginning) continue;
    std::string text = tokenizers::decode(pieces, decoders_);
    if (text.empty()) continue;
    text.reserve(4 * ids.size());
    for (++i; i < ids.size(); ++i)
      if (ids[i] >= 0 && ids[i] < vocabulary_size()) text += (*texts)[static_cast<std::size_t>(ids[i])];
    return text;
  }
  return tokenizers::decode(pieces, decoders_);
}

Measured measure(const Tokenizer& tokenizer, std::string_view text, const std::vector<Token>& tokens) {
  Measured measured;
  measured.tokens = static_cast<std::int64_t>(tokens.size());
  measured.bytes = static_cast<std::int64_t>(text.size());
  if (!tokens.empty()) measured.bytes_per_token = static_cast<double>(measured.bytes) / static_cast<double>(measured.tokens);
  std::map<std::string_view, bool> named;
  for (const Token& token : tokens) {
    if (token.start == token.end || token.added) continue;
    if (token.id == tokenizer.unknown_id()) {
      ++measured.unknown;
      const auto word = text.substr(static_cast<std::size_t>(token.start), static_cast<std::size_t>(token.end - token.start));
      if (named.emplace(word, true).second) measured.unknown_words.emplace_back(word);
    }
    // A continuation byte at an end means that a character was cut there (or that the text is no UTF-8).
    const auto inside = [&](std::int64_t at) {
      return at < measured.bytes && (static_cast<unsigned char>(text[static_cast<std::size_t>(at)]) & 0xC0u) == 0x80;
    };
    if (inside(token.start) || inside(token.end)) ++measured.partial;
  }
  return measured;
}

}  // namespace headlight::tokenizers
