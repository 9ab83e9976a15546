// The solver: nothing overlaps or leaves its room, a larger room never gives less, and the answer is the same every time.
#include <gtest/gtest.h>

#include <random>

#include "app/sheet/solver.h"

namespace headlight {
namespace {

using namespace sheet;

struct Random {
  std::mt19937 engine;
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
  float size(int least, int most) { return static_cast<float>(least + below(most - least + 1)); }
};

Node random_part(Random& r, int rank) {
  Node node;
  node.rank = rank;
  const int forms = 1 + r.below(3);
  float scale = 1;
  for (int i = 0; i < forms; ++i, scale *= 0.6f) {
    const float w = scale * r.size(40, 300), area = scale * r.size(2000, 40000), h = scale * r.size(20, 200);
    const bool wraps = r.below(2) == 0;  // as text: less high where it is wider
    node.forms.push_back({{w, w * 1.5f, r.below(2) ? kAny : w * 2}, [=](float width) {
                            return wraps ? Span(std::ceil(area / std::max(width, 1.0f))) : Span(h, h * 1.4f, h * 2);
                          }});
  }
  return node;
}
Node random_tree(Random& r, int depth, bool first = true) {
  const int rank = first ? 0 : r.below(4);
  if (depth == 0 || r.below(3) == 0) return random_part(r, rank);
  Node node;
  node.kind = r.below(5) == 0 ? Node::either : r.below(5) == 0 ? Node::flow : r.below(2) ? Node::row : Node::column;
  node.rank = rank;
  node.gap = Span(r.size(2, 8), 12, 20);
  node.below = r.below(2) == 0;
  const int n = 1 + r.below(4);
  for (int i = 0; i < n; ++i) node.children.push_back(random_tree(r, depth - 1, i == 0));
  return node;
}

void number(Node& node, int& next) {
  node.number = next++;
  for (Node& child : node.children) number(child, next);
}
template <class Each>
void each_case(Each each) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    Random r{std::mt19937(seed)};
    Node root = random_tree(r, 3);
    int next = 0;
    number(root, next);
    SCOPED_TRACE(seed);
    each(root, r);
  }
}
const std::vector<float> kTypes = {1, 0.9f, 0.8f};
Rules rules_of(Medium medium) { return {medium, medium == Medium::presented ? kTypes : std::vector<float>{1}, 1}; }

TEST(SheetSolver, NothingOverlapsOrLeavesItsRoom) {
  each_case([](const Node& root, Random& r) {
    for (int i = 0; i < 12; ++i) {
      const float w = r.size(60, 1600), h = r.size(60, 1000);
      const Layout layout = solve(root, w, h, rules_of(i % 2 ? Medium::presented : Medium::screen));
      if (!layout.fits) continue;
      for (std::size_t a = 0; a < layout.parts.size(); ++a) {
        const Box& one = layout.parts[a].box;
        EXPECT_GE(one.x, -0.05f);
        EXPECT_GE(one.y, -0.05f);
        EXPECT_LE(one.x + one.w, w + 0.1f);
        EXPECT_LE(one.y + one.h, h + 0.1f);
        for (std::size_t b = a + 1; b < layout.parts.size(); ++b) {
          const Box& two = layout.parts[b].box;
          const float across = std::min(one.x + one.w, two.x + two.w) - std::max(one.x, two.x),
                      down = std::min(one.y + one.h, two.y + two.h) - std::max(one.y, two.y);
          EXPECT_FALSE(across > 0.1f && down > 0.1f);
        }
      }
    }
  });
}

TEST(SheetSolver, EveryPartHasItsLeastSize) {
  each_case([](const Node& root, Random& r) {
    for (int i = 0; i < 12; ++i) {
      const Layout layout = solve(root, r.size(60, 1600), r.size(60, 1000), rules_of(Medium::screen));
      if (!layout.fits) continue;
      for (const Placed& one : layout.parts) {
        const Form& form = one.node->forms[static_cast<std::size_t>(one.form)];
        EXPECT_GE(one.box.w, form.wide.least - 0.05f);
        EXPECT_GE(one.box.h, form.high(one.box.w).least - 0.05f);
      }
    }
  });
}

TEST(SheetSolver, ALargerRoomAsksForNoMoreConcessions) {
  each_case([](const Node& root, Random& r) {
    for (int i = 0; i < 8; ++i) {
      const float w = r.size(60, 1200), h = r.size(60, 800);
      const Rules rules = rules_of(i % 2 ? Medium::presented : Medium::screen);
      const Layout small = solve(root, w, h, rules);
      for (const auto& [dw, dh] : {std::pair(40.0f, 0.0f), {0.0f, 40.0f}, {200.0f, 100.0f}}) {
        const Layout large = solve(root, w + dw, h + dh, rules);
        EXPECT_LE(large.concessions, small.concessions) << w << " x " << h;
      }
    }
  });
}

TEST(SheetSolver, WithTheSameConcessionsNoPartIsNarrowerInAWiderRoom) {
  each_case([](const Node& root, Random& r) {
    for (int i = 0; i < 8; ++i) {
      const float w = r.size(60, 1200), h = r.size(60, 800);
      const Layout small = solve(root, w, h, rules_of(Medium::screen)), large = solve(root, w + 30, h, rules_of(Medium::screen));
      if (small.made != large.made || !small.fits) continue;
      ASSERT_EQ(small.parts.size(), large.parts.size());
      for (std::size_t k = 0; k < small.parts.size(); ++k) EXPECT_GE(large.parts[k].box.w, small.parts[k].box.w - 0.1f);
    }
  });
}

TEST(SheetSolver, IsTheSameEveryTimeAndHoldsStillWhileSomethingIsDragged) {
  each_case([](const Node& root, Random& r) {
    const float w = r.size(200, 1200), h = r.size(200, 800);
    const Layout one = solve(root, w, h, rules_of(Medium::screen)), again = solve(root, w, h, rules_of(Medium::screen));
    ASSERT_EQ(one.parts.size(), again.parts.size());
    for (std::size_t k = 0; k < one.parts.size(); ++k) {
      EXPECT_EQ(one.parts[k].box.x, again.parts[k].box.x);
      EXPECT_EQ(one.parts[k].box.h, again.parts[k].box.h);
    }
    const Layout held = solve(root, w + 300, h + 300, rules_of(Medium::screen), &one.made);
    if (one.fits) {
      EXPECT_EQ(held.made, one.made);
    }
  });
}

TEST(SheetSolver, NothingIsGivenUpThatHasRoom) {
  Node wide_part, low_part, tall;
  wide_part.forms = {{{100, 100, kAny}, [](float) { return Span(300); }}};
  low_part = wide_part;
  low_part.forms[0].high = [](float) { return Span(50); };
  tall = low_part;
  tall.rank = 2;
  low_part.rank = 3;
  Node left, right, root;
  left.kind = right.kind = Node::column;
  left.children = {wide_part, tall};  // 300 + 8 + 50
  right.children = {wide_part, low_part};
  right.children[0].forms[0].high = [](float) { return Span(100); };
  root.kind = Node::row;
  root.children = {left, right};
  const Layout layout = solve(root, 400, 320, rules_of(Medium::screen));
  ASSERT_TRUE(layout.fits);
  EXPECT_EQ(layout.parts.size(), 3u) << "the left column is too low for its second part, the right one is not";
}

TEST(SheetSolver, FormsChangeBeforeTypeAndTypeBeforeAnythingGoes) {
  Node part, other, root;
  part.rank = other.rank = 1;
  part.forms = {{{100, 100, 100}, [](float) { return Span(100); }}, {{100, 100, 100}, [](float) { return Span(60); }}};
  other.forms = {part.forms[0]};
  Node subject = other;
  subject.rank = 0;
  root.kind = Node::column;
  root.gap = Span(0);
  root.children = {subject, part, other};
  const auto at = [&](float height) { return solve(root, 100, height, rules_of(Medium::presented)); };
  EXPECT_EQ(at(300).concessions, 0);
  EXPECT_EQ(at(260).parts[1].form, 1);
  EXPECT_EQ(at(260).type, 1);
  EXPECT_LT(at(250).type, 1);
  EXPECT_EQ(at(250).parts.size(), 3u);
  EXPECT_EQ(at(160).parts.size(), 2u);
}

TEST(SheetSolver, AFlowGoesOnInAnotherLine) {
  Node part, root;
  part.forms = {{{40, 90, kAny}, [](float) { return Span(30); }}};
  root.kind = Node::flow;
  root.gap = Span(6, 10, 10);
  root.children = {part, part, part};
  const auto at = [&](float width) { return solve(root, width, 400, rules_of(Medium::screen)); };
  EXPECT_EQ(at(290).height, 30);
  EXPECT_EQ(at(290).parts[2].box.x, 200);
  EXPECT_EQ(at(289).height, 66) << "the third does not fit";
  EXPECT_EQ(at(289).parts[2].box.x, 0);
  EXPECT_EQ(at(60).height, 102);
  EXPECT_EQ(at(60).parts[0].box.w, 60) << "narrower than it wishes, in a line of its own";
}

TEST(SheetSolver, AFileIsAsHighAsItsParts) {
  each_case([](const Node& root, Random&) {
    const Layout layout = solve(root, 2000, kAny, rules_of(Medium::file));
    EXPECT_TRUE(layout.fits);
    for (const Placed& one : layout.parts) EXPECT_TRUE(std::isfinite(one.box.h) && std::isfinite(one.box.w));
  });
}

}  // namespace
}  // namespace headlight
