// Pictures of real traces: their numbers are the trace's, their rows and columns the sentence's tokens.
#include "app/export/trace_figure.h"

#include <gtest/gtest.h>

#include "app/export/figure_text.h"
#include "app/figures/base/labels.h"
#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"

namespace headlight::figures {
namespace {

std::shared_ptr<const Trace> trace_of(std::vector<std::string> texts, std::vector<std::string> targets, bool causal) {
  Document document;
  document.texts = std::move(texts);
  document.targets = std::move(targets);
  document.tokenizer = "words";
  document.layers = 2;
  document.heads = 3;
  document.d_model = 24;
  if (causal) document.masks = {{"causal", {}}, {"padding", {}}};
  static const auto backend = backends::open("cpu").value();
  return run(document, *backend, {}).value();
}

TEST(TraceFigure, WeightsOfAHead) {
  const auto trace = trace_of({"a fluffy blue creature", "one two"}, {}, true);
  StepView view;
  view.head = 2;
  const HeatmapInput input = step_input(*trace, "layer.1.weights", view).value();
  EXPECT_EQ(input.values.shape(), (Shape{4, 4}));
  EXPECT_EQ(input.row_labels, trace->texts()[0].labels);
  EXPECT_EQ(input.title, "layer 1, head 2 · weights, sentence 0");
  EXPECT_EQ(input.note, "random weights, seed 0");
  EXPECT_EQ(input.colormap, "viridis");
  EXPECT_EQ(input.low, 0);
  EXPECT_EQ(input.high, 1);
  const Tensor whole = trace->values("layer.1.weights").value();
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      EXPECT_EQ(input.values.at({i, j}), whole.at({0, 2, i, j}));
      EXPECT_EQ(input.mask.at({i, j}), j <= i ? 1 : 0);
    }
  }
  view.transposed = true;
  const HeatmapInput turned = step_input(*trace, "layer.1.weights", view).value();
  EXPECT_EQ(turned.values.at({0, 3}), input.values.at({3, 0}));
  EXPECT_EQ(turned.mask.at({0, 3}), 1);
  EXPECT_EQ(turned.row_axis, "key (is attended to)");
  // The second sentence is shorter: its picture has no rows or columns of padding.
  view = {};
  view.batch = 1;
  EXPECT_EQ(step_input(*trace, "layer.0.weights", view)->values.shape(), (Shape{2, 2}));
}

TEST(TraceFigure, CrossAttentionHasTargetsDownAndTextsAcross) {
  const auto trace = trace_of({"I do not want"}, {"je ne veux pas le caresser"}, false);
  const HeatmapInput input = step_input(*trace, "decoder.layer.0.cross.weights", {}).value();
  // A row is named by the word that is about to be written; behind the last one nothing is written yet.
  std::vector<std::string> written = numbered(trace->targets()[0].labels);
  written.erase(written.begin());
  written.push_back("…");
  EXPECT_EQ(input.row_labels, written);
  StepView reading;
  reading.names_read = true;
  EXPECT_EQ(step_input(*trace, "decoder.layer.0.cross.weights", reading)->row_labels, numbered(trace->targets()[0].labels));
  EXPECT_EQ(input.column_labels, trace->texts()[0].labels);
  EXPECT_EQ(input.title, "decoder cross, layer 0, head 0 · weights");
  EXPECT_EQ(step_input(*trace, "decoder.layer.0.cross.k", {})->row_labels, trace->texts()[0].labels);
  EXPECT_EQ(step_input(*trace, "decoder.layer.0.cross.q", {})->row_labels, numbered(trace->targets()[0].labels));
  EXPECT_EQ(step_input(*trace, "encoder.input", {})->title, "encoder · input");
}

TEST(TraceFigure, OtherStepsAreSignedAndSymmetric) {
  const auto trace = trace_of({"a fluffy blue creature"}, {}, true);
  const HeatmapInput q = step_input(*trace, "layer.0.q", {}).value();
  EXPECT_EQ(q.values.shape(), (Shape{4, 8}));
  EXPECT_EQ(q.colormap, "signed");
  EXPECT_EQ(q.low, -q.high);
  EXPECT_TRUE(q.column_labels.empty());
  EXPECT_EQ(q.column_axis, "d_k");
  // -inf where masked does not stretch the range.
  const HeatmapInput scores = step_input(*trace, "layer.0.masked_scores", {}).value();
  EXPECT_LT(scores.high, 100);
  StepView magma;
  magma.colormap = "magma";
  const HeatmapInput chosen = step_input(*trace, "layer.0.q", magma).value();
  EXPECT_EQ(chosen.colormap, "magma");
  EXPECT_LT(chosen.low, 0);
  EXPECT_EQ(step_input(*trace, "tokens", {}).error().kind, ErrorKind::usage);
  EXPECT_FALSE(step_input(*trace, "nothing", {}).ok());
  // Every other step of a model can be drawn.
  for (const Step& step : trace->steps()) {
    if (step.dtype == DType::i32) continue;
    const Result<HeatmapInput> input = step_input(*trace, step.name, {});
    ASSERT_TRUE(input.ok()) << step.name << ": " << input.error().sentence();
    EXPECT_FALSE(heatmap(*input, 900, 700, themes().entries()[0], FigureText()).items.empty()) << step.name;
  }
}

TEST(TraceFigure, AllHeadsOfAllLayers) {
  const auto trace = trace_of({"a fluffy blue creature"}, {}, true);
  const GridInput grid = heads_input(*trace, {"layer.0.weights", "layer.1.weights"}, {}).value();
  EXPECT_EQ(grid.layers, 2);
  EXPECT_EQ(grid.heads, 3);
  EXPECT_EQ(grid.title, "all heads · weights");
  EXPECT_EQ(grid.values[4].at({3, 1}), trace->values("layer.1.weights")->at({0, 1, 3, 1}));
  const GridInput one = heads_input(*trace, {"layer.1.weights"}, {}).value();
  EXPECT_EQ(one.first_layer, 1);
  EXPECT_EQ(one.title, "layer 1, all heads · weights");
  EXPECT_EQ(heads_input(*trace, {"input"}, {}).error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace headlight::figures
