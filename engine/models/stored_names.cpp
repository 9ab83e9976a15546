#include "engine/models/stored_names.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace headlight::models {
namespace {

struct Renamed {
  std::string_view ours, stored;
};

// Of one layer, behind "model.layers.0.".
constexpr std::array kLlamaLayer = {Renamed{"wq", "self_attn.q_proj.weight"},
                                    Renamed{"bq", "self_attn.q_proj.bias"},
                                    Renamed{"wk", "self_attn.k_proj.weight"},
                                    Renamed{"bk", "self_attn.k_proj.bias"},
                                    Renamed{"wv", "self_attn.v_proj.weight"},
                                    Renamed{"bv", "self_attn.v_proj.bias"},
                                    Renamed{"wo", "self_attn.o_proj.weight"},
                                    Renamed{"bo", "self_attn.o_proj.bias"},
                                    Renamed{"w_score", "self_attn.score.weight"},
                                    Renamed{"u_score", "self_attn.score_key.weight"},
                                    Renamed{"v_score", "self_attn.score_sum.weight"},
                                    Renamed{"w_gate", "mlp.gate_proj.weight"},
                                    Renamed{"b_gate", "mlp.gate_proj.bias"},
                                    Renamed{"w_up", "mlp.up_proj.weight"},
                                    Renamed{"b_up", "mlp.up_proj.bias"},
                                    Renamed{"w_down", "mlp.down_proj.weight"},
                                    Renamed{"b_down", "mlp.down_proj.bias"},
                                    Renamed{"attention_norm.gamma", "input_layernorm.weight"},
                                    Renamed{"attention_norm.beta", "input_layernorm.bias"},
                                    Renamed{"mlp_norm.gamma", "post_attention_layernorm.weight"},
                                    Renamed{"mlp_norm.beta", "post_attention_layernorm.bias"}};

// Of one layer, behind "model.encoder.layers.0." or "model.decoder.layers.0.".
constexpr std::array kBartLayer = {Renamed{"wq", "self_attn.q_proj.weight"},
                                   Renamed{"bq", "self_attn.q_proj.bias"},
                                   Renamed{"wk", "self_attn.k_proj.weight"},
                                   Renamed{"bk", "self_attn.k_proj.bias"},
                                   Renamed{"wv", "self_attn.v_proj.weight"},
                                   Renamed{"bv", "self_attn.v_proj.bias"},
                                   Renamed{"wo", "self_attn.out_proj.weight"},
                                   Renamed{"bo", "self_attn.out_proj.bias"},
                                   Renamed{"w_score", "self_attn.score.weight"},
                                   Renamed{"u_score", "self_attn.score_key.weight"},
                                   Renamed{"v_score", "self_attn.score_sum.weight"},
                                   Renamed{"attention_norm.gamma", "self_attn_layer_norm.weight"},
                                   Renamed{"attention_norm.beta", "self_attn_layer_norm.bias"},
                                   Renamed{"cross.wq", "encoder_attn.q_proj.weight"},
                                   Renamed{"cross.bq", "encoder_attn.q_proj.bias"},
                                   Renamed{"cross.wk", "encoder_attn.k_proj.weight"},
                                   Renamed{"cross.bk", "encoder_attn.k_proj.bias"},
                                   Renamed{"cross.wv", "encoder_attn.v_proj.weight"},
                                   Renamed{"cross.bv", "encoder_attn.v_proj.bias"},
                                   Renamed{"cross.wo", "encoder_attn.out_proj.weight"},
                                   Renamed{"cross.bo", "encoder_attn.out_proj.bias"},
                                   Renamed{"cross.w_score", "encoder_attn.score.weight"},
                                   Renamed{"cross.u_score", "encoder_attn.score_key.weight"},
                                   Renamed{"cross.v_score", "encoder_attn.score_sum.weight"},
                                   Renamed{"cross.attention_norm.gamma", "encoder_attn_layer_norm.weight"},
                                   Renamed{"cross.attention_norm.beta", "encoder_attn_layer_norm.bias"},
                                   Renamed{"w_gate", "fc_gate.weight"},
                                   Renamed{"b_gate", "fc_gate.bias"},
                                   Renamed{"w_up", "fc1.weight"},
                                   Renamed{"b_up", "fc1.bias"},
                                   Renamed{"w_down", "fc2.weight"},
                                   Renamed{"b_down", "fc2.bias"},
                                   Renamed{"mlp_norm.gamma", "final_layer_norm.weight"},
                                   Renamed{"mlp_norm.beta", "final_layer_norm.bias"}};

// What stands outside of the layers.
constexpr std::array kOutside = {Renamed{"position", "model.embed_positions.weight"},
                                 Renamed{"final_norm.gamma", "model.norm.weight"},
                                 Renamed{"final_norm.beta", "model.norm.bias"},
                                 Renamed{"target_embedding", "model.decoder.embed_tokens.weight"},
                                 Renamed{"encoder.position", "model.encoder.embed_positions.weight"},
                                 Renamed{"decoder.position", "model.decoder.embed_positions.weight"},
                                 Renamed{"encoder.final_norm.gamma", "model.encoder.layer_norm.weight"},
                                 Renamed{"encoder.final_norm.beta", "model.encoder.layer_norm.bias"},
                                 Renamed{"decoder.final_norm.gamma", "model.decoder.layer_norm.weight"},
                                 Renamed{"decoder.final_norm.beta", "model.decoder.layer_norm.bias"},
                                 Renamed{"output", "lm_head.weight"},
                                 Renamed{"output_bias", "lm_head.bias"}};

std::string_view without_prefix(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

template <class Table>
std::string_view renamed(const Table& table, std::string_view ours) {
  const auto at = std::find_if(table.begin(), table.end(), [&](const Renamed& one) { return one.ours == ours; });
  return at == table.end() ? std::string_view() : at->stored;
}

// "layer.12.wq" as 12 and "wq"; an empty second part: the name is of no layer.
std::pair<std::string_view, std::string_view> layer_and_rest(std::string_view name) {
  if (!name.starts_with("layer.")) return {};
  const std::string_view behind = name.substr(6);
  const std::size_t dot = behind.find('.');
  if (dot == std::string_view::npos) return {};
  return {behind.substr(0, dot), behind.substr(dot + 1)};
}

bool is_table(std::string_view name) { return name.ends_with("embedding") || name == "position" || name.ends_with(".position"); }

// Whether the parameter's columns are those of queries or keys that rotary positions turn.
bool is_turned(const StoredModel& model, std::string_view name) {
  if (model.document.position != "rotary" || name.find("cross.") != std::string_view::npos) return false;
  return name.ends_with(".wq") || name.ends_with(".wk") || name.ends_with(".bq") || name.ends_with(".bk");
}

// The rows of a stored matrix [out, in] (or vector [out]) in another order inside each head of d_k rows: from pairs side by side
// to halves, or back.
Tensor reordered(const Tensor& from, std::int64_t d_k, bool to_halves) {
  const Tensor flat = from.compact();
  const std::int64_t rows = flat.dim(0), width = flat.rank() == 1 ? 1 : flat.dim(1);
  Tensor out(DType::f32, flat.shape(), flat.axes(), true);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t head = row / d_k * d_k, i = row % d_k;
    const std::int64_t halved = head + i / 2 + (i % 2) * (d_k / 2);  // where row `row` of the pairs stands
    const std::int64_t source = to_halves ? row : halved, target = to_halves ? halved : row;
    std::copy_n(flat.data<float>() + source * width, width, out.data<float>() + target * width);
  }
  return out;
}

}  // namespace

Result<std::string> stored_name(const StoredModel& model, std::string_view parameter) {
  const std::string_view name = without_prefix(parameter, "parameters.");
  const auto behind = [&](const std::string& prefix, const auto& table, std::string_view of_stack) -> std::string {
    const auto [layer, rest] = layer_and_rest(of_stack);
    const std::string_view stored = renamed(table, rest);
    return stored.empty() ? std::string() : prefix + "layers." + std::string(layer) + "." + std::string(stored);
  };
  std::string stored;
  if (name == "embedding") {
    stored = model.task != ModelTask::encoder_decoder ? "model.embed_tokens.weight"
             : model.target_vocabulary > 0            ? "model.encoder.embed_tokens.weight"
                                                      : "model.shared.weight";
  } else if (const std::string_view outside = renamed(kOutside, name); !outside.empty()) {
    stored = outside;
  } else if (name.starts_with("encoder.")) {
    stored = behind("model.encoder.", kBartLayer, name.substr(8));
  } else if (name.starts_with("decoder.")) {
    stored = behind("model.decoder.", kBartLayer, name.substr(8));
  } else {
    stored = behind("model.", kLlamaLayer, name);
  }
  if (stored.empty()) return failure(ErrorKind::internal, "the parameter '{}' has no stored name", parameter);
  return stored;
}

Shape stored_shape(std::string_view parameter, const Shape& ours) {
  if (ours.size() != 2 || is_table(without_prefix(parameter, "parameters."))) return ours;
  return {ours[1], ours[0]};
}

Tensor to_stored(const StoredModel& model, std::string_view parameter, const Tensor& ours) {
  const std::string_view name = without_prefix(parameter, "parameters.");
  Tensor t = ours.rank() == 2 && !is_table(name) ? ours.permuted({1, 0}).compact() : ours.compact();
  if (is_turned(model, name)) t = reordered(t, model.document.d_model / model.document.heads, true);
  return t;
}

Tensor from_stored(const StoredModel& model, std::string_view parameter, const Tensor& stored) {
  const std::string_view name = without_prefix(parameter, "parameters.");
  Tensor t = stored;
  if (is_turned(model, name)) t = reordered(t, model.document.d_model / model.document.heads, false);
  return t.rank() == 2 && !is_table(name) ? t.permuted({1, 0}).compact() : t.compact();
}

}  // namespace headlight::models
