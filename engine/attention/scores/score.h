// How a query and a key become a score. Each is what happens to the rows of q and k before their product, and the number that the
// product is multiplied by; the product itself is the attention operation's. Scores that are no product of the two rows
// (additive, location-based) are operations of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/registry.h"

namespace headlight::scores {

struct Entry {
  std::string id, label, formula, source;
  std::string words;            // what one number is, where sizes show it
  bool matrix = false;          // the rows of q are multiplied by a matrix [d_k, d_k] of the model first
  bool unit_rows = false;       // the rows of q and k are divided by their lengths first
  bool divides_by_root = true;  // whether a scale of "sqrt" means 1/sqrt(d_k); otherwise it means 1
};

const Registry<Entry>& registry();  // scaled_dot, dot, cosine, general

// What one score is, in words that the window can say in another language: "score q·k".
const char* words_of(std::string_view score);

// The number that scores are multiplied by: `written` is "sqrt", "none" (1) or a number; for heads of size d_k.
double scale(const Entry& entry, std::string_view written, std::int64_t d_k);

}  // namespace headlight::scores
