// Matrices as float textures that a shader colours. Textures are cached by Cells::key; the least recently drawn are dropped
// first.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/gl/damage.h"
#include "app/gl/resources.h"
#include "imgui.h"

namespace headlight::gl {

// The texture of a whole matrix, even if only a part is drawn: (value, visible share) per texel; instead of the share 2, 3 or
// 4 where a visible cell is −∞, +∞ or not a number.
struct CellTexels {
  int width = 0, height = 0;
  bool two_channels = false;  // some cell is masked or holds no finite number
  std::vector<float> values;  // width * height * (two_channels ? 2 : 1)
};
// Reduces each block of `row_block` x `column_block` cells to one texel, for pictures in which many cells share a pixel.
// texels_of(cells, false, 4, 4) of 100 x 40 cells gives a texture of height 25 and width 10.
CellTexels texels_of(const figures::Cells& cells, bool is_signed, std::int64_t row_block, std::int64_t column_block);
// The largest block size, a power of two, at which a texel is no larger than a pixel; 1 while cells are larger than half a pixel.
// block_for(1000, 100): 10 cells share a pixel, so a block has 8 cells.
std::int64_t block_for(std::int64_t cells, double pixels);

class CellsRenderer {
 public:
  Status load_shaders();                                       // keeps the old program if the new one does not compile
  void begin_frame(const figures::Theme& theme, float scale);  // begin_frame(theme, 2) draws gaps twice as wide
  // Adds the cells to `list`, between the corners `low` and `high` in pixels. The cells are drawn when ImGui's draw data is
  // rendered.
  // add(list, cells, {0, 0}, {400, 400}, 1) draws the cells opaquely into a square of 400 pixels.
  void add(ImDrawList& list, const figures::Cells& cells, ImVec2 low, ImVec2 high, float alpha);
  // Drops textures that were not drawn for 600 frames and, while the others exceed the budget, those drawn longest ago; textures
  // of this frame stay.
  void trim(std::uint64_t budget_bytes);
  void clear();
  std::size_t textures() const { return textures_.size(); }
  std::int64_t uploads() const { return uploads_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  using Key = std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, int>;
  struct Cached {
    Texture texture;
    std::int64_t serial = 0;
    std::int64_t last_frame = 0;
  };
  struct Draw {
    std::int64_t serial = 0;  // number of the texture; OpenGL's own numbers are reused
    unsigned values = 0, colormap = 0;
    float box[4] = {};
    float cells[2] = {}, from[2] = {};
    float low = 0, high = 1, gap[2] = {}, alpha = 1;
    bool mean = false, magnitude = false;
  };
  struct Batch {
    CallbackContent content;
    CellsRenderer* self = nullptr;
    std::size_t index = 0;
  };
  static std::uint64_t hash_of(const Draw& draw);
  static void render(const ImDrawList* list, const ImDrawCmd* command);
  const Texture* lookup(const std::string& colormap);

  Program program_;
  int at_box_ = -1, at_viewport_ = -1, at_values_ = -1, at_colormap_ = -1, at_cells_ = -1, at_from_ = -1, at_low_high_ = -1,
      at_gap_ = -1, at_masked_ = -1, at_hatch_ = -1, at_period_ = -1, at_hatch_width_ = -1, at_mean_ = -1, at_magnitude_ = -1,
      at_alpha_ = -1, at_non_finite_ = -1;
  unsigned vertex_array_ = 0;
  const figures::Theme* theme_ = nullptr;
  float scale_ = 1;
  std::map<Key, Cached> textures_;
  std::map<std::string, Texture> lookups_;  // colormap and theme
  std::vector<Draw> draws_;
  std::vector<Texture> transient_;  // textures of cells without a key; they last one frame
  std::int64_t frame_ = 0, uploads_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace headlight::gl
