#include "engine/insight/parameter_count.h"

#include <array>
#include <cmath>

#include "engine/architectures/architecture.h"
#include "engine/attention/scores/score.h"
#include "engine/core/json.h"

namespace headlight {
namespace {

using Part = CountedMatrix::Part;

constexpr std::int64_t kMostSize = std::int64_t{1} << 40, kMostRepeats = std::int64_t{1} << 20;
constexpr double kParameterCountMostNumbers = 9e18;

// Attention parts and feed-forward parts of the whole model.
std::int64_t attentions(const ModelSizes& s) { return s.encoder_layers + s.layers * (s.encoder_layers > 0 ? 2 : 1); }
std::int64_t blocks(const ModelSizes& s) { return s.encoder_layers + s.layers; }
std::int64_t key_heads(const ModelSizes& s) { return s.key_heads > 0 ? s.key_heads : s.heads; }

// A line of matrices that every head has.
CountedMatrix of_heads(const ModelSizes& s, const char* id, const char* label, std::int64_t heads, std::int64_t rows,
                       std::int64_t columns) {
  CountedMatrix m{id, label, Part::attention, rows, columns, rows * columns, rows * columns * heads, 0, 0, {}};
  m.numbers = m.a_layer * attentions(s);
  m.matrices = heads * attentions(s);
  m.sizes = {"d_model", "heads", "d_k", "layers"};
  return m;
}

// The two matrices of a 2-D stack, one each for an attention.
CountedMatrix of_stack(const ModelSizes& s, bool out) {
  CountedMatrix m{out ? "stack_output" : "stack_hidden", out ? "stack out" : "stack in", Part::attention, 0, 0, 0, 0, 0, 0, {}};
  m.rows = out ? 1 : s.stack_hidden;
  m.columns = out ? s.stack_hidden : s.heads;
  m.a_layer = m.rows * m.columns;
  m.numbers = m.a_layer * attentions(s);
  m.matrices = attentions(s);
  if (!out) m.sizes = {"heads", "layers"};
  if (out) m.sizes = {"layers"};
  return m;
}

CountedMatrix of_neurons(const ModelSizes& s, const char* id, const char* label, bool down) {
  CountedMatrix m{id, label, Part::feed_forward, down ? s.d_model : s.neurons, down ? s.neurons : s.d_model, 0, 0, 0, 0, {}};
  m.a_layer = m.rows * m.columns;
  m.numbers = m.a_layer * blocks(s);
  m.matrices = blocks(s);
  m.sizes = {"d_model", "neurons", "layers"};
  return m;
}

CountedMatrix of_words(const ModelSizes& s, const char* id, const char* label, std::int64_t words, bool out) {
  CountedMatrix m{id, label, Part::embedding, out ? words : s.d_model, out ? s.d_model : words, 0, 0, 0, 1, {}};
  m.numbers = m.rows * m.columns;
  m.sizes = {"d_model", "vocabulary"};
  return m;
}

// A double's worth of count_parameters(), which cannot overflow.
double about(const ModelSizes& s) {
  const auto d = static_cast<double>(s.d_model), k = static_cast<double>(s.d_k), h = static_cast<double>(s.heads);
  const double attention = s.full_rank_values ? 2 * d * k * h + d * d * h : 4 * d * k * h;
  return static_cast<double>(attentions(s)) * attention +
         static_cast<double>(blocks(s)) * 3 * d * static_cast<double>(s.neurons) +
         3 * d * static_cast<double>(s.vocabulary + s.target_vocabulary + s.context);
}

// --- reading a configuration ---

Failure wrong(Message what, const std::string& where, Message mend) {
  return failure(ErrorKind::invalid, std::move(what)).at(where).mend(std::move(mend));
}

// The whole number at the first of these keys that is there; `fallback` < 0: it must be there.
Result<std::int64_t> whole(const Json& json, std::initializer_list<const char*> keys, std::int64_t fallback,
                           const std::string& where) {
  for (const char* key : keys) {
    const Json* value = json.find(key);
    if (!value || value->is_null()) continue;
    if (!value->is_integer() || value->integer() < 0)
      return wrong(Message("\"{}\" is no whole number", key), where, Message("write a number of 0 or more"));
    return value->integer();
  }
  if (fallback >= 0) return fallback;
  return wrong(Message("there is no \"{}\"", *keys.begin()), where,
               Message("use a config.json of Headlight, or one with the keys of GPT-2, BERT or Llama"));
}

bool flag(const Json& json, const char* key, bool fallback) {
  const Json* value = json.find(key);
  return value && value->is_boolean() ? value->boolean() : fallback;
}

std::string word(const Json& json, const char* key) {
  const Json* value = json.find(key);
  return value && value->is_string() ? value->string() : std::string();
}

// What a family does besides its sizes.
void take_family(const Json& json, const std::string& family, ModelSizes& s) {
  const bool llama = json.find("rms_norm_eps") != nullptr, bert = family == "bert";
  s.gated = llama;
  s.biases = !llama || flag(json, "attention_bias", false);
  s.norm_biases = s.learned_positions = !llama;
  s.shared = flag(json, "tie_word_embeddings", !llama);
  if (!bert) return;
  s.causal = false;
  s.norms_after = 0;
  s.embedding_norm = s.pooler = true;
}

}  // namespace

const std::vector<ModelSizes>& counted_presets() {
  static const std::vector<ModelSizes> all = [] {
    ModelSizes gpt3{"gpt3", "GPT-3", "Brown et al. 2020, table 2.1"};
    gpt3.d_model = 12288;
    gpt3.heads = gpt3.layers = 96;
    gpt3.d_k = 128;
    gpt3.neurons = 49152;
    gpt3.vocabulary = 50257;
    gpt3.context = 2048;
    ModelSizes gpt2{"gpt2", "GPT-2", "Radford et al. 2019, the smallest"};
    gpt2.d_model = 768;
    gpt2.heads = gpt2.layers = 12;
    gpt2.d_k = 64;
    gpt2.neurons = 3072;
    gpt2.vocabulary = 50257;
    gpt2.context = 1024;
    gpt2.shared = true;
    ModelSizes bert = gpt2;
    bert.id = "bert";
    bert.label = "BERT";
    bert.source = "Devlin et al. 2019, base, uncased";
    bert.vocabulary = 30522;
    bert.context = 512;
    bert.causal = false;
    bert.norms_after = 0;
    bert.segments = 2;
    bert.embedding_norm = bert.pooler = true;
    return std::vector<ModelSizes>{gpt3, gpt2, bert};
  }();
  return all;
}

ModelSizes sizes_of(const StoredModel& model) {
  const Document& d = model.document;
  ModelSizes s{model.title, model.title, "its own config.json"};
  s.d_model = d.d_model;
  s.heads = d.heads;
  s.d_k = d.heads > 0 ? head_width(d) : 0;
  s.layers = d.layers;
  if (model.task == ModelTask::encoder_decoder) s.encoder_layers = d.layers;
  s.neurons = d.feed_forward ? (d.d_ff > 0 ? d.d_ff : 4 * d.d_model) : 0;
  s.gated = d.gated;
  s.vocabulary = model.vocabulary;
  s.target_vocabulary = model.target_vocabulary;
  s.context = model.length;
  s.shared = model.tied;
  s.causal = model.task != ModelTask::encoder;
  s.biases = d.bias;
  s.norm_biases = d.norm_kind == "layer";
  s.learned_positions = d.position == "learned";
  if (const scores::Entry* score = scores::registry().find(d.score); score && score->matrix)
    s.score = score->additive ? 2 * s.d_k * s.d_k + s.d_k : s.d_k * s.d_k;
  const bool normed = d.norm != "none";
  s.norms_a_layer = normed ? (d.feed_forward ? 2 : 1) : 0;
  s.norms_after = normed && d.norm == "pre" && d.final_norm ? 1 : 0;
  if (is_published(model)) {
    const architectures::Architecture& a = model.checkpoint->architecture;
    s.d_k = a.head_size;
    s.key_heads = a.kv_heads == a.heads ? 0 : a.kv_heads;
    if (a.norms == architectures::Architecture::Norms::around) s.norms_a_layer = 4;
    s.norms_after = a.final_norm ? 1 : 0;
    s.missing_norms = a.first_attention_norm ? 0 : 1;
    s.norm_biases = !a.rms && a.norm_bias;
    s.query_key_norms = a.query_key_norm;
    s.biases = a.attention_bias || a.output_bias || a.feed_forward_bias;
    s.attention_biases = a.attention_bias;
    s.output_biases = a.output_bias;
    s.feed_forward_biases = a.feed_forward_bias;
    s.embedding_norm = a.embedding_norm;
    s.segments = a.token_types;
  }
  return s;
}

Result<ModelSizes> sizes_from_config(std::string_view text, const std::string& where) {
  HL_ASSIGN(const Json json, Json::parse(text, where));
  if (!json.is_object()) return wrong(Message("this is no configuration"), where, Message("use a model's config.json"));
  if (json.find("headlight")) {
    HL_ASSIGN(const StoredModel model, model_config_from_json(text, where));
    return sizes_of(model);
  }
  const std::string family = word(json, "model_type");
  ModelSizes s{"config", family.empty() ? "config.json" : family, where};
  HL_ASSIGN(s.d_model, whole(json, {"hidden_size", "n_embd", "d_model"}, -1, where));
  HL_ASSIGN(s.heads, whole(json, {"num_attention_heads", "n_head", "num_heads"}, -1, where));
  HL_ASSIGN(s.layers, whole(json, {"num_hidden_layers", "n_layer", "num_layers"}, -1, where));
  HL_ASSIGN(s.vocabulary, whole(json, {"vocab_size"}, -1, where));
  HL_ASSIGN(s.neurons, whole(json, {"intermediate_size", "n_inner", "d_ff"}, 4 * s.d_model, where));
  HL_ASSIGN(s.context, whole(json, {"max_position_embeddings", "n_positions", "n_ctx"}, 0, where));
  HL_ASSIGN(s.key_heads, whole(json, {"num_key_value_heads"}, 0, where));
  HL_ASSIGN(s.d_k, whole(json, {"head_dim"}, s.heads > 0 ? s.d_model / s.heads : 0, where));
  HL_ASSIGN(s.segments, whole(json, {"type_vocab_size"}, 0, where));
  take_family(json, family, s);
  const Status good = check(s);
  if (!good.ok())
    return failure(ErrorKind::invalid, good.error().what).at("{}, {}", where, good.error().where).mend(good.error().mend);
  return s;
}

Status check(const ModelSizes& s) {
  const struct {
    const char* name;
    std::int64_t value, least, most;
  } sizes[] = {{"d_model", s.d_model, 1, kMostSize},
               {"heads", s.heads, 1, kMostRepeats},
               {"d_k", s.d_k, 1, kMostSize},
               {"layers", s.layers, 1, kMostRepeats},
               {"encoder_layers", s.encoder_layers, 0, kMostRepeats},
               {"key_heads", s.key_heads, 0, s.heads},
               {"neurons", s.neurons, 0, kMostSize},
               {"vocabulary", s.vocabulary, 1, kMostSize},
               {"context", s.context, 0, kMostSize},
               {"stack_hidden", s.stack_hidden, 0, kMostRepeats}};
  for (const auto& size : sizes)
    if (size.value < size.least || size.value > size.most)
      return usage_error("{} is no size that can be counted", size.value)
          .at(Message::name(size.name))
          .mend("choose {} to {}", size.least, size.most);
  if (s.stack_hidden > 0 && s.d_k != s.d_model)
    return usage_error("a 2-D stack takes heads of full width, and d_k is {}", s.d_k)
        .at("d_k")
        .mend("choose d_k = d_model = {}", s.d_model);
  if (about(s) > kParameterCountMostNumbers)
    return usage_error("a model of these sizes has more than 9 quintillion numbers").at("sizes").mend("choose smaller ones");
  return {};
}

ParameterCount count_parameters(const ModelSizes& s) {
  ParameterCount c;
  c.lines.push_back(of_words(s, "embedding", "embedding", s.vocabulary, false));
  if (s.target_vocabulary > 0) c.lines.push_back(of_words(s, "target_embedding", "target embedding", s.target_vocabulary, false));
  c.lines.push_back(of_heads(s, "query", "query", s.heads, s.d_k, s.d_model));
  c.lines.push_back(of_heads(s, "key", "key", key_heads(s), s.d_k, s.d_model));
  c.lines.push_back(of_heads(s, "value", "value", key_heads(s), s.full_rank_values ? s.d_model : s.d_k, s.d_model));
  if (s.stack_hidden > 0) {
    c.lines.push_back(of_stack(s, false));
    c.lines.push_back(of_stack(s, true));
  } else if (!s.full_rank_values) {
    c.lines.push_back(of_heads(s, "output", "output", s.heads, s.d_model, s.d_k));
    c.lines.back().matrices = attentions(s);  // one a layer: its heads stand side by side in it
  }
  if (s.neurons > 0) {
    if (s.gated) c.lines.push_back(of_neurons(s, "gate", "gate", false));
    c.lines.push_back(of_neurons(s, "up", "up-projection", false));
    c.lines.push_back(of_neurons(s, "down", "down-projection", true));
  }
  const std::int64_t words = s.target_vocabulary > 0 ? s.target_vocabulary : s.vocabulary;
  if (!s.shared) c.lines.push_back(of_words(s, "unembedding", "unembedding", words, true));
  for (const CountedMatrix& m : c.lines) {
    c.total += m.numbers;
    c.matrices += m.matrices;
    (m.part == Part::embedding ? c.embedding : m.part == Part::attention ? c.attention : c.feed_forward) += m.numbers;
  }
  if (s.biases) {
    const std::int64_t projections = s.attention_biases ? s.heads * s.d_k + 2 * key_heads(s) * s.d_k : 0;
    const std::int64_t attention = projections + (s.output_biases && s.stack_hidden == 0 ? s.d_model : 0);
    const std::int64_t feed_forward = s.feed_forward_biases && s.neurons > 0 ? s.neurons * (s.gated ? 2 : 1) + s.d_model : 0;
    c.biases = attentions(s) * attention + blocks(s) * feed_forward;
  }
  const std::int64_t norm = s.d_model * (s.norm_biases ? 2 : 1);
  const std::int64_t stacks = s.encoder_layers > 0 ? 2 : 1;
  c.norms = norm * (s.norms_a_layer * blocks(s) + s.norms_after * stacks - s.missing_norms);
  if (s.query_key_norms) c.norms += 2 * s.d_k * attentions(s);
  if (s.encoder_layers > 0 && s.norms_a_layer > 0) c.norms += norm * s.layers;  // cross-attention has its own
  if (s.learned_positions) c.positions = s.context * s.d_model * stacks;
  c.others = attentions(s) * s.score + s.segments * s.d_model + (s.embedding_norm ? norm : 0) +
             (s.pooler ? s.d_model * s.d_model + s.d_model : 0);
  return c;
}

double cache_bytes(const ModelSizes& s, double tokens, double bytes) {
  if (!s.causal) return 0;
  const auto kept = static_cast<double>(s.layers * (s.encoder_layers > 0 ? 2 : 1));
  return 2 * tokens * static_cast<double>(key_heads(s) * s.d_k) * kept * bytes;
}

double map_bytes(const ModelSizes& s, double tokens, double bytes) {
  return static_cast<double>(s.heads) * tokens * tokens * bytes;
}

double equal_length(const ModelSizes& s) { return cache_bytes(s, 1, 1) / map_bytes(s, 1, 1); }

double matrix_flops(const ModelSizes& s) {
  const ParameterCount c = count_parameters(s);
  const auto words = static_cast<double>(s.target_vocabulary > 0 ? s.target_vocabulary : s.vocabulary);
  // A 2-D stack is the same for every dimension, so that each of its numbers is used d_model times.
  double again = 0;
  for (const CountedMatrix& m : c.lines)
    if (m.id.starts_with("stack_")) again += static_cast<double>(m.numbers) * static_cast<double>(s.d_model - 1);
  return 2 * (again + static_cast<double>(c.attention) + static_cast<double>(c.feed_forward) +
              words * static_cast<double>(s.d_model));
}

double look_back_flops(const ModelSizes& s, double tokens) {
  return 4 * tokens * static_cast<double>(s.heads * s.d_k) * static_cast<double>(attentions(s));
}

}  // namespace headlight
