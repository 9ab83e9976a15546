// FigureView: draws a Figure into the current ImGui window. Text and shapes go through ImDrawList, Cells are float textures
// coloured by a fragment shader, text that needs shaping (Arabic, Devanagari, emoji sequences) is a Pango picture. Without an
// OpenGL context (tests on the null renderer) everything but the cells is drawn and hit just the same.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/gl/drawn_text.h"
#include "app/gl/fonts.h"
#include "imgui.h"

namespace headlight::gl {

// What the mouse does over a drawn figure.
struct Hit {
  figures::Tag tag;  // of the topmost tagged item under the mouse; kind none: nothing tagged there
  // Over Cells tagged cell_area: the cell, counted from the tag's a (row) and b (column), so that a window into a large
  // matrix gives the matrix's own numbers. Over an item tagged cell: that cell. -1 otherwise.
  std::int64_t row = -1, column = -1;
  figures::Point at;                             // the mouse in the figure's points, valid when hovered
  bool hovered = false;                          // the mouse is over the figure and nothing lies above it
  bool clicked = false, double_clicked = false;  // left button, this frame
  bool right_clicked = false;
  bool focused = false;   // of a focusable figure: it has the keyboard, and the arrows are its own
  float wheel = 0;        // notches, this frame
  bool dragging = false;  // left button held and moved; by `drag` points since the last frame
  figures::Point drag;
};

class FigureView final : public figures::TextMeasure {
 public:
  FigureView();
  ~FigureView() override;
  FigureView(const FigureView&) = delete;
  FigureView& operator=(const FigureView&) = delete;

  // Draws with the figure's top-left corner at ImGui's cursor, which then moves past it; `id` is unique in the window.
  // The figure's background is drawn too unless its alpha is 0.
  // A focusable figure can be reached with the keyboard and shows that it has it; the arrow keys are then left to the caller.
  Hit draw(const figures::Figure& figure, const char* id, bool focusable = false);

  // One line of text at a place in pixels (top-left corner), size in points of the em square, in any script: shaped where its
  // script needs it, a character without any font as its hex number. `max_width` in pixels, > 0: shortened with an ellipsis.
  void text(ImDrawList& list, ImVec2 at, std::string_view text, float size, figures::Font font, figures::Color color,
            float max_width = 0);

  // In points, as the screen draws.
  float width(std::string_view text, float size, figures::Font font) const override;
  float line_height(float size, figures::Font font) const override;

  // By the shell, before each frame. `has_gl`: an OpenGL context is current, so textures can be made.
  void begin_frame(const Fonts& fonts, const figures::Theme& theme, float scale, bool has_gl);
  // By the shell, after rendering: frees textures that have not been drawn for long, or when their memory passes the budget.
  void end_frame();
  // Reads the shaders again (HEADLIGHT_SHADER_DIR); the error is the compiler's, with file and line.
  Status reload_shaders();
  std::uint64_t shader_version() const;  // another one after each reload
  // By the shell, while its OpenGL context is still current.
  void release();

  // Characters asked for since the last call that no loaded font has: the shell loads one.
  std::set<char32_t> take_missing();

  struct Statistics {
    std::int64_t textures = 0, labels = 0, uploads = 0;  // uploads: since the start
    std::uint64_t bytes = 0;
  };
  Statistics statistics() const;
  // For tests: every text drawn from now on is written there too; null: no more.
  void watch_text(std::vector<DrawnText>* drawn);
  // ... and a text that ImGui has drawn itself, between these corners in pixels.
  void tell(ImVec2 low, ImVec2 high, std::string_view text, float size, figures::Font font) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Colours for ImDrawList.
inline ImU32 packed(figures::Color c, float alpha = 1) {
  return ImGui::ColorConvertFloat4ToU32(ImVec4(c.r, c.g, c.b, c.a * alpha));
}
inline ImVec4 vec4(figures::Color c) { return {c.r, c.g, c.b, c.a}; }

}  // namespace headlight::gl
