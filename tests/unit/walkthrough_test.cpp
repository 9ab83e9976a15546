// The worked walk-through at its own sizes (B = 20, L = 10, d = 200, h = 4, d_ff = 800): every shape that it writes down, and the
// numbers behind the steps that only it shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/backends/backends.h"
#include "engine/document/presets.h"
#include "engine/insight/explain_value.h"
#include "engine/insight/head_loop.h"
#include "engine/pipeline/run.h"

namespace headlight {
namespace {

Document walkthrough() {
  Document d;
  presets::registry().find("walkthrough")->apply(d);
  return d;
}

std::shared_ptr<const Trace> walkthrough_trace_of(const Document& document) {
  const auto backend = backends::open(document.backend);
  EXPECT_TRUE(backend.ok());
  const auto made = run(document, **backend, {}, {});
  EXPECT_TRUE(made.ok()) << made.error().sentence();
  return made.ok() ? *made : nullptr;
}

std::vector<double> numbers_of(const Trace& trace, const std::string& step) {
  const auto values = trace.values(step);
  EXPECT_TRUE(values.ok()) << step;
  if (!values.ok()) return {};
  const Tensor t = values->as(DType::f64).compact();
  return {t.data<double>(), t.data<double>() + t.count()};
}

TEST(Walkthrough, EveryShapeIsTheOneThatIsWrittenDown) {
  const auto planned = outline(walkthrough());
  ASSERT_TRUE(planned.ok()) << planned.error().sentence();
  std::vector<std::pair<std::string, Shape>> steps;
  for (const Step& step : planned->steps) steps.emplace_back(step.name, step.shape);
  const std::string e = "encoder.layer.0.", d = "decoder.layer.0.";
  const std::vector<std::pair<std::string, Shape>> written{
      {"encoder.tokens", {20, 10}},
      {"encoder.embedding", {20, 10, 200}},
      {"encoder.places", {10, 1}},
      {"encoder.div_term", {100}},
      {"encoder.angles", {10, 100}},
      {"encoder.position", {10, 200}},
      {"encoder.position_unsqueezed", {1, 10, 200}},
      {"encoder.input", {20, 10, 200}},
      {e + "q_projected", {20, 10, 200}},
      {e + "q_view", {20, 10, 4, 50}},
      {e + "q", {20, 4, 10, 50}},
      {e + "k_transposed", {20, 4, 50, 10}},
      {e + "scores", {20, 4, 10, 10}},
      {e + "padding_mask", {20, 10}},
      {e + "padding_mask_unsqueezed_once", {20, 1, 10}},
      {e + "padding_mask_unsqueezed", {20, 1, 1, 10}},
      {e + "weights", {20, 4, 10, 10}},
      {e + "context", {20, 4, 10, 50}},
      {e + "context_transposed", {20, 10, 4, 50}},
      {e + "concat", {20, 10, 200}},
      {e + "mlp_hidden", {20, 10, 800}},
      {e + "mlp_norm", {20, 10, 200}},
      {d + "causal_mask", {10, 10}},
      {d + "causal_mask_unsqueezed_once", {1, 10, 10}},
      {d + "causal_mask_unsqueezed", {1, 1, 10, 10}},
      {d + "mask", {20, 1, 10, 10}},
      {d + "cross.weights", {20, 4, 10, 10}},
      {d + "mlp_norm", {20, 10, 200}},
      {"logits", {20, 10, 8192}},
      {"logits_rows", {200, 8192}},
      {"labels", {200}},
      {"loss", {1}},
      {"logits_shifted", {180, 8192}},
      {"labels_shifted", {180}},
      {"loss_shifted", {1}},
  };
  // In this order, whatever stands between them.
  std::size_t at = 0;
  for (const auto& one : written) {
    while (at < steps.size() && steps[at].first != one.first) ++at;
    ASSERT_LT(at, steps.size()) << one.first << " is missing or stands too early";
    EXPECT_EQ(steps[at].second, one.second) << one.first;
  }
  for (const auto& [step, words] : presets::registry().find("walkthrough")->remarks)
    EXPECT_TRUE(std::any_of(steps.begin(), steps.end(), [&, name = step](const auto& s) { return s.first == name; })) << words;
}

TEST(Walkthrough, PositionsAreMadeFromPlacesAndFrequencies) {
  Document d = walkthrough();
  d.backend = "reference";
  const auto trace = walkthrough_trace_of(d);
  ASSERT_TRUE(trace);
  const std::vector<double> places = numbers_of(*trace, "encoder.places"), w = numbers_of(*trace, "encoder.div_term"),
                            angles = numbers_of(*trace, "encoder.angles"),
                            rows = numbers_of(*trace, "encoder.position_unsqueezed");
  for (std::size_t t = 0; t < 10; ++t) {
    EXPECT_EQ(places[t], static_cast<double>(t));
    for (std::size_t i = 0; i < 100; ++i) {
      EXPECT_NEAR(w[i], std::pow(10000.0, -2.0 * static_cast<double>(i) / 200), 1e-12);
      EXPECT_NEAR(angles[t * 100 + i], places[t] * w[i], 1e-12);
      EXPECT_NEAR(rows[t * 200 + 2 * i], std::sin(angles[t * 100 + i]), 1e-12);
      EXPECT_NEAR(rows[t * 200 + 2 * i + 1], std::cos(angles[t * 100 + i]), 1e-12);
    }
  }
}

// The mean of -log softmax(logits)[label] over the labels that are there, by plain loops.
double loss_by_hand(const std::vector<double>& logits, const std::vector<double>& labels) {
  const std::size_t classes = logits.size() / labels.size();
  double sum = 0, count = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] < 0) continue;
    double all = 0;
    for (std::size_t t = 0; t < classes; ++t) all += std::exp(logits[row * classes + t]);
    sum += std::log(all) - logits[row * classes + static_cast<std::size_t>(labels[row])];
    ++count;
  }
  return sum / count;
}

TEST(Walkthrough, LossesAreWithAndWithoutTheShiftAndIgnorePadding) {
  for (const char* backend : {"reference", "cpu"}) {
    SCOPED_TRACE(backend);
    Document d = walkthrough();
    d.backend = backend;
    const auto trace = walkthrough_trace_of(d);
    ASSERT_TRUE(trace);
    const std::vector<double> ids = numbers_of(*trace, "decoder.tokens"), logits = numbers_of(*trace, "logits"),
                              labels = numbers_of(*trace, "labels"), next = numbers_of(*trace, "labels_shifted");
    const auto pad = static_cast<double>(trace->tokenizer()->vocabulary_size());
    std::vector<double> before;
    std::size_t padded = 0;
    for (std::size_t b = 0; b < 20; ++b)
      for (std::size_t i = 0; i < 10; ++i) {
        const auto label_of = [&](std::size_t at) { return ids[b * 10 + at] == pad ? -1 : ids[b * 10 + at]; };
        EXPECT_EQ(labels[b * 10 + i], label_of(i));
        padded += labels[b * 10 + i] < 0;
        if (i == 9) continue;
        EXPECT_EQ(next[b * 9 + i], label_of(i + 1));
        const auto row = logits.begin() + static_cast<std::ptrdiff_t>((b * 10 + i) * 8192);
        before.insert(before.end(), row, row + 8192);
      }
    EXPECT_GT(padded, 0U);  // the sentences have several lengths
    EXPECT_EQ(numbers_of(*trace, "logits_rows"), logits);
    EXPECT_EQ(numbers_of(*trace, "logits_shifted"), before);
    EXPECT_NEAR(numbers_of(*trace, "loss")[0], loss_by_hand(logits, labels), 1e-4);
    EXPECT_NEAR(numbers_of(*trace, "loss_shifted")[0], loss_by_hand(before, next), 1e-4);
  }
}

TEST(Walkthrough, ALoopOverHeadsIsTheSameAsTheReshape) {
  Document d = walkthrough();
  d.backend = "reference";
  const auto trace = walkthrough_trace_of(d);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->sites().size(), 3U);
  for (const AttentionSite& site : trace->sites()) {
    const auto loop = heads_one_by_one(*trace, site);
    ASSERT_TRUE(loop.ok()) << loop.error().sentence();
    EXPECT_EQ(loop->heads, 4);
    EXPECT_EQ(loop->d_k, 50);
    EXPECT_GT(loop->largest, 0.1);
    EXPECT_LT(loop->difference, 1e-12) << site.prefix;
    ASSERT_EQ(loop->by_head.size(), 4U);
    EXPECT_EQ(*std::max_element(loop->by_head.begin(), loop->by_head.end()), loop->difference);
  }
  for (const char* position : {"rotary", "rotary-split"}) {
    d.position = position;
    const auto turned = walkthrough_trace_of(d);
    ASSERT_TRUE(turned);
    const auto loop = heads_one_by_one(*turned, turned->sites()[0]);
    ASSERT_TRUE(loop.ok()) << loop.error().sentence();
    EXPECT_LT(loop->difference, 1e-12) << position;
  }
  d.score = "general";
  const auto other = walkthrough_trace_of(d);
  ASSERT_TRUE(other);
  const auto refused = heads_one_by_one(*other, other->sites()[0]);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("more than the product of two rows"), std::string::npos);
}

TEST(Walkthrough, ADocumentIsAPresetsWhereAllItsFieldsAre) {
  Document d = walkthrough();
  ASSERT_TRUE(presets::preset_of(d));
  EXPECT_EQ(presets::preset_of(d)->id, "walkthrough");
  d.seed = 7;
  ASSERT_TRUE(presets::preset_of(d)) << "its seed is free";
  EXPECT_EQ(presets::remark_of(*presets::preset_of(d), "decoder.layer.0.mask").find("the notes print [20, 1, 20, 10]"), 0U);
  EXPECT_EQ(presets::remark_of(*presets::preset_of(d), "decoder.layer.0.scores"), "");
  d.heads = 2;
  EXPECT_FALSE(presets::preset_of(d));
  EXPECT_FALSE(presets::preset_of(Document{}));
  // Each remark is of a step that there is.
  const auto trace = walkthrough_trace_of(walkthrough());
  ASSERT_TRUE(trace);
  for (const auto& [step, words] : presets::registry().find("walkthrough")->remarks) EXPECT_TRUE(trace->find(step)) << step;
}

TEST(Walkthrough, ItsStepsAreExplained) {
  const auto trace = walkthrough_trace_of(walkthrough());
  ASSERT_TRUE(trace);
  const std::map<std::string, std::vector<std::int64_t>> cells{{"encoder.places", {3, 0}},
                                                               {"decoder.angles", {2, 7}},
                                                               {"encoder.div_term", {5}},
                                                               {"encoder.position_unsqueezed", {0, 4, 9}},
                                                               {"decoder.layer.0.causal_mask_unsqueezed_once", {0, 2, 3}},
                                                               {"encoder.layer.0.padding_mask_unsqueezed", {3, 0, 0, 9}},
                                                               {"logits_rows", {57, 8000}},
                                                               {"labels", {12}},
                                                               {"loss_by_row", {12}},
                                                               {"loss_shifted", {0}}};
  for (const auto& [step, index] : cells) {
    const auto e = explain_value(*trace, {step, index});
    ASSERT_TRUE(e.ok()) << step << ": " << e.error().sentence();
    EXPECT_FALSE(e->sections.empty()) << step;
  }
  const auto row = explain_value(*trace, {"logits_rows", {57, 8000}});
  ASSERT_TRUE(row.ok());
  EXPECT_EQ(row->check, ValueCheck::computed);
  EXPECT_EQ(row->inputs.front().address.index, (std::vector<std::int64_t>{5, 7, 8000}));
}

TEST(Walkthrough, LogitsAreLeftOutOfDocumentsWithoutThem) {
  EXPECT_EQ(to_json(Document()).find("logits"), std::string::npos);
  const auto read = document_from_json(to_json(walkthrough()), "here");
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  EXPECT_EQ(*read, walkthrough());
}

}  // namespace
}  // namespace headlight
