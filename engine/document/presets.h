// Presets: several fields of a document set together, so that it computes what a text writes down and nothing besides.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/core/registry.h"
#include "engine/document/document.h"

namespace headlight::presets {

struct Entry {
  std::string id, label, formula, source;
  // Sets the fields that it is about; the others, the seed and the backend stay as they are.
  void (*apply)(Document&);
  bool own_texts = false;  // it brings its texts and targets, too
  // What is said beside a step's shape: where the text that the preset follows is mistaken, or what is easily overlooked.
  std::vector<std::pair<std::string, std::string>> remarks;
};
const Registry<Entry>& registry();  // lecture, walkthrough

// The preset whose every field the document has; null: none. Its seed and backend may be others.
const Entry* preset_of(const Document& document);
// What the preset says beside this step, "encoder.div_term"; empty: nothing.
std::string remark_of(const Entry& preset, const std::string& step);

}  // namespace headlight::presets
