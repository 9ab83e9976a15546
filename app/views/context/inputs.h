// The pictures of the Context view: the input of each picture, made from the computed results, and all pictures on one page for a
// file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/views/context/pictures.h"
#include "engine/insight/attention_added.h"
#include "engine/insight/query_key_space.h"
#include "engine/insight/word_context.h"

namespace headlight::figures {

// What the user chose to see: the word, the layer, the sentence and the highlighted items.
struct ContextChoice {
  std::string word;
  std::int64_t layer = 0;            // number of layers passed, limited to the number of layers
  std::int64_t sentence = 0;         // index of the selected sentence
  std::vector<std::size_t> numbers;  // of the compared sentences among the typed ones, as in typed_number()
  bool cosine = false;               // measure the likeness of two vectors by their cosine; false: by their distance
  std::string colormap = "viridis";
  SentencePair lit;
  std::int64_t hot_source = -1, hot_head = -1;
  std::int64_t head = 0;        // the head whose queries and keys are shown
  std::int64_t query = -1;      // index of the token whose query is shown; -1: the word's token
  std::size_t most_heads = 12;  // the most heads that are listed; of more heads those with the longest parts are listed
  bool operator==(const ContextChoice&) const = default;
};

// The inputs of the pictures. All take the same arguments: the computed results, and `choice`.
// paths_of(context, {.word = "bank", .layer = 3}) gives the paths of "bank" through all layers, with layer 3 marked.

SentenceChipsInput chips_of(const WordInText& text, std::size_t sentence);
PathsInput paths_of(const WordContext& context, const ContextChoice& choice);
PairCurvesInput curves_of(const WordContext& context, const ContextChoice& choice);
PairMatrixInput matrix_of(const WordContext& context, const ContextChoice& choice);
ProbesInput probes_of(const WordContext& context, const std::vector<std::shared_ptr<const ProbeWord>>& probes,
                      const ContextChoice& choice);
QueryKeyInput query_key_of(const WordContext& context, const QueryKeySpace& space, const ContextChoice& choice);
AddedInput added_of(const WordContext& context, const AttentionAdded& added, const ContextChoice& choice);
// The input of added_of() with a title, for a file.
AddedInput titled_added_of(const WordContext& context, const AttentionAdded& added, const ContextChoice& choice);
// The attention of layer `layer` - 1, after which the word has passed `layer` layers; null for `layer` 0 (the embedding) and for
// a layer without attention. site_of(text, 1) gives the attention of layer 0.
const AttentionSite* site_of(const WordInText& text, std::int64_t layer);

// All pictures on one page, `width` points wide. A null `added` leaves out the bars of what attention added, a null `space` the
// plane of queries and keys, and no `probes` the bars of the probe words.
// context_figure(context, probes, nullptr, nullptr, choice, 900, theme, measure) shows sentences, paths, pairs and probe words.
Figure context_figure(const WordContext& context, const std::vector<std::shared_ptr<const ProbeWord>>& probes,
                      const AttentionAdded* added, const QueryKeySpace* space, const ContextChoice& choice, float width,
                      const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
