#include "engine/attention/scores/score_entries.h"

namespace headlight::scores {

// The query chooses places: row j of W [4096, d_k] stands where the key of token j would, whatever the token is.
Entry location() {
  Entry e;
  e.id = "location";
  e.label = "location-based";
  e.formula = "score_j = W_j q";
  e.source = "Luong et al. 2015, 3.1";
  e.words = "score W·q";
  e.located = true;
  e.divides_by_root = false;
  return e;
}

}  // namespace headlight::scores
