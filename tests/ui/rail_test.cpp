// The rail at the left of the window: its views and groups, the mouse and the keyboard in it, folding, narrow windows,
// presenting.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/session/session.h"
#include "app/views/base/view.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::NullWindow;
using test::small_document;
using window::Shell;

window::Setup setup_in(const char* language, bool presented = false) {
  window::Setup setup = test::Room::setup_of(small_document(), {});
  setup.session.view.presentation = presented;
  setup.configuration.language = language;
  return setup;
}

struct RailRoom : test::Room {
  explicit RailRoom(float width = 1600, float height = 1000, bool presented = false, const char* language = "en")
      : test::Room(setup_in(language, presented), width, height, false) {}
  // The texts that one frame draws, with their sizes in pixels.
  std::vector<gl::DrawnText> texts() {
    std::vector<gl::DrawnText> all;
    window.figures().watch_text(&all);
    window.frame(*shell);
    window.figures().watch_text(nullptr);
    return all;
  }
  bool says(const std::string& text) {
    const auto all = texts();
    return std::any_of(all.begin(), all.end(), [&](const gl::DrawnText& one) { return one.text == text; });
  }
  void key(ImGuiKey key, bool ctrl = false) {
    window.key(*shell, key, ctrl);
    settle();
  }
  // The keyboard into the rail, as a person does it.
  void into_rail() {
    for (int i = 0; i < 8; ++i) {
      window.key(*shell, ImGuiKey_F6);
      const ImGuiWindow* focused = GImGui->NavWindow;
      if (focused && std::string(focused->Name).find("/rail_") != std::string::npos) return;
    }
    ADD_FAILURE() << "F6 does not reach the rail";
  }
  const std::string& tab() const { return shell->view().tab; }
};

TEST(Rail, EveryViewHasItsPlaceInAGroup) {
  std::set<std::string> icons;
  std::vector<std::string> order;
  for (const views::View& entry : views::registry().entries()) {
    const auto known = std::any_of(views::groups().begin(), views::groups().end(),
                                   [&](const views::Group& group) { return group.id == entry.group; });
    EXPECT_TRUE(known) << entry.id << " is in the group '" << entry.group << "'";
    EXPECT_TRUE(icons.insert(entry.icon).second) << entry.id << " looks like another view where the rail is folded";
    EXPECT_NE(entry.icon.find(','), std::string::npos) << entry.id;
    if (order.empty() || order.back() != entry.group) order.push_back(entry.group);
  }
  std::vector<std::string> groups;
  for (const views::Group& group : views::groups())
    if (std::find(order.begin(), order.end(), group.id) != order.end()) groups.push_back(group.id);
  EXPECT_EQ(order, groups) << "Ctrl+PageDown goes down the rail";
}

TEST(Rail, ShowsTheViewsThatThereAreAndTheirGroups) {
  for (const auto& [width, height] : {std::pair(1600.0f, 1000.0f), std::pair(1280.0f, 720.0f)}) {
    SCOPED_TRACE(width);
    RailRoom room(width, height);
    for (const views::View& entry : views::registry().entries()) {
      EXPECT_TRUE(room.says(entry.label)) << entry.label;
      const auto place = room.part("rail:" + entry.id);
      EXPECT_GE(place.x0, 0);
      EXPECT_LE(place.x1, room.part("main").x0) << "beside the view";
      EXPECT_LE(place.y1, height - 40);
    }
    for (const views::Group& group : views::groups()) {
      const auto& views = views::registry().entries();
      const bool used = std::any_of(views.begin(), views.end(), [&](const auto& entry) { return entry.group == group.id; });
      EXPECT_EQ(room.says(group.label), used) << group.label;
    }
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(Rail, AClickChoosesAView) {
  RailRoom room;
  for (const views::View& entry : views::registry().entries()) {
    room.click_part("rail:" + entry.id);
    EXPECT_EQ(room.tab(), entry.id);
  }
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Rail, TheArrowsGoThroughItAndEnterChooses) {
  RailRoom room;
  const auto& views = views::registry().entries();
  ASSERT_GE(views.size(), 3u);
  room.shell->view().tab = views[0].id;
  room.settle();
  room.into_rail();
  EXPECT_TRUE(GImGui->NavCursorVisible) << "the focus is seen";
  room.key(ImGuiKey_DownArrow);
  room.key(ImGuiKey_DownArrow);
  EXPECT_EQ(room.tab(), views[0].id) << "moving does not choose";
  EXPECT_TRUE(GImGui->NavCursorVisible);
  room.key(ImGuiKey_Enter);
  EXPECT_EQ(room.tab(), views[2].id);
  room.key(ImGuiKey_UpArrow);
  room.key(ImGuiKey_Enter);
  EXPECT_EQ(room.tab(), views[1].id);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Rail, TabStopsAtTheChosenViewOnly) {
  RailRoom room;
  room.into_rail();
  const ImGuiID entry = GImGui->NavId;
  room.window.key(*room.shell, ImGuiKey_Tab);
  EXPECT_NE(GImGui->NavId, entry);
  const ImGuiWindow* focused = GImGui->NavWindow;
  ASSERT_NE(focused, nullptr);
  EXPECT_EQ(std::string(focused->Name).find("/rail_"), std::string::npos) << "the next stop is no other view";
}

TEST(Rail, CtrlPageDownGoesDownIt) {
  RailRoom room;
  const auto& views = views::registry().entries();
  room.shell->view().tab = views.front().id;
  room.shell->ui.focus_sentence = true;
  room.settle();
  const ImGuiID sentence = GImGui->NavId;
  for (std::size_t i = 1; i <= views.size(); ++i) {
    room.key(ImGuiKey_PageDown, true);
    EXPECT_EQ(room.tab(), views[i % views.size()].id);
  }
  room.key(ImGuiKey_PageUp, true);
  EXPECT_EQ(room.tab(), views.back().id);
  EXPECT_EQ(GImGui->NavId, sentence) << "and the keyboard stays where it was";
}

TEST(Rail, FoldedItHasPicturesAndTheViewIsWider) {
  RailRoom room;
  const auto open = room.part("main");
  room.key(ImGuiKey_B, true);
  EXPECT_TRUE(room.shell->view().rail_folded);
  EXPECT_FALSE(room.says("Walk-through"));
  EXPECT_LT(room.part("rail").x1, 60);
  EXPECT_GT(room.part("main").x1 - room.part("main").x0, open.x1 - open.x0 + 60);
  room.click_part("rail:walk");
  EXPECT_EQ(room.tab(), "walk");
  room.move(1, 1);
  const auto place = room.part("rail:masks");
  room.move((place.x0 + place.x1) / 2, (place.y0 + place.y1) / 2);
  for (int i = 0; i < 90; ++i) room.window.frame(*room.shell);
  EXPECT_TRUE(std::any_of(GImGui->Windows.begin(), GImGui->Windows.end(), [](const ImGuiWindow* window) {
    return window->Active && (window->Flags & ImGuiWindowFlags_Tooltip);
  })) << "its name is in its tooltip";
  room.click_part("rail:fold");
  EXPECT_FALSE(room.shell->view().rail_folded);
  EXPECT_TRUE(room.says("Walk-through"));
  room.click_part("rail:fold");
  EXPECT_TRUE(room.shell->view().rail_folded);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Rail, ASessionRemembersThatItIsFolded) {
  const auto file = std::filesystem::temp_directory_path() / ("headlight-rail-" + std::to_string(::getpid()) + ".json");
  {
    RailRoom room;
    room.key(ImGuiKey_B, true);
    room.click_part("rail:positions");
    ASSERT_TRUE(room.shell->save_to(file).ok());
  }
  RailRoom room;
  ASSERT_FALSE(room.shell->view().rail_folded);
  ASSERT_TRUE(room.shell->open(file).ok());
  room.settle();
  EXPECT_TRUE(room.shell->view().rail_folded);
  EXPECT_EQ(room.tab(), "positions");
  EXPECT_LT(room.part("rail").x1, 60);
  std::filesystem::remove(file);
}

TEST(Rail, InANarrowWindowItFoldsByItselfAndAKeyLaysItOverTheView) {
  RailRoom room(1100, 720);
  EXPECT_FALSE(room.shell->view().rail_folded) << "what the person chose stays";
  EXPECT_LT(room.part("rail").x1, 60);
  EXPECT_FALSE(room.says("Walk-through"));
  const auto main = room.part("main");
  room.key(ImGuiKey_B, true);
  EXPECT_TRUE(room.says("Walk-through"));
  EXPECT_FLOAT_EQ(room.part("main").x0, main.x0) << "the view stays where it is";
  room.key(ImGuiKey_B, true);
  EXPECT_FALSE(room.says("Walk-through")) << "the same key takes it away";
  room.click_part("rail:fold");
  room.settle();
  EXPECT_TRUE(room.says("Walk-through"));
  room.click_part("rail:masks");
  room.settle();
  EXPECT_EQ(room.tab(), "masks");
  EXPECT_FALSE(room.says("Walk-through"));
  EXPECT_FALSE(room.shell->view().rail_folded);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Rail, AVeryNarrowWindowHasAButtonForIt) {
  RailRoom room(660, 720);
  EXPECT_FALSE(room.has("rail"));
  EXPECT_EQ(room.part("main").x0, 0);
  room.click_part("rail:show");
  room.settle();
  ASSERT_TRUE(room.has("rail:masks"));
  room.click_part("rail:masks");
  room.settle();
  EXPECT_EQ(room.tab(), "masks");
  EXPECT_FALSE(room.has("rail"));
  for (int i = 0; i < 8; ++i) {
    room.window.key(*room.shell, ImGuiKey_F6);
    EXPECT_TRUE(ImGui::GetIO().WantTextInput || GImGui->NavId != 0) << "no turn of F6 is lost";
  }
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Rail, PresentingItIsHiddenUntilAKeyBringsIt) {
  for (const auto& [width, height] : {std::pair(1280.0f, 720.0f), std::pair(1600.0f, 1000.0f)}) {
    SCOPED_TRACE(width);
    RailRoom room(width, height, true);
    EXPECT_FALSE(room.has("rail"));
    EXPECT_FALSE(room.has("rail:heads"));
    EXPECT_EQ(room.part("main").x0, 0) << "the picture has the whole width";
    room.key(ImGuiKey_B, true);
    ASSERT_TRUE(room.has("rail:heads"));
    for (const gl::DrawnText& text : room.texts())
      if (text.text == "Walk-through" || text.text == "Heads") {
        EXPECT_GE(text.high.y - text.low.y, 24) << "read from the back of the room";
      }
    for (const views::View& entry : views::registry().entries()) EXPECT_LE(room.part("rail:" + entry.id).y1, height);
    // Escape takes the rail away and leaves the presentation as it is; again, and that ends, too.
    room.key(ImGuiKey_Escape);
    EXPECT_FALSE(room.has("rail"));
    EXPECT_TRUE(room.shell->view().presentation);
    // The keyboard is in it at once.
    room.key(ImGuiKey_B, true);
    room.key(ImGuiKey_DownArrow);
    EXPECT_TRUE(GImGui->NavCursorVisible);
    room.key(ImGuiKey_Enter);
    EXPECT_EQ(room.tab(), "masks");
    EXPECT_FALSE(room.has("rail")) << "a choice takes it away";
    EXPECT_TRUE(room.shell->view().presentation);
    room.key(ImGuiKey_Escape);
    EXPECT_FALSE(room.shell->view().presentation);
    EXPECT_TRUE(room.has("rail:heads"));
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(Rail, CtrlPFindsAViewByItsLetters) {
  RailRoom room;
  room.key(ImGuiKey_P, true);
  room.window.type(*room.shell, "index lab");
  room.key(ImGuiKey_Enter);
  EXPECT_EQ(room.tab(), "index");
  EXPECT_FALSE(room.shell->palette.open());
  room.click_part("rail:find");
  room.settle();
  EXPECT_TRUE(room.shell->palette.open()) << "and the rail says so";
  room.window.type(*room.shell, "walk-th");
  room.key(ImGuiKey_Enter);
  EXPECT_EQ(room.tab(), "walk");
}

TEST(Rail, ManyMoreViewsWouldScrollInsteadOfBeingCutOff) {
  RailRoom room(1600, 260);
  const auto rail = room.part("rail");
  EXPECT_LE(rail.y1, 260);
  const ImGuiWindow* child = nullptr;
  for (const ImGuiWindow* window : GImGui->Windows)
    if (window->Active && std::string(window->Name).find("/rail_") != std::string::npos) child = window;
  ASSERT_NE(child, nullptr);
  const auto last = room.part("rail:" + views::registry().entries().back().id);
  EXPECT_TRUE(last.y1 <= rail.y1 + 1 || child->ScrollMax.y > 0);
}

TEST(Rail, SpeaksTheWindowsLanguage) {
  RailRoom room(1280, 720, false, "zh");
  EXPECT_TRUE(room.says("逐步演示"));
  EXPECT_TRUE(room.says("注意力"));
  EXPECT_FALSE(room.says("Walk-through"));
}

}  // namespace
}  // namespace headlight
