#include "app/window/hooks.h"

#include "app/cli/window_hooks.h"
#include "app/window/offscreen/handout.h"
#include "app/window/offscreen/pictures.h"
#include "app/window/offscreen/tour.h"
#include "app/window/screen/graphics.h"
#include "app/window/screen/loop.h"
#include "imgui.h"

namespace headlight::window {

void install_hooks() {
  cli::WindowHooks& hooks = cli::window_hooks();
  hooks.open = run_window;
  hooks.tour = run_tour;
  hooks.bench_frame = bench_frame;
  hooks.bench_picture = bench_picture;
  hooks.bench_echo = bench_echo;
  hooks.pictures = view_pictures;
  hooks.write_picture = write_view_picture;
  hooks.write_handout = write_handout;
  hooks.opengl = describe_opengl;
  hooks.fonts = [] {
    // Finding the fonts needs no window.
    ImGui::CreateContext();
    gl::FontSet fonts;
    fonts.load();
    std::vector<std::string> files = fonts.files();
    ImGui::DestroyContext();
    return files;
  };
}

}  // namespace headlight::window
