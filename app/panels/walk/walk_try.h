// "Try": changes of the document that show the purpose of a step. Each is a real edit that can be undone.
#pragma once

#include <string>
#include <vector>

#include "app/figures/walk/walk_graph.h"
#include "engine/document/document.h"

namespace headlight::panels {

struct WalkTry {
  std::string words;  // "set the causal mask"
  Document document;  // the changed document; valid and different
};

// At most `most` suggestions for a box of the Walk-through, the best first.
std::vector<WalkTry> walk_tries(const Document& document, const figures::WalkBox& box, std::size_t most = 2);

}  // namespace headlight::panels
