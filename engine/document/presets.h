// Presets: sets of fields that make a document compute exactly what one published text writes down.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/core/registry.h"
#include "engine/document/document.h"

namespace headlight::presets {

struct Entry {
  std::string id, label, formula, source;
  // Sets the preset's fields. The seed, the backend and all other fields stay as they are.
  void (*apply)(Document&);
  bool own_texts = false;  // it brings its texts and targets, too
  // (step, remark): remarks beside the shapes of steps, where the published text is mistaken or a detail is easily overlooked.
  std::vector<std::pair<std::string, std::string>> remarks;
};
const Registry<Entry>& registry();  // lecture, walkthrough

// The first preset all of whose fields the document already has; null: none.
const Entry* preset_of(const Document& document);
// The preset's remark beside a step; empty: none.
// remark_of(walkthrough, "encoder.div_term") gives "the notes print 10000^(+2i/d): the minus is missing".
std::string remark_of(const Entry& preset, const std::string& step);

}  // namespace headlight::presets
