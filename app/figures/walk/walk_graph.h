// The pipeline of one attention as boxes and arrows, read from a trace: its steps and what each is made from. Positions and
// drawing are elsewhere: walk_layout.h and walk_figure.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pipeline/trace.h"

namespace headlight::figures {

// Which of the three projections an arrow carries; each has its own colour.
enum class WalkFlow { plain, q, k, v };

struct WalkInputOf {
  int box = -1;          // index in WalkGraph::boxes
  bool through = false;  // not a direct input: layers in between are not shown
};

struct WalkBox {
  enum class Kind {
    step,            // one step of the trace, or several in one box
    text,            // the sentence itself
    layer_input,     // the vectors that enter this layer, made by the layers before it
    encoder_output,  // what keys and values of cross-attention are made from
  };
  // The part of the picture that the box belongs to.
  enum class Part {
    text,     // text, tokens, embedding, position
    stream,   // the vectors that enter this layer, their norm, the encoder's output
    heads,    // q, k, v
    scored,   // what is made of q or k alone before they meet; each stands right of the box it is made from
    pattern,  // scores .. weights
    result,   // context .. residual (and the norm after it)
    feed,     // the feed-forward part
    last,     // behind the last layer, where there are losses: logits .. loss
  };
  Kind kind = Kind::step;
  Role role = Role::other;         // of the last step; words and pictures go by it
  std::string id;                  // WalkView::step: the step's own name; "text", "x", "memory", "mask" for the masked scores
  std::string title;               // "scores", "Q": translated by tr()
  std::vector<std::string> steps;  // steps of the trace, in order; the last one is shown. Empty: the sentence itself
  std::string operation, formula, computed_by;  // of the last step
  Shape shape;
  Axes axes;
  std::vector<WalkInputOf> inputs;
  std::vector<std::string> parameters;  // "parameters.layer.0.wq"
  Part part = Part::text;
  WalkFlow flow = WalkFlow::plain;  // of the arrows that start here
  bool random_weights = false;
  bool of_targets = false;  // its rows are tokens of the second sentence
  std::string note;         // Step::note of its steps
  std::string chain;        // of several steps: their shapes, and what is made from what: "[20, 10] → [20, 1, 10]"
  const std::string& step() const { return steps.back(); }
};

// One stop of the walk-through: a box, or q, k and v together.
struct WalkStop {
  std::string label;  // "Q K V", translated by tr()
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

// The front of the model (text to input), the attention at `site` (null: the front alone), the steps after it in its layer up to
// the next attention, and behind the last layer the model's last steps. Each of these steps is in exactly one box, whatever its
// role. Steps from outside that they read become "x" (this layer's input, made by the layers before) and "memory" (the encoder's
// output).
WalkGraph walk_graph(const Trace& trace, const AttentionSite* site);

// The box to show if the graph has no box `id` any more (because a residual connection was switched off, say): the last one
// before it in the usual order, or the first box if there is none.
int nearest_box(const WalkGraph& graph, std::string_view id);

// What a step of a box is called: by the box's title, or by its own name if it is only a part of the box. Translated.
std::string walk_step_title(const WalkBox& box, const std::string& step);

// "[10, 1] × [100] → [10, 100]": the shapes of the steps of one box, whole, in order, and how they are joined. `own` gives a
// shape where it is another than the step's: a mask's before it is repeated.
std::string walk_chain(const std::vector<const Step*>& steps, const std::function<Shape(const Step&)>& own = {});

// "[6, 10, 32]": without the batch axis if there is one sentence. named: "[head 6, query 10, key 10]". tight: without spaces.
enum class WalkShape { plain, named, tight };
std::string walk_shape(const Shape& shape, const Axes& axes, WalkShape form = WalkShape::plain);

}  // namespace headlight::figures
