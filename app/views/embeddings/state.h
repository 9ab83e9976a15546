// The questions of the Embeddings view to a model's embedding table, and its training of word vectors.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::word_vectors {

struct State {
  std::string sum;             // the calculator's sum; empty: an analogy that holds in the shown table
  std::string first, second;   // the compared sums; both empty: the calculator's two differences
  std::int64_t token = -1;     // the token of the sentence whose nearest are listed; -1: the last token
  bool target = false;         // for a model that translates: the token is in the target
  std::string page = "model";  // model: its table; one-hot: a row of it as a product; learn: vectors that are
                               // learnt from a text
  // The training of word vectors, and what is shown of it.
  std::string kind = "skipgram", text = "course";  // or cbow; the text's name, "file" for `path`
  std::string path;                                // the file of the text
  std::int64_t width = 32, epochs = 10;
  std::string shown_words;  // the plane's words, separated by spaces; empty: chosen for the text
  std::string word;         // the word whose nearest are listed; empty: the plane's first word
  std::int64_t step = -1;   // the checkpoint, from 0; -1: the newest
  std::string name;         // the folder for a saved checkpoint; empty: a name made of the settings
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::word_vectors
