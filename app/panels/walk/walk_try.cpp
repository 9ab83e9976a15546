#include "app/panels/walk/walk_try.h"

#include <algorithm>
#include <functional>

#include "app/text/language.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::panels {
namespace {

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

}  // namespace

std::vector<WalkTry> walk_tries(const Document& now, std::string_view id, std::size_t most) {
  std::vector<WalkTry> out;
  const auto offer = [&](const std::string& words, const std::function<void(Document&)>& change) {
    if (out.size() >= most) return;
    Document next = now;
    change(next);
    if (!(next == now) && validate(next).ok()) out.push_back({words, std::move(next)});
  };
  const auto is = [&](std::initializer_list<const char*> ids) {
    return std::any_of(ids.begin(), ids.end(), [&](const char* one) { return id == one; });
  };
  if (is({"text"}))
    offer(tr("turn the order of the words around"), [](Document& d) {
      for (std::string& text : d.texts) text = turned_around(text);
    });
  if (is({"tokens"})) {
    const auto& entries = tokenizers::registry().entries();
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].id == now.tokenizer || i + 1 == entries.size()) {
        const auto& next = entries[(i + 1) % entries.size()];
        offer(fill(tr("cut with {} instead"), {tr(next.label.c_str())}), [&](Document& d) { d.tokenizer = next.id; });
        break;
      }
  }
  if (is({"text", "tokens"}) && !now.add_begin)
    offer(tr("put a begin token before the sentence"), [](Document& d) { d.add_begin = true; });
  if (is({"embedding"})) offer(tr("draw other random weights: the next seed"), [](Document& d) { ++d.seed; });
  if (is({"embedding", "position", "input"})) {
    if (now.position == "none")
      offer(tr("add sinusoidal positions"), [](Document& d) { d.position = "sinusoidal"; });
    else
      offer(tr("leave the positions out"), [](Document& d) { d.position = "none"; });
    if (now.position != "learned") offer(tr("positions that would be learned"), [](Document& d) { d.position = "learned"; });
    offer(tr("turn the order of the words around"), [](Document& d) {
      for (std::string& text : d.texts) text = turned_around(text);
    });
  }
  if (is({"x", "memory"}) && now.layers > 1)
    offer(fill(tr("make the model {} layers deep"), {std::to_string(now.layers - 1)}), [](Document& d) { --d.layers; });
  if (is({"attention_norm", "mlp_norm"})) {
    if (now.norm != "post")
      offer(tr("put the norm after the sum (post-norm)"), [](Document& d) { d.norm = "post"; });
    else
      offer(tr("put the norm before attention (pre-norm)"), [](Document& d) { d.norm = "pre"; });
    offer(tr("leave the norm out"), [](Document& d) { d.norm = "none"; });
  }
  if (is({"q", "k", "v"})) {
    if (!now.projected)
      offer(tr("put the projections back"), [](Document& d) { d.projected = true; });
    else
      offer(tr("leave the projections out: Q = K = V = x"), [](Document& d) {
        d.projected = false;
        d.heads = 1;
      });
    if (now.norm == "none") offer(tr("put a norm before attention"), [](Document& d) { d.norm = "pre"; });
  }
  if (is({"scores", "concat", "q"})) {
    if (now.heads > 1)
      offer(fill(tr("one head instead of {}"), {std::to_string(now.heads)}), [](Document& d) { d.heads = 1; });
    else if (now.projected)
      offer(tr("four heads instead of one"), [](Document& d) { d.heads = 4; });
  }
  if (is({"scaled_scores", "scores"})) {
    if (now.scale != "none")
      offer(tr("do not scale, and look at the weights"), [](Document& d) { d.scale = "none"; });
    else
      offer(tr("scale by 1/√d_k again"), [](Document& d) { d.scale = "sqrt"; });
  }
  if (is({"mask"})) {
    if (!has_mask(now, "causal"))
      offer(tr("set the causal mask"), [](Document& d) { d.masks.push_back({"causal", {}}); });
    else if (now.mask_fill == backends::MaskFill::minus_infinity)
      offer(tr("fill with -1e9 instead of -inf"), [](Document& d) { d.mask_fill = backends::MaskFill::minus_1e9; });
    if (now.mask_fill != backends::MaskFill::minus_infinity)
      offer(tr("fill with -inf instead of -1e9"), [](Document& d) { d.mask_fill = backends::MaskFill::minus_infinity; });
    if (!has_mask(now, "padding"))
      offer(tr("add a shorter sentence and mask its padding"), [](Document& d) {
        if (d.texts.size() == 1) {
          d.texts.push_back("a creature");
          if (!d.targets.empty()) d.targets.push_back(d.targets.front());
        }
        d.masks.push_back({"padding", {}});
      });
    offer(tr("take all masks away"), [](Document& d) { d.masks.clear(); });
  }
  if (is({"weights"})) {
    if (now.temperature != 1)
      offer(tr("back to temperature 1"), [](Document& d) { d.temperature = 1; });
    else
      offer(tr("temperature 2: more even"), [](Document& d) { d.temperature = 2; });
    if (now.temperature >= 1) offer(tr("temperature 0.5: sharper"), [](Document& d) { d.temperature = 0.5; });
  }
  if (is({"context"})) {
    if (!has_mask(now, "causal"))
      offer(tr("set the causal mask: the first token is left with its own value"), [](Document& d) {
        d.masks.push_back({"causal", {}});
      });
    else
      offer(tr("take the causal mask away"),
            [](Document& d) { std::erase_if(d.masks, [](const Choice& c) { return c.id == "causal"; }); });
  }
  if (is({"attention_output", "mlp_output"}))
    offer(now.bias ? tr("leave the biases out") : tr("put the biases back"), [](Document& d) { d.bias = !d.bias; });
  if (is({"attention_output", "attention_residual", "mlp_residual", "mlp_output", "concat"}))
    offer(now.residual ? tr("leave the residual connections out") : tr("put the residual connections back"),
          [](Document& d) { d.residual = !d.residual; });
  if (is({"attention_residual", "mlp_hidden", "mlp_output", "mlp_residual", "attention_output"}))
    offer(now.feed_forward ? tr("leave the feed-forward part out") : tr("put the feed-forward part back"),
          [](Document& d) { d.feed_forward = !d.feed_forward; });
  return out;
}

}  // namespace headlight::panels
