#include "app/window/offscreen/tour.h"

#include <GLFW/glfw3.h>

#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>

#include "app/cli/interrupt.h"
#include "app/views/base/view.h"
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

// Draws frames until something is so, or half a minute has passed.
template <class Is>
void wait_for(Graphics& graphics, Shell& shell, int width, int height, float scale, Is is) {
  for (int i = 0; i < 600 && !is(); ++i) {
    (void)graphics.picture(shell, width, height, scale);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void settle(Graphics& graphics, Shell& shell, int width, int height, float scale) {
  shell.worker().wait();
  (void)graphics.picture(shell, width, height, scale);  // the view makes its job
  wait_for(graphics, shell, width, height, scale, [&] { return shell.settled(); });
  const auto job = shell.jobs().find(shell.view().tab);
  if (job != shell.jobs().end() && job->second)
    wait_for(graphics, shell, width, height, scale, [&] { return job->second->pictured(); });
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
Document shown_in(const views::View& view, const Document& document) {
  const Document shown = view.toured.model ? trained(document, view.toured.model) : document;
  return view.toured.masked ? masked(shown) : shown;
}

Document with_two_sentences(Document document) {
  if (!document.targets.empty()) return document;
  document = trained(std::move(document), "english-french");
  document.texts = {"The black cat sleeps on the table."};
  document.targets = {document.model == "sandbox" ? "the forest was green" : "Le chat noir dort sur la table."};
  return document;
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

  void begin(const std::string& tab, Document shown) {
    shell.edit(std::move(shown));
    shell.view() = view;
    shell.view().tab = tab;
  }

  Status take_lessons() {
    for (const auto& lesson : shell.player().list())
      for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
        const std::string name = "lesson-" + lesson->id + "-" + std::to_string(i + 1);
        if (!wanted(name)) continue;
        shell.player().play(shell, lesson, static_cast<std::int64_t>(i));
        HL_TRY(take(name));
      }
    return {};
  }

  Status take_ways() {
    for (const Way& way : ways()) {
      if (options.only.empty() ? !way.in_tour : !wanted(name_of(way))) continue;
      begin(way.tab, shown_in(*views::registry().find(way.tab), document));
      way.set(shell.view());
      HL_TRY(take(name_of(way)));
    }
    return {};
  }

  // A pinned state beside one whose first head is gone.
  Status take_comparison() {
    const std::string& tab = views::view_that(views::Offers::comparison).id;
    if (!wanted(tab + "-pinned")) return {};
    begin(tab, document);
    settle(graphics, shell, options.width, options.height, scale);  // the pinned state is computed
    shell.pin(true);
    Document changed = document;
    HL_TRY(find_field("without")->set(changed, {document.targets.empty() ? "layer.0.head.0" : "encoder.layer.0.head.0"}));
    begin(tab, changed);
    shell.view().layer = 1;
    HL_TRY(take(tab + "-pinned"));
    shell.pin(false);
    return {};
  }

  Status take_staged() {
    for (const views::View& entry : views::registry().entries())
      for (const views::Staged& staged : entry.toured.staged) {
        const std::string name = entry.id + "-" + staged.id;
        if (!wanted(name)) continue;
        begin(entry.id, staged.two_sentences ? with_two_sentences(document) : document);
        settle(graphics, shell, options.width, options.height, scale);  // a trace of before would limit what is set
        if (staged.set) staged.set(shell.view());
        settle(graphics, shell, options.width, options.height, scale);
        if (staged.ready)
          wait_for(graphics, shell, options.width, options.height, scale, [&] { return staged.ready(*shell.job(entry.id)); });
        HL_TRY(take(name));
      }
    return {};
  }

  // What lies over the window.
  Status take_overlays() {
    begin(ViewState().tab, document);
    if (const auto& lessons = shell.player().list(); !lessons.empty()) {
      HL_TRY(shell.player().start(shell, lessons.front()->id, 1));
      HL_TRY(take("lesson"));
      shell.player().stop(shell);
    }

    begin(ViewState().tab, document);
    shell.palette.ask();
    HL_TRY(take("palette"));
    press(ImGuiKey_Escape, true);
    settle(graphics, shell, options.width, options.height, scale);
    press(ImGuiKey_Escape, false);
    begin(ViewState().tab, document);
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
  HL_TRY(pictures.take_comparison());
  HL_TRY(pictures.take_staged());
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
