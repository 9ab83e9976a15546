// Attention that was computed elsewhere, in the window: every view, and the dialogue that says how it is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/views/base/context.h"
#include "app/views/base/view.h"
#include "app/views/compare/data.h"
#include "app/window/shell/array_form.h"
#include "engine/document/array_source.h"
#include "engine/pipeline/array_document.h"
#include "imgui_internal.h"
#include "tests/support/process_folder.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

std::filesystem::path array_file(const std::string& name, const std::string& text) {
  const auto path = test::process_folder() / name;
  std::ofstream(path) << text;
  return path;
}

constexpr const char* kWeights = R"({"weights": [[[[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]],
  [[[1, 0, 0], [0.25, 0.75, 0], [0.1, 0.1, 0.8]], [[1, 0, 0], [1, 0, 0], [1, 0, 0]]]], "tokens": ["<b>\"a\"", " \u202eb", "c\u0000d"]})";
constexpr const char* kCross = R"({"attention": [[[0.5, 0.25, 0.25], [0, 0, 1]]], "tokens": ["le", "chat"],
  "source_tokens": ["the", " cat", "."]})";
constexpr const char* kVectors = R"({"q": [[1, 0], [0, 1], [1, 1]], "k": [[1, 1], [0, 1], [1, 2]], "v": [[1, 2], [3, 0], [4, 2]],
  "tokens": ["one", " two", " both"]})";
constexpr const char* kBeside =
    R"({"q": [[1, 0, 2, 0], [0, 1, 0, 2], [1, 1, 0, 0]], "k": [[1, 1, 0, 1], [0, 1, 1, 0], [1, 2, 0, 0]],
  "v": [[1, 2, 3, 4], [3, 0, 1, 1], [4, 2, 0, 1]], "tokens": ["one", " two", " both"]})";

Document array_document(const char* name, const char* text) {
  auto made = open_array_document(array_file(name, text));
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().sentence());
  return made.ok() ? made->document : Document();
}

TEST(ArrayViews, EveryViewDrawsThemOrSaysInASentenceWhatIsMissing) {
  const std::pair<const char*, const char*> files[] = {
      {"weights.json", kWeights}, {"cross.json", kCross}, {"qkv.json", kVectors}};
  for (const auto& [name, text] : files)
    for (const views::View& entry : views::registry().entries()) {
      SCOPED_TRACE(std::string(name) + ", " + entry.id);
      ViewState view;
      view.tab = entry.id;
      Room room(array_document(name, text), view);
      room.settle();
      ASSERT_TRUE(room.shell->published().trace) << "not read";
      EXPECT_FALSE(room.shell->published().error);
      EXPECT_EQ(room.window.errors(), 0);
      const auto main = room.part("main");
      room.move((main.x0 + main.x1) / 2, (main.y0 + main.y1) / 2);
      room.settle();
      EXPECT_EQ(room.window.errors(), 0);
    }
}

TEST(ArrayViews, TheDialogueSaysHowTheyAreReadAndCorrectsIt) {
  window::Setup setup = Room::setup_of(array_document("weights.json", kWeights), {});
  Room room(std::move(setup), 1600, 1000);
  window::ask_reading(*room.shell);
  room.settle();
  EXPECT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  const auto said = window::reading_of(*room.shell);
  ASSERT_TRUE(said.value);
  EXPECT_TRUE(said.value->causal);
  EXPECT_FALSE(said.value->why.empty());
  room.window.key(*room.shell, ImGuiKey_Enter);
  room.settle();
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  // The picker opens it again.
  room.click_part("picker:arrays");
  room.settle();
  EXPECT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  room.window.key(*room.shell, ImGuiKey_Escape);
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  // Read otherwise, they are shown otherwise; undo takes it back.
  arrays::Reading reading = arrays_of(room.shell->document())->reading;
  std::swap(reading.uses[0].axes[0], reading.uses[0].axes[1]);
  const auto corrected = with_reading(room.shell->document(), reading);
  ASSERT_TRUE(corrected.ok());
  room.shell->edit(corrected->document);
  room.settle();
  EXPECT_EQ(room.shell->published().trace->tile("layer.1.weights", {0, 0, 1, 1})->at({0, 1}), 1);
  room.shell->undo();
  room.settle();
  EXPECT_EQ(room.shell->published().trace->tile("layer.1.weights", {0, 0, 1, 1})->at({0, 1}), 0.75);
}

// Clicks a line of the open menu of `lines` lines.
void choose_line(Room& room, int line, int lines) {
  ASSERT_FALSE(GImGui->OpenPopupStack.empty());
  const ImGuiWindow* const menu = GImGui->OpenPopupStack.back().Window;
  ASSERT_TRUE(menu);
  const ImRect inner = menu->InnerRect;
  const float padding = menu->WindowPadding.y, high = (inner.GetHeight() - 2 * padding) / static_cast<float>(lines);
  room.click(inner.GetCenter().x, inner.Min.y + padding + (static_cast<float>(line) + 0.5f) * high);
  room.settle();
}

TEST(ArrayViews, AMenuSaysHowManyHeadsLieBesideEachOther) {
  Room room(Room::setup_of(array_document("beside.json", kBeside), {}), 1600, 1000);
  const auto axes = [&] {
    std::vector<std::string> all;
    for (const arrays::Use& use : arrays_of(room.shell->document())->reading.uses) all.push_back(use.axes.back());
    return all;
  };
  ASSERT_EQ(axes(), std::vector<std::string>(3, "d")) << "one head of four numbers";
  window::ask_reading(*room.shell);
  room.settle();
  room.click_part("arrays:heads");
  choose_line(room, 1, 3);  // of 1 × 4, 2 × 2 and 4 × 1
  EXPECT_EQ(axes(), std::vector<std::string>(3, "2*d")) << "of q, k and v at once";
  const auto trace = room.shell->published().trace;
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->sites().front().heads, 2);
  const std::string scores = trace->name_at(trace->sites().front().prefix, Role::scores);
  const auto tile = trace->tile(scores, {0, 1, 0, 3, 0, 3});
  ASSERT_TRUE(tile.ok()) << tile.error().sentence();
  EXPECT_EQ(tile->at({1, 0}), 2) << "the last two numbers of row 1 of q and of row 0 of k: (0, 2) and (0, 1)";
  EXPECT_TRUE(room.has("arrays:heads")) << "the dialogue stays open";
  EXPECT_EQ(room.window.errors(), 0);
  room.click_part("arrays:heads");
  choose_line(room, 0, 3);
  EXPECT_EQ(axes(), std::vector<std::string>(3, "d"));
  EXPECT_EQ(room.shell->published().trace->sites().front().heads, 1);
}

TEST(ArrayViews, AMenuSaysWhatAnAxisCounts) {
  Room room(Room::setup_of(array_document("weights.json", kWeights), {}), 1600, 1000);
  const auto axes = [&] { return arrays_of(room.shell->document())->reading.uses.front().axes; };
  ASSERT_EQ(axes(), (arrays::AxisNames{"layer", "head", "query", "key"}));
  window::ask_reading(*room.shell);
  room.settle();
  room.click_part("arrays:axis 0");
  choose_line(room, 2, 5);  // of layer, sentence, head, query and key
  EXPECT_EQ(axes(), (arrays::AxisNames{"head", "layer", "query", "key"})) << "the other axis gets the name that this one had";
  EXPECT_EQ(room.shell->published().trace->tile("layer.1.weights", {0, 0, 1, 1})->at({0, 1}), 1);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(ArrayViews, AModelOrTheSandboxTakesTheirPlace) {
  Room room(array_document("weights.json", kWeights));
  room.settle();
  ASSERT_TRUE(is_of_arrays(room.shell->document()));
  Document next = room.shell->document();
  ASSERT_TRUE(find_field("model")->set(next, {"sandbox"}).ok());
  EXPECT_FALSE(is_of_arrays(next));
  room.shell->edit(next);
  room.settle();
  EXPECT_FALSE(room.shell->published().error);
  EXPECT_GT(room.shell->published().trace->parameters().size(), 0u);
}

TEST(ArrayViews, CompareNamesTheFilesOfTwoArrays) {
  const Document a = array_document("weights.json", kWeights), b = array_document("cross.json", kCross);
  const auto fields = views::comparing::differing_fields(a, b);
  const auto model = std::find_if(fields.begin(), fields.end(), [](const auto& field) { return field.id == "model"; });
  ASSERT_NE(model, fields.end());
  EXPECT_EQ(model->a, "weights.json");
  EXPECT_EQ(model->b, "cross.json");
}

}  // namespace
}  // namespace headlight
