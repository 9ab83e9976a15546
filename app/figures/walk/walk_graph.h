// The pipeline of one attention as boxes and arrows, read off a trace: which steps there are and what each is made from. No
// places and no drawing: walk_layout.h gives the places, walk_figure.h draws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pipeline/trace.h"

namespace headlight::figures {

// Which of the three projections flows along an arrow; each has its own colour.
enum class WalkFlow { plain, q, k, v };

struct WalkInputOf {
  int box = -1;          // WalkGraph::boxes
  bool through = false;  // not a direct input: the layers in between are not shown
};

struct WalkBox {
  // Where the box belongs in the picture.
  enum class Part {
    text,     // text, tokens, embedding, position
    stream,   // the vectors that enter this layer, their norm, the encoder's output
    heads,    // q, k, v
    pattern,  // scores .. weights
    result,   // context .. residual (and the norm after it)
    feed,     // the feed-forward part
  };
  std::string id;                  // WalkView::step: the step's own name without its prefix; "text", "x", "memory"
  std::string title;               // "scores", "Q": through tr()
  std::vector<std::string> steps;  // of the trace, in order; the last is the one shown. Empty: the sentence itself
  std::string operation, formula;  // of the last
  Shape shape;
  Axes axes;
  std::vector<WalkInputOf> inputs;
  std::vector<std::string> parameters;  // "parameters.layer.0.wq"
  Part part = Part::text;
  WalkFlow flow = WalkFlow::plain;  // of the arrows that leave it
  bool random_weights = false;
  bool of_targets = false;  // its rows are tokens of the second sentence
  std::string note;         // Step::note of its steps
  const std::string& step() const { return steps.back(); }
};

// What Space goes through: a box, or q, k and v together.
struct WalkStop {
  std::string label;  // "Q K V", through tr()
  std::vector<int> boxes;
};

struct WalkGraph {
  std::vector<WalkBox> boxes;  // in order of computation
  std::vector<WalkStop> stops;
  std::string prefix;  // of the attention; empty: there is none
  std::int64_t layer = 0;
  int find(std::string_view id) const;  // -1: there is no such box
  int stop_of(int box) const;
};

// The front of the model (text to input), the attention at `site` (null: the front alone), and what follows it in its layer up to
// the next attention: each step of these appears in exactly one box. Steps from outside that they read become "x" (this layer's
// input, made by the layers before) and "memory" (the encoder's output).
WalkGraph walk_graph(const Trace& trace, const AttentionSite* site);

// The box that stands for `id` when the graph has no box of that name any more (a residual connection was switched off, say): the
// last one before it in the usual order. The first box if none is.
int nearest_box(const WalkGraph& graph, std::string_view id);

// "[6, 10, 32]": without the batch axis while there is one sentence. With names: "[head 6, query 10, key 10]". Tight: without
// spaces.
enum class WalkShape { plain, named, tight };
std::string walk_shape(const Shape& shape, const Axes& axes, WalkShape form = WalkShape::plain);

}  // namespace headlight::figures
