#include "app/window/tour.h"

#include <cstdio>
#include <system_error>

#include "app/window/graphics.h"
#include "app/window/opening.h"
#include "app/window/png.h"

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
  setup.session.view.theme = options.theme;
  setup.compute = run_on_backend();
  HL_ASSIGN(const auto* theme, figures::themes().get(options.theme));
  (void)theme;
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, hidden());
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) return Error{ErrorKind::io, "the folder cannot be made: " + error.message(), options.folder.string(), {}};
  Shell shell(std::move(setup));
  shell.ui.focus_sentence = false;
  const auto scale = static_cast<float>(options.ui_scale);
  for (const panels::Entry& entry : panels::registry().entries()) {
    shell.view().tab = entry.id;
    settle(*graphics, shell, options.width, options.height, scale);
    HL_ASSIGN(const std::vector<std::uint8_t> pixels, graphics->picture(shell, options.width, options.height, scale));
    const fs::path path = options.folder / (entry.id + ".png");
    HL_TRY(write_png(path, pixels, options.width, options.height));
    std::printf("%s\n", path.string().c_str());
  }
  return {};
}

// A sentence of `tokens` words of the default one.
std::string sentence_of(std::int64_t tokens) {
  static const char* const some[] = {"a", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"};
  std::string text;
  for (std::int64_t i = 0; i < tokens; ++i) text += std::string(i ? " " : "") + some[i % 8];
  return text;
}

}  // namespace

int run_tour(const cli::TourOptions& options) {
  const Status status = tour(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "headlight tour: %s\n", status.error().sentence().c_str());
  return status.error().kind == ErrorKind::usage ? 2 : 1;
}

Result<std::vector<cli::FrameTiming>> bench_frame(const cli::FrameBenchOptions& options) {
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, hidden());
  Setup setup;
  Document& document = setup.session.document;
  document.tokenizer = "words";
  document.texts = {sentence_of(options.tokens)};
  document.layers = options.layers;
  document.heads = options.heads;
  document.d_model = options.d_model;
  HL_TRY(validate(document));
  setup.compute = run_on_backend();
  Shell shell(std::move(setup));
  shell.ui.focus_sentence = false;
  shell.worker().wait();
  std::vector<cli::FrameTiming> rows;
  const auto measure = [&](const std::string& variant, Shell* shown) -> Status {
    cli::FrameTiming row{variant, {}, {}};
    for (int i = 0; i < options.frames; ++i) {
      HL_ASSIGN(const Graphics::Timing timing, graphics->timed_frame(shown, options.width, options.height, 1));
      row.build.push_back(timing.build);
      row.total.push_back(timing.total);
    }
    rows.push_back(std::move(row));
    return {};
  };
  HL_TRY(measure("empty", nullptr));
  for (const panels::Entry& entry : panels::registry().entries()) {
    shell.view().tab = entry.id;
    settle(*graphics, shell, options.width, options.height, 1);
    if (shell.published().error) return *shell.published().error;
    HL_TRY(measure(entry.id, &shell));
  }
  return rows;
}

}  // namespace headlight::window
