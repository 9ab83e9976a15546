#include "app/gl/photo_textures.h"

#include <utility>

namespace headlight::gl {

unsigned PhotoTextures::texture(const figures::Photo& photo) {
  Kept& kept = kept_[photo.key];
  kept.last_frame = frame_;
  if (!kept.texture.id()) {
    auto made = Texture::make(static_cast<int>(photo.rgba.dim(1)), static_cast<int>(photo.rgba.dim(0)), Texture::Format::rgba8,
                              photo.rgba.data<std::uint8_t>(), photo.smooth);
    if (made.ok()) kept.texture = std::move(made).value();
  }
  return kept.texture.id();
}

void PhotoTextures::trim(std::uint64_t budget_bytes) {
  std::erase_if(kept_, [this](const auto& one) { return one.second.last_frame + 600 < frame_; });
  if (bytes() > budget_bytes) std::erase_if(kept_, [this](const auto& one) { return one.second.last_frame < frame_; });
}

std::uint64_t PhotoTextures::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [key, kept] : kept_) sum += kept.texture.bytes();
  return sum;
}

}  // namespace headlight::gl
