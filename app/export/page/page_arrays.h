// Attention of any origin as runs of an exported page: arrays of weights, or of any numbers between rows and columns.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/export/page/page_run.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::page {

struct GivenArrays {
  // By name. "encoder", "decoder" and "cross", alone or with "_attentions", are one model's three kinds of attention; any other
  // name stands alone.
  std::vector<std::pair<std::string, Tensor>> arrays;
  // A list for each sentence, or one for all of them; empty: tokens are numbered.
  std::vector<std::vector<std::string>> tokens;         // of the rows, and of the columns too, if no others are given
  std::vector<std::vector<std::string>> source_tokens;  // of the columns of "cross" and of a lone array; of "encoder"
  std::string model;                                    // whose attention it is; empty: unknown
  std::string where;                                    // the file, for errors
};

// A run for each sentence. Arrays are [row, column], [head, …], [layer, head, …] or [layer, sentence, head, …]. Cells above the
// diagonal that are 0 in all maps count as masked, and the page says so. Of several sentences one may have fewer tokens than
// rows: what is behind its last token is left out. Errors (usage): an array of other axes or without numbers; tokens that do not
// fit it; arrays with different numbers of sentences.
// runs_of_arrays({{{"weights", tensor}}, {tokens}, {}, "gpt2", "a.npz"}) gives one run for a tensor [12, 12, 7, 7].
Result<std::vector<Run>> runs_of_arrays(const GivenArrays& given);

}  // namespace headlight::page
