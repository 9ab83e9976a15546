// The Walk-through tab: the pipeline of the present sentence as boxes and arrows, step by step; beside it what each step does, in
// words, formula and numbers. It needs the whole width: the column on the right is the text or, while a box is open, the
// inspector.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/panels/panels.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/walk/walk_column.h"
#include "app/panels/walk/walk_open.h"
#include "app/panels/walk/walk_pages.h"
#include "app/panels/walk/walk_scene.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/widgets.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::panels {
namespace {

using figures::Font;
using figures::WalkBox;

constexpr double kMotion = 0.85;  // duration of the motion from the inputs into the highlighted box, in seconds
constexpr float kBar = 54, kLowBar = 44, kGap = 12;
constexpr float kLeastNotes = 110;   // below the diagram; with less room they are folded into a line
constexpr float kLeastOpened = 165;  // of an opened box's page; with less room it scrolls
constexpr float kLeastLetter = 12;   // points at scale 1: if letters would be smaller, the diagram scrolls instead
constexpr ImGuiWindowFlags kQuiet =
    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;

// ---- moving from step to step

void go(Context& context, const WalkScene& scene, int stop) {
  const auto last = static_cast<int>(scene.graph->stops.size()) - 1;
  stop = std::clamp(stop, 0, last);
  const WalkBox& box =
      scene.graph->boxes[static_cast<std::size_t>(scene.graph->stops[static_cast<std::size_t>(stop)].boxes.front())];
  context.view.walk.step = box.id;
  if (!context.view.walk.open.empty()) context.view.walk.open = box.id;
}

// 0..1 of the motion into the highlighted box. Every new step, however it was chosen, begins one; the first view of the tab does
// not.
float progress_of(Context& context) {
  auto& kept = context.transient->of<WalkTransient>();
  if (kept.shown != context.view.walk.step) {
    kept.since = kept.shown.empty() ? context.now - 2 * kMotion : context.now;
    kept.shown = context.view.walk.step;
    kept.follow = true;  // if the diagram does not fit, it scrolls to the box
  }
  if (context.still) return 1;
  const double t = (context.now - kept.since) / kMotion;
  if (t >= 1 || t < 0) return 1;
  if (context.frame_in) context.frame_in(0);
  return static_cast<float>(t);
}

// Long enough to read the step's words.
double reading_time(const WalkScene& scene, const Trace& trace) {
  const std::string words = walk_words(trace, scene.choice.site, *scene.graph, scene.input.lit);
  return std::clamp(kMotion + static_cast<double>(words.size()) / 24, 2.5, 7.0);
}

void play(Context& context, const WalkScene& scene, bool on) {
  context.transient->of<WalkTransient>().playing = on;
  if (!on) return;
  if (scene.stop + 1 >= static_cast<int>(scene.graph->stops.size())) go(context, scene, 0);
  context.transient->of<WalkTransient>().next_at = context.now + reading_time(scene, *context.trace);
}

void keep_playing(Context& context, const WalkScene& scene) {
  auto& kept = context.transient->of<WalkTransient>();
  if (!kept.playing) return;
  double& next = kept.next_at;
  if (context.now >= next) {
    if (scene.stop + 1 >= static_cast<int>(scene.graph->stops.size())) return play(context, scene, false);
    go(context, scene, scene.stop + 1);
    next = context.now + reading_time(scene, *context.trace);
  }
  if (context.frame_in) context.frame_in(std::max(0.0, next - context.now));
}

void open_box(Context& context, const WalkScene& scene, int box) {
  context.view.walk.step = context.view.walk.open = scene.graph->boxes[static_cast<std::size_t>(box)].id;
  context.view.walk.page.clear();
  context.transient->of<WalkTransient>().page.clear();
}

// Behind the last step the word is taken into the text, and the walk begins again.
bool takes(const WalkScene& scene) {
  return scene.next && scene.stop + 1 == static_cast<int>(scene.graph->stops.size()) && can_take(*scene.next);
}

void step_on(Context& context, const WalkScene& scene, int by) {
  if (by > 0 && takes(scene))
    take_word(context, *scene.next);
  else
    go(context, scene, scene.stop + by);
}

void keys(Context& context, const WalkScene& scene) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
  // Otherwise the space bar would press the button that has the keyboard focus.
  ImGui::SetKeyOwner(ImGuiKey_Space, ImGui::GetID("walk keys"));
  const int last = static_cast<int>(scene.graph->stops.size()) - 1;
  if (ImGui::IsKeyPressed(ImGuiKey_Space, false)) {
    play(context, scene, false);
    step_on(context, scene, io.KeyShift ? -1 : 1);
  }
  const bool control = GImGui->NavCursorVisible && GImGui->NavId != 0;  // a button has the keyboard focus: Enter presses it
  if (!control && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false)))
    open_box(context, scene, scene.input.lit);
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    context.view.walk.open.clear();
    context.view.walk.page.clear();
    play(context, scene, false);
  }
  if (!control && ImGui::IsKeyPressed(ImGuiKey_Home, false)) go(context, scene, 0);
  if (!control && ImGui::IsKeyPressed(ImGuiKey_End, false)) go(context, scene, last);
}

// ---- the diagram

std::string box_words(const Context& context, const WalkScene& scene, int index) {
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(index)];
  if (box.kind == WalkBox::Kind::text) return tr("The sentence as it was typed.");
  if (box.steps.empty()) return figures::walk_words(*context.trace, scene.choice.site, *scene.graph, index);
  return box.step() + " " + figures::walk_shape(box.shape, box.axes, figures::WalkShape::named) + ": " +
         tr(box.operation.c_str());
}

// The number under the mouse in a small picture is highlighted everywhere; returns it in words: "·blue → a: 0.42".
std::string hover_cell(Context& context, const WalkScene& scene, int index, const figures::Box& inner, figures::Point at) {
  const auto& picture = scene.input.pictures[static_cast<std::size_t>(index)];
  if (!picture) return {};
  const figures::Box cells = walk_cells(*picture, inner);
  if (!cells.contains(at) || cells.w <= 0) return {};
  using Side = figures::WalkPicture::Side;
  const std::int64_t rows = picture->values.dim(0), columns = picture->values.dim(1);
  const auto place = [](float offset, float size, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(offset / size * static_cast<float>(count)), 0, count - 1);
  };
  const std::int64_t cell_row = place(at.y - cells.y, cells.h, rows), cell_column = place(at.x - cells.x, cells.w, columns);
  const std::int64_t row = cell_row * picture->row_block;
  const std::int64_t column = cell_column * (picture->head_from < 0 ? picture->column_block : 1);
  Hot& next = context.hover.next;
  if (picture->rows == Side::queries) next.row = row;
  if (picture->rows == Side::keys) next.column = row;
  if (picture->columns == Side::keys) next.column = column;
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(index)];
  if ((box.role == Role::loss || box.role == Role::loss_shifted) && box.steps.size() > 1) {  // each row's part in the mean
    next.value = {box.steps[box.steps.size() - 2], {row * picture->full_columns + column}};
    return fill(tr("sentence {0}, place {1}: {2} nats"),
                {std::to_string(row + 1), std::to_string(column), walk_number(picture->values.at({cell_row, cell_column}))});
  }
  // Vectors are sampled, so each cell is one number; in a reduced pattern a cell stands for several.
  const bool one = picture->columns == Side::other || (picture->row_block == 1 && picture->column_block == 1);
  if (one && picture->head_from < 0) {
    next.value = walk_address(*context.trace, scene.choice, box.step(), row, column);
  } else if (one) {
    // All heads side by side: finds the head and its dimension.
    const std::int64_t each = picture->head_to - picture->head_from, size = box.shape.back();
    next.value =
        walk_address(*context.trace, scene.choice, box.step(), row, std::min(size - 1, column % each * picture->column_block));
    if (next.value.index.size() == 4) next.value.index[1] = column / each;
  }
  const auto label = [&](Side side, std::int64_t k) {
    const bool writes = side == Side::queries && picture->columns == Side::keys;
    const auto labels = writes ? row_labels(context, scene.choice) : walk_labels(*context.trace, scene.choice, box, side);
    return k < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(k)] : std::to_string(k);
  };
  const bool hidden = !picture->mask.empty() && picture->mask.at({cell_row, cell_column}) == 0;
  const std::int64_t dimension = next.value.index.empty() ? column : next.value.index.back();
  return label(picture->rows, row) + (picture->columns == Side::keys ? " → " : ", ") +
         (picture->columns == Side::keys ? label(Side::keys, column) : std::to_string(dimension)) + ": " +
         (hidden ? std::string(tr("masked")) : walk_number(picture->values.at({cell_row, cell_column})));
}

void draw_diagram(Context& context, const ui::Look& look, WalkScene& scene, float width, float height) {
  // The whole diagram is shown, at a smaller size if necessary. If letters would become too small it scrolls, except in
  // presentation mode.
  const float least = context.view.presentation ? 0 : kLeastLetter / figures::kWalkSmall / std::max(1.0f, context.scale);
  const figures::WalkSize whole = figures::walk_least_size(*scene.graph);
  const float fits = std::min({1.0f, width / whole.width, height / whole.height});
  const float factor = std::max(fits, least);
  const bool scrolls = fits < factor;
  const ImVec2 size{look.px(width), look.px(height)};
  auto& kept = context.transient->of<WalkTransient>();
  if (ImGui::BeginChild("diagram", size, ImGuiChildFlags_NavFlattened,
                        scrolls ? ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoBackground : kQuiet)) {
    const float bar = scrolls ? ImGui::GetStyle().ScrollbarSize / context.scale : 0;
    const figures::WalkLayout layout = walk_layout(*scene.graph, (width - (height < whole.height * factor ? bar : 0)) / factor,
                                                   (height - (width < whole.width * factor ? bar : 0)) / factor, context.measure);
    const figures::Box& lit = layout.boxes[static_cast<std::size_t>(scene.input.lit)];
    if (std::exchange(kept.follow, false) && scrolls) {
      ImGui::SetScrollX(look.px(std::max(0.0f, (lit.x + lit.w / 2) * factor - width / 2)));
      ImGui::SetScrollY(look.px(std::max(0.0f, (lit.y + lit.h / 2) * factor - height / 2)));
    }
    scene.input.hovered = kept.hovered;
    const figures::Figure figure =
        figures::scaled(walk_figure(*scene.graph, layout, scene.input, context.theme, context.measure), factor);
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    gl::Hit hit = context.figures.draw(figure, "diagram");
    hit.at = {hit.at.x / factor, hit.at.y / factor};
    name_part(context, "walk:diagram");
    int hovered = -1;
    for (int i = 0; i < static_cast<int>(layout.boxes.size()); ++i) {
      const figures::Box& box = layout.boxes[static_cast<std::size_t>(i)];
      if (context.parts) {
        const WalkBox& of = scene.graph->boxes[static_cast<std::size_t>(i)];
        const float s = context.scale * factor;
        for (const std::string& name : {"walk:" + of.id, of.role == Role::weights ? std::string("walk:softmax") : std::string()})
          if (!name.empty())
            context.parts->add(name, origin.x + box.x * s, origin.y + box.y * s, origin.x + (box.x + box.w) * s,
                               origin.y + (box.y + box.h) * s);
      }
      if (hit.hovered && box.contains(hit.at)) hovered = i;
    }
    kept.hovered = hovered;
    if (hovered >= 0) {
      const std::string number = hover_cell(context, scene, hovered, layout.inner[static_cast<std::size_t>(hovered)], hit.at);
      ui::tooltip(look,
                  (number.empty() ? "" : number + "\n") + box_words(context, scene, hovered) + "\n" +
                      tr("Click: go there. Double click or Enter: its values."),
                  scene.graph->boxes[static_cast<std::size_t>(hovered)].formula);
      if (hit.double_clicked) {
        open_box(context, scene, hovered);
      } else if (hit.clicked) {
        play(context, scene, false);
        context.view.walk.step = scene.graph->boxes[static_cast<std::size_t>(hovered)].id;
      }
    }
    figure_menu(context, "diagram menu", hit, [&] {
      return walk_poster(*scene.graph, scene.input, walk_notes_of(context, scene, scene.input.lit), scene.input.lit, 1, 1480, 800,
                         context.theme, context.measure);
    });
  }
  ImGui::EndChild();
}

// ---- the bar below

float bar_height(const ui::Look& look) { return ui::is_low(look) ? kLowBar : kBar; }

void jump(Context& context, const WalkScene& scene, int stop) {
  play(context, scene, false);
  go(context, scene, stop);
}

// The steps as dots from `x` pixels on, `wide` points.
void draw_dots(Context& context, const ui::Look& look, const WalkScene& scene, ImVec2 at, float wide, float high) {
  if (wide <= 100) return;
  ImGui::SetCursorScreenPos(at);
  int& hovered = context.transient->of<WalkTransient>().dot;
  const figures::Figure figure = walk_dots(*scene.graph, scene.stop, hovered, wide, high, context.theme, context.measure);
  const gl::Hit hit = context.figures.draw(figure, "walk dots");
  name_part(context, "walk:steps");
  const int stop = hit.tag.kind == figures::Tag::token ? static_cast<int>(hit.tag.a) : -1;
  hovered = stop;
  if (stop < 0) return;
  ui::tooltip(look, walk_title(*scene.graph, stop));
  if (hit.clicked) jump(context, scene, stop);
}

void draw_bar(Context& context, const ui::Look& look, const WalkScene& scene, float width) {
  const float bar = bar_height(look);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low = ImGui::GetCursorScreenPos(), high{low.x + look.px(width), low.y + look.px(bar)};
  const float alpha = ImGui::GetStyle().Alpha;
  list.AddRectFilled(low, high, gl::packed(look.theme.panel, alpha), look.px(8));
  list.AddRect(low, high, gl::packed(look.theme.line, alpha), look.px(8), 0, std::max(1.0f, std::floor(look.scale)));
  const int last = static_cast<int>(scene.graph->stops.size()) - 1;
  const bool playing = context.transient->of<WalkTransient>().playing;
  const float top = low.y + look.px((bar - 30) / 2);
  float x = low.x + look.px(12);
  const auto press = [&](const char* label, float wide, bool strong, bool enabled, const char* why) {
    ImGui::SetCursorScreenPos({x, top});
    const bool clicked = ui::button(look, label, look.px(wide), 30, strong, enabled);
    ui::tooltip(look, why);
    x += look.px(wide + 5);
    return clicked;
  };
  if (press("|<", 34, false, scene.stop > 0, tr("To the first step (Home)"))) jump(context, scene, 0);
  if (press("<##walk", 34, false, scene.stop > 0, tr("One step back (Shift+Space)"))) jump(context, scene, scene.stop - 1);
  const std::string label = ui::labelled(playing ? tr("pause") : tr("play"), "walk play");
  const float wide = std::max(
      60.0f,
      std::max(context.measure.width(tr("play"), 14, Font::words), context.measure.width(tr("pause"), 14, Font::words)) + 24);
  if (press(label.c_str(), wide, true, true, playing ? tr("Stop here") : tr("Goes on by itself, as fast as one reads")))
    play(context, scene, !playing);
  name_part(context, "walk:play");
  const bool takes_word = takes(scene);
  if (press(">##walk", 34, takes_word, scene.stop < last || takes_word,
            takes_word ? tr("Takes the word into the text and begins again (Space)") : tr("One step on (Space)"))) {
    play(context, scene, false);
    step_on(context, scene, 1);
  }
  name_part(context, "walk:next");
  if (press(">|", 34, false, scene.stop < last, tr("To the last step (End)"))) jump(context, scene, last);
  x += look.px(7);
  const bool opened = !context.view.walk.open.empty();
  const float values = context.measure.width(tr("values"), 14, Font::words) + 22;
  if (press(ui::labelled(tr("values"), "walk values").c_str(), values, opened, true,
            opened ? tr("Back to the diagram (Esc)")
                   : tr("Opens every number of this step (Enter); the inspector explains the one under the mouse"))) {
    if (opened)
      context.view.walk.open.clear();
    else
      open_box(context, scene, scene.input.lit);
  }
  name_part(context, "walk:open");
  const auto page = [&](const char* id, const char* words, const char* why) {
    const bool shown = context.view.walk.page == id;
    const float room = context.measure.width(words, 14, Font::words) + 22;
    // In a narrow place F7 and the palette choose the page.
    if (x + look.px(room + 12) > high.x) return;
    const std::string own = std::string("walk ") + id;
    if (press(ui::labelled(words, own.c_str()).c_str(), room, shown, true, shown ? tr("Back to the diagram (Esc)") : why)) {
      context.view.walk.open.clear();
      context.view.walk.page = shown ? "" : id;
    }
    name_part(context, std::string("walk:") + id);
  };
  page(kShapesPage, tr("shapes"), tr("Every step of the model by name, with its shape, in order"));
  page(kHeadsPage, tr("Q Kᵀ"),
       tr("Q's grid of heads times Kᵀ's: which row meets which column; and the same as a loop over the heads"));
  if (context.export_animation) {
    const float film = context.measure.width(tr("film…"), 14, Font::words) + 22;
    if (x + look.px(film + 12) <= high.x && press(ui::labelled(tr("film…"), "walk film").c_str(), film, false, true,
                                                  tr("Exports the whole walk-through as an animated picture")))
      context.export_animation(walk_film(context, 1280, 720));
  }
  x += look.px(10);
  draw_dots(context, look, scene, {x, low.y}, (high.x - x) / context.scale - 10, bar);
  ImGui::SetCursorScreenPos({low.x, high.y});
  ImGui::Dummy({0, 0});
}

// An opened box beside the inspector.
void draw_opened(Context& context, const ui::Look& look, const WalkScene& scene, int opened, float width, float upper) {
  const ImVec2 start = ImGui::GetCursorPos();
  const float side = width >= 820 ? std::clamp(width * 0.3f, 320.0f, 376.0f) : 0;
  const float wide = width - (side > 0 ? side + kGap : 0);
  bool open = true;
  const bool scrolls = upper < kLeastOpened;
  if (ImGui::BeginChild("opened", {look.px(wide), look.px(upper)}, ImGuiChildFlags_NavFlattened,
                        scrolls ? ImGuiWindowFlags_NoBackground : kQuiet))
    open = draw_walk_open(context, look, scene, opened, scrolls ? wide - 12 : wide, std::max(upper, kLeastOpened));
  ImGui::EndChild();
  if (!open) context.view.walk.open.clear();
  if (side > 0) {
    ImGui::SetCursorPos({start.x + look.px(wide + kGap), start.y});
    ImGui::PushStyleColor(ImGuiCol_ChildBg, gl::vec4(look.theme.panel));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(14), look.px(10)));
    if (ImGui::BeginChild("walk inspector", {look.px(side), look.px(upper)},
                          ImGuiChildFlags_AlwaysUseWindowPadding | ImGuiChildFlags_NavFlattened))
      draw_inspector(context);
    ImGui::EndChild();
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
  }
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  if (!context.trace) {
    if (!context.error)
      ui::words(look, context.computing ? tr("computing …") : tr("Nothing is computed yet."), look.theme.secondary, ui::kBody);
    return;
  }
  // Opening a box makes it the current step, whoever opened it.
  if (!context.view.walk.open.empty()) {
    context.view.walk.step = context.view.walk.open;
    context.view.walk.page.clear();
  }
  WalkScene scene = walk_scene(context);
  keys(context, scene);
  auto& kept = context.transient->of<WalkTransient>();
  if (const int asked = std::exchange(kept.asked_stop, -1); asked >= 0) {
    play(context, scene, false);
    go(context, scene, asked);
  }
  if (std::exchange(kept.asked_play, false)) play(context, scene, !kept.playing);
  keep_playing(context, scene);
  // A step chosen by a key or by the clock is shown in this frame already.
  if (const int lit = nearest_box(*scene.graph, context.view.walk.step); lit != scene.input.lit) {
    scene.input.lit = lit;
    scene.stop = scene.graph->stop_of(lit);
  }
  kept.stop = scene.stop;
  const auto stops = static_cast<int>(scene.graph->stops.size());
  if (std::exchange(kept.stops, stops) != stops && context.frame_in) context.frame_in(0);  // the strip was made before it knew
  scene.input.progress = progress_of(context);
  TabWords& said = context.transient->status["walk"];
  said.where = fill(tr("step {0} of {1}"), {std::to_string(scene.stop + 1), std::to_string(scene.graph->stops.size())}) + ": " +
               tr(scene.graph->stops[static_cast<std::size_t>(scene.stop)].label.c_str());
  said.keys = tr("Space next, Shift+Space back, Enter opens");

  const ImVec2 room = ImGui::GetContentRegionAvail(), start = ImGui::GetCursorPos();
  const float width = room.x / context.scale, height = room.y / context.scale;
  const float gap = ui::is_low(look) ? 6 : kGap;
  // While presenting, the strip at the lower edge has the bar's buttons.
  const bool bar = !context.parts || !context.parts->places.contains("strip");
  const float upper = std::max(100.0f, bar ? height - bar_height(look) - gap : height);
  // The text is beside the diagram if both have room, else below it.
  const float column = std::clamp(width * 0.23f, 312.0f, 400.0f);
  const figures::WalkSize least = figures::walk_least_size(*scene.graph);
  const bool beside = width - column - kGap >= least.width;
  const bool folded = !beside && upper - kGap - kLeastNotes < least.height;
  const int opened = context.view.walk.open.empty() ? -1 : scene.input.lit;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(8), look.px(8)));
  if (opened >= 0) {
    draw_opened(context, look, scene, opened, width, upper);
  } else if (!context.view.walk.page.empty()) {
    draw_walk_page(context, look, scene, width, upper);
  } else if (context.view.presentation) {
    // The step's words stand above the diagram, which has the rest.
    const float words = draw_walk_line(context, scene, width, true);
    draw_diagram(context, look, scene, width, upper - words);
  } else if (folded) {
    const float words = draw_walk_notes_folded(context, look, scene, width);
    draw_diagram(context, look, scene, width, upper - words);
  } else if (beside) {
    draw_diagram(context, look, scene, width - column - kGap, upper);
    ImGui::SetCursorPos({start.x + look.px(width - column), start.y});
    draw_walk_notes(context, look, scene, column, upper);
  } else {
    // The diagram comes first: the text gets more than its first lines only if the whole diagram is visible.
    const float notes = std::clamp(std::min(upper * 0.34f, upper - kGap - least.height), kLeastNotes, 230.0f);
    draw_diagram(context, look, scene, width, upper - notes - kGap);
    ImGui::SetCursorPos({start.x, start.y + look.px(upper - notes)});
    draw_walk_notes(context, look, scene, width, notes);
  }
  ImGui::PopStyleVar(2);
  if (!bar) return;
  ImGui::SetCursorPos({start.x, start.y + look.px(upper + gap)});
  draw_bar(context, look, scene, width);
}

figures::Figure diagram_figure(const Context& context, float width, float height) {
  const WalkScene scene = walk_scene(context);
  if (!scene.graph) return {};
  const int lit = scene.input.lit;
  // A smaller size would not have room for every box with its text.
  figures::Figure poster = walk_poster(*scene.graph, scene.input, walk_notes_of(context, scene, lit), lit, 1,
                                       std::max(width, 1320.0f), std::max(height, 760.0f), context.theme, context.measure);
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(lit)];
  for (const std::string& name : box.steps)
    if (const auto values = context.trace->values(name); values.ok())
      poster.data.push_back({name, *values, context.trace->find(name)->axes, {}});
  return poster;
}

figures::Figure figure(const Context& context, float width, float height) {
  return context.view.walk.page == kShapesPage  ? walk_shapes_figure(context, width, height)
         : context.view.walk.page == kHeadsPage ? head_products_figure(context, width, height)
                                                : diagram_figure(context, width, height);
}

std::vector<Control> strip_controls(Context& context) {
  if (!context.trace || !context.transient) return {};
  auto& kept = context.transient->of<WalkTransient>();
  const std::string last = std::to_string(kept.stops);
  return {{.id = "step",
           .label = tr("step"),
           .why = tr("One step on (Space), one step back (Shift+Space)"),
           .value = fill(tr("{0} of {1}"), {std::to_string(kept.stop + 1), last}),
           .widest = fill(tr("{0} of {1}"), {last, last}),
           .at = kept.stop,
           .count = kept.stops,
           .step = [&kept](std::int64_t to) { kept.asked_stop = static_cast<int>(to); }},
          {.id = "play",
           .label = kept.playing ? tr("pause") : tr("play"),
           .why = kept.playing ? tr("Stop here") : tr("Goes on by itself, as fast as one reads"),
           .press = [&kept] { kept.asked_play = true; },
           .on = kept.playing,
           .widest = tr("pause")}};
}

}  // namespace

Entry walk_panel() {
  Entry entry{
      "walk", "Walk-through", "text → tokens → x → q, k, v → softmax(q kᵀ / √d_k + mask) v → x + Δ", "Vaswani et al. 2017",
      draw,   figure};
  entry.full_width = true;
  entry.pages.list = {
      {"", tr_later("diagram"), tr_later("The whole model as a diagram: every step of the computation, one after the other")},
      {kShapesPage, tr_later("shapes"), tr_later("Every step of the model by name, with its shape, in order")},
      {kHeadsPage, tr_later("Q Kᵀ"),
       tr_later("Q's grid of heads times Kᵀ's: which row meets which column; and the same as a loop over the heads")}};
  entry.pages.shown = [](const Context& context) { return context.view.walk.page; };
  entry.pages.show = [](ViewState& view, const std::string& value) {
    view.walk.open.clear();  // an opened box would hide the page
    view.walk.page = value;
  };
  entry.of_head = [](const ViewState&) { return true; };
  entry.controls = strip_controls;
  entry.pictures = {
      {"walk-through", "the way from the text to the layer's output, with the current step's words", diagram_figure},
      {"shapes", "every step of the model by name, with its shape, in order", walk_shapes_figure},
      {"head-products", "Q's grid of heads times K^T's, and the same as a loop over the heads", head_products_figure}};
  return entry;
}

}  // namespace headlight::panels
