// Remarks on a trace beside its numbers: a trained model reads a text that it was never trained to read, a trained model is
// computed otherwise than in its training, or an intervention names cells that the text does not have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct TraceRemarks {
  // The tokens of the longest sentence, and the tokens of the longest training text, if the sentence is longer; else 0. The
  // positions behind trained_length are unknown to the model.
  std::int64_t tokens = 0, trained_length = 0;
  // Of a model that translates: mean -ln p of a target's tokens in nats, if it is above kUnlikelyTarget; else 0. Such a target is
  // no translation of its text, or is in another language.
  double target_loss = 0;
  std::string target_language;  // "French"; empty: unknown
  // Of a language model: mean -ln p of the last tokens of a text, in nats, where that is much above what the model has on plain
  // English sentences and the text's words fall into many pieces, and that usual loss; else 0. The text is of another language
  // than what the model has read.
  double text_loss = 0, usual_loss = 0;
  // untrained_fields() of the trace's document: ids such as "masks", "temperature".
  std::vector<std::string> untrained;
  // Interventions that mask cells by hand, with the cells that no text of the trace has: "layer.2.head.3=90:1". They mask
  // nothing.
  std::vector<std::string> lost_cells;
  bool any() const { return tokens > 0 || target_loss > 0 || text_loss > 0 || !untrained.empty() || !lost_cells.empty(); }
};
// Mean losses with the model english-french: right translations have about 1 nat a token, other French sentences about 6, other
// languages 8 and more.
inline constexpr double kUnlikelyTarget = 5;
// A text is strange to a language model whose loss is kStranger above the usual one, at least kStrangeText, on words of
// kPiecesOfStrangers pieces each. With the model stories, plain English has 3.7 nats a token, "fluffy blue creature roamed the
// verdant forest" 7.0 and 1.6 pieces a word, a German and a French sentence 6.7 and 8.1 and 2.8 pieces.
inline constexpr double kStrangeText = 6, kStranger = 2.5, kPiecesOfStrangers = 2.2;

// A trace of the sandbox has remarks on lost cells only. Targets have no remark under interventions or below three tokens, texts
// none below eight. Where a text seems strange, the model also reads plain sentences, so as to tell.
// Errors: the trace's own; cancelled.
// trace_remarks(*trace, cancel) of 80 tokens and a model that was trained on 64: tokens is 80, trained_length 64.
Result<TraceRemarks> trace_remarks(const Trace& trace, const CancelToken& cancel);

}  // namespace headlight
