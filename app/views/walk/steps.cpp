#include "app/views/walk/steps.h"

#include <algorithm>
#include <utility>

#include "app/text/language.h"
#include "app/ui/focus.h"
#include "imgui.h"

namespace headlight::views::walk {

using figures::WalkBox;

constexpr double kMotion = 0.85;  // duration of the motion from the inputs into the highlighted box, in seconds

void go(const Context& context, const WalkScene& scene, int stop) {
  const auto last = static_cast<int>(scene.graph->stops.size()) - 1;
  stop = std::clamp(stop, 0, last);
  const WalkBox& box =
      scene.graph->boxes[static_cast<std::size_t>(scene.graph->stops[static_cast<std::size_t>(stop)].boxes.front())];
  own(context).step = box.id;
  if (!own(context).open.empty()) own(context).open = box.id;
}

namespace {

// 0..1 of the motion into the highlighted box. Every new step, however it was chosen, begins one; the first view of the tab does
// not.
float progress_of(const Context& context) {
  auto& kept = context.transient->of<WalkTransient>();
  if (kept.shown != own(context).step) {
    kept.since = kept.shown.empty() ? context.now - 2 * kMotion : context.now;
    kept.shown = own(context).step;
    kept.follow = true;  // if the diagram does not fit, it scrolls to the box
  }
  if (context.still) return 1;
  const double t = (context.now - kept.since) / kMotion;
  if (t >= 1 || t < 0) return 1;
  if (context.frame_in) context.frame_in(0);
  return static_cast<float>(t);
}

}  // namespace

namespace {

// Long enough to read the step's words.
double reading_time(const WalkScene& scene, const Trace& trace) {
  const std::string words = walk_words(trace, scene.choice.site, *scene.graph, scene.input.lit);
  return std::clamp(kMotion + static_cast<double>(words.size()) / 24, 2.5, 7.0);
}

}  // namespace

void play(const Context& context, const WalkScene& scene, bool on) {
  context.transient->of<WalkTransient>().playing = on;
  if (!on) return;
  if (scene.stop + 1 >= static_cast<int>(scene.graph->stops.size())) go(context, scene, 0);
  context.transient->of<WalkTransient>().next_at = context.now + reading_time(scene, *context.trace);
}

namespace {

void keep_playing(const Context& context, const WalkScene& scene) {
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

}  // namespace

void open_box(const Context& context, const WalkScene& scene, int box) {
  own(context).step = own(context).open = scene.graph->boxes[static_cast<std::size_t>(box)].id;
  own(context).page.clear();
  context.transient->of<WalkTransient>().page.clear();
}

// Behind the last step the word is taken into the text, and the walk begins again.
bool takes(const WalkScene& scene) {
  return scene.next && scene.stop + 1 == static_cast<int>(scene.graph->stops.size()) && can_take(*scene.next);
}

void step_on(const Context& context, const WalkScene& scene, int by) {
  if (by > 0 && takes(scene))
    take_word(context, *scene.next);
  else
    go(context, scene, scene.stop + by);
}

namespace {

void keys(const Context& context, const WalkScene& scene) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
  // Otherwise the space bar would press the button that has the keyboard focus.
  ui::take_key(ImGuiKey_Space, "walk keys");
  const int last = static_cast<int>(scene.graph->stops.size()) - 1;
  if (ImGui::IsKeyPressed(ImGuiKey_Space, false)) {
    play(context, scene, false);
    step_on(context, scene, io.KeyShift ? -1 : 1);
  }
  const bool control = ui::control_has_focus();  // Enter presses it
  if (!control && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false)))
    open_box(context, scene, scene.input.lit);
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    own(context).open.clear();
    own(context).page.clear();
    play(context, scene, false);
  }
  if (!control && ImGui::IsKeyPressed(ImGuiKey_Home, false)) go(context, scene, 0);
  if (!control && ImGui::IsKeyPressed(ImGuiKey_End, false)) go(context, scene, last);
}

}  // namespace

void jump(const Context& context, const WalkScene& scene, int stop) {
  play(context, scene, false);
  go(context, scene, stop);
}

void follow_steps(const Context& context, WalkScene& scene) {
  keys(context, scene);
  auto& kept = context.transient->of<WalkTransient>();
  if (const int asked = std::exchange(kept.asked_stop, -1); asked >= 0) {
    play(context, scene, false);
    go(context, scene, asked);
  }
  if (std::exchange(kept.asked_play, false)) play(context, scene, !kept.playing);
  keep_playing(context, scene);
  // A step chosen by a key or by the clock is shown in this frame already.
  if (const int lit = nearest_box(*scene.graph, own(context).step); lit != scene.input.lit) {
    scene.input.lit = lit;
    scene.stop = scene.graph->stop_of(lit);
  }
  kept.stop = scene.stop;
  const auto stops = static_cast<int>(scene.graph->stops.size());
  if (std::exchange(kept.stops, stops) != stops && context.frame_in) context.frame_in(0);  // the strip was made before it knew
  scene.input.progress = progress_of(context);
  scene.input.hovered = kept.hovered;
  TabWords& said = context.transient->status["walk"];
  said.where = fill(tr("step {0} of {1}"), {std::to_string(scene.stop + 1), std::to_string(stops)}) + ": " +
               tr(scene.graph->stops[static_cast<std::size_t>(scene.stop)].label.c_str());
  said.keys = tr("Space next, Shift+Space back, Enter opens");
}

}  // namespace headlight::views::walk
