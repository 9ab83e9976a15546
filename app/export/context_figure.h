// What the Context view shows as pictures: the inputs of each from what was computed, and all of them on one page for a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/context/context_figures.h"
#include "engine/insight/attention_added.h"
#include "engine/insight/query_key_space.h"
#include "engine/insight/word_context.h"

namespace headlight::figures {

// What of it is shown.
struct ContextChoice {
  std::string word;
  std::int64_t layer = 0;     // layers passed, limited to those there are
  std::int64_t sentence = 0;  // the selected one
  bool cosine = false;        // how alike two vectors are: their cosine, else their distance
  std::string colormap = "viridis";
  SentencePair lit;
  std::int64_t hot_source = -1, hot_head = -1;
  std::int64_t head = 0;        // whose queries and keys are shown
  std::int64_t query = -1;      // a token; -1: the word
  std::size_t most_heads = 12;  // listed; of more the ones with the longest parts
};

SentenceChipsInput chips_of(const WordInText& text, std::size_t sentence);
PathsInput paths_of(const WordContext& context, const ContextChoice& choice);
PairCurvesInput curves_of(const WordContext& context, const ContextChoice& choice);
PairMatrixInput matrix_of(const WordContext& context, const ContextChoice& choice);
ProbesInput probes_of(const WordContext& context, const std::vector<std::shared_ptr<const ProbeWord>>& probes,
                      const ContextChoice& choice);
QueryKeyInput query_key_of(const WordContext& context, const QueryKeySpace& space, const ContextChoice& choice);
AddedInput added_of(const WordContext& context, const AttentionAdded& added, const ContextChoice& choice);
// The same with its title, for a file.
AddedInput titled_added_of(const WordContext& context, const AttentionAdded& added, const ContextChoice& choice);
// The attention of the layer that brings the word to `layer` layers passed; null: the embedding, or a layer without attention.
const AttentionSite* site_of(const WordInText& text, std::int64_t layer);

// Everything on one page; `added` null: what no attention added is left out; with `space` the queries and keys are shown, too.
Figure context_figure(const WordContext& context, const std::vector<std::shared_ptr<const ProbeWord>>& probes,
                      const AttentionAdded* added, const QueryKeySpace* space, const ContextChoice& choice, float width,
                      const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
