// The Train view: a training that plays, pauses, is looked into, saved as a model and opened again; edits come first.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "app/figures/charts/loss_chart.h"
#include "app/files/configuration.h"
#include "app/session/live_trainer.h"
#include "app/views/base/view.h"
#include "app/views/train/state.h"
#include "engine/core/files.h"
#include "engine/document/stored_model.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
using views::training::State;

State& own(Room& room) { return room.shell->view().own.of<State>(); }

// A home of its own, in which models are saved.
class TrainView : public testing::Test {
 protected:
  TrainView() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("headlight-" + std::to_string(::getpid()) + "-train-" + std::string(test->name()));
    std::filesystem::create_directories(folder_);
    if (const char* before = std::getenv("HEADLIGHT_CONFIG_DIR")) before_ = before;
    ::setenv("HEADLIGHT_CONFIG_DIR", folder_.c_str(), 1);
  }
  ~TrainView() override {
    if (before_.empty())
      ::unsetenv("HEADLIGHT_CONFIG_DIR");
    else
      ::setenv("HEADLIGHT_CONFIG_DIR", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  static ViewState view_of(const std::string& task = "induction") {
    ViewState view;
    view.tab = "train";
    view.own.of<State>().task = task;
    view.own.of<State>().heads = 2;
    view.own.of<State>().width = 16;
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
  static std::shared_ptr<const LiveState> state(Room& room) { return room.shell->job_of<LiveTrainer>("train").state(); }
  static bool trained(Room& room, std::int64_t steps) {
    return until(room, [&] {
      const auto now = state(room);
      return !now->runs.empty() && now->runs.front().step >= steps;
    });
  }
  static void pause(Room& room) {
    room.click_part("train:play");
    EXPECT_TRUE(until(room, [&] { return !state(room)->playing; }));
    room.window.frames(*room.shell, 3);
  }

  std::filesystem::path folder_;
  std::string before_;
};

TEST_F(TrainView, InductionIsTrainedLookedIntoSavedAndOpenedAgain) {
  Room room(test::small_document(), view_of());
  EXPECT_FALSE(room.has("train:curves"));
  room.click_part("train:play");
  ASSERT_TRUE(trained(room, 45));
  pause(room);
  const auto now = state(room);
  const LiveRun& run = now->runs.front();
  for (const char* part : {"train:curves", "train:film", "train:heads", "train:answers", "train:slider"})
    EXPECT_TRUE(room.has(part)) << part;
  ASSERT_GE(run.checkpoints.size(), 3u);
  EXPECT_EQ(run.checkpoints.front()->step, 0);
  EXPECT_EQ(run.checkpoints[1]->step, 20);
  EXPECT_FALSE(run.typed) << "it knows syllables, not the sentence";
  EXPECT_LT(run.points.back().held_out, run.points.front().held_out);
  const std::int64_t before = run.step;
  room.click_part("train:step");
  EXPECT_TRUE(until(room, [&] { return state(room)->runs.front().step == before + 1; }));

  room.click_part("train:slider", 0.01f);
  EXPECT_EQ(own(room).step, 0);
  own(room).step = 20;
  own(room).name = "mine";
  room.window.frames(*room.shell, 2);
  room.click_part("train:save");
  ASSERT_TRUE(until(room, [&] { return room.shell->job_of<LiveTrainer>("train").saved().number == 1; }));
  room.window.frames(*room.shell, 2);
  EXPECT_EQ(room.shell->job_of<LiveTrainer>("train").saved().error, nullptr);
  EXPECT_EQ(models_path(), folder_ / "models");
  const auto stored = open_stored_model((models_path() / "mine").string());
  ASSERT_TRUE(stored.ok()) << stored.error().sentence();
  EXPECT_EQ((*stored)->document.d_model, 16);

  own(room).name = "mine";
  room.window.frames(*room.shell, 2);
  room.click_part("train:save");
  ASSERT_TRUE(until(room, [&] { return room.shell->job_of<LiveTrainer>("train").saved().number == 2; }));
  EXPECT_NE(room.shell->job_of<LiveTrainer>("train").saved().error, nullptr) << "what is there is not overwritten";

  own(room).name = "again";
  room.window.frames(*room.shell, 2);
  room.click_part("train:open");
  ASSERT_TRUE(until(room, [&] { return room.shell->view().tab == "heads"; }));
  room.settle();
  EXPECT_EQ(room.shell->document().model, (models_path() / "again").string());
  const auto trace = room.shell->published().trace;
  ASSERT_TRUE(trace && trace->document().model == room.shell->document().model);
  // The trace of the stored model has the map that the view showed, rounded as float16 rounds the weights.
  const Tensor weights = *trace->values("layer.1.weights", {});
  const LiveCheckpoint& shown = *run.checkpoints[1];
  const auto n = static_cast<std::int64_t>(run.ids.size());
  ASSERT_EQ(weights.dim(2), n);
  const Tensor all = weights.as(DType::f32).compact();
  for (std::int64_t i = 0; i < n * n; ++i)
    ASSERT_NEAR(all.data<float>()[n * n + i], shown.maps[3].data<float>()[i], 0.01) << "layer 1, head 1, cell " << i;
}

TEST_F(TrainView, BeforeTheFirstStepTheTasksOwnRowsAndTheUntrainedHeadsAreShown) {
  Room room(test::small_document(), view_of("sort"));
  ASSERT_TRUE(until(room, [&] { return state(room)->untrained() && room.has("train:examples"); }));
  EXPECT_EQ(state(room)->settings.task, "sort");
  EXPECT_EQ(state(room)->runs.front().step, 0);
  EXPECT_TRUE(room.has("train:heads"));
  EXPECT_FALSE(room.has("train:save")) << "there is nothing to keep";
  std::vector<gl::DrawnText> drawn;
  room.window.figures().watch_text(&drawn);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  const auto says = [&](const std::string& words) {
    return std::any_of(drawn.begin(), drawn.end(), [&](const auto& one) { return one.text.find(words) != std::string::npos; });
  };
  char loss[32];
  std::snprintf(loss, sizeof loss, "%.2f", state(room)->runs.front().checkpoints.front()->held_out);
  EXPECT_TRUE(says(loss)) << "the loss that it begins with";
  // The first row's symbols are those of the data, in order.
  const LiveRun& run = state(room)->runs.front();
  const train::Batch batch = run.data->held_out(0);
  const auto first = std::find_if(drawn.begin(), drawn.end(), [&](const auto& one) {
    return one.text == run.data->tokenizer()->display_text(batch.ids.data<std::int32_t>()[0]);
  });
  ASSERT_NE(first, drawn.end());
  for (std::int64_t i = 0; i < batch.lengths.front(); ++i)
    EXPECT_EQ((first + i)->text, run.data->tokenizer()->display_text(batch.ids.data<std::int32_t>()[i])) << i;

  own(room).task = "reverse";  // another task: prepared by itself
  ASSERT_TRUE(until(room, [&] { return state(room)->untrained() && state(room)->settings.task == "reverse"; }));
  room.click_part("train:play");
  ASSERT_TRUE(trained(room, 2)) << "what was prepared begins";
  room.window.frames(*room.shell, 2);
  EXPECT_TRUE(room.has("train:curves"));
  const auto chart = room.part("train:curves"), slider = room.part("train:slider");
  EXPECT_NEAR(slider.x0 + 7, chart.x0 + figures::kLossLeft, 2) << "chart and slider have one time axis";
  EXPECT_NEAR(slider.x1 - 7, chart.x1 - figures::kLossRight, 2);
  own(room).task = "copy";  // what runs goes on until something else is asked for
  room.window.frames(*room.shell, 3);
  EXPECT_EQ(state(room)->settings.task, "reverse");
}

TEST_F(TrainView, TwoRunsLearnBesideEachOther) {
  ViewState view = view_of();
  view.own.of<State>().compare = "layers";
  Room room(test::small_document(), view);
  room.click_part("train:play");
  ASSERT_TRUE(trained(room, 20));
  pause(room);
  const auto now = state(room);
  ASSERT_EQ(now->runs.size(), 2u);
  EXPECT_EQ(now->runs[0].config.model.layers, 2);
  EXPECT_EQ(now->runs[1].config.model.layers, 1);
  ASSERT_EQ(now->runs[0].points.size(), now->runs[1].points.size());
  for (std::size_t i = 0; i < now->runs[0].points.size(); ++i)
    EXPECT_EQ(now->runs[0].points[i].step, now->runs[1].points[i].step);
  ASSERT_TRUE(room.has("train:run"));
  room.click_part("train:run", 0.9f);
  EXPECT_EQ(own(room).run, 1);
  room.window.frames(*room.shell, 2);
  EXPECT_TRUE(room.has("train:heads"));
}

TEST_F(TrainView, EditsComeFirstAndTheTypedSentenceIsLookedAtWhereItIsKnown) {
  Room room(test::small_document(), view_of("hello"));
  room.click_part("train:play");
  ASSERT_TRUE(trained(room, 5));
  for (int i = 0; i < 10; ++i) {
    Document document = room.shell->document();
    document.texts[0] = i < 9 ? "h e l" + std::string(static_cast<std::size_t>(i), 'l') : "h e l l o h e l";
    room.shell->edit(document);
    room.window.frame(*room.shell);
    room.shell->worker().wait();
    room.window.frame(*room.shell);
    ASSERT_EQ(room.shell->published().trace->document().texts[0], document.texts[0]);
  }
  // The first sentence may have been looked at too; the last one has eight letters.
  ASSERT_TRUE(until(room, [&] { return state(room)->runs.front().typed && state(room)->runs.front().ids.size() == 8; }));
  for (const auto& kept : state(room)->runs.front().checkpoints) EXPECT_EQ(kept->maps.front().dim(0), 8);
  ASSERT_TRUE(trained(room, state(room)->runs.front().step + 5)) << "it goes on";
  EXPECT_EQ(state(room)->error, nullptr);
}

TEST_F(TrainView, ATextThatIsTooShortOrMissingIsSaid) {
  ASSERT_TRUE(write_file(folder_ / "short.txt", "too short\nfor that\n").ok());
  for (const char* name : {"short.txt", "missing.txt"}) {
    ViewState view = view_of("text");
    view.own.of<State>().path = (folder_ / name).string();
    Room room(test::small_document(), view);
    room.click_part("train:play");
    ASSERT_TRUE(until(room, [&] { return state(room)->error != nullptr; })) << name;
    EXPECT_FALSE(state(room)->error->mend.empty());
    room.window.frames(*room.shell, 2);
    EXPECT_FALSE(room.has("train:curves"));
    own(room).task = "copy";
    room.window.frames(*room.shell, 2);
    room.click_part("train:play");
    EXPECT_TRUE(trained(room, 2)) << "another training begins";
  }
}

TEST_F(TrainView, ExportsItsPictureWithItsNumbers) {
  Room room(test::small_document(), view_of("sort"));
  const auto* entry = views::registry().find("train");
  ASSERT_NE(entry, nullptr);
  const auto figure = [&] { return views::figure_of_view(room.shell->context(room.window.as_frame()), *entry, 1000, 800); };
  ASSERT_TRUE(until(room, [&] { return state(room)->untrained(); }));
  EXPECT_FALSE(figure().items.empty()) << "the rows, and the heads before they learn";
  room.click_part("train:play");
  ASSERT_TRUE(trained(room, 5));
  pause(room);
  const auto made = figure();
  EXPECT_FALSE(made.items.empty());
  ASSERT_GE(made.data.size(), 3u);
  EXPECT_EQ(made.data[0].values.dim(1), static_cast<std::int64_t>(state(room)->runs[0].points.size()));
}

}  // namespace
}  // namespace headlight
