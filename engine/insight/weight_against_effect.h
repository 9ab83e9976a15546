// A counter-example to "where a head looks is what the answer depends on", found in one sentence: a head with a striking weight
// that hardly matters, and a head without one that matters more (Jain and Wallace 2019: attention is not explanation).
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
    std::string key;    // the token that has it, as it is shown
    double change = 0;  // of the followed token's logit when this head alone is taken out
  };
  Head striking, plain;
};

// Among the heads whose row is the predicted position: the striking one has a weight of at least 0.8 and changes the least, the
// plain one has none above 0.6 and changes the most. None: the latter does not change four times as much, or changes less than
// 0.1. `trace` and `effects` are of one document of one text. Errors: the trace's own.
Result<std::optional<CounterExample>> counter_example(const Trace& trace, const HeadEffects& effects);

}  // namespace headlight
