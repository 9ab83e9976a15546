// The switches of one head, or of a whole layer: read from a document's interventions and written into them. No window is needed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/document/document.h"

namespace headlight::views {

struct HeadSwitches {
  enum class Out { no, zero, mean };
  Out out = Out::no;     // no: the head's own output; zero or mean: what replaces that output
  double factor = 1;     // multiplies the head's output while `out` is no
  bool uniform = false;  // every key gets the same weight
  std::string sentence;  // the head uses its weights over this sentence; empty: none, always so if `uniform`
  bool operator==(const HeadSwitches&) const = default;
};

// switches_of(document, head).factor is 0.5 if the document scales this head by 0.5, else 1.
HeadSwitches switches_of(const Document& document, const ModelAddress& head);
// The document with the switches of this head replaced. Its masked cells and all other heads stay as they are.
// with_switches(document, head, {HeadSwitches::Out::zero, 1, false, ""}) takes the head out.
Document with_switches(Document document, const ModelAddress& head, const HeadSwitches& switches);

// Whether a single cell of the head is masked by hand, and the document with that cell masked or not.
// is_masked(with_cell(document, head, {2, 3}, true), head, {2, 3}) is true: query 2 may not attend to key 3.
bool is_masked(const Document& document, const ModelAddress& head, Intervention::Cell cell);
Document with_cell(Document document, const ModelAddress& head, Intervention::Cell cell, bool masked);

// The place in the window's language: "layer 1, head 2", or "cross, layer 1, head 2" in a decoder's cross-attention.
std::string place_words(const ModelAddress& at);
// One line for each intervention of the document, in the window's language: "layer 2, head 3: taken out".
std::vector<std::string> intervention_words(const Document& document);
// without_intervention(document, 0) lacks its first intervention; an index beyond the last one changes nothing.
Document without_intervention(Document document, std::size_t which);

// The document without any intervention.
Document untouched(Document document);

}  // namespace headlight::views
