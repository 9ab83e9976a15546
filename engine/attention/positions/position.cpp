#include "engine/attention/positions/position.h"

#include "engine/attention/positions/position_entries.h"

namespace headlight::positions {
namespace {

Entry none() {
  Entry e;
  e.id = "none";
  e.label = "none";
  e.formula = "nothing is added: without a causal mask the outputs of a permuted sentence are the same, permuted";
  e.source = "Vaswani et al. 2017, 3.5: without them attention sees a set, not a sequence";
  e.make = nullptr;
  return e;
}

}  // namespace

const Registry<Entry>& registry() {
  static const Registry<Entry> positions("position encoding", {none(), sinusoidal(), learned(), rotary()});
  return positions;
}

}  // namespace headlight::positions
