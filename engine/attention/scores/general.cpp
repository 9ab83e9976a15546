#include "engine/attention/scores/score_entries.h"

namespace headlight::scores {

// The matrix says which dimension of the key each dimension of the query is compared with; the identity gives the dot product.
Entry general() {
  Entry e;
  e.id = "general";
  e.label = "general";
  e.formula = "score = q W k^T";
  e.source = "Luong et al. 2015, 3.1";
  e.words = "score q·W·k";
  e.matrix = true;
  e.divides_by_root = false;
  return e;
}

}  // namespace headlight::scores
