// What happens in each box, in one or two sentences of the user's language.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/text/language.h"
#include "app/views/walk/notes_picture.h"
#include "app/views/walk/roles_picture.h"
#include "engine/attention/positions/position.h"
#include "engine/attention/scores/score.h"
#include "engine/core/one_nan.h"
#include "engine/insight/operation_words.h"
#include "engine/operations/add.h"
#include "engine/operations/linear.h"

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
    tr_later("v tanh(q + k)"),
    tr_later("repeat for every sentence"),
    tr_later("scale"),
    tr_later("replace where the mask is 0"),
    tr_later("softmax over keys"),
    tr_later("weights v"),
    tr_later("heads side by side"),
    tr_later("project, ReLU"),
    tr_later("project, GELU"),
    tr_later("project, tanh"),
    tr_later("project, SiLU"),
    tr_later("project, GELU, by tanh"),
    tr_later("multiply"),
    tr_later("rotate pairs"),
    tr_later("q times rows by distance"),
    tr_later("weights times rows by distance"),
    tr_later("divide by length"),
    tr_later("times the score's matrix"),
    tr_later("view"),
    tr_later("transpose"),
    tr_later("copy"),
    tr_later("make a mask"),
    tr_later("unsqueeze"),
    tr_later("combine masks"),
    tr_later("cross-entropy"),
    tr_later("mean"),
    tr_later("make"),
    tr_later("softmax over tokens"),
};
// What presets say beside a step, as far as the tables translate it.
[[maybe_unused]] constexpr const char* kRemarks[] = {
    tr_later("the notes print 10000^(+2i/d): the minus is missing"),
    tr_later("the notes print W_q as [200, 100] here; it is [200, 200]"),
    tr_later("the notes print [20, 1, 20, 10] once; the masks' axes are [batch, 1, query, key]"),
    tr_later("the notes say that Q = K = V in the encoder only; the decoder attends to itself as well"),
    tr_later("as in the notes: each place against its own token"),
    tr_later("as a model is really trained: each place against the token behind it"),
};
// Names of steps that have no title of their own, as far as the tables translate them.
[[maybe_unused]] constexpr const char* kSteps[] = {
    tr_later("masked scores"),
    tr_later("q rotated"),
    tr_later("k rotated"),
    tr_later("q unit"),
    tr_later("k unit"),
    tr_later("q weighted"),
    tr_later("k weighted"),
    tr_later("k places"),
    tr_later("q projected"),
    tr_later("k projected"),
    tr_later("v projected"),
    tr_later("q view"),
    tr_later("k view"),
    tr_later("v view"),
    tr_later("k transposed"),
    tr_later("context transposed"),
    tr_later("context copied"),
    tr_later("places"),
    tr_later("div term"),
    tr_later("angles"),
    tr_later("logits rows"),
    tr_later("labels"),
    tr_later("loss by row"),
    tr_later("rows but last"),
    tr_later("logits shifted"),
    tr_later("labels shifted"),
    tr_later("loss shifted"),
    tr_later("loss shifted by row"),
    tr_later("position unsqueezed"),
};

std::string text_of(std::int64_t n) { return std::to_string(n); }
std::string words_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", one_nan(x));
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
  if (scale != "sqrt") return fill(tr("Every score is multiplied by {}."), {words_number(site.scale)});
  return fill(
      tr("A sum of {} products grows with their number. Divided by √{} = {} the scores keep a size at which softmax still "
         "shares out."),
      {text_of(site.d_k), text_of(site.d_k), words_number(std::sqrt(static_cast<double>(site.d_k)))});
}

std::string head_words(const Trace& trace, const AttentionSite& site) {
  const Document& d = trace.document();
  if (!d.projected) return tr("Without projections the vectors themselves are query, key and value.");
  std::string words = site.site == masks::Site::cross
                          ? tr("The query is made from the second sentence; key and value from the encoder's first.")
                          : tr("Three views of every token: its query asks, its key answers, its value is what it hands on.");
  if (d.qkv == "one" && site.site != masks::Site::cross)
    words = tr("One projection is query, key and value (Q = K = V): every token resembles itself most.");
  else if (d.qkv != "separate")
    words =
        tr("Key and value are one projection (K = V): what a token answers to is what it hands on; the query is projected "
           "apart.");
  if (d.score == "location")
    words =
        tr("The query is made from the token, and so is the value. The key is not: it is a row of a table, one for each place.");
  words += " ";
  if (has_wide_heads(d))
    words += fill(tr("Each of {} heads has matrices of its own and is as wide as the model: {} numbers."),
                  {text_of(site.heads), text_of(site.d_k)});
  else if (site.heads > 1)
    words +=
        fill(tr("Each of {} heads owns {} of the {} numbers."), {text_of(site.heads), text_of(site.d_k), text_of(d.d_model)});
  if (site.kv_heads > 0 && site.kv_heads < site.heads)
    words += " " + fill(tr("Only {0} heads have keys and values: {1} heads of queries share each of them."),
                        {text_of(site.kv_heads), text_of(site.heads / site.kv_heads)});
  return words;
}

// What the box's operation says of itself; null: nothing, or no operation computes it.
const char* words_of_operation(const WalkBox& box) {
  const operations::Kind* const operation = box.computed_by.operation();
  return operation ? explaining::words_of(*operation).box : nullptr;
}

// q or k on its way to the scores; the role says that it is one, the operation what happens to it.
std::string scored_words(const WalkBox& box, const scores::Entry& score) {
  if (const char* const own = words_of_operation(box)) return tr(own);
  if (box.computed_by.is<operations::Linear>() && score.additive)
    return tr(
        "Query and key each pass a matrix of the score, and meet in a small network: their sum goes through tanh, number by "
        "number.");
  if (box.computed_by.is<operations::Linear>())
    return tr(
        "The query is multiplied by a matrix that belongs to the score: it says which numbers of the query are compared with "
        "which of the key.");
  return tr(box.operation.c_str());
}

std::string softmax_words(const Document& d) {
  std::string words = tr("Each row becomes shares that sum to 1: e to the power of the score, divided by the sum over its row.");
  if (d.temperature != 1)
    words += " " + fill(d.temperature > 1 ? tr("Temperature {} evens them out.") : tr("Temperature {} sharpens them."),
                        {words_number(d.temperature)});
  return words;
}

// "encoder.", "decoder." or "", of a step's name.
std::string_view side_of(std::string_view step) {
  for (const std::string_view side : {"encoder.", "decoder."})
    if (step.starts_with(side)) return side;
  return {};
}

// Of a step of the model's front, or of the layer's own vectors.
std::string vector_words(const Trace& trace, const WalkGraph& graph, const WalkBox& box) {
  const Document& d = trace.document();
  const std::int64_t width = box.shape.empty() ? 0 : box.shape.back();
  switch (box.role) {
    case Role::tokens:
      return fill(tr("The tokenizer cuts the text into pieces that it knows and replaces each by its number in a vocabulary: {} "
                     "of them."),
                  {text_of(width)});
    case Role::embedding:
      return fill(tr("Each number looks up its row of the embedding table: from here on a token is a list of {} numbers."),
                  {text_of(d.d_model)});
    case Role::position:
      return tr(
          "Attention sees no order. These numbers say where a token stands: they depend on the place alone, not on the word.");
    case Role::input:
      if (box.inputs.size() > 1) return tr("Word and place are added: one vector for each token.");
      if (const positions::Entry* entry = positions::registry().find(d.position);
          entry && entry->where != positions::Where::input &&
          !positions_are_out(d.interventions, box.steps.empty() ? "" : side_of(box.steps.back())))
        return entry->where == positions::Where::relative
                   ? tr("No positions are added here: they come in where the scores and the sums are made.")
                   : tr("No positions are added here: they come in where the scores are made.");
      return tr("No positions are added: the same words in another order are the same vectors.");
    case Role::attention_norm:
    case Role::mlp_norm:
    case Role::final_norm:
      return d.norm_kind == "rms"
                 ? tr("Each token's vector is scaled until its numbers have a mean square of 1, so that none drowns the others.")
                 : tr("Each token's vector is shifted to mean 0 and scaled to variance 1, so that none drowns the others.");
    case Role::attention_residual:
      return tr("The change is added to what was there: the token keeps what it meant and gains its context.");
    case Role::mlp_gate: return fill(tr("Each token on its own again: {} gates, and a gate near 0 is shut."), {text_of(width)});
    case Role::mlp_up: return tr("A second matrix beside the gates: what each of them lets through.");
    case Role::mlp_hidden:
      if (const char* const own = words_of_operation(box)) return tr(own);
      return fill(tr("Each token on its own again: {} detectors, and those that find nothing stay at 0."), {text_of(width)});
    case Role::mlp_output: return fill(tr("What the detectors found, written back as {} numbers."), {text_of(d.d_model)});
    case Role::mlp_residual:
      return graph.layer + 1 < d.layers
                 ? fill(tr("Added again. This is what layer {} hands to the next one."), {text_of(graph.layer)})
                 : tr("Added again. This is the model's last word on each token.");
    case Role::logits: return fill(tr("A score for each of the {} tokens of the vocabulary, at every place."), {text_of(width)});
    case Role::probabilities: return tr("Each place's scores become shares that sum to 1: what the model expects there.");
    case Role::loss:
      return tr(
          "The logits of all sentences stand below each other as rows, and each is compared with the token at its own "
          "place: minus the logarithm of its probability, and the mean of that.");
    case Role::loss_shifted:
      return tr(
          "A model is trained to say the next token: the last place of each sentence has none and is left out, and each "
          "row is compared with the token behind its place.");
    default: return {};
  }
}

std::string attention_words(const Trace& trace, const AttentionSite& site, const WalkBox& box) {
  const scores::Entry* const known = scores::registry().find(trace.document().score);
  const scores::Entry score = known ? *known : scores::Entry{};
  switch (box.role) {
    case Role::q:
    case Role::k:
    case Role::v: return head_words(trace, site);
    case Role::q_scored:
    case Role::k_scored: return scored_words(box, score);
    case Role::scores:
      if (score.additive)
        return tr("Every query meets every key: their sum goes through tanh, and a vector of the model weighs the numbers.");
      if (score.located) return tr("Every query meets every place: its row of the table says how much that place is asked for.");
      return tr("Every query meets every key: the sum of their products says how well they match.");
    case Role::scaled_scores: return scale_words(trace, site);
    case Role::position_bias:
      if (!site.relative_keys.empty())
        return fill(tr("Every distance has a row of a table, up to {} apart: the query's product with it joins the score."),
                    {text_of(site.relative_clip)});
      return tr("What the two places add to a score, whatever words stand there: the farther apart, the less.");
    case Role::mask:
    case Role::masked_scores: return mask_words(trace, site);
    case Role::weights: return softmax_words(trace.document());
    case Role::context_of_values:
      return tr("Each query takes its mix of the values: much where its weight is large, nothing where it is 0.");
    case Role::context_of_positions:
      return tr("The same weights take their mix of a second table: a row for the distance of each key.");
    case Role::context:
      if (box.computed_by.is<operations::Add>())
        return tr("Both mixes are added: what the keys hold, and how far away they stand.");
      return tr("Each query takes its mix of the values: much where its weight is large, nothing where it is 0.");
    case Role::concat:
      return site.heads > 1 ? fill(tr("The heads' results stand side by side again: {} × {} = {} numbers."),
                                   {text_of(site.heads), text_of(site.d_k), text_of(site.heads * site.d_k)})
                            : tr("There is one head: nothing to put together.");
    case Role::heads_stacked:
      return fill(tr("The {} heads, each with {} numbers, lie on one another: every dimension now has a number from each head."),
                  {text_of(site.heads), text_of(site.d_k)});
    case Role::stack_hidden:
      return fill(tr("One small matrix mixes the heads' numbers of a dimension into {}, the same for all dimensions; tanh keeps "
                     "them between -1 and 1."),
                  {text_of(trace.document().stack_hidden)});
    case Role::attention_output:
      if (trace.step_at(site.prefix, Role::heads_stacked))
        return tr("A second small matrix and tanh make one number of each dimension again: the change for each token.");
      return tr("One more matrix mixes what the heads have found. This is the change that attention proposes for each token.");
    default: return {};
  }
}

}  // namespace

std::string walk_words(const Trace& trace, const AttentionSite* site, const WalkGraph& graph, int index) {
  if (index < 0 || index >= static_cast<int>(graph.boxes.size())) return {};
  const WalkBox& box = graph.boxes[static_cast<std::size_t>(index)];
  switch (box.kind) {
    case WalkBox::Kind::text: return tr("All that the model is given: a row of characters.");
    case WalkBox::Kind::layer_input:
      return site && site->site == masks::Site::cross
                 ? tr("What self-attention in this layer made of the second sentence. Cross-attention starts from here.")
                 : fill(tr("What the layers below made of the input. Layer {} starts from here."), {text_of(graph.layer)});
    case WalkBox::Kind::encoder_output: return tr("What the encoder made of the first sentence: keys and values come from it.");
    case WalkBox::Kind::unembedding:
      return tr(
          "The unembedding has a column of numbers for every token of the vocabulary. A vector times a column is large where "
          "both "
          "point the same way.");
    case WalkBox::Kind::word:
      return tr("One token is taken. It joins the text, and everything begins again with one token more.");
    case WalkBox::Kind::step: break;
  }
  std::string words = vector_words(trace, graph, box);
  if (words.empty() && site) words = attention_words(trace, *site, box);
  return words.empty() ? tr(box.operation.c_str()) : words;
}

std::string walk_remark(const std::string& step, const std::string& remark) {
  std::string name(own_name(step));
  std::replace(name.begin(), name.end(), '_', ' ');
  return std::string(tr(name.c_str())) + ": " + tr(remark.c_str());
}

std::string walk_title(const WalkGraph& graph, int stop) {
  if (stop < 0 || stop >= static_cast<int>(graph.stops.size())) return {};
  const WalkStop& one = graph.stops[static_cast<std::size_t>(stop)];
  const WalkBox& box = graph.boxes[static_cast<std::size_t>(one.boxes.front())];
  const WalkRole* role = walk_role(box.kind, box.role);
  const std::string words = tr(role && role->heading ? role->heading : one.label.c_str());
  return fill(tr("Step {0}: {1}"), {std::to_string(stop + 1), words});
}

}  // namespace headlight::figures
