// What heads are named by: heads.json, and the scores of one sentence.
#include "engine/insight/found_roles.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>

#include <algorithm>
#include <filesystem>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/insight/cached_heads.h"
#include "engine/insight/word_joins.h"
#include "support/tiny_model.h"

namespace headlight {
namespace {

using tests::tiny_model;
using tests::TinyModel;

PatternScores scores(std::initializer_list<std::pair<HeadPattern, double>> given) {
  PatternScores all;
  for (const auto& [pattern, score] : given) all[static_cast<std::size_t>(pattern)] = score;
  return all;
}

// What a newcomer sees first of each bundled model.
TEST(FoundRoles, TheTellingHeadIsTheOneWhoseRoleSaysMostAboutLanguage) {
  EXPECT_EQ(telling_head(MeasuredHeads{}), nullptr);
  MeasuredHeads none;
  none.heads = {{"self", 0, 0, scores({{HeadPattern::previous, 0.1}})}};
  EXPECT_EQ(telling_head(none), nullptr) << "no head has a role";
  for (const auto& [name, site, pattern] : {std::tuple{"stories", "self", HeadPattern::adjective},
                                            {"english-french", "cross", HeadPattern::alignment},
                                            {"induction", "self", HeadPattern::induction}}) {
    const auto model = open_stored_model(name);
    ASSERT_TRUE(model.ok()) << name;
    const auto measured = open_measured_heads(**model);
    ASSERT_TRUE(measured.ok() && *measured) << name;
    const HeadScores* const head = telling_head(**measured);
    ASSERT_NE(head, nullptr) << name;
    EXPECT_EQ(head->site, site) << name;
    const auto role = found_role(head->scores, head->chance);
    ASSERT_TRUE(role) << name;
    EXPECT_EQ(role->pattern, pattern) << name;
    for (const HeadScores& other : (*measured)->heads)
      if (const auto its = found_role(other.scores, other.chance); its && its->pattern == pattern) {
        EXPECT_LE(its->score, role->score);
      }
  }
}

TEST(FoundRoles, TheHighestScoreThatReachesItsLeastIsTheRole) {
  EXPECT_FALSE(found_role({}));
  EXPECT_FALSE(found_role(scores({{HeadPattern::previous, 0.49}, {HeadPattern::first, 0.1}})));
  const auto both = found_role(scores({{HeadPattern::previous, 0.99}, {HeadPattern::adjective, 0.85}}));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->pattern, HeadPattern::previous);
  EXPECT_EQ(both->score, 0.99);
  // Alignments are measured by links that are partly wrong, so less of them counts.
  EXPECT_FALSE(found_role(scores({{HeadPattern::first, 0.42}})));
  EXPECT_EQ(found_role(scores({{HeadPattern::alignment, 0.42}}))->pattern, HeadPattern::alignment);
}

// What a distance or plain luck explains as well is no role.
TEST(FoundRoles, ARoleIsOnlyClaimedAboveChance) {
  const PatternScores both = scores({{HeadPattern::previous, 0.9}, {HeadPattern::adjective, 0.95}});
  EXPECT_EQ(found_role(both)->pattern, HeadPattern::adjective);
  // A head that looks at the token before also looks at adjectives before their nouns.
  EXPECT_EQ(found_role(both, scores({{HeadPattern::previous, 0.1}, {HeadPattern::adjective, 0.94}}))->pattern,
            HeadPattern::previous);
  EXPECT_FALSE(found_role(scores({{HeadPattern::same, 0.6}}), scores({{HeadPattern::same, 0.6}})));
  // Of marked pairs there are fewer, so that more above chance is asked for.
  EXPECT_EQ(least_score(HeadPattern::same, 0.6), 0.6);
  EXPECT_EQ(least_score(HeadPattern::subject, 0.4), 0.65);
  EXPECT_EQ(least_score(HeadPattern::subject, 0.1), 0.5);
  EXPECT_FALSE(found_role(scores({{HeadPattern::subject, 0.6}}), scores({{HeadPattern::subject, 0.4}})));
  EXPECT_EQ(found_role(scores({{HeadPattern::subject, 0.7}}), scores({{HeadPattern::subject, 0.4}}))->pattern,
            HeadPattern::subject);
}

MeasuredHeads measured(const StoredModel& model) {
  MeasuredHeads all{"lines.txt", 3, {}};
  for (std::int64_t layer = 0; layer < model.document.layers; ++layer)
    for (std::int64_t head = 0; head < model.document.heads; ++head)
      all.heads.push_back({"self", layer, head,
                           scores({{HeadPattern::first, 0.25}, {HeadPattern::previous, 0.5 + 0.1 * static_cast<double>(head)}}),
                           scores({{HeadPattern::previous, 0.125}})});
  all.marked = 56;
  return all;
}

TEST(FoundRoles, HeadsJsonComesBackAsItWas) {
  const StoredModel model = tiny_model("roles-back").model;
  const std::string json = measured_heads_to_json(measured(model), 0x12ab34cd);
  EXPECT_NE(json.find("\"12ab34cd\""), std::string::npos);
  const auto back = measured_heads_from_json(json, "heads.json", model, 0x12ab34cd);
  ASSERT_TRUE(back.ok()) << back.error().sentence();
  EXPECT_EQ(back->corpus, "lines.txt");
  EXPECT_EQ(back->texts, 3);
  ASSERT_EQ(back->heads.size(), 4u);
  EXPECT_EQ(back->heads[3].layer, 1);
  EXPECT_EQ(back->heads[3].head, 1);
  EXPECT_EQ(score_of(back->heads[3].scores, HeadPattern::previous), 0.6);
  EXPECT_FALSE(score_of(back->heads[3].scores, HeadPattern::next));
  EXPECT_EQ(back->marked, 56);
  EXPECT_EQ(score_of(back->heads[3].chance, HeadPattern::previous), 0.125);
  EXPECT_FALSE(score_of(back->heads[3].chance, HeadPattern::first));
}

// Files of former versions have neither chance nor the patterns that were added since.
TEST(FoundRoles, AnOlderHeadsJsonIsRead) {
  const StoredModel model = tiny_model("roles-older").model;
  std::string json = "{\"headlight\":{\"version\":1,\"weights\":\"00000007\",\"corpus\":\"a\",\"texts\":3},\"heads\":[";
  for (const char* place :
       {"\"layer\":0,\"head\":0", "\"layer\":0,\"head\":1", "\"layer\":1,\"head\":0", "\"layer\":1,\"head\":1"})
    json += std::string(json.back() == '[' ? "" : ",") + "{\"site\":\"self\"," + place +
            ",\"scores\":{\"previous\":0.9,\"next\":null,\"first\":0.1,\"same\":0,\"induction\":0,\"punctuation\":0,"
            "\"adjective\":null,\"alignment\":null}}";
  const auto read = measured_heads_from_json(json + "]}", "heads.json", model, 7);
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  EXPECT_EQ(read->marked, 0);
  EXPECT_FALSE(score_of(read->heads[0].chance, HeadPattern::previous));
  EXPECT_FALSE(score_of(read->heads[0].scores, HeadPattern::subject));
  EXPECT_EQ(found_role(read->heads[0].scores, read->heads[0].chance)->pattern, HeadPattern::previous);
}

TEST(FoundRoles, WhatContradictsTheModelIsRefusedWithASentence) {
  const StoredModel model = tiny_model("roles-wrong").model;
  const std::string json = measured_heads_to_json(measured(model), 7);
  const auto said = [&](const std::string& text, std::uint32_t weights = 7) {
    const auto read = measured_heads_from_json(text, "here", model, weights);
    return read.ok() ? std::string() : read.error().sentence();
  };
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = json;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return said(text.replace(at, what.size(), instead));
  };
  EXPECT_EQ(said(json), "");
  EXPECT_NE(said(json, 8).find("here: its scores are of other weights than the model has"), std::string::npos);
  EXPECT_NE(said(json.substr(0, json.size() / 2)), "");
  EXPECT_NE(said("[]").find("'headlight' is missing"), std::string::npos);
  EXPECT_NE(with("\"version\":1", "\"version\":9").find("version 9"), std::string::npos);
  EXPECT_NE(with("\"texts\":3", "\"texts\":0").find("'texts' is 0"), std::string::npos);
  EXPECT_NE(with("\"texts\":3", "\"texts\":\"3\"").find("wrong type"), std::string::npos);
  EXPECT_NE(with("\"layer\":1", "\"layer\":2").find("the model has no self layer 2 head 0"), std::string::npos);
  EXPECT_NE(with("\"site\":\"self\"", "\"site\":\"cross\"").find("the model has no cross layer 0 head 0"), std::string::npos);
  EXPECT_NE(with("\"layer\":1,\"head\":1", "\"layer\":1,\"head\":0").find("twice"), std::string::npos);
  EXPECT_NE(with("\"previous\":0.5", "\"previous\":1.5").find("'previous' is 1.5"), std::string::npos);
  EXPECT_NE(with("\"previous\":0.5,", "").find("'previous' is missing"), std::string::npos);
  const std::size_t last = json.rfind(",\n{");
  EXPECT_NE(said(json.substr(0, last) + "\n]}\n").find("it has 3 heads and the model has 4"), std::string::npos);
}

// The file is read from the model's folder; a broken one does not keep the model from being opened.
TEST(FoundRoles, TheFileIsOptionalAndKnowsItsWeights) {
  const TinyModel tiny = tiny_model("roles-folder");
  ASSERT_TRUE(tiny.write().ok());
  const auto model = open_stored_model(tiny.name());
  ASSERT_TRUE(model.ok());
  const auto none = open_measured_heads(**model);
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, nullptr);
  const std::uint32_t weights = weights_checksum(**model).value();
  const std::filesystem::path file = tiny.folder / kModelHeadsFile;
  ASSERT_TRUE(write_file(file, measured_heads_to_json(measured(**model), weights)).ok());
  const auto read = open_measured_heads(**model);
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  EXPECT_EQ((*read)->heads.size(), 4u);
  ASSERT_TRUE(write_file(file, measured_heads_to_json(measured(**model), weights ^ 1)).ok());
  EXPECT_FALSE(open_measured_heads(**model).ok());
  EXPECT_TRUE(open_stored_model(tiny.name()).ok());
}

// Every bundled model's heads were measured with the weights that it has.
TEST(FoundRoles, BundledModelsHaveTheirOwnScores) {
  for (const std::string& name : bundled_models()) {
    const auto model = open_stored_model(name);
    ASSERT_TRUE(model.ok()) << model.error().sentence();
    const auto read = open_measured_heads(**model);
    ASSERT_TRUE(read.ok()) << read.error().sentence();
    ASSERT_NE(*read, nullptr) << name << " has no heads.json";
    EXPECT_TRUE(score_of((*read)->heads[0].chance, HeadPattern::first)) << name << " was measured by a former version";
    EXPECT_GE((*read)->texts, 100) << name;
    const bool any = std::any_of((*read)->heads.begin(), (*read)->heads.end(),
                                 [](const HeadScores& head) { return found_role(head.scores, head.chance).has_value(); });
    EXPECT_EQ(any, name != "induction-one-layer") << name;
  }
}

// What the window computes of the sentence that is typed is what a text of that sentence alone scores.
TEST(FoundRoles, ASentencesScoresAreThoseOfItAsTheOnlyText) {
  const TinyModel tiny = tiny_model("roles-sentence", ModelTask::decoder, [](StoredModel& m) { m.length = 24; });
  ASSERT_TRUE(tiny.write().ok());
  const auto predictor = Predictor::open(*open_stored_model(tiny.name()), *backends::open("reference"));
  ASSERT_TRUE(predictor.ok());
  const auto lists = WordLists::read("adjective: red\nnoun: cat\n", "here");
  const std::string text = "a red cat. a cat";
  const auto found = score_heads(*predictor, text, "here", *lists, {});
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  EXPECT_EQ(found->texts, 1);
  const TokenIds ids = predictor->beginning(text, {}).value();  // [BOS], then a token a character
  const auto sites = predictor->attention({{ids}}, {}, {}).value();
  TokenWords words(predictor->tokenizer());
  const auto tokens = predictor->tokenizer().encode(text, {});
  ASSERT_TRUE(tokens.ok());
  std::vector<bool> joins = joins_to_words(text, *tokens);
  joins.insert(joins.begin(), false);  // [BOS]
  const PatternText of = pattern_text(words, ids, {{9, {3, 4, 5}}}, joins);
  for (const HeadScores& head : found->heads) {
    const SiteWeights& site = sites[static_cast<std::size_t>(head.layer)];
    const std::int64_t count = site.weights.dim(2);
    const Tensor mask = site.site.mask.mask.slice(0, 0, 1).broadcast_to({1, 1, count, count}).select(0, 0).select(0, 0);
    const PatternScores here = self_scores({site.weights.select(0, 0).select(0, head.head), mask}, of);
    for (const HeadPattern pattern : kHeadPatterns) {
      if (pattern == HeadPattern::induction) continue;  // of many texts it is measured on random tokens
      EXPECT_EQ(score_of(here, pattern), score_of(head.scores, pattern)) << name_of(pattern);
    }
    // "a" stands at 1 and 12, and so on: the weights behind earlier occurrences of the same token, summed up in each row.
    double sum = 0;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      double row = 0;
      bool any = false;
      for (std::size_t j = 0; j < i; ++j)
        if (ids[j] == ids[i]) {
          row += site.weights.at({0, head.head, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j) + 1});
          any = true;
        }
      if (any) {
        sum += row;
        ++rows;
      }
    }
    ASSERT_GT(rows, 0);
    EXPECT_NEAR(score_of(here, HeadPattern::induction).value(), sum / static_cast<double>(rows), 1e-12);
  }
}

// Of pairs the file also keeps what translates what, so that one pair's alignment scores as if it had been among them.
TEST(FoundRoles, APairsAlignmentIsToldByTheLinks) {
  const TinyModel tiny = tiny_model("roles-pairs", ModelTask::encoder_decoder);
  ASSERT_TRUE(tiny.write().ok());
  const auto model = open_stored_model(tiny.name());
  const auto predictor = Predictor::open(*model, *backends::open("reference"));
  ASSERT_TRUE(predictor.ok());
  const auto lists = WordLists::read("adjective: red\nnoun: cat\n", "here");
  const std::string pairs = "ab\trs\nba\tsr\na\tr\nb\ts\n";
  const auto found = score_heads(*predictor, pairs, "here", *lists, {});
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  ASSERT_FALSE(found->links.empty());
  const std::string json = measured_heads_to_json(*found, 5);
  const auto back = measured_heads_from_json(json, "here", **model, 5);
  ASSERT_TRUE(back.ok()) << back.error().sentence();
  ASSERT_EQ(back->links.size(), found->links.size());
  const WordAlignment alignment = WordAlignment::of(back->links);
  const auto read = read_pairs(*predictor, pairs, "here", {});
  ASSERT_TRUE(read.ok());
  TokenWords words(predictor->tokenizer()), target_words(predictor->output_tokenizer());
  std::vector<double> means(4, 0);
  for (const TokenPair& pair : *read) {
    const TokenIds target(pair.target.begin(), pair.target.end() - 1);  // as the window has it, without [EOS]
    const PatternText source = pattern_text(words, pair.source, {});
    std::vector<std::int64_t> translated = translated_by(alignment, source, pattern_text(target_words, target, {}));
    translated.erase(translated.begin());
    const auto sites = predictor->attention({{pair.source}}, {{target}}, {}).value();
    std::size_t at = 0;
    for (const SiteWeights& site : sites)
      for (std::int64_t head = 0; site.site.site == masks::Site::cross && head < 2; ++head) {
        const PatternScores here = cross_scores({site.weights.select(0, 0).select(0, head), {}}, source, translated);
        means[at++] += score_of(here, HeadPattern::alignment).value() / 4;
      }
  }
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(means[i], score_of(found->heads[8 + i].scores, HeadPattern::alignment).value(), 1e-12);
  // A link that the vocabularies lack is refused.
  const std::size_t link = json.find("\"links\":[") + 9;
  const auto wrong = measured_heads_from_json(std::string(json).insert(link, "[999999,0,0.5],"), "here", **model, 5);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().sentence().find("is no link of"), std::string::npos) << wrong.error().sentence();
}

namespace fs = std::filesystem;

class CachedHeads : public testing::Test {
 protected:
  CachedHeads() { ::setenv("HEADLIGHT_CONFIG_DIR", folder.c_str(), 1); }
  ~CachedHeads() override { ::unsetenv("HEADLIGHT_CONFIG_DIR"); }
  const fs::path folder = tests::own_folder("cached-heads-cache");
};

TEST_F(CachedHeads, AreMeasuredOnceAndABrokenFileIsMadeAgain) {
  const auto tiny = tests::tiny_model("cached-heads");
  ASSERT_TRUE(tiny.write().ok());
  const auto model = open_stored_model(tiny.name()).value();
  EXPECT_FALSE(cached_heads(*model).ok()) << "nothing was measured yet";
  std::int64_t asked = 0, sentences = 0;
  const auto measured = measure_heads(model, {}, [&](std::int64_t, std::int64_t total) {
    ++asked;
    sentences = total;
  });
  ASSERT_TRUE(measured.ok()) << measured.error().sentence();
  EXPECT_EQ(asked, 60 + 56) << "sentences, and texts with marked pairs";
  EXPECT_EQ(sentences, 60 + 56);
  EXPECT_EQ(static_cast<std::int64_t>(measured->heads.size()), model->document.layers * model->document.heads);
  const fs::path file = cached_heads_file(*model).value();
  EXPECT_EQ(file.parent_path(), folder / "heads");
  const auto cached = cached_heads(*model);
  ASSERT_TRUE(cached.ok()) << cached.error().sentence();
  ASSERT_EQ(cached->heads.size(), measured->heads.size());
  for (std::size_t i = 0; i < cached->heads.size(); ++i)
    for (const HeadPattern pattern : kHeadPatterns) {
      const auto &a = score_of(cached->heads[i].scores, pattern), &b = score_of(measured->heads[i].scores, pattern);
      ASSERT_EQ(a.has_value(), b.has_value());
      if (a) {
        EXPECT_NEAR(*a, *b, 1e-6);
      }
    }
  ASSERT_TRUE(write_file(file, "{\"headlight\": 1").ok());
  EXPECT_FALSE(cached_heads(*model).ok());
  ASSERT_TRUE(measure_heads(model, {}).ok());
  EXPECT_TRUE(cached_heads(*model).ok());
}

TEST_F(CachedHeads, StopWhenTheyAreToldTo) {
  const auto tiny = tests::tiny_model("cached-heads-stopped");
  ASSERT_TRUE(tiny.write().ok());
  const auto model = open_stored_model(tiny.name()).value();
  CancelSource stop;
  const auto measured = measure_heads(model, stop.token(), [&](std::int64_t done, std::int64_t) {
    if (done == 3) stop.cancel();
  });
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace headlight
