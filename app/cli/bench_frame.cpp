// headlight bench frame: the cost of building and drawing a frame, measured by the window.
#include <algorithm>
#include <cstdio>

#include "app/cli/bench.h"
#include "app/cli/window_hooks.h"
#include "engine/bench/sandbox.h"

namespace headlight::cli {
namespace {

constexpr std::int64_t kBusyTokens = 1024;  // of the trace that is computed while letters are typed
constexpr int kEchoes = 120;
constexpr double kPictureEach = 0.05, kEchoEach = 0.08;  // seconds, about

}  // namespace

Result<std::vector<bench::Row>> bench_frame(const bench::Request& request, const CancelToken& cancel) {
  const auto& measure = window_hooks().bench_frame;
  if (!measure) return no_window(Message("bench frame"));
  if (cancel.cancelled()) return cancelled();
  FrameBenchOptions options;
  options.tokens = request.tokens;
  options.layers = request.layers;
  options.heads = request.heads;
  options.d_model = request.d;
  options.only = request.variants;
  HL_ASSIGN(const std::vector<FrameTiming> timings, measure(options));
  std::string device = "OpenGL";
  if (const auto& opengl = window_hooks().opengl) {
    if (const auto said = opengl()) device = *said;
  }
  std::vector<bench::Row> rows;
  for (const FrameTiming& timing : timings) {
    const struct {
      const char* mode;
      const std::vector<double>& samples;
    } kinds[] = {{"build", timing.build}, {"total", timing.total}, {"processors", timing.processors}, {"redraw", timing.redraw}};
    for (const auto& kind : kinds) {
      if (kind.samples.empty()) continue;
      bench::Row row;
      row.what = "frame";
      row.variant = timing.variant;
      row.mode = kind.mode;
      row.backend = "opengl";
      row.device = device;
      row.sizes = {{"tokens", options.tokens}, {"layers", options.layers}, {"heads", options.heads},
                   {"d", options.d_model},     {"width", timing.width},    {"height", timing.height}};
      row.samples = kind.samples;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

Result<std::vector<bench::Row>> bench_keystroke(const bench::Request& request, const CancelToken& cancel) {
  HL_ASSIGN(std::vector<bench::Row> rows, bench::keystroke(request, cancel));
  const auto& measure = window_hooks().bench_picture;
  const auto skipped = [&](const Error& why) {
    std::fprintf(stderr, "SKIP keystroke picture: %s\n", why.sentence().c_str());
    return rows;
  };
  if (!measure) return skipped(no_window(Message("show a picture")));
  if (cancel.cancelled()) return cancelled();
  if (request.effort.over()) return rows;
  if (request.progress) request.progress("keystrokes in a window");
  PictureBenchOptions options;
  options.tokens = request.tokens;
  options.layers = request.layers;
  options.heads = request.heads;
  options.d_model = request.d;
  options.backend = request.backend->device().id;
  if (!request.model.empty()) {
    HL_ASSIGN(const auto sandbox, bench::Sandbox::make(request, request.backend, cancel));
    options.document = sandbox->published().document();
  }
  // A limit allows for fewer edits: of about a frame or a pause between two keys each.
  const auto within_limit = [&](int most, double each) {
    if (!request.effort.begun) return most;
    const double left = request.effort.seconds * (1 - request.effort.passed());
    return std::clamp(static_cast<int>(left / each), 1, most);
  };
  options.edits = within_limit(options.edits, kPictureEach);
  auto seconds = measure(options);
  if (!seconds && seconds.error().kind == ErrorKind::unavailable) return skipped(seconds.error());
  if (!seconds) return seconds.error();
  bench::Row row = rows.front();
  row.variant = "a key";
  row.mode = "picture";
  row.samples = std::move(seconds).value();
  rows.push_back(row);
  if (cancel.cancelled()) return cancelled();
  if (request.effort.over()) return rows;
  if (request.progress) request.progress("letters while a trace is computed");
  if (!options.document) options.tokens = kBusyTokens;  // a model's own sentence is long enough
  options.edits = within_limit(kEchoes, kEchoEach);
  HL_ASSIGN(std::vector<double> echoes, window_hooks().bench_echo(options));
  bench::Row echo = row;
  echo.mode = "echo";
  echo.samples = std::move(echoes);
  for (auto& [name, value] : echo.sizes)
    if (name == "tokens") value = options.tokens;
  rows.push_back(std::move(echo));
  return rows;
}

}  // namespace headlight::cli
