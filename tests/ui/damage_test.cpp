// Which parts of the window are painted, with draw lists made here; monkey_test.cpp tests that the pixels are right.
#include "app/gl/damage.h"

#include <gtest/gtest.h>

#include <functional>

#include "imgui.h"
#include "imgui_internal.h"

namespace headlight {
namespace {

using gl::Area;
using gl::Damage;

constexpr int kWidth = 400, kHeight = 300;

struct Batch {
  gl::CallbackContent content;
  int more = 0;
};
void nothing(const ImDrawList*, const ImDrawCmd*) {}

// A draw list as ImGui provides it.
class Drawn {
 public:
  explicit Drawn(const std::function<void(ImDrawList&)>& draw) : shared_(), list_(&shared_) {
    shared_.InitialFringeScale = 1;
    list_._ResetForNewFrame();
    list_.PushTexture(ImTextureRef(static_cast<ImTextureID>(7)));
    list_.PushClipRect({0, 0}, {kWidth, kHeight});
    draw(list_);
    list_._PopUnusedDrawCmd();
    for (ImDrawCmd& command : list_.CmdBuffer)
      if (command.UserCallback && command.UserCallbackDataOffset != -1)
        command.UserCallbackData = list_._CallbacksDataBuf.Data + command.UserCallbackDataOffset;
    data.CmdLists.push_back(&list_);
    data.DisplayPos = {0, 0};
    data.DisplaySize = {kWidth, kHeight};
    data.FramebufferScale = {1, 1};
  }
  ImDrawData data;
  ImDrawList& list() { return list_; }

 private:
  ImDrawListSharedData shared_;
  ImDrawList list_;
};

void box(ImDrawList& list, float x, float y, ImU32 color = IM_COL32_WHITE) {
  list.PrimReserve(6, 4);
  list.PrimRect({x, y}, {x + 10, y + 10}, color);
}
bool inside(const Area& area, int x, int y) { return x >= area.x0 && x < area.x1 && y >= area.y0 && y < area.y1; }
bool covered(const std::vector<Area>& areas, int x, int y) {
  for (const Area& area : areas)
    if (inside(area, x, y)) return true;
  return false;
}

TEST(Damage, AllAtFirstThenNothingThenWhatMoved) {
  Damage damage;
  const auto two = [](float x) {
    return [x](ImDrawList& list) {
      box(list, 20, 20);
      box(list, x, 200);
    };
  };
  Drawn first(two(100)), second(two(300));
  const std::vector<Area> all{{0, 0, kWidth, kHeight}};
  EXPECT_EQ(damage.compare(first.data, kWidth, kHeight, 1), all);
  EXPECT_TRUE(damage.compare(first.data, kWidth, kHeight, 1).empty());
  const auto moved = damage.compare(second.data, kWidth, kHeight, 1);
  EXPECT_TRUE(covered(moved, 105, 205)) << "where it was";
  EXPECT_TRUE(covered(moved, 305, 205)) << "where it is";
  EXPECT_FALSE(covered(moved, 25, 25)) << "what stayed";
  EXPECT_FALSE(covered(moved, 205, 105));
  EXPECT_TRUE(damage.compare(second.data, kWidth, kHeight, 1).empty());
  EXPECT_EQ(damage.compare(second.data, kWidth, kHeight, 2), all) << "another ground";
  EXPECT_EQ(damage.compare(second.data, kWidth, kHeight - 1, 2).size(), 1u) << "another size";
  damage.forget();
  EXPECT_EQ(damage.compare(second.data, kWidth, kHeight, 2), all);
}

TEST(Damage, ColourOrderTextureAndClipCountToo) {
  Damage damage;
  const auto draw = [](ImU32 first, ImU32 second, int texture, float clip) {
    return [=](ImDrawList& list) {
      list.PushTexture(ImTextureRef(static_cast<ImTextureID>(texture)));
      list.PushClipRect({0, 0}, {clip, kHeight});
      box(list, 50, 50, first);
      box(list, 52, 52, second);
    };
  };
  const ImU32 red = IM_COL32(255, 0, 0, 255), blue = IM_COL32(0, 0, 255, 255);
  Drawn one(draw(red, blue, 3, 390)), swapped(draw(blue, red, 3, 390)), other(draw(blue, red, 4, 390)),
      cut(draw(blue, red, 4, 55));
  (void)damage.compare(one.data, kWidth, kHeight, 0);
  EXPECT_TRUE(covered(damage.compare(swapped.data, kWidth, kHeight, 0), 55, 55));
  EXPECT_TRUE(covered(damage.compare(other.data, kWidth, kHeight, 0), 55, 55));
  EXPECT_TRUE(covered(damage.compare(cut.data, kWidth, kHeight, 0), 58, 55)) << "it is gone there";
  EXPECT_TRUE(damage.compare(cut.data, kWidth, kHeight, 0).empty());
}

TEST(Damage, ACallbackIsWhatItSaysItIs) {
  Damage damage;
  const auto with = [](std::uint64_t hash, int more) {
    return [=](ImDrawList& list) {
      list.PushClipRect({100, 100}, {150, 150});
      Batch batch;
      batch.content.hash = hash;
      batch.more = more;
      list.AddCallback(nothing, &batch, sizeof batch);
      list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
      list.PopClipRect();
      box(list, 300, 20);
    };
  };
  Drawn one(with(5, 1)), renumbered(with(5, 2)), changed(with(6, 2));
  (void)damage.compare(one.data, kWidth, kHeight, 0);
  EXPECT_TRUE(damage.compare(renumbered.data, kWidth, kHeight, 0).empty());
  const auto areas = damage.compare(changed.data, kWidth, kHeight, 0);
  EXPECT_TRUE(covered(areas, 120, 120));
  EXPECT_FALSE(covered(areas, 305, 25));
  // A callback that gives no content is new in each frame.
  Drawn silent([](ImDrawList& list) {
    list.PushClipRect({200, 100}, {220, 120});
    list.AddCallback(nothing, nullptr);
    list.PopClipRect();
  });
  (void)damage.compare(silent.data, kWidth, kHeight, 0);
  EXPECT_TRUE(covered(damage.compare(silent.data, kWidth, kHeight, 0), 210, 110));
}

TEST(Damage, ReducedIsWhatTouchesTheAreaClippedToItAndThenAllIsBack) {
  Damage damage;
  Drawn drawn([](ImDrawList& list) {
    box(list, 20, 20);
    box(list, 200, 200);
    list.PushClipRect({100, 100}, {150, 150});
    Batch batch;
    list.AddCallback(nothing, &batch, sizeof batch);
    list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
    list.PopClipRect();
    box(list, 202, 202);
  });
  (void)damage.compare(drawn.data, kWidth, kHeight, 0);
  ImDrawList& list = drawn.list();
  const int commands = list.CmdBuffer.Size, indices = list.IdxBuffer.Size, vertices = list.VtxBuffer.Size;
  int called = 0;
  damage.reduced(drawn.data, {192, 192, 224, 224}, [&] {
    ++called;
    EXPECT_EQ(list.CmdBuffer.Size, 2) << "one before the callback, one after it";
    EXPECT_EQ(list.IdxBuffer.Size, 12);
    EXPECT_EQ(list.VtxBuffer.Size, 8) << "the first box is not there";
    for (const ImDrawCmd& command : list.CmdBuffer) {
      EXPECT_EQ(command.UserCallback, nullptr);
      EXPECT_EQ(command.ClipRect.x, 192);
      EXPECT_EQ(command.ClipRect.w, 224);
      for (unsigned i = 0; i < command.ElemCount; ++i) {
        const auto& v =
            list.VtxBuffer[static_cast<int>(command.VtxOffset + list.IdxBuffer[static_cast<int>(command.IdxOffset + i)])];
        EXPECT_GE(v.pos.x, 200);
        EXPECT_LE(v.pos.x, 212);
      }
    }
  });
  damage.reduced(drawn.data, {96, 96, 128, 128}, [&] {
    ++called;
    ASSERT_EQ(list.CmdBuffer.Size, 2) << "the callback and what resets the state after it";
    EXPECT_EQ(list.CmdBuffer[0].UserCallback, nothing);
    EXPECT_EQ(list.CmdBuffer[0].ClipRect.x, 100) << "its own clip rectangle";
    EXPECT_EQ(list.CmdBuffer[0].ClipRect.z, 128) << "and the area's";
    EXPECT_EQ(list.CmdBuffer[1].UserCallback, ImDrawCallback_ResetRenderState);
  });
  EXPECT_EQ(called, 2);
  EXPECT_EQ(list.CmdBuffer.Size, commands);
  EXPECT_EQ(list.IdxBuffer.Size, indices);
  EXPECT_EQ(list.VtxBuffer.Size, vertices);
}

TEST(Damage, ManyPlacesBecomeFewAreasThatHoldThemAll) {
  Damage damage;
  const auto chess = [](ImU32 color) {
    return [color](ImDrawList& list) {
      for (int y = 0; y < 9; ++y)
        for (int x = y % 2; x < 12; x += 2) box(list, static_cast<float>(x * 32 + 8), static_cast<float>(y * 32 + 8), color);
    };
  };
  Drawn one(chess(IM_COL32_WHITE)), other(chess(IM_COL32_BLACK));
  (void)damage.compare(one.data, kWidth, kHeight, 0);
  const auto areas = damage.compare(other.data, kWidth, kHeight, 0);
  EXPECT_LE(static_cast<int>(areas.size()), Damage::kMostAreas);
  for (int y = 0; y < 9; ++y)
    for (int x = y % 2; x < 12; x += 2) EXPECT_TRUE(covered(areas, x * 32 + 12, y * 32 + 12)) << x << ", " << y;
}

}  // namespace
}  // namespace headlight
