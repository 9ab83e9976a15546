// The pipeline of one attention as boxes and arrows, read from a trace: the steps, and the inputs of each step. walk_layout()
// places the boxes, and walk_figure() draws them.
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
  bool through = false;  // the input is not direct: layers in between are not shown
  bool back = false;     // the chosen word, which goes back to the text
};

struct WalkBox {
  enum class Kind {
    step,            // one step of the trace, or several in one box
    text,            // the sentence itself
    layer_input,     // the vectors that enter this layer, made by the layers before it
    encoder_output,  // the vectors that keys and values of cross-attention are made from
    unembedding,     // the matrix that makes a score for every token of the last vector
    word,            // the token that is taken into the text
  };
  // The part of the picture that the box belongs to.
  enum class Part {
    text,     // text, tokens, embedding, position
    stream,   // the vectors that enter this layer, their norm, the encoder's output
    heads,    // q, k, v
    scored,   // steps made of q or k alone before the scores; each box stands right of its input
    pattern,  // scores .. weights
    result,   // context .. residual (and the norm after it)
    feed,     // the feed-forward part
    last,     // behind the last layer: the last norm .. the chosen word, or logits .. loss of a model with losses
  };
  Kind kind = Kind::step;
  Role role = Role::other;  // role of the last step, which decides words and pictures
  std::string id;           // what the view stores: the step's own name; "text", "x", "memory", "mask" for the masked scores
  std::string title;        // "scores", "Q": translated by tr()
  // Steps of the trace, in order; the box shows the last step. Empty: the sentence itself, the unembedding, or the chosen word.
  std::vector<std::string> steps;
  std::string operation, formula;  // as in the last step
  Computation computed_by;         // as in the last step
  Shape shape;
  Axes axes;
  std::vector<WalkInputOf> inputs;
  std::vector<std::string> parameters;  // "parameters.layer.0.wq"
  Part part = Part::text;
  WalkFlow flow = WalkFlow::plain;  // flow of the arrows that start at this box
  bool random_weights = false;
  bool of_targets = false;  // the rows are tokens of the second sentence
  std::string note;         // Step::note of all steps
  std::string chain;        // for several steps: walk_chain(), "[20, 10] → [20, 1, 10]"
  const std::string& step() const { return steps.back(); }
};

using WalkPart = WalkBox::Part;

// One stop of the walk-through: a box, or q, k and v together.
struct WalkStop {
  std::string label;  // "Q K V", translated by tr()
  std::vector<int> boxes;
};

struct WalkGraph {
  std::vector<WalkBox> boxes;  // in order of computation
  std::vector<WalkStop> stops;
  std::string prefix;  // AttentionSite::prefix of the attention; empty: the graph has no attention
  std::int64_t layer = 0;
  int find(std::string_view id) const;  // -1: there is no such box
  int stop_of(int box) const;
  bool says_words() const { return find("word") >= 0; }
};

// The front of the model (text to input), the attention at `site` (null: the front alone), the steps after this attention in its
// layer up to the next attention, and behind the last layer the model's last steps: of a model that says words in every layer's
// graph. Each of these steps is in exactly one box, whatever its role. Two more boxes stand for steps of other layers that these
// steps read: "x" (this layer's input) and "memory" (the encoder's output). A model that says words has two more, "unembedding"
// and "word", from which an arrow leads back to the text. walk_graph(trace, &trace.sites().front()) gives the boxes of the first
// attention.
WalkGraph walk_graph(const Trace& trace, const AttentionSite* site);

// The index of box `id` or, if the graph has no such box any more (because a residual connection was switched off, say), of the
// last box before it in the usual order; 0 if no box is before it.
// nearest_box(graph, "weights") gives graph.find("weights") if the graph has weights.
int nearest_box(const WalkGraph& graph, std::string_view id);

// The translated title of a box's step: the box's title, or the step's own name if the step is only a part of the box.
// walk_step_title(box, box.step()) gives tr(box.title) if the box has one step.
std::string walk_step_title(const WalkBox& box, const std::string& step);

// The full shapes of the steps of one box, in order, and how they are joined: "[10, 1] × [100] → [10, 100]". `own` gives the
// shape of a step if it is not Step::shape: a mask's shape before the mask is repeated.
// walk_chain({&step}) of a step of shape [20, 10] gives "[20, 10]".
std::string walk_chain(const std::vector<const Step*>& steps, const std::function<Shape(const Step&)>& own = {});

// A shape in words, without the batch axis if there is one sentence. plain: "[6, 10, 32]"; named: "[head 6, query 10, key 10]";
// tight: "[6,10,32]".
enum class WalkShape { plain, named, tight };
// walk_shape({1, 6, 10}, {"batch", "head", "query"}, WalkShape::tight) gives "[6,10]".
std::string walk_shape(const Shape& shape, const Axes& axes, WalkShape form = WalkShape::plain);

}  // namespace headlight::figures
