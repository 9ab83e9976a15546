// The Patches view: its pages, what is pointed at and chosen, settings that are taken back, and pictures that cannot be read.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/views/patches/parts.h"
#include "app/window/shell/opening.h"
#include "engine/core/files.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
using views::vision::Held;
using views::vision::Seen;
using views::vision::State;
namespace fs = std::filesystem;

ViewState patches_view_of(const char* page) {
  ViewState view;
  view.tab = "patches";
  view.own.of<State>().page = page;
  return view;
}

struct Patches : testing::Test {
  void open(const char* page) {
    room.reset();  // one window at a time
    room = std::make_unique<Room>(test::small_document("words"), patches_view_of(page));
    room->settle();
  }
  void TearDown() override {
    if (room) {
      EXPECT_EQ(room->window.errors(), 0);
    }
  }
  Seen seen() {
    const views::Context context = room->shell->context(room->window.as_frame());
    return views::vision::seen_of(context, true);
  }
  State& view() { return room->shell->view().own.of<State>(); }
  fs::path file(const char* name, const std::string& bytes) {
    const fs::path path = fs::path(testing::TempDir()) / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string lake() { return *read_file(*assets_folder() / "pictures" / "lake.png", 1 << 20); }
  std::unique_ptr<Room> room;
};

TEST_F(Patches, EveryPageHasThePictureAndItsOwnPictures) {
  for (const auto& [page, part] : {std::pair{"token", "patches:token"},
                                   {"positions", "patches:code"},
                                   {"attention", "patches:map"},
                                   {"caption", "patches:tiles"}}) {
    open(page);
    EXPECT_TRUE(room->has("patches:picture")) << page;
    EXPECT_TRUE(room->has("patches:lines")) << page;
    EXPECT_TRUE(room->has(part)) << page;
    EXPECT_FALSE(room->has("patches:error")) << page;
  }
}

TEST_F(Patches, AClickMakesAPatchTheQueryAndPointingTellsItsNumber) {
  open("attention");
  EXPECT_EQ(view().patch, -1);
  const auto& held = room->shell->transient.of<Held>();
  const auto at = room->search(
      "patches:picture", [&] { return held.hot >= 0; }, 24);
  ASSERT_GE(at.x, 0);
  const std::int64_t hot = held.hot;
  room->press(true);
  room->press(false);
  EXPECT_EQ(view().patch, hot);
  const Seen now = seen();
  EXPECT_EQ(now.query, hot);
  const auto lines = views::vision::weight_lines(now, 0);
  ASSERT_EQ(lines.size(), 3u);
  char weight[32];
  std::snprintf(weight, sizeof weight, "%.4f", now.attention().weights.at({0, hot, 0}));
  EXPECT_NE(lines[0].find(weight), std::string::npos) << lines[0];
  EXPECT_NE(lines[2].find(weight), std::string::npos) << lines[2];
}

TEST_F(Patches, TheMapPinsQueryAndKeyAndTheTilesChooseAHead) {
  open("attention");
  room->click_part("patches:map", 0.5f, 0.4f);
  EXPECT_GE(view().patch, 0);
  EXPECT_GE(view().key, 0);
  room->click_part("patches:map", 0.5f, 0.4f);
  EXPECT_EQ(view().key, -1);
  room->click_part("patches:tiles", 0.9f, 0.5f);
  EXPECT_EQ(view().head, 3);
  EXPECT_EQ(seen().head, 3);
}

TEST_F(Patches, SettingsAreTakenBackAndMadeAgain) {
  open("attention");
  const std::uint64_t before = seen().shown->key;
  room->click_part("patches:side", 0.95f, 0.5f);
  room->settle();
  EXPECT_EQ(view().side, 20);
  EXPECT_NE(seen().shown->key, before);
  room->shell->undo();
  room->settle();
  EXPECT_EQ(view().side, 16);
  EXPECT_EQ(seen().shown->key, before);
  room->shell->redo();
  EXPECT_EQ(view().side, 20);
}

TEST_F(Patches, WhatIsNotComputedYetShowsTheLastNumbersPale) {
  open("attention");
  const std::uint64_t before = seen().shown->key;
  const auto& held = room->shell->transient.of<Held>();
  view().side = 20;  // computed in the background
  room->window.frame(*room->shell);
  EXPECT_EQ(held.seen.shown->key, before);
  EXPECT_TRUE(room->has("patches:map"));
  room->settle();
  EXPECT_NE(held.seen.shown->key, before);
}

TEST_F(Patches, ALowRoomHasTheHeadsAloneAndANarrowOneThePicture) {
  room = std::make_unique<Room>(test::small_document("words"), patches_view_of("attention"), 1600, 280);
  room->settle();
  EXPECT_TRUE(room->has("patches:tiles"));
  EXPECT_FALSE(room->has("patches:map"));
  open("attention");
  EXPECT_TRUE(room->has("patches:map"));
  room.reset();
  room = std::make_unique<Room>(test::small_document("words"), patches_view_of("attention"), 420, 700);
  room->settle();
  EXPECT_TRUE(room->has("patches:picture"));
  EXPECT_FALSE(room->has("patches:tiles"));
}

TEST_F(Patches, TheSentenceIsTheCaption) {
  open("caption");
  const Seen now = seen();
  ASSERT_TRUE(now.caption);
  EXPECT_EQ(now.caption->words, (std::vector<std::string>{"a", "fluffy", "blue", "creature"}));
  EXPECT_EQ(now.caption->attention.rows, 5);
  EXPECT_EQ(now.caption->attention.columns, 8);
  EXPECT_TRUE(room->has("patches:word-map"));
  room->click_part("patches:tiles", 0.75f, 0.2f);
  EXPECT_EQ(seen().word, 1);
  {
    const auto map = views::vision::word_map_input(room->shell->context(room->window.as_frame()), seen());
    EXPECT_EQ(map.values.shape(), (Shape{4, 40}));
    EXPECT_EQ(map.hot_row, 1);
    for (std::int64_t word = 0; word < 4; ++word) {
      double sum = 0;
      for (std::int64_t region = 0; region < 40; ++region) sum += map.values.at({word, region});
      EXPECT_NEAR(sum, 1, 1e-5) << word;
    }
  }
  view().region = 11;
  room->settle();
  EXPECT_TRUE(room->has("patches:error"));
  EXPECT_TRUE(room->has("patches:picture"));
}

TEST_F(Patches, WhatDoesNotFitIsSaidAndThePictureStays) {
  open("attention");
  view().side = 512;
  room->settle();
  EXPECT_FALSE(seen().shown);
  EXPECT_NE(seen().error.find("512"), std::string::npos) << seen().error;
  EXPECT_TRUE(room->has("patches:error"));
  EXPECT_TRUE(room->has("patches:picture"));
  view().side = 16;
  view().d_model = 8;
  view().heads = 16;
  room->settle();
  EXPECT_TRUE(room->has("patches:error"));
}

TEST_F(Patches, APictureWithoutADocumentIsShownAndAllElseStays) {
  open("attention");
  room->shell->view().tab = "heads";
  const Document before = room->shell->document();
  const fs::path path = file("own.png", lake());
  ASSERT_TRUE(room->shell->open(path).ok());
  EXPECT_EQ(room->shell->view().tab, "patches");
  EXPECT_EQ(view().picture, path.string());
  EXPECT_EQ(room->shell->document(), before);
  room->settle();
  EXPECT_TRUE(seen().shown);
  EXPECT_EQ(seen().name, "own.png");
  room->click_part("patches:bundled");
  EXPECT_EQ(view().picture, "");
  room->shell->undo();
  EXPECT_EQ(view().picture, path.string());
  room->shell->undo();
  EXPECT_EQ(view().picture, "") << "the opened picture is taken back, too";
  // As `headlight open` does it.
  const auto session = window::load_any(path);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->view.own.of<State>().picture, path.string());
}

TEST_F(Patches, BrokenPicturesAreRefusedAndNothingIsLost) {
  open("attention");
  const ViewState before = room->shell->view();
  std::string empty = lake(), huge = empty;
  empty[19] = '\0';  // the width's last two bytes, 256
  empty[18] = '\0';
  huge[18] = '\x4e';  // 20,000
  huge[19] = '\x20';
  for (const auto& [path, words] : {std::pair{file("text.png", "hello"), "no PNG file"},
                                    {file("half.png", lake().substr(0, 200)), "broken"},
                                    {file("empty.png", empty), "no pixels"},
                                    {file("huge.png", huge), "20000"}}) {
    const Status status = room->shell->open(path);
    ASSERT_FALSE(status.ok()) << path;
    EXPECT_NE(status.error().sentence().find(words), std::string::npos) << status.error().sentence();
    EXPECT_EQ(room->shell->view(), before);
  }
  // One that was there, and is gone.
  view().picture = "/nowhere/lake.png";
  room->settle();
  EXPECT_TRUE(room->has("patches:error"));
  EXPECT_TRUE(room->has("patches:bundled"));
}

}  // namespace
}  // namespace headlight
