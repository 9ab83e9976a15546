#include "engine/attention/scores/score_entries.h"

namespace headlight::scores {

Entry scaled_dot() {
  Entry e;
  e.id = "scaled_dot";
  e.label = "scaled dot product";
  e.formula = "score = q k^T / sqrt(d_k)";
  e.source = "Vaswani et al. 2017, 3.2.1";
  e.words = "score q·k";
  return e;
}

}  // namespace headlight::scores
