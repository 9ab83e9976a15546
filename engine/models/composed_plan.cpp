#include "engine/models/composed_plan.h"

#include <algorithm>
#include <cmath>

#include "engine/models/blocks.h"
#include "engine/models/formula_numbers.h"

namespace headlight::models {
namespace {

using architectures::Architecture;
using masks::Site;
using Norms = Architecture::Norms;

// "10000^(2 i / 64)", and what becomes of it.
std::string turn_words(const architectures::Rope& rope) {
  using enum architectures::Rope::Scaling;
  std::string words = number(rope.base) + "^(2 i / " + number(rope.turned) + ")";
  switch (rope.scaling) {
    case none: break;
    case linear: words += " / " + number(rope.factor); break;
    case dynamic: words += ", the base grown with the text beyond " + number(rope.longest) + " tokens"; break;
    case llama3: words += ", slow pairs " + number(rope.factor) + " times slower (llama3)"; break;
    case yarn: words += ", slow pairs " + number(rope.factor) + " times slower (yarn)"; break;
    case longrope: words += ", each pair slower by its own factor (longrope)"; break;
  }
  return words;
}

class Composer {
 public:
  Composer(const Architecture& architecture, const Document& document, const Sizes& sizes, DType real)
      : a_(architecture),
        doc_(document),
        sizes_(sizes),
        builder_(sizes, architecture.d_model, real, Origin::random, document.interventions),
        position_(positions::registry().find(architecture.position)) {}

  ModelPlan build();

 private:
  // What tells the tokens of this side ("", "encoder.", "decoder.") where they stand; null: nothing, or it is taken out.
  const positions::Entry* position_of(std::string_view side) const {
    return positions_are_out(doc_.interventions, side) ? nullptr : position_;
  }
  NormPart norm_part() const;
  EmbeddingPart embedding_part() const;
  AttentionPart attention_part(Site site, std::int64_t layer) const;
  FeedForwardPart feed_forward_part() const;
  std::vector<Choice> masks_of(std::int64_t layer) const;
  void set_scale(AttentionPart& part) const;
  void set_position(AttentionPart& part) const;

  // The layers of one side, and the norm behind the last. `source`: what its cross-attentions read; null: it has none.
  Stream layers(const std::string& side, Site site, Stream x, const Stream* source);
  Stream attend(const std::string& prefix, Site site, std::int64_t layer, const Stream& queries, const Stream& keys);
  // The feed-forward part reads `from`: in front of the attention where both read the same vectors.
  Stream feed_forward(const std::string& prefix, const Stream& stream, const Stream& from);
  // The stream's vectors as a part reads them.
  int read(const std::string& name, Role role, const Stream& stream);
  // The sum of the stream and a part's result, with the norms that stand behind the part or behind the sum.
  Stream join(const std::string& own, const Stream& stream, int part, Role sum, Role norm);
  void predict(const Stream& stream, int table, const Sizes::Tokens& tokens);

  const Architecture& a_;
  const Document& doc_;
  const Sizes& sizes_;
  PlanBuilder builder_;
  const positions::Entry* position_;
};

NormPart Composer::norm_part() const {
  NormPart part{a_.rms, a_.norm_bias, a_.epsilon};
  if (a_.norm_adds_one) part.note = "gamma is 1 + the stored number";
  return part;
}

EmbeddingPart Composer::embedding_part() const {
  EmbeddingPart part;
  part.scale = a_.embedding_scale;
  part.token_types = a_.token_types;
  if (a_.embedding_norm) {
    part.norm = norm_part();
    part.norm->parameters = "embedding_norm";
  }
  return part;
}

// The document's masks, and the layer's own window.
std::vector<Choice> Composer::masks_of(std::int64_t layer) const {
  std::vector<Choice> masks = doc_.masks;
  // Texts with rotary positions may be longer than the model's length.
  const std::int64_t longest = std::max(a_.length, sizes_.text_length);
  if (const std::int64_t window = a_.window_of(layer); a_.is_local(layer) && window + 1 < longest)
    masks.push_back({"window", {{"size", window}}});
  return masks;
}

void Composer::set_scale(AttentionPart& part) const {
  const bool own = doc_.scale == "sqrt" && part.score && part.score->divides_by_root;
  part.scale = own ? a_.scale_of(part.layer) : scale_of(doc_, a_.head_size);
  const bool root = own && part.scale == 1 / std::sqrt(static_cast<double>(a_.head_size));
  part.scale_words = root                ? "scores / sqrt(" + number(part.d_k) + ") = scores * " + number(part.scale)
                     : part.scale == 1.0 ? std::string("scores: not scaled")
                                         : "scores * " + number(part.scale);
  part.score_cap = a_.score_cap;
  if (a_.score_cap > 0)
    part.scale_words = number(a_.score_cap) + " tanh(x / " + number(a_.score_cap) + "), x = " + part.scale_words;
}

// Positions of two sentences are not counted from one another, so they change no scores in cross-attention.
void Composer::set_position(AttentionPart& part) const {
  const positions::Entry* const position = position_of(sizes_.target_length == 0         ? ""
                                                       : part.site == Site::encoder_self ? "encoder."
                                                                                         : "decoder.");
  if (!position || position->where == positions::Where::input || part.site == Site::cross) return;
  part.position = position;
  part.relative_clip = a_.relative_clip;
  if (const auto& rope = a_.rope_of(part.layer)) {
    const architectures::Turning turning = architectures::turning_of(*rope, sizes_.text_length);
    part.turn = TurnPart{rope->turned, turning.frequencies, turning.magnitude, turn_words(*rope)};
  }
}

AttentionPart Composer::attention_part(Site site, std::int64_t layer) const {
  AttentionPart part;
  part.site = site;
  part.layer = layer;
  part.heads = a_.heads;
  part.kv_heads = a_.kv_heads;
  part.d_k = a_.head_size;
  part.stack_hidden = a_.stack_hidden;
  part.projected = a_.projected;
  part.keys_are_queries = a_.keys_are_queries;
  part.values_are_keys = a_.values_are_keys;
  part.bias = a_.attention_bias;
  part.output_bias = a_.output_bias;
  if (a_.query_key_norm) part.row_norm = NormPart{true, false, a_.epsilon};
  part.masks = masks_of(layer);
  part.score = scores::registry().find(doc_.score);
  part.temperature = doc_.temperature;
  part.fill = doc_.mask_fill;
  set_scale(part);
  set_position(part);
  return part;
}

FeedForwardPart Composer::feed_forward_part() const {
  FeedForwardPart part;
  part.d_ff = a_.d_ff;
  part.bias = a_.feed_forward_bias;
  if (const auto activation = operations::find_activation(a_.activation)) part.activation = *activation;
  part.gated = a_.gated;
  return part;
}

int Composer::read(const std::string& name, Role role, const Stream& stream) {
  const bool normed = a_.norms != Norms::none && a_.norms != Norms::behind;
  return normed ? builder_.norm(name, role, norm_part(), stream, stream.node) : stream.node;
}

Stream Composer::join(const std::string& own, const Stream& stream, int part, Role sum, Role norm) {
  if (a_.norms == Norms::around) part = builder_.norm(own + "_post_norm", Role::other, norm_part(), stream, part);
  Stream out = stream;
  out.node = a_.residual ? builder_.residual(own + "_residual", sum, stream, part) : part;
  if (a_.norms == Norms::behind) out.node = builder_.norm(own + "_norm", norm, norm_part(), out, out.node);
  return out;
}

Stream Composer::attend(const std::string& prefix, Site site, std::int64_t layer, const Stream& queries, const Stream& keys) {
  const bool plain = layer == 0 && !a_.first_attention_norm;
  const int x = plain ? queries.node : read(prefix + "attention_norm", Role::attention_norm, queries);
  const int part = builder_.attention(prefix, attention_part(site, layer), queries, x, keys, site == Site::cross ? keys.node : x);
  return join(prefix + "attention", queries, part, Role::attention_residual, Role::attention_norm);
}

Stream Composer::feed_forward(const std::string& prefix, const Stream& stream, const Stream& from) {
  const int x = read(prefix + "mlp_norm", Role::mlp_norm, from);
  const int part = builder_.feed_forward(prefix, feed_forward_part(), stream, x);
  return join(prefix + "mlp", stream, part, Role::mlp_residual, Role::mlp_norm);
}

Stream Composer::layers(const std::string& side, Site site, Stream x, const Stream* source) {
  for (std::int64_t i = 0; i < a_.layers; ++i) {
    const std::string prefix = side + "layer." + std::to_string(i) + ".";
    const Stream before = x;
    x = attend(prefix, site, i, x, x);
    if (source) x = attend(prefix + "cross.", Site::cross, i, x, *source);
    if (a_.feed_forward) x = feed_forward(prefix, x, a_.norms == Norms::parallel ? before : x);
  }
  if (a_.final_norm) x.node = builder_.norm(side + "final_norm", Role::final_norm, norm_part(), x, x.node);
  return x;
}

void Composer::predict(const Stream& stream, int table, const Sizes::Tokens& tokens) {
  if (!sizes_.output.logits) return;
  builder_.output(stream, table, sizes_.output.tied, a_.logit_cap);
  if (sizes_.output.losses) builder_.losses(stream, tokens.vocabulary);
}

ModelPlan Composer::build() {
  const int table = builder_.embedding_table("embedding", sizes_.text_tokens);
  const int target_table = sizes_.target_table ? builder_.embedding_table("target_embedding", sizes_.target_tokens) : table;
  const auto embed = [&](const char* side, bool of_targets) {
    return builder_.embed(side, of_targets, of_targets ? target_table : table, position_of(side), embedding_part());
  };
  if (sizes_.target_length == 0) {
    predict(layers("", Site::decoder_self, embed("", false), nullptr), table, sizes_.text_tokens);
    return std::move(builder_.plan);
  }
  const Stream source = layers("encoder.", Site::encoder_self, embed("encoder.", false), nullptr);
  const Stream target = layers("decoder.", Site::decoder_self, embed("decoder.", true), &source);
  predict(target, target_table, sizes_.target_table ? sizes_.target_tokens : sizes_.text_tokens);
  return std::move(builder_.plan);
}

}  // namespace

ModelPlan plan_of(const Architecture& architecture, const Document& document, const Sizes& sizes, DType real) {
  return Composer(architecture, document, sizes, real).build();
}

}  // namespace headlight::models
