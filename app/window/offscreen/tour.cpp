#include "app/window/offscreen/tour.h"

#include <GLFW/glfw3.h>

#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>

#include "app/cli/interrupt.h"
#include "app/session/live_trainer.h"
#include "app/session/view_fields.h"
#include "app/session/word_film.h"
#include "app/window/offscreen/png.h"
#include "app/window/offscreen/tour_film.h"
#include "app/window/offscreen/ways.h"
#include "app/window/screen/graphics.h"
#include "app/window/shell/opening.h"
#include "engine/document/stored_model.h"
#include "imgui.h"

namespace headlight::window {
namespace {

namespace fs = std::filesystem;

// Enough frames for layouts to settle and for derived values to be computed.
constexpr int kTourSettle = 8;

// Draws frames until something of the training is so, or half a minute has passed.
template <class Is>
void wait_for_training(Graphics& graphics, Shell& shell, int width, int height, float scale, Is is) {
  for (int i = 0; i < 600 && !is(*shell.job_of<LiveTrainer>("train").state()); ++i) {
    (void)graphics.picture(shell, width, height, scale);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void settle(Graphics& graphics, Shell& shell, int width, int height, float scale) {
  shell.worker().wait();
  (void)graphics.picture(shell, width, height, scale);  // the view makes its job
  for (int i = 0; i < 600 && !shell.settled(); ++i) {
    (void)graphics.picture(shell, width, height, scale);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (shell.view().tab == "embeddings" && value_at(shell.view(), "embeddings.page").string() == "learn")
    for (int i = 0; i < 600 && !shell.job_of<WordFilm>("embeddings").state()->finished; ++i) {
      (void)graphics.picture(shell, width, height, scale);
      if (shell.settled()) shell.job_of<WordFilm>("embeddings").play(true);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  for (int i = 0; i < kTourSettle; ++i) {
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

// With a mask, because some pictures show one.
Document masked(Document document) {
  if (document.masks.empty()) document.masks.push_back({"causal", {}});
  return document;
}

// Of a trained model, where the document's is one that the tour chose itself.
Document trained(Document document, const char* name) {
  if (document.model != "sandbox" && document.model != first_session().document.model) return document;
  if (const auto model = open_stored_model(name)) {
    use_model(document, **model);
    document.targets.clear();
  }
  return document;
}

// What a view is shown with.
Document shown_in(std::string_view tab, const Document& document) {
  if (tab == "masks") return masked(document);
  if (tab == "context") return trained(document, "course");
  return tab == "next" || tab == "why" ? trained(document, "stories") : document;
}

void press(ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }

// The pictures of one call, as they are taken one after the other.
struct Tour {
  const cli::TourOptions& options;
  Graphics& graphics;
  Shell& shell;
  const float scale;
  const ViewState view;  // each picture begins with these
  const Document document;

  bool wanted(const std::string& name) const { return name.starts_with(options.only); }

  // Writes NAME.png, if it is wanted.
  Status take(const std::string& name) {
    if (!wanted(name)) return {};
    settle(graphics, shell, options.width, options.height, scale);
    HL_ASSIGN(const std::vector<std::uint8_t> pixels, graphics.picture(shell, options.width, options.height, scale));
    const fs::path path = options.folder / (name + ".png");
    HL_TRY(write_png(path, pixels, options.width, options.height));
    std::printf("%s\n", path.string().c_str());
    return {};
  }

  void begin(const char* tab, Document shown) {
    shell.edit(std::move(shown));
    shell.view() = view;
    shell.view().tab = tab;
  }

  Status take_lessons() {
    for (const auto& lesson : shell.player().list())
      for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
        shell.player().play(shell, lesson, static_cast<std::int64_t>(i));
        HL_TRY(take("lesson-" + lesson->id + "-" + std::to_string(i + 1)));
      }
    return {};
  }

  Status take_ways() {
    for (const Way& way : ways()) {
      if (options.only.empty() ? !way.in_tour : !wanted(name_of(way))) continue;
      begin(way.tab.c_str(), shown_in(way.tab, document));
      way.set(shell.view());
      HL_TRY(take(name_of(way)));
    }
    return {};
  }

  // Two models that learn beside each other, half a minute at most.
  Status take_training() {
    if (!wanted("train-two-runs")) return {};
    begin("train", document);
    show_way(shell.view(), "train", "layers");
    settle(graphics, shell, options.width, options.height, scale);
    shell.job_of<LiveTrainer>("train").play(true);
    wait_for_training(graphics, shell, options.width, options.height, scale,
                      [](const LiveState& state) { return state.error || (!state.runs.empty() && state.runs[0].step >= 600); });
    shell.job_of<LiveTrainer>("train").play(false);
    wait_for_training(graphics, shell, options.width, options.height, scale,
                      [](const LiveState& state) { return !state.playing; });
    return take("train-two-runs");
  }

  // States that are more than a way of looking: a pinned one, training half way, two sentences.
  Status take_states() {
    begin("compare", document);
    settle(graphics, shell, options.width, options.height, scale);  // the pinned state is computed
    shell.pin(true);
    Document changed = document;  // its first head gone
    HL_TRY(find_field("without")->set(changed, {document.targets.empty() ? "layer.0.head.0" : "encoder.layer.0.head.0"}));
    begin("compare", changed);
    shell.view().layer = 1;
    HL_TRY(take("compare-pinned"));
    shell.pin(false);
    HL_TRY(take_training());

    begin("tokens", document);
    show_way(shell.view(), "tokens", "training");
    settle(graphics, shell, options.width, options.height, scale);  // the tokenizer is trained
    shell.trainer().go_to((shell.trainer().steps() + 1) / 2);
    HL_TRY(take("tokens-training-half"));

    Document two = document;
    if (two.targets.empty()) {
      two = trained(document, "english-french");
      two.texts = {"The black cat sleeps on the table."};
      two.targets = {two.model == "sandbox" ? "the forest was green" : "Le chat noir dort sur la table."};
    }
    begin("heads", two);
    shell.view().site = "decoder.cross.";
    HL_TRY(take("heads-cross"));
    begin("walk", two);
    shell.view().site = "decoder.cross.";
    HL_TRY(take("walk-cross"));
    begin("masks", two);
    HL_TRY(take("masks-two"));
    return {};
  }

  // What lies over the window.
  Status take_overlays() {
    begin("heads", document);
    if (const auto& lessons = shell.player().list(); !lessons.empty()) {
      HL_TRY(shell.player().start(shell, lessons.front()->id, 1));
      HL_TRY(take("lesson"));
      shell.player().stop(shell);
    }

    begin("heads", document);
    shell.palette.ask();
    HL_TRY(take("palette"));
    press(ImGuiKey_Escape, true);
    settle(graphics, shell, options.width, options.height, scale);
    press(ImGuiKey_Escape, false);
    begin("heads", document);
    shell.ui.sheet_open = true;
    HL_TRY(take("shortcuts"));
    return {};
  }
};

Status tour(const cli::TourOptions& options) {
  Setup setup;
  setup.session = first_session();
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
  setup.session.view.ui_scale = options.ui_scale;
  setup.configuration.reduce_motion = true;  // every picture shows the end of its motion
  setup.compute = run_on_backend();
  setup.measure_isdpa = true;  // the Index lab shows this machine's times
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, hidden());
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error)
    return failure(ErrorKind::io, "the folder cannot be made: {}", Message::term(error.message())).at(options.folder.string());
  Shell shell(std::move(setup));
  shell.ui.focus_sentence = false;
  Tour pictures{options, *graphics, shell, shell.wanted_scale(1), shell.view(), shell.document()};
  if (options.only.starts_with("lesson-")) return pictures.take_lessons();
  HL_TRY(pictures.take_ways());
  HL_TRY(pictures.take_states());
  return pictures.take_overlays();
}

}  // namespace

int run_tour(const cli::TourOptions& options) {
  const Status status = options.film.empty() ? tour(options) : film_tour(options, cli::interrupt_token());
  if (status.ok()) return 0;
  std::fprintf(stderr, "headlight tour: %s\n", status.error().sentence().c_str());
  return status.error().kind == ErrorKind::usage ? 2 : 1;
}

}  // namespace headlight::window
