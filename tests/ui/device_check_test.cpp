// Two devices side by side under the backend's picker: what is measured, what it says on a machine without a GPU, and that an
// edit ends it.
#include "app/session/device_check.h"

#include <gtest/gtest.h>

#include <deque>

#include "engine/backends/backends.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
using test::small_document;

struct QueuedLane {
  std::deque<BackgroundLane::Job> jobs;
  Derived::Lane lane() {
    return [this](BackgroundLane::Job job) { jobs.push_back(std::move(job)); };
  }
  void run() {
    const BackgroundLane::Job job = std::move(jobs.front());
    jobs.pop_front();
    job({});
  }
};

TEST(DeviceCheck, MeasuresBothAndComparesEveryStep) {
  QueuedLane queue;
  int woken = 0;
  DeviceCheck check(
      queue.lane(), [&] { ++woken; }, [] { return std::uint64_t{1}; });
  EXPECT_FALSE(check.snapshot().running);
  check.start(small_document(), {"cpu", "reference"});
  EXPECT_TRUE(check.snapshot().running);
  queue.run();
  const DeviceCheck::Snapshot now = check.snapshot();
  EXPECT_FALSE(now.running);
  ASSERT_TRUE(now.result) << (now.error ? now.error->sentence() : "");
  EXPECT_GT(woken, 10) << "each run is told of";
  EXPECT_EQ(now.result->devices[0].id, "cpu");
  EXPECT_EQ(now.result->devices[1].precision, "float64");
  EXPECT_GT(now.result->devices[1].median(), 0);
}

TEST(DeviceCheck, AnEditEndsItAndCancellingForgetsIt) {
  QueuedLane queue;
  std::uint64_t edits = 0;
  DeviceCheck check(queue.lane(), {}, [&] { return edits++; });  // as if the user never stopped typing
  check.start(small_document(), {"cpu", "reference"});
  queue.run();
  ASSERT_TRUE(check.snapshot().error);
  EXPECT_EQ(check.snapshot().error->sentence(), "something was changed meanwhile; measure again");
  EXPECT_FALSE(check.snapshot().result);
  check.start(small_document(), {"cpu", "reference"});
  check.cancel();
  queue.run();
  EXPECT_FALSE(check.snapshot().running);
  EXPECT_FALSE(check.snapshot().result);
}

TEST(DeviceCheck, ADeviceThatIsNotThereIsAnErrorAndNotAnotherOneInItsStead) {
  QueuedLane queue;
  DeviceCheck check(queue.lane(), {}, {});
  check.start(small_document(), {"cpu", "cuda"}, [](std::string_view id) -> Result<std::shared_ptr<backends::Backend>> {
    if (id == "cuda") return failure(ErrorKind::unavailable, "no GPU: none is here").mend("everything works on the CPU");
    return backends::open(id);
  });
  queue.run();
  ASSERT_TRUE(check.snapshot().error);
  EXPECT_EQ(check.snapshot().error->sentence(), "no GPU: none is here; everything works on the CPU");
}

// In the window: opened, measured by a click, shown, and marked as outdated after an edit.
TEST(DeviceCheck, StandsUnderTheBackendsPicker) {
  Room room;
  room.click_part("picker:backend");
  room.settle();
  ASSERT_TRUE(room.has("devices:measure"));
  ASSERT_TRUE(room.has("devices:a:cpu"));
  ASSERT_TRUE(room.has("devices:b:reference"));
  room.click_part("devices:b:cpu");  // the same on both sides: nothing to measure
  room.click_part("devices:measure");
  EXPECT_FALSE(room.shell->device_check().snapshot().running);
  EXPECT_FALSE(room.shell->device_check().snapshot().result);
  room.click_part("devices:b:reference");
  room.click_part("devices:measure");
  room.settle();
  const DeviceCheck::Snapshot now = room.shell->device_check().snapshot();
  ASSERT_TRUE(now.result) << (now.error ? now.error->sentence() : "nothing was measured");
  EXPECT_EQ(now.result->devices[0].id, "cpu");
  EXPECT_EQ(now.result->devices[1].id, "reference");
  EXPECT_TRUE(room.has("devices:worst"));
  EXPECT_TRUE(room.has("devices:steps"));
  EXPECT_EQ(room.window.errors(), 0);
  Document other = room.shell->document();
  other.backend = "reference";
  room.shell->edit(other);
  room.settle();
  EXPECT_FALSE(room.has("devices:old")) << "the same document on another device";
  other.seed = 77;
  room.shell->edit(other);
  room.settle();
  EXPECT_TRUE(room.has("devices:old"));
}

TEST(DeviceCheck, TheStatusBarSaysWhyNoGpuComputes) {
  Room room;
  room.settle();
  const auto devices = backends::devices();
  const auto cuda = std::find_if(devices.begin(), devices.end(), [](const backends::Device& d) { return d.id == "cuda"; });
  ASSERT_NE(cuda, devices.end());
  const std::string why = cuda->why.english();
  const std::string expected = cuda->available ? "not used: " + cuda->label : why.substr(0, why.find(';'));
  const std::vector<std::string>& said = room.shell->ui.status_words;
  EXPECT_NE(std::find(said.begin(), said.end(), expected), said.end()) << expected;
}

}  // namespace
}  // namespace headlight
