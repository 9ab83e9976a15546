// The text beside the walk-through: the current step, what it does in plain words, its formula, its numbers and, for the mask,
// the shapes that are broadcast.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/views/walk/broadcast_picture.h"
#include "app/views/walk/candidates_picture.h"
#include "app/views/walk/graph_picture.h"
#include "app/views/walk/losses_picture.h"

namespace headlight::figures {

struct WalkNotes {
  std::string title, words, formula, shape;
  std::string ends;               // why the walk ends here; empty: it goes on
  std::string chain;              // the shapes of all steps of the box, in order
  std::vector<std::string> said;  // differences from the text that a preset follows, and facts that are easily overlooked
  struct Row {
    std::string name, shape;
    std::vector<std::string> values;
    bool more = false;    // the row has more numbers than `values`
    bool result = false;  // the row is the result of the rows above
  };
  std::string rows_title;
  std::vector<Row> rows;
  std::optional<Broadcast> broadcast;
  std::optional<WalkLosses> losses;
  WalkCandidates candidates;         // of the model's last steps; without rows: none
  std::vector<std::string> remarks;  // small print: colours, reductions, source of the weights
};

// `width` points wide, as high as needed. From a width of 640 points on, numbers and pictures are beside the words.
// walk_notes(notes, 480, theme, measure) puts the numbers below the words.
Figure walk_notes(const WalkNotes& notes, float width, const Theme& theme, const TextMeasure& measure);

// One or two sentences that explain the step of a box; they depend on the trace's masks, scale and heads.
// walk_words(trace, site, graph, graph.find("weights")) explains the softmax.
std::string walk_words(const Trace& trace, const AttentionSite* site, const WalkGraph& graph, int box);

// A preset's remark on a step, translated, behind the step's name in words.
// walk_remark("encoder.div_term", "the text prints 9 digits") gives "div term: the text prints 9 digits" in English.
std::string walk_remark(const std::string& step, const std::string& remark);

// The heading of a stop, counted from 0: walk_title(graph, 6) gives "Step 7: the mask" if this stop is the mask.
std::string walk_title(const WalkGraph& graph, int stop);

}  // namespace headlight::figures
