// headlight open FILE|DIR: opens the window with a session, with a picture that contains its document, with a model, or with
// arrays.
#include <memory>

#include "app/cli/command.h"
#include "app/cli/window_hooks.h"

namespace headlight::cli {
namespace {

std::function<int()> define_open(Arguments& arguments) {
  auto options = std::make_shared<WindowOptions>();
  arguments
      .option(
          "file", options->open,
          "A session, a figure that Headlight exported (PNG, SVG, PDF), a PNG picture to cut into patches, a model (its folder, "
          "or a .gguf file), or attention as arrays: .npz, .npy, .safetensors, .json, a page that Headlight exported")
      .required()
      .existing_path();
  arguments.option(
      "--axes", options->axes,
      "The axes of the arrays' weights, scores or queries: of layer, sentence, head, query, key (d of vectors, 12*d of 12 "
      "heads side by side, - for an axis of size 1); without it they are guessed, and the window asks");
  arguments.option("--ui-scale", options->ui_scale, "Size of everything in the window").within_reals(0.5, 4.0);
  return
      [options] { return window_hooks().open ? window_hooks().open(*options) : fail("open", no_window(Message("open a file"))); };
}

}  // namespace

Entry open_command() {
  return {"open", "Open the window on a session, an exported figure, a model or arrays", {}, {}, define_open};
}

}  // namespace headlight::cli
