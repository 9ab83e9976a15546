// The Embeddings view: the calculator's list against the table itself, a click in it, two differences, the sentence's token, what
// is said of random tables and of wrong sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/figures/base/labels.h"
#include "app/views/embeddings/data.h"
#include "engine/insight/analogies.h"
#include "engine/insight/embedding_space.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

Document model_document(const std::string& name, const std::string& text, const std::string& target = {}) {
  Document document;
  const auto stored = open_stored_model(name);
  EXPECT_TRUE(stored.ok());
  if (stored.ok()) use_model(document, **stored);
  document.texts = {text};
  if (!target.empty()) document.targets = {target};
  return document;
}

ViewState on_embeddings() {
  ViewState view;
  view.tab = "embeddings";
  return view;
}

std::vector<std::string> drawn_words(Room& room) {
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  std::vector<std::string> words;
  for (const gl::DrawnText& text : texts) words.push_back(text.text);
  return words;
}
bool has_word(const std::vector<std::string>& words, const std::string& word) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& one) { return one.find(word) != std::string::npos; });
}

TEST(EmbeddingsPanel, TheListIsTheTables) {
  Room room(model_document("course", "the king has an aunt"), on_embeddings());
  EXPECT_EQ(room.window.errors(), 0);
  for (const char* part : {"embeddings:sum", "embeddings:nearest", "embeddings:differences", "embeddings:neighbours"})
    EXPECT_TRUE(room.has(part)) << part;
  const auto space = embedding_space(*room.shell->published().trace, false, {});
  ASSERT_TRUE(space.ok());
  const auto sum = embedding_sum(*space, "aunt - uncle + man");
  ASSERT_TRUE(sum.ok());
  const auto nearest = nearest_tokens(*space, sum->vector, 3, tokens_of(*sum), {});
  ASSERT_TRUE(nearest.ok());
  const auto words = drawn_words(room);
  for (const auto& one : *nearest) {
    char number[32];
    std::snprintf(number, sizeof number, "%.3f", one.cosine);
    EXPECT_TRUE(has_word(words, space->tokenizer->display_text(one.token)));
    EXPECT_TRUE(has_word(words, number));
  }
  const auto two = compare_differences(*space, *sum, nearest->front().token);
  char cosine[32];
  std::snprintf(cosine, sizeof cosine, "%.3f", two.cosine);
  EXPECT_TRUE(has_word(words, cosine));
  EXPECT_TRUE(has_word(words, "woman - man"));
}

TEST(EmbeddingsPanel, OpensOnAnAnalogyThatHoldsInTheShownModelOrClaimsNone) {
  for (const char* model : {"course", "stories", "fill-in"}) {
    SCOPED_TRACE(model);
    Room room(model_document(model, "the king has a son"), on_embeddings());
    room.settle();
    const views::Context context = room.shell->context(room.window.as_frame());
    const views::word_vectors::SharedSpace shared = views::word_vectors::space_of(context, nullptr);
    ASSERT_TRUE(shared.space);
    const views::word_vectors::AskedSum asked = views::word_vectors::asked_sum(context, shared);
    ASSERT_TRUE(asked.found);
    const auto sum = embedding_sum(*shared.space, asked.text);
    ASSERT_TRUE(sum.ok());
    const auto nearest = nearest_tokens(*shared.space, sum->vector, 1, tokens_of(*sum), {});
    std::string answer;
    for (const Analogy& one : known_analogies())
      if (one.sum == asked.text) answer = one.answer;
    EXPECT_EQ(word_of(*shared.space, nearest->front().token), answer) << asked.text;
    const auto words = drawn_words(room);
    EXPECT_TRUE(has_word(words, "holds here"));
    EXPECT_TRUE(has_word(words, "Nearest to " + asked.text) || room.has("embeddings:nearest"));
    // A sum of one's own is asked as it is.
    room.shell->view().own.of<views::word_vectors::State>().sum = "king";
    room.settle();
    EXPECT_FALSE(has_word(drawn_words(room), "holds here"));
  }
  Document pair = model_document("english-french", "the old man", "le vieil homme");
  Room none(pair, on_embeddings());
  none.settle();
  EXPECT_TRUE(none.has("embeddings:no analogy"));
  EXPECT_FALSE(none.has("embeddings:nearest"));
}

TEST(EmbeddingsPanel, AClickInAListAsksForThatWordAndAChipChoosesTheToken) {
  Room room(model_document("course", "the king has an aunt"), on_embeddings());
  const auto list = room.part("embeddings:nearest");
  room.click(list.x0 + 60, list.y0 + 36);  // the first row
  room.settle();
  EXPECT_EQ(room.shell->view().own.of<views::word_vectors::State>().sum, "woman");
  EXPECT_FALSE(room.has("embeddings:differences")) << "one word has no differences";
  room.click_part("chip:1");
  EXPECT_EQ(room.shell->view().own.of<views::word_vectors::State>().token, 1);
  room.settle();
  EXPECT_TRUE(has_word(drawn_words(room), "Nearest to king"));
}

TEST(EmbeddingsPanel, WrongSumsAreSaidAndNothingIsLost) {
  ViewState view = on_embeddings();
  view.own.of<views::word_vectors::State>().sum = "aunt - ";
  Room room(model_document("course", "the king"), view);
  EXPECT_EQ(room.window.errors(), 0);
  EXPECT_TRUE(has_word(drawn_words(room), "a sign stands at the end"));
  room.shell->view().own.of<views::word_vectors::State>().sum = "king";
  room.settle();
  EXPECT_TRUE(room.has("embeddings:nearest"));
}

TEST(EmbeddingsPanel, ARandomTableSaysSo) {
  Room room(test::small_document(), on_embeddings());
  EXPECT_EQ(room.window.errors(), 0);
  EXPECT_TRUE(room.has("embeddings:nearest"));
  EXPECT_TRUE(has_word(drawn_words(room), "random"));
  EXPECT_TRUE(has_word(drawn_words(room), "aunt is 4 tokens")) << "the sandbox reads characters";
}

TEST(EmbeddingsPanel, AOneHotVectorTimesTheTableIsTheTokensRow) {
  ViewState view = on_embeddings();
  view.own.of<views::word_vectors::State>().page = "one-hot";
  view.own.of<views::word_vectors::State>().token = 1;
  Room room(model_document("course", "the king has an aunt"), view);
  EXPECT_EQ(room.window.errors(), 0);
  ASSERT_TRUE(room.has("embeddings:one-hot"));
  const auto space = embedding_space(*room.shell->published().trace, false, {});
  ASSERT_TRUE(space.ok());
  const std::int32_t king = room.shell->published().trace->texts()[0].tokens[1].id;
  auto words = drawn_words(room);
  // Written in the table and in the product below it.
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_GE(std::count(words.begin(), words.end(), figures::cell_number(row_of_token(*space, king)[c])), 2) << c;
  EXPECT_GE(std::count(words.begin(), words.end(), "0"), 3);
  EXPECT_TRUE(has_word(words, "= 1 × row " + std::to_string(king)));
  room.click_part("chip:4");
  EXPECT_EQ(room.shell->view().own.of<views::word_vectors::State>().token, 4);
  room.settle();
  const std::int32_t aunt = room.shell->published().trace->texts()[0].tokens[4].id;
  words = drawn_words(room);
  EXPECT_TRUE(has_word(words, "= 1 × row " + std::to_string(aunt)));
}

TEST(EmbeddingsPanel, TheTargetsWordsHaveATableOfTheirOwn) {
  ViewState view = on_embeddings();
  view.own.of<views::word_vectors::State>().target = true;
  view.own.of<views::word_vectors::State>().sum = "homme";
  Room room(model_document("english-french", "the old man", "le vieil homme"), view);
  EXPECT_EQ(room.window.errors(), 0);
  ASSERT_TRUE(room.has("embeddings:side"));
  EXPECT_TRUE(room.has("embeddings:nearest"));
  EXPECT_TRUE(has_word(drawn_words(room), "Nearest to ·homme"));
}

}  // namespace
}  // namespace headlight
