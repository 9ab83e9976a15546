// Pictures in their own colours as textures, kept by Photo::key while they are drawn.
#pragma once

#include <cstdint>
#include <map>

#include "app/figures/base/figure.h"
#include "app/gl/resources.h"

namespace headlight::gl {

class PhotoTextures {
 public:
  void begin_frame() { ++frame_; }
  // OpenGL's number of the texture; 0: the driver makes none of this size.
  unsigned texture(const figures::Photo& photo);
  // Frees what was not drawn for 600 frames, and beyond the budget all that was not drawn in this one.
  void trim(std::uint64_t budget_bytes);
  void clear() { kept_.clear(); }
  std::uint64_t bytes() const;

 private:
  struct Kept {
    Texture texture;
    std::int64_t last_frame = 0;
  };
  std::map<std::uint64_t, Kept> kept_;
  std::int64_t frame_ = 0;
};

}  // namespace headlight::gl
