// Words instead of pieces: which tokens are of one word, and the weights between words, by hand.
#include "engine/insight/word_groups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/document/stored_model.h"
#include "engine/insight/explain_word_cell.h"
#include "engine/insight/word_joins.h"
#include "engine/tokenizers/files/open.h"
#include "support/trace_of.h"

namespace headlight {
namespace {

using Labels = std::vector<std::string>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<const tokenizers::Tokenizer> opened(const std::string& name) { return std::move(tokenizers::open(name)).value(); }

Sentence sentence_of(const std::string& text, const tokenizers::Tokenizer& tokenizer) {
  Sentence sentence{text, std::move(tokenizer.encode(text)).value(), {}};
  for (const tokenizers::Token& token : sentence.tokens) sentence.labels.push_back(tokenizer.display_text(token.id));
  return sentence;
}
Labels words_of(const std::string& text, const tokenizers::Tokenizer& tokenizer) {
  const Sentence sentence = sentence_of(text, tokenizer);
  const WordGroups groups = word_groups(sentence, &tokenizer, static_cast<std::int64_t>(sentence.tokens.size()));
  EXPECT_EQ(groups.tokens(), static_cast<std::int64_t>(sentence.tokens.size()));
  return groups.labels();
}
WordGroups groups_of(const std::vector<int>& sizes) {
  std::vector<bool> joins;
  for (const int size : sizes)
    for (int i = 0; i < size; ++i) joins.push_back(i > 0);
  return word_groups(joins, {});
}
Tensor f64(const std::vector<double>& values, Shape shape) { return Tensor::of(values, std::move(shape)); }
std::vector<double> numbers_of(const Tensor& t) {
  std::vector<double> all;
  const Tensor wide = t.as(DType::f64).compact();
  all.assign(wide.data<double>(), wide.data<double>() + wide.count());
  return all;
}

TEST(WordJoins, AreThoseOfTheTokenizersOwnSplitter) {
  const auto wordpiece = opened("wordpiece"), bpe = opened("bpe"), characters = opened("characters"), words = opened("words");
  const std::string text = "a fluffy rhododendron isn't verdant.";
  EXPECT_EQ(words_of(text, *wordpiece), (Labels{"a", "fluffy", "rhododendron", "isn", "'", "t", "verdant", "."}));
  EXPECT_EQ(words_of(text, *bpe), (Labels{"a", "fluffy", "rhododendron", "isn", "'t", "verdant", "."})) << "GPT-2's pattern";
  EXPECT_EQ(words_of(text, *characters), (Labels{"a", "fluffy", "rhododendron", "isn't", "verdant."})) << "whitespace alone";
  const Sentence whole = sentence_of("a fluffy mole.", *words);
  EXPECT_FALSE(word_groups(whole, words.get(), 4).joins());
  EXPECT_EQ(words_of("  two  spaces ", *characters).size(), 3u);
  EXPECT_EQ(words_of("", *bpe), Labels{});
}

TEST(WordJoins, IdeographsAndSpecialTokensStandAlone) {
  const auto bpe = opened("bpe");
  EXPECT_EQ(words_of("注意力", *bpe), (Labels{"注", "意", "力"})) << "bytes of one character belong together";
  Sentence sentence = sentence_of("verdant", *bpe);
  ASSERT_GT(sentence.tokens.size(), 1u) << "else this test shows nothing";
  const auto own = static_cast<std::int64_t>(sentence.tokens.size());
  sentence.tokens.insert(sentence.tokens.begin(), {0, "[BOS]", 0, 0});
  sentence.labels.insert(sentence.labels.begin(), "[BOS]");
  const WordGroups groups = word_groups(sentence, bpe.get(), own + 3);
  EXPECT_EQ(groups.labels(), (Labels{"[BOS]", "verdant", "[PAD]", "[PAD]"}));
  EXPECT_EQ(groups.at(0), 0);
  EXPECT_EQ(groups.at(own), 1);
  EXPECT_EQ(groups.at(own + 2), 3);
  EXPECT_EQ(groups.at(own + 3), -1);
  EXPECT_EQ(groups.at(-1), -1);
  EXPECT_EQ(groups.last_token(1), own);
  EXPECT_EQ(groups.last_token(4), -1);
  sentence.tokens[1].added = true;  // a text that names it, as [MASK]
  EXPECT_EQ(word_groups(sentence, bpe.get(), own + 1).words[1].end, 2);
}

TEST(WordJoins, MarksTellWithoutAText) {
  const auto joined = [](const Labels& pieces) { return word_groups(joins_by_marks(pieces), pieces).size(); };
  EXPECT_EQ(joined({"a", "Ġfl", "uff", "y", "Ġcat", "."}), 4);
  EXPECT_EQ(joined({"▁a", "▁fl", "uffy", "▁", "cat"}), 3) << "a mark alone begins the word behind it";
  EXPECT_EQ(joined({"[CLS]", "verd", "##ant", "##ly", "##", "[SEP]"}), 4) << "## alone is no piece of a word";
  EXPECT_EQ(joined({"the", "mole"}), 2) << "nothing is marked";
  EXPECT_EQ(without_word_mark("Ġfl") + without_word_mark("##y") + without_word_mark("▁a") + without_word_mark("##"), "flya##");
}

TEST(WordGroups, QueriesByTheWordsThatTheyWrite) {
  // <s> | ver dant | . and the guess behind it; two tokens of padding.
  WordGroups read = groups_of({1, 2, 1, 1, 1});
  const Labels labels{"<s>", "verdant", ".", "[PAD]", "[PAD]"};
  for (std::size_t i = 0; i < labels.size(); ++i) read.words[i].label = labels[i];
  const WordGroups written = written_groups(read, 4, "</s>");
  EXPECT_EQ(written.labels(), (Labels{"verdant", ".", "</s>", "[PAD]", "[PAD]"}));
  EXPECT_EQ(written.words[0].end, 2);
  EXPECT_EQ(written.tokens(), 6);
  EXPECT_EQ(written_groups(groups_of({1}), 1, "Le").labels(), Labels{"Le"});
}

TEST(WordWeights, ToAWordTheSumFromAWordTheMean) {
  const WordAxes axes{groups_of({2, 1}), groups_of({1, 2})};
  const Tensor w = f64({.1, .2, .7, .3, .3, .4, .5, .25, .25}, {3, 3});
  const std::vector<double> got = numbers_of(words_weights(w, {}, axes));
  const std::vector<double> by_hand{.2, .8, .5, .5};
  ASSERT_EQ(got.size(), by_hand.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_DOUBLE_EQ(got[i], by_hand[i]) << i;
  const Tensor narrow = words_weights(w.as(DType::f32), {}, axes);
  EXPECT_EQ(narrow.dtype(), DType::f32);
  EXPECT_FLOAT_EQ(narrow.data<float>()[1], .8f);
  // Every word one piece: nothing changes. No tokens at all: no words.
  EXPECT_EQ(numbers_of(words_weights(w, {}, {groups_of({1, 1, 1}), groups_of({1, 1, 1})})), numbers_of(w));
  EXPECT_EQ(groups_of({}).size(), 0);
  EXPECT_FALSE(groups_of({}).joins());
}

TEST(WordWeights, RowsStillSumToOne) {
  const WordAxes axes{groups_of({3, 1, 2, 4}), groups_of({2, 5, 1, 1, 3})};  // of cross-attention: other words on each axis
  const std::int64_t rows = axes.rows.tokens(), columns = axes.columns.tokens();
  std::vector<double> w(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j)
      sum += w[static_cast<std::size_t>(i * columns + j)] = static_cast<double>(1 + (i * 7 + j * j * 3) % 11);
    for (std::int64_t j = 0; j < columns; ++j) w[static_cast<std::size_t>(i * columns + j)] /= sum;
  }
  const Tensor grouped = words_weights(f64(w, {rows, columns}), {}, axes);
  ASSERT_EQ(grouped.shape(), (Shape{4, 5}));
  for (std::int64_t r = 0; r < 4; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < 5; ++c) sum += grouped.data<double>()[r * 5 + c];
    EXPECT_NEAR(sum, 1, 4e-16 * static_cast<double>(rows)) << r;
  }
}

TEST(WordWeights, AWordsCellIsMaskedOnlyIfAllItsCellsAre) {
  const WordAxes axes{groups_of({2, 1}), groups_of({2, 1})};
  // Causal; what a masked cell holds does not count, not even what is no number.
  const Tensor w = f64({1, kNan, 0, .25, .75, 0, .125, .375, .5}, {3, 3});
  const Tensor mask = Tensor::of<std::uint8_t>({1, 0, 0, 1, 1, 0, 1, 1, 1}, {3, 3});
  EXPECT_EQ(numbers_of(words_weights(w, mask, axes)), (std::vector<double>{1, 0, .5, .5}));
  EXPECT_EQ(numbers_of(words_mask(mask, axes)), (std::vector<double>{1, 0, 1, 1}));
  EXPECT_TRUE(words_mask({}, axes).empty());
  // The first piece sees nothing, so the mean is that of the second.
  const Tensor strict = Tensor::of<std::uint8_t>({0, 0, 0, 1, 1, 0, 1, 1, 1}, {3, 3});
  EXPECT_EQ(numbers_of(words_weights(w, strict, axes)), (std::vector<double>{1, 0, .5, .5}));
  const Tensor nothing = Tensor::of<std::uint8_t>({0, 0, 0, 0, 0, 0, 1, 1, 1}, {3, 3});
  EXPECT_EQ(numbers_of(words_weights(w, nothing, axes)), (std::vector<double>{0, 0, .5, .5}));
}

TEST(WordWeights, WhatIsNotFiniteGoesThrough) {
  const double infinite = std::numeric_limits<double>::infinity();
  const Tensor w = f64({.5, kNan, .5, .5, .5, 0, infinite, 0, 1}, {3, 3});
  const std::vector<double> got = numbers_of(words_weights(w, {}, {groups_of({2, 1}), groups_of({2, 1})}));
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_EQ(got[1], .25);
  EXPECT_EQ(got[2], infinite);
  EXPECT_EQ(got[3], 1);
}

Document in_pieces() {
  Document document;
  document.texts = {"the verdant forest", "rhododendrons"};
  document.tokenizer = "bpe";
  document.d_model = 16;
  document.heads = 2;
  document.layers = 1;
  document.masks = {{"padding", {}}, {"causal", {}}};
  document.backend = "reference";
  return document;
}

TEST(WordWeights, OfAllHeadsWithTheirMasks) {
  const auto trace = tests::trace_of(in_pieces());
  ASSERT_TRUE(trace);
  const AttentionSite& site = trace->sites()[0];
  const WordAxes axes = word_axes(*trace, site, 0, false);
  ASSERT_TRUE(axes.joins());
  EXPECT_EQ(axes.rows.tokens(), site.queries) << "padding included";
  const Tensor all = words_of_heads(trace->values("layer.0.weights").value().select(0, 0), site, 0, axes);
  ASSERT_EQ(all.shape(), (Shape{2, axes.rows.size(), axes.columns.size()}));
  for (std::int64_t head = 0; head < 2; ++head)
    for (std::int64_t r = 0; r < 3; ++r) {
      double sum = 0;
      for (std::int64_t c = 0; c < axes.columns.size(); ++c) {
        const double w = all.at({head, r, c});
        EXPECT_TRUE(c <= r || w == 0);
        sum += w;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
}

TEST(ExplainWordCell, WritesOutTheCellsThatItIsMadeOf) {
  const auto trace = tests::trace_of(in_pieces());
  ASSERT_TRUE(trace);
  const WordAxes axes = word_axes(*trace, trace->sites()[0], 0, false);
  const WordGroups::Word &row = axes.rows.words[2], &column = axes.columns.words[1];
  ASSERT_EQ(column.label, "verdant");
  ASSERT_GT(column.end - column.begin, 1);
  const auto cell = explain_word_cell(*trace, {"layer.0.", 0, 1, row, column});
  ASSERT_TRUE(cell.ok()) << cell.error().sentence();
  const Tensor whole = words_of_heads(trace->values("layer.0.weights").value().select(0, 0), trace->sites()[0], 0, axes);
  EXPECT_DOUBLE_EQ(cell->value, whole.at({1, 2, 1}));
  EXPECT_EQ(cell->name, "weights[forest → verdant]");
  // Every cell of the pieces, once, with the trace's own number.
  ASSERT_EQ(cell->inputs.size(), static_cast<std::size_t>((row.end - row.begin) * (column.end - column.begin)));
  double sum = 0;
  for (const ValueExplanation::Input& input : cell->inputs) {
    EXPECT_EQ(input.value, trace->values(input.address.step).value().at(input.address.index));
    sum += input.value;
  }
  EXPECT_NEAR(sum / static_cast<double>(row.end - row.begin), cell->value, 1e-15);
  EXPECT_NE(to_text(*cell).find("verdant"), std::string::npos);
  // From a word of several pieces: their mean is written out.
  const auto from = explain_word_cell(*trace, {"layer.0.", 0, 1, axes.rows.words[1], axes.columns.words[0]});
  ASSERT_TRUE(from.ok());
  EXPECT_DOUBLE_EQ(from->value, whole.at({1, 1, 0}));
  EXPECT_EQ(from->sections.back().title, "the mean over its pieces' rows");
  EXPECT_FALSE(explain_word_cell(*trace, {"layer.9.", 0, 1, row, column}).ok());

  const auto strongest = strongest_word_cell(*trace, "layer.0.", 0, 1, axes);
  ASSERT_TRUE(strongest.ok());
  double largest = 0;
  for (std::int64_t r = 1; r < 3; ++r)
    for (std::int64_t c = 0; c <= r; ++c) largest = std::max(largest, whole.at({1, r, c}));
  EXPECT_EQ(whole.at({1, axes.rows.at(strongest->query), axes.columns.at(strongest->key)}), largest);
}

// The first sentence in the bundled model: the adjective's pieces are "ver", "d" and "ant", and forest looks at the last one.
TEST(WordWeights, ForestLooksAtVerdantInOneCell) {
  Document document;
  ASSERT_EQ(document.texts.front(), "a fluffy blue creature roamed the verdant forest");
  const auto stored = open_stored_model("stories");
  ASSERT_TRUE(stored.ok());
  use_model(document, **stored);
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  const AttentionSite& site = trace->sites()[0];
  const WordAxes axes = word_axes(*trace, site, 0, false);
  const auto find = [&](const std::string& label) {
    for (std::int64_t i = 0; i < axes.rows.size(); ++i)
      if (axes.rows.words[static_cast<std::size_t>(i)].label == label) return i;
    return std::int64_t{-1};
  };
  const std::int64_t forest = find("forest"), verdant = find("verdant");
  ASSERT_GE(forest, 0);
  ASSERT_GE(verdant, 0);
  const WordGroups::Word& pieces = axes.columns.words[static_cast<std::size_t>(verdant)];
  ASSERT_EQ(pieces.end - pieces.begin, 3);
  // In the head for adjectives the whole word is what forest looks at most.
  double best = 0, best_piece = 0;
  for (const AttentionSite& layer : trace->sites()) {
    const Tensor w = trace->values(trace->name_at(layer.prefix, Role::weights)).value().select(0, 0);
    const Tensor words = words_of_heads(w, layer, 0, axes);
    for (std::int64_t head = 0; head < layer.heads; ++head) {
      const double whole = words.at({head, forest, verdant});
      double sum = 0, largest = 0;
      for (std::int64_t key = pieces.begin; key < pieces.end; ++key) {
        sum += w.at({head, axes.rows.last_token(forest), key});
        largest = std::max(largest, w.at({head, axes.rows.last_token(forest), key}));
      }
      EXPECT_NEAR(whole, sum, 1e-6);
      if (whole <= best) continue;
      best = whole;
      best_piece = largest;
    }
  }
  EXPECT_LT(best_piece, best);
  EXPECT_GT(best, .5);
}

}  // namespace
}  // namespace headlight
