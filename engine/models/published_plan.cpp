// An architecture's plan as a composition of blocks.
#include "engine/models/published_plan.h"

#include <algorithm>
#include <cmath>

#include "engine/models/blocks.h"
#include "engine/models/formula_numbers.h"

namespace headlight::models {
namespace {

using architectures::Architecture;
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

class Published {
 public:
  Published(const Architecture& architecture, const Document& document, const Sizes& sizes, DType real)
      : a_(architecture),
        doc_(document),
        sizes_(sizes),
        builder_(sizes, architecture.d_model, real, Origin::file, document.interventions),
        position_(positions_are_out(document.interventions, "") ? nullptr : positions::registry().find(document.position)) {}

  ModelPlan build();

 private:
  NormPart norm_part() const;
  AttentionPart attention_part(std::int64_t layer) const;
  std::vector<Choice> masks_of(std::int64_t layer) const;
  Stream layer(std::int64_t i, const Stream& x);
  // The sum of the stream and a part's result, with the norms that stand behind the part or behind the sum.
  Stream join(const std::string& prefix, const Stream& stream, int part, const char* name, Role sum, Role norm);

  const Architecture& a_;
  const Document& doc_;
  const Sizes& sizes_;
  PlanBuilder builder_;
  const positions::Entry* position_;
};

NormPart Published::norm_part() const {
  NormPart part{a_.rms, a_.norm_bias, a_.epsilon};
  if (a_.norm_adds_one) part.note = "gamma is 1 + the stored number";
  return part;
}

// The document's masks, and the layer's own window.
std::vector<Choice> Published::masks_of(std::int64_t layer) const {
  std::vector<Choice> masks = doc_.masks;
  // Texts with rotary positions may be longer than the model's length.
  const std::int64_t longest = std::max(a_.length, sizes_.text_length);
  if (const std::int64_t window = a_.window_of(layer); a_.is_local(layer) && window + 1 < longest)
    masks.push_back({"window", {{"size", window}}});
  return masks;
}

AttentionPart Published::attention_part(std::int64_t layer) const {
  AttentionPart part;
  part.site = masks::Site::decoder_self;
  part.layer = layer;
  part.heads = a_.heads;
  part.kv_heads = a_.kv_heads;
  part.d_k = a_.head_size;
  part.bias = a_.attention_bias;
  part.output_bias = a_.output_bias;
  part.masks = masks_of(layer);
  part.score = scores::registry().find(doc_.score);
  const bool own = doc_.scale == "sqrt" && part.score && part.score->divides_by_root;
  part.scale = own ? a_.scale_of(layer) : scores::scale(*part.score, doc_.scale, a_.head_size);
  const bool root = part.scale == 1 / std::sqrt(static_cast<double>(a_.head_size));
  part.scale_words = root                ? "scores / sqrt(" + number(part.d_k) + ") = scores * " + number(part.scale)
                     : part.scale == 1.0 ? std::string("scores: not scaled")
                                         : "scores * " + number(part.scale);
  part.score_cap = a_.score_cap;
  if (a_.score_cap > 0)
    part.scale_words = number(a_.score_cap) + " tanh(x / " + number(a_.score_cap) + "), x = " + part.scale_words;
  part.temperature = doc_.temperature;
  part.fill = doc_.mask_fill;
  if (a_.query_key_norm) part.row_norm = NormPart{true, false, a_.epsilon};
  if (const auto& rope = a_.rope_of(layer); rope && position_) {
    part.position = position_;
    const architectures::Turning turning = architectures::turning_of(*rope, sizes_.text_length);
    part.turn = TurnPart{rope->turned, turning.frequencies, turning.magnitude, turn_words(*rope)};
  }
  return part;
}

Stream Published::join(const std::string& prefix, const Stream& stream, int part, const char* name, Role sum, Role norm) {
  const std::string own = prefix + name;
  if (a_.norms == Norms::around) part = builder_.norm(own + "_post_norm", Role::other, norm_part(), stream, part);
  Stream out = stream;
  out.node = builder_.residual(own + "_residual", sum, stream, part);
  if (a_.norms == Norms::behind) out.node = builder_.norm(own + "_norm", norm, norm_part(), out, out.node);
  return out;
}

Stream Published::layer(std::int64_t i, const Stream& x) {
  const std::string prefix = "layer." + std::to_string(i) + ".";
  const bool before = a_.norms != Norms::behind;
  int read = x.node;
  if (before && (i > 0 || a_.first_attention_norm))
    read = builder_.norm(prefix + "attention_norm", Role::attention_norm, norm_part(), x, x.node);
  const int attended = builder_.attention(prefix, attention_part(i), x, read, x, read);
  const Stream between = join(prefix, x, attended, "attention", Role::attention_residual, Role::attention_norm);

  const Stream& from = a_.norms == Norms::parallel ? x : between;
  read = from.node;
  if (before) read = builder_.norm(prefix + "mlp_norm", Role::mlp_norm, norm_part(), from, from.node);
  FeedForwardPart part;
  part.d_ff = a_.d_ff;
  part.bias = a_.feed_forward_bias;
  if (const auto activation = operations::find_activation(a_.activation)) part.activation = *activation;
  part.gated = a_.gated;
  const int fed = builder_.feed_forward(prefix, part, between, read);
  return join(prefix, between, fed, "mlp", Role::mlp_residual, Role::mlp_norm);
}

ModelPlan Published::build() {
  const int table = builder_.embedding_table("embedding", sizes_.text_tokens);
  EmbeddingPart embedding;
  embedding.scale = a_.embedding_scale;
  embedding.token_type = a_.token_types;
  if (a_.embedding_norm) {
    embedding.norm = norm_part();
    embedding.norm->parameters = "embedding_norm";
  }
  Stream x = builder_.embed("", false, table, position_, embedding);
  for (std::int64_t i = 0; i < a_.layers; ++i) x = layer(i, x);
  if (a_.final_norm) x.node = builder_.norm("final_norm", Role::final_norm, norm_part(), x, x.node);
  if (sizes_.output.logits) {
    builder_.output(x, table, a_.tied, a_.logit_cap);
    if (sizes_.output.losses) builder_.losses(x, sizes_.text_tokens.vocabulary);
  }
  return std::move(builder_.plan);
}

}  // namespace

ModelPlan published_plan(const Architecture& architecture, const Document& document, const Sizes& sizes, DType real) {
  return Published(architecture, document, sizes, real).build();
}

}  // namespace headlight::models
