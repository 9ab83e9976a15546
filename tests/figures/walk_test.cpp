// The walk-through's graph and layout, for every switch of the model: each step is in exactly one box, every input has an arrow,
// nothing overlaps, no text is cut.
#include "app/views/walk/diagram_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/views/walk/notes_picture.h"
#include "engine/operations/attention_fill.h"
#include "engine/operations/operation.h"
#include "tests/figures/walk_samples.h"
#include "tests/support/small_trace.h"
#include "tests/support/trace_of.h"

namespace headlight::figures {
namespace {

using tests::trace_of;

// Every combination of the switches that change which steps there are.
std::vector<Document> all_models() {
  std::vector<Document> out;
  for (const char* norm : {"none", "pre", "post"})
    for (const bool residual : {false, true})
      for (const bool feed : {false, true})
        for (const bool projected : {false, true})
          for (const char* position : {"none", "sinusoidal"})
            for (const bool target : {false, true}) {
              Document d = base();
              d.norm = norm;
              d.residual = residual;
              d.feed_forward = feed;
              d.projected = projected;
              if (!projected) d.heads = 1;
              d.position = position;
              if (target) d.targets = {"chien"};
              out.push_back(std::move(d));
            }
  // Steps between Q, K and the scores, a gate beside the feed-forward part, a norm behind the last layer.
  for (const char* norm : {"none", "pre", "post"})
    for (const char* position : {"sinusoidal", "rotary", "alibi", "relative"})
      for (const bool cosine : {false, true})
        for (const bool gated : {false, true})
          for (const bool target : {false, true}) {
            if (position == std::string("sinusoidal") && !cosine && !gated) continue;
            Document d = base();
            d.norm = norm;
            d.position = position;
            if (cosine) d.score = position == std::string("relative") ? "general" : "cosine";
            d.gated = gated;
            d.final_norm = norm == std::string("pre");
            if (target) d.targets = {"chien"};
            out.push_back(std::move(d));
          }
  // The model's last steps: logits, probabilities and losses.
  for (const bool target : {false, true}) {
    Document d = base();
    d.logits = true;
    d.norm = "post";
    d.masks = {{"padding", {}}, {"causal", {}}};
    if (target) d.targets = {"chien mange"};
    out.push_back(std::move(d));
  }
  // Stacked heads, and one projection for several of Q, K and V.
  for (const char* combiner : {"concat", "stack2d"})
    for (const char* qkv : {"separate", "shared", "one"})
      for (const bool target : {false, true}) {
        if (combiner == std::string("concat") && qkv == std::string("separate")) continue;
        Document d = base();
        d.combiner = combiner;
        d.qkv = qkv;
        if (target) d.targets = {"chien"};
        out.push_back(std::move(d));
      }
  return out;
}
std::string walk_words_of(const Document& d) {
  return "norm " + d.norm + ", residual " + std::to_string(d.residual) + ", mlp " + std::to_string(d.feed_forward) +
         ", projected " + std::to_string(d.projected) + ", position " + d.position + ", score " + d.score + ", gated " +
         std::to_string(d.gated) + ", combiner " + d.combiner + ", qkv " + d.qkv + ", targets " +
         std::to_string(d.targets.size());
}

// The same trace without its losses, as of a model that says words. A copy of the steps without their numbers.
std::shared_ptr<const Trace> that_says_words(const Trace& trace) {
  auto out = std::make_shared<tests::SmallTrace>();
  out->document_ = trace.document();
  out->texts_.assign(trace.texts().begin(), trace.texts().end());
  out->targets_.assign(trace.targets().begin(), trace.targets().end());
  out->sites_.assign(trace.sites().begin(), trace.sites().end());
  out->parameters_.assign(trace.parameters().begin(), trace.parameters().end());
  for (const Step& step : trace.steps())
    if (step.role != Role::loss && step.role != Role::loss_part && step.role != Role::loss_shifted) out->steps_.push_back(step);
  return out;
}

// The traces of all models, and those of models that say words, of every shape of a layer.
std::vector<std::shared_ptr<const Trace>> all_traces() {
  std::vector<std::shared_ptr<const Trace>> out;
  for (const Document& d : all_models()) out.push_back(trace_of(d));
  for (const bool target : {false, true})
    for (const bool gated : {false, true})
      for (const bool feed : {false, true}) {
        Document d = base();
        d.logits = true;
        d.norm = "pre";
        d.final_norm = feed || !target;
        d.gated = gated;
        d.feed_forward = feed;
        d.position = gated ? "rotary" : "sinusoidal";
        d.masks = {{"causal", {}}};
        if (target) d.targets = {"chien mange"};
        if (gated && !feed) continue;
        out.push_back(that_says_words(*trace_of(d)));
      }
  return out;
}

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

// The distance of a point from a box; 0 inside.
float outside(const Box& b, Point p) {
  return std::hypot(std::max({b.x - p.x, 0.0f, p.x - b.x - b.w}), std::max({b.y - p.y, 0.0f, p.y - b.y - b.h}));
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

TEST(WalkLayout, TheUsualStepsNeedTheUsualSize) {
  Document d = base();
  d.norm = "post";
  const auto trace = trace_of(d);
  const WalkSize least = walk_least_size(walk_graph(*trace, &trace->sites()[0]));
  EXPECT_EQ(least.width, kWalkLeastWidth);
  EXPECT_EQ(least.height, kWalkLeastHeight);
}

TEST(WalkLayout, NothingLiesOverAnythingElseAtAnySize) {
  const std::pair<float, float> sizes[] = {{860, 300}, {908, 390}, {1180, 670}, {1500, 900}, {300, 100}, {2400, 400}};
  for (const auto& trace : all_traces()) {
    for (const AttentionSite& site : trace->sites()) {
      const WalkGraph graph = walk_graph(*trace, &site);
      for (const auto& [width, height] : sizes) {
        SCOPED_TRACE(walk_words_of(trace->document()) + (graph.says_words() ? ", words" : "") + ", " + site.prefix + " at " +
                     std::to_string(width) + " x " + std::to_string(height));
        const WalkLayout layout = walk_layout(graph, width, height, measure());
        EXPECT_EQ(layout.width, std::max(width, walk_least_size(graph).width));
        EXPECT_EQ(layout.height, std::max(height, walk_least_size(graph).height));
        const Box whole{0, 0, layout.width, layout.height};
        for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
          EXPECT_TRUE(inside(whole, layout.boxes[i])) << graph.boxes[i].id;
          EXPECT_TRUE(inside(layout.boxes[i], layout.inner[i])) << graph.boxes[i].id;
          EXPECT_GE(layout.inner[i].h, 8) << graph.boxes[i].id;
          for (std::size_t k = 0; k < i; ++k)
            EXPECT_FALSE(overlap(layout.boxes[i], layout.boxes[k])) << graph.boxes[i].id << " and " << graph.boxes[k].id;
        }
        std::size_t inputs = 0;
        for (const WalkBox& box : graph.boxes) inputs += box.inputs.size();
        EXPECT_EQ(layout.arrows.size(), inputs);
        for (const WalkArrow& arrow : layout.arrows) {
          const auto from = static_cast<std::size_t>(arrow.from), to = static_cast<std::size_t>(arrow.to);
          const std::string name = graph.boxes[from].id + " -> " + graph.boxes[to].id;
          // It begins and ends at its boxes' edges and passes through no other box.
          EXPECT_LT(outside(layout.boxes[from], arrow.at(0)), 0.1f) << name;
          EXPECT_LT(outside(layout.boxes[to], arrow.at(1)), 0.1f) << name;
          EXPECT_NEAR(std::hypot(arrow.direction().x, arrow.direction().y), 1, 1e-3) << name;
          for (int k = 1; k < 60; ++k) {
            const Point p = arrow.at(static_cast<float>(k) / 60);
            EXPECT_TRUE(p.x >= 0 && p.y >= 0 && p.x <= layout.width && p.y <= layout.height) << name;
            for (std::size_t other = 0; other < layout.boxes.size(); ++other) {
              Box smaller = layout.boxes[other];
              smaller = {smaller.x + 0.5f, smaller.y + 0.5f, smaller.w - 1, smaller.h - 1};
              EXPECT_FALSE(smaller.contains(p)) << name << " passes through " << graph.boxes[other].id;
            }
          }
        }
      }
    }
  }
}

WalkInput walk_input_of(const Trace& trace, const WalkGraph& graph) {
  WalkInput input;
  input.text = "a dog";  // the one text that may be shortened: a sentence can have any length
  for (const std::string& label : trace.texts()[0].labels) input.chips.push_back({label, "1", 0, false, false});
  for (const WalkBox& box : graph.boxes) {
    const bool last = graph.says_words() && box.part == WalkBox::Part::last && box.id != "final_norm";
    auto candidates = std::make_shared<WalkCandidates>();
    for (const char* word : {"·a", "of", "the"}) candidates->rows.push_back({word, "9.87", 0.5, false});
    candidates->others = 1000;
    candidates->single = box.id == "word";
    if (box.id == "unembedding") {
      candidates->cells = Tensor(DType::f32, {3, 6}, {}, true);
      for (WalkCandidates::Row& row : candidates->rows) row.number.clear();
    }
    input.candidates.push_back(last ? candidates : nullptr);
    if (box.steps.empty() || box.id == "tokens" || last) {
      input.pictures.push_back(nullptr);
      continue;
    }
    auto picture = std::make_shared<WalkPicture>();
    picture->values = Tensor(DType::f32, {4, 6});
    for (int i = 0; i < 24; ++i) picture->values.data<float>()[i] = static_cast<float>(i) / 12 - 1;
    picture->largest = 1;
    picture->full_rows = 4;
    picture->full_columns = 6;
    picture->rows = WalkPicture::Side::queries;
    input.pictures.push_back(picture);
  }
  return input;
}

TEST(WalkFigure, NoTextIsCutAndNoneStandsOnAnother) {
  for (const auto& trace : all_traces()) {
    for (const AttentionSite& site : trace->sites()) {
      const WalkGraph graph = walk_graph(*trace, &site);
      for (const auto& [width, height] : {std::pair{860.0f, 300.0f}, {908.0f, 390.0f}, {1180.0f, 670.0f}}) {
        SCOPED_TRACE(walk_words_of(trace->document()) + (graph.says_words() ? ", words" : "") + ", " + site.prefix + " at " +
                     std::to_string(width));
        const WalkLayout layout = walk_layout(graph, width, height, measure());
        WalkInput input = walk_input_of(*trace, graph);
        input.lit = graph.find("weights");
        const Figure figure = walk_figure(graph, layout, input, dark(), measure());
        std::vector<std::pair<Box, std::string>> texts;
        std::size_t cells = 0;
        for (const Item& item : figure.items) {
          cells += std::holds_alternative<Cells>(item);
          const auto* t = std::get_if<Text>(&item);
          if (!t) continue;
          EXPECT_GE(t->size, 13) << t->text;
          const float w = measure().width(t->text, t->size, t->font), h = measure().line_height(t->size, t->font) * 0.8f;
          if (t->max_width > 0) {
            EXPECT_LE(w, t->max_width + 0.01f) << "cut: " << t->text;
          }
          const float x = t->at.x - (t->horizontal == Align::end ? w : t->horizontal == Align::middle ? w / 2 : 0);
          texts.push_back({{x, t->at.y - h / 2, w, h}, t->text});
        }
        EXPECT_EQ(cells, graph.boxes.size() - (graph.says_words() ? 5 : 2))
            << "a picture for every box but text and tokens, and those with words alone";
        for (std::size_t i = 0; i < texts.size(); ++i) {
          int holders = 0;
          for (const Box& box : layout.boxes) holders += inside(box, texts[i].first);
          EXPECT_EQ(holders, 1) << texts[i].second << " is not inside one box";
          for (std::size_t k = 0; k < i; ++k)
            EXPECT_FALSE(overlap(texts[i].first, texts[k].first)) << texts[i].second << " on " << texts[k].second;
        }
      }
    }
  }
}

TEST(WalkFigure, TheMotionShowsTheInputsArriveAndEndsInTheStillPicture) {
  const auto trace = trace_of(base());
  const WalkGraph graph = walk_graph(*trace, &trace->sites()[0]);
  const WalkLayout layout = walk_layout(graph, 1180, 670, measure());
  WalkInput input = walk_input_of(*trace, graph);
  for (const WalkStop& stop : graph.stops) {
    input.lit = stop.boxes.front();
    input.progress = 1;
    const std::size_t still = walk_figure(graph, layout, input, dark(), measure()).items.size();
    std::size_t arrows = 0;
    for (const int box : stop.boxes) arrows += graph.boxes[static_cast<std::size_t>(box)].inputs.size();
    for (const float progress : {0.0f, 0.2f, 0.5f, 0.8f}) {
      input.progress = progress;
      const Figure figure = walk_figure(graph, layout, input, dark(), measure());
      // One cover over each new picture, and in the middle several tiles per arrow.
      EXPECT_GE(figure.items.size(), still + stop.boxes.size()) << stop.label;
      if (progress == 0.5f) {
        EXPECT_GE(figure.items.size(), still + stop.boxes.size() + 4 * arrows) << stop.label;
      }
      for (const Item& item : figure.items)
        if (const auto* r = std::get_if<Rectangle>(&item)) {
          EXPECT_TRUE(inside({-2, -2, layout.width + 4, layout.height + 4}, r->box));
        }
    }
    input.progress = 0.999f;
    EXPECT_LE(walk_figure(graph, layout, input, dark(), measure()).items.size(), still + stop.boxes.size())
        << "no tile is left over";
  }
}

TEST(WalkDots, AStopADotAndNoLabelOverAnother) {
  const auto trace = trace_of(base());
  const WalkGraph graph = walk_graph(*trace, &trace->sites()[1]);
  for (const float width : {300.0f, 700.0f, 1000.0f, 1900.0f})
    for (int stop = 0; stop < static_cast<int>(graph.stops.size()); ++stop) {
      const Figure figure = walk_dots(graph, stop, -1, width, 54, dark(), measure());
      std::size_t dots = 0;
      bool current = false;
      std::vector<Box> labels;
      for (const Item& item : figure.items) {
        dots += std::holds_alternative<Disc>(item);
        if (const auto* t = std::get_if<Text>(&item)) {
          const float w = measure().width(t->text, t->size, t->font), h = measure().line_height(t->size, t->font) * 0.8f;
          labels.push_back({t->at.x - w / 2, t->at.y - h / 2, w, h});
          EXPECT_TRUE(inside({0, 0, width, 54}, labels.back())) << t->text;
          current |= t->color == dark().selected && t->text == graph.stops[static_cast<std::size_t>(stop)].label;
        }
      }
      EXPECT_EQ(dots, graph.stops.size());
      EXPECT_TRUE(current) << "the current stop is always named";
      for (std::size_t i = 0; i < labels.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(overlap(labels[i], labels[k]));
    }
}

TEST(WalkWords, EveryBoxOfEveryModelHasItsWordsAndTheyFollowTheDocument) {
  for (const Document& d : all_models()) {
    const auto trace = trace_of(d);
    for (const AttentionSite& site : trace->sites()) {
      const WalkGraph graph = walk_graph(*trace, &site);
      for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
        const std::string words = walk_words(*trace, &site, graph, static_cast<int>(i));
        EXPECT_GT(words.size(), 20u) << graph.boxes[i].id;
        EXPECT_EQ(words.find('{'), std::string::npos) << words;
      }
      for (std::size_t s = 0; s < graph.stops.size(); ++s)
        EXPECT_TRUE(walk_title(graph, static_cast<int>(s)).starts_with("Step " + std::to_string(s + 1) + ": "));
    }
  }
  const auto said = [](const Document& d, const char* id) {
    const auto trace = trace_of(d);
    const AttentionSite& site = trace->sites()[0];
    const WalkGraph graph = walk_graph(*trace, &site);
    return walk_words(*trace, &site, graph, graph.find(id));
  };
  Document d = base();
  EXPECT_NE(said(d, "scaled_scores").find("√8 = 2.828"), std::string::npos) << said(d, "scaled_scores");
  EXPECT_NE(said(d, "mask").find("No mask"), std::string::npos);
  d.masks = {{"causal", {}}};
  EXPECT_NE(said(d, "mask").find("-inf"), std::string::npos);
  d.mask_fill = operations::MaskFill::minus_1e9;
  EXPECT_NE(said(d, "mask").find("-1e9"), std::string::npos);
  d.scale = "none";
  EXPECT_NE(said(d, "scaled_scores").find("Not scaled"), std::string::npos);
  d.temperature = 2;
  EXPECT_NE(said(d, "weights").find("Temperature 2"), std::string::npos);
}

}  // namespace
}  // namespace headlight::figures
