// The routes of information against plain arithmetic in double on the trace's own numbers, and patching along them.
#include "engine/insight/information_routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/backends/backends.h"
#include "engine/document/stored_model.h"
#include "engine/insight/attention_parts.h"
#include "engine/insight/explain.h"
#include "engine/insight/head_effects.h"
#include "engine/insight/logit_contributions.h"
#include "engine/insight/path_patching.h"
#include "engine/insight/predictions.h"
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
    EXPECT_TRUE(made->adds_up());
    // The tokens of two texts stay apart.
    const std::vector<double> own = made->by_source(), other = made->by_source(true);
    const bool two = task == ModelTask::encoder_decoder;
    EXPECT_EQ(own.size(), (two ? trace->targets() : trace->texts())[0].tokens.size());
    EXPECT_EQ(other.size(), two ? trace->texts()[0].tokens.size() : 0);
    double by_source = made->without_heads();
    for (const auto& sums : {own, other})
      for (const double one : sums) by_source += one;
    EXPECT_NEAR(by_source, made->difference, 1e-9);
  }
}

TEST(LogitDifference, AHeadThatIsTakenOutIsReadFromNoToken) {
  const auto trace = tiny_trace(tests::tiny_model("difference-without"), {"layer.1.attention"});
  ASSERT_TRUE(trace);
  const auto made = logit_difference(*trace, 0, 3, 262, 265, {});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  EXPECT_TRUE(made->adds_up());
  int heads = 0;
  for (const LogitDifference::Part& part : made->parts) {
    double sources = 0;
    for (const double one : part.by_source) sources += one;
    if (part.kind == LogitContributions::Kind::head) EXPECT_NEAR(sources, part.logit, 1e-9) << part.layer << " " << part.head;
    heads += part.kind == LogitContributions::Kind::head && part.layer == 1 && part.logit == 0 ? 1 : 0;
  }
  EXPECT_GT(heads, 0) << "some are taken out";
}

// --- path patching: nothing put back is the changed sentence, everything put back the clean one

Document patched_document(const std::string& model, const std::string& text) {
  Document document;
  const auto stored = open_stored_model(model);
  EXPECT_TRUE(stored.ok()) << model;
  if (stored.ok()) use_model(document, **stored);
  document.texts = {text};
  document.add_end = false;
  return document;
}

std::int32_t patched_word(const std::string& model, const std::string& word) {
  const auto backend = backends::open("cpu");
  const auto trace = run(patched_document(model, word), **backend, {});
  const auto token = token_of_word(**trace, word);
  EXPECT_TRUE(token.ok()) << word;
  return token.ok() ? *token : 0;
}

struct Patched {
  std::shared_ptr<backends::Backend> backend;
  std::unique_ptr<PathPatching> patching;
  double with(std::vector<PatchPart> parts) const {
    const auto difference = patching->restored(parts, {});
    EXPECT_TRUE(difference.ok()) << (difference.ok() ? "" : difference.error().sentence());
    return difference.ok() ? *difference : 0;
  }
};

Patched open_patching(const std::string& backend, const std::string& model, const std::string& clean, const std::string& changed,
                      std::int64_t position, const std::string& word, const std::string& over) {
  Patched made;
  made.backend = *backends::open(backend);
  auto patching =
      PathPatching::open(patched_document(model, clean),
                         {changed, position, patched_word(model, word), patched_word(model, over)}, *made.backend, {});
  EXPECT_TRUE(patching.ok()) << (patching.ok() ? "" : patching.error().sentence());
  if (patching.ok()) made.patching = std::move(*patching);
  return made;
}

Patched patched_capitals(const std::string& backend) {
  return open_patching(backend, "course", "Ankara is the capital of", "Oslo is the capital of", 4, "Turkey", "Norway");
}

PatchPart patched_vector(std::int64_t level, std::int64_t position) {
  return {PatchPart::Kind::vector, {}, level, 0, position, 0};
}
PatchPart patched_head(const std::string& place, std::int64_t head, std::int64_t position = -1) {
  return {PatchPart::Kind::head, place, 0, head, position, 0};
}

TEST(PathPatching, NothingIsTheChangedSentenceAndEverythingTheCleanOne) {
  for (const char* backend : {"cpu", "reference"}) {
    const Patched p = patched_capitals(backend);
    ASSERT_TRUE(p.patching);
    EXPECT_GT(p.patching->clean(), 1);
    EXPECT_LT(p.patching->changed(), -1);
    EXPECT_EQ(p.with({}), p.patching->changed());
    EXPECT_EQ(p.with({patched_vector(0, -1)}), p.patching->clean()) << "all embeddings";
    EXPECT_EQ(p.with({patched_vector(4, 4)}), p.patching->clean()) << "the last vector";
    EXPECT_EQ(p.with({patched_vector(0, 0)}), p.patching->clean()) << "only the first word differs";
    EXPECT_EQ(p.with({patched_vector(0, 1), patched_vector(0, 2), patched_vector(0, 4)}), p.patching->changed())
        << "these are the same";
    std::vector<PatchPart> all = {patched_vector(0, -1)};
    for (const AttentionSite& site : p.patching->clean_trace().sites())
      for (std::int64_t head = 0; head < site.heads; ++head) all.push_back(patched_head(site.prefix, head));
    EXPECT_EQ(p.with(all), p.patching->clean());
    EXPECT_EQ(p.with({}), p.patching->changed()) << "nothing stays put back";
  }
}

TEST(PathPatching, TheEdgesOfAQueryAreItsHeadsAndTheHeadsOfOnePlaceItsVector) {
  const Patched p = patched_capitals("reference");
  ASSERT_TRUE(p.patching);
  std::vector<PatchPart> edges, heads;
  for (std::int64_t key = 0; key < 5; ++key) edges.push_back({PatchPart::Kind::edge, "layer.1.", 0, 0, 4, key});
  for (std::int64_t head = 0; head < 5; ++head) heads.push_back(patched_head("layer.1.", head, 4));
  const double by_heads = p.with(heads);
  EXPECT_NEAR(p.with(edges), by_heads, 1e-9);
  EXPECT_GT(std::abs(by_heads - p.patching->changed()), 0.1);
  EXPECT_GT(std::abs(p.with({edges[0]}) - p.patching->changed()), 0.01);
  std::vector<PatchPart> both = edges;
  both.insert(both.end(), heads.begin(), heads.end());
  EXPECT_NEAR(p.with(both), by_heads, 1e-9) << "a head put back is not put back twice";
  EXPECT_NEAR(p.with({patched_head("layer.1.", 2)}),
              p.with({patched_head("layer.1.", 2, 0), patched_head("layer.1.", 2, 1), patched_head("layer.1.", 2, 2),
                      patched_head("layer.1.", 2, 3), patched_head("layer.1.", 2, 4)}),
              1e-12);
  // At the last layer nothing lies between but its own feed-forward part, and
  // both arithmetics agree.
  const Patched fast = patched_capitals("cpu");
  ASSERT_TRUE(fast.patching);
  for (std::int64_t layer = 0; layer < 4; ++layer)
    for (std::int64_t head = 0; head < 5; ++head) {
      const PatchPart part = patched_head("layer." + std::to_string(layer) + ".", head, 4);
      EXPECT_NEAR(fast.with({part}), p.with({part}), 2e-3) << layer << " " << head;
    }
}

// Against the same model in plain numpy and double: its logits agree with the
// trace's to 1e-14.
TEST(PathPatching, AgreesWithAnIndependentComputation) {
  const Patched p = patched_capitals("reference");
  ASSERT_TRUE(p.patching);
  EXPECT_NEAR(p.patching->clean(), 6.389305731489, 1e-9);
  EXPECT_NEAR(p.patching->changed(), -6.576243885814, 1e-9);
  const std::pair<PatchPart, double> cases[] = {
      {patched_head("layer.0.", 2), -4.085729112864},
      {patched_head("layer.1.", 3), -4.202626275741},
      {patched_head("layer.1.", 4), -4.625570247506},
      {patched_head("layer.2.", 3), -5.795459913607},
      {patched_head("layer.3.", 0), -6.374475553889},
      {{PatchPart::Kind::edge, "layer.1.", 0, 0, 4, 0}, 1.988137491587},
      {{PatchPart::Kind::edge, "layer.0.", 0, 0, 4, 0}, -4.177800005997},
      {{PatchPart::Kind::edge, "layer.2.", 0, 0, 4, 0}, -5.188397630063},
  };
  for (const auto& [part, expected] : cases) EXPECT_NEAR(p.with({part}), expected, 1e-9) << part.place << part.head << part.key;
}

// Zeros put in place of a head's sum are the head taken out.
TEST(StepPatches, ZerosAreTheHeadTakenOut) {
  const Document document = patched_document("course", "Ankara is the capital of");
  const auto backend = backends::open("reference");
  const auto plain = run(document, **backend, {});
  ASSERT_TRUE(plain.ok());
  std::vector<StepPatch> zeros;
  for (std::int64_t row = 0; row < 5; ++row) zeros.push_back({"layer.1.context", 0, 2, row, std::vector<double>(32, 0.0)});
  StepCache cache;
  RunOptions options;
  options.cache = &cache;
  ASSERT_TRUE(run(document, **backend, {}, options).ok());
  const auto patched = run_patched(document, **backend, zeros, {}, options);
  ASSERT_TRUE(patched.ok()) << patched.error().sentence();
  ModelAddress at;
  at.layer = 1;
  at.part = ModelAddress::Part::head;
  at.head = 2;
  const auto without = run(without_head(document, at, false), **backend, {});
  ASSERT_TRUE(without.ok());
  const auto last = [](const Trace& trace) { return *scores_behind(trace, 0, 4); };
  const std::vector<double> a = last(**patched), b = last(**without), c = last(**plain);
  double apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 1e-9);
    apart = std::max(apart, std::abs(a[i] - c[i]));
  }
  EXPECT_GT(apart, 0.1);
  zeros[0].row = 5;
  EXPECT_FALSE(run_patched(document, **backend, zeros, {}, options).ok()) << "there is no sixth row";
  zeros[0] = {"layer.9.context", 0, 0, 0, {}};
  EXPECT_FALSE(run_patched(document, **backend, zeros, {}, options).ok());
}

PatchEffects effects_of_patching(const Patched& p) {
  const auto shares = information_shares(p.patching->clean_trace(), 0, *p.backend, {});
  EXPECT_TRUE(shares.ok());
  const auto routes =
      information_routes(*shares, last_vector(*shares, p.patching->clean_trace().texts()[0].tokens.size() - 1), 0.04, false);
  std::int64_t last = -1;
  const auto effects = patch_effects(*p.patching, routes, *shares, {}, [&](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(done, last + 1);
    EXPECT_LT(done, total);
    last = done;
  });
  EXPECT_TRUE(effects.ok());
  EXPECT_EQ(effects->edges.size(), routes.edges.size());
  EXPECT_EQ(effects->vectors.size(), routes.vectors.size());
  EXPECT_NEAR(effects->share(effects->vectors[0]), 1, 1e-6) << "the asked vector";
  return effects.ok() ? *effects : PatchEffects();
}

// The previous-token heads write at the token behind the repeated one, and the
// induction head reads there.
TEST(PathPatching, FindsTheInductionCircuit) {
  const Patched p =
      open_patching("cpu", "induction", "pa lar vu so mi ken pa lar vu", "pa lar ken so mi vu pa lar vu", 8, "so", "pa");
  ASSERT_TRUE(p.patching);
  EXPECT_GT(p.patching->clean(), 5);
  EXPECT_LT(p.patching->changed(), 0);
  const PatchEffects effects = effects_of_patching(p);
  const std::vector<std::size_t> order = effects.strongest_heads();
  const auto most = [&](const PatchEffects::Head& head) {
    return std::max_element(head.by_position.begin(), head.by_position.end(),
                            [&](double a, double b) { return std::abs(a - effects.changed) < std::abs(b - effects.changed); }) -
           head.by_position.begin();
  };
  // As heads.json has them: layer 0's head 3 looks at the previous token, layer 1's head 0 is the strongest of eight that copy.
  const PatchEffects::Head &previous = effects.heads[order[0]], &copying = effects.heads[order[1]];
  EXPECT_EQ(previous.layer, 0);
  EXPECT_EQ(previous.head, 3);
  EXPECT_EQ(most(previous), 3) << "at the token that vu stands before";
  EXPECT_GE(effects.share(previous.difference), 0.8);
  EXPECT_EQ(copying.layer, 1);
  EXPECT_EQ(copying.head, 0);
  EXPECT_EQ(most(copying), 8) << "at the last token";
  const auto edge = [&](const char* place, std::int64_t query, std::int64_t key) {
    const PatchPart part{PatchPart::Kind::edge, place, 0, 0, query, key};
    return effects.share(p.with({part}));
  };
  EXPECT_GE(edge("layer.0.", 3, 2), 0.8) << "from vu to the token behind it";
  EXPECT_GE(edge("layer.1.", 8, 3), 0.6) << "from there to the last token";
  EXPECT_LE(std::abs(edge("layer.1.", 8, 5)), 0.1);
}

TEST(PathPatching, CancelsAndRefuses) {
  const auto backend = *backends::open("cpu");
  const auto opened = [&](const Document& document, const std::string& changed, const CancelToken& cancel = {}) {
    return PathPatching::open(document, {changed, 4, 1, 2}, *backend, cancel);
  };
  const Document document = patched_document("course", "Ankara is the capital of");
  const auto longer = opened(document, "Ankara is the capital");
  ASSERT_FALSE(longer.ok());
  EXPECT_NE(longer.error().sentence().find("5 tokens"), std::string::npos) << longer.error().sentence();
  Document two = document;
  two.texts.push_back("Oslo is the capital of");
  EXPECT_FALSE(opened(two, "Oslo is the capital of").ok());
  CancelSource source;
  source.cancel();
  EXPECT_EQ(opened(document, "Oslo is the capital of", source.token()).error().kind, ErrorKind::cancelled);
  const Patched p = patched_capitals("cpu");
  EXPECT_FALSE(p.patching->restored(std::vector<PatchPart>{patched_head("layer.9.", 0)}, {}).ok());
  EXPECT_FALSE(p.patching->restored(std::vector<PatchPart>{patched_head("layer.0.", 5)}, {}).ok());
  EXPECT_FALSE(p.patching->restored(std::vector<PatchPart>{patched_vector(9, 0)}, {}).ok());
}

}  // namespace
}  // namespace headlight
