#include "engine/document/presets.h"

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
}

}  // namespace

const Registry<Entry>& registry() {
  static const Registry<Entry> presets("preset",
                                       {{"lecture", "attention alone",
                                         "e_i' = sum over j of softmax_j(e_j · e_i) e_j: no projections, scale, positions, "
                                         "norm, residual sum or feed-forward part",
                                         "Vaswani et al. 2017, 3.2.1, with Q = K = V = x and no scale", lecture}});
  return presets;
}

}  // namespace headlight::presets
