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

}  // namespace headlight::positions
