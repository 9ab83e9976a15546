// run: tokens, then the model's plan, step by step on a backend.
#include "engine/pipeline/run.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "engine/core/byte_words.h"
#include "engine/document/array_source.h"
#include "engine/document/model_architecture.h"
#include "engine/document/stored_model.h"
#include "engine/models/composed_plan.h"
#include "engine/models/given_weights.h"
#include "engine/models/plan.h"
#include "engine/models/stored_models.h"
#include "engine/pipeline/array_trace.h"
#include "engine/pipeline/executor.h"
#include "engine/pipeline/model_trace.h"
#include "engine/pipeline/other_patterns.h"
#include "engine/pipeline/patched_run.h"
#include "engine/pipeline/step_cache.h"
#include "engine/tokenizers/mask_words.h"

namespace headlight {
namespace {

using Source = models::Node::Source;

// The texts as tokens and padded ids.
struct Words : BatchIds {
  std::vector<Sentence> sentences;
  std::vector<std::vector<std::int32_t>> types;  // of each token of a pair of sentences
};

struct Prepared {
  std::shared_ptr<const StoredModel> stored;  // null: the sandbox
  std::shared_ptr<const architectures::Architecture> architecture;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
      target_tokenizer;  // of the texts and of the targets; mostly the same one
  Words texts, targets;
  models::Sizes sizes;
  std::shared_ptr<const models::Weights> weights;
};

// What a tokenizer says of itself; padding is [PAD] of the vocabulary or, where the document wants it, an index behind it.
models::Sizes::Tokens tokens_of(const Document& document, const tokenizers::Tokenizer& tokenizer) {
  models::Sizes::Tokens tokens = models::tokens_of(tokenizer);
  if (document.padding == "row") tokens.pad_id = tokens.vocabulary;
  return tokens;
}

// How a text becomes tokens, besides what the tokenizer says.
struct Reading {
  bool masks = false;                                 // "[MASK]" is the mask
  bool published = false;                             // the tokenizer adds its special tokens
  const tokenizers::ChatFrame* chat = nullptr;        // what stands around the text
  const std::vector<std::string>* seconds = nullptr;  // the second sentences of pairs
};

Result<std::vector<tokenizers::Token>> tokens_of(const std::string& text, const Reading& reading,
                                                 const tokenizers::Tokenizer& tokenizer, const CancelToken& cancel) {
  if (reading.chat) return tokenizers::encode_in_frame(tokenizer, *reading.chat, text, cancel);
  if (reading.published) {  // it knows where its own mask stands
    HL_ASSIGN(tokenizers::Encoding encoding, tokenizer.encode_single(text, cancel));
    return std::move(encoding.tokens);
  }
  return reading.masks ? tokenizers::encode_with_masks(tokenizer, text, cancel) : tokenizer.encode(text, cancel);
}

std::vector<std::string> labels_of(const std::vector<tokenizers::Token>& tokens, const tokenizers::Tokenizer& tokenizer) {
  std::vector<std::string> labels;
  labels.reserve(tokens.size());
  for (const tokenizers::Token& token : tokens) labels.push_back(tokenizer.display_text(token.id));
  return labels;
}

Result<Sentence> read_sentence(const std::string& text, const SentenceEnds& ends, const Reading& reading,
                               const tokenizers::Tokenizer& tokenizer, const CancelToken& cancel) {
  Sentence s;
  s.text = text;
  HL_ASSIGN(s.tokens, tokens_of(text, reading, tokenizer, cancel));
  const auto special = [&](tokenizers::Role role, std::int64_t at) {
    const std::int32_t id = tokenizer.special(role);
    return tokenizers::Token{id, tokenizer.piece(id), at, at};
  };
  if (ends.begin) s.tokens.insert(s.tokens.begin(), special(tokenizers::Role::begin, 0));
  if (ends.end) s.tokens.push_back(special(tokenizers::Role::end, static_cast<std::int64_t>(text.size())));
  s.labels = labels_of(s.tokens, tokenizer);
  return s;
}

// Two sentences as one text, with the special tokens and the types that the tokenizer's post-processor gives a pair.
Result<Sentence> read_pair(const std::string& first, const std::string& second, const tokenizers::Tokenizer& tokenizer,
                           std::vector<std::int32_t>& types, const CancelToken& cancel) {
  HL_ASSIGN(tokenizers::Encoding pair, tokenizer.encode_pair(first, second, cancel));
  Sentence s;
  s.text = first + " " + second;
  const auto behind = static_cast<std::int64_t>(first.size()) + 1;
  for (std::size_t i = 0; i < pair.tokens.size(); ++i) {
    if (pair.sentences[i] != 1) continue;
    pair.tokens[i].start += behind;
    pair.tokens[i].end += behind;
  }
  s.tokens = std::move(pair.tokens);
  s.labels = labels_of(s.tokens, tokenizer);
  types = std::move(pair.types);
  return s;
}

Result<Words> read_words(const std::vector<std::string>& texts, const char* option, const SentenceEnds& ends,
                         const Reading& reading, const tokenizers::Tokenizer& tokenizer, std::int64_t pad_id,
                         const CancelToken& cancel) {
  Words words;
  std::vector<std::vector<std::int32_t>> ids;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    HL_ASSIGN(Sentence s, reading.seconds
                              ? read_pair(texts[i], (*reading.seconds)[i], tokenizer, words.types.emplace_back(), cancel)
                              : read_sentence(texts[i], ends, reading, tokenizer, cancel));
    std::vector<std::int32_t>& of_sentence = ids.emplace_back();
    for (const tokenizers::Token& token : s.tokens) of_sentence.push_back(token.id);
    words.sentences.push_back(std::move(s));
  }
  static_cast<BatchIds&>(words) = batch_ids(ids, static_cast<std::int32_t>(pad_id));
  if (words.longest == 0)
    return usage_error(texts.size() == 1 ? Message("the sentence is empty") : Message("all sentences are empty"))
        .at(Message::name(option))
        .mend("type at least one character");
  return words;
}

// With the special tokens that stand around a sentence.
Result<std::shared_ptr<const tokenizers::Tokenizer>> open_tokenizer_of(const Document& document, const StoredModel* stored,
                                                                       bool of_targets) {
  HL_ASSIGN(auto tokenizer, open_tokenizer(document, of_targets));
  const SentenceEnds ends = ends_of(document, stored, of_targets);
  if ((ends.begin && tokenizer->special(tokenizers::Role::begin) < 0) ||
      (ends.end && tokenizer->special(tokenizers::Role::end) < 0))
    return usage_error("this tokenizer has no [BOS] and [EOS]")
        .at(of_targets && !document.target_tokenizer.empty() ? document.target_tokenizer : document.tokenizer)
        .mend("switch add_begin and add_end off");
  return tokenizer;
}

// The types of a pair's tokens, where the plan looks them up.
Status take_types(Prepared& p) {
  const std::int64_t rows = p.architecture->token_types;
  if (rows == 0) return {};
  for (const std::vector<std::int32_t>& types : p.texts.types)
    for (const std::int32_t type : types)
      if (type < 0 || type >= rows)
        return invalid("its tokenizer gives a token the type {}, and its table of token types has {} rows", type, rows)
            .at(p.stored->folder.string())
            .mend("put the tokenizer that it was trained with into the folder");
  p.sizes.pairs = true;
  static_cast<BatchIds&>(p.targets) = batch_ids(p.texts.types, 0);
  return {};
}

Result<Prepared> prepare(const Document& document, const CancelToken& cancel) {
  auto stored = stored_model_of(document);
  HL_TRY(validate(document, stored.ok() ? stored->get() : nullptr));  // it says better what is wrong with a name
  Prepared p;
  HL_ASSIGN(p.stored, std::move(stored));
  p.architecture =
      p.stored ? architecture_of(*p.stored) : std::make_shared<const architectures::Architecture>(architecture_of(document));
  HL_ASSIGN(p.tokenizer, open_tokenizer_of(document, p.stored.get(), false));
  p.target_tokenizer = p.tokenizer;
  const bool pairs = p.stored && reads_pairs(*p.stored) && !document.targets.empty();
  const bool two = !pairs && !document.targets.empty();
  if (two) {
    HL_ASSIGN(p.target_tokenizer, open_tokenizer_of(document, p.stored.get(), true));
  }
  std::shared_ptr<const models::Weights> own = models::seeded_weights(document.seed);
  if (p.stored) {
    HL_ASSIGN(own, models::open_weights(*p.stored));
  }
  HL_ASSIGN(p.weights, models::with_given(std::move(own), document.matrices, *p.tokenizer, *p.target_tokenizer));
  p.sizes.text_tokens = tokens_of(document, *p.tokenizer);
  p.sizes.target_tokens = tokens_of(document, *p.target_tokenizer);
  p.sizes.target_table = p.target_tokenizer != p.tokenizer;
  p.sizes.output = {document.logits, false, document.logits};
  Reading reading{fills_in(p.stored.get()) && !document.plain, false, nullptr};
  if (p.stored) {
    models::take_tables(p.sizes, *p.stored);
    reading.published = is_published(*p.stored);
    if (document.chat && p.stored->chat) reading.chat = &*p.stored->chat;
  }
  if (pairs) reading.seconds = &document.targets;
  HL_ASSIGN(p.texts, read_words(document.texts, "--text", ends_of(document, p.stored.get(), false), reading, *p.tokenizer,
                                p.sizes.text_tokens.pad_id, cancel));
  if (pairs) HL_TRY(take_types(p));
  if (two) {
    HL_ASSIGN(p.targets, read_words(document.targets, "--target", ends_of(document, p.stored.get(), true), {},
                                    *p.target_tokenizer, p.sizes.target_tokens.pad_id, cancel));
  }
  p.sizes.batch = static_cast<std::int64_t>(document.texts.size());
  p.sizes.text_length = p.texts.longest;
  p.sizes.text_lengths = p.texts.lengths;
  if (two) {
    p.sizes.target_length = p.targets.longest;
    p.sizes.target_lengths = p.targets.lengths;
  }
  return p;
}

// The shares of all tokens follow from their scores, and the scores from the last vectors, as masked scores follow from queries
// and keys. They are as many numbers as anything else in a trace of a large vocabulary, and are computed when somebody looks. The
// scores of a small vocabulary are kept.
void leave_predictions(models::ModelPlan& plan) {
  constexpr std::int64_t kManyScores = std::int64_t{1} << 19;
  std::vector<char> read(plan.nodes.size(), 0);  // by a node that is computed
  for (std::size_t i = plan.nodes.size(); i-- > 0;) {
    models::Node& node = plan.nodes[i];
    const bool follows =
        node.step.role == Role::probabilities || (node.step.role == Role::logits && element_count(node.step.shape) > kManyScores);
    if (follows && !read[i] && node.inputs.size() == 1) node.step.kept = false;
    if (node.source == Source::operations && !node.step.kept) continue;
    for (const int input : node.inputs) read[static_cast<std::size_t>(input)] = 1;
  }
}

// The model's plan, with the matrices that the document gives.
Result<models::ModelPlan> make_plan(const Document& document, const Prepared& p, DType real, std::uint64_t kept_weights) {
  models::ModelPlan plan = models::plan_of(*p.architecture, document, p.sizes, real);
  HL_TRY(models::check_positions(plan));
  models::keep_weights(plan, real, kept_weights);
  leave_predictions(plan);
  models::fix_weights(plan);
  if (document.matrices.empty() && p.weights->origin() == Origin::random) return plan;
  HL_TRY(models::check_given(plan, document.matrices));
  const auto ids = [](const Words& words) {
    return std::span<const std::int32_t>(words.ids.empty() ? nullptr : words.ids.data<std::int32_t>(),
                                         static_cast<std::size_t>(words.ids.empty() ? 0 : words.ids.count()));
  };
  models::mark_origins(plan, *p.weights, ids(p.texts), ids(p.targets));
  return plan;
}

double bytes_of(const Shape& shape, DType type) {  // in double: absurd sizes must not overflow
  double n = static_cast<double>(size_of(type));
  for (const std::int64_t size : shape) n *= static_cast<double>(size);
  return n;
}

double count_bytes(const models::ModelPlan& plan, DType real) {
  double sum = models::mask_bytes(plan);
  for (std::size_t i = 0; i < plan.sites.size(); ++i)
    if (const models::SitePlan& s = plan.sites[i];
        s.bias >= 0 && models::bias_of(plan, i) == i && !plan.nodes[static_cast<std::size_t>(s.bias)].step.kept)
      sum += bytes_of(plan.nodes[static_cast<std::size_t>(s.bias)].step.shape, real);
  for (const models::Node& node : plan.nodes)
    if (node.step.kept && node.source != Source::view) sum += bytes_of(node.step.shape, node.step.dtype);
  for (const models::ParameterSpec& parameter : plan.parameters)
    if (!parameter.by_rows) sum += bytes_of(parameter.shape, real);
  return sum;
}

Status within_budget(double bytes, const Document& document, const models::Sizes& sizes, std::uint64_t budget) {
  if (bytes <= static_cast<double>(budget)) return {};
  const std::int64_t tokens = std::max(sizes.text_length, sizes.target_length);
  const auto layers = document.layers, d_model = document.d_model;
  const bool several = sizes.batch > 1;
  const Message fewer = several ? Message("use fewer tokens (now {} in {} sentences)", tokens, sizes.batch)
                                : Message("use fewer tokens (now {})", tokens);
  const Message smaller =
      several ? Message("use fewer tokens (now {} in {} sentences), fewer layers ({}) or a smaller d_model ({})", tokens,
                        sizes.batch, layers, d_model)
              : Message("use fewer tokens (now {}), fewer layers ({}) or a smaller d_model ({})", tokens, layers, d_model);
  // A trained model has the sizes that it has.
  return failure(ErrorKind::too_large, "this trace would take {} and the budget is {}", byte_words(bytes),
                 byte_words(static_cast<double>(budget)))
      .mend(document.model == "sandbox" ? smaller : fewer);
}

// What is patched is computed in the run, for the steps behind it.
Status keep_patched(models::ModelPlan& plan, std::span<const StepPatch> patches) {
  for (const StepPatch& one : patches) {
    const auto node =
        std::find_if(plan.nodes.begin(), plan.nodes.end(), [&](const models::Node& n) { return n.step.name == one.step; });
    if (node == plan.nodes.end()) return not_found("there is no such step").at(one.step);
    node->step.kept = true;
  }
  return {};
}

// Computes all steps; the values by node. It is a function of its own so that a failed or cancelled run's arrays are released
// when it returns, before the caller lets the backend drop unused memory.
Result<Executor::Values> compute(const Document& document, const Prepared& words, models::ModelPlan& plan,
                                 backends::Backend& backend, const CancelToken& cancel, StepCache::State* cache,
                                 std::span<const StepPatch> patches) {
  Executor executor(document, words.texts, words.targets, *words.weights, plan, backend, cancel, cache, patches);
  HL_TRY(executor.compute());
  return executor.download();
}

}  // namespace

namespace {

// Of attention that the document's arrays give: nothing of them is kept.
Result<Outline> outline_of_arrays(const Document& document) {
  HL_ASSIGN(const auto trace, read_arrays(document, {}, {}));
  Outline out;
  out.bytes = trace->bytes();
  for (const Step& step : trace->steps()) {
    out.largest_step = std::max(out.largest_step, static_cast<std::uint64_t>(bytes_of(step.shape, step.dtype)));
    out.steps.push_back(step);
  }
  return out;
}

}  // namespace

Result<Outline> outline(const Document& document) {
  if (is_of_arrays(document)) return outline_of_arrays(document);
  HL_ASSIGN(const Prepared p, prepare(document, {}));
  const DType real = document.backend == "reference" ? DType::f64 : DType::f32;
  HL_ASSIGN(models::ModelPlan plan, make_plan(document, p, real, RunOptions{}.kept_weights));
  constexpr double kMost = 9e18;  // what the counters hold
  Outline out;
  out.bytes = static_cast<std::uint64_t>(std::min(count_bytes(plan, real), kMost));
  double largest = 0;
  for (models::Node& node : plan.nodes) {
    largest = std::max(largest, bytes_of(node.step.shape, node.step.dtype));
    out.steps.push_back(std::move(node.step));
  }
  out.largest_step = static_cast<std::uint64_t>(std::min(largest, kMost));
  out.parameters = models::named(plan.parameters, *p.weights);
  for (const auto& [lengths, longest] : {std::pair(p.texts.lengths, p.texts.longest), {p.targets.lengths, p.targets.longest}})
    for (const std::int64_t length : lengths) out.uneven = out.uneven || length != longest;
  return out;
}

Result<std::uint64_t> bytes_needed(const Document& document) {
  HL_ASSIGN(const Outline out, outline(document));
  return out.bytes;
}

Result<std::shared_ptr<const Trace>> run(const Document& document, backends::Backend& backend, const CancelToken& cancel,
                                         const RunOptions& options) {
  return run_patched(document, backend, {}, cancel, options);
}

Result<std::shared_ptr<const Trace>> run_patched(const Document& document, backends::Backend& backend,
                                                 std::span<const StepPatch> patches, const CancelToken& cancel,
                                                 const RunOptions& options) {
  if (is_of_arrays(document)) return read_arrays(document, cancel, options);
  const auto start = std::chrono::steady_clock::now();
  try {
    HL_ASSIGN(Prepared p, prepare(document, cancel));
    HL_ASSIGN(models::ModelPlan plan, make_plan(document, p, backend.dtype(), options.kept_weights));
    HL_TRY(within_budget(count_bytes(plan, backend.dtype()), document, p.sizes, options.budget_bytes));
    HL_TRY(models::add_masks(plan, document, p.sizes));
    HL_TRY(take_patterns(plan, document, backend, cancel, options));
    HL_TRY(keep_patched(plan, patches));
    auto kept = compute(document, p, plan, backend, cancel, options.cache ? &options.cache->state() : nullptr, patches);
    if (!kept) {
      backend.drop_unused();
      return kept.error();
    }
    auto trace = std::make_shared<ModelTrace>(document, std::move(p.stored), p.weights, std::move(plan), std::move(kept).value(),
                                              std::move(p.texts.sentences), std::move(p.targets.sentences), p.tokenizer,
                                              p.target_tokenizer, backend, options.budget_bytes);
    trace->set_remark(options.remark);
    trace->set_seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return std::shared_ptr<const Trace>(std::move(trace));
  } catch (const std::bad_alloc&) {
    backend.drop_unused();
    return failure(ErrorKind::too_large, "there is not enough memory for this trace")
        .mend("use fewer tokens, fewer layers or a smaller d_model");
  }
}

}  // namespace headlight
