// The Compare view before anything is pinned: four changes, each computed and shown beside the present pattern.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ui/null_window.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;

struct Tab {
  explicit Tab(const std::string& text, float width = 1600, float height = 1000) : window(width, height) {
    window::Setup setup;
    setup.session.document.texts = {text};
    setup.session.document.tokenizer = "characters";
    setup.session.document.d_model = 16;
    setup.session.document.heads = 2;
    setup.session.document.layers = 2;
    setup.session.view.tab = "compare";
    setup.compute = run_on_backend();
    shell = std::make_unique<Shell>(std::move(setup));
    shell->ui.focus_sentence = false;
    settle();
  }
  void settle() {
    for (int i = 0; i < 6; ++i) {
      shell->worker().wait();
      shell->lane().wait();
      window.frame(*shell);
    }
  }
  // Every text of one frame.
  std::vector<std::string> texts() {
    std::vector<gl::DrawnText> drawn;
    window.figures().watch_text(&drawn);
    window.frame(*shell);
    window.figures().watch_text(nullptr);
    std::vector<std::string> out;
    for (const auto& one : drawn) out.push_back(one.text);
    return out;
  }
  NullWindow window;
  std::unique_ptr<Shell> shell;
};

TEST(CompareOffers, FourPatternsAreComputedWithoutBeingAskedFor) {
  Tab tab("man bites dog");
  const auto before = tab.shell->derived().statistics();
  for (const char* part : {"compare:pin", "compare:mask", "compare:temperature", "compare:tokenizer", "compare:positions"})
    EXPECT_TRUE(tab.shell->parts.places.contains(part)) << part;
  EXPECT_FALSE(tab.shell->derived().pending());
  EXPECT_GE(before.values, 5u) << "the present pattern and four others";
  const auto texts = tab.texts();
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "A"), 4);
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "B"), 4);
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "computing …"), 0) << "all of them are there";
  EXPECT_EQ(tab.window.errors(), 0);
}

TEST(CompareOffers, AClickOnACardPinsAndChanges) {
  Tab tab("man bites dog");
  const auto at = tab.shell->parts.places.at("compare:temperature");
  // The card is below its button.
  ImGui::GetIO().AddMousePosEvent((at.x0 + at.x1) / 2, at.y1 + 60);
  tab.window.frames(*tab.shell, 3);
  ImGui::GetIO().AddMouseButtonEvent(0, true);
  tab.window.frames(*tab.shell, 2);
  ImGui::GetIO().AddMouseButtonEvent(0, false);
  tab.settle();
  ASSERT_TRUE(tab.shell->pinned().has_value());
  EXPECT_EQ(tab.shell->pinned()->document.temperature, 1);
  EXPECT_EQ(tab.shell->document().temperature, 2);
  EXPECT_TRUE(tab.shell->parts.places.contains("compare:difference"));
}

TEST(CompareOffers, ALongTextIsChangedOnlyWhenAsked) {
  Tab tab(std::string(400, 'a'));
  EXPECT_TRUE(tab.shell->parts.places.contains("compare:mask"));
  const auto texts = tab.texts();
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "B"), 0);
}

TEST(CompareOffers, EverySizeHasTheCardsInside) {
  for (const auto& [width, height] : {std::pair(1600.0f, 1000.0f), std::pair(1280.0f, 720.0f), std::pair(2560.0f, 1440.0f)}) {
    Tab tab("man bites dog", width, height);
    const auto last = tab.shell->parts.places.at("compare:positions");
    EXPECT_LE(last.x1, width) << width;
    EXPECT_LE(last.y1, height) << width;
    EXPECT_EQ(tab.window.errors(), 0);
  }
}

}  // namespace
}  // namespace headlight
