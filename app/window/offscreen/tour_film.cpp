#include "app/window/offscreen/tour_film.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <thread>
#include <utility>

#include "app/export/film_writer.h"
#include "app/export/raster.h"
#include "app/figures/base/compose.h"
#include "app/session/live_trainer.h"
#include "app/session/view_fields.h"
#include "app/ui/style.h"
#include "app/views/base/view.h"
#include "app/window/commands/actions.h"
#include "app/window/offscreen/ways.h"
#include "app/window/screen/graphics.h"
#include "app/window/shell/opening.h"
#include "engine/core/files.h"
#include "engine/document/stored_model.h"
#include "engine/tokenizers/tokenizer.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::window {
using namespace ui;
namespace {

using Clock = std::chrono::steady_clock;

constexpr float kCaptionHeight = 44;  // below the window, in points

class Recorder {
 public:
  Recorder(Graphics& graphics, Shell& shell, const cli::TourOptions& options, figures::FilmWriter& writer,
           const CancelToken& cancel)
      : graphics_(graphics), shell_(shell), options_(options), writer_(writer), cancel_(cancel) {}

  Status status;  // the first error; nothing is done after it

  bool has(const char* tab) const { return views::registry().find(tab) != nullptr; }
  void tell(std::string words) { caption_ = std::move(words); }
  void tab(const char* id) { shell_.view().tab = id; }
  void view(const std::function<void(ViewState&)>& change) { change(shell_.view()); }
  void document(const std::function<void(Document&)>& change) {
    Document next = shell_.document();
    change(next);
    shell_.edit(std::move(next));
  }
  void masks(const std::string& list) {
    document([&](Document& d) {
      if (auto parsed = masks::parse_list(list); parsed.ok()) d.masks = *parsed;
    });
  }

  // Lets the window run for this long; motions take their real time.
  void hold(double seconds) {
    const int frames = std::max(1, static_cast<int>(std::lround(seconds * options_.film_rate)));
    for (int i = 0; i < frames && status.ok(); ++i) frame();
  }
  // Two letters per picture.
  void type(const std::string& text) {
    for (std::size_t end = 0; end < text.size() && status.ok();) {
      end = std::min(text.size(), end + 2);
      document([&](Document& d) { d.texts[0] = text.substr(0, end); });
      frame();
    }
  }
  // Scrolls to what is below the lower edge of the view.
  void scroll_down() {
    for (ImGuiWindow* window : GImGui->Windows)
      if (window->WasActive && std::string_view(window->Name).find("/main_") != std::string_view::npos)
        ImGui::SetScrollY(window, window->ScrollMax.y);
  }
  // Moves the mouse to a place within a named part of the window, or away.
  void point(const std::string& part, float x, float y) {
    const auto at = shell_.parts.places.find(part);
    if (at == shell_.parts.places.end()) return leave();
    const auto& place = at->second;
    const ImVec2 to(place.x0 + (place.x1 - place.x0) * x, place.y0 + (place.y1 - place.y0) * y);
    const ImVec2 from = mouse_.x < 0 ? to : mouse_;
    for (int i = 1; i <= 2 && status.ok(); ++i) {
      const float share = static_cast<float>(i) / 2;
      mouse_ = {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
      frame();
    }
  }
  void leave() { mouse_ = {-1, -1}; }

 private:
  void frame() {
    if (cancel_.cancelled()) status = cancelled();
    if (!status.ok()) return;
    // Waits until the picture belongs to the present document. The window may dim an old result; a film need not show that.
    shell_.worker().wait();
    ImGuiIO& io = ImGui::GetIO();
    for (int i = 0; i < 3; ++i) {
      io.MouseDrawCursor = mouse_.x >= 0;
      io.AddMousePosEvent(mouse_.x < 0 ? -1e6f : mouse_.x, mouse_.x < 0 ? -1e6f : mouse_.y);
      auto pixels = graphics_.picture(shell_, options_.width, options_.height, static_cast<float>(options_.ui_scale));
      if (!pixels.ok()) {
        status = pixels.error();
        return;
      }
      if (i < 2) {
        shell_.lane().wait();
        shell_.worker().wait();
        continue;
      }
      status = add(std::move(*pixels));
    }
    // Frames follow the same clock as the window's motions.
    next_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / options_.film_rate));
    const auto now = Clock::now();
    if (next_ < now) next_ = now;
    std::this_thread::sleep_until(next_);
  }

  Status add(std::vector<std::uint8_t> window) {
    const figures::Theme& theme = shell_.theme();
    figures::Pixels pixels;
    pixels.width = options_.width;
    pixels.height = options_.height + strip();
    if (caption_ != drawn_ || theme.id != theme_) {
      figures::Figure line;
      line.width = static_cast<float>(options_.width);
      line.height = kCaptionHeight;
      line.background = theme.panel;
      const int size = options_.width;
      line.items.emplace_back(figures::Line{{0, 0.5f}, {static_cast<float>(size), 0.5f}, theme.line, 1});
      figures::Text text;
      text.text = caption_;
      text.at = {static_cast<float>(size) / 2, kCaptionHeight / 2};
      text.size = 17;
      text.font = figures::Font::words_bold;
      text.color = theme.text;
      text.horizontal = figures::Align::middle;
      text.max_width = static_cast<float>(size) - 32;
      line.items.emplace_back(std::move(text));
      HL_ASSIGN(strip_, figures::rasterise(line, theme, 96, options_.width, strip()));
      drawn_ = caption_;
      theme_ = theme.id;
    }
    pixels.rgba = std::move(window);
    pixels.rgba.insert(pixels.rgba.end(), strip_.rgba.begin(), strip_.rgba.end());
    for (std::size_t i = 3; i < pixels.rgba.size(); i += 4) pixels.rgba[i] = 255;
    return writer_.add(pixels, 1 / options_.film_rate);
  }
  static int strip() { return static_cast<int>(kCaptionHeight); }

  Graphics& graphics_;
  Shell& shell_;
  const cli::TourOptions& options_;
  figures::FilmWriter& writer_;
  const CancelToken& cancel_;
  std::string caption_, drawn_ = "?", theme_;
  figures::Pixels strip_;
  ImVec2 mouse_{-1, -1};
  Clock::time_point next_ = Clock::now();
};

void typing(Recorder& film) {
  film.tab("heads");
  film.tell("A trained model reads what you type; every head is computed at every keystroke");
  film.document([](Document& d) { d.texts = {"a"}; });
  film.hold(0.6);
  film.type("a fluffy blue creature roamed the verdant forest");
  film.hold(1.2);
}

void heads(Recorder& film) {
  film.tell("What this head does, in words; point at a cell and its number is written out");
  film.hold(0.8);
  for (const auto& [x, y] : {std::pair{0.35f, 0.4f}, {0.5f, 0.5f}}) {
    film.point("heads:cells", x, y);
    film.hold(0.8);
  }
  film.leave();
  film.tell("What if this head were not there? The next words, before and now");
  film.view([](ViewState& v) { v.inspector.shows = "what if"; });
  film.hold(1.2);
  film.document([](Document& d) {
    if (const auto all = interventions_from_text(Intervention::Kind::zero, "layer.4"); d.model != "sandbox" && all.ok())
      d.interventions = *all;
  });
  film.hold(1.8);
  film.document([](Document& d) { d.interventions.clear(); });
  film.view([](ViewState& v) { v.inspector.shows = "numbers"; });
}

void meaning(Recorder& film, Shell& shell) {
  Document before = shell.document();
  film.tab("next");
  film.tell("The next word at every place, through the layers, and which heads push it");
  film.hold(2.0);
  if (const auto course = open_stored_model("course"); course.ok() && film.has("context")) {
    film.document([&](Document& d) { use_model(d, **course); });
    film.tab("context");
    film.tell("One word, three sentences: one vector becomes three, layer by layer");
    for (std::int64_t layer = 0; layer <= (*course)->document.layers; ++layer) {
      film.view([&](ViewState& v) { set_at(v, "context.layer", layer); });
      film.hold(0.8);
    }
  }
  if (const auto french = open_stored_model("english-french"); french.ok()) {
    film.document([&](Document& d) {
      use_model(d, **french);
      d.texts = {"The black cat sleeps on the table."};
      d.targets = {"Le chat noir dort sur la table."};
    });
    film.tab("heads");
    film.view([](ViewState& v) {
      v.site = "decoder.cross.";
      v.layer = 2;
      v.head = 0;
    });
    film.tell("A translation: where each French word looks in the English sentence");
    film.hold(2.0);
  }
  film.view([](ViewState& v) { v.site.clear(); });
  film.document([&](Document& d) { d = std::move(before); });
}

void training(Recorder& film, Shell& shell) {
  if (!film.has("train")) return;
  film.tab("train");
  film.tell("Train a model and look on: what it learns from, and its heads before they learn");
  film.view([](ViewState& v) { show_way(v, "train", "layers"); });
  film.hold(2.4);
  shell.job_of<LiveTrainer>("train").play(true);
  film.tell("Two layers find the pattern, one layer never does");
  film.hold(7);
  shell.job_of<LiveTrainer>("train").play(false);
  film.hold(0.6);
}

void walk(Recorder& film) {
  if (!film.has("walk")) return;
  film.tab("walk");
  film.tell("Walk through the computation: operation, formula and live shape of every step");
  for (const char* step : {"tokens", "embedding", "q", "scores", "weights", "context"}) {
    film.view([&](ViewState& v) { (void)set_at(v, "walk.step", step); });
    film.hold(0.8);
  }
}

void tokenizers_and_training(Recorder& film, Shell& shell) {
  film.tab("tokens");
  film.tell("One sentence, four tokenizers, and why a trainer merged each pair");
  film.document([](Document& d) { d = in_sandbox(d); });  // a trained model has one tokenizer
  for (const char* name : {"characters", "words", "wordpiece", "bpe"}) {
    film.document([&](Document& d) { d.tokenizer = name; });
    film.hold(0.8);
  }
  film.scroll_down();
  for (int step = 1; step <= 4; ++step) {
    shell.trainer().go_to(step);
    film.hold(0.8);
  }
}

void masks(Recorder& film) {
  if (!film.has("masks")) return;
  film.tab("masks");
  film.tell("Masks as layers: shapes, broadcast, and what they do to the weights");
  film.masks("causal");
  film.hold(1.0);
  for (const char* list : {"causal,window:2", "causal,window:5", "causal,block:4", "prefix:5"}) {
    film.masks(list);
    film.hold(0.8);
  }
  film.masks("causal");
}

void more_tabs(Recorder& film) {
  film.tab("positions");
  film.tell("Positions: sinusoids as a picture, as curves, as similarity by distance");
  for (const char* page : {"heatmap", "curves", "distance"}) {
    film.view([&](ViewState& v) { show_way(v, "positions", page); });
    film.hold(1.2);
  }
}

void ledger(Recorder& film) {
  film.tab("values");
  film.tell("Values, ledger: all that a layer adds to one token, row by row");
  film.view([](ViewState& v) { show_way(v, "values", "ledger"); });
  film.hold(1.8);
  film.view([](ViewState& v) { show_way(v, "values", ""); });
}

void comparison(Recorder& film, Shell& shell) {
  if (!film.has("compare")) return;
  film.tab("compare");
  film.tell("Pin what there is, change anything: both, and their difference");
  film.view([](ViewState& v) {
    v.layer = 4;
    v.head = 0;
  });
  film.hold(0.4);
  shell.pin(true);
  film.document([](Document& d) { d.temperature = 3; });
  film.hold(2.0);
  film.document([](Document& d) { d.temperature = 1; });
  shell.pin(false);
}

void index_lab(Recorder& film) {
  if (!film.has("index")) return;
  film.tab("index");
  film.tell("Attention from index tables, timed live against every honest rival");
  for (const bool cached : {false, true}) {
    film.view([&](ViewState& v) { set_at(v, "index_lab.cached", cached); });
    film.hold(1.2);
  }
}

void lesson(Recorder& film, Shell& shell) {
  const auto& lessons = shell.player().list();
  if (lessons.empty()) return;
  const auto chosen = std::find_if(lessons.begin(), lessons.end(), [](const auto& l) { return l->id == "masks"; });
  const auto& played = chosen == lessons.end() ? lessons.front() : *chosen;
  film.tell("Lessons play beside the real thing; change anything, and come back");
  shell.player().play(shell, played);
  for (std::size_t step = 0; step < std::min<std::size_t>(3, played->steps.size()); ++step) {
    shell.player().go(shell, static_cast<std::int64_t>(step));
    film.hold(1.8);
  }
  shell.player().stop(shell);
}

void print(Recorder& film) {
  film.tab("heads");
  film.tell("Light for print; every picture leaves as PNG, SVG, PDF, numbers or film");
  film.view([](ViewState& v) { v.theme = "light"; });
  film.hold(2.4);
}

}  // namespace

Status film_tour(const cli::TourOptions& options, const CancelToken& cancel) {
  const auto kind = figures::film_kind(options.film);
  if (!kind)
    return usage_error("the ending of the name says no kind of film").at(options.film.string()).mend("end it with .gif or .png");
  HL_TRY(figures::can_write(*kind));
  Setup setup;
  setup.session = first_session();
  if (!options.session.empty()) {
    HL_ASSIGN(setup.session, load_any(options.session));
  }
  setup.session.view.theme = options.theme;
  setup.compute = run_on_backend();
  setup.measure_isdpa = true;  // the Index lab shows this machine's times
  GraphicsOptions hidden;
  hidden.width = hidden.height = 64;
  hidden.visible = hidden.input = false;
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, Graphics::make(hidden));
  Shell shell(std::move(setup));
  shell.ui.focus_sentence = false;
  figures::FilmOptions film;
  film.width = options.width;
  film.height = options.height + static_cast<int>(kCaptionHeight);
  film.title = "Headlight";
  film.document = to_json(shell.session());
  film.colors = options.film_colors;
  HL_ASSIGN(const std::unique_ptr<figures::FilmWriter> writer, figures::make_film_writer(*kind, film));
  Recorder recorder(*graphics, shell, options, *writer, cancel);
  const Document first = shell.document();
  typing(recorder);
  heads(recorder);
  meaning(recorder, shell);
  training(recorder, shell);
  walk(recorder);
  ledger(recorder);
  comparison(recorder, shell);
  tokenizers_and_training(recorder, shell);
  masks(recorder);
  more_tabs(recorder);
  index_lab(recorder);
  lesson(recorder, shell);
  recorder.document([&](Document& d) { d = first; });
  print(recorder);
  HL_TRY(recorder.status);
  HL_ASSIGN(const std::string bytes, writer->finish());
  return write_file(options.film, bytes);
}

}  // namespace headlight::window
