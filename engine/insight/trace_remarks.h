// What has to be said of a trace beside its numbers: that a trained model reads what it was never trained to read, or is computed
// otherwise than it was trained, and that an intervention names cells which the text does not have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct TraceRemarks {
  // The tokens of the longest sentence, where they are more than the longest one that the model was trained on had; else 0. Its
  // positions then go on beyond those it has seen.
  std::int64_t tokens = 0, trained_length = 0;
  // Of a model that translates: mean -ln p of a target's tokens in nats, where it is above kUnlikelyTarget; else 0. Such a target
  // is no translation of its text, or in another language.
  double target_loss = 0;
  std::string target_language;  // "French"; empty: not known
  // untrained_fields() of the trace's document: ids as "masks", "temperature".
  std::vector<std::string> untrained;
  // Interventions that mask cells by hand which no text of the trace has, as they were given: "layer.2.head.3=90:1". Nothing is
  // masked there.
  std::vector<std::string> lost_cells;
  bool any() const { return tokens > 0 || target_loss > 0 || !untrained.empty() || !lost_cells.empty(); }
};
// Right translations have about 1 nat a token, other sentences of the language about 6, other languages 8 and more
// (english-french).
inline constexpr double kUnlikelyTarget = 5;

// Of the sandbox only lost cells are told. Nothing is said of targets under interventions or of fewer than three tokens. Errors:
// the trace's own; cancelled.
Result<TraceRemarks> trace_remarks(const Trace& trace, const CancelToken& cancel);

}  // namespace headlight
