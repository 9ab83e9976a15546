// What the Embeddings view asks of a model's embedding table.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct EmbeddingsView {
  std::string sum = "aunt - uncle + man";  // the calculator's
  std::string first, second;               // the sums that are compared; both empty: the calculator's two differences
  std::int64_t token = -1;                 // of the sentence, whose nearest are listed; -1: the last
  bool target = false;                     // of a model that translates: the words of its target
  std::string page = "model";              // model: its table; one-hot: a row of it as a product; learn: vectors that are
                                           // learnt from a text
  // What is learnt, and what is looked at of it.
  std::string kind = "skipgram", text = "course";  // cbow; file
  std::string path;                                // of the file
  std::int64_t width = 32, epochs = 10;
  std::string shown_words;  // those in the plane, with spaces between them; empty: chosen for the text
  std::string word;         // whose nearest are listed; empty: the first in the plane
  std::int64_t step = -1;   // the checkpoint, from 0; -1: the newest
  std::string name;         // of the folder that a checkpoint is saved as; empty: made of the settings
  bool operator==(const EmbeddingsView&) const = default;
};
const ViewSchema<EmbeddingsView>& embeddings_view_schema();

}  // namespace headlight
