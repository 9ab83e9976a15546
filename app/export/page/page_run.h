// What an exported page shows of one text: its tokens, every head's map, the next words, the logit lens. It is made from a trace,
// or from arrays of any origin, and page.h writes it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight::page {

struct Text {
  std::vector<std::string> pieces;
  std::vector<std::int32_t> ids;   // empty: the tokens have no numbers
  std::vector<bool> joins;         // whether a piece continues the word before it
  std::vector<std::string> words;  // the words that the pieces make up
};

// f32 [rows, columns], and u8 of the same shape: 1 where a row may look; without a mask it may look everywhere.
struct Map {
  Tensor values, mask;
};

struct Role {
  std::int64_t layer = 0, head = 0;
  std::string name;
  int hue = 1;  // index into Theme::hues
  double score = 0;
};

// The maps [layers, heads] of one kind of attention.
struct Attention {
  std::string name;  // "encoder", "cross"
  std::string kind;  // as ViewState::site names it
  std::int64_t layers = 0, heads = 0, key_heads = 0, rows = 0, columns = 0;
  std::size_t rows_of = 0, columns_of = 0;  // indices of Run::texts
  bool writes = false;                      // each row writes the next piece of its text
  std::string guess = {};                   // ... and the last one this
  bool weights = true;                      // rows sum to 1; false: any numbers
  std::function<Result<Map>(std::int64_t layer, std::int64_t head)> map;
  std::vector<Role> roles;
  std::string roles_from;  // "over 1,000 texts", "in this sentence"
};

struct NextWords {
  std::string after;                                 // the last token
  std::vector<std::pair<std::string, double>> best;  // the likeliest first
  std::int64_t others = 0;                           // tokens that `best` lacks
};

// Row 0 is the embedding, row n what the model expects after n layers.
struct Lens {
  std::size_t of = 0;  // index of Run::texts
  std::int64_t rows = 0, positions = 0;
  std::vector<std::string> tokens;  // [rows * positions]
  std::vector<double> shares;
};

struct Run {
  std::string name, title;           // title: the sentence
  std::string model, origin, badge;  // origin: "trained", "random"; empty: unknown. badge: the same in words
  std::vector<Text> texts;           // one, or source and target
  std::vector<Attention> attentions;
  std::optional<NextWords> next;
  std::optional<Lens> lens;
  std::vector<std::string> facts;  // said at the foot of the page
};

// Whether every row of maps [..., row, column] of float32 holds numbers from 0 on that sum to 1, within 0.01; or zeros alone, as
// padding may have. rows_sum_to_one(map.values)
bool rows_sum_to_one(const Tensor& maps);
const char* rows_do_not_sum();  // the sentence that says so

// One sentence of a trace, which must outlive the run. Errors: (invalid) there is no attention to show; those of reading the
// trace. run_of(*trace, 0, backend, cancel) has the first sentence's maps.
Result<Run> run_of(const Trace& trace, std::int64_t batch, backends::Backend& backend, const CancelToken& cancel);

// A run for each sentence of a trace, named by it; `pinned` says so in the names.
// runs_of(*trace, backend, false, cancel)
Result<std::vector<Run>> runs_of(const Trace& trace, backends::Backend& backend, bool pinned, const CancelToken& cancel);

}  // namespace headlight::page
