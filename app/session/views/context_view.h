// What the Context view compares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/session/views/view_schema.h"

namespace headlight {

struct ContextView {
  std::string word;                    // empty: one that the model knows
  std::vector<std::string> sentences;  // two to six; empty: some in which that word stands
  std::string probes;                  // divided by commas; empty: some that show its senses
  std::int64_t layer = -1;             // layers passed; -1: all
  std::int64_t sentence = 0;           // the selected one
  std::string measure = "distance";    // of two vectors: distance, cosine
  std::string plane = "paths";         // what the plane shows: paths, queries (and keys of one head)
  std::int64_t head = 0;               // of the queries and keys
  std::int64_t query = -1;             // the token whose strongest keys are shown; -1: the word
  bool operator==(const ContextView&) const = default;
};
const ViewSchema<ContextView>& context_view_schema();

}  // namespace headlight
