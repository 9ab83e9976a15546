// OrderEffect: two sentences of the same tokens in different orders, and how far apart the model's final vectors of each token
// are. Without positions (and without a mask that depends on order) attention sees a bag of words, and all distances are zero.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct OrderEffect {
  struct Word {
    std::string label;
    std::int64_t first = 0, second = 0;  // its position in either sentence
    double distance = 0;                 // between its two vectors, Euclidean over d_model
    double length = 0;                   // of its vector in the first sentence
  };
  std::vector<Word> words;  // in the first sentence's order
  double largest = 0;       // of the distances
  std::string step;         // the step whose vectors are compared: the last of the residual stream
};

// Compares the first two texts of a trace. The k-th occurrence of a token is compared with its k-th occurrence in the other
// sentence. Errors: invalid unless there are two texts of the same tokens.
Result<OrderEffect> order_effect(const Trace& trace, const CancelToken& cancel = {});
// Whether order_effect() applies, without computing anything.
bool is_reordered(const Trace& trace);

// The same for the document with other positions ("none", "sinusoidal", ...), run on its own backend. Of a model with an encoder
// and a decoder the encoder's vectors are compared. Errors (usage): a trained model has its own positions
// or none.
Result<OrderEffect> order_effect_with(Document document, const std::string& position, const CancelToken& cancel = {});

// The document with "man bites dog" and "dog bites man", the words tokenizer and no mask; of a trained model, whose tokenizer and
// masks stay, with "the man bites the dog" and "the dog bites the man". Everything else as in `document`.
Document reordered_example(Document document);

}  // namespace headlight
