// headlight open FILE|DIR: opens the window with a session, with a picture that contains its document, or with a model.
#include <memory>

#include "app/cli/command.h"
#include "app/cli/window_hooks.h"

namespace headlight::cli {
namespace {

std::function<int()> define_open(Arguments& arguments) {
  auto options = std::make_shared<WindowOptions>();
  arguments
      .option("file", options->open,
              "A session, a figure that Headlight exported (PNG, SVG, PDF), a PNG picture to cut into patches, or a model: its "
              "folder, or a .gguf file")
      .required()
      .existing_path();
  arguments.option("--ui-scale", options->ui_scale, "Size of everything in the window").within_reals(0.5, 4.0);
  return
      [options] { return window_hooks().open ? window_hooks().open(*options) : fail("open", no_window(Message("open a file"))); };
}

}  // namespace

Entry open_command() { return {"open", "Open the window on a session, an exported figure or a model", {}, {}, define_open}; }

}  // namespace headlight::cli
