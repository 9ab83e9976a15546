// Labels: short texts that need shaping, as pictures made by Pango; they are kept while they are used.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "app/figures/base/figure.h"
#include "app/gl/resources.h"

namespace headlight::gl {

struct Label {
  float width = 0, height = 0;  // pixels, of the line
  float baseline = 0;           // distance from the top
  Texture texture;              // white with alpha (colour glyphs keep their colours); none without OpenGL
  int pad = 0;                  // pixels around the line in the texture, for glyphs that extend beyond it
  std::int64_t last_frame = 0;
};

class Labels {
 public:
  // `em_pixels`: pixels of the em square. Without `has_gl` only the measures are filled.
  const Label& get(std::string_view text, int em_pixels, figures::Font font, bool has_gl);
  void begin_frame() { ++frame_; }
  void trim();  // frees labels that were not drawn for 600 frames, and the oldest beyond 2,000
  void clear();
  std::size_t size() const { return labels_.size(); }
  std::uint64_t bytes() const;

 private:
  std::unordered_map<std::string, Label> labels_;
  std::int64_t frame_ = 0;
};

}  // namespace headlight::gl
