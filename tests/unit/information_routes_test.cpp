// The routes of information against plain arithmetic in double on the trace's own numbers.
#include "engine/insight/information_routes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/backends/backends.h"
#include "engine/insight/attention_parts.h"
#include "engine/insight/explain.h"
#include "engine/insight/logit_contributions.h"
#include "engine/insight/residual_stream.h"
#include "support/tiny_model.h"
#include "support/trace_of.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;

std::shared_ptr<const Trace> tiny_trace(const tests::TinyModel& tiny, const std::vector<std::string>& without = {}) {
  EXPECT_TRUE(tiny.write().ok());
  Document document;
  EXPECT_TRUE(find_field("model")->set(document, {tiny.name()}).ok());
  document.texts = {"a mole ran"};
  document.backend = "reference";
  if (tiny.model.task == ModelTask::encoder_decoder) document.targets = {"la taupe"};
  if (!without.empty()) EXPECT_TRUE(find_field("without")->set(document, without).ok());
  return tests::trace_of(document);
}

InformationShares shares_of(const Trace& trace) {
  const auto backend = backends::open("reference").value();
  auto made = information_shares(trace, 0, *backend, {});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().sentence());
  return made.ok() ? *std::move(made) : InformationShares{};
}

double length_1(const Vector& x) {
  double sum = 0;
  for (const double v : x) sum += std::abs(v);
  return sum;
}

double plain_importance(const Vector& z, const Vector& x) {
  Vector without = z;
  for (std::size_t c = 0; c < z.size(); ++c) without[c] -= x[c];
  return std::max(0.0, length_1(z) - length_1(without));
}

// The shares of one query by the definition: [key] and what was there before.
struct Plain {
  Vector by_source;
  double before = 0, rest = 0;
};

Plain plain_shares(const Trace& trace, const AttentionSite& site, std::int64_t query, std::int64_t keys) {
  const ResidualPlace place = residual_place(trace, site);
  const Vector z = as_doubles(rows_of(trace, place.after, 0, 0, query, 1).value());
  const Vector before = as_doubles(rows_of(trace, place.before, 0, 0, query, 1).value());
  const Tensor w_o = trace.values(place.matrix).value();
  Plain made;
  made.before = plain_importance(z, before);
  const AttentionParts parts = attention_parts(trace, site, 0, query, {}).value();
  made.rest = parts.bias.empty() ? 0 : plain_importance(z, parts.bias);
  double total = made.before + made.rest;
  for (std::int64_t key = 0; key < keys; ++key) {
    made.by_source.push_back(0);
    for (std::int64_t head = 0; head < site.heads; ++head) {
      const Vector weights = as_doubles(rows_of(trace, trace.name_at(site.prefix, Role::weights), 0, head, query, 1).value());
      const Vector values = values_of_query(trace, site, 0, head, query).value();
      const auto d_v = static_cast<std::ptrdiff_t>(values.size() / weights.size());
      Vector x = through_output(Vector(values.begin() + key * d_v, values.begin() + (key + 1) * d_v), w_o, head);
      for (double& v : x) v *= weights[static_cast<std::size_t>(key)];
      made.by_source.back() += plain_importance(z, x);
    }
    total += made.by_source.back();
  }
  for (double& v : made.by_source) v /= total;
  made.before /= total;
  made.rest /= total;
  return made;
}

void expect_shares_by_definition(const Trace& trace) {
  const InformationShares shares = shares_of(trace);
  ASSERT_EQ(shares.attentions.size(), trace.sites().size());
  EXPECT_TRUE(shares.adds_up()) << shares.difference << " > " << shares.tolerance;
  for (std::size_t i = 0; i < shares.attentions.size(); ++i) {
    const InformationShares::Attention& attention = shares.attentions[i];
    for (std::int64_t query = 0; query < attention.queries; ++query) {
      const Plain plain = plain_shares(trace, trace.sites()[i], query, attention.keys);
      const auto at = static_cast<std::size_t>(query);
      double sum = static_cast<double>(attention.before[at]) + static_cast<double>(attention.rest[at]);
      EXPECT_NEAR(static_cast<double>(attention.before[at]), plain.before, 2e-5) << attention.prefix << query;
      EXPECT_NEAR(static_cast<double>(attention.rest[at]), plain.rest, 2e-5) << attention.prefix << query;
      for (std::int64_t key = 0; key < attention.keys; ++key) {
        const double share = static_cast<double>(attention.share(query, key));
        EXPECT_NEAR(share, plain.by_source[static_cast<std::size_t>(key)], 2e-5) << attention.prefix << query << " " << key;
        sum += share;
      }
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST(InformationRoutes, SharesOfADecoderAreThoseOfTheDefinition) {
  const auto trace = tiny_trace(tests::tiny_model("routes"));
  ASSERT_TRUE(trace);
  expect_shares_by_definition(*trace);
}

TEST(InformationRoutes, SharesOfAnEncoderDecoderWithBiasesAreThoseOfTheDefinition) {
  const auto trace = tiny_trace(tests::tiny_model("routes-two", ModelTask::encoder_decoder));
  ASSERT_TRUE(trace);
  expect_shares_by_definition(*trace);
  const InformationShares shares = shares_of(*trace);
  ASSERT_EQ(shares.stacks.size(), 2u);
  EXPECT_EQ(shares.stacks.back().name, "decoder.");
  const InformationRoutes routes = information_routes(shares, last_vector(shares, 1), 1e-6, false);
  bool from_source = false;
  for (const InformationRoutes::Edge& edge : routes.edges) from_source |= edge.from.stack == 0 && edge.to.stack == 1;
  EXPECT_TRUE(from_source) << "the target's vector is fed by the source";
}

TEST(InformationRoutes, RelativePositionsAndNormsBehindTheSumHaveShares) {
  Document document;
  document.texts = {"the creature roamed"};
  document.backend = "reference";
  document.layers = 2;
  document.norm = "post";
  ASSERT_TRUE(find_field("position")->set(document, {"relative"}).ok());
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  expect_shares_by_definition(*trace);
}

TEST(InformationRoutes, AHeadThatIsTakenOutHandsNothingOn) {
  const tests::TinyModel tiny = tests::tiny_model("routes-without");
  const auto trace = tiny_trace(tiny, {"layer.1.attention"});
  ASSERT_TRUE(trace);
  const InformationShares shares = shares_of(*trace);
  ASSERT_EQ(shares.attentions.size(), 2u);
  for (const float share : shares.attentions[1].by_source) EXPECT_EQ(share, 0);
  for (const float share : shares.attentions[1].before) EXPECT_NEAR(static_cast<double>(share), 1, 1e-6);
  EXPECT_TRUE(shares.adds_up());
}

TEST(InformationRoutes, TheHeadsOfAnEdgeAddUpToItsShare) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder}) {
    const auto trace = tiny_trace(tests::tiny_model("routes-heads", task));
    ASSERT_TRUE(trace);
    const InformationShares shares = shares_of(*trace);
    for (std::size_t i = 0; i < shares.attentions.size(); ++i) {
      const auto heads = edge_by_head(*trace, shares, i, 0, 2, 1, {});
      ASSERT_TRUE(heads.ok()) << heads.error().sentence();
      double sum = 0;
      for (const float one : *heads) sum += static_cast<double>(one);
      EXPECT_NEAR(sum, static_cast<double>(shares.attentions[i].share(2, 1)), 1e-5);
    }
  }
}

TEST(InformationRoutes, OnlyWhatIsAboveTheThresholdIsFollowed) {
  const auto trace = tiny_trace(tests::tiny_model("routes-followed"));
  ASSERT_TRUE(trace);
  const InformationShares shares = shares_of(*trace);
  const RouteVector top = last_vector(shares, 5);
  EXPECT_EQ(top, (RouteVector{0, 2, 5}));
  std::size_t before = 1'000'000;
  for (const double threshold : {1e-9, 0.02, 0.1, 0.3, 1.0}) {
    const InformationRoutes routes = information_routes(shares, top, threshold, false);
    EXPECT_LE(routes.edges.size(), before) << "a higher threshold follows no more";
    before = routes.edges.size();
    std::set<RouteVector> reached;
    for (const InformationRoutes::Vector& one : routes.vectors) EXPECT_TRUE(reached.insert(one.at).second) << "reached once";
    EXPECT_EQ(routes.vectors.front().at, top);
    for (std::size_t i = 0; i < routes.edges.size(); ++i) {
      const InformationRoutes::Edge& edge = routes.edges[i];
      EXPECT_GE(static_cast<double>(edge.share), threshold);
      EXPECT_TRUE(reached.contains(edge.from) && reached.contains(edge.to)) << "an edge joins vectors of the route";
      EXPECT_EQ(edge.from.level + 1, edge.to.level);
      if (i > 0) EXPECT_LE(edge.share, routes.edges[i - 1].share);
    }
  }
  EXPECT_EQ(before, 0u) << "no edge has the whole share";
  const InformationRoutes all = information_routes(shares, top, 1e-9, false);
  const InformationRoutes without = information_routes(shares, top, 1e-9, true);
  EXPECT_GT(without.hidden, 0);
  EXPECT_GT(without.hidden_most, 0);
  EXPECT_LT(without.edges.size(), all.edges.size());
  for (const InformationRoutes::Edge& edge : without.edges) EXPECT_NE(edge.key, 0);
}

TEST(InformationRoutes, MixedHeadsHaveNoShares) {
  Document document;
  document.texts = {"the creature roamed"};
  ASSERT_TRUE(find_field("combiner")->set(document, {"stack2d"}).ok());
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  const auto backend = backends::open("reference").value();
  const auto made = information_shares(*trace, 0, *backend, {});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().sentence().find("mixes the heads"), std::string::npos) << made.error().sentence();
  EXPECT_FALSE(information_shares(*trace, 3, *backend, {}).ok()) << "there is no such sentence";
}

TEST(LogitDifference, AddsUpByPartLayerAndSource) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder}) {
    const auto trace = tiny_trace(tests::tiny_model("difference", task));
    ASSERT_TRUE(trace);
    const std::int64_t position = 3;
    const std::int32_t word = 262, over = 265;
    const auto made = logit_difference(*trace, 0, position, word, over, {});
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    const Tensor logits = trace->values(trace->name_at("", Role::logits)).value();
    EXPECT_NEAR(made->difference, logits.at({0, position, word}) - logits.at({0, position, over}), 1e-12);
    EXPECT_NEAR(made->rest, 0, 1e-9);
    const auto first = logit_contributions(*trace, 0, position, word, {});
    const auto second = logit_contributions(*trace, 0, position, over, {});
    ASSERT_TRUE(first.ok() && second.ok());
    ASSERT_EQ(made->parts.size(), first->parts.size());
    double by_part = 0, by_layer = 0;
    for (std::size_t i = 0; i < made->parts.size(); ++i) {
      const LogitDifference::Part& part = made->parts[i];
      EXPECT_NEAR(part.logit, first->parts[i].logit - second->parts[i].logit, 1e-9);
      by_part += part.logit;
      double sources = 0;
      for (const double one : part.by_source) sources += one;
      if (part.kind == LogitContributions::Kind::head) EXPECT_NEAR(sources, part.logit, 1e-9);
    }
    for (const double one : made->by_layer()) by_layer += one;
    EXPECT_NEAR(by_part, made->difference, 1e-9);
    EXPECT_NEAR(by_layer, made->difference, 1e-9);
  }
}

}  // namespace
}  // namespace headlight
