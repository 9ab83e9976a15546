// Finds the areas of the window that changed since the last frame, so that only these are painted: if the mouse lights another
// cell, the frame costs one cell, not a whole window. With software OpenGL (virtual machines, remote desktops) painting is nearly
// the whole cost of a frame.  The window is divided into tiles. All triangles and callbacks that touch a tile are hashed in
// drawing order. If the hash is the same as in the frame before, the tile shows the same pixels.
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

// The content of a draw callback: in this program the data of every ImDrawList::AddCallback begins with a CallbackContent. We
// assume that any other callback draws something new each frame, anywhere within its clip rectangle.
struct CallbackContent {
  static constexpr std::uint64_t kMagic = 0x6865616c69676874;
  std::uint64_t magic = kMagic;
  std::uint64_t hash = 0;  // of everything that determines the callback's pixels, except the clip rectangle
};

class Damage {
 public:
  static constexpr int kTile = 32;      // pixels
  static constexpr int kMostAreas = 6;  // each area means going through the whole frame again

  // Compares this frame with the frame before and keeps its hashes. Returns the areas to paint again; no area means that nothing
  // has changed. The whole window is one area in the first frame, after forget(), and if the window's size (framebuffer pixels)
  // or `ground` (a hash of the background: colour, theme) changed.
  // compare(data, 1600, 1000, ground) gives {{0, 0, 1600, 1000}} in the first frame, and {} if the second frame is the same.
  const std::vector<Area>& compare(const ImDrawData& data, int width, int height, std::uint64_t ground);
  void forget() { known_ = false; }
  const std::vector<Area>& areas() const { return areas_; }  // of the last comparison

  // Reduces the draw data to the triangles and callbacks that touch the area, clipped to the area and in the same order, calls
  // `render` and restores the data. `data` must be the frame that compare() saw last.
  // reduced(data, areas().front(), [&] { ImGui_ImplOpenGL3_RenderDrawData(&data); }) paints the first area.
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
