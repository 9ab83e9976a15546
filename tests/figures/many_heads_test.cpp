// Thumbnails of models with many heads: their least size, what is seen of them while they are scrolled, the heads that share a
// key head, and the overview of all heads.
#include <algorithm>
#include <map>

#include "tests/figures/layout_check.h"
#include "tests/figures/samples.h"

namespace headlight::figures {
namespace {

template <class T>
std::vector<const T*> items_of(const Figure& figure) {
  std::vector<const T*> out;
  for (const Item& item : figure.items)
    if (const T* one = std::get_if<T>(&item)) out.push_back(one);
  return out;
}
bool has_words(const Figure& figure, const std::string& words) {
  const auto texts = items_of<Text>(figure);
  return std::any_of(texts.begin(), texts.end(), [&](const Text* t) { return t->text == words; });
}

std::vector<const Rectangle*> slots_of(const Figure& figure) {
  std::vector<const Rectangle*> slots;
  for (const Rectangle* r : items_of<Rectangle>(figure))
    if (r->tag.kind == Tag::thumbnail && r->fill.a == 0) slots.push_back(r);
  return slots;
}

TEST(ManyHeads, GrowBeyondTheBoxRatherThanBelowTheirLeastSize) {
  for (const auto& [layers, heads] : {std::pair{30, 9}, {6, 12}, {12, 12}, {32, 32}, {48, 25}}) {
    GridInput input = samples::grid(layers, heads, 3);
    input.bare = true;
    EXPECT_LT(fitting_slot(input, 260, 300, measure()), 28) << layers << " x " << heads;
    const Figure whole = head_grid(input, 260, 300, dark(), measure());
    EXPECT_LE(whole.width, 260);
    EXPECT_LE(whole.height, 300);
    input.least_slot = 28;
    const Figure figure = head_grid(input, 260, 300, dark(), measure());
    const auto slots = slots_of(figure);
    ASSERT_EQ(slots.size(), static_cast<std::size_t>(layers * heads));
    for (const Rectangle* slot : slots) EXPECT_GE(std::min(slot->box.w, slot->box.h), 28) << layers << " x " << heads;
    const Box room = room_of_grid(input, 28, measure());
    EXPECT_NEAR(figure.width, room.w, 2);
    EXPECT_NEAR(figure.height, room.h, 2);
  }
}

TEST(ManyHeads, OnlyWhatIsInSightIsDrawnAndNumbersStandAtItsEdges) {
  GridInput input = samples::grid(30, 9, 3);
  input.bare = true;
  input.least_slot = 28;
  input.window = {0, 400, 300, 200};
  const Figure figure = head_grid(input, 260, 300, dark(), measure());
  EXPECT_EQ(slots_of(figure).size(), 270u) << "all of them answer to the mouse";
  std::map<std::int64_t, int> drawn;
  for (const Cells* c : items_of<Cells>(figure)) {
    ++drawn[c->tag.a];
    EXPECT_LT(c->box.y, 600);
    EXPECT_GT(c->box.y + c->box.h, 400);
  }
  EXPECT_GE(drawn.size(), 7u);
  EXPECT_LE(drawn.size(), 9u);
  int heads = 0;
  for (const Text* t : items_of<Text>(figure))
    if (t->at.y > 400 && t->at.y < 400 + grid_numbers_height(input, measure()) && t->vertical == Align::end) ++heads;
  EXPECT_EQ(heads, 9) << "the heads' numbers stand at the upper edge of what is seen";
}

TEST(ManyHeads, LayersThatAreNotChosenHaveNoRow) {
  GridInput input = samples::grid(12, 4, 3);
  input.bare = true;
  input.begin_layer = 3;
  input.end_layer = 5;
  const auto slots = slots_of(head_grid(input, 260, 300, dark(), measure()));
  ASSERT_EQ(slots.size(), 8u);
  for (const Rectangle* slot : slots) EXPECT_TRUE(slot->tag.a == 3 || slot->tag.a == 4);
}

TEST(ManyHeads, ThoseThatShareAKeyHeadStandTogether) {
  GridInput input = samples::grid(2, 9, 3);
  input.bare = true;
  input.key_heads = 3;
  input.selected_layer = 1;
  input.selected_head = 7;
  const Figure figure = head_grid(input, 900, 400, dark(), measure());
  EXPECT_TRUE(has_words(figure, "key head 0"));
  EXPECT_TRUE(has_words(figure, "key head 2"));
  const auto slots = slots_of(figure);
  ASSERT_EQ(slots.size(), 18u);
  const auto left = [&](std::size_t i) { return slots[i]->box.x; };
  EXPECT_NEAR(left(1) - left(0), left(2) - left(1), 0.1);
  EXPECT_GT(left(3) - left(2), left(2) - left(1) + 3) << "a gap between the groups";
  // The family of the selected head stands on raised ground: heads 6 to 8 of its layer.
  const auto ground = [&] {
    for (const Rectangle* r : items_of<Rectangle>(figure))
      if (r->fill == dark().raised && r->tag.kind == Tag::none) return r->box;
    return Box{};
  }();
  EXPECT_NEAR(ground.x, left(15), 0.1);
  EXPECT_NEAR(ground.w, 3 * slots[15]->box.w, 0.1);
  EXPECT_NEAR(ground.y, slots[15]->box.y, 0.1);
  input.key_heads = 9;
  EXPECT_FALSE(has_words(head_grid(input, 900, 400, dark(), measure()), "key head 0")) << "each has its own";
}

TEST(ManyHeads, TheOverviewHasATileForEachAndAFrameAroundWhatIsSeen) {
  OverviewInput input;
  input.layers = 48;
  input.heads = 25;
  input.tile = 8;
  input.roles.resize(48 * 25);
  input.roles[30] = GridInput::Role{3, 0.9, "induction"};
  input.first = 10;
  input.last = 19;
  input.selected_layer = 12;
  input.selected_head = 4;
  const Figure figure = head_overview(input, dark(), measure());
  EXPECT_EQ(slots_of(figure).size(), 1200u);
  int hued = 0, frames = 0;
  for (const Rectangle* r : items_of<Rectangle>(figure)) {
    hued += r->fill.r == dark().hues[3].r && r->fill.g == dark().hues[3].g && r->fill.a > 0.5f;
    frames += r->stroke == dark().secondary && std::abs(r->box.h - (10 * 8 + 2)) < 0.1;
  }
  EXPECT_EQ(hued, 1);
  EXPECT_EQ(frames, 1);
  EXPECT_LE(figure.height, 48 * 8 + 20);
}

}  // namespace
}  // namespace headlight::figures
