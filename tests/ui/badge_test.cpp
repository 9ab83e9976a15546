// The badge beside the model: whether its weights were trained, and for what is read.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/document/stored_model.h"
#include "tests/ui/room.h"
#include "tests/ui/stored_document.h"

namespace headlight {
namespace {

using test::Room;
using test::stored_document;

TEST(Badge, SaysWhatTheModelWasNeverTrainedToRead) {
  const auto says = [](Room& room, const std::string& words) {
    std::vector<gl::DrawnText> drawn;
    room.window.figures().watch_text(&drawn);
    room.window.frame(*room.shell);
    room.window.figures().watch_text(nullptr);
    return std::any_of(drawn.begin(), drawn.end(), [&](const auto& one) { return one.text == words; });
  };
  std::string text = "the";
  for (int i = 0; i < 280; ++i) text += " cat";
  Room room(stored_document("stories", text));
  const auto length = (*open_stored_model("stories"))->length;
  ASSERT_GT(static_cast<std::int64_t>(room.shell->published().trace->texts()[0].tokens.size()), length);
  EXPECT_TRUE(says(room, "beyond " + std::to_string(length) + " tokens"));
  room.shell->edit(stored_document("stories", "the cat"));
  room.settle();
  EXPECT_TRUE(says(room, "trained"));
  room.shell->edit(stored_document("english-french", "The cat is on the table.", "Le chat est sur la table."));
  room.settle();
  EXPECT_TRUE(says(room, "trained"));
  room.shell->edit(stored_document("english-french", "The cat is on the table.", "Der Hund liegt auf dem Tisch."));
  room.settle();
  EXPECT_TRUE(says(room, "unlikely target"));
}

}  // namespace
}  // namespace headlight
