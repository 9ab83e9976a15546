// The length of every token's vector after every part of every layer, and as a map: the first tokens of published models stand
// out (Sun et al. 2024, massive activations).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"
#include "engine/core/cancel.h"

namespace headlight::views::values {

struct VectorNorms {
  struct Part {
    enum Kind { start, attention, cross_attention, feed_forward } kind = start;
    std::int64_t layer = 0;
    std::string step;  // of the trace, which holds the vectors after this part
  };
  std::vector<Part> parts;  // in the order of the model
  Tensor lengths;           // f64 [parts, tokens], Euclidean
  std::uint64_t bytes() const { return lengths.bytes() + parts.size() * sizeof(Part); }
};
// `stack`: "", "encoder." or "decoder.". Errors: the stack has no layer (not_found); the trace's own; cancelled.
// vector_norms(*trace, "", 0, {}): of the first sentence, 13 parts of a model of six layers.
Result<VectorNorms> vector_norms(const Trace& trace, const std::string& stack, std::int64_t batch, const CancelToken& cancel);

// The vector that is longest beside the others after the same part.
struct LongestVector {
  std::int64_t part = 0, token = 0;
  double times = 0;  // the median of the other tokens' lengths
};
// Of fewer than three tokens there is none: times 0.
LongestVector longest_of(const VectorNorms& norms);

// Null while it is being computed, and after an error, which is then in `error`.
std::shared_ptr<const VectorNorms> norms_of(const Context& context, const AttentionChoice& choice, std::string* error);
// "after the attention of layer 3".
std::string part_words(const VectorNorms::Part& part);
// A row for each part, in the order of the model, coloured by powers of ten.
figures::HeatmapInput norms_input(const Context& context, const AttentionChoice& choice, const VectorNorms& norms);
// "The longest: a, after the attention of layer 3: 214, 30 times the median of the others"; empty: there is none.
std::string longest_words(const figures::HeatmapInput& input, const VectorNorms& norms);

}  // namespace headlight::views::values
