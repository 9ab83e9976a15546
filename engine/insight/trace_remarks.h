// What has to be said of a trained model's trace beside its numbers: that it reads what it was never trained to read.
#pragma once

#include <cstdint>
#include <string>

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
  bool any() const { return tokens > 0 || target_loss > 0; }
};
// Right translations have about 1 nat a token, other sentences of the language about 6, other languages 8 and more
// (english-french).
inline constexpr double kUnlikelyTarget = 5;

// Nothing is said of the sandbox, nor of targets under interventions or of fewer than three tokens. Errors: the trace's own;
// cancelled.
Result<TraceRemarks> trace_remarks(const Trace& trace, const CancelToken& cancel);

}  // namespace headlight
