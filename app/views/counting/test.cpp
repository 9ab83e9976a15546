// The Counting view: presets, sliders, the selected line, and that what is drawn is what is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "app/files/configuration.h"
#include "app/views/counting/data.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/document/stored_model.h"
#include "test_data.h"
#include "tests/ui/configuration_folder.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
using views::counting::State;

ViewState counting() {
  ViewState view;
  view.tab = "counting";
  return view;
}

struct CountingView : testing::Test {
  Room room{test::small_document("words"), counting()};
  State& own() { return room.shell->view().own.of<State>(); }
  views::counting::Counted state() {
    return views::counting::counted(own(), room.shell->document(), room.shell->published().trace.get());
  }
  void SetUp() override { room.settle(); }
  void TearDown() override { EXPECT_EQ(room.window.errors(), 0); }
};

TEST_F(CountingView, OpensOnTheLecturesTable) {
  EXPECT_EQ(state().input.count.total, 175181291520);
  EXPECT_EQ(state().input.count.matrices, 27938);
  for (const char* part : {"counting:table", "counting:bands", "counting:memory", "counting:costs", "counting:d_model"})
    EXPECT_TRUE(room.has(part)) << part;
}

TEST_F(CountingView, ASliderRecountsEverythingAndAPresetTakesItBack) {
  room.click_part("counting:layers", 0.2f, 0.8f);
  room.settle();
  const auto own = state();
  EXPECT_TRUE(own.own);
  EXPECT_LT(own.input.sizes.layers, 96);
  EXPECT_EQ(own.input.count.attention, 4 * 150994944 * own.input.sizes.layers);
  room.click_part("counting:gpt2");
  room.settle();
  EXPECT_FALSE(state().own);
  EXPECT_EQ(state().input.count.total + state().input.count.left_out(), 124439808);
}

TEST_F(CountingView, ALineIsChosenInTheTableAndInTheBands) {
  const auto chosen = [&] { return own().line; };
  EXPECT_EQ(chosen(), "value");
  const auto click = [&](const char* part, float x, float y) {
    room.click_part(part, x, y);
    room.settle();
    return chosen();
  };
  // From the top of the table to its end: every line can be chosen.
  std::vector<std::string> seen;
  for (float y = 0.2f; y < 0.9f; y += 0.03f) {
    const std::string now = click("counting:table", 0.3f, y);
    if (!now.empty() && (seen.empty() || seen.back() != now)) seen.push_back(now);
  }
  EXPECT_EQ(seen.front(), "embedding");
  EXPECT_EQ(seen.back(), "unembedding");
  own().line.clear();
  EXPECT_EQ(click("counting:bands", 0.6f, 0.85f), "down");
}

TEST_F(CountingView, TheDocumentsModelIsAPreset) {
  room.click_part("counting:model");
  room.settle();
  const auto sizes = state().input.sizes;
  EXPECT_EQ(sizes.d_model, room.shell->document().d_model);
  EXPECT_EQ(sizes.layers, 2);
  EXPECT_EQ(own().base, "model");
}

// Names of published models are as long as they like.
TEST(CountingPreset, ALongNameEndsBeforeItsButtonDoes) {
  const test::ConfigurationFolder configuration;
  const std::filesystem::path folder = models_path() / "long",
                              published = std::filesystem::path(HEADLIGHT_TEST_DATA) / "published";
  std::filesystem::create_directories(folder);
  Json config = (*Json::parse(*read_file(published / "llama.json")))["config"];
  config["_name_or_path"] = "someone/a-model-that-was-published-under-a-long-name";
  ASSERT_TRUE(write_file(folder / "config.json", config.dump()).ok());
  std::filesystem::copy_file(published / "llama.safetensors", folder / "model.safetensors");
  std::filesystem::copy_file(published / "tokenizer.json", folder / "tokenizer.json");
  Document document;
  document.texts = {"a mole"};
  ASSERT_TRUE(find_field("model")->set(document, {folder.string()}).ok());
  Room room(document, counting());
  room.settle();
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  const auto button = room.part("counting:model");
  const auto name = std::find_if(texts.begin(), texts.end(), [&](const gl::DrawnText& one) {
    return one.low.y >= button.y0 && one.high.y <= button.y1 && one.text.starts_with("a-m");
  });
  ASSERT_NE(name, texts.end());
  EXPECT_TRUE(name->shortened);
  EXPECT_GE(name->low.x, button.x0);
  EXPECT_LE(name->high.x, button.x1);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST_F(CountingView, SharingTheUnembeddingTakesItAway) {
  const auto before = state().input.count.total;
  room.click_part("counting:unembedding", 0.8f);
  room.settle();
  EXPECT_EQ(before - state().input.count.total, 617558016);
}

TEST_F(CountingView, ThePageOfLengthsDoublesTheCacheFromLineToLine) {
  room.click_part("counting:pages", 0.9f);
  room.settle();
  EXPECT_EQ(own().page, "lengths");
  ASSERT_TRUE(room.has("counting:lengths"));
  EXPECT_FALSE(room.has("counting:table"));
  const auto context = room.shell->context(room.window.as_frame());
  const auto figure = views::counting::counting_lengths(state().input, 800, 0, context.theme, context.measure);
  ASSERT_EQ(figure.data.size(), 1u);
  const Tensor& values = figure.data[0].values;
  for (std::int64_t line = 1; line < 12; ++line) {
    EXPECT_EQ(values.at({line, 1}), 2 * values.at({line - 1, 1}));
    EXPECT_EQ(values.at({line, 2}), 4 * values.at({line - 1, 2}));
  }
  room.click_part("counting:pages", 0.1f);
  room.settle();
  EXPECT_EQ(own().page, "");
}

TEST_F(CountingView, IsSavedInTheSession) {
  own().heads = 12;
  own().base = "bert";
  const auto again = view_state_from_json(to_json(room.shell->view()), "test");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->own.of<State>(), own());
}

}  // namespace
}  // namespace headlight
