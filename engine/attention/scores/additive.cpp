#include "engine/attention/scores/score_entries.h"

namespace headlight::scores {

// A network with one hidden layer: W [s; h] of the printed form is W q + U k, the two halves of one matrix.
Entry additive() {
  Entry e;
  e.id = "additive";
  e.label = "additive";
  e.formula = "score = v^T tanh(W q + U k)";
  e.source = "Bahdanau et al. 2015, A.1.2";
  e.words = "score v·tanh(Wq + Uk)";
  e.matrix = e.key_matrix = e.additive = true;
  e.divides_by_root = false;
  return e;
}

}  // namespace headlight::scores
