// What happens in each box, in one or two sentences of the user's language.
#include <cmath>
#include <cstdio>

#include "app/figures/walk/walk_notes.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

// The names that the models' plans give their operations, as far as the tables translate them; boxes show Step::operation.
[[maybe_unused]] constexpr const char* kOperations[] = {
    tr_later("tokenize"),
    tr_later("look up rows"),
    tr_later("sinusoidal positions"),
    tr_later("learned table (random here) positions"),
    tr_later("add"),
    tr_later("pass on"),
    tr_later("LayerNorm"),
    tr_later("RMSNorm"),
    tr_later("project"),
    tr_later("project, split into heads"),
    tr_later("q k^T"),
    tr_later("scale"),
    tr_later("replace where the mask is 0"),
    tr_later("softmax over keys"),
    tr_later("weights v"),
    tr_later("heads side by side"),
    tr_later("project, ReLU"),
};

std::string text_of(std::int64_t n) { return std::to_string(n); }
std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

std::string mask_words(const Trace& trace, const AttentionSite& site) {
  const bool infinite = trace.document().mask_fill == operations::MaskFill::minus_infinity;
  if (site.mask.parts.empty())
    return trace.document().masks.empty()
               ? tr("No mask: every token may look at every other, also at those that come later.")
               : tr("None of the chosen masks applies to this attention: every token may look at every other.");
  const bool causal = site.mask.parts.size() == 1 && site.mask.parts[0].choice.id == "causal";
  std::string words = causal ? tr("A token may look at itself and at what came before.")
                             : tr("A token may look where every mask allows it (hatched: it may not).");
  words += " ";
  words += infinite ? tr("The other scores are replaced by -inf, so that softmax gives them exactly 0.")
                    : tr("The other scores are replaced by -1e9: softmax gives them 0, unless a whole row is masked, which "
                         "becomes uniform.");
  return words;
}

std::string scale_words(const Trace& trace, const AttentionSite& site) {
  const std::string& scale = trace.document().scale;
  if (scale == "none") return tr("Not scaled: the scores stay as large as they come, and softmax leans towards a single winner.");
  if (scale != "sqrt") return fill(tr("Every score is multiplied by {}."), {number(site.scale)});
  return fill(
      tr("A sum of {} products grows with their number. Divided by √{} = {} the scores keep a size at which softmax still "
         "shares out."),
      {text_of(site.d_k), text_of(site.d_k), number(std::sqrt(static_cast<double>(site.d_k)))});
}

std::string head_words(const Trace& trace, const AttentionSite& site) {
  const Document& d = trace.document();
  if (!d.projected) return tr("Without projections the vectors themselves are query, key and value.");
  std::string words = site.site == masks::Site::cross
                          ? tr("The query is made from the second sentence; key and value from the encoder's first.")
                          : tr("Three views of every token: its query asks, its key answers, its value is what it hands on.");
  words += " ";
  if (site.heads > 1)
    words +=
        fill(tr("Each of {} heads owns {} of the {} numbers."), {text_of(site.heads), text_of(site.d_k), text_of(d.d_model)});
  return words;
}

}  // namespace

std::string walk_words(const Trace& trace, const AttentionSite* site, const WalkGraph& graph, int index) {
  if (index < 0 || index >= static_cast<int>(graph.boxes.size())) return {};
  const WalkBox& box = graph.boxes[static_cast<std::size_t>(index)];
  const Document& d = trace.document();
  const std::string& id = box.id;
  if (id == "text") return tr("All that the model is given: a row of characters.");
  if (id == "tokens")
    return fill(
        tr("The tokenizer cuts the text into pieces that it knows and replaces each by its number in a vocabulary: {} of them."),
        {text_of(box.shape.empty() ? 0 : box.shape.back())});
  if (id == "embedding")
    return fill(tr("Each number looks up its row of the embedding table: from here on a token is a list of {} numbers."),
                {text_of(d.d_model)});
  if (id == "position")
    return tr(
        "Attention sees no order. These numbers say where a token stands: they depend on the place alone, not on the word.");
  if (id == "input")
    return box.inputs.size() > 1 ? tr("Word and place are added: one vector for each token.")
                                 : tr("No positions are added: the same words in another order are the same vectors.");
  if (id == "x")
    return site && site->site == masks::Site::cross
               ? tr("What self-attention in this layer made of the second sentence. Cross-attention starts from here.")
               : fill(tr("What the layers below made of the input. Layer {} starts from here."), {text_of(graph.layer)});
  if (id == "memory") return tr("What the encoder made of the first sentence: keys and values come from it.");
  if (id == "attention_norm" || id == "mlp_norm")
    return d.norm_kind == "rms"
               ? tr("Each token's vector is scaled until its numbers have a mean square of 1, so that none drowns the others.")
               : tr("Each token's vector is shifted to mean 0 and scaled to variance 1, so that none drowns the others.");
  if (id == "attention_residual")
    return tr("The change is added to what was there: the token keeps what it meant and gains its context.");
  if (id == "mlp_hidden")
    return fill(tr("Each token on its own again: {} detectors, and those that find nothing stay at 0."),
                {text_of(box.shape.empty() ? 0 : box.shape.back())});
  if (id == "mlp_output") return fill(tr("What the detectors found, written back as {} numbers."), {text_of(d.d_model)});
  if (id == "mlp_residual")
    return graph.layer + 1 < d.layers
               ? fill(tr("Added again. This is what layer {} hands to the next one."), {text_of(graph.layer)})
               : tr("Added again. This is the model's last word on each token.");
  if (!site) return tr(box.operation.c_str());
  if (id == "q" || id == "k" || id == "v") return head_words(trace, *site);
  if (id == "scores") return tr("Every query meets every key: the sum of their products says how well they match.");
  if (id == "scaled_scores") return scale_words(trace, *site);
  if (id == "mask") return mask_words(trace, *site);
  if (id == "weights") {
    std::string words =
        tr("Each row becomes shares that sum to 1: e to the power of the score, divided by the sum over its row.");
    if (d.temperature != 1)
      words += " " + fill(d.temperature > 1 ? tr("Temperature {} evens them out.") : tr("Temperature {} sharpens them."),
                          {number(d.temperature)});
    return words;
  }
  if (id == "context")
    return tr("Each query takes its mix of the values: much where its weight is large, nothing where it is 0.");
  if (id == "concat")
    return site->heads > 1 ? fill(tr("The heads' results stand side by side again: {} × {} = {} numbers."),
                                  {text_of(site->heads), text_of(site->d_k), text_of(site->heads * site->d_k)})
                           : tr("There is one head: nothing to put together.");
  if (id == "attention_output")
    return tr("One more matrix mixes what the heads have found. This is the change that attention proposes for each token.");
  return tr(box.operation.c_str());
}

std::string walk_title(const WalkGraph& graph, int stop) {
  if (stop < 0 || stop >= static_cast<int>(graph.stops.size())) return {};
  static constexpr struct {
    const char *id, *words;
  } kNames[] = {{"text", tr_later("the text")},
                {"tokens", tr_later("the tokens")},
                {"embedding", tr_later("the embedding")},
                {"position", tr_later("the positions")},
                {"input", tr_later("the input x")},
                {"x", tr_later("the layer's input")},
                {"memory", tr_later("the encoder's output")},
                {"attention_norm", tr_later("the norm")},
                {"q", tr_later("query, key and value")},
                {"scores", tr_later("the scores")},
                {"scaled_scores", tr_later("the scale")},
                {"mask", tr_later("the mask")},
                {"weights", tr_later("softmax")},
                {"context", tr_later("the weighted sum")},
                {"concat", tr_later("side by side")},
                {"attention_output", tr_later("the output matrix")},
                {"attention_residual", tr_later("the residual")},
                {"mlp_norm", tr_later("the norm")},
                {"mlp_hidden", tr_later("feed-forward, up")},
                {"mlp_output", tr_later("feed-forward, down")},
                {"mlp_residual", tr_later("the residual")}};
  const WalkStop& one = graph.stops[static_cast<std::size_t>(stop)];
  const std::string& id = graph.boxes[static_cast<std::size_t>(one.boxes.front())].id;
  std::string words = tr(one.label.c_str());
  for (const auto& name : kNames)
    if (id == name.id) words = tr(name.words);
  return fill(tr("Step {0}: {1}"), {std::to_string(stop + 1), words});
}

}  // namespace headlight::figures
