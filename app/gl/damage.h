// What of the window has changed since the last frame, so that only that is painted: a frame in which the mouse lights another
// cell costs a cell, not a window. Where OpenGL is software (virtual machines, remote desktops) painting is nearly all a frame
// costs.
//
// The window is divided into tiles; everything that touches a tile is hashed into it, in its order. A tile whose hash is the one
// of the frame before shows the same pixels.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "imgui.h"

namespace headlight::gl {

// In framebuffer pixels, y down; x1 and y1 are the first ones outside.
struct Area {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::int64_t pixels() const { return static_cast<std::int64_t>(x1 - x0) * (y1 - y0); }
  bool empty() const { return x1 <= x0 || y1 <= y0; }
  bool operator==(const Area&) const = default;
};

// What a draw callback draws: the data of every ImDrawList::AddCallback in this program begins with one. A callback without is
// taken to draw something new each frame, anywhere within its clip rectangle.
struct CallbackContent {
  static constexpr std::uint64_t kMagic = 0x6865616c69676874;
  std::uint64_t magic = kMagic;
  std::uint64_t hash = 0;  // of everything that decides about its pixels, except where it is clipped
};

class Damage {
 public:
  static constexpr int kTile = 32;      // pixels
  static constexpr int kMostAreas = 6;  // each goes through all that is drawn

  // Compares with the frame before and keeps this one: the areas to paint anew, all of the window at first, after forget() and
  // when its size or `ground` (what lies under everything: colour, theme) is another one. Empty: nothing has changed.
  const std::vector<Area>& compare(const ImDrawData& data, int width, int height, std::uint64_t ground);
  void forget() { known_ = false; }
  const std::vector<Area>& areas() const { return areas_; }  // of the last comparison

  // Calls `render` with the draw data reduced to what touches the area and clipped to it, in its order; afterwards it is as it
  // was. Of the frame that was compared last.
  void reduced(ImDrawData& data, const Area& area, const std::function<void()>& render);

 private:
  struct Box {  // tiles, both ends inclusive; x0 > x1: none
    std::int16_t x0 = 1, y0 = 1, x1 = 0, y1 = 0;
  };
  void hash_all(const ImDrawData& data);
  void find_areas();

  bool known_ = false;
  int width_ = 0, height_ = 0, across_ = 0, down_ = 0;
  std::uint64_t ground_ = 0, unrepeatable_ = 0;
  std::vector<std::uint64_t> tiles_, before_;
  std::vector<Box> triangles_;  // of every triangle of every list, in order; a callback has one too
  std::vector<Area> areas_;
  std::vector<ImDrawIdx> places_;  // of vertices, in the reduced list; kept for its memory
};

}  // namespace headlight::gl
