// "Try": changes of the document that show the purpose of a step. Each is a real edit that can be undone.
#pragma once

#include <string>
#include <vector>

#include "app/views/walk/graph_picture.h"
#include "engine/document/document.h"

namespace headlight::views::walk {

struct WalkTry {
  std::string words;  // "set the causal mask"
  Document document;  // valid, and different from the present one
};

// At most `most` suggestions for a box of the Walk-through, the best first.
// walk_tries(document, text_box)[0].document turns "a fluffy blue creature" into "creature blue fluffy a".
std::vector<WalkTry> walk_tries(const Document& document, const figures::WalkBox& box, std::size_t most = 2);

}  // namespace headlight::views::walk
