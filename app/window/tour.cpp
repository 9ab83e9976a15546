#include "app/window/tour.h"

#include <GLFW/glfw3.h>

#include <cstdio>
#include <system_error>

#include "app/cli/interrupt.h"
#include "app/window/graphics.h"
#include "app/window/opening.h"
#include "app/window/png.h"
#include "app/window/tour_film.h"
#include "app/window/ways.h"
#include "imgui.h"

namespace headlight::window {
namespace {

namespace fs = std::filesystem;

// Enough frames for layouts to settle and for derived values to be made in between.
constexpr int kSettle = 8;

void settle(Graphics& graphics, Shell& shell, int width, int height, float scale) {
  shell.worker().wait();
  for (int i = 0; i < kSettle; ++i) {
    (void)graphics.picture(shell, width, height, scale);
    shell.lane().wait();
    shell.worker().wait();
  }
}

Result<std::unique_ptr<Graphics>> hidden() {
  GraphicsOptions options;
  options.width = options.height = 64;
  options.visible = options.input = false;
  return Graphics::make(options);
}

Status tour(const cli::TourOptions& options) {
  Setup setup;
  if (!options.session.empty()) {
    HL_ASSIGN(setup.session, load_any(options.session));
  }
  setup.session.view.presentation = options.theme == "presentation";
  if (!setup.session.view.presentation) {
    HL_ASSIGN(const auto* theme, figures::themes().get(options.theme));
    setup.session.view.theme = theme->id;
  }
  HL_TRY(load_language(options.language));
  setup.configuration.language = options.language;
  setup.configuration.reduce_motion = true;  // every picture is the end of its motion
  setup.compute = run_on_backend();
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, hidden());
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) return Error{ErrorKind::io, "the folder cannot be made: " + error.message(), options.folder.string(), {}};
  Shell shell(std::move(setup));
  shell.ui.focus_sentence = false;
  const float scale = shell.wanted_scale(static_cast<float>(options.ui_scale));
  const auto take = [&](const std::string& name) -> Status {
    settle(*graphics, shell, options.width, options.height, scale);
    HL_ASSIGN(const std::vector<std::uint8_t> pixels, graphics->picture(shell, options.width, options.height, scale));
    const fs::path path = options.folder / (name + ".png");
    HL_TRY(write_png(path, pixels, options.width, options.height));
    std::printf("%s\n", path.string().c_str());
    return {};
  };
  const ViewState view = shell.view();
  for (const Way& way : ways()) {
    if (!way.in_tour) continue;
    shell.view() = view;
    shell.view().tab = way.tab;
    way.set(shell.view());
    HL_TRY(take(name_of(way)));
  }
  return {};
}

}  // namespace

int run_tour(const cli::TourOptions& options) {
  const Status status = options.film.empty() ? tour(options) : film_tour(options, cli::interrupt_token());
  if (status.ok()) return 0;
  std::fprintf(stderr, "headlight tour: %s\n", status.error().sentence().c_str());
  return status.error().kind == ErrorKind::usage ? 2 : 1;
}

}  // namespace headlight::window
