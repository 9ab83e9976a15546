// The parts of which a lesson's step speaks are seen while it is played: presented in a lecture hall, and beside its text in a
// window of the same size.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/lessons/lesson.h"
#include "app/lessons/player.h"
#include "app/views/base/view.h"
#include "tests/ui/configuration_folder.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using views::Parts;
using window::Shell;

constexpr float kWidth = 1280, kHeight = 720;

struct HallRoom : private test::ConfigurationFolder, test::Room {
  explicit HallRoom(bool presented) : test::Room(calm(presented), kWidth, kHeight, false) {}
  static window::Setup calm(bool presented) {
    window::Setup setup;
    setup.session.view.presentation = presented;
    setup.configuration.language = "en";
    setup.configuration.reduce_motion = true;
    setup.compute = run_on_backend();
    return setup;
  }
};

bool is_of_cells(const std::string& part) {
  return part.starts_with("cell:") || part.starts_with("row:") || part.starts_with("column:");
}

// What is wrong with the place where the part is drawn; empty: it is seen whole or, where pages scroll, half of its height at
// least.
std::string unseen(const Shell& shell, const std::string& part, bool presented) {
  const auto found = shell.parts.places.find(part);
  if (found == shell.parts.places.end()) return "is not drawn";
  const Parts::Place& at = found->second;
  if (at.x1 - at.x0 < 4 || at.y1 - at.y0 < 4) return "has no size";
  Parts::Place room{0, 0, kWidth, kHeight};
  if (const std::size_t colon = part.find(':');
      colon != std::string::npos && views::registry().find(part.substr(0, colon)) && shell.parts.places.contains("main"))
    room = shell.parts.places.at("main");
  if (!presented && at.cut) {
    const float seen = std::min(at.y1, room.y1) - std::max(at.y0, room.y0);
    return seen >= 0.5f * (at.y1 - at.y0) ? "" : "is scrolled out of its window";
  }
  if (at.cut) return "is cut";
  const bool inside = at.x0 >= room.x0 - 1 && at.y0 >= room.y0 - 1 && at.x1 <= room.x1 + 1 && at.y1 <= room.y1 + 1;
  return inside ? "" : "reaches out of the screen";
}

void see_every_part(bool presented) {
  HallRoom room(presented);
  Shell& shell = *room.shell;
  int seen = 0;
  for (const auto& lesson : shell.player().list())
    for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
      if (i == 0) shell.player().play(shell, lesson);
      shell.player().go(shell, static_cast<std::int64_t>(i));
      room.settle();
      for (const std::string& part : shell.player().current()->highlight) {
        if (is_of_cells(part)) continue;
        const std::string wrong = unseen(shell, part, presented);
        EXPECT_EQ(wrong, "") << lesson->id << " step " << i + 1 << ": " << part << " " << wrong;
        ++seen;
      }
    }
  EXPECT_GE(seen, 150);
}

TEST(LessonParts, EveryOneIsSeenWhereItIsPresented) { see_every_part(true); }

TEST(LessonParts, EveryOneIsSeenBesideItsText) { see_every_part(false); }

}  // namespace
}  // namespace headlight
