// What the inspector and the status bar tell beside each view, and the rows of the Tokens view beside a lesson.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

Document with_positions(const char* id) {
  Document document = test::small_document("words");
  document.position = id;
  return document;
}
ViewState in(const char* tab) {
  ViewState view;
  view.tab = tab;
  return view;
}

// The step that the inspector explains while nothing is pointed at.
std::string explained(const char* positions, const char* tab) {
  Room room(with_positions(positions), in(tab));
  room.settle();
  EXPECT_EQ(room.window.errors(), 0) << positions << " " << tab;
  return room.shell->transient.visited.shown.step;
}

TEST(InspectorBesideOtherViews, ExplainsTheirNumbersAndNotTheStrongestCell) {
  EXPECT_EQ(explained("sinusoidal", "positions"), "position");
  EXPECT_EQ(explained("learned", "positions"), "position");
  EXPECT_EQ(explained("rotary", "positions"), "layer.0.q_rotated");
  EXPECT_EQ(explained("rotary-split", "positions"), "layer.0.q_rotated");
  EXPECT_EQ(explained("alibi", "positions"), "layer.0.position_bias");
  EXPECT_EQ(explained("relative", "positions"), "layer.0.position_bias");
  EXPECT_EQ(explained("none", "positions"), "") << "nothing to explain: it says what to do";
  EXPECT_EQ(explained("sinusoidal", "values"), "layer.0.context");
  EXPECT_EQ(explained("sinusoidal", "heads"), "layer.0.weights");
}

TEST(StatusBar, TellsTheIndexLabsResultInTheIndexLabAlone) {
  Room room(with_positions("sinusoidal"), in("heads"));
  room.settle();
  room.shell->transient.results["index"] = "ISDPA 3.5×";
  const auto says = [&](const char* words) {
    const auto& all = room.shell->ui.status_words;
    return std::any_of(all.begin(), all.end(), [&](const std::string& one) { return one.find(words) != std::string::npos; });
  };
  room.settle();
  EXPECT_FALSE(says("ISDPA"));
  room.shell->view().tab = "index";
  room.shell->transient.results["index"] = "ISDPA 3.5×";
  room.settle();
  EXPECT_TRUE(says("ISDPA"));
}

TEST(TokensView, TheRowsScaleToTheRoomBesideALesson) {
  Document document = test::small_document("characters");
  document.texts = {"a fluffy blue creature roamed the verdant forest"};
  {
    Room room(document, in("tokens"), 1280, 720);
    ASSERT_TRUE(room.shell->player().start(*room.shell, "tokens").ok());
    room.settle();
    ASSERT_TRUE(room.has("tokens:rows"));
    EXPECT_FALSE(room.has("tokens:scrolls")) << "the whole sentence is in sight";
  }
  document.texts[0] += " and " + document.texts[0] + " and " + document.texts[0];
  Room room(document, in("tokens"), 1280, 720);
  room.settle();
  EXPECT_TRUE(room.has("tokens:scrolls")) << "a longer one scrolls";
}

}  // namespace
}  // namespace headlight
