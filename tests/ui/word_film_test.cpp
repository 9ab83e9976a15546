// Word vectors that are learnt in the Embeddings view: prepared, trained, paused, looked into, saved; what is refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "app/files/configuration.h"
#include "app/session/word_film.h"
#include "app/views/embeddings/state.h"
#include "engine/insight/embedding_space.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

// A home of its own, with a small text.
class WordFilmPage : public testing::Test {
 protected:
  WordFilmPage() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("headlight-" + std::to_string(::getpid()) + "-words-" + std::string(test->name()));
    std::filesystem::create_directories(folder_);
    if (const char* before = std::getenv("HEADLIGHT_CONFIG_DIR")) before_ = before;
    ::setenv("HEADLIGHT_CONFIG_DIR", folder_.c_str(), 1);
    std::ofstream text(folder_ / "worlds.txt");
    for (int i = 0; i < 100; ++i)
      text << "he is the king of the palace\nshe is the queen of the palace\nhe is the man of the field\n"
              "she is the woman of the field\n";
  }
  ~WordFilmPage() override {
    if (before_.empty())
      ::unsetenv("HEADLIGHT_CONFIG_DIR");
    else
      ::setenv("HEADLIGHT_CONFIG_DIR", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  ViewState view_of(std::int64_t epochs) const {
    ViewState view;
    view.tab = "embeddings";
    view.own.of<views::word_vectors::State>().page = "learn";
    view.own.of<views::word_vectors::State>().text = "file";
    view.own.of<views::word_vectors::State>().path = (folder_ / "worlds.txt").string();
    view.own.of<views::word_vectors::State>().shown_words = "king queen man woman";
    view.own.of<views::word_vectors::State>().sum = "king - man + woman";
    view.own.of<views::word_vectors::State>().width = 8;
    view.own.of<views::word_vectors::State>().epochs = epochs;
    return view;
  }
  // Draws frames until something is so; false: it was not within 20 seconds.
  template <class Is>
  static bool until(Room& room, Is is) {
    for (int i = 0; i < 2000; ++i) {
      room.window.frame(*room.shell);
      if (is()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  static std::shared_ptr<const WordFilmState> state(Room& room) { return room.shell->job_of<WordFilm>("embeddings").state(); }
  static bool prepared(Room& room) {
    return until(room, [&] { return state(room)->checkpoints.size() == 1 && !state(room)->preparing; });
  }

  std::filesystem::path folder_;
  std::string before_;
};

TEST_F(WordFilmPage, AFilmIsTrainedLookedIntoAndSaved) {
  Room room(test::small_document(), view_of(5));
  ASSERT_TRUE(prepared(room));
  EXPECT_TRUE(until(room, [&] { return room.has("embeddings:learnt-nearest"); })) << "random vectors are shown at once";
  for (const char* part : {"embeddings:plane", "embeddings:kind", "embeddings:play", "embeddings:word"})
    EXPECT_TRUE(room.has(part)) << part;
  EXPECT_FALSE(room.has("embeddings:save")) << "there is nothing learnt yet";
  room.click_part("embeddings:play");
  ASSERT_TRUE(until(room, [&] { return state(room)->finished; }));
  room.settle();
  const auto now = state(room);
  ASSERT_EQ(now->checkpoints.size(), static_cast<std::size_t>(kWordCheckpoints));
  EXPECT_EQ(now->checkpoints.back()->done, now->total);
  EXPECT_LT(now->checkpoints.back()->loss, now->checkpoints[1]->loss);
  for (const char* part : {"embeddings:slider", "embeddings:losses", "embeddings:learnt-nearest", "embeddings:learnt-answer"})
    EXPECT_TRUE(room.has(part)) << part;

  room.click_part("embeddings:slider", 0.01f);
  EXPECT_EQ(room.shell->view().own.of<views::word_vectors::State>().step, 0);
  room.click_part("embeddings:slider", 0.5f);
  const std::int64_t step = room.shell->view().own.of<views::word_vectors::State>().step;
  EXPECT_NEAR(static_cast<double>(step), 20, 2);
  room.settle();
  // A click on a word of the plane lists what is nearest to it.
  const auto plane = room.part("embeddings:plane");
  const std::string before = room.shell->view().own.of<views::word_vectors::State>().word;
  for (float y = plane.y0 + 20; y < plane.y1 && room.shell->view().own.of<views::word_vectors::State>().word == before; y += 18)
    for (float x = plane.x0 + 20; x < plane.x1 && room.shell->view().own.of<views::word_vectors::State>().word == before; x += 24)
      room.click(x, y);
  EXPECT_FALSE(room.shell->view().own.of<views::word_vectors::State>().word.empty());
  room.click_part("embeddings:save");
  ASSERT_TRUE(until(room, [&] { return room.shell->job_of<WordFilm>("embeddings").saved().number == 1; }));
  const auto saved = room.shell->job_of<WordFilm>("embeddings").saved();
  ASSERT_EQ(saved.error, nullptr) << saved.error->sentence();
  EXPECT_EQ(saved.folder, word_vectors_path() / ("skipgram-8-" + std::to_string(step)));
  const auto read = embedding_space(saved.folder);
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  const Tensor& kept = now->checkpoints[static_cast<std::size_t>(step)]->space->table;
  ASSERT_EQ(read->table.dim(0), kept.dim(0));
  for (std::int64_t i = 0; i < kept.dim(0); ++i) EXPECT_EQ(read->table.at({i, 3}), kept.at({i, 3}));
  EXPECT_FALSE(std::filesystem::exists(saved.folder.string() + ".part"));
  room.window.frames(*room.shell, 2);
  room.click_part("embeddings:save");
  ASSERT_TRUE(until(room, [&] { return room.shell->job_of<WordFilm>("embeddings").saved().number == 2; }));
  EXPECT_NE(room.shell->job_of<WordFilm>("embeddings").saved().error, nullptr) << "what is there is not overwritten";
}

TEST_F(WordFilmPage, ThePageOpensOnWordsThatLearn) {
  ViewState view = view_of(1);
  view.own.of<views::word_vectors::State>().text = "course";
  Room room(test::small_document(), view);
  ASSERT_TRUE(until(room, [&] { return state(room)->finished; })) << "nothing was pressed";
  EXPECT_EQ(state(room)->checkpoints.size(), static_cast<std::size_t>(kWordCheckpoints));
  EXPECT_LT(state(room)->checkpoints.back()->loss, state(room)->checkpoints[1]->loss);
}

TEST_F(WordFilmPage, ItWaitsWhilePausedAndGoesOnToTheSameVectors) {
  Room room(test::small_document(), view_of(300));
  ASSERT_TRUE(prepared(room));
  room.click_part("embeddings:play");
  ASSERT_TRUE(until(room, [&] { return state(room)->checkpoints.size() >= 2; }));
  room.click_part("embeddings:play");
  ASSERT_TRUE(until(room, [&] { return !state(room)->playing; }));
  ASSERT_FALSE(state(room)->finished);
  const std::int64_t done = state(room)->done;
  room.window.frames(*room.shell, 5);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(state(room)->done, done);
  room.click_part("embeddings:save");
  ASSERT_TRUE(until(room, [&] { return room.shell->job_of<WordFilm>("embeddings").saved().number == 1; }))
      << "it saves while it is paused";
  EXPECT_EQ(room.shell->job_of<WordFilm>("embeddings").saved().error, nullptr);
  // Other settings are another training; the first one is given up.
  room.shell->view().own.of<views::word_vectors::State>().epochs = 5;
  room.shell->view().own.of<views::word_vectors::State>().kind = "cbow";
  room.window.frames(*room.shell, 2);
  room.click_part("embeddings:play");
  ASSERT_TRUE(until(room, [&] { return state(room)->finished; }));
  EXPECT_TRUE(state(room)->settings.bag);
  const auto whole = train_word_film(state(room)->settings, {});
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->checkpoints.back()->space->table.at({3, 3}), state(room)->checkpoints.back()->space->table.at({3, 3}));
}

TEST_F(WordFilmPage, WhatCannotBeLearntIsSaid) {
  ViewState view = view_of(5);
  view.own.of<views::word_vectors::State>().path = (folder_ / "missing.txt").string();
  Room room(test::small_document(), view);
  ASSERT_TRUE(until(room, [&] { return state(room)->error != nullptr; }));
  EXPECT_NE(state(room)->error->sentence().find("missing.txt"), std::string::npos);
  EXPECT_EQ(room.window.errors(), 0);
  std::ofstream(folder_ / "one.txt") << "word word word word";
  room.shell->view().own.of<views::word_vectors::State>().path = (folder_ / "one.txt").string();
  ASSERT_TRUE(until(room, [&] { return state(room)->error && state(room)->settings.path.ends_with("one.txt"); }));
  EXPECT_NE(state(room)->error->sentence().find("fewer than two words"), std::string::npos);
  room.shell->view().own.of<views::word_vectors::State>().path = (folder_ / "worlds.txt").string();
  ASSERT_TRUE(prepared(room)) << "it recovers";
  EXPECT_EQ(state(room)->error, nullptr);
}

}  // namespace
}  // namespace headlight
