// Finds what changed in the window since the last frame, so that only that is painted: if the mouse lights another cell, the
// frame costs one cell, not a whole window. With software OpenGL (virtual machines, remote desktops) painting is nearly the whole
// cost of a frame.
//
// The window is divided into tiles. Everything that touches a tile is hashed in drawing order. If the hash is the same as in the
// frame before, the tile shows the same pixels.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "imgui.h"

namespace headlight::gl {

// In framebuffer pixels, y downwards; x1 and y1 are the first pixels outside.
struct Area {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::int64_t pixels() const { return static_cast<std::int64_t>(x1 - x0) * (y1 - y0); }
  bool empty() const { return x1 <= x0 || y1 <= y0; }
  bool operator==(const Area&) const = default;
};

// The content of a draw callback: in this program the data of every ImDrawList::AddCallback begins with one. A callback without
// it is assumed to draw something new each frame, anywhere within its clip rectangle.
struct CallbackContent {
  static constexpr std::uint64_t kMagic = 0x6865616c69676874;
  std::uint64_t magic = kMagic;
  std::uint64_t hash = 0;  // of everything that determines its pixels, except its clip rectangle
};

class Damage {
 public:
  static constexpr int kTile = 32;      // pixels
  static constexpr int kMostAreas = 6;  // each area means going through the whole frame again

  // Compares with the frame before and keeps this one. Returns the areas to paint again. All of the window is painted at first,
  // after forget(), and if its size or `ground` (the background: colour, theme) changed. Empty: nothing has changed.
  const std::vector<Area>& compare(const ImDrawData& data, int width, int height, std::uint64_t ground);
  void forget() { known_ = false; }
  const std::vector<Area>& areas() const { return areas_; }  // of the last comparison

  // Calls `render` with the draw data reduced to what touches the area, clipped to it, in the same order; afterwards restores the
  // data. For the frame that was compared last.
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
  std::vector<Box> triangles_;  // tiles touched by every triangle of every list, in order; a callback has a box, too
  std::vector<Area> areas_;
  std::vector<ImDrawIdx> places_;  // of vertices, in the reduced list; a member to keep its memory
};

}  // namespace headlight::gl
