// Direct logit attribution (Elhage et al. 2021): the logit of one token at one position as a sum over all vectors that were added
// to the residual stream there. The final norm divides by the stream's own scale. With the scale held at its value for this
// position, the norm and the output matrix are linear, so that each added vector has its own part of the logit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct LogitContributions {
  enum class Kind {
    embedding,       // the input of the first layer: the token's row, and its position's row where one is added
    head,            // one head's output, through its rows of W_O
    attention_bias,  // the bias of W_O
    feed_forward,    // with its bias
    norm_shift,      // beta of the final norm
  };
  struct Part {
    Kind kind = Kind::embedding;
    std::string place;  // "layer.2."; of heads AttentionSite::prefix; empty: of no layer
    std::int64_t layer = -1;
    std::int64_t head = -1;  // of Kind::head
    double logit = 0;
  };
  std::vector<Part> parts;  // in the order in which they are added
  double logit = 0;         // the model's own
  double rest = 0;          // logit - sum of the parts: rounding errors
};

// What a token's logit at a position reads: logit = direction . x + shift for the stream x behind the last layer, with the final
// norm's scale held at its value there.
struct LogitDirection {
  std::vector<double> direction;  // [d_model]
  double shift = 0;               // from beta of the final norm
};
// Errors: those of logit_contributions().
// logit_direction(*trace, 0, 5, 262): what token 262's logit behind the sixth token reads.
Result<LogitDirection> logit_direction(const Trace& trace, std::int64_t batch, std::int64_t position, std::int32_t token);

// The difference of two tokens' logits at one position, told by what was added to the stream there. Of each head the part is also
// told by the token that it was read from.
struct LogitDifference {
  struct Part {
    LogitContributions::Kind kind = LogitContributions::Kind::embedding;
    std::string place;  // as in LogitContributions::Part
    std::int64_t layer = -1, head = -1;
    double logit = 0;               // the part of the difference; negative: it speaks for the other token
    std::vector<double> by_source;  // of a head: [key], adding up to `logit` unless another vector takes its place
  };
  std::vector<Part> parts;  // in the order in which they are added
  double difference = 0;    // the model's own: logit of `word` - logit of `over`
  double rest = 0;          // difference - sum of the parts: rounding errors
  double tolerance = 0;     // what rounding in float explains of the rest
  bool adds_up() const { return rest <= tolerance && rest >= -tolerance; }

  // Sums of the parts. by_layer [layers + 1]: the embedding and the final norm's shift first, then every layer.
  std::vector<double> by_layer() const;
  // [key], of all heads that read the tokens of the predicting stack, or of those that read the other text's; empty: none does.
  std::vector<double> by_source(bool of_other_text = false) const;
  // What is left without the heads: embedding, feed-forward parts, biases.
  double without_heads() const;
};
// Errors: those of logit_contributions().
// logit_difference(*trace, 0, 11, mary, john, cancel): what speaks for Mary, and what for John, behind the twelfth token.
Result<LogitDifference> logit_difference(const Trace& trace, std::int64_t batch, std::int64_t position, std::int32_t word,
                                         std::int32_t over, const CancelToken& cancel);

// Errors: the model has no logits, or its layers are not summed in one stream (not_found); no such position or token; the trace's
// own; cancelled.
// logit_contributions(*trace, 0, 5, 262, cancel): the parts of token 262's logit behind the sixth token.
Result<LogitContributions> logit_contributions(const Trace& trace, std::int64_t batch, std::int64_t position, std::int32_t token,
                                               const CancelToken& cancel);

}  // namespace headlight
