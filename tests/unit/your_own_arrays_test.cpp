// Attention that was computed elsewhere: what is guessed of a file's arrays, the trace that they give, and files that are
// refused.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/arrays/array_file.h"
#include "engine/arrays/reading.h"
#include "engine/core/base64.h"
#include "engine/core/npy.h"
#include "engine/core/safetensors.h"
#include "engine/document/array_source.h"
#include "engine/insight/explain_value.h"
#include "engine/insight/predictions.h"
#include "engine/insight/rollout.h"
#include "engine/pipeline/array_document.h"
#include "tests/support/parity_data.h"
#include "tests/support/process_folder.h"
#include "tests/support/trace_of.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

fs::path arrays_scratch(const std::string& name) { return test::process_folder() / name; }
fs::path json_file(const std::string& name, const std::string& text) {
  const fs::path path = arrays_scratch(name);
  std::ofstream(path) << text;
  return path;
}

// Weights [layers, heads, n, m] whose rows sum to 1; each map differs from the others.
Tensor some_weights(std::int64_t layers, std::int64_t heads, std::int64_t n, std::int64_t m, bool causal) {
  Tensor weights(DType::f32, {layers, heads, n, m});
  auto* out = weights.data<float>();
  for (std::int64_t map = 0; map < layers * heads; ++map)
    for (std::int64_t i = 0; i < n; ++i) {
      float sum = 0;
      for (std::int64_t j = 0; j < m; ++j) {
        out[j] = causal && j > i ? 0.0f : 1.0f + static_cast<float>((3 * map + 5 * i + 7 * j) % 11);
        sum += out[j];
      }
      for (std::int64_t j = 0; j < m; ++j) out[j] /= sum;
      out += m;
    }
  return weights;
}

struct Opened {
  ArraysOpened arrays;
  std::shared_ptr<const Trace> trace;
};
Opened opened(const fs::path& path, const arrays::Asked& asked = {}) {
  auto made = open_array_document(path, asked);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().sentence());
  if (!made.ok()) return {};
  const auto trace = tests::trace_of(made->document);
  return {std::move(*made), trace};
}
std::string error_of(const fs::path& path, const arrays::Asked& asked = {}) {
  const auto made = open_array_document(path, asked);
  return made.ok() ? "" : made.error().sentence();
}
std::string reading_text(const ArraysOpened& made) { return arrays::to_text(made.guess.reading); }

TEST(Arrays, WeightsOfFourAxesAreLayersAndHeads) {
  const Tensor weights = some_weights(3, 2, 5, 5, true);
  ASSERT_TRUE(write_npz(arrays_scratch("w.npz"), {{"weights", weights}}).ok());
  const Opened o = opened(arrays_scratch("w.npz"));
  ASSERT_TRUE(o.trace);
  EXPECT_EQ(reading_text(o.arrays), "weights=weights[layer,head,query,key]");
  EXPECT_TRUE(o.arrays.guess.causal);
  EXPECT_TRUE(o.arrays.guess.remarks.empty());
  ASSERT_EQ(o.trace->sites().size(), 3u);
  EXPECT_EQ(o.trace->sites()[2].prefix, "layer.2.");
  EXPECT_EQ(o.trace->texts()[0].labels, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  for (std::int64_t layer = 0; layer < 3; ++layer) {
    const auto values = o.trace->values("layer." + std::to_string(layer) + ".weights", {});
    ASSERT_TRUE(values.ok());
    EXPECT_EQ(difference(*values, weights.select(0, layer).compact().reshaped({1, 2, 5, 5})).max_abs, 0);
  }
  EXPECT_EQ(o.trace->step_at("layer.0.", Role::scores), nullptr);
  // The mask as found: causal.
  ASSERT_FALSE(o.trace->sites()[0].mask.mask.empty());
  EXPECT_EQ(o.trace->sites()[0].mask.mask.at({0, 0, 1, 2}), 0);
  EXPECT_EQ(o.trace->sites()[0].mask.mask.at({0, 0, 2, 1}), 1);
}

TEST(Arrays, AxesAreCorrectedOnTheCommandLine) {
  const Tensor weights = some_weights(3, 2, 5, 5, false);
  ASSERT_TRUE(write_npz(arrays_scratch("axes.npz"), {{"weights", weights}}).ok());
  arrays::Asked asked;
  asked.axes = *arrays::axes_from("sentence,head,key,query", "--axes");
  const Opened o = opened(arrays_scratch("axes.npz"), asked);
  ASSERT_TRUE(o.trace);
  EXPECT_EQ(o.trace->texts().size(), 3u);
  const auto tile = o.trace->tile("layer.0.weights", {2, 1});
  ASSERT_TRUE(tile.ok());
  EXPECT_EQ(tile->at({1, 3}), weights.at({2, 1, 3, 1}));
  asked.axes = *arrays::axes_from("head,query,key", "--axes");
  EXPECT_NE(error_of(arrays_scratch("axes.npz"), asked).find("the numbers of axes differ"), std::string::npos);
  EXPECT_FALSE(arrays::axes_from("layer,layer,query,key", "--axes").ok());
  EXPECT_FALSE(arrays::axes_from("layer,wing,query,key", "--axes").ok());
}

TEST(Arrays, ALayerEachAndTransformerLensNamesAreStacked) {
  const Tensor weights = some_weights(4, 3, 6, 6, true);
  NamedTensors one_each, lens;
  for (std::int64_t layer = 0; layer < 4; ++layer) {
    const Tensor own = weights.select(0, layer).compact().reshaped({1, 3, 6, 6});
    one_each.emplace_back("arr_" + std::to_string(layer), own);
    lens.emplace_back("blocks." + std::to_string(layer) + ".attn.hook_pattern", own);
  }
  ASSERT_TRUE(write_npz(arrays_scratch("each.npz"), one_each).ok());
  ASSERT_TRUE(write_safetensors(arrays_scratch("lens.safetensors"), {lens, {{"tokens", "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]"}}},
                                StoredReal::f32)
                  .ok());
  for (const char* name : {"each.npz", "lens.safetensors"}) {
    const Opened o = opened(arrays_scratch(name));
    ASSERT_TRUE(o.trace) << name;
    ASSERT_EQ(o.trace->sites().size(), 4u) << name << reading_text(o.arrays);
    EXPECT_EQ(o.trace->sites()[0].heads, 3) << name;
    const auto tile = o.trace->tile("layer.3.weights", {0, 2});
    ASSERT_TRUE(tile.ok());
    EXPECT_EQ(tile->at({5, 4}), weights.at({3, 2, 5, 4})) << name;
  }
  EXPECT_EQ(opened(arrays_scratch("lens.safetensors")).trace->texts()[0].labels[5], "f");
}

TEST(Arrays, CrossAttentionHasTokensOfItsOwnForQueriesAndKeys) {
  const fs::path path = json_file("cross.json",
                                  R"({"attention": [[[0.5, 0.25, 0.25], [0, 0, 1]]], "tokens": ["le", "chat"],
                                      "source_tokens": ["the", " cat", "."]})");
  const Opened o = opened(path);
  ASSERT_TRUE(o.trace);
  ASSERT_EQ(o.trace->sites().size(), 1u);
  const AttentionSite& site = o.trace->sites()[0];
  EXPECT_EQ(site.prefix, "decoder.layer.0.cross.");
  EXPECT_TRUE(site.rows_are_targets);
  EXPECT_FALSE(site.columns_are_targets);
  EXPECT_EQ(o.trace->targets()[0].labels, (std::vector<std::string>{"le", "chat"}));
  EXPECT_EQ(o.trace->texts()[0].labels, (std::vector<std::string>{"the", "·cat", "."}));
  EXPECT_EQ(o.trace->tile(site.prefix + "weights", {})->at({1, 2}), 1);
  EXPECT_FALSE(writes_words(site)) << "a row is named as the file names it";
}

TEST(Arrays, BertVizEncoderDecoderAndCrossAreOneModel) {
  ASSERT_TRUE(write_npz(arrays_scratch("bertviz.npz"), {{"encoder_attention", some_weights(2, 3, 4, 4, false)},
                                                        {"decoder_attention", some_weights(2, 3, 5, 5, true)},
                                                        {"cross_attention", some_weights(2, 3, 5, 4, false)}})
                  .ok());
  const Opened o = opened(arrays_scratch("bertviz.npz"));
  ASSERT_TRUE(o.trace);
  std::string prefixes;
  for (const AttentionSite& site : o.trace->sites()) prefixes += site.prefix + " ";
  EXPECT_EQ(prefixes,
            "encoder.layer.0. encoder.layer.1. decoder.layer.0. decoder.layer.1. decoder.layer.0.cross. "
            "decoder.layer.1.cross. ");
  EXPECT_EQ(o.trace->texts()[0].labels.size(), 4u);
  EXPECT_EQ(o.trace->targets()[0].labels.size(), 5u);
  // No encoder attends causally.
  EXPECT_TRUE(o.trace->sites()[0].mask.mask.empty());
}

TEST(Arrays, ScoresGoThroughTheMaskAndSoftmax) {
  const fs::path path = json_file("scores.json", R"({"scores": [[[1, 2, -3], [0.5, -1, 4], [2, 2, 2]]]})");
  Opened o = opened(path);
  ASSERT_TRUE(o.trace);
  EXPECT_EQ(reading_text(o.arrays), "scores=scores[head,query,key]");
  const auto weights = o.trace->tile("layer.0.weights", {});
  ASSERT_TRUE(weights.ok());
  const double e = std::exp(1) + std::exp(2) + std::exp(-3);
  EXPECT_NEAR(weights->at({0, 1}), std::exp(2) / e, 1e-7);
  o.arrays.document.masks = {{"causal", {}}};
  const auto causal = tests::trace_of(o.arrays.document);
  ASSERT_TRUE(causal);
  const auto masked = causal->tile("layer.0.weights", {});
  EXPECT_EQ(masked->at({0, 0}), 1);
  EXPECT_EQ(masked->at({0, 1}), 0);
  EXPECT_NEAR(masked->at({2, 1}), 1.0 / 3, 1e-7);
}

TEST(Arrays, QueriesKeysAndValuesMakeScoresWeightsAndContext) {
  Tensor q(DType::f32, {1, 2, 3, 4}), k = q, v(DType::f32, {1, 1, 3, 2});
  k = Tensor(DType::f32, {1, 1, 3, 4});
  for (std::int64_t i = 0; i < q.count(); ++i) q.data<float>()[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  for (std::int64_t i = 0; i < k.count(); ++i) k.data<float>()[i] = static_cast<float>(std::cos(static_cast<double>(i)));
  for (std::int64_t i = 0; i < v.count(); ++i) v.data<float>()[i] = static_cast<float>(i);
  ASSERT_TRUE(write_npz(arrays_scratch("qkv.npz"), {{"q", q}, {"k", k}, {"v", v}}).ok());
  const Opened o = opened(arrays_scratch("qkv.npz"));
  ASSERT_TRUE(o.trace);
  const AttentionSite& site = o.trace->sites()[0];
  EXPECT_EQ(site.heads, 2);
  EXPECT_EQ(site.kv_heads, 1);  // both heads read it
  EXPECT_EQ(site.scale, 0.5);
  double scores[3], sum = 0;
  for (int j = 0; j < 3; ++j) {
    double dot = 0;
    for (int d = 0; d < 4; ++d) dot += q.at({0, 1, 2, d}) * k.at({0, 0, j, d});
    scores[j] = std::exp(dot / 2);
    sum += scores[j];
  }
  double context = 0;
  for (int j = 0; j < 3; ++j) {
    EXPECT_NEAR(o.trace->tile("layer.0.weights", {0, 1, 2, 1})->at({0, j}), scores[j] / sum, 1e-6);
    context += scores[j] / sum * v.at({0, 0, j, 1});
  }
  EXPECT_NEAR(o.trace->tile("layer.0.context", {0, 1, 2, 1, 1, 1})->at({0, 0}), context, 1e-5);
  // Every number is explained from its inputs.
  for (const char* step :
       {"layer.0.scores", "layer.0.scaled_scores", "layer.0.masked_scores", "layer.0.weights", "layer.0.context"}) {
    const auto said = explain_value(*o.trace, {step, {0, 1, 2, 1}});
    ASSERT_TRUE(said.ok()) << step << ": " << said.error().sentence();
    EXPECT_NEAR(said->value, said->computed, 1e-6) << step;
    EXPECT_LE(std::abs(said->value - said->computed), said->tolerance) << step;
  }
}

// The heads of a projection lie side by side, [sentence, position, heads * d]: as if each had an axis of its own.
TEST(Arrays, HeadsThatLieSideBySideAreTakenApart) {
  Tensor apart(DType::f32, {1, 4, 3, 2}), shared(DType::f32, {1, 2, 3, 2});  // [sentence, head, position, d]
  Tensor q(DType::f32, {1, 3, 8}), k(DType::f32, {1, 3, 4});
  for (std::int64_t h = 0; h < 4; ++h)
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t d = 0; d < 2; ++d) {
        const auto number = static_cast<float>(std::sin(static_cast<double>(7 * h + 3 * i + d)));
        apart.data<float>()[(h * 3 + i) * 2 + d] = q.data<float>()[i * 8 + h * 2 + d] = number;
        if (h < 2) shared.data<float>()[(h * 3 + i) * 2 + d] = k.data<float>()[i * 4 + h * 2 + d] = 1 - number;
      }
  const Tensor weights = some_weights(1, 4, 3, 3, false);
  ASSERT_TRUE(write_npz(arrays_scratch("apart.npz"), {{"q", apart}, {"k", shared}, {"v", shared}}).ok());
  ASSERT_TRUE(write_npz(arrays_scratch("beside.npz"), {{"weights", weights}, {"q", q}, {"k", k}, {"v", k}}).ok());
  Tensor count(DType::i32, {1});
  count.data<std::int32_t>()[0] = 4;
  ASSERT_TRUE(write_npz(arrays_scratch("counted.npz"), {{"num_heads", count}, {"q", q}, {"k", k}, {"v", k}}).ok());
  ASSERT_TRUE(write_npz(arrays_scratch("bare.npz"), {{"q", q}, {"k", k}, {"v", k}}).ok());
  const Opened by_axes = opened(arrays_scratch("apart.npz"));
  ASSERT_TRUE(by_axes.trace);
  const char* const said = "q=q[batch,query,4*d] k=k[batch,query,2*d] v=v[batch,query,2*d]";
  for (const auto& [name, asked, read] :
       {std::tuple("beside.npz", "", "weights=weights[layer,head,query,key] " + std::string(said)),
        std::tuple("counted.npz", "", std::string(said)), std::tuple("bare.npz", "sentence,position,4*d", std::string(said))}) {
    SCOPED_TRACE(name);
    arrays::Asked axes;
    if (*asked) axes.axes = *arrays::axes_from(asked, "--axes");
    const Opened o = opened(arrays_scratch(name), axes);
    ASSERT_TRUE(o.trace);
    EXPECT_EQ(reading_text(o.arrays), read);
    EXPECT_EQ(o.trace->sites()[0].heads, 4);
    EXPECT_EQ(o.trace->sites()[0].kv_heads, 2);
    for (std::int64_t head = 0; head < 4; ++head)
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 3; ++j)
          EXPECT_EQ(o.trace->tile("layer.0.scores", {0, head, i, 1})->at({0, j}),
                    by_axes.trace->tile("layer.0.scores", {0, head, i, 1})->at({0, j}));
  }
  // Without a number that says it, wide vectors are cut into the usual 64; the guess is said.
  const Tensor wide(DType::f32, {2, 3, 768});
  ASSERT_TRUE(write_npz(arrays_scratch("wide.npz"), {{"q", wide}, {"k", wide}}).ok());
  const Opened o = opened(arrays_scratch("wide.npz"));
  EXPECT_EQ(reading_text(o.arrays), "q=q[batch,query,12*d] k=k[batch,query,12*d]");
  EXPECT_TRUE(std::any_of(o.arrays.guess.why.begin(), o.arrays.guess.why.end(),
                          [](const Message& why) { return why.english().find("taken as 12 heads of 64") != std::string::npos; }));
  arrays::Asked five;
  five.axes = *arrays::axes_from("batch,query,5*d", "--axes");
  EXPECT_NE(error_of(arrays_scratch("wide.npz"), five).find("5 heads do not lie side by side in 768 numbers"), std::string::npos);
  EXPECT_FALSE(arrays::axes_from("batch,query,0*d", "--axes").ok());
  EXPECT_FALSE(arrays::axes_from("batch,query,head*d", "--axes").ok());
}

TEST(Arrays, UnusualNumbersAreShownAndSaid) {
  Tensor weights = some_weights(2, 2, 4, 4, false);
  weights.data<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  weights.data<float>()[20] = -0.25f;
  for (std::int64_t i = 48; i < 52; ++i) weights.data<float>()[i] *= 2;
  ASSERT_TRUE(write_npz(arrays_scratch("odd.npz"), {{"weights", weights}}).ok());
  const Opened o = opened(arrays_scratch("odd.npz"));
  ASSERT_TRUE(o.trace);
  std::string said;
  for (const Message& remark : o.arrays.guess.remarks) said += remark.english() + "\n";
  EXPECT_NE(said.find("holds NaN"), std::string::npos) << said;
  EXPECT_NE(said.find("below 0"), std::string::npos) << said;
  EXPECT_NE(said.find("do not sum to 1"), std::string::npos) << said;
  EXPECT_TRUE(std::isnan(o.trace->tile("layer.0.weights", {})->at({0, 1})));
  EXPECT_EQ(o.trace->tile("layer.0.weights", {0, 1})->at({1, 0}), -0.25);
}

// One number of thousands is found, wherever it is: up to sixteen million are all looked at.
TEST(Arrays, EveryRowIsLookedAt) {
  Tensor weights = some_weights(3, 2, 97, 97, true);
  const std::int64_t row = (4 * 97 + 41) * 97;  // layer 2, head 0, query 41
  weights.data<float>()[row + 60] = 0.5f;       // ahead
  weights.data<float>()[row + 3] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(write_npz(arrays_scratch("one.npz"), {{"weights", weights}}).ok());
  const Opened o = opened(arrays_scratch("one.npz"));
  ASSERT_TRUE(o.trace);
  EXPECT_FALSE(o.arrays.guess.causal);
  ASSERT_EQ(o.arrays.guess.remarks.size(), 2u);
  EXPECT_EQ(o.arrays.guess.remarks[0].english(), "'weights' holds NaN: 1 in its 582 rows; these cells are shown as NaN");
  EXPECT_EQ(o.arrays.guess.remarks[1].english(), "1 of the 582 rows of 'weights' do not sum to 1: they are shown as they are");
}

TEST(Arrays, AListWhoseNameSaysNothingNamesTokensOnlyWhereItFits) {
  const Opened other = opened(json_file("classes.json", R"({"weights": [[1, 0], [0.5, 0.5]], "classes": ["a", "b", "c"]})"));
  ASSERT_TRUE(other.trace);
  EXPECT_TRUE(other.arrays.guess.remarks.empty());
  EXPECT_EQ(other.trace->texts()[0].labels, (std::vector<std::string>{"0", "1"}));
  const Opened fits = opened(json_file("names.json", R"({"weights": [[1, 0], [0.5, 0.5]], "names": ["a", "b"]})"));
  ASSERT_TRUE(fits.trace);
  EXPECT_EQ(fits.trace->texts()[0].labels[1], "b");
}

TEST(Arrays, TokensThatDoNotFitAreNumberedAndSaid) {
  const Opened o = opened(json_file("misfit.json", R"({"weights": [[1, 0], [0.5, 0.5]], "tokens": ["a", "b", "c"]})"));
  ASSERT_TRUE(o.trace);
  EXPECT_EQ(o.trace->texts()[0].labels, (std::vector<std::string>{"0", "1"}));
  ASSERT_EQ(o.arrays.guess.remarks.size(), 1u);
  EXPECT_EQ(o.arrays.guess.remarks[0].english(),
            "'tokens' has 3 tokens, and 'weights' has 2 queries: the tokens are numbered instead");
  // As a correction it is refused.
  arrays::Reading reading = o.arrays.guess.reading;
  reading.tokens = "tokens";
  EXPECT_FALSE(with_reading(o.arrays.document, reading).ok());
}

TEST(Arrays, IdsAreReadByATokenizer) {
  const Opened o =
      opened(json_file("ids.json", R"({"weights": [[1, 0], [0.5, 0.5]], "input_ids": [72, 105], "tokenizer": "bpe"})"));
  ASSERT_TRUE(o.trace);
  EXPECT_EQ(o.arrays.guess.reading.tokens, "input_ids");
  ASSERT_TRUE(o.trace->tokenizer());
  EXPECT_EQ(o.trace->texts()[0].labels[1], o.trace->tokenizer()->display_text(105));
  EXPECT_EQ(o.trace->values("tokens", {})->at({0, 1}), 105);
}

TEST(Arrays, BadFilesAreRefusedInASentence) {
  const std::pair<const char*, const char*> texts[] = {
      {R"({"weights": [[1, 0], [0.5]]})", "lists of different lengths"},
      {R"({"weights": [[1, 0], [0.5, 0.5]})", "stops being JSON at line 1, column 32"},
      {R"({"a": "b"})", "holds no array of numbers"},
      {R"({"weights": [1, 2, 3]})", "none of them has rows and columns"},
      {R"([[[[[[[[1]]]]]]]])", ""},
      {"<html></html>", "web page"},
  };
  for (const auto& [text, said] : texts) {
    const std::string error = error_of(json_file("bad.json", text));
    if (*said) {
      EXPECT_NE(error.find(said), std::string::npos) << text << "\n" << error;
    }
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  std::string deep(100000, '[');
  EXPECT_NE(error_of(json_file("deep.json", deep)).find("64 levels"), std::string::npos);
  ASSERT_TRUE(write_npz(arrays_scratch("empty.npz"), {{"weights", Tensor(DType::f32, {0, 12, 7, 7})}}).ok());
  EXPECT_NE(error_of(arrays_scratch("empty.npz")).find("holds no attention"), std::string::npos);
  ASSERT_TRUE(
      write_npz(arrays_scratch("two.npz"), {{"q", Tensor(DType::f32, {2, 3, 4})}, {"k", Tensor(DType::f32, {3, 3, 4})}}).ok());
  EXPECT_NE(error_of(arrays_scratch("two.npz")).find("2 heads of queries cannot share 3"), std::string::npos);
}

// Two heads of a causal text of two tokens as an exported page keeps them; `data` in place of its numbers.
std::string page_text(const std::string& kind, const std::string& data, const std::string& more) {
  return "<!doctype html>\n<html><script type=\"application/json\" id=\"data\">{\"start\": {\"run\": 0}, \"runs\": [{\"texts\": "
         "[{\"pieces\": [\"a\", \"\\u003cb>\"]}], \"sites\": [{\"name\": \"\", \"layers\": 1, \"heads\": 2, \"rows\": 2, "
         "\"columns\": 2, \"rows_of\": 0, \"columns_of\": 0, \"kind\": \"" +
         kind + "\", \"data\": \"" + data + "\"" + more + "}]}]}</script></html>";
}

TEST(Arrays, APageIsReadFromItsData) {
  // 1, 0.5, 0.5 and 1, 0.25, 0.75: as float16, as float32, and as bytes of the largest number.
  const std::string float16 = to_base64(std::string("\0\x3c\0\x38\0\x38\0\x3c\0\x34\0\x3a", 12));
  const std::string bytes = to_base64(std::string("\xff\x80\x80\xff\x40\xbf", 6));
  const std::string causal = ", \"masks\": [\"causal\"]", bits = ", \"masks\": [\"all\", \"DQ==\"], \"mask_of\": [1, 1]";
  for (const std::string& text : {page_text("float16", float16, causal), page_text("float16", float16, bits),
                                  page_text("bytes", bytes, causal + ", \"largest\": [1, 1]")}) {
    const Opened o = opened(json_file("page.html", text));
    ASSERT_TRUE(o.trace);
    EXPECT_EQ(reading_text(o.arrays), "weights=weights[layer,head,query,key] tokens=tokens");
    EXPECT_TRUE(o.arrays.guess.causal);
    EXPECT_EQ(o.trace->texts()[0].tokens[1].piece, "<b>");
    EXPECT_NEAR(o.trace->tile("layer.0.weights", {0, 1, 1, 1})->at({0, 0}), 0.25, 0.002);
    EXPECT_EQ(o.trace->tile("layer.0.weights", {0, 1, 0, 1})->at({0, 1}), 0);
    EXPECT_TRUE(is_array_file(arrays_scratch("page.html")));
  }
  // Whoever wrote it: sizes are not believed, and nothing is read beyond the data.
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = page_text("float16", float16, causal);
    text.replace(text.find(from), from.size(), to);
    return error_of(json_file("page.html", text));
  };
  EXPECT_NE(changed("\"heads\": 2", "\"heads\": 3").find("fewer numbers than cells"), std::string::npos);
  EXPECT_NE(changed("\"heads\": 2", "\"heads\": 1").find("more numbers than cells"), std::string::npos);
  EXPECT_NE(changed("\"heads\": 2", "\"heads\": 40000000").find("more than 48000000 numbers"), std::string::npos);
  EXPECT_NE(changed("\"heads\": 2", "\"heads\": -2").find("how many layers"), std::string::npos);
  EXPECT_NE(changed("\"causal\"", "\"DQ\"").find("mask of 'weights' is damaged"), std::string::npos);
  EXPECT_NE(changed("\"causal\"", "\"all\", \"all\"").find("does not say for each head"), std::string::npos);
  EXPECT_NE(changed("float16", "float8").find("no numbers that are read here"), std::string::npos);
  EXPECT_NE(changed("[\"a\", ", "[\"a\", \"c\", ").find("3 tokens for 2"), std::string::npos);
  EXPECT_NE(changed("\"runs\"", "\"run\"").find("no text"), std::string::npos);
  EXPECT_NE(error_of(json_file("page.html", "<!doctype html><p>hello")).find("none that Headlight exported"), std::string::npos);
}

TEST(Arrays, ASessionKeepsAReferenceWithItsChecksumOrACopy) {
  const fs::path path = arrays_scratch("kept.npz");
  ASSERT_TRUE(write_npz(path, {{"weights", some_weights(1, 1, 3, 3, true)}}).ok());
  Document document = opened(path).arrays.document;
  const auto again = document_from_json(to_json(document), "test");
  ASSERT_TRUE(again.ok()) << again.error().sentence();
  EXPECT_TRUE(*again == document);
  const auto copied = keeping(document, true);
  ASSERT_TRUE(copied.ok());
  const auto of_copy = document_from_json(to_json(*copied), "test");
  ASSERT_TRUE(of_copy.ok());
  EXPECT_FALSE(*of_copy == document);
  // Another file in its place is refused; the copy is still read.
  ASSERT_TRUE(write_npz(path, {{"weights", some_weights(1, 1, 4, 4, true)}}).ok());
  const auto cpu = *backends::open("cpu");
  const auto refused = run(document, *cpu, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("its checksum differs"), std::string::npos);
  fs::remove(path);
  const auto gone = run(document, *cpu, {});
  ASSERT_FALSE(gone.ok());
  EXPECT_NE(gone.error().sentence().find("not here"), std::string::npos);
  const auto read = run(*of_copy, *cpu, {});
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  EXPECT_EQ((*read)->sites()[0].queries, 3);
}

TEST(Arrays, RecordedAttentionOfGpt2IsTheSoftmaxOfItsMaskedScores) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  for (const char* name : {"ex0.json", "ex1.json"}) {
    const Opened o = opened(test::parity_data() / "gpt2-attention" / name);
    ASSERT_TRUE(o.trace);
    ASSERT_EQ(o.trace->sites().size(), 12u) << reading_text(o.arrays);
    EXPECT_TRUE(o.arrays.guess.causal);
    EXPECT_TRUE(o.arrays.guess.remarks.empty());
    double largest = 0;
    for (const AttentionSite& site : o.trace->sites()) {
      EXPECT_EQ(site.heads, 12);
      EXPECT_EQ(site.d_k, 64);  // 1/8, the ratio of the recorded scores
      for (std::int64_t head = 0; head < site.heads; ++head) {
        Trace::Tile whole;
        whole.head = head;
        const Tensor masked = *o.trace->tile(site.prefix + "masked_scores", whole),
                     weights = *o.trace->tile(site.prefix + "weights", whole);
        for (std::int64_t i = 0; i < site.queries; ++i) {
          double sum = 0;
          for (std::int64_t j = 0; j < site.keys; ++j) {
            EXPECT_EQ(std::isinf(masked.at({i, j})), j > i);
            sum += std::exp(masked.at({i, j}));
          }
          for (std::int64_t j = 0; j < site.keys; ++j)
            largest = std::max(largest, std::abs(std::exp(masked.at({i, j})) / sum - weights.at({i, j})));
        }
      }
    }
    EXPECT_LE(largest, 1e-6);
    const auto said = explain_value(*o.trace, {"layer.3.weights", {0, 5, 4, 1}});
    ASSERT_TRUE(said.ok());
    EXPECT_LE(std::abs(said->value - said->computed), said->tolerance);
  }
}

}  // namespace
}  // namespace headlight
