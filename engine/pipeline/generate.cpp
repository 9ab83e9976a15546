#include "engine/pipeline/generate.h"

#include <algorithm>
#include <cmath>

#include "engine/core/rng.h"
#include "engine/core/sorting.h"
#include "engine/pipeline/continuation.h"

namespace headlight {

bool ends_text(const Document& document, const StoredModel* model, const tokenizers::Tokenizer& tokenizer, std::int32_t token) {
  if (token < 0) return false;
  if (token == tokenizer.special(tokenizers::Role::end)) return true;
  if (!document.chat || !model || !model->chat) return false;
  const std::string& behind = model->chat->after;
  if (behind.find("INST]") != std::string::npos) return false;  // this ends a question alone
  return tokenizer.vocabulary().is_special(token) && behind.starts_with(tokenizer.piece(token));
}

Generated::Step choose_token(const std::vector<double>& scores, const GenerateOptions& options, std::size_t text,
                             std::size_t step) {
  const bool draws = options.temperature > 0;
  const auto listed = static_cast<std::size_t>(options.candidates);
  const bool sort_all = draws && (options.top_p < 1 || options.top_k > 0);
  const std::vector<TokenCandidate> all =
      ranked_tokens(scores, options.temperature, sort_all ? scores.size() : std::max<std::size_t>(listed, 1));
  Generated::Step made;
  for (const double score : scores) {
    made.nan += std::isnan(score);
    made.infinite += std::isinf(score) && score > 0;
  }
  const std::size_t allowed = tokens_allowed(all, options);
  made.token = draws ? drawn_token(all, allowed, Rng(options.seed, "generate").uniform(text, step)) : all.front().token;
  double together = 0, own = 0;
  for (std::size_t i = 0; i < allowed; ++i) {
    together += all[i].probability;
    if (all[i].token == made.token) own = all[i].probability;
  }
  made.chance = own / together;
  made.candidates.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(listed, all.size())));
  const auto is_taken = [&](const TokenCandidate& one) { return one.token == made.token; };
  if (std::none_of(made.candidates.begin(), made.candidates.end(), is_taken))
    made.candidates.push_back(*std::find_if(all.begin(), all.end(), is_taken));
  return made;
}

namespace {

// A text on its way: what was read, and what was added so far.
struct Growing {
  std::size_t index = 0;  // of the text
  TokenIds source;        // of an encoder-decoder
  TokenIds tokens;        // the beginning and what was added
  bool done = false;
};

// The last `length` tokens.
TokenIds window(const TokenIds& tokens, std::int64_t length) {
  const std::size_t keep = std::min(tokens.size(), static_cast<std::size_t>(length));
  return {tokens.end() - static_cast<std::ptrdiff_t>(keep), tokens.end()};
}

Result<Growing> begin(const Predictor& predictor, const std::string& text, std::size_t index, const CancelToken& cancel) {
  Growing out;
  out.index = index;
  const Message where("text {}", index + 1);
  if (predictor.reads_two()) {
    HL_ASSIGN(out.source, predictor.source(text, where, cancel));
    if (out.source.empty()) return usage_error("the text is empty").at(where).mend("give at least one character");
    HL_ASSIGN(const std::int32_t first, predictor.first_output());
    out.tokens = {first};
  } else {
    HL_ASSIGN(out.tokens, predictor.beginning(text, cancel));
    if (out.tokens.empty()) return usage_error("the text is empty").at(where).mend("give at least one character");
  }
  return out;
}

// Texts that grow together. What the model reads whole goes on from the keys and values that are kept; a text that has become
// longer than the model, so that it moves through its window, and every text of a model that cannot be continued, is computed
// anew.
class Group {
 public:
  Group(const Predictor& predictor, std::shared_ptr<const ContinuedModel> continued, const GenerateOptions& options,
        std::vector<Growing> texts)
      : predictor_(predictor), continued_(std::move(continued)), options_(options) {
    (continued_ ? kept_ : whole_) = std::move(texts);
  }
  bool done() const { return kept_.empty() && whole_.empty(); }
  std::size_t left() const { return kept_.size() + whole_.size(); }
  // One more token for each of the texts; those that are done leave the group.
  Status step(std::vector<Generated>& out, const CancelToken& cancel);

 private:
  Status continue_kept(std::vector<Generated>& out, const CancelToken& cancel);
  Status compute_whole(std::span<Growing> texts, std::vector<Generated>& out, const CancelToken& cancel);
  // Whether the text goes on.
  bool take(Growing& text, const std::vector<double>& scores, std::vector<Generated>& out) const;

  const Predictor& predictor_;
  std::shared_ptr<const ContinuedModel> continued_;
  const GenerateOptions& options_;
  std::vector<Growing> kept_, whole_;
  std::unique_ptr<Continuation> continuation_;  // of kept_, once they were read
};

bool Group::take(Growing& text, const std::vector<double>& scores, std::vector<Generated>& out) const {
  Generated& made = out[text.index];
  made.steps.push_back(choose_token(scores, options_, text.index, made.steps.size()));
  const std::int32_t token = made.steps.back().token;
  text.tokens.push_back(token);
  const StoredModel& model = predictor_.model();
  made.ended = ends_text(model.document, &model, predictor_.output_tokenizer(), token);
  text.done = made.ended || static_cast<std::int64_t>(made.steps.size()) >= options_.tokens;
  return !text.done;
}

Status Group::continue_kept(std::vector<Generated>& out, const CancelToken& cancel) {
  std::vector<std::size_t> goes_on;
  std::vector<Growing> left;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const bool fits = static_cast<std::int64_t>(kept_[i].tokens.size()) <= predictor_.model().length;
    if (fits) goes_on.push_back(i);
    (fits ? left : whole_).push_back(std::move(kept_[i]));
  }
  kept_ = std::move(left);
  if (kept_.empty()) return {};
  std::vector<TokenIds> added;
  if (continuation_) {
    continuation_->keep(goes_on);
    for (const Growing& one : kept_) added.push_back({one.tokens.back()});
  } else {
    std::vector<TokenIds> sources;
    for (const Growing& one : kept_) {
      added.push_back(one.tokens);
      if (predictor_.reads_two()) sources.push_back(one.source);
    }
    continuation_ = std::make_unique<Continuation>(continued_, kept_.size(), std::move(sources));
  }
  HL_ASSIGN(const Tensor logits, continuation_->add(added, cancel));
  goes_on.clear();
  left.clear();
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const Tensor row = logits.select(0, static_cast<std::int64_t>(i)).as(DType::f64).compact();
    const auto scores = row.values<double>();
    if (!take(kept_[i], {scores.begin(), scores.end()}, out)) continue;
    goes_on.push_back(i);
    left.push_back(std::move(kept_[i]));
  }
  kept_ = std::move(left);
  continuation_->keep(goes_on);
  return {};
}

Status Group::compute_whole(std::span<Growing> texts, std::vector<Generated>& out, const CancelToken& cancel) {
  std::vector<TokenIds> sources, windows;
  for (const Growing& one : texts) {
    if (predictor_.reads_two()) sources.push_back(one.source);
    windows.push_back(window(one.tokens, predictor_.model().length));
  }
  HL_ASSIGN(const Tensor logits,
            predictor_.reads_two() ? predictor_.logits(sources, windows, cancel) : predictor_.logits(windows, {}, cancel));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto last = static_cast<std::int64_t>(windows[i].size()) - 1;
    take(texts[i], scores_at(logits, static_cast<std::int64_t>(i), last), out);
  }
  return {};
}

Status Group::step(std::vector<Generated>& out, const CancelToken& cancel) {
  if (!kept_.empty()) HL_TRY(continue_kept(out, cancel));
  const auto batch = static_cast<std::size_t>(predictor_.good_batch(predictor_.model().length));
  for (std::size_t first = 0; first < whole_.size(); first += batch)
    HL_TRY(compute_whole(std::span(whole_).subspan(first, std::min(batch, whole_.size() - first)), out, cancel));
  std::erase_if(whole_, [](const Growing& one) { return one.done; });
  return {};
}

// Null: the model cannot be continued row by row.
std::shared_ptr<const ContinuedModel> continued_of(const Predictor& predictor) {
  auto model = predictor.continued();
  return Continuation::possible(*model) ? model : nullptr;
}

// How many texts are computed together: what is kept of them takes at most a gigabyte.
std::size_t texts_together(const Predictor& predictor, const ContinuedModel* continued, const GenerateOptions& options) {
  if (!continued)
    return static_cast<std::size_t>(predictor.good_batch(std::min(predictor.model().length, options.tokens + std::int64_t{64})));
  constexpr std::uint64_t kKept = std::uint64_t{1} << 30;
  const std::uint64_t each = std::max<std::uint64_t>(1, Continuation::bytes_of_text(*continued));
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(kKept / each, 1, 32));
}

}  // namespace

Result<std::vector<Generated>> generate(const Predictor& predictor, const std::vector<std::string>& texts,
                                        const GenerateOptions& options, const CancelToken& cancel,
                                        const std::function<void(std::int64_t, std::int64_t)>& progress) {
  HL_TRY(check_predicts(predictor.model()));
  if (predictor.model().task == ModelTask::encoder)
    return usage_error("the model '{}' fills in [MASK], and continues no text", predictor.model().name)
        .at("--model")
        .mend("choose a decoder or an encoder-decoder");
  std::vector<Growing> all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    HL_ASSIGN(Growing one, begin(predictor, texts[i], i, cancel));
    all.push_back(std::move(one));
  }
  std::vector<Generated> out(texts.size());
  const auto total = static_cast<std::int64_t>(texts.size());
  std::int64_t done = 0;
  // Texts of about one length are computed together.
  sort_stably(all, [](const Growing& a, const Growing& b) {
    return std::pair(a.source.size(), a.tokens.size()) < std::pair(b.source.size(), b.tokens.size());
  });
  const std::shared_ptr<const ContinuedModel> continued = continued_of(predictor);
  const std::size_t together = texts_together(predictor, continued.get(), options);
  for (std::size_t first = 0; first < all.size();) {
    const auto count = std::min(all.size() - first, together);
    Group group(predictor, continued, options,
                {std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(first)),
                 std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(first + count))});
    while (!group.done() && options.tokens > 0) {
      if (progress) progress(done + static_cast<std::int64_t>(count - group.left()), total);
      HL_TRY(group.step(out, cancel));
    }
    first += count;
    done += static_cast<std::int64_t>(count);
  }
  for (Generated& one : out) {
    TokenIds ids;
    for (const Generated::Step& made : one.steps) ids.push_back(made.token);
    one.output = predictor.output_tokenizer().decode(ids);
  }
  return out;
}

}  // namespace headlight
