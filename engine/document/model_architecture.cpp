#include "engine/document/model_architecture.h"

#include "engine/attention/positions/position.h"

namespace headlight {

using architectures::Architecture;
using Norms = Architecture::Norms;

Architecture architecture_of(const Document& document) {
  Architecture a;
  a.d_model = document.d_model;
  a.layers = document.layers;
  a.heads = a.kv_heads = document.heads;
  a.head_size = head_width(document);
  a.d_ff = document.d_ff > 0 ? document.d_ff : 4 * document.d_model;
  a.residual = document.residual;
  a.feed_forward = document.feed_forward;
  a.norms = document.norm == "pre" ? Norms::before : document.norm == "post" ? Norms::behind : Norms::none;
  a.rms = document.norm_kind == "rms";
  a.epsilon = 1e-5;
  a.final_norm = document.final_norm && document.norm == "pre";
  a.position = document.position;
  const positions::Entry* const position = positions::registry().find(document.position);
  if (position && position->where == positions::Where::relative) a.relative_clip = document.relative_clip;
  a.projected = document.projected;
  a.keys_are_queries = document.qkv == "one";
  a.values_are_keys = document.qkv != "separate";
  if (has_wide_heads(document)) a.stack_hidden = document.stack_hidden;
  a.attention_bias = a.output_bias = a.feed_forward_bias = document.bias;
  a.gated = document.gated;
  a.activation = document.activation;
  return a;
}

std::shared_ptr<const Architecture> architecture_of(const StoredModel& model) {
  if (is_published(model)) return {model.checkpoint, &model.checkpoint->architecture};
  auto a = std::make_shared<Architecture>(architecture_of(model.document));
  a->causal = model.task != ModelTask::encoder;
  a->predicts = model.predicts;
  a->tied = model.tied;
  a->vocabulary = model.vocabulary;
  a->length = model.length;
  return a;
}

Document document_of(const Architecture& a) {
  Document d;
  d.d_model = a.d_model;
  d.heads = a.heads;
  d.layers = a.layers;
  d.d_ff = a.d_ff;
  d.bias = a.attention_bias;
  d.norm = a.norms == Norms::behind ? "post" : "pre";
  d.norm_kind = a.rms ? "rms" : "layer";
  d.final_norm = a.final_norm;
  d.activation = a.activation;
  d.gated = a.gated;
  d.position = a.position;
  if (a.causal) d.masks = {{"causal", {}}};
  return d;
}

}  // namespace headlight
