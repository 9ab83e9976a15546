// run: tokens, then the model's plan, step by step on a backend.
#include "engine/pipeline/run.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "engine/attention/positions/position.h"
#include "engine/core/byte_words.h"
#include "engine/models/families/families.h"
#include "engine/models/given_weights.h"
#include "engine/models/plan.h"
#include "engine/pipeline/model_trace.h"
#include "engine/pipeline/step_cache.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {
namespace {

using backends::Buffer;
using Source = models::Node::Source;

// Bytes of all attention weights up to which a trace keeps them; beyond, they are computed again, tile by tile, when someone
// reads them. At 48 heads, texts of up to about 580 tokens keep theirs.
constexpr std::uint64_t kKeptWeights = std::uint64_t{64} << 20;

// The texts as tokens and padded ids.
struct Words {
  std::vector<Sentence> sentences;
  std::vector<std::int64_t> lengths;
  std::int64_t longest = 0;
  Tensor ids;  // i32 [batch, longest]
};

struct Prepared {
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
      target_tokenizer;  // of the texts and of the targets; mostly the same one
  Words texts, targets;
  models::Sizes sizes;
  const models::Family* family = nullptr;
  std::shared_ptr<const models::Weights> weights;
};

Result<Sentence> read_sentence(const std::string& text, const Document& document, const tokenizers::Tokenizer& tokenizer,
                               const CancelToken& cancel) {
  Sentence s;
  s.text = text;
  HL_ASSIGN(s.tokens, tokenizer.encode(text, cancel));
  const auto special = [&](tokenizers::Role role, std::int64_t at) {
    const std::int32_t id = tokenizer.special(role);
    return tokenizers::Token{id, tokenizer.piece(id), at, at};
  };
  if (document.add_begin) s.tokens.insert(s.tokens.begin(), special(tokenizers::Role::begin, 0));
  if (document.add_end) s.tokens.push_back(special(tokenizers::Role::end, static_cast<std::int64_t>(text.size())));
  s.labels.reserve(s.tokens.size());
  for (const tokenizers::Token& token : s.tokens) s.labels.push_back(tokenizer.display_text(token.id));
  return s;
}

Result<Words> read_words(const std::vector<std::string>& texts, const char* option, const Document& document,
                         const tokenizers::Tokenizer& tokenizer, const CancelToken& cancel) {
  Words words;
  for (const std::string& text : texts) {
    HL_ASSIGN(Sentence s, read_sentence(text, document, tokenizer, cancel));
    words.lengths.push_back(static_cast<std::int64_t>(s.tokens.size()));
    words.longest = std::max(words.longest, words.lengths.back());
    words.sentences.push_back(std::move(s));
  }
  if (words.longest == 0)
    return usage_error(texts.size() == 1 ? "the sentence is empty" : "all sentences are empty", option,
                       "type at least one character");
  words.ids = Tensor(DType::i32, {static_cast<std::int64_t>(texts.size()), words.longest}, {"batch", "position"}, true);
  auto* id = words.ids.data<std::int32_t>();
  for (const Sentence& s : words.sentences) {
    for (const tokenizers::Token& token : s.tokens) *id++ = token.id;
    id = std::fill_n(id, words.longest - static_cast<std::int64_t>(s.tokens.size()), tokenizer.special(tokenizers::Role::pad));
  }
  return words;
}

// With the special tokens that the document adds.
Result<std::shared_ptr<const tokenizers::Tokenizer>> open_tokenizer_of(const Document& document, bool of_targets) {
  HL_ASSIGN(auto tokenizer, open_tokenizer(document, of_targets));
  if ((document.add_begin && tokenizer->special(tokenizers::Role::begin) < 0) ||
      (document.add_end && tokenizer->special(tokenizers::Role::end) < 0))
    return usage_error("this tokenizer has no [BOS] and [EOS]",
                       of_targets && !document.target_tokenizer.empty() ? document.target_tokenizer : document.tokenizer,
                       "switch add_begin and add_end off");
  return tokenizer;
}

models::Sizes::Tokens tokens_of(const tokenizers::Tokenizer& tokenizer) {
  return {tokenizer.vocabulary_size(), tokenizer.special(tokenizers::Role::pad), tokenizer.label()};
}

Result<Prepared> prepare(const Document& document, const CancelToken& cancel) {
  HL_TRY(validate(document));
  Prepared p;
  HL_ASSIGN(p.family, models::families().get(document.model));
  HL_ASSIGN(p.tokenizer, open_tokenizer_of(document, false));
  p.target_tokenizer = p.tokenizer;
  if (!document.targets.empty()) {
    HL_ASSIGN(p.target_tokenizer, open_tokenizer_of(document, true));
  }
  HL_ASSIGN(p.weights, models::with_given(p.family->weights(document), document.matrices, *p.tokenizer, *p.target_tokenizer));
  HL_ASSIGN(p.texts, read_words(document.texts, "--text", document, *p.tokenizer, cancel));
  if (!document.targets.empty()) {
    HL_ASSIGN(p.targets, read_words(document.targets, "--target", document, *p.target_tokenizer, cancel));
  }
  p.sizes.batch = static_cast<std::int64_t>(document.texts.size());
  p.sizes.text_length = p.texts.longest;
  p.sizes.text_lengths = p.texts.lengths;
  p.sizes.target_length = p.targets.longest;
  p.sizes.target_lengths = p.targets.lengths;
  p.sizes.text_tokens = tokens_of(*p.tokenizer);
  p.sizes.target_tokens = tokens_of(*p.target_tokenizer);
  p.sizes.target_table = p.target_tokenizer != p.tokenizer;
  return p;
}

// The model's plan, with the matrices that the document gives.
Result<models::ModelPlan> make_plan(const Document& document, const Prepared& p, DType real) {
  models::ModelPlan plan = p.family->plan(document, p.sizes, real);
  models::keep_weights(plan, real, kKeptWeights);
  if (document.matrices.empty()) return plan;
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
    if (const models::SitePlan& s = plan.sites[i]; s.bias >= 0 && models::bias_of(plan, i) == i)
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
  return Error{ErrorKind::too_large,
               "this trace would take " + byte_words(bytes) + " and the budget is " + byte_words(static_cast<double>(budget)),
               {},
               "use fewer tokens (now " + std::to_string(tokens) +
                   (sizes.batch > 1 ? " in " + std::to_string(sizes.batch) + " sentences" : "") + "), fewer layers (" +
                   std::to_string(document.layers) + ") or a smaller d_model (" + std::to_string(document.d_model) + ")"};
}

class Executor {
 public:
  Executor(const Document& document, const Prepared& words, models::ModelPlan& plan, backends::Backend& backend,
           const CancelToken& cancel, StepCache::State* cache)
      : document_(document),
        words_(words),
        weights_(*words.weights),
        plan_(plan),
        backend_(backend),
        cancel_(cancel),
        cache_(cache),
        keys_(plan.nodes.size()),
        values_(plan.nodes.size()),
        masks_(plan.sites.size()),
        biases_(plan.sites.size()) {
    const backends::Device device = backend.device();
    base_.add(std::string_view(device.id)).add(static_cast<std::uint64_t>(backend.dtype()));
  }
  Status compute();
  Result<std::vector<Tensor>> download();

 private:
  Status compute_node(std::size_t index);
  Status compute_operations(std::size_t index);
  Result<std::vector<Buffer>> execute(const backends::OpDesc& desc, std::span<const Buffer> in);
  StepKey source_key(const models::Node& node) const;
  void keep(const StepKey& key, const std::vector<Buffer>& outputs, std::span<const Buffer> between = {});
  Result<Tensor> make_source(const models::Node& node) const;
  Result<Buffer> mask_buffer(int site);
  Result<Buffer> bias_buffer(int site);
  const models::ParameterSpec& table_of(const models::Node& embedding) const {
    return plan_.parameters[static_cast<std::size_t>(embedding.parameters[0])];
  }
  const Words& words_of(const models::Node& node) const { return node.of_targets ? words_.targets : words_.texts; }

  const Document& document_;
  const Prepared& words_;
  const models::Weights& weights_;
  models::ModelPlan& plan_;
  backends::Backend& backend_;
  const CancelToken& cancel_;
  StepCache::State* cache_;
  StepKey base_;
  std::vector<StepKey> keys_;           // by node
  std::vector<Buffer> values_;          // by node
  std::vector<Buffer> masks_, biases_;  // by site; made where a site is the first with this mask or this bias
  // For the cache once they are certain: a device may still fail to make them.
  std::vector<std::pair<StepKey, std::vector<Buffer>>> uncertain_;
};

Status Executor::compute() {
  for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
    if (cancel_.cancelled()) return cancelled();
    HL_TRY(compute_node(i));
  }
  return {};
}

Status Executor::compute_node(std::size_t index) {
  models::Node& node = plan_.nodes[index];
  switch (node.source) {
    case Source::mask:
    case Source::mask_part:
    case Source::bias:
    case Source::rearranged:
    case Source::attention: return {};  // weights come with the context, the others on demand
    case Source::view: {
      const auto from = static_cast<std::size_t>(node.inputs[0]);
      keys_[index] = keys_[from];
      values_[index] = {values_[from].host.reshaped(node.step.shape, node.step.axes), values_[from].device};
      node.step.from_cache = plan_.nodes[from].step.from_cache;
      return {};
    }
    case Source::tokens:
    case Source::embedding:
    case Source::position: {
      keys_[index] = source_key(node);
      std::vector<Buffer> found;
      if (cache_ && cache_->find(keys_[index], found)) {
        node.step.from_cache = true;
        values_[index] = found[0];
        return {};
      }
      HL_ASSIGN(const Tensor made, make_source(node));
      HL_ASSIGN(values_[index], backend_.upload(made.reshaped(node.step.shape, node.step.axes)));
      keep(keys_[index], {values_[index]});
      return {};
    }
    case Source::operations: return compute_operations(index);
  }
  return {};
}

// Puts a step's outputs into the cache. On a device with memory of its own all arrays of a run, also those that only one step
// needs, are kept equally long, so that the run after the next finds all of their addresses free.
void Executor::keep(const StepKey& key, const std::vector<Buffer>& outputs, std::span<const Buffer> between) {
  if (!cache_) return;
  if (!backend_.computes_later()) {
    cache_->put(key, outputs);
    return;
  }
  uncertain_.emplace_back(key, outputs);
  std::vector<Buffer>& all = uncertain_.back().second;
  all.insert(all.end(), between.begin(), between.end());
}

StepKey Executor::source_key(const models::Node& node) const {
  StepKey key = base_;
  key.add(static_cast<std::uint64_t>(node.source));
  const Tensor& ids = words_of(node).ids;
  if (node.source == Source::position) {
    return key.add(document_.position)
        .add(document_.seed)
        .add(static_cast<std::uint64_t>(ids.dim(1)))
        .add(static_cast<std::uint64_t>(document_.d_model));
  }
  key.add(static_cast<std::uint64_t>(ids.dim(0))).add(static_cast<std::uint64_t>(ids.dim(1)));
  for (const std::int32_t id : ids.values<std::int32_t>()) key.add(static_cast<std::uint64_t>(id));
  if (node.source == Source::embedding) {
    const models::ParameterSpec& table = table_of(node);
    models::add_to(key, weights_, table);
  }
  return key;
}

Result<Tensor> Executor::make_source(const models::Node& node) const {
  const Words& words = words_of(node);
  if (node.source == Source::tokens) return words.ids;
  if (node.source == Source::position)
    return positions::registry().find(document_.position)->make(words.longest, document_.d_model, document_.seed);
  return weights_.rows(table_of(node), words.ids.values<std::int32_t>(), cancel_);
}

Result<Buffer> Executor::mask_buffer(int site) {
  const std::size_t first = models::mask_of(plan_, static_cast<std::size_t>(site));
  Buffer& buffer = masks_[first];
  if (buffer.host.empty()) {
    HL_ASSIGN(buffer, backend_.upload(plan_.sites[first].site.mask.mask));
  }
  return buffer;
}

Result<Buffer> Executor::bias_buffer(int site) {
  const std::size_t first = models::bias_of(plan_, static_cast<std::size_t>(site));
  Buffer& buffer = biases_[first];
  if (buffer.host.empty()) {
    const operations::Attention& a = plan_.sites[first].attention;
    HL_ASSIGN(buffer, backend_.upload(positions::bias_of(*plan_.sites[first].position,
                                                         {a.heads, 0, a.heads, 0, a.queries, 0, a.keys}, backend_.dtype())));
  }
  return buffer;
}

Result<std::vector<Buffer>> Executor::execute(const backends::OpDesc& desc, std::span<const Buffer> in) {
  HL_ASSIGN(const backends::Signature s, backends::signature(desc, backend_.dtype()));
  std::vector<Buffer> out;
  for (std::size_t i = 0; i < s.outputs.size(); ++i) {
    HL_ASSIGN(Buffer buffer, backend_.allocate(backend_.dtype(), s.outputs[i], s.output_axes[i]));
    out.push_back(std::move(buffer));
  }
  std::vector<Buffer> shaped(in.begin(), in.end());
  for (std::size_t i = 0; i < shaped.size(); ++i)
    if (!s.broadcasts[i]) shaped[i].host = shaped[i].host.reshaped(s.inputs[i]);
  std::unique_ptr<backends::Plan> plan;
  if (cache_) {
    HL_ASSIGN(plan, cache_->take_plan(backend_, desc));
  } else {
    HL_ASSIGN(plan, backend_.prepare(desc));
  }
  HL_TRY(backend_.execute(*plan, shaped, out, cancel_));
  if (cache_) cache_->give_back(backend_, desc, std::move(plan));
  return out;
}

Status Executor::compute_operations(std::size_t index) {
  models::Node& node = plan_.nodes[index];
  const models::SitePlan* site = node.site >= 0 ? &plan_.sites[static_cast<std::size_t>(node.site)] : nullptr;

  StepKey key = base_;
  for (const auto& op : node.ops) operations::add_to(key, op);
  for (const int input : node.inputs) key.add(keys_[static_cast<std::size_t>(input)]);
  for (const int p : node.parameters) models::add_to(key, weights_, plan_.parameters[static_cast<std::size_t>(p)]);
  if (site && site->attention.has_mask) {  // a mask's values follow from these
    key.add(masks::to_text(site->masks)).add(static_cast<std::uint64_t>(site->site.site));
    for (const std::int64_t n : site->site.columns_are_targets ? words_.targets.lengths : words_.texts.lengths)
      key.add(static_cast<std::uint64_t>(n));
    for (const Choice& choice : site->masks)
      if (choice.id == "custom" && document_.custom_mask) {
        const masks::Matrix& m = *document_.custom_mask;
        key.add(static_cast<std::uint64_t>(m.keys))
            .add(std::string_view(reinterpret_cast<const char*>(m.values.data()), m.values.size()));
      }
  }
  if (site && site->attention.has_bias) key.add(site->position->id);
  keys_[index] = key;

  std::vector<Buffer> out;
  const bool found = cache_ && cache_->find(key, out);
  if (!found) {
    std::vector<Buffer> in, between;  // between: what only this step needs
    for (const int input : node.inputs) in.push_back(values_[static_cast<std::size_t>(input)]);
    for (const int p : node.parameters) {
      HL_ASSIGN(Buffer parameter,
                models::parameter_on(backend_, weights_, plan_.parameters[static_cast<std::size_t>(p)], cancel_));
      in.push_back(std::move(parameter));
    }
    if (site && site->attention.has_mask) {
      HL_ASSIGN(Buffer mask, mask_buffer(node.site));
      between.push_back(mask);
      in.push_back(std::move(mask));
    }
    if (site && site->attention.has_bias) {
      HL_ASSIGN(Buffer bias, bias_buffer(node.site));
      between.push_back(bias);
      in.push_back(std::move(bias));
    }
    for (const auto& op : node.ops) {
      between.insert(between.end(), out.begin(), out.end());
      HL_ASSIGN(out, execute(op, in));
      in = {out[0]};
    }
    keep(key, out, between);
  }
  node.step.from_cache = found;
  values_[index] = {out[0].host.reshaped(node.step.shape, node.step.axes), out[0].device};
  for (const models::Node::Given& given : node.gives) {
    const auto to = static_cast<std::size_t>(given.node);
    values_[to] = std::move(out[given.output]);
    plan_.nodes[to].step.from_cache = found;
  }
  for (const auto& op : node.ops) node.step.on_host |= !backend_.supports(op);
  return {};
}

Result<std::vector<Tensor>> Executor::download() {
  std::vector<Tensor> kept(values_.size());
  std::vector<Buffer> wanted;
  std::vector<std::size_t> nodes;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].host.empty() && !values_[i].device) continue;
    wanted.push_back(values_[i]);
    nodes.push_back(i);
  }
  if (cancel_.cancelled()) return cancelled();
  HL_ASSIGN(const std::vector<Tensor> all, backend_.download_all(wanted));
  for (std::size_t i = 0; i < nodes.size(); ++i) kept[nodes[i]] = all[i].named(plan_.nodes[nodes[i]].step.axes);
  if (cache_ && backend_.computes_later()) {
    for (const auto& [key, outputs] : uncertain_) cache_->put(key, outputs);
    cache_->end_on_device();
  }
  return kept;
}

// Computes all steps; the values by node. It is a function of its own so that a failed or cancelled run's arrays are released
// when it returns, before the caller lets the backend drop unused memory.
Result<std::vector<Tensor>> compute(const Document& document, const Prepared& words, models::ModelPlan& plan,
                                    backends::Backend& backend, const CancelToken& cancel, StepCache::State* cache) {
  Executor executor(document, words, plan, backend, cancel, cache);
  HL_TRY(executor.compute());
  return executor.download();
}

}  // namespace

Result<Outline> outline(const Document& document) {
  HL_ASSIGN(const Prepared p, prepare(document, {}));
  const DType real = document.backend == "reference" ? DType::f64 : DType::f32;
  HL_ASSIGN(models::ModelPlan plan, make_plan(document, p, real));
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
  return out;
}

Result<std::uint64_t> bytes_needed(const Document& document) {
  HL_ASSIGN(const Outline out, outline(document));
  return out.bytes;
}

Result<std::shared_ptr<const Trace>> run(const Document& document, backends::Backend& backend, const CancelToken& cancel,
                                         const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  try {
    HL_ASSIGN(Prepared p, prepare(document, cancel));
    HL_ASSIGN(models::ModelPlan plan, make_plan(document, p, backend.dtype()));
    HL_TRY(within_budget(count_bytes(plan, backend.dtype()), document, p.sizes, options.budget_bytes));
    HL_TRY(models::add_masks(plan, document, p.sizes));
    auto kept = compute(document, p, plan, backend, cancel, options.cache ? &options.cache->state() : nullptr);
    if (!kept) {
      backend.drop_unused();
      return kept.error();
    }
    auto trace = std::make_shared<ModelTrace>(document, p.weights, std::move(plan), std::move(kept).value(),
                                              std::move(p.texts.sentences), std::move(p.targets.sentences), p.tokenizer,
                                              p.target_tokenizer, backend, options.budget_bytes);
    trace->set_remark(options.remark);
    trace->set_seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return std::shared_ptr<const Trace>(std::move(trace));
  } catch (const std::bad_alloc&) {
    backend.drop_unused();
    return Error{ErrorKind::too_large,
                 "there is not enough memory for this trace",
                 {},
                 "use fewer tokens, fewer layers or a smaller d_model"};
  }
}

}  // namespace headlight
