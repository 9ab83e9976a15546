// headlight tour --out DIR: a picture of every view and its other pictures, drawn off screen; --film FILE: a minute of the
// window.
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/window_hooks.h"

namespace headlight::cli {
namespace {

std::function<int()> define_tour(Arguments& arguments) {
  auto options = std::make_shared<TourOptions>();
  auto size = std::make_shared<std::string>("1600x1000");
  Option folder = arguments.option("--out", options->folder, "The folder for the pictures; it is made");
  const Option film =
      arguments.option("--film", options->film, "Instead of pictures: a tour of a minute as a film, .gif or .png");
  folder.excludes(film);
  arguments.option("--film-rate", options->film_rate, "Pictures a second").within_reals(1.0, 30.0).shows_default();
  arguments.option("--film-colors", options->film_colors, "Colours of a GIF's pictures").within(8, 255).shows_default();
  arguments.option("--only", options->only,
                   "Only pictures whose names begin so, as heads; lesson- shows every step of every lesson");
  arguments.option("--session", options->session, "The session to show (default: the example)").existing_file();
  arguments.option("--size", *size, "Pixels, as 1600x1000").shows_default();
  arguments.option("--theme", options->theme, "dark, light, contrast, contrast_light; or presentation, the mode of F11")
      .shows_default();
  arguments.option("--language", options->language, "Of the window's words: en, zh or a language file's").shows_default();
  arguments.option("--ui-scale", options->ui_scale, "Size of everything").within_reals(0.5, 4.0).shows_default();
  return [options, size] {
    if (options->folder.empty() && options->film.empty())
      return fail("tour", usage_error("nothing is to be written").mend("give --out FOLDER or --film FILE"));
    int width = 0, height = 0;
    char rest = 0;
    if (std::sscanf(size->c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 320 || height < 240 || width > 8192 ||
        height > 8192)
      return fail("tour", usage_error("'{}' is not a size", *size)
                              .at("--size")
                              .mend("give width x height between 320x240 and 8192x8192, as 1600x1000"));
    options->width = width;
    options->height = height;
    return window_hooks().tour ? window_hooks().tour(*options) : fail("tour", no_window(Message("draw the tour")));
  };
}

}  // namespace

Entry tour_command() { return {"tour", "Write a picture of every view", {}, {}, define_tour}; }

}  // namespace headlight::cli
