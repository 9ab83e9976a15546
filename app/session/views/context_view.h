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
  bool operator==(const ContextView&) const = default;
};
const ViewSchema<ContextView>& context_view_schema();

}  // namespace headlight
