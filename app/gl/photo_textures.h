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
  // OpenGL's number of the photo's texture, made on first use; 0: the driver cannot make a texture of this size.
  unsigned texture(const figures::Photo& photo);
  // Frees textures that were not drawn for 600 frames; if the others exceed the budget, all that were not drawn in this frame.
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
