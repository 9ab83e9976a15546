// Score functions: they make a score of a query and a key. An entry describes three things: the changes of the rows of q and k
// before they are compared, the comparison (a product, or v tanh(q + k)), and the factor of the result. The attention operation
// compares.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/registry.h"

namespace headlight::scores {

struct Entry {
  std::string id, label, formula, source;
  std::string words;            // the name of one score: "score q·k"
  bool matrix = false;          // the rows of q are multiplied by a matrix [d_k, d_k] of the model first
  bool key_matrix = false;      // the rows of k are multiplied by another such matrix
  bool additive = false;        // no product: v tanh(q + k), where v [d_k] is a vector of the model
  bool located = false;         // the rows of k are those of a table of the model [kPlaces, d_k], one a place, whatever the words
  bool unit_rows = false;       // the rows of q and k are divided by their lengths first
  bool divides_by_root = true;  // whether a scale of "sqrt" means 1/sqrt(d_k); otherwise it means 1
  bool has_parameters() const { return matrix || key_matrix || additive || located; }
};

const Registry<Entry>& registry();  // scaled_dot, dot, cosine, general, additive, location

// Entry::words of the score function with this id, which the window can translate; "score" for an unknown id.
const char* words_of(std::string_view score);

// Rows of the table of a location-based score: no sentence may have more keys.
inline constexpr std::int64_t kPlaces = 4096;

// The factor of the scores for heads of size d_k: `written` is "sqrt", "none" (1) or a number.
// scale(scaled_dot(), "sqrt", 64) is 1/sqrt(64) = 0.125; scale(dot(), "sqrt", 64) is 1.
double scale(const Entry& entry, std::string_view written, std::int64_t d_k);

}  // namespace headlight::scores
