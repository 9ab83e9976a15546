// The ledger of a layer: its rows add up to the trace's steps, in models of every arrangement, with interventions, and each
// head's grid of weighted values adds up to the head's row. Expectations are plain loops over the trace's own arrays.
#include "engine/insight/layer_ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "engine/document/stored_model.h"
#include "engine/insight/explain.h"
#include "engine/insight/residual_stream.h"
#include "support/small_sandbox.h"
#include "support/trace_of.h"

namespace headlight {
namespace {

using tests::trace_of;
using Kind = LayerLedger::Kind;
using Options = std::vector<std::pair<std::string, std::vector<std::string>>>;  // a field's id and its texts

Document layer_ledger_sandbox(const Options& layer_ledger_options = {}) {
  Document d = tests::small_sandbox();
  for (const auto& [id, texts] : layer_ledger_options) {
    const Status done = find_field(id)->set(d, texts);
    EXPECT_TRUE(done.ok()) << done.error().sentence();
  }
  return d;
}

double norm_of(const std::vector<double>& x) {
  double square = 0;
  for (const double v : x) square += v * v;
  return std::sqrt(square);
}

// Whether a row joins the sum: totals and subtotals are counted already.
bool counted(Kind kind) { return kind != Kind::before && kind != Kind::attention && kind != Kind::after; }

// Adds the rows up again and compares them with the trace's first and last vector.
void check_sums(const Trace& trace, const LayerLedger& ledger, std::int64_t batch, std::int64_t position, double tolerance) {
  std::vector<double> sum;
  for (const LayerLedger::Row& row : ledger.rows) {
    if (row.kind == Kind::before) sum = row.vector;
    if (counted(row.kind)) {
      sum.resize(row.vector.size(), 0.0);
      for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += row.vector[c];
    }
    EXPECT_NEAR(row.length, norm_of(row.vector), 1e-9);
    EXPECT_NEAR(row.running, norm_of(sum), 1e-6 + tolerance * 10);
    if (row.step.empty()) continue;
    const Tensor own = rows_of(trace, row.step, batch, 0, position, 1).value();
    for (std::size_t c = 0; c < row.vector.size(); ++c)
      EXPECT_EQ(row.vector[c], own.at({0, static_cast<std::int64_t>(c)})) << row.step;
  }
  const std::string& last = ledger.rows.back().step;
  ASSERT_EQ(ledger.rows.back().kind, Kind::after);
  const Tensor own = rows_of(trace, last, batch, 0, position, 1).value();
  for (std::size_t c = 0; c < sum.size(); ++c) EXPECT_NEAR(sum[c], own.at({0, static_cast<std::int64_t>(c)}), tolerance) << last;
  EXPECT_TRUE(ledger.adds_up()) << ledger.difference << " against " << ledger.tolerance;
  EXPECT_LE(ledger.difference, tolerance);
}

std::int64_t count_of(const LayerLedger& ledger, Kind kind) {
  return std::count_if(ledger.rows.begin(), ledger.rows.end(), [&](const auto& row) { return row.kind == kind; });
}

void check_every_layer(const Document& document, double tolerance, const std::vector<std::string>& stacks = {""}) {
  const auto trace = trace_of(document);
  ASSERT_TRUE(trace);
  for (const std::string& stack : stacks)
    for (std::int64_t layer = 0; layer < document.layers; ++layer)
      for (std::int64_t position = 0; position < 3; ++position) {
        const auto ledger = layer_ledger(*trace, stack, layer, 1, position, {});
        ASSERT_TRUE(ledger.ok()) << ledger.error().sentence();
        check_sums(*trace, *ledger, 1, position, tolerance);
        if (layer + 1 == document.layers) continue;
        const auto next = layer_ledger(*trace, stack, layer + 1, 1, position, {});
        ASSERT_TRUE(next.ok());
        EXPECT_EQ(next->rows.front().vector, ledger->rows.back().vector) << "the next layer reads what this one passes on";
      }
}

TEST(LayerLedger, RowsAddUpInEveryArrangement) {
  for (const Options& layer_ledger_options : std::vector<Options>{
           {},
           {{"bias", {"on"}}},
           {{"norm", {"post"}}, {"bias", {"on"}}},
           {{"norm", {"post"}}, {"norm_kind", {"rms"}}},
           {{"norm", {"none"}}},
           {{"residual", {"off"}}},
           {{"residual", {"off"}}, {"norm", {"none"}}, {"feed_forward", {"off"}}},
           {{"projected", {"off"}}, {"heads", {"1"}}},
           {{"position", {"none"}}},
           {{"position", {"rotary"}}},
           {{"position", {"relative"}}},
           {{"position", {"relative"}}, {"projected", {"off"}}, {"heads", {"1"}}},
       })
    check_every_layer(layer_ledger_sandbox(layer_ledger_options), 1e-11);
}

TEST(LayerLedger, AnEncoderAndADecoderWithCrossAttention) {
  Document document = layer_ledger_sandbox();
  document.targets = {"une creature bleue", "un homme mord"};
  check_every_layer(document, 1e-11, {"encoder.", "decoder."});
  const auto trace = trace_of(document);
  const auto ledger = layer_ledger(*trace, "decoder.", 1, 0, 2, {});
  ASSERT_TRUE(ledger.ok());
  EXPECT_EQ(count_of(*ledger, Kind::head), 6);
  EXPECT_EQ(count_of(*ledger, Kind::attention), 2);
  std::vector<std::string> places;
  for (const auto& row : ledger->rows)
    if (row.kind == Kind::attention) places.push_back(row.prefix);
  EXPECT_EQ(places, (std::vector<std::string>{"decoder.layer.1.", "decoder.layer.1.cross."}));
}

TEST(LayerLedger, TheFirstLayerShowsTokenAndPosition) {
  const auto trace = trace_of(layer_ledger_sandbox());
  const auto first = layer_ledger(*trace, "", 0, 0, 2, {}), second = layer_ledger(*trace, "", 1, 0, 2, {});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->rows[0].kind, Kind::embedding);
  EXPECT_EQ(first->rows[1].kind, Kind::position);
  EXPECT_EQ(first->rows[2].kind, Kind::before);
  EXPECT_EQ(second->rows[0].kind, Kind::before);
  const Tensor positions = trace->values("position").value();
  for (std::int64_t c = 0; c < 24; ++c)
    EXPECT_EQ(first->rows[1].vector[static_cast<std::size_t>(c)], positions.at({2, c})) << "of the token's own place";
  EXPECT_NEAR(first->rows[2].cosine, 1, 1e-12);
}

TEST(LayerLedger, AHeadsRowIsItsContextThroughItsRowsOfTheMatrix) {
  const auto trace = trace_of(layer_ledger_sandbox({{"bias", {"on"}}}));
  const auto ledger = layer_ledger(*trace, "", 1, 0, 3, {});
  ASSERT_TRUE(ledger.ok());
  const Tensor context = trace->values("layer.1.context").value(), matrix = trace->values("parameters.layer.1.wo").value();
  const Tensor weights = trace->values("layer.1.weights").value(), bias = trace->values("parameters.layer.1.bo").value();
  for (const LayerLedger::Row& row : ledger->rows) {
    for (std::int64_t c = 0; row.kind == Kind::bias && c < 24; ++c)
      EXPECT_EQ(row.vector[static_cast<std::size_t>(c)], bias.at({c}));
    if (row.kind != Kind::head) continue;
    for (std::int64_t c = 0; c < 24; ++c) {
      double sum = 0;
      for (std::int64_t i = 0; i < 8; ++i) sum += context.at({0, row.head, 3, i}) * matrix.at({8 * row.head + i, c});
      EXPECT_NEAR(row.vector[static_cast<std::size_t>(c)], sum, 1e-12);
    }
    std::int64_t most = 0;
    for (std::int64_t j = 0; j < 5; ++j)
      if (weights.at({0, row.head, 3, j}) > weights.at({0, row.head, 3, most})) most = j;
    EXPECT_EQ(row.key, most);
    EXPECT_EQ(row.weight, weights.at({0, row.head, 3, most}));
  }
  EXPECT_EQ(count_of(*ledger, Kind::bias), 1);
}

TEST(LayerLedger, InterventionsAreInForceAndSaid) {
  for (const auto& [option, text, heads] :
       std::vector<std::tuple<std::string, std::string, std::vector<std::int64_t>>>{{"without", "layer.1.head.2", {2}},
                                                                                    {"mean", "layer.1.head.0", {0}},
                                                                                    {"head_scale", "layer.1.head.1=2.5", {1}},
                                                                                    {"uniform", "layer.1.head.1", {1}},
                                                                                    {"without", "layer.1.attention", {0, 1, 2}},
                                                                                    {"mean", "layer.1.attention", {0, 1, 2}},
                                                                                    {"without", "layer.1", {0, 1, 2}}}) {
    SCOPED_TRACE(option + " " + text);
    const auto kinds = std::map<std::string, Intervention::Kind>{{"without", Intervention::Kind::zero},
                                                                 {"mean", Intervention::Kind::mean},
                                                                 {"head_scale", Intervention::Kind::scale},
                                                                 {"uniform", Intervention::Kind::uniform}};
    Document document = layer_ledger_sandbox({{"bias", {"on"}}});
    document.interventions = interventions_from_text(kinds.at(option), text).value();
    check_every_layer(document, 1e-11);
    const auto trace = trace_of(document);
    const auto ledger = layer_ledger(*trace, "", 1, 0, 3, {});
    ASSERT_TRUE(ledger.ok());
    for (const LayerLedger::Row& row : ledger->rows) {
      if (row.kind != Kind::head) continue;
      EXPECT_EQ(row.changed, std::find(heads.begin(), heads.end(), row.head) != heads.end());
      if (option == "without" && row.changed) {
        EXPECT_EQ(norm_of(row.vector), 0);
      }
    }
    if (text == "layer.1") {
      EXPECT_EQ(norm_of(ledger->rows[ledger->rows.size() - 2].vector), 0) << "the feed-forward part, too";
    }
  }
}

TEST(LayerLedger, ATrainedModelInSinglePrecisionAddsUp) {
  for (const char* name : {"stories", "english-french"}) {
    Document document;
    const auto stored = open_stored_model(name);
    ASSERT_TRUE(stored.ok());
    use_model(document, **stored);
    document.texts = {"the old man has a small dog"};
    const bool two = (*stored)->task == ModelTask::encoder_decoder;
    if (two) document.targets = {"le vieil homme"};
    const auto trace = trace_of(document);
    ASSERT_TRUE(trace);
    for (std::int64_t layer = 0; layer < document.layers; ++layer) {
      const auto ledger = layer_ledger(*trace, two ? "decoder." : "", layer, 0, 1, {});
      ASSERT_TRUE(ledger.ok()) << ledger.error().sentence();
      EXPECT_TRUE(ledger->adds_up()) << name << layer << ": " << ledger->difference << " against " << ledger->tolerance;
      EXPECT_GT(ledger->difference, 0) << "float32 rounds";
      EXPECT_LT(ledger->tolerance, 0.01);
    }
  }
}

TEST(LayerLedger, ColumnsOfTheGridAddUpToTheRow) {
  const auto trace = trace_of(layer_ledger_sandbox({{"bias", {"on"}}}));
  const AttentionSite& site = *find_site(*trace, "layer.1.");
  const auto grid = weighted_values(*trace, site, 0, 1, 20, 16, {});
  ASSERT_TRUE(grid.ok()) << grid.error().sentence();
  EXPECT_EQ(grid->first, 20);
  EXPECT_EQ(grid->count, 4) << "the model has 24 dimensions";
  EXPECT_FALSE(grid->changed);
  for (std::int64_t query = 0; query < 5; ++query) {
    const auto ledger = layer_ledger(*trace, "", 1, 0, query, {});
    ASSERT_TRUE(ledger.ok());
    const auto row = std::find_if(ledger->rows.begin(), ledger->rows.end(),
                                  [](const auto& one) { return one.kind == Kind::head && one.head == 1; });
    for (std::int64_t c = 0; c < grid->count; ++c) {
      double sum = 0;
      for (std::int64_t key = 0; key < 5; ++key) sum += grid->weights.at({query, key}) * grid->values.at({key, c});
      EXPECT_NEAR(sum, grid->sums.at({query, c}), 1e-12);
      EXPECT_NEAR(sum, row->vector[static_cast<std::size_t>(20 + c)], 1e-12);
      EXPECT_EQ(grid->before.at({query, c}), ledger->rows.front().vector[static_cast<std::size_t>(20 + c)]);
    }
  }
}

// With relative positions what a weight is multiplied by depends on query and key, and the columns still add up.
TEST(LayerLedger, TheGridOfRelativePositionsAddsUp) {
  const auto trace = trace_of(layer_ledger_sandbox({{"position", {"relative"}}, {"relative_clip", {"2"}}}));
  ASSERT_TRUE(trace);
  const auto grid = weighted_values(*trace, *find_site(*trace, "layer.1."), 0, 1, 0, 8, {});
  ASSERT_TRUE(grid.ok()) << grid.error().sentence();
  EXPECT_EQ(grid->by_distance.shape(), (Shape{5, 8}));
  EXPECT_FALSE(grid->changed);
  double apart = 0;
  for (std::int64_t query = 0; query < 5; ++query)
    for (std::int64_t c = 0; c < grid->count; ++c) {
      double sum = 0;
      for (std::int64_t key = 0; key < 5; ++key) {
        sum += grid->weights.at({query, key}) * grid->value(query, key, c);
        apart = std::max(apart, std::abs(grid->value(query, key, c) - grid->values.at({key, c})));
      }
      EXPECT_NEAR(sum, grid->sums.at({query, c}), 1e-12);
    }
  EXPECT_GT(apart, 0.01);
}

TEST(LayerLedger, AChangedHeadsGridSaysSo) {
  Document document = layer_ledger_sandbox();
  document.interventions = interventions_from_text(Intervention::Kind::scale, "layer.1.head.1=2").value();
  const auto trace = trace_of(document);
  const AttentionSite& site = *find_site(*trace, "layer.1.");
  const auto changed = weighted_values(*trace, site, 0, 1, 0, 8, {}), other = weighted_values(*trace, site, 0, 2, 0, 8, {});
  ASSERT_TRUE(changed.ok() && other.ok());
  EXPECT_TRUE(changed->changed);
  EXPECT_FALSE(other->changed);
  double sum = 0;
  for (std::int64_t key = 0; key < 5; ++key) sum += changed->weights.at({4, key}) * changed->values.at({key, 3});
  EXPECT_NEAR(2 * sum, changed->sums.at({4, 3}), 1e-12);
}

TEST(LayerLedger, WhatIsNotThereIsAnError) {
  const auto trace = trace_of(layer_ledger_sandbox());
  EXPECT_EQ(layer_ledger(*trace, "", 2, 0, 0, {}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(layer_ledger(*trace, "decoder.", 0, 0, 0, {}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(layer_ledger(*trace, "", 0, 2, 0, {}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(layer_ledger(*trace, "", 0, 0, 5, {}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(layer_ledger(*trace, "", 0, 0, -1, {}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(weighted_values(*trace, *find_site(*trace, "layer.0."), 0, 3, 0, 4, {}).error().kind, ErrorKind::not_found);
  CancelSource stop;
  stop.cancel();
  EXPECT_EQ(layer_ledger(*trace, "", 0, 0, 0, stop.token()).error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace headlight
