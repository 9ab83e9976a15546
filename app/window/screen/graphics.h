// The OpenGL window (shown, or hidden for pictures off screen) with Dear ImGui, the fonts and the figure view on it.
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
  int width = 1600, height = 1000;
  bool visible = true;
  bool maximised = false;
  bool input = true;             // takes part in keyboard and mouse
  bool waits_for_screen = true;  // false: frames as fast as they are drawn, for measurements
};

class Graphics {
 public:
  // The error names the mend: no display, no OpenGL 3.3.
  static Result<std::unique_ptr<Graphics>> make(const GraphicsOptions& options);
  ~Graphics();
  Graphics(const Graphics&) = delete;
  Graphics& operator=(const Graphics&) = delete;

  struct Timing {
    double build = 0, total = 0;  // seconds: CPU before rendering; with rendering, without waiting for the screen
    double processors = 0;        // of timed_frame(): all threads' time on the processors, the software renderer's among them
  };
  // One frame of the shell on the window: what has changed since the last one is painted, and shown unless that is nothing.
  Timing frame(Shell& shell, float scale);
  // Whether the last frame() had something new to show.
  bool showed() const { return showed_; }
  // What the last frame() or both_ways() painted anew.
  const std::vector<gl::Area>& painted_areas() const { return damage_.areas(); }
  // The next frame is painted as if nothing had been before it.
  void forget() { damage_.forget(); }
  // The next frame is shown, changed or not: the window was covered, or is another one now.
  void show_again() { show_again_ = true; }
  // One frame off screen; RGBA rows from the top.
  Result<std::vector<std::uint8_t>> picture(Shell& shell, int width, int height, float scale);
  // One frame off screen, painted as frame() paints, and once more as a whole: for the test that they are the same.
  struct BothWays {
    std::vector<std::uint8_t> kept, anew;  // RGBA rows from the top
  };
  Result<BothWays> both_ways(Shell& shell, int width, int height, float scale);
  // A frame on the window, timed to the end of the GPU's work and of the swap. Without a shell an empty one: cleared and swapped.
  // `build` is this thread's time on the processor, whoever else wants it.
  Timing timed_frame(Shell* shell, float scale);

  // From now on the mouse is here, wherever the real one stands; in pixels.
  void point_at(ImVec2 place) { mouse_ = place; }

  float display_scale() const;
  GLFWwindow* window() const { return window_; }
  const std::string& message() const { return message_; }  // about fonts or shaders; empty: all is well
  std::string opengl() const;                              // "4.5 (Core Profile) Mesa ..., llvmpipe"
  const std::vector<std::string>& font_files() const { return fonts_.files(); }
  const gl::FigureView& figures() const { return figures_; }

 private:
  Graphics() = default;
  void begin(Shell* shell, int width, int height, float scale, bool off_screen);
  void cover_text(const Shell& shell);
  bool paint(const figures::Theme& theme, int width, int height, float scale, const gl::Framebuffer* into = nullptr);

  GLFWwindow* window_ = nullptr;
  gl::FontSet fonts_;
  gl::FigureView figures_;
  std::string message_;
  std::string theme_;  // of the style in use
  float scale_ = 0;
  std::string covered_;                         // texts whose characters have been looked for
  const Language* covered_language_ = nullptr;  // likewise; languages live as long as the process
  double last_milliseconds_ = 0;
  std::optional<ImVec2> mouse_;
  gl::Damage damage_;
  std::optional<gl::Framebuffer> painted_;  // what the window shows; only the changed parts of it are painted in a frame
  bool showed_ = true, show_again_ = true;
  bool imgui_ = false, backends_ = false;
};

// The OpenGL version and renderer of this machine, or why there is none ("no display").
Result<std::string> describe_opengl();

}  // namespace headlight::window
