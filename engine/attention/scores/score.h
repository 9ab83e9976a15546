// How a query and a key become a score. Each is what happens to the rows of q and k before they meet, how they meet (a product,
// or v tanh(q + k)), and the number that the result is multiplied by; the meeting itself is the attention operation's.
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
  bool key_matrix = false;      // the rows of k by another one
  bool additive = false;        // no product: v tanh(q + k), v [d_k] a vector of the model
  bool located = false;         // the rows of k are those of a table of the model, one for each place, and not made of the words
  bool unit_rows = false;       // the rows of q and k are divided by their lengths first
  bool divides_by_root = true;  // whether a scale of "sqrt" means 1/sqrt(d_k); otherwise it means 1
  bool has_parameters() const { return matrix || key_matrix || additive || located; }
};

const Registry<Entry>& registry();  // scaled_dot, dot, cosine, general, additive, location

// What one score is, in words that the window can say in another language: "score q·k".
const char* words_of(std::string_view score);

// Rows of the table of a location-based score: no sentence may have more keys.
inline constexpr std::int64_t kPlaces = 4096;

// The number that scores are multiplied by: `written` is "sqrt", "none" (1) or a number; for heads of size d_k.
double scale(const Entry& entry, std::string_view written, std::int64_t d_k);

}  // namespace headlight::scores
