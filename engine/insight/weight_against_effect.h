// A counter-example to "a head's large weights decide the answer", found in one sentence: a head with a striking weight that
// hardly matters, and a head without one that matters more (Jain and Wallace 2019: attention is not explanation).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/core/status.h"
#include "engine/insight/head_effects.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct CounterExample {
  struct Head {
    std::string prefix;  // AttentionSite::prefix
    std::int64_t layer = 0, head = 0;
    double weight = 0;  // the largest in the row of the position that is predicted from
    std::string key;    // the token with this weight, as the windows show it
    double change = 0;  // change of the followed token's logit when this head alone is taken out
  };
  Head striking, plain;
};

// Among the heads whose row is the predicted position, the striking head has a weight of at least 0.8 and the smallest change.
// The plain head has no weight above 0.6 and the largest change. None: the plain head's change is less than four times as large,
// or below 0.1. `trace` and `effects` belong to one document of one text. Errors: the trace's own.
// counter_example(*trace, *head_effects(trace->document(), backend, {}, cancel)): two heads to compare, or none.
Result<std::optional<CounterExample>> counter_example(const Trace& trace, const HeadEffects& effects);

}  // namespace headlight
