// The commands' access to the window. The commands can be built without it: main() sets the hooks if there is a window, and an
// empty hook means that this build has none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/files/figure_style.h"
#include "app/session/session.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

struct WindowOptions {
  std::filesystem::path session;  // --session: opened and autosaved; created if it does not exist
  std::filesystem::path open;     // `headlight open FILE`: opened; autosaving uses another file
  std::string axes;               // --axes: of the arrays in `open`, "layer,head,query,key"; empty: guessed
  bool fresh = false;             // ignore configuration and last session
  double ui_scale = 0;            // 0: the display's scale
};

struct TourOptions {
  std::filesystem::path folder;
  std::filesystem::path session;  // empty: the default document
  int width = 1600, height = 1000;
  std::string theme = "dark";  // a theme, or "presentation": presentation mode (F11)
  std::string language = "en";
  double ui_scale = 1;
  std::string only;            // only pictures whose names begin with this text; "lesson-": every step of every lesson
  std::filesystem::path film;  // empty: pictures in the folder; else the tour as a film
  double film_rate = 5;        // pictures per second
  int film_colors = 128;       // a GIF's colours, per picture
};

// Samples of one kind of frame, in seconds: building it; all of it; CPU time of all threads, which other programs on the machine
// hardly change; all of it when the whole window is painted.
struct FrameTiming {
  std::string variant;  // the tab and its picture, or "empty"
  std::vector<double> build, total, processors, redraw;
  int width = 0, height = 0;  // the window's; a small screen limits it
};
struct FrameBenchOptions {
  int width = 1600, height = 1000, frames = 40;
  std::int64_t tokens = 128, layers = 6, heads = 8, d_model = 256;
  std::vector<std::string> only;  // pictures by name, as heads-mean; empty: all
};

struct PictureBenchOptions {
  int width = 1600, height = 1000, edits = 120;
  std::int64_t tokens = 128, layers = 6, heads = 8, d_model = 256;
  std::string backend = "cpu";
  std::optional<Document> document;  // a stored model over a sentence, in place of the sandbox that the sizes above describe
};

// A picture of a view, or its numbers, as the file's ending says.
struct PictureOptions {
  std::string name;  // one of WindowHooks::pictures()
  std::filesystem::path out;
  Session session;  // the view's state, and its theme
  std::shared_ptr<const Trace> trace;
  FigureStyle style;  // sizes that are not chosen equal the window's exports
  int dpi = 192;
};

// A lesson's steps, with their live numbers, as one HTML file or as the pages of a PDF.
struct HandoutOptions {
  std::string lesson;  // its id, or a file
  std::filesystem::path out;
  std::string language = "en", version;
  CancelToken cancel;
};

struct WindowHooks {
  std::function<int(const WindowOptions&)> open;
  std::function<int(const TourOptions&)> tour;
  std::function<Result<std::vector<FrameTiming>>(const FrameBenchOptions&)> bench_frame;
  // Seconds from a keystroke in the sentence to its picture on the screen. Error of kind unavailable: no display.
  std::function<Result<std::vector<double>>(const PictureBenchOptions&)> bench_picture;
  // Seconds from a key to the frame that shows its letter in the sentence's field. Meanwhile a trace of `tokens` tokens, or of
  // the document, is computed without end, because each key begins a new one. Errors as above.
  std::function<Result<std::vector<double>>(const PictureBenchOptions&)> bench_echo;
  std::function<std::vector<std::pair<std::string, std::string>>()> pictures;  // the pictures' names and labels
  // Errors: no such picture; a trace with nothing to show there; a file that cannot be written.
  std::function<Status(const PictureOptions&)> write_picture;
  // A lesson as a page of text and pictures, for students. Errors: no such lesson; a step that cannot be computed; the file's.
  std::function<Status(const HandoutOptions&)> write_handout;
  std::function<Result<std::string>()> opengl;      // version and renderer
  std::function<std::vector<std::string>()> fonts;  // font files that the window uses
};
WindowHooks& window_hooks();

// The error of a build without a window.
Error no_window(const Message& what);

}  // namespace headlight::cli
