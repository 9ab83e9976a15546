// The word for an attention's rows, beside the names that row_labels() gives them.
#pragma once

#include <string>

#include "app/views/base/attention_choice.h"

namespace headlight::views {

// "query (attends)"; of cross-attention "query (word it writes)" or, where that is chosen, "query (word read)".
std::string query_axis(const Context& context, const AttentionChoice& choice);

}  // namespace headlight::views
