// What becomes of one head, or of a whole layer: read from a document's interventions, and written into them. It needs no window.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/document/document.h"

namespace headlight::panels {

struct HeadSwitches {
  enum class Out { no, zero, mean };
  Out out = Out::no;     // what stands in the head's place
  double factor = 1;     // of its sum, while it is not out
  bool uniform = false;  // equal weights
  std::string sentence;  // whose weights the head has instead of its own; empty: none, and always empty of equal weights
  bool operator==(const HeadSwitches&) const = default;
};

HeadSwitches switches_of(const Document& document, const ModelAddress& head);
// The document with this head as the switches say; its masked cells and all other heads stay.
Document with_switches(Document document, const ModelAddress& head, const HeadSwitches& switches);

// Single cells of the head that are masked by hand.
bool is_masked(const Document& document, const ModelAddress& head, Intervention::Cell cell);
Document with_cell(Document document, const ModelAddress& head, Intervention::Cell cell, bool masked);

// "decoder, layer 1, cross-attention, head 2", in the window's language.
std::string place_words(const ModelAddress& at);
// "layer 2, head 3: taken out", in the window's language, for each intervention of the document.
std::vector<std::string> intervention_words(const Document& document);
Document without_intervention(Document document, std::size_t which);

// The document as the model is without any intervention.
Document untouched(Document document);

}  // namespace headlight::panels
