// The text beside the walk-through: the current step, what it does in plain words, its formula, its numbers and, for the mask,
// the shapes that are broadcast.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/figures/walk/walk_broadcast.h"
#include "app/figures/walk/walk_graph.h"
#include "app/figures/walk/walk_losses.h"

namespace headlight::figures {

struct WalkNotes {
  std::string title, words, formula, shape;
  std::string chain;              // the shapes of all steps of the box, in order
  std::vector<std::string> said;  // where the text that a preset follows prints otherwise, or what is easily overlooked
  struct Row {
    std::string name, shape;
    std::vector<std::string> values;
    bool more = false;  // there are more numbers
    bool result = false;
  };
  std::string rows_title;
  std::vector<Row> rows;
  std::optional<Broadcast> broadcast;
  std::optional<WalkLosses> losses;
  std::vector<std::string> remarks;  // small print: colours, reductions, source of the weights
};

// As wide as `width`, as high as needed. From 640 points on, numbers and pictures are beside the words.
Figure walk_notes(const WalkNotes& notes, float width, const Theme& theme, const TextMeasure& measure);

// One or two sentences about what happens in a box in this trace: they depend on its masks, scale and heads.
std::string walk_words(const Trace& trace, const AttentionSite* site, const WalkGraph& graph, int box);

// What a preset's remark says, "encoder.div_term" after "div term": translated.
std::string walk_remark(const std::string& step, const std::string& remark);

// "Step 7: the mask".
std::string walk_title(const WalkGraph& graph, int stop);

}  // namespace headlight::figures
