// A session saved from the window's Save dialog, by keyboard, and opened again from its Open dialog.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "app/session/session.h"
#include "app/views/heads/state.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using test::Room;

struct Folder {
  Folder() { fs::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path path = fs::temp_directory_path() / ("headlight-save-" + std::to_string(::getpid()));
};

// Answers the open dialog with this name.
void answer(Room& room, const std::string& name) {
  ASSERT_TRUE(room.shell->files.open());
  room.window.frames(*room.shell, 3);
  room.window.key(*room.shell, ImGuiKey_A, true);
  room.window.type(*room.shell, name.c_str());
  room.window.key(*room.shell, ImGuiKey_Enter);
  room.settle();
}

Session saved_one() {
  Session session;
  session.document = test::small_document();
  session.document.texts = {"man bites dog"};
  session.document.masks = {{"causal", {}}};
  session.document.target_tokenizer = "words";
  session.document.targets = {"dog"};
  session.view.tab = "masks";
  session.view.head = 2;
  session.view.layer = 1;
  session.view.own.of<views::heads::State>().picture = "arcs";
  return session;
}

TEST(SaveDialog, WritesASessionThatOpensAgainAsItWas) {
  const Folder folder;
  const fs::path file = folder.path / "mine.headlight";
  std::string saved;
  {
    Room room(saved_one().document, saved_one().view);
    room.shell->configuration().last_folder = folder.path.string();
    room.window.key(*room.shell, ImGuiKey_S, true, true);
    answer(room, "mine");  // without an ending it gets the session's
    EXPECT_FALSE(room.shell->files.open());
    ASSERT_TRUE(fs::exists(file)) << "in the folder of the last time";
    EXPECT_EQ(room.shell->file(), file);
    EXPECT_EQ(room.shell->document(), saved_one().document);
    saved = to_json(room.shell->session());
    EXPECT_EQ(room.window.errors(), 0);
  }
  Room other;
  ASSERT_NE(other.shell->document(), saved_one().document);
  other.shell->configuration().last_folder = folder.path.string();
  other.window.key(*other.shell, ImGuiKey_O, true);
  answer(other, "mine.headlight");
  EXPECT_FALSE(other.shell->files.open());
  EXPECT_EQ(other.shell->document(), saved_one().document);
  EXPECT_EQ(other.shell->view().tab, "masks");
  EXPECT_EQ(other.shell->view().head, 2);
  EXPECT_EQ(other.shell->view().layer, 1);
  EXPECT_EQ(other.shell->view().own.of<views::heads::State>().picture, "arcs");
  EXPECT_EQ(to_json(other.shell->session()), saved) << "every field of document and view";
  ASSERT_TRUE(other.shell->published().trace);
  EXPECT_EQ(other.shell->published().trace->document(), saved_one().document);
  EXPECT_EQ(other.window.errors(), 0);
}

TEST(SaveDialog, AFileThatIsThereIsReplacedOnlyAfterAsking) {
  const Folder folder;
  const fs::path file = folder.path / "mine.headlight";
  Session before = saved_one();
  before.document.texts = {"before"};
  ASSERT_TRUE(save_session(file, before).ok());
  Room room(saved_one().document, saved_one().view);
  room.shell->configuration().last_folder = folder.path.string();
  room.window.key(*room.shell, ImGuiKey_S, true, true);
  answer(room, "mine.headlight");
  EXPECT_TRUE(room.shell->files.open()) << "it asks first";
  const auto kept = load_session(file);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->document.texts, (std::vector<std::string>{"before"}));
  room.window.frames(*room.shell, 3);
  room.window.key(*room.shell, ImGuiKey_Enter);
  EXPECT_FALSE(room.shell->files.open());
  const auto replaced = load_session(file);
  ASSERT_TRUE(replaced.ok());
  EXPECT_EQ(replaced->document, saved_one().document);
}

}  // namespace
}  // namespace headlight
