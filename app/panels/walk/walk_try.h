// "Try": changes of the document that show what a step is for. Each is a real edit that can be undone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/document/document.h"

namespace headlight::panels {

struct WalkTry {
  std::string words;  // "set the causal mask"
  Document document;  // what it becomes; valid and different
};

// At most `most` for the box `id` of the walk-through, the best first.
std::vector<WalkTry> walk_tries(const Document& document, std::string_view id, std::size_t most = 2);

}  // namespace headlight::panels
