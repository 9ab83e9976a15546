// FigureView draws a Figure into the current ImGui window. Text and shapes go through ImDrawList; Cells are float textures
// coloured by a fragment shader; text that needs shaping (Arabic, Devanagari, emoji sequences) is a picture made by Pango.
// Without an OpenGL context (tests on the null renderer) everything but the cells is drawn, and the mouse finds the same items.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/figures/base/cover.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/gl/drawn_text.h"
#include "app/gl/fonts.h"
#include "imgui.h"

namespace headlight::gl {

class NonFiniteSearch;

// The mouse's place and actions over a drawn figure, in this frame.
struct Hit {
  figures::Tag tag;  // of the topmost tagged item under the mouse; Tag::none: no tagged item is there
  // Over Cells tagged cell_area: the cell, counted from the tag's a (row) and b (column), so that a window into a large matrix
  // gives the numbers of the whole matrix. Over an item tagged cell: that cell. -1 otherwise.
  std::int64_t row = -1, column = -1;
  figures::Point at;                             // the mouse in the figure's points; valid if hovered
  bool hovered = false;                          // the mouse is over the figure and nothing lies above it
  bool clicked = false, double_clicked = false;  // left button, this frame
  bool right_clicked = false;
  bool focused = false;   // a focusable figure has the keyboard focus and receives the arrow keys
  float wheel = 0;        // notches, this frame
  bool dragging = false;  // the left button is held and the mouse moved, by `drag` points since the last frame
  figures::Point drag;
};

// The guesses of a class that are marked on covered pictures, by the order in which they were made.
struct GuessMarks {
  struct Mark {
    ImGuiID picture = 0;
    float x = 0, y = 0;  // as shares of the picture's width and height
  };
  static constexpr std::size_t kMost = 9;
  std::vector<Mark> list;
  int clicked = -1;  // the mark that was made or clicked in this frame
};

class FigureView final : public figures::TextMeasure {
 public:
  FigureView();
  ~FigureView() override;
  FigureView(const FigureView&) = delete;
  FigureView& operator=(const FigureView&) = delete;

  // Draws the figure with its top-left corner at ImGui's cursor and moves the cursor past the figure; `id` is unique in the
  // window. The figure's background is drawn unless its alpha is 0. A focusable figure can be reached with the keyboard and shows
  // its focus; the caller handles the arrow keys.
  // draw(figure, "heads").clicked is true in the frame in which the left button is pressed over the figure.
  Hit draw(const figures::Figure& figure, const char* id, bool focusable = false);

  // Draws one line of text in any script: `at` is the top-left corner in pixels, `size` in points of the em square. Scripts that
  // need shaping are shaped; a character that no font has is drawn as its hex number. `max_width` in pixels; if above 0, longer
  // text is shortened with an ellipsis.
  // text(list, {20, 40}, "query", 13, figures::Font::words, theme.text) draws "query".
  void text(ImDrawList& list, ImVec2 at, std::string_view text, float size, figures::Font font, figures::Color color,
            float max_width = 0);

  // Width in points, as the screen draws the text.
  float width(std::string_view text, float size, figures::Font font) const override;
  float line_height(float size, figures::Font font) const override;

  // What of the drawn figures is no finite number, and the way to it: draw() acts as if the mouse had clicked the cell that a
  // search ends at, and brings it into sight. A click on a figure's own count begins a search in this figure.
  NonFiniteSearch& search();

  // Until cover(nullptr, nullptr), what is drawn and said is covered, and a click on a covered picture makes one of `marks`.
  // Without a cover the marks are drawn alone: the guesses stay on the picture that is revealed.
  void cover(figures::Cover* cover, GuessMarks* marks);
  // A sentence as the cover leaves it; nothing: it is covered, and cover_sentence() draws a bar in its place.
  std::optional<std::string> uncovered(std::string_view sentence) const;
  void cover_sentence(ImDrawList& list, ImVec2 low, ImVec2 high) const;

  // Called by the shell before each frame. `has_gl` says that an OpenGL context is current, so that textures can be created.
  // begin_frame(fonts, theme, 1.5f, true) begins a frame at scale 1.5.
  void begin_frame(const Fonts& fonts, const figures::Theme& theme, float scale, bool has_gl);
  // Called by the shell after rendering; frees textures that were not drawn for long, or that exceed the memory budget.
  void end_frame();
  // Loads the shaders again (HEADLIGHT_SHADER_DIR). The error holds the compiler's message with file and line.
  Status reload_shaders();
  std::uint64_t shader_version() const;  // changes with each reload
  // Called by the shell while its OpenGL context is still current.
  void release();

  // The characters that were used since the last call and that no loaded font has; the shell then loads a font for these.
  std::set<char32_t> take_missing();

  struct Statistics {
    std::int64_t textures = 0, labels = 0, uploads = 0;  // uploads: since the program started
    std::uint64_t bytes = 0;
  };
  Statistics statistics() const;
  // For tests: appends every text drawn from now on to `drawn`, too. watch_text(nullptr) stops the recording.
  void watch_text(std::vector<DrawnText>* drawn);
  // Appends a text that ImGui drew itself, between the corners `low` and `high` in pixels, to the recording.
  // tell(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), "Heads", 13, figures::Font::words) records the last item.
  void tell(ImVec2 low, ImVec2 high, std::string_view text, float size, figures::Font font) const;

 private:
  friend class Uncovered;
  struct State;
  std::unique_ptr<State> state_;
};

// While one of these lives, what is drawn is not covered: the words of a control, and a value that it sets.
// const gl::Uncovered control(look.figures);
class Uncovered {
 public:
  explicit Uncovered(FigureView& figures);
  ~Uncovered();
  Uncovered(const Uncovered&) = delete;
  Uncovered& operator=(const Uncovered&) = delete;

 private:
  FigureView& figures_;
  std::pair<figures::Cover*, GuessMarks*> before_;
};

// Colours for ImDrawList; packed(theme.text, 0.5f) is the text's colour with half of its alpha.
inline ImU32 packed(figures::Color c, float alpha = 1) {
  return ImGui::ColorConvertFloat4ToU32(ImVec4(c.r, c.g, c.b, c.a * alpha));
}
inline ImVec4 vec4(figures::Color c) { return {c.r, c.g, c.b, c.a}; }

}  // namespace headlight::gl
