// OrderEffect: two sentences of the same tokens in different orders, and the distance between the model's final vectors of each
// token. Without positions (and without a mask that depends on order) attention sees a bag of words, and all distances are zero.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct OrderEffect {
  // A token that stands in both sentences.
  struct Word {
    std::string label;
    std::int64_t first = 0, second = 0;  // the token's position in either sentence
    double distance = 0;                 // between its two vectors, Euclidean over d_model
    double length = 0;                   // of its vector in the first sentence
  };
  std::vector<Word> words;  // in the first sentence's order
  double largest = 0;       // of the distances
  std::string step;         // the step whose vectors are compared: the last step of the residual stream
};

// Compares the first two texts of a trace. The k-th occurrence of a token is compared with its k-th occurrence in the other
// sentence. Errors: invalid unless there are two texts of the same tokens.
// order_effect(*trace) of "man bites dog" and "dog bites man" without positions and mask: largest is 0 but for rounding.
Result<OrderEffect> order_effect(const Trace& trace, const CancelToken& cancel = {});
// Whether order_effect() applies, without computing anything.
bool is_reordered(const Trace& trace);

// The same for the document with other positions ("none", "sinusoidal", ...), run on the document's own backend. Of a model with
// an encoder and a decoder the encoder's vectors are compared. Errors (usage): a trained model allows only its own positions or
// none.
// order_effect_with(document, "sinusoidal"): the distances if the document's positions were sinusoidal.
Result<OrderEffect> order_effect_with(Document document, const std::string& position, const CancelToken& cancel = {});

// The document with "man bites dog" and "dog bites man", the words tokenizer and no mask. A trained model keeps its tokenizer and
// masks, and gets "the man bites the dog" and "the dog bites the man". All other fields stay as in `document`.
Document reordered_example(Document document);

}  // namespace headlight
