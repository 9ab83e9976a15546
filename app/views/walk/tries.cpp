#include "app/views/walk/tries.h"

#include <algorithm>
#include <functional>

#include "app/text/language.h"
#include "engine/operations/attention_fill.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::views::walk {
namespace {

using Kind = figures::WalkBox::Kind;

// "man bites dog" becomes "dog bites man".
std::string turned_around(const std::string& text) {
  std::string out;
  std::size_t end = text.size();
  while (true) {
    const std::size_t space = end == 0 ? std::string::npos : text.rfind(' ', end - 1);
    const std::size_t begin = space == std::string::npos ? 0 : space + 1;
    out += (out.empty() ? "" : " ") + text.substr(begin, end - begin);
    if (space == std::string::npos) return out;
    end = space;
  }
}

bool has_mask(const Document& d, std::string_view id) {
  return std::any_of(d.masks.begin(), d.masks.end(), [&](const Choice& c) { return c.id == id; });
}

// The changes that a box offers, as they are collected.
struct Offers {
  const Document& now;
  const figures::WalkBox& box;
  std::size_t most;
  std::vector<WalkTry> out{};

  void offer(const std::string& words, const std::function<void(Document&)>& change) {
    if (out.size() >= most) return;
    Document next = now;
    change(next);
    if (!(next == now) && validate(next).ok()) out.push_back({words, std::move(next)});
  }
  bool is(std::initializer_list<Role> roles) const {
    return box.kind == Kind::step && std::find(roles.begin(), roles.end(), box.role) != roles.end();
  }
};

void offer_inputs(Offers& offers) {
  if (offers.box.kind == Kind::text)
    offers.offer(tr("turn the order of the words around"), [](Document& d) {
      for (std::string& text : d.texts) text = turned_around(text);
    });
  if (offers.is({Role::tokens})) {
    const auto& entries = tokenizers::registry().entries();
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].id == offers.now.tokenizer || i + 1 == entries.size()) {
        const auto& next = entries[(i + 1) % entries.size()];
        offers.offer(fill(tr("cut with {} instead"), {tr(next.label.c_str())}), [&](Document& d) { d.tokenizer = next.id; });
        break;
      }
  }
  if ((offers.box.kind == Kind::text || offers.is({Role::tokens})) && !offers.now.add_begin)
    offers.offer(tr("put a begin token before the sentence"), [](Document& d) { d.add_begin = true; });
  if (offers.is({Role::embedding}) && offers.now.matrices.empty())
    offers.offer(tr("draw other random weights: the next seed"), [](Document& d) { ++d.seed; });
  if (offers.is({Role::logits, Role::probabilities, Role::loss, Role::loss_shifted}) && offers.now.model == "sandbox")
    offers.offer(tr("draw other random weights: the next seed"), [](Document& d) { ++d.seed; });
  if (offers.is({Role::embedding, Role::position, Role::input})) {
    if (offers.now.position == "none")
      offers.offer(tr("add sinusoidal positions"), [](Document& d) { d.position = "sinusoidal"; });
    else
      offers.offer(tr("leave the positions out"), [](Document& d) { d.position = "none"; });
    if (offers.now.position != "learned")
      offers.offer(tr("positions that would be learned"), [](Document& d) { d.position = "learned"; });
    offers.offer(tr("turn the order of the words around"), [](Document& d) {
      for (std::string& text : d.texts) text = turned_around(text);
    });
  }
  if ((offers.box.kind == Kind::layer_input || offers.box.kind == Kind::encoder_output) && offers.now.layers > 1)
    offers.offer(fill(tr("make the model {} layers deep"), {std::to_string(offers.now.layers - 1)}),
                 [](Document& d) { --d.layers; });
}

void offer_scores(Offers& offers) {
  if (offers.is({Role::attention_norm, Role::mlp_norm})) {
    if (offers.now.norm != "post")
      offers.offer(tr("put the norm after the sum (post-norm)"), [](Document& d) { d.norm = "post"; });
    else
      offers.offer(tr("put the norm before attention (pre-norm)"), [](Document& d) { d.norm = "pre"; });
    offers.offer(tr("leave the norm out"), [](Document& d) { d.norm = "none"; });
  }
  if (offers.is({Role::final_norm})) offers.offer(tr("leave the norm out"), [](Document& d) { d.final_norm = false; });
  if (offers.is({Role::q_scored, Role::k_scored})) {
    if (offers.now.position == "rotary") offers.offer(tr("leave the positions out"), [](Document& d) { d.position = "none"; });
    if (offers.now.score == "cosine")
      offers.offer(tr("score by the product instead of the cosine"), [](Document& d) { d.score = Document{}.score; });
    if (offers.now.score == "additive")
      offers.offer(tr("score by the product instead of the network"), [](Document& d) { d.score = "dot"; });
    if (offers.now.score == "general")
      offers.offer(tr("score by the product, without the matrix between"), [](Document& d) { d.score = "dot"; });
  }
  if (offers.is({Role::q, Role::k, Role::v})) {
    if (!offers.now.projected)
      offers.offer(tr("put the projections back"), [](Document& d) { d.projected = true; });
    else
      offers.offer(tr("leave the projections out: Q = K = V = x"), [](Document& d) {
        d.projected = false;
        d.heads = 1;
        d.combiner = Document{}.combiner;
      });
    if (offers.now.projected && offers.now.score != "location")
      offers.offer(offers.now.qkv == "separate" ? tr("one projection for key and value: K = V") : tr("three projections again"),
                   [](Document& d) { d.qkv = d.qkv == "separate" ? "shared" : "separate"; });
    if (offers.now.norm == "none") offers.offer(tr("put a norm before attention"), [](Document& d) { d.norm = "pre"; });
  }
  if (offers.is({Role::scores, Role::concat, Role::q})) {
    if (offers.now.heads > 1)
      offers.offer(fill(tr("one head instead of {}"), {std::to_string(offers.now.heads)}), [](Document& d) { d.heads = 1; });
    else if (offers.now.projected)
      offers.offer(tr("four heads instead of one"), [](Document& d) { d.heads = 4; });
  }
  if (offers.is({Role::concat}) && offers.now.projected)
    offers.offer(tr("stack the heads instead: tanh(tanh(Stack W_H) W_O)"), [](Document& d) { d.combiner = "stack2d"; });
  if (offers.is({Role::heads_stacked, Role::stack_hidden}))
    offers.offer(tr("put the heads side by side again"), [](Document& d) { d.combiner = Document{}.combiner; });
  if (offers.is({Role::scaled_scores, Role::scores})) {
    if (offers.now.scale != "none")
      offers.offer(tr("do not scale, and look at the weights"), [](Document& d) { d.scale = "none"; });
    else
      offers.offer(tr("scale by 1/√d_k again"), [](Document& d) { d.scale = "sqrt"; });
  }
}

void offer_masks_and_weights(Offers& offers) {
  if (offers.is({Role::masked_scores})) {
    if (!has_mask(offers.now, "causal"))
      offers.offer(tr("set the causal mask"), [](Document& d) { d.masks.push_back({"causal", {}}); });
    else if (offers.now.mask_fill == operations::MaskFill::minus_infinity)
      offers.offer(tr("fill with -1e9 instead of -inf"), [](Document& d) { d.mask_fill = operations::MaskFill::minus_1e9; });
    if (offers.now.mask_fill != operations::MaskFill::minus_infinity)
      offers.offer(tr("fill with -inf instead of -1e9"), [](Document& d) { d.mask_fill = operations::MaskFill::minus_infinity; });
    if (!has_mask(offers.now, "padding"))
      offers.offer(tr("add a shorter sentence and mask its padding"), [](Document& d) {
        if (d.texts.size() == 1) {
          d.texts.push_back("a creature");
          if (!d.targets.empty()) d.targets.push_back(d.targets.front());
        }
        d.masks.push_back({"padding", {}});
      });
    offers.offer(tr("take all masks away"), [](Document& d) { d.masks.clear(); });
  }
  if (offers.is({Role::weights})) {
    if (offers.now.temperature != 1)
      offers.offer(tr("back to temperature 1"), [](Document& d) { d.temperature = 1; });
    else
      offers.offer(tr("temperature 2: more even"), [](Document& d) { d.temperature = 2; });
    if (offers.now.temperature >= 1) offers.offer(tr("temperature 0.5: sharper"), [](Document& d) { d.temperature = 0.5; });
  }
  if (offers.is({Role::context})) {
    if (!has_mask(offers.now, "causal"))
      offers.offer(tr("set the causal mask: the first token is left with its own value"), [](Document& d) {
        d.masks.push_back({"causal", {}});
      });
    else
      offers.offer(tr("take the causal mask away"),
                   [](Document& d) { std::erase_if(d.masks, [](const Choice& c) { return c.id == "causal"; }); });
  }
}

void offer_parts(Offers& offers) {
  if (offers.is({Role::attention_output, Role::mlp_output}))
    offers.offer(offers.now.bias ? tr("leave the biases out") : tr("put the biases back"), [](Document& d) { d.bias = !d.bias; });
  if (offers.is({Role::attention_output, Role::attention_residual, Role::mlp_residual, Role::mlp_output, Role::concat}))
    offers.offer(offers.now.residual ? tr("leave the residual connections out") : tr("put the residual connections back"),
                 [](Document& d) { d.residual = !d.residual; });
  if (offers.is({Role::mlp_gate, Role::mlp_up})) offers.offer(tr("leave the gate out"), [](Document& d) { d.gated = false; });
  if (offers.is({Role::attention_residual, Role::mlp_gate, Role::mlp_up, Role::mlp_hidden, Role::mlp_output, Role::mlp_residual,
                 Role::attention_output}))
    offers.offer(offers.now.feed_forward ? tr("leave the feed-forward part out") : tr("put the feed-forward part back"),
                 [](Document& d) { d.feed_forward = !d.feed_forward; });
}

}  // namespace

std::vector<WalkTry> walk_tries(const Document& now, const figures::WalkBox& box, std::size_t most) {
  Offers offers{now, box, most};
  offer_inputs(offers);
  offer_scores(offers);
  offer_masks_and_weights(offers);
  offer_parts(offers);
  return std::move(offers.out);
}

}  // namespace headlight::views::walk
