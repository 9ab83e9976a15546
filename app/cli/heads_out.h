// `headlight heads --matter`: every head of a trained model taken out in turn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/model_option.h"

namespace headlight::cli {

struct HeadsOutOptions {
  std::string text, target, word, replaced = "zero";
  std::optional<std::int64_t> position;
};
// add_heads_out_options(arguments, options) reads "--word Turkey" into options.word.
void add_heads_out_options(Arguments& arguments, HeadsOutOptions& options);
// Prints a table of layers and heads for each kind of attention, or JSON. Errors: open_model()'s and head_effects()'s.
// Says on stderr what of the model's run is not finite, which is an error if `strict`.
// heads_out(model, options, true, false) prints JSON.
Status heads_out(const ModelOptions& model, const HeadsOutOptions& options, bool json, bool strict);

}  // namespace headlight::cli
