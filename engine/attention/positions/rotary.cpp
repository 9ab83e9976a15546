#include "engine/attention/positions/position_entries.h"

namespace headlight::positions {

Entry rotary() {
  Entry e;
  e.id = "rotary";
  e.label = "rotary";
  e.formula = "pair i of q and k turns by pos / 10000^(2 i / d_k); their product depends on the distance alone";
  e.source = "Su et al. 2021";
  e.where = Where::rotates;
  e.make = nullptr;
  return e;
}

// The same turns of other pairs: x_i and x_{i + d_k / 2} instead of neighbours, as GPT-NeoX and LLaMA pair them.
Entry rotary_split() {
  Entry e = rotary();
  e.id = kRotarySplit;
  e.label = "rotary, split pairs";
  e.formula = "pair (i, i + d_k / 2) of q and k turns by pos / 10000^(2 i / d_k)";
  e.source = "Su et al. 2021; Black et al. 2022";
  return e;
}

}  // namespace headlight::positions
