// The controls of a view of one attention: its kind, sentence, layer and head.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/views/base/attention_choice.h"
#include "app/views/base/sheet.h"

namespace headlight::views {

// For a flow; controls of what there is only one of are left out. The first: kind and sentence alone.
std::vector<sheet::Node> sentence_nodes(Sheet& sheet, const AttentionChoice& choice);
std::vector<sheet::Node> attention_nodes(Sheet& sheet, const AttentionChoice& choice);

// Why there is no attention to show, as a notice; none if there is attention.
std::optional<sheet::Node> no_attention(Sheet& sheet, const AttentionChoice& choice);

}  // namespace headlight::views
