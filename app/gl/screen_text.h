// Text on the screen in any script: ImGui's glyphs where they suffice, a picture by Pango where the script needs shaping, and the
// hex number of a character that no font has. Sizes are those of the em square, as in the design and in files.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/gl/drawn_text.h"
#include "app/gl/fonts.h"
#include "app/gl/label_textures.h"
#include "imgui.h"

namespace headlight::gl {

class ScreenText {
 public:
  // Sets the fonts and the scale of this frame. begin_frame(fonts, 1.5f, true) draws at scale 1.5, with an OpenGL context.
  void begin_frame(const Fonts& fonts, float scale, bool has_gl);

  // Width in pixels; `size` in points. width("Q", 20, font) is twice width("Q", 10, font), within rounding.
  float width(std::string_view text, float size, figures::Font font) const;
  float line_height(float size, figures::Font font) const;  // in pixels: line_height(13, figures::Font::words)
  // Draws a text with its top-left corner at `at` (pixels), rotated by `degrees` counter-clockwise about `pivot`.
  // draw(list, {20, 40}, "query", 13, figures::Font::words, ink) draws "query" level.
  void draw(ImDrawList& list, ImVec2 at, std::string_view text, float size, figures::Font font, ImU32 color, float degrees = 0,
            ImVec2 pivot = {}) const;
  // The text or, if it is wider than `max_width` pixels, the longest beginning that fits with an ellipsis; `max_width` 0 fits
  // all.
  // fitted("attention", 13, figures::Font::words, 0) gives "attention".
  std::string fitted(std::string_view text, float size, figures::Font font, float max_width) const;

  // For tests: appends every drawn text to `drawn`, too. watch(nullptr) stops the recording.
  void watch(std::vector<DrawnText>* drawn) { drawn_ = drawn; }
  // Appends a text between the corners `low` and `high` (pixels) to the recording, even if it is scrolled out of sight. draw()
  // calls it.
  void tell(const ImDrawList& list, ImVec2 low, ImVec2 high, std::string_view text, float size, figures::Font font,
            float degrees = 0, ImVec2 pivot = {}) const;
  bool watched() const { return drawn_ != nullptr; }

  Labels& labels() { return labels_; }
  // The used characters that no loaded font has; the caller may load a font and clear the set.
  std::set<char32_t>& missing() { return missing_; }

 private:
  struct Face {
    ImFont* font = nullptr;
    float em = 1;  // ImGui's font size for an em of 1
  };
  Face face(figures::Font font) const;
  bool has(ImFont* font, char32_t c) const;
  std::string drawable(ImFont* font, std::string_view text) const;
  const Label* label(std::string_view text, float size, figures::Font font) const;

  Fonts fonts_;
  float scale_ = 1;
  bool has_gl_ = false;
  std::vector<DrawnText>* drawn_ = nullptr;
  mutable std::set<std::string> shortened_;  // in tests: the texts that fitted() shortened
  mutable Labels labels_;
  mutable std::set<char32_t> missing_;
  mutable std::unordered_map<ImFont*, std::unordered_map<char32_t, bool>> known_;
  int sources_ = 0;
};

}  // namespace headlight::gl
