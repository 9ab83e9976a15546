// headlight tour --out DIR: a picture of every tab and of its other views, drawn off screen; --film FILE: a minute of the window.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/window_hooks.h"

namespace headlight::cli {
namespace {

std::function<int()> define(CLI::App& app) {
  auto options = std::make_shared<TourOptions>();
  auto size = std::make_shared<std::string>("1600x1000");
  auto* folder = app.add_option("--out", options->folder, "The folder for the pictures; it is made");
  auto* film = app.add_option("--film", options->film, "Instead of pictures: a tour of a minute as a film, .gif or .png");
  folder->excludes(film);
  app.add_option("--film-rate", options->film_rate, "Pictures a second")->check(CLI::Range(1.0, 30.0))->capture_default_str();
  app.add_option("--film-colors", options->film_colors, "Colours of a GIF's pictures")
      ->check(CLI::Range(8, 255))
      ->capture_default_str();
  app.add_option("--only", options->only,
                 "Only pictures whose names begin so, as heads; lesson- shows every step of every lesson");
  app.add_option("--session", options->session, "The session to show (default: the example)")->check(CLI::ExistingFile);
  app.add_option("--size", *size, "Pixels, as 1600x1000")->capture_default_str();
  app.add_option("--theme", options->theme, "dark, light, contrast, contrast_light; or presentation, the mode of F11")
      ->capture_default_str();
  app.add_option("--language", options->language, "Of the window's words: en, zh or a language file's")->capture_default_str();
  app.add_option("--ui-scale", options->ui_scale, "Size of everything")->check(CLI::Range(0.5, 4.0))->capture_default_str();
  return [options, size] {
    if (options->folder.empty() && options->film.empty())
      return fail("tour", usage_error("nothing is to be written", {}, "give --out FOLDER or --film FILE"));
    int width = 0, height = 0;
    char rest = 0;
    if (std::sscanf(size->c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 320 || height < 240 || width > 8192 ||
        height > 8192)
      return fail("tour", usage_error("'" + *size + "' is not a size", "--size",
                                      "give width x height between 320x240 and 8192x8192, as 1600x1000"));
    options->width = width;
    options->height = height;
    return window_hooks().tour ? window_hooks().tour(*options) : fail("tour", no_window("draw the tour"));
  };
}

}  // namespace

Entry tour_command() { return {"tour", "Write a picture of every tab", {}, {}, define}; }

}  // namespace headlight::cli
