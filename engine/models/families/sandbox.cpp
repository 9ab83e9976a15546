// The sandbox as a composition of blocks.
#include "engine/models/blocks.h"
#include "engine/models/families/families.h"
#include "engine/models/formula_numbers.h"

namespace headlight::models {
namespace {

class Sandbox {
 public:
  Sandbox(const Document& document, const Sizes& sizes, DType real)
      : doc_(document),
        sizes_(sizes),
        builder_(sizes, document.d_model, real, Origin::random, document.interventions),
        position_(positions::registry().find(document.position)) {}

  ModelPlan build();

 private:
  // What tells the tokens of this side ("", "encoder.", "decoder.") where they stand; null: nothing, or it is taken out.
  const positions::Entry* position_of(std::string_view side) const {
    return positions_are_out(doc_.interventions, side) ? nullptr : position_;
  }
  AttentionPart attention_part(masks::Site site, std::int64_t layer) const;
  FeedForwardPart feed_forward_part() const;
  NormPart norm_part() const { return {doc_.norm_kind == "rms", true, 1e-5}; }
  Stream attend(const std::string& prefix, masks::Site site, std::int64_t layer, const Stream& queries, const Stream& keys);
  Stream feed_forward(const std::string& prefix, const Stream& stream);
  Stream finish(const std::string& prefix, const Stream& stream);
  void predict(const Stream& stream, int table, const Sizes::Tokens& tokens);
  // A part's result joins the stream: the residual sum, and with norm "post" the norm behind it.
  Stream join(const std::string& prefix, const Stream& stream, int part, const char* sum, Role sum_role, const char* norm,
              Role norm_role);

  const Document& doc_;
  const Sizes& sizes_;
  PlanBuilder builder_;
  const positions::Entry* position_;
};

AttentionPart Sandbox::attention_part(masks::Site site, std::int64_t layer) const {
  AttentionPart part;
  part.site = site;
  part.layer = layer;
  part.heads = doc_.heads;
  part.d_k = head_width(doc_);
  if (has_wide_heads(doc_)) part.stack_hidden = doc_.stack_hidden;
  part.keys_are_queries = doc_.qkv == "one";
  part.values_are_keys = doc_.qkv != "separate";
  part.projected = doc_.projected;
  part.bias = part.output_bias = doc_.bias;
  // Positions of two sentences are not counted from one another, so they change no scores in cross-attention.
  const positions::Entry* const position = position_of(sizes_.target_length == 0           ? ""
                                                       : site == masks::Site::encoder_self ? "encoder."
                                                                                           : "decoder.");
  if (position && position->where != positions::Where::input && site != masks::Site::cross) part.position = position;
  part.relative_clip = doc_.relative_clip;
  part.masks = doc_.masks;
  part.score = scores::registry().find(doc_.score);
  part.scale = scale_of(doc_, part.d_k);
  const bool root = doc_.scale == "sqrt" && part.score && part.score->divides_by_root;
  part.scale_words = root                ? "scores / sqrt(" + number(part.d_k) + ") = scores * " + number(part.scale)
                     : part.scale == 1.0 ? std::string("scores: not scaled")
                                         : "scores * " + number(part.scale);
  part.temperature = doc_.temperature;
  part.fill = doc_.mask_fill;
  return part;
}

FeedForwardPart Sandbox::feed_forward_part() const {
  FeedForwardPart part;
  part.d_ff = doc_.d_ff > 0 ? doc_.d_ff : 4 * doc_.d_model;
  part.bias = doc_.bias;
  if (const auto activation = operations::find_activation(doc_.activation)) part.activation = *activation;
  part.gated = doc_.gated;
  return part;
}

Stream Sandbox::join(const std::string& prefix, const Stream& stream, int part, const char* sum, Role sum_role, const char* norm,
                     Role norm_role) {
  Stream out = stream;
  out.node = doc_.residual ? builder_.residual(prefix + sum, sum_role, stream, part) : part;
  if (doc_.norm == "post") out.node = builder_.norm(prefix + norm, norm_role, norm_part(), out, out.node);
  return out;
}

Stream Sandbox::attend(const std::string& prefix, masks::Site site, std::int64_t layer, const Stream& queries,
                       const Stream& keys) {
  const bool pre = doc_.norm == "pre";
  const int x =
      pre ? builder_.norm(prefix + "attention_norm", Role::attention_norm, norm_part(), queries, queries.node) : queries.node;
  const int from_keys = site == masks::Site::cross ? keys.node : x;
  const int part = builder_.attention(prefix, attention_part(site, layer), queries, x, keys, from_keys);
  return join(prefix, queries, part, "attention_residual", Role::attention_residual, "attention_norm", Role::attention_norm);
}

Stream Sandbox::feed_forward(const std::string& prefix, const Stream& stream) {
  const bool pre = doc_.norm == "pre";
  const int x = pre ? builder_.norm(prefix + "mlp_norm", Role::mlp_norm, norm_part(), stream, stream.node) : stream.node;
  const int part = builder_.feed_forward(prefix, feed_forward_part(), stream, x);
  return join(prefix, stream, part, "mlp_residual", Role::mlp_residual, "mlp_norm", Role::mlp_norm);
}

Stream Sandbox::finish(const std::string& prefix, const Stream& stream) {
  if (!doc_.final_norm || doc_.norm != "pre") return stream;
  Stream out = stream;
  out.node = builder_.norm(prefix + "final_norm", Role::final_norm, norm_part(), stream, stream.node);
  return out;
}

void Sandbox::predict(const Stream& stream, int table, const Sizes::Tokens& tokens) {
  if (!sizes_.output.logits) return;
  builder_.output(stream, table, sizes_.output.tied);
  if (sizes_.output.losses) builder_.losses(stream, tokens.vocabulary);
}

ModelPlan Sandbox::build() {
  const int text_table = builder_.embedding_table("embedding", sizes_.text_tokens);
  const int target_table = sizes_.target_table ? builder_.embedding_table("target_embedding", sizes_.target_tokens) : text_table;
  const auto layer_name = [](std::int64_t i) { return "layer." + std::to_string(i) + "."; };
  if (sizes_.target_length == 0) {
    Stream x = builder_.embed("", false, text_table, position_of(""));
    for (std::int64_t i = 0; i < doc_.layers; ++i) {
      x = attend(layer_name(i), masks::Site::decoder_self, i, x, x);
      if (doc_.feed_forward) x = feed_forward(layer_name(i), x);
    }
    x = finish("", x);
    predict(x, text_table, sizes_.text_tokens);
    return std::move(builder_.plan);
  }
  Stream source = builder_.embed("encoder.", false, text_table, position_of("encoder."));
  for (std::int64_t i = 0; i < doc_.layers; ++i) {
    const std::string prefix = "encoder." + layer_name(i);
    source = attend(prefix, masks::Site::encoder_self, i, source, source);
    if (doc_.feed_forward) source = feed_forward(prefix, source);
  }
  source = finish("encoder.", source);
  Stream target = builder_.embed("decoder.", true, target_table, position_of("decoder."));
  for (std::int64_t i = 0; i < doc_.layers; ++i) {
    const std::string prefix = "decoder." + layer_name(i);
    target = attend(prefix, masks::Site::decoder_self, i, target, target);
    target = attend(prefix + "cross.", masks::Site::cross, i, target, source);
    if (doc_.feed_forward) target = feed_forward(prefix, target);
  }
  target = finish("decoder.", target);
  predict(target, target_table, sizes_.target_table ? sizes_.target_tokens : sizes_.text_tokens);
  return std::move(builder_.plan);
}

}  // namespace

Family sandbox() {
  Family family;
  static_cast<ModelName&>(family) = *model_names().find("sandbox");
  family.plan = [](const Document& document, const Sizes& sizes, DType real) { return Sandbox(document, sizes, real).build(); };
  family.weights = [](const Document& document) -> Result<std::shared_ptr<const Weights>> {
    return seeded_weights(document.seed);
  };
  return family;
}

}  // namespace headlight::models
