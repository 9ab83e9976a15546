// A row as a sum of vectors equals what the trace holds, and what explain_cell writes out for each of its cells.
#include "engine/insight/row_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "engine/insight/explain.h"
#include "engine/insight/residual_stream.h"
#include "tests/support/trace_of.h"

namespace headlight {
namespace {

using tests::trace_of;

Document row_sum_small(const std::string& row_sum_backend = "reference") {
  Document document;
  document.texts = {"a fluffy blue creature", "man bites dog"};
  document.d_model = 32;
  document.heads = 4;
  document.layers = 3;
  document.masks = {{"padding", {}}, {"causal", {}}};
  document.temperature = 0.7;
  document.backend = row_sum_backend;
  return document;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

TEST(RowSum, TheContributionsAddUpToTheRowsContext) {
  for (const auto& [row_sum_backend, tolerance] : {std::pair<std::string, double>{"cpu", 2e-5}, {"reference", 1e-12}}) {
    const auto trace = trace_of(row_sum_small(row_sum_backend));
    ASSERT_TRUE(trace);
    for (const AttentionSite& site : trace->sites())
      for (std::int64_t batch = 0; batch < 2; ++batch)
        for (std::int64_t query = 0; query < site.queries; ++query) {
          const auto row = row_sum(*trace, site.prefix, batch, 2, query);
          ASSERT_TRUE(row.ok()) << row.error().sentence();
          Trace::Tile tile;
          tile.batch = batch;
          tile.head = 2;
          tile.row = query;
          tile.rows = 1;
          const auto context = trace->tile(site.prefix + "context", tile);
          ASSERT_TRUE(context.ok());
          double square = 0;
          for (std::int64_t c = 0; c < context->dim(1); ++c) {
            EXPECT_NEAR(row->sum[static_cast<std::size_t>(c)], context->at({0, c}), tolerance);
            square += context->at({0, c}) * context->at({0, c});
          }
          double along = 0, weights = 0, lengths = 0;
          for (const auto& part : row->parts) {
            along += part.along;
            weights += part.weight;
            lengths += part.length;
            EXPECT_LE(std::abs(part.along), part.length + 1e-9) << "a shadow is no longer than what casts it";
          }
          EXPECT_NEAR(along, std::sqrt(square), 10 * tolerance) << "the shares along the sum add up to its length";
          EXPECT_GE(lengths + tolerance, row->sum_length);
          EXPECT_NEAR(weights, row->parts.empty() ? 0.0 : 1.0, tolerance);
          EXPECT_LE(row->entropy, row->most_entropy + 1e-6);
        }
  }
}

TEST(RowSum, EachPartIsWhatExplainCellWritesOut) {
  const auto trace = trace_of(row_sum_small());
  ASSERT_TRUE(trace);
  const std::string prefix = "layer.1.";
  const std::int64_t query = 3, head = 1;
  const auto row = row_sum(*trace, prefix, 0, head, query);
  ASSERT_TRUE(row.ok());
  ASSERT_EQ(row->parts.size(), 4u) << "causal: keys 0 to 3, the others are absent";
  double entropy = 0;
  for (std::size_t p = 0; p < row->parts.size(); ++p) {
    const auto cell = explain_cell(*trace, {prefix, 0, head, query, row->parts[p].key});
    ASSERT_TRUE(cell.ok());
    EXPECT_NEAR(row->parts[p].weight, cell->weight, 1e-12);
    EXPECT_NEAR(row->parts[p].score, cell->dot, 1e-10);
    EXPECT_NEAR(row->parts[p].length, cell->weight * length_of(cell->value), 1e-10);
    entropy -= cell->weight * std::log(cell->weight);
    EXPECT_LT(distance(row->head_adds, cell->row_delta), 1e-10);
    EXPECT_EQ(row->before_step, cell->residual_step);
  }
  EXPECT_NEAR(row->entropy, entropy, 1e-10);
  EXPECT_NEAR(row->most_entropy, std::log(4.0), 1e-12);
  // With the trace's own scale and temperature the softmax equals the trace's row.
  const auto again = softmax_at(*row, find_site(*trace, prefix)->scale, trace->document().temperature);
  for (std::size_t p = 0; p < again.size(); ++p) EXPECT_NEAR(again[p], row->parts[p].weight, 1e-12);
}

TEST(RowSum, EPlusDeltaEIsTheNextVector) {
  const auto trace = trace_of(row_sum_small());
  ASSERT_TRUE(trace);
  std::vector<double> heads(32, 0.0);
  for (std::int64_t head = 0; head < 4; ++head) {
    const auto row = row_sum(*trace, "layer.0.", 0, head, 2);
    ASSERT_TRUE(row.ok());
    EXPECT_EQ(row->before_step, "input");
    EXPECT_EQ(row->all_step, "layer.0.attention_output");
    EXPECT_EQ(row->after_step, "layer.0.attention_residual");
    EXPECT_FALSE(row->replaces);
    for (std::size_t c = 0; c < 32; ++c) {
      EXPECT_NEAR(row->after[c], row->before[c] + row->all_add[c], 1e-12);
      heads[c] += row->head_adds[c];
    }
    if (head < 3) continue;
    const auto bias = trace->values("parameters.layer.0.bo");
    ASSERT_TRUE(bias.ok());
    for (std::size_t c = 0; c < 32; ++c) EXPECT_NEAR(heads[c] + bias->at({static_cast<std::int64_t>(c)}), row->all_add[c], 1e-12);
  }
}

TEST(RowSum, WithoutProjectionsAndResidualsTheSumTakesEsPlace) {
  Document document = row_sum_small();
  document.projected = document.residual = document.feed_forward = false;
  document.heads = 1;
  document.norm = "none";
  const auto trace = trace_of(document);
  ASSERT_TRUE(trace);
  const auto row = row_sum(*trace, "layer.0.", 0, 0, 1);
  ASSERT_TRUE(row.ok()) << row.error().sentence();
  EXPECT_TRUE(row->replaces);
  EXPECT_EQ(row->before_step, "input");
  EXPECT_TRUE(row->after.empty());
  EXPECT_LT(distance(row->all_add, row->sum), 1e-12);
  EXPECT_LT(distance(row->head_adds, row->sum), 1e-12);
}

TEST(RowSum, TheVarianceIsThatOfTheRawScores) {
  Document document = row_sum_small();
  document.masks.clear();
  document.texts = {"a fluffy blue creature roamed"};
  const auto trace = trace_of(document);
  const auto row = row_sum(*trace, "layer.0.", 0, 0, 0);
  const auto scores = trace->tile("layer.0.scores", {});
  ASSERT_TRUE(row.ok() && scores.ok());
  double mean = 0, variance = 0;
  const auto n = static_cast<double>(scores->count());
  for (std::int64_t i = 0; i < scores->dim(0); ++i)
    for (std::int64_t j = 0; j < scores->dim(1); ++j) mean += scores->at({i, j}) / n;
  for (std::int64_t i = 0; i < scores->dim(0); ++i)
    for (std::int64_t j = 0; j < scores->dim(1); ++j) variance += std::pow(scores->at({i, j}) - mean, 2) / n;
  EXPECT_NEAR(row->score_variance, variance, 1e-9);
}

TEST(RowSum, NamesWhatIsMissing) {
  const auto trace = trace_of(row_sum_small());
  EXPECT_FALSE(row_sum(*trace, "layer.9.", 0, 0, 0).ok());
  const auto far = row_sum(*trace, "layer.0.", 0, 0, 99);
  ASSERT_FALSE(far.ok());
  EXPECT_NE(far.error().sentence().find("row 99"), std::string::npos);
}

TEST(Movement, AddsUpAlongTheStream) {
  for (const std::string norm : {"none", "pre", "post"}) {
    Document document = row_sum_small();
    document.norm = norm;
    const auto trace = trace_of(document);
    const auto moved = movement(*trace, "", 0, 2);
    ASSERT_TRUE(moved.ok()) << moved.error().sentence();
    ASSERT_EQ(moved->layers.size(), 3u);
    const auto at = [&](const std::string& step) {
      const auto tensor = trace->values(step);
      std::vector<double> x;
      for (std::int64_t c = 0; c < 32; ++c) x.push_back(tensor->at({0, 2, c}));
      return x;
    };
    const std::string end = norm == "post" ? "norm" : "residual";
    EXPECT_NEAR(moved->layers[0].by_attention, distance(at("input"), at("layer.0.attention_" + end)), 1e-10);
    EXPECT_NEAR(moved->layers[1].by_feed_forward, distance(at("layer.1.attention_" + end), at("layer.1.mlp_" + end)), 1e-10);
    EXPECT_NEAR(moved->layers[2].from_start, distance(at("input"), at("layer.2.mlp_" + end)), 1e-10);
    EXPECT_NEAR(moved->start_length, length_of(at("input")), 1e-12);
    EXPECT_NEAR(moved->layers[2].cosine, cosine_of(at("input"), at("layer.2.mlp_" + end)), 1e-12);
  }
}

TEST(Movement, ADecodersLayerMovesTwice) {
  Document document = row_sum_small();
  document.targets = {"le chat", "un homme"};
  const auto trace = trace_of(document);
  for (const std::string kind : {"encoder.", "decoder."}) {
    const auto moved = movement(*trace, kind, 1, 0);
    ASSERT_TRUE(moved.ok()) << moved.error().sentence();
    EXPECT_EQ(moved->layers.size(), 3u);
    for (const auto& layer : moved->layers) {
      EXPECT_GT(layer.by_attention, 0);
      EXPECT_GT(layer.by_feed_forward, 0);
    }
  }
  EXPECT_FALSE(movement(*trace, "nothing.", 0, 0).ok());
}

}  // namespace
}  // namespace headlight
