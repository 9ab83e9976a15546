// What the Embeddings view asks of a model's embedding table.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct EmbeddingsView {
  std::string sum = "aunt - uncle + man";  // the calculator's
  std::string first, second;               // the sums that are compared; both empty: the calculator's two differences
  std::int64_t token = -1;                 // of the sentence, whose nearest are listed; -1: the last
  bool target = false;                     // of a model that translates: the words of its target
  bool operator==(const EmbeddingsView&) const = default;
};
const ViewSchema<EmbeddingsView>& embeddings_view_schema();

}  // namespace headlight
