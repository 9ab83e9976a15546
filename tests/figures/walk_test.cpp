// The walk-through's graph, for every switch of the model: each step is in exactly one box, every input has an arrow.
#include "app/views/walk/diagram_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/views/walk/notes_picture.h"
#include "engine/operations/operation.h"
#include "tests/figures/walk_models.h"
#include "tests/figures/walk_samples.h"
#include "tests/support/small_trace.h"
#include "tests/support/trace_of.h"

namespace headlight::figures {
namespace {

using tests::trace_of;

// The steps that the boxes must contain, found without the graph: the front of the stream, and those steps of this layer that
// belong to the attention at `site` or come after it before another attention.
std::set<std::string> expected_steps(const Trace& trace, const AttentionSite& site) {
  const std::string model = site.prefix.substr(0, site.prefix.find("layer."));
  const std::string layer = model + "layer." + std::to_string(site.layer) + ".";
  const bool crossed = layer == site.prefix && trace.find(layer + "cross.q") != nullptr;
  const bool last = !crossed && site.layer + 1 == trace.document().layers;
  std::set<std::string> out;
  bool behind = false;  // the layers
  for (const Step& step : trace.steps()) {
    const std::string& name = step.name;
    for (const char* front : {"tokens", "embedding", "places", "div_term", "angles", "position", "position_unsqueezed", "input"})
      if (name == model + front) out.insert(name);
    behind |= name.find("layer.") != std::string::npos;
    if (last && behind && place_of(name).empty() && (model.empty() || site.rows_are_targets)) out.insert(name);
    if (last && name == model + "final_norm") out.insert(name);
    if (!name.starts_with(layer)) continue;
    const bool of_cross = name.starts_with(layer + "cross.");
    const bool of_mlp = name.starts_with(layer + "mlp_");
    if (site.prefix != layer ? of_cross || of_mlp : !of_cross && (!of_mlp || !crossed)) out.insert(name);
  }
  return out;
}

TEST(WalkGraph, EveryStepIsInOneBoxAndEveryInputIsAnArrow) {
  for (const Document& d : all_models()) {
    const auto trace = trace_of(d);
    ASSERT_NE(trace, nullptr);
    for (const AttentionSite& site : trace->sites()) {
      SCOPED_TRACE(walk_words_of(d) + ", " + site.prefix);
      const WalkGraph graph = walk_graph(*trace, &site);
      std::multiset<std::string> held;
      std::set<std::string> ids, outside;
      for (const WalkBox& box : graph.boxes) {
        EXPECT_TRUE(ids.insert(box.id).second) << "two boxes called " << box.id;
        if (box.id == "x" || box.id == "memory")
          outside.insert(box.step());
        else
          held.insert(box.steps.begin(), box.steps.end());
        if (box.steps.empty()) continue;
        const Step& step = *trace->find(box.step());
        EXPECT_EQ(box.shape, step.shape);
        EXPECT_EQ(box.formula, step.formula);
        EXPECT_EQ(box.operation, step.operation);
      }
      const std::set<std::string> expected = expected_steps(*trace, site);
      EXPECT_EQ(std::set<std::string>(held.begin(), held.end()), expected);
      EXPECT_EQ(held.size(), expected.size()) << "a step is in two boxes";
      EXPECT_EQ(outside.size(),
                (site.layer > 0 || site.site == masks::Site::cross ? 1u : 0u) + (site.site == masks::Site::cross));
      // The arrows are exactly the inputs of the steps.
      for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
        const WalkBox& box = graph.boxes[i];
        if (box.id == "x" || box.id == "memory" || box.id == "text") continue;
        std::set<std::string> from, inputs;
        for (const WalkInputOf& input : box.inputs) {
          EXPECT_FALSE(input.through);
          EXPECT_NE(input.box, static_cast<int>(i));
          const WalkBox& source = graph.boxes[static_cast<std::size_t>(input.box)];
          if (source.id != "text") from.insert(source.step());
        }
        // A step in a box with others is that box's.
        const auto owner = [&](const std::string& step) {
          for (const WalkBox& other : graph.boxes)
            if (std::find(other.steps.begin(), other.steps.end(), step) != other.steps.end()) return other.step();
          return step;
        };
        for (const std::string& name : box.steps)
          for (const std::string& input : trace->find(name)->inputs)
            if (!input.starts_with("parameters.") && std::find(box.steps.begin(), box.steps.end(), input) == box.steps.end())
              inputs.insert(owner(input));
        EXPECT_EQ(from, inputs) << box.id;
      }
      // Space visits every box once, in order; q, k and v together.
      std::vector<int> walked;
      for (const WalkStop& stop : graph.stops) walked.insert(walked.end(), stop.boxes.begin(), stop.boxes.end());
      ASSERT_EQ(walked.size(), graph.boxes.size());
      for (std::size_t i = 0; i < walked.size(); ++i) EXPECT_EQ(walked[i], static_cast<int>(i));
      EXPECT_EQ(graph.stop_of(graph.find("q")), graph.stop_of(graph.find("v")));
    }
  }
}

// A real trace with one more step of a role that nothing knows, made from `inputs` and read by `reader` in place of the first of
// them. A copy of the steps without their numbers.
std::shared_ptr<tests::SmallTrace> with_step(const Trace& trace, const std::string& name, std::vector<std::string> inputs,
                                             const std::string& reader) {
  auto out = std::make_shared<tests::SmallTrace>();
  out->document_ = trace.document();
  out->texts_.assign(trace.texts().begin(), trace.texts().end());
  out->sites_.assign(trace.sites().begin(), trace.sites().end());
  for (const Step& step : trace.steps()) {
    if (step.name == reader) {
      Step more = *trace.find(inputs.front());
      more.name = name;
      more.role = Role::other;
      more.operation = "sharpen";
      more.formula = name + " = sharpened";
      static const operations::Kind sharpen{.id = "sharpen"};
      more.computed_by = sharpen;
      more.inputs = inputs;
      out->steps_.push_back(std::move(more));
    }
    out->steps_.push_back(step);
    if (step.name == reader)
      std::replace(out->steps_.back().inputs.begin(), out->steps_.back().inputs.end(), inputs.front(), name);
  }
  return out;
}

struct Inserted {
  const char* name;
  std::vector<std::string> inputs;
  const char* reader;
  WalkBox::Part part;
};
// In every part of the picture.
std::vector<Inserted> inserted_steps() {
  using Part = WalkBox::Part;
  return {{"sharpened", {"embedding"}, "input", Part::text},
          {"layer.0.sharpened", {"layer.0.attention_norm"}, "layer.0.q", Part::stream},
          {"layer.0.sharpened", {"layer.0.q"}, "layer.0.scores", Part::scored},
          {"layer.0.sharpened", {"layer.0.v"}, "layer.0.context", Part::pattern},
          {"layer.0.sharpened", {"layer.0.q", "layer.0.k"}, "layer.0.scores", Part::pattern},
          {"layer.0.sharpened", {"layer.0.scores"}, "layer.0.scaled_scores", Part::pattern},
          {"layer.0.sharpened", {"layer.0.scaled_scores", "layer.0.attention_norm"}, "layer.0.masked_scores", Part::pattern},
          {"layer.0.sharpened", {"layer.0.context"}, "layer.0.concat", Part::result},
          {"layer.0.sharpened", {"layer.0.mlp_hidden", "layer.0.weights"}, "layer.0.mlp_output", Part::feed}};
}

TEST(WalkGraph, AStepOfAnUnknownRoleIsABoxWithItsInputsAndItsOwnName) {
  const auto real = trace_of(base());
  for (const Inserted& one : inserted_steps()) {
    SCOPED_TRACE(std::string(one.name) + " before " + one.reader);
    const auto trace = with_step(*real, one.name, one.inputs, one.reader);
    const AttentionSite& site = trace->sites()[0];
    const WalkGraph graph = walk_graph(*trace, &site);
    const int at = graph.find("sharpened");
    ASSERT_GE(at, 0);
    const WalkBox& box = graph.boxes[static_cast<std::size_t>(at)];
    EXPECT_EQ(box.title, "sharpened");
    EXPECT_EQ(box.steps, std::vector<std::string>{one.name});
    EXPECT_EQ(box.shape, trace->find(one.name)->shape);
    EXPECT_EQ(box.part, one.part);
    std::vector<std::string> inputs;
    for (const WalkInputOf& input : box.inputs) inputs.push_back(graph.boxes[static_cast<std::size_t>(input.box)].step());
    EXPECT_EQ(inputs, one.inputs);
    bool read = false;
    for (const WalkBox& other : graph.boxes)
      if (std::find(other.steps.begin(), other.steps.end(), one.reader) != other.steps.end())
        read = std::any_of(other.inputs.begin(), other.inputs.end(), [&](const WalkInputOf& input) { return input.box == at; });
    EXPECT_TRUE(read) << "no arrow goes on from it";
    EXPECT_EQ(walk_words(*trace, &site, graph, at), "sharpen") << "what it does, where there are no words for it";
    EXPECT_NE(walk_title(graph, graph.stop_of(at)).find(": "), std::string::npos);
    // The picture has room for it: nothing lies over it, and its arrows begin and end at the boxes.
    const WalkLayout layout = walk_layout(graph, 860, 300, measure());
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
      EXPECT_TRUE(inside({0, 0, layout.width, layout.height}, layout.boxes[i])) << graph.boxes[i].id;
      for (std::size_t k = 0; k < i; ++k)
        EXPECT_FALSE(overlap(layout.boxes[i], layout.boxes[k])) << graph.boxes[i].id << " and " << graph.boxes[k].id;
    }
    for (const WalkArrow& arrow : layout.arrows) {
      EXPECT_LT(outside(layout.boxes[static_cast<std::size_t>(arrow.to)], arrow.at(1)), 0.1f);
      EXPECT_TRUE(arrow.at(0.5f).y >= 0 && arrow.at(0.5f).y <= layout.height);
    }
  }
}

TEST(WalkGraph, WhatIsMadeOfQOrKAloneStandsBesideItAndTheGateOverWhatItLetsThrough) {
  Document d = base();
  d.position = "rotary";
  d.score = "cosine";
  d.gated = d.final_norm = true;
  const auto trace = trace_of(d);
  const WalkGraph graph = walk_graph(*trace, &trace->sites()[1]);
  const WalkLayout layout = walk_layout(graph, 1500, 900, measure());
  const auto box = [&](const char* id) {
    EXPECT_GE(graph.find(id), 0) << id;
    return layout.boxes[static_cast<std::size_t>(std::max(0, graph.find(id)))];
  };
  EXPECT_EQ(box("q").y, box("q_rotated").y);
  EXPECT_EQ(box("k").y, box("k_unit").y);
  EXPECT_LT(box("q").x, box("q_rotated").x);
  EXPECT_LT(box("q_rotated").x, box("q_unit").x);
  EXPECT_LT(box("q_unit").x, box("scores").x);
  EXPECT_EQ(box("mlp_gate").x, box("mlp_up").x);
  EXPECT_LT(box("mlp_gate").y, box("mlp_up").y);
  EXPECT_LT(box("mlp_up").x, box("mlp_hidden").x);
  EXPECT_GE(graph.find("final_norm"), 0) << "behind the last layer";
  EXPECT_EQ(walk_graph(*trace, &trace->sites()[0]).find("final_norm"), -1);
  EXPECT_EQ(graph.stop_of(graph.find("q_rotated")), graph.stop_of(graph.find("k_unit"))) << "one stop of the walk";
  for (const char* id : {"q_rotated", "q_unit", "mlp_gate", "mlp_up", "mlp_hidden"}) {
    const int at = graph.find(id);
    EXPECT_GT(walk_words(*trace, &trace->sites()[1], graph, at).size(),
              graph.boxes[static_cast<std::size_t>(at)].operation.size())
        << id << " has a sentence of its own";
  }
}

TEST(WalkGraph, TheMatrixOfAGeneralScoreStandsBesideTheQuery) {
  Document d = base();
  d.position = "rotary";
  d.score = "general";
  const auto trace = trace_of(d);
  const WalkGraph graph = walk_graph(*trace, &trace->sites()[1]);
  const WalkLayout layout = walk_layout(graph, 1500, 900, measure());
  const int matrix = graph.find("q_weighted"), turned = graph.find("q_rotated"), q = graph.find("q");
  ASSERT_GE(matrix, 0);
  const auto& boxes = layout.boxes;
  EXPECT_EQ(boxes[static_cast<std::size_t>(q)].y, boxes[static_cast<std::size_t>(matrix)].y);
  EXPECT_LT(boxes[static_cast<std::size_t>(q)].x, boxes[static_cast<std::size_t>(matrix)].x);
  EXPECT_LT(boxes[static_cast<std::size_t>(matrix)].x, boxes[static_cast<std::size_t>(turned)].x);
  EXPECT_GT(walk_words(*trace, &trace->sites()[1], graph, matrix).size(),
            graph.boxes[static_cast<std::size_t>(matrix)].operation.size())
      << "it has a sentence of its own";
}

TEST(WalkGraph, WithoutAnAttentionTheFrontIsLeft) {
  for (const bool target : {false, true}) {
    Document d = base();
    if (target) d.targets = {"chien"};
    const auto trace = trace_of(d);
    const WalkGraph graph = walk_graph(*trace, nullptr);
    std::vector<std::string> ids;
    for (const WalkBox& box : graph.boxes) ids.push_back(box.id);
    EXPECT_EQ(ids, (std::vector<std::string>{"text", "tokens", "embedding", "position", "input"}));
    const WalkLayout layout = walk_layout(graph, 900, 400, measure());
    for (const Box& box : layout.boxes) EXPECT_LT(box.w, 300) << "no wider than boxes are otherwise";
  }
}

TEST(WalkGraph, AModelThatSaysWordsGoesOnToTheWordFromEveryLayerAndBackToTheText) {
  for (const bool target : {false, true}) {
    Document d = base();
    d.logits = d.final_norm = true;
    d.norm = "pre";
    d.masks = {{"causal", {}}};
    if (target) d.targets = {"chien mange"};
    const auto trace = that_says_words(*trace_of(d));
    for (const AttentionSite& site : trace->sites()) {
      SCOPED_TRACE(site.prefix);
      const WalkGraph graph = walk_graph(*trace, &site);
      if (target && !site.rows_are_targets) {
        EXPECT_FALSE(graph.says_words()) << "an encoder says nothing";
        EXPECT_EQ(graph.find("logits"), -1);
        continue;
      }
      ASSERT_TRUE(graph.says_words());
      std::vector<std::string> ids;
      for (const WalkBox& box : graph.boxes)
        if (box.part == WalkBox::Part::last) ids.push_back(box.id);
      EXPECT_EQ(ids, (std::vector<std::string>{"final_norm", "unembedding", "logits", "probabilities", "word"}));
      EXPECT_EQ(graph.boxes.back().id, "word");
      const auto inputs = [&](const char* id) { return graph.boxes[static_cast<std::size_t>(graph.find(id))].inputs; };
      // Dashed where layers, or the layer's other attention and its feed-forward part, lie between.
      const bool last = site.layer + 1 == d.layers && (!target || site.site == masks::Site::cross);
      ASSERT_EQ(inputs("final_norm").size(), 1u);
      EXPECT_EQ(inputs("final_norm")[0].through, !last);
      EXPECT_EQ(inputs("final_norm")[0].box, graph.find("final_norm") - 1);
      EXPECT_EQ(inputs("unembedding")[0].box, graph.find("final_norm"));
      EXPECT_EQ(inputs("logits")[0].box, graph.find("unembedding"));
      EXPECT_EQ(inputs("word")[0].box, graph.find("probabilities"));
      ASSERT_EQ(inputs("text").size(), 1u);
      EXPECT_TRUE(inputs("text")[0].back);
      EXPECT_EQ(inputs("text")[0].box, graph.find("word"));
      // No other layer's input was taken for this one's.
      EXPECT_EQ(graph.find("x") >= 0, site.layer > 0 || site.site == masks::Site::cross);
      const WalkBox& matrix = graph.boxes[static_cast<std::size_t>(graph.find("unembedding"))];
      EXPECT_EQ(matrix.shape, (Shape{24, trace->find("logits")->shape.back()}));
      EXPECT_EQ(matrix.parameters.size(), 1u);
    }
  }
}

TEST(WalkGraph, ABoxThatIsGoneIsReplacedByTheOneBeforeIt) {
  Document d = base();
  d.residual = false;
  const auto trace = trace_of(d);
  const WalkGraph graph = walk_graph(*trace, &trace->sites()[0]);
  EXPECT_EQ(graph.boxes[static_cast<std::size_t>(nearest_box(graph, "attention_residual"))].id, "attention_output");
  EXPECT_EQ(graph.boxes[static_cast<std::size_t>(nearest_box(graph, "weights"))].id, "weights");
  EXPECT_EQ(graph.boxes[static_cast<std::size_t>(nearest_box(graph, "no such step"))].id, "text");
}

}  // namespace
}  // namespace headlight::figures
