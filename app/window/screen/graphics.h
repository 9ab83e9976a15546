// The OpenGL window (shown, or hidden for pictures off screen) with Dear ImGui, the fonts and the figure view.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gl/damage.h"
#include "app/gl/figure_view.h"
#include "app/gl/font_set.h"
#include "app/gl/resources.h"
#include "app/window/shell/shell.h"
#include "engine/core/status.h"
#include "imgui.h"

struct GLFWwindow;

namespace headlight::window {

struct GraphicsOptions {
  int width = 1600, height = 1000;  // at a scale of 1
  bool visible = true;
  bool maximised = false;
  bool input = true;             // receives keyboard and mouse input
  bool waits_for_screen = true;  // false: frames are shown as soon as they are drawn, for measurements
  double scale = 0;              // of everything in a visible window, which gets as much larger; 0: the display's
};

// The size at which the window opens: `width` x `height` at a scale of 1, and no larger than the screen's free area (0: unknown).
// opening_size(1600, 1000, 2, 3840, 2400) is {3200, 2000}.
struct OpeningSize {
  int width = 0, height = 0;
};
OpeningSize opening_size(int width, int height, double scale, int most_width, int most_height);

class Graphics {
 public:
  // The error says how to fix it: no display, no OpenGL 3.3.
  static Result<std::unique_ptr<Graphics>> make(const GraphicsOptions& options);
  ~Graphics();
  Graphics(const Graphics&) = delete;
  Graphics& operator=(const Graphics&) = delete;

  struct Timing {
    double build = 0, total = 0;  // seconds. build: CPU before rendering; total: all but waiting for the screen
    double processors = 0;        // timed_frame() only: CPU seconds of all threads, the software renderer's included
  };
  // Draws one frame of the shell in the window: paints the changes since the last frame and shows the frame if there are any.
  // frame(shell, 1.5) draws at 1.5 pixels per point.
  Timing frame(Shell& shell, float scale);
  // Whether the last frame() showed something new.
  bool showed() const { return showed_; }
  // The areas that the last frame() or both_ways() painted.
  const std::vector<gl::Area>& painted_areas() const { return damage_.areas(); }
  // Makes the next frame paint everything.
  void forget() { damage_.forget(); }
  // Makes the next frame appear even without changes: the window was covered, or its framebuffer is a new one.
  void show_again() { show_again_ = true; }
  // Draws one frame off screen; RGBA, rows from the top.
  // picture(shell, 1600, 1000, 1)->size() is 1600 * 1000 * 4.
  Result<std::vector<std::uint8_t>> picture(Shell& shell, int width, int height, float scale);
  // Draws one frame off screen twice, as frame() paints it and completely. A test compares both.
  struct BothWays {
    std::vector<std::uint8_t> kept, anew;  // RGBA rows from the top
  };
  // both_ways(shell, 1600, 1000, 1)->kept should equal its `anew`.
  Result<BothWays> both_ways(Shell& shell, int width, int height, float scale);
  // A frame in the window, timed until the GPU and the swap have finished. Without a shell, an empty frame is cleared and
  // swapped. `build` is CPU time of this thread, so that other processes do not count.
  // timed_frame(nullptr, 1) times an empty window.
  Timing timed_frame(Shell* shell, float scale);

  // Puts the mouse at this place (pixels) from now on, wherever the real mouse is.
  void point_at(ImVec2 place) { mouse_ = place; }

  float display_scale() const;
  // The window's size in screen coordinates per unit of GraphicsOptions::width.
  double size_scale() const { return size_scale_; }
  GLFWwindow* window() const { return window_; }
  const Message& message() const { return message_; }  // on fonts or shaders; empty: no problem
  std::string opengl() const;                          // "4.5 (Core Profile) Mesa ..., llvmpipe"
  const std::vector<std::string>& font_files() const { return fonts_.files(); }
  const gl::FigureView& figures() const { return figures_; }

 private:
  Graphics() = default;
  void begin(Shell* shell, int width, int height, float scale, bool off_screen);
  void cover_text(const Shell& shell);
  bool paint(const figures::Theme& theme, int width, int height, float scale, const gl::Framebuffer* into = nullptr);

  GLFWwindow* window_ = nullptr;
  double size_scale_ = 1;
  gl::FontSet fonts_;
  gl::FigureView figures_;
  Message message_;
  std::string theme_;  // of the present style
  float scale_ = 0;
  std::optional<std::string> covered_;          // texts whose characters have been looked up
  const Language* covered_language_ = nullptr;  // likewise; languages live as long as the process
  double last_milliseconds_ = 0;
  std::optional<ImVec2> mouse_;
  gl::Damage damage_;
  std::optional<gl::Framebuffer> painted_;  // the window's content; each frame paints only its changed parts
  bool showed_ = true, show_again_ = true;
  bool imgui_ = false, backends_ = false;
};

// The OpenGL version and renderer of this machine, or why there is none ("no display").
Result<std::string> describe_opengl();

}  // namespace headlight::window
