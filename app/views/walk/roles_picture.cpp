#include "app/views/walk/roles_picture.h"

#include <algorithm>
#include <iterator>

#include "app/text/language.h"

namespace headlight::figures {
namespace {

using Kind = WalkBox::Kind;

// In the usual order of a layer, which walk_rank() counts in.
constexpr WalkRole kRoles[] = {
    {Kind::text, Role::other, "text", tr_later("text"), tr_later("text"), tr_later("the text"), WalkPart::text},
    {Kind::step, Role::tokens, "tokens", tr_later("tokens"), tr_later("tokens"), tr_later("the tokens"), WalkPart::text},
    {Kind::step, Role::embedding, "embedding", tr_later("embedding"), tr_later("embedding"), tr_later("the embedding"),
     WalkPart::text},
    {Kind::step, Role::position_part, "", nullptr, nullptr, nullptr, WalkPart::text, Role::position},
    {Kind::step, Role::position, "position", tr_later("positions"), tr_later("positions"), tr_later("the positions"),
     WalkPart::text},
    {Kind::step, Role::position_unsqueezed, "", nullptr, nullptr, nullptr, WalkPart::stream, Role::input},
    {Kind::step, Role::input, "input", tr_later("input x"), tr_later("input x"), tr_later("the input x"), WalkPart::stream},
    {Kind::layer_input, Role::other, "x", tr_later("layer input"), tr_later("layer input"), tr_later("the layer's input"),
     WalkPart::stream},
    {Kind::encoder_output, Role::other, "memory", tr_later("encoder"), tr_later("encoder"), tr_later("the encoder's output"),
     WalkPart::stream},
    {Kind::step, Role::attention_norm, "attention_norm", tr_later("norm"), tr_later("norm"), tr_later("the norm"), {}},
    {Kind::step, Role::q_projected, "", nullptr, nullptr, nullptr, WalkPart::heads, Role::q},
    {Kind::step, Role::q_view, "", nullptr, nullptr, nullptr, WalkPart::heads, Role::q},
    {Kind::step, Role::k_projected, "", nullptr, nullptr, nullptr, WalkPart::heads, Role::k},
    {Kind::step, Role::k_view, "", nullptr, nullptr, nullptr, WalkPart::heads, Role::k},
    {Kind::step, Role::v_projected, "", nullptr, nullptr, nullptr, WalkPart::heads, Role::v},
    {Kind::step, Role::v_view, "", nullptr, nullptr, nullptr, WalkPart::heads, Role::v},
    {Kind::step, Role::q, "q", tr_later("Q"), tr_later("Q K V"), tr_later("query, key and value"), WalkPart::heads},
    {Kind::step, Role::k, "k", tr_later("K"), tr_later("Q K V"), tr_later("query, key and value"), WalkPart::heads},
    {Kind::step, Role::v, "v", tr_later("V"), tr_later("Q K V"), tr_later("query, key and value"), WalkPart::heads},
    {Kind::step, Role::q_scored, "", nullptr, tr_later("Q' K'"), tr_later("query and key, made ready for the scores"),
     WalkPart::scored},
    {Kind::step, Role::k_scored, "", nullptr, tr_later("Q' K'"), tr_later("query and key, made ready for the scores"),
     WalkPart::scored},
    {Kind::step, Role::k_transposed, "", nullptr, nullptr, nullptr, WalkPart::pattern, Role::scores},
    {Kind::step, Role::scores, "scores", tr_later("scores"), tr_later("scores"), tr_later("the scores"), WalkPart::pattern},
    {Kind::step, Role::scaled_scores, "scaled_scores", tr_later("scaled"), tr_later("scale"), tr_later("the scale"),
     WalkPart::pattern},
    {Kind::step, Role::position_bias, "position_bias", tr_later("bias"), tr_later("bias"), tr_later("the positions' bias"),
     WalkPart::pattern},
    {Kind::step, Role::mask_part, "", nullptr, nullptr, nullptr, WalkPart::pattern, Role::masked_scores},
    {Kind::step, Role::mask_part_squeezed, "", nullptr, nullptr, nullptr, WalkPart::pattern, Role::masked_scores},
    {Kind::step, Role::mask, "mask", tr_later("mask"), tr_later("mask"), tr_later("the mask"), WalkPart::pattern,
     Role::masked_scores},
    {Kind::step, Role::masked_scores, "mask", tr_later("mask"), tr_later("mask"), tr_later("the mask"), WalkPart::pattern},
    {Kind::step, Role::weights, "weights", tr_later("weights"), tr_later("softmax"), tr_later("softmax"), WalkPart::pattern},
    {Kind::step, Role::context_of_values, "context_of_values", tr_later("values"), tr_later("sum of values"),
     tr_later("the weighted values"), WalkPart::result},
    {Kind::step, Role::context_of_positions, "context_of_positions", tr_later("distance"), tr_later("sum of distances"),
     tr_later("the weighted distances"), WalkPart::result},
    {Kind::step, Role::context, "context", tr_later("context"), tr_later("context"), tr_later("the weighted sum"),
     WalkPart::result},
    {Kind::step, Role::context_transposed, "", nullptr, nullptr, nullptr, WalkPart::result, Role::concat},
    {Kind::step, Role::context_copied, "", nullptr, nullptr, nullptr, WalkPart::result, Role::concat},
    {Kind::step, Role::concat, "concat", tr_later("concat"), tr_later("concat"), tr_later("side by side"), WalkPart::result},
    {Kind::step, Role::heads_stacked, "heads_stacked", tr_later("stack"), tr_later("stack"), tr_later("the stack of heads"),
     WalkPart::result},
    {Kind::step, Role::stack_hidden, "stack_hidden", tr_later("hidden"), tr_later("W_H"), tr_later("the stack's hidden numbers"),
     WalkPart::result},
    {Kind::step, Role::attention_output, "attention_output", tr_later("output"), tr_later("W_O"), tr_later("the output matrix"),
     WalkPart::result},
    {Kind::step, Role::attention_residual, "attention_residual", tr_later("residual"), tr_later("residual"),
     tr_later("the residual"), WalkPart::result},
    {Kind::step, Role::mlp_norm, "mlp_norm", tr_later("norm"), tr_later("norm"), tr_later("the norm"), WalkPart::feed},
    {Kind::step, Role::mlp_gate, "mlp_gate", tr_later("MLP gate"), tr_later("gate"), tr_later("feed-forward, the gate"),
     WalkPart::feed},
    {Kind::step, Role::mlp_up, "mlp_up", tr_later("MLP up"), tr_later("W_up"), tr_later("feed-forward, beside the gate"),
     WalkPart::feed},
    {Kind::step, Role::mlp_hidden, "mlp_hidden", tr_later("MLP hidden"), tr_later("hidden"), tr_later("feed-forward, up"),
     WalkPart::feed},
    {Kind::step, Role::mlp_output, "mlp_output", tr_later("MLP output"), tr_later("MLP"), tr_later("feed-forward, down"),
     WalkPart::feed},
    {Kind::step, Role::mlp_residual, "mlp_residual", tr_later("residual"), tr_later("residual"), tr_later("the residual"),
     WalkPart::feed},
    {Kind::step, Role::final_norm, "final_norm", tr_later("last norm"), tr_later("last norm"), tr_later("the last norm"), {}},
    {Kind::unembedding, Role::other, "unembedding", tr_later("unembed"), tr_later("unembedding"), tr_later("the unembedding"),
     WalkPart::last},
    {Kind::step, Role::logits, "logits", tr_later("logits"), tr_later("logits"), tr_later("the logits"), {}},
    {Kind::step,
     Role::probabilities,
     "probabilities",
     tr_later("probabilities"),
     tr_later("probabilities"),
     tr_later("the probabilities"),
     {}},
    {Kind::step, Role::loss_part, "", nullptr, nullptr, nullptr, WalkPart::last, Role::loss},
    {Kind::step, Role::loss, "loss", tr_later("loss"), tr_later("loss"), tr_later("the loss, each place against its own token"),
     WalkPart::last},
    {Kind::step, Role::loss_shifted, "loss_shifted", tr_later("shifted loss"), tr_later("shifted loss"),
     tr_later("the loss, each place against the next token"), WalkPart::last},
    {Kind::word, Role::other, "word", tr_later("word"), tr_later("word"), tr_later("the word"), WalkPart::last},
};

}  // namespace

const WalkRole* walk_role(Kind kind, Role role) {
  if (kind == Kind::step && role == Role::other) return nullptr;
  const auto at = std::find_if(std::begin(kRoles), std::end(kRoles),
                               [&](const WalkRole& one) { return one.kind == kind && (kind != Kind::step || one.role == role); });
  return at == std::end(kRoles) ? nullptr : at;
}

std::ptrdiff_t walk_rank(const WalkBox& box) {
  const WalkRole* role = walk_role(box.kind, box.role);
  return role ? role - std::begin(kRoles) : -1;
}

std::ptrdiff_t walk_rank(std::string_view id) {
  const auto at = std::find_if(std::begin(kRoles), std::end(kRoles), [&](const WalkRole& one) { return id == one.id; });
  return at == std::end(kRoles) ? -1 : at - std::begin(kRoles);
}

}  // namespace headlight::figures
