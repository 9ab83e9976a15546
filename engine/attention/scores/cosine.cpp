#include "engine/attention/scores/score_entries.h"

namespace headlight::scores {

// Between -1 and 1 whatever the vectors' lengths, so the pattern is soft unless the scale or the temperature sharpens it.
Entry cosine() {
  Entry e;
  e.id = "cosine";
  e.label = "cosine";
  e.formula = "score = q k^T / (|q| |k|)";
  e.source = "Graves et al. 2014, 3.3.1; Henry et al. 2020";
  e.words = "score cos(q, k)";
  e.unit_rows = true;
  e.divides_by_root = false;
  return e;
}

}  // namespace headlight::scores
