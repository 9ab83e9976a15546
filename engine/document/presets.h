// Presets: several fields of a document set together, so that it computes what a text writes down and nothing besides.
#pragma once

#include <string>

#include "engine/core/registry.h"
#include "engine/document/document.h"

namespace headlight::presets {

struct Entry {
  std::string id, label, formula, source;
  // Sets the model's fields. Texts, tokenizer, width, masks, seed and backend stay as they are.
  void (*apply)(Document&);
};
const Registry<Entry>& registry();  // lecture

}  // namespace headlight::presets
