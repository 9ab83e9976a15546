#include "engine/attention/scores/score_entries.h"

namespace headlight::scores {

Entry dot() {
  Entry e;
  e.id = "dot";
  e.label = "dot product";
  e.formula = "score = q k^T";
  e.source = "Luong et al. 2015, 3.1";
  e.words = "score q·k";
  e.divides_by_root = false;
  return e;
}

}  // namespace headlight::scores
