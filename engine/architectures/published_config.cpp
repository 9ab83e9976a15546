#include "engine/architectures/published_config.h"

#include <cmath>
#include <utility>

namespace headlight::architectures {
namespace {

constexpr Phrase<0> kFromItsPlace = "copy the model's files again from where they were published";

}  // namespace

std::string Config::spelled(Keys keys) const { return is_gguf() ? gguf_key(*keys.begin()) : *keys.begin(); }

const Json* Config::find(Keys keys) const {
  for (const char* key : keys)
    if (const Json* const value = values_.find(key); value && !value->is_null()) return value;
  return nullptr;
}

void Config::presume(std::initializer_list<std::pair<const char*, Json>> defaults) {
  if (is_gguf()) return;
  for (const auto& [key, value] : defaults)
    if (!values_.contains(key)) values_[key] = value;
}

void Config::refuse(Failure failure) {
  if (status_.ok()) status_ = std::move(failure);
}

std::int64_t Config::whole(Keys keys, std::int64_t least, std::int64_t most) {
  if (!find(keys)) refuse(invalid("'{}' is missing", spelled(keys)).at(where_).mend(kFromItsPlace));
  return whole_or(keys, least, least, most);
}

std::int64_t Config::whole_or(Keys keys, std::int64_t fallback, std::int64_t least, std::int64_t most) {
  const Json* const value = find(keys);
  if (!value) return fallback;
  if (!value->is_integer() || value->integer() < least || value->integer() > most) {
    refuse(invalid("'{}' is {}", spelled(keys), value->dump()).at(where_).mend("give a whole number from {} to {}", least, most));
    return fallback < least ? least : fallback;
  }
  return value->integer();
}

double Config::real_or(Keys keys, double fallback) {
  const Json* const value = find(keys);
  if (!value) return fallback;
  if (value->is_number() && std::isfinite(value->number())) return value->number();
  refuse(invalid("'{}' is {}", spelled(keys), value->dump()).at(where_).mend("give a number"));
  return fallback;
}

bool Config::truth_or(Keys keys, bool fallback) {
  const Json* const value = find(keys);
  if (!value) return fallback;
  if (!value->is_boolean()) refuse(invalid("'{}' is {}", spelled(keys), value->dump()).at(where_).mend("give true or false"));
  return value->boolean();
}

std::string Config::text_or(Keys keys, const char* fallback) {
  const Json* const value = find(keys);
  return value && value->is_string() ? value->string() : fallback;
}

std::string Config::activation(Keys keys, const char* fallback) {
  const std::string name = text_or(keys, fallback);
  for (const auto& [ours, spelling] : {std::pair{"gelu", "gelu"},
                                       {"gelu", "gelu_python"},
                                       {"gelu_tanh", "gelu_new"},
                                       {"gelu_tanh", "gelu_pytorch_tanh"},
                                       {"gelu_tanh", "gelu_fast"},
                                       {"gelu_tanh", "gelu_accurate"},
                                       {"gelu_tanh", "gelu_python_tanh"},
                                       {"silu", "silu"},
                                       {"silu", "swish"},
                                       {"relu", "relu"},
                                       {"tanh", "tanh"}})
    if (name == spelling) return ours;
  refuse(invalid("the activation '{}' is not known", name)
             .at(where_)
             .mend("known are gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, silu, swish, relu, tanh"));
  return "silu";
}

namespace {

// Numbers by pair, such as longrope's factors.
std::vector<double> pair_numbers(Config& config, const Json& scaling, const char* key, std::int64_t pairs) {
  std::vector<double> numbers;
  for (const Json& one : scaling[key].elements()) numbers.push_back(one.number());
  bool positive = static_cast<std::int64_t>(numbers.size()) == pairs;
  for (const double one : numbers) positive = positive && one > 0 && std::isfinite(one);
  if (!positive) {
    config.refuse(invalid("'{}' has {} numbers", key, numbers.size()).at(config.where()).mend("give {} numbers > 0", pairs));
    numbers.assign(static_cast<std::size_t>(pairs), 1);
  }
  return numbers;
}

std::optional<double> number_in(const Json& json, const char* key) {
  const Json* const value = json.find(key);
  return value && value->is_number() ? std::optional(value->number()) : std::nullopt;
}

Rope::Scaling scaling_named(Config& config, const std::string& name) {
  using enum Rope::Scaling;
  for (const auto& [scaling, spelling] : {std::pair{none, "default"},
                                          {linear, "linear"},
                                          {dynamic, "dynamic"},
                                          {llama3, "llama3"},
                                          {yarn, "yarn"},
                                          {longrope, "longrope"},
                                          {longrope, "su"}})
    if (name == spelling) return scaling;
  config.refuse(invalid("the rope type '{}' is not known", name)
                    .at(config.where())
                    .mend("known are default, linear, dynamic, llama3, yarn, longrope"));
  return none;
}

// Numbers that something is divided by, or a logarithm is taken of.
bool makes_sense(const Rope& rope) {
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  return rope.base > 1 && std::isfinite(rope.base) && positive(rope.factor) && positive(rope.original_length) &&
         positive(rope.longest) && positive(rope.beta_fast) && positive(rope.beta_slow) && positive(rope.low_frequency) &&
         positive(rope.high_frequency) && rope.low_frequency != rope.high_frequency;
}

}  // namespace

Rope read_rope(Config& config, std::int64_t head_size, double base, double part, const char* layers) {
  static const Json nothing = Json::object();
  const Json* parameters = config.find({"rope_parameters"});
  if (parameters && layers && (*parameters)[layers].is_object()) parameters = &(*parameters)[layers];
  const Json* const old = config.find({"rope_scaling"});
  // The old spelling wins where both are there, and keys inside it are before those beside it.
  const Json& inner = old && old->is_object() ? *old : parameters && parameters->is_object() ? *parameters : nothing;
  const Json& second = parameters && parameters->is_object() ? *parameters : nothing;
  const auto number = [&](const char* key, double fallback) {
    if (const auto own = number_in(inner, key)) return *own;
    return number_in(second, key).value_or(fallback);
  };
  Rope rope;
  rope.base = number("rope_theta", layers ? base : config.real_or({"rotary_emb_base", "rope_theta"}, base));
  const double turned_part = number("partial_rotary_factor", config.real_or({"rotary_pct", "partial_rotary_factor"}, part));
  rope.asked = static_cast<std::int64_t>(static_cast<double>(head_size) * turned_part);
  rope.turned = rope.asked + rope.asked % 2;
  rope.longest = config.real_or({"max_position_embeddings"}, 2048);
  rope.original_length =
      config.real_or({"original_max_position_embeddings"}, number("original_max_position_embeddings", rope.longest));
  const Json* const type = inner.contains("rope_type") ? inner.find("rope_type") : inner.find("type");
  rope.scaling = scaling_named(config, type && type->is_string() ? type->string() : "default");
  // The first files with factors by pair called them yarn.
  if (rope.scaling == Rope::Scaling::yarn && inner.contains("short_factor")) rope.scaling = Rope::Scaling::longrope;
  rope.factor = number("factor", rope.scaling == Rope::Scaling::longrope ? rope.longest / rope.original_length : 1);
  rope.low_frequency = number("low_freq_factor", 1);
  rope.high_frequency = number("high_freq_factor", 4);
  rope.beta_fast = number("beta_fast", 32);
  rope.beta_slow = number("beta_slow", 1);
  if (const Json* const truncate = inner.find("truncate"); truncate && truncate->is_boolean())
    rope.truncate = truncate->boolean();
  rope.magnitude = number_in(inner, "attention_factor");
  rope.mscale = number_in(inner, "mscale");
  rope.mscale_all = number_in(inner, "mscale_all_dim");
  if (rope.asked < 1 || rope.turned > head_size) {
    config.refuse(invalid("{} of {} dimensions of a head would turn", rope.turned, head_size)
                      .at(config.where())
                      .mend("pairs of dimensions turn: give as many as a head has, or fewer"));
    rope.turned = rope.asked = 2;
  }
  if (!makes_sense(rope)) {
    config.refuse(invalid("the numbers of its rotary positions make no sense").at(config.where()).mend(kFromItsPlace));
    rope = Rope{.turned = rope.turned, .original_length = 1, .longest = 1};
  }
  if (rope.scaling == Rope::Scaling::longrope) {
    rope.short_factors = pair_numbers(config, inner, "short_factor", rope.turned / 2);
    rope.long_factors = pair_numbers(config, inner, "long_factor", rope.turned / 2);
  }
  if (const Json* const divisors = inner.find("divisors"); divisors && !divisors->empty())
    rope.divisors = pair_numbers(config, inner, "divisors", rope.turned / 2);
  return rope;
}

void refuse_both_directions(Config& config) {
  if (config.truth_or({"use_bidirectional_attention"}, false))
    config.refuse(failure(ErrorKind::unavailable, "a decoder whose attention reads in both directions is not computed here")
                      .at(config.where())
                      .mend("open the causal model that it was made from"));
}

std::vector<std::int64_t> read_windows(Config& config, std::int64_t layers, std::int64_t window,
                                       std::vector<std::int64_t> fallback) {
  const Json* const types = config.find({"layer_types"});
  if (!types || !types->is_array()) return fallback;
  if (static_cast<std::int64_t>(types->size()) != layers) {
    config.refuse(invalid("'layer_types' names {} layers of {}", types->size(), layers).at(config.where()).mend(kFromItsPlace));
    return fallback;
  }
  std::vector<std::int64_t> windows;
  for (const Json& type : types->elements()) {
    const bool slides = type.string() == "sliding_attention";
    if (!slides && type.string() != "full_attention")
      config.refuse(invalid("the layer type '{}' is not known", type.string())
                        .at(config.where())
                        .mend("known are full_attention, sliding_attention"));
    windows.push_back(slides ? window : Architecture::kEverything);
  }
  return windows;
}

std::vector<std::int64_t> upper_windows(Config& config, std::int64_t layers) {
  if (!config.truth_or({"use_sliding_window"}, false)) return {};
  const std::int64_t window = config.whole_or({"sliding_window"}, config.contains("sliding_window") ? 0 : 4096);
  const std::int64_t first = config.whole_or({"max_window_layers"}, 28);
  if (window < 1) return {};
  std::vector<std::int64_t> windows;
  for (std::int64_t i = 0; i < layers; ++i) windows.push_back(i >= first ? window - 1 : Architecture::kEverything);
  return read_windows(config, layers, window - 1, std::move(windows));
}

void read_sizes(Config& config, Architecture& a, std::int64_t kv_heads, std::int64_t head_size) {
  a.d_model = config.whole({"hidden_size", "n_embd", "dim"}, 1, 16384);
  a.layers = config.whole({"num_hidden_layers", "n_layer", "n_layers"}, 1, 128);
  a.heads = config.whole({"num_attention_heads", "n_head", "n_heads"}, 1, 1024);
  const Config::Keys of_hidden = {"intermediate_size", "n_inner", "hidden_dim"};
  // GPT-2 leaves it out, or null, where it is four times the width, by whatever names its other sizes go.
  const bool is_told = config.find(of_hidden) || !config.find({"n_embd", "n_layer"});
  a.d_ff = is_told ? config.whole(of_hidden, 1, 65536) : 4 * a.d_model;
  a.vocabulary = config.whole({"vocab_size"}, 1, 10'000'000);
  a.length = config.whole({"max_position_embeddings", "n_positions", "n_ctx"}, 1, 1'000'000'000);
  const bool says = config.contains("num_key_value_heads");  // null: as many as there are heads
  a.kv_heads = config.whole_or({"num_key_value_heads"}, says || kv_heads == 0 ? a.heads : kv_heads, 1, 1024);
  const std::int64_t divided = a.d_model / a.heads;
  a.head_size = config.whole_or({"head_dim"}, head_size == 0 ? divided : head_size, 1, 4096);
  if (a.head_size < 1) {
    config.refuse(
        invalid("d_model {} cannot be divided among {} heads", a.d_model, a.heads).at(config.where()).mend(kFromItsPlace));
    a.head_size = 1;
  }
  if (a.heads % a.kv_heads != 0)
    config.refuse(
        invalid("{} query heads cannot share {} key heads", a.heads, a.kv_heads).at(config.where()).mend(kFromItsPlace));
}

Architecture read_llama_kin(Config& config, std::int64_t kv_heads, std::int64_t head_size, double epsilon) {
  Architecture a;
  read_sizes(config, a, kv_heads, head_size);
  a.epsilon = config.real_or({"rms_norm_eps"}, epsilon);
  a.tied = config.truth_or({"tie_word_embeddings"}, false);
  a.activation = config.activation({"hidden_act"}, "silu");
  a.rope = read_rope(config, a.head_size, 10000, 1);
  return a;
}

}  // namespace headlight::architectures
