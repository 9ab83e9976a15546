// The pages of the Tokens view: side by side, measured, one word, languages, training.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/views/tokens/data.h"
#include "app/window/shell/shell.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
using views::tokens::PointedToken;
using views::tokens::State;

ViewState tokens_page(const std::string& picture) {
  ViewState view;
  view.tab = "tokens";
  view.own.of<State>().picture = picture;
  return view;
}
Document tokens_sentence(const std::string& text = "An unbelievably fluffy creature") {
  Document document = test::small_document("bpe");
  document.texts = {text};
  return document;
}
std::vector<gl::DrawnText> tokens_words(Room& room) {
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  return texts;
}
bool says_words(Room& room, const std::string& words) {
  const auto texts = tokens_words(room);
  return std::ranges::any_of(texts, [&](const gl::DrawnText& text) { return text.text.find(words) != std::string::npos; });
}

// A unigram tokenizer of a few pieces, as a file.
class UnigramFile : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::temp_directory_path() / ("headlight_unigram-" + std::to_string(::getpid()) + ".json");
    std::ofstream(file_) << R"({"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["▁",-3],["a",-1],["b",-2],["aa",-2.5],
        ["ab",-2.75],["▁a",-2]]},"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"},
        "decoder":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"}})";
  }
  void TearDown() override { std::filesystem::remove(file_); }
  std::filesystem::path file_;
};

TEST(TokensPages, EachShowsItsPicture) {
  const std::pair<const char*, const char*> pages[] = {{"rows", "tokens:rows"},
                                                       {"measured", "tokens:measured"},
                                                       {"word", "tokens:joins"},
                                                       {"languages", "tokens:languages"},
                                                       {"training", "tokens:film"}};
  for (const auto& [picture, part] : pages) {
    Room room(tokens_sentence(), tokens_page(picture));
    EXPECT_TRUE(room.has(part)) << picture;
    EXPECT_TRUE(room.has("tokens:pages")) << picture;
    EXPECT_EQ(room.window.errors(), 0) << picture;
  }
}

TEST(TokensPages, PointingAtATokenWritesItOutAndAClickPinsIt) {
  Room room(tokens_sentence(), tokens_page("rows"));
  ASSERT_TRUE(room.has("tokens:story"));
  auto& pointed = room.shell->transient.of<PointedToken>();
  const auto rows = room.part("tokens:rows");
  const auto at =
      room.search({rows.x0 + 160, rows.y0 + 40, rows.x1 - 240, rows.y1 - 60}, 14, 10, [&] { return pointed.row == 2; });
  ASSERT_GE(at.x, 0) << "no token of the third row was found";
  EXPECT_TRUE(says_words(room, "how it came to be"));
  EXPECT_GE(room.shell->hover.now.byte_start, 0) << "the chips above light up, too";
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->view().own.of<State>().pinned, "bpe");
  const std::int64_t start = room.shell->view().own.of<State>().pinned_start;
  EXPECT_GE(start, 0);
  room.click(at.x, at.y);
  EXPECT_TRUE(room.shell->view().own.of<State>().pinned.empty()) << "a second click lets it go";
}

TEST(TokensPages, TheStagesSayWhatWasChangedAndThrownAway) {
  Room room(tokens_sentence("A Fluffy naïve"), tokens_page("rows"));
  EXPECT_TRUE(says_words(room, "Before the model"));
  EXPECT_TRUE(says_words(room, "parts"));
  EXPECT_TRUE(says_words(room, "hatched is thrown away"));
}

TEST_F(UnigramFile, ATokenizersFileBecomesARow) {
  ViewState view = tokens_page("rows");
  view.own.of<State>().rows = {"bpe", file_.string(), "/nowhere/at/all.json"};
  Room room(tokens_sentence("aab aa"), view);
  EXPECT_TRUE(says_words(room, "headlight_unigram"));
  EXPECT_TRUE(says_words(room, "not opened")) << "what cannot be opened is said, and the others stay";
  EXPECT_EQ(room.window.errors(), 0);
}

TEST_F(UnigramFile, AClickForbidsAPieceAndAnotherChoosesAPath) {
  ViewState view = tokens_page("word");
  view.own.of<State>().rows = {file_.string(), "wordpiece", "bpe"};
  view.own.of<State>().word = "aab";
  Room room(tokens_sentence("aab aa"), view);
  ASSERT_TRUE(room.has("tokens:lattice"));
  ASSERT_TRUE(room.has("tokens:tries"));
  ASSERT_TRUE(room.has("tokens:joins"));
  State& tokens = room.shell->view().own.of<State>();
  const auto lattice = room.part("tokens:lattice");
  figures::Point hit{-1, -1};
  for (float y = lattice.y0 + 10; y < lattice.y1 && hit.x < 0; y += 16)
    for (float x = lattice.x0 + 20; x < lattice.x1 && hit.x < 0; x += 40) {
      room.click(x, y);
      if (!tokens.forbidden.empty()) hit = {x, y};
    }
  ASSERT_GE(hit.x, 0);
  room.settle();
  room.click_part("tokens:paths", 0.3f, 0.8f);
  EXPECT_GT(tokens.path, 0);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(TokensPages, ALanguageIsChosenAndTheLegendSorts) {
  Room room(tokens_sentence(), tokens_page("languages"));
  ASSERT_TRUE(room.has("tokens:languages"));
  State& tokens = room.shell->view().own.of<State>();
  room.click_part("tokens:languages", 0.3f, 0.6f);
  EXPECT_FALSE(tokens.language.empty());
  room.settle();
  EXPECT_TRUE(says_words(room, tokens.language));
  const auto plot = room.part("tokens:languages");
  room.click(plot.x0 + 20, plot.y0 + 14);
  EXPECT_EQ(tokens.sorted_by, "characters") << "the first name of the legend";
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(TokensPages, ATableOfOnesOwnIsCounted) {
  const auto file = std::filesystem::temp_directory_path() / ("headlight_table-" + std::to_string(::getpid()) + ".tsv");
  std::ofstream(file) << "English\tthe dog sleeps\nKlingon\ttaH pagh taHbe\n";
  ViewState view = tokens_page("languages");
  view.own.of<State>().table = file.string();
  {
    Room room(tokens_sentence(), view);
    EXPECT_TRUE(says_words(room, "Klingon"));
    room.shell->view().own.of<State>().table = file.string() + ".none";
    room.settle();
    EXPECT_FALSE(says_words(room, "Klingon"));
    EXPECT_EQ(room.window.errors(), 0);
  }
  std::filesystem::remove(file);
}

TEST(TokensPages, TheMeasuredPageTakesTheSampleCorpus) {
  ViewState view = tokens_page("measured");
  view.own.of<State>().measured_on = "sample";
  Room room(tokens_sentence(), view);
  ASSERT_TRUE(room.has("tokens:measured"));
  EXPECT_TRUE(says_words(room, "10,504 bytes"));
}

TEST(TokensPages, TheirStateIsSaved) {
  ViewState view = tokens_page("word");
  view.own.of<State>().rows = {"bpe", "/a/b.json"};
  view.own.of<State>().forbidden = {3, 7};
  view.own.of<State>().language = "Khmer";
  const auto again = view_state_from_json(to_json(view), "test");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->own.of<State>(), view.own.of<State>());
}

}  // namespace
}  // namespace headlight
