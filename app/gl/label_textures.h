// Labels: short texts that need shaping, as pictures made by Pango. A label is kept while it is used.
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
  float width = 0, height = 0;  // of the line, in pixels
  float baseline = 0;           // distance from the line's top, in pixels
  Texture texture;              // white with alpha (colour glyphs keep their colours); none without OpenGL
  int pad = 0;                  // pixels around the line in the texture, for glyphs that extend beyond it
  std::int64_t last_frame = 0;
};

class Labels {
 public:
  // The label of a text, made on first use; `em_pixels` is the side of the em square in pixels. Without `has_gl` the label has
  // sizes but no texture. The reference holds until trim() or clear().
  // get("नमस्ते", 30, figures::Font::words, true) gives a label about 30 pixels high.
  const Label& get(std::string_view text, int em_pixels, figures::Font font, bool has_gl);
  void begin_frame() { ++frame_; }
  void trim();  // frees labels that were not drawn for 600 frames; if over 2,000 remain, all that were not drawn in this frame
  void clear();
  std::size_t size() const { return labels_.size(); }
  std::uint64_t bytes() const;

 private:
  std::unordered_map<std::string, Label> labels_;
  std::int64_t frame_ = 0;
};

}  // namespace headlight::gl
