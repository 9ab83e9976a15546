// Where parameters lie: under Llama's names, and in a GGUF.
#include "engine/architectures/published_config.h"

namespace headlight::architectures {

std::int64_t StoredPlace::row(std::int64_t j) const {
  if (paired > 0) {  // row a D / 2 + b, as published, is row 2 b + a here
    const std::int64_t i = j % paired, half = paired / 2;
    j = j - i + 2 * (i % half) + i / half;
  }
  if (block > 0) j = j / block * step + j % block;
  return first + j;
}

void place(Architecture& a, std::string parameter, std::string tensor) {
  StoredPlace one;
  one.parameter = std::move(parameter);
  one.tensor = std::move(tensor);
  a.places.push_back(std::move(one));
}

void place_part(Architecture& a, const std::string& parameter, const std::string& tensor, std::int64_t rows, std::int64_t first) {
  std::erase_if(a.places, [&](const StoredPlace& one) { return one.parameter == parameter; });
  place(a, parameter, tensor);
  a.places.back().rows = rows;
  a.places.back().first = first;
}

void place_linear(Architecture& a, const std::string& ours, const std::string& tensor, bool bias, const StoredPlace& like) {
  const std::size_t dot = ours.rfind('.') + 1;
  const auto add = [&](const char* kind, const char* suffix) {
    StoredPlace one = like;
    one.parameter = ours.substr(0, dot) + kind + ours.substr(dot);
    one.tensor = tensor + suffix;
    a.places.push_back(std::move(one));
  };
  // A matrix of the plan is called wq or w_up, its bias bq or b_up.
  add("w", ".weight");
  if (!bias) return;
  add("b", ".bias");
  a.places.back().turned = false;
}

void place_norm(Architecture& a, const std::string& ours, const std::string& tensor) {
  place(a, ours + ".gamma", tensor + ".weight");
  if (a.norm_adds_one) a.places.back().added = 1;
  if (!a.rms && a.norm_bias) place(a, ours + ".beta", tensor + ".bias");
}

void place_as_llama(Architecture& a) {
  a.prefix = "model.";
  place(a, "embedding", "embed_tokens.weight");
  const std::string layer = "layers.N.";
  const bool around = a.norms == Architecture::Norms::around;
  place_norm(a, "layer.N.attention_norm", layer + "input_layernorm");
  if (around) place_norm(a, "layer.N.attention_post_norm", layer + "post_attention_layernorm");
  place_norm(a, "layer.N.mlp_norm", layer + (around ? "pre_feedforward_layernorm" : "post_attention_layernorm"));
  if (around) place_norm(a, "layer.N.mlp_post_norm", layer + "post_feedforward_layernorm");
  place_linear(a, "layer.N.q", layer + "self_attn.q_proj", a.attention_bias);
  place_linear(a, "layer.N.k", layer + "self_attn.k_proj", a.attention_bias);
  place_linear(a, "layer.N.v", layer + "self_attn.v_proj", a.attention_bias);
  place_linear(a, "layer.N.o", layer + "self_attn.o_proj", a.output_bias);
  if (a.query_key_norm) {
    place(a, "layer.N.q_norm.gamma", layer + "self_attn.q_norm.weight");
    place(a, "layer.N.k_norm.gamma", layer + "self_attn.k_norm.weight");
  }
  place_linear(a, "layer.N._gate", layer + "mlp.gate_proj", a.feed_forward_bias);
  place_linear(a, "layer.N._up", layer + "mlp.up_proj", a.feed_forward_bias);
  place_linear(a, "layer.N._down", layer + "mlp.down_proj", a.feed_forward_bias);
  place_norm(a, "final_norm", "norm");
  place(a, "output", "lm_head.weight");
}

void place_llama_kin(const Config& config, Architecture& a, bool paired) {
  if (config.is_gguf())
    place_in_gguf(config, a, paired);
  else
    place_as_llama(a);
}

namespace {

// q, k and v, or gate and up, as parts of one stored matrix.
StoredPlace part_of(std::int64_t rows, std::int64_t first) {
  StoredPlace part;
  part.rows = rows;
  part.first = first;
  return part;
}

void place_attention_in_gguf(const Config& config, Architecture& a, bool paired) {
  const std::int64_t q = a.heads * a.head_size, k = a.kv_heads * a.head_size;
  const std::string block = "blk.N.attn_";
  if (config.file().find("blk.0.attn_qkv.weight")) {
    place_linear(a, "layer.N.q", block + "qkv", a.attention_bias, part_of(q + 2 * k, 0));
    place_linear(a, "layer.N.k", block + "qkv", a.attention_bias, part_of(q + 2 * k, q));
    place_linear(a, "layer.N.v", block + "qkv", a.attention_bias, part_of(q + 2 * k, q + k));
  } else {
    StoredPlace turned;
    if (paired) turned.paired = a.head_size;
    place_linear(a, "layer.N.q", block + "q", a.attention_bias, turned);
    place_linear(a, "layer.N.k", block + "k", a.attention_bias, turned);
    place_linear(a, "layer.N.v", block + "v", a.attention_bias);
  }
  place_linear(a, "layer.N.o", block + "output", a.output_bias);
  if (!a.query_key_norm) return;
  place(a, "layer.N.q_norm.gamma", block + "q_norm.weight");
  place(a, "layer.N.k_norm.gamma", block + "k_norm.weight");
}

}  // namespace

void place_token_types(Architecture& a, const char* tensor) {
  place(a, "token_types", tensor);
  place(a, "token_type", tensor);
  a.places.back().row_of_table = true;
}

void place_in_gguf(const Config& config, Architecture& a, bool paired) {
  using Norms = Architecture::Norms;
  // Which biases there are is not written: the tensors say so.
  const auto has = [&](const char* name) { return config.file().find(name) != nullptr; };
  a.attention_bias = has("blk.0.attn_q.bias") || has("blk.0.attn_qkv.bias");
  a.output_bias = has("blk.0.attn_output.bias");
  a.feed_forward_bias = has("blk.0.ffn_up.bias");
  a.norm_bias = has("token_embd_norm.bias") || has("output_norm.bias");
  a.norm_adds_one = false;  // the file has the sum
  a.prefix.clear();
  place(a, "embedding", "token_embd.weight");
  if (a.learned_positions) place(a, "position", "position_embd.weight");
  if (a.token_types > 0) place_token_types(a, "token_types.weight");
  if (a.embedding_norm) place_norm(a, "embedding_norm", "token_embd_norm");
  const bool behind = a.norms == Norms::behind;
  place_norm(a, "layer.N.attention_norm", behind ? "blk.N.attn_output_norm" : "blk.N.attn_norm");
  place_norm(a, "layer.N.mlp_norm", behind ? "blk.N.layer_output_norm" : "blk.N.ffn_norm");
  if (a.norms == Norms::around) {
    place_norm(a, "layer.N.attention_post_norm", "blk.N.post_attention_norm");
    place_norm(a, "layer.N.mlp_post_norm", "blk.N.post_ffw_norm");
  }
  place_attention_in_gguf(config, a, paired);
  if (a.gated && !has("blk.0.ffn_gate.weight")) {
    place_linear(a, "layer.N._gate", "blk.N.ffn_up", a.feed_forward_bias, part_of(2 * a.d_ff, 0));
    place_linear(a, "layer.N._up", "blk.N.ffn_up", a.feed_forward_bias, part_of(2 * a.d_ff, a.d_ff));
  } else {
    if (a.gated) place_linear(a, "layer.N._gate", "blk.N.ffn_gate", a.feed_forward_bias);
    place_linear(a, "layer.N._up", "blk.N.ffn_up", a.feed_forward_bias);
  }
  place_linear(a, "layer.N._down", "blk.N.ffn_down", a.feed_forward_bias);
  if (a.final_norm) place_norm(a, "final_norm", "output_norm");
  if (a.predicts) place(a, "output", "output.weight");
  a.ignored.insert(a.ignored.end(), {"rope_freqs.weight", "rope_factors_*", "cls*"});
}

}  // namespace headlight::architectures
