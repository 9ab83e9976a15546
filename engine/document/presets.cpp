#include "engine/document/presets.h"

#include <array>
#include <utility>

namespace headlight::presets {
namespace {

// Self-attention without projections: e_i' = sum over j of softmax_j(e_j . e_i) e_j. One layer, one head, and none of what a
// Transformer adds: no scale, no positions, no norm, no residual sum, no feed-forward part.
void lecture(Document& document) {
  document.projected = document.bias = document.residual = document.feed_forward = false;
  document.heads = document.layers = 1;
  document.norm = "none";
  document.position = "none";
  document.score = "scaled_dot";
  document.scale = "none";
  document.temperature = 1;
  document.combiner = "concat";
  document.qkv = "separate";
}

// Sentences in the active voice and in the passive: with [BOS] and [EOS] the longest of each has ten tokens of the bundled words.
constexpr std::array<std::pair<const char*, const char*>, 20> kPairs{{
    {"the dog bites the man", "the man is bitten by the dog"},
    {"the man eats the bread", "the bread is eaten by the man"},
    {"a cat saw the small dog", "the small dog was seen by a cat"},
    {"the old king loves the young queen today", "the young queen is loved by the king"},
    {"the boy reads a book", "a book is read by the boy"},
    {"the woman writes a letter", "a letter is written by the woman"},
    {"my father built this house", "this house was built by my father"},
    {"a friend sent the letter", "the letter was sent by a friend"},
    {"the teacher helps the students", "the students are helped by the teacher"},
    {"the girl sings a song", "a song is sung by the girl"},
    {"the wind broke the window", "the window was broken by the wind"},
    {"the child found a key", "a key was found by the child"},
    {"the doctor saved the soldier", "the soldier was saved by the doctor"},
    {"my brother took the last train yesterday evening", "the last train was taken by my brother"},
    {"the police caught the thief", "the thief was caught by the police"},
    {"a storm destroyed the bridge", "the bridge was destroyed by a storm"},
    {"the cook made the soup", "the soup was made by the cook"},
    {"the artist painted a picture", "a picture was painted by the artist"},
    {"the judge asked the question", "the question was asked by the judge"},
    {"the boss wrote the report", "the report was written by the boss"},
}};

// The sizes of the worked walk-through: B = 20, L = 10, d = 200, h = 4, d_ff = 800; post-norm, masked scores become -1e9.
void walkthrough(Document& document) {
  document.model = "sandbox";
  document.texts.clear();
  document.targets.clear();
  for (const auto& [text, target] : kPairs) {
    document.texts.emplace_back(text);
    document.targets.emplace_back(target);
  }
  document.tokenizer = "words";
  document.target_tokenizer.clear();
  document.add_begin = document.add_end = true;
  document.d_model = 200;
  document.heads = 4;
  document.layers = 1;
  document.d_ff = 800;
  document.projected = document.bias = document.residual = document.feed_forward = document.logits = true;
  document.gated = document.final_norm = false;
  document.norm = "post";
  document.norm_kind = "layer";
  document.activation = "relu";
  document.position = "sinusoidal";
  document.masks = {{"padding", {}}, {"causal", {}}};
  document.mask_fill = operations::MaskFill::minus_1e9;
  document.score = "scaled_dot";
  document.scale = "sqrt";
  document.temperature = 1;
  document.combiner = "concat";
  document.qkv = "separate";
  document.padding = "row";
}

}  // namespace

const Registry<Entry>& registry() {
  static const Registry<Entry> presets(
      "preset",
      {{"lecture",
        "attention alone",
        "e_i' = sum over j of softmax_j(e_j · e_i) e_j: no projections, scale, positions, norm, residual sum or feed-forward "
        "part",
        "Vaswani et al. 2017, 3.2.1, with Q = K = V = x and no scale",
        lecture,
        false,
        {}},
       {"walkthrough",
        "shapes, step by step",
        "an encoder and a decoder over 20 pairs of sentences of 10 tokens, d_model 200, 4 heads, d_ff 800, with logits and "
        "losses",
        "Vaswani et al. 2017, 3",
        walkthrough,
        true,
        {{"encoder.div_term", "the notes print 10000^(+2i/d): the minus is missing"},
         {"encoder.layer.0.q_projected", "the notes print W_q as [200, 100] here; it is [200, 200]"},
         {"decoder.layer.0.mask", "the notes print [20, 1, 20, 10] once; the masks' axes are [batch, 1, query, key]"},
         {"decoder.layer.0.q", "the notes say that Q = K = V in the encoder only; the decoder attends to itself as well"},
         {"encoder.tokens", "padding is the index V, the size of the vocabulary, which no token has"},
         {"encoder.embedding", "looked up in a table of V + 1 rows: the last is for padding and zero"},
         {"decoder.tokens", "padding is the size of the target's own vocabulary"},
         {"logits", "V columns: no prediction is padding, and the losses leave it out"},
         {"loss", "as in the notes: each place against its own token"},
         {"loss_shifted", "as a model is really trained: each place against the token behind it"}}}});
  return presets;
}

const Entry* preset_of(const Document& document) {
  for (const Entry& entry : registry().entries()) {
    Document same = document;
    entry.apply(same);
    if (same == document) return &entry;
  }
  return nullptr;
}

std::string remark_of(const Entry& preset, const std::string& step) {
  for (const auto& [name, words] : preset.remarks)
    if (name == step) return words;
  return {};
}

}  // namespace headlight::presets
