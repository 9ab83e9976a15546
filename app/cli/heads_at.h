// `headlight heads --cell`: all heads in the order of the weight that they give some cells of one text's maps.
#pragma once

#include <string>
#include <vector>

#include "app/cli/heads_out.h"

namespace headlight::cli {

// Each of `cells` is "QUERY,KEY". Of an encoder-decoder only the kinds of attention whose maps have all of the cells are sorted.
// Errors: no text, what is no cell, a cell that no map has; open_model()'s and run()'s.
// heads_at(model, options, {"3,1"}, true) prints JSON.
Status heads_at(const ModelOptions& model, const HeadsOutOptions& options, const std::vector<std::string>& cells, bool json);

}  // namespace headlight::cli
