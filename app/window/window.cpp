// The whole window in one frame: calls each of its rooms in turn. It is the only file above all of them, so that no room needs
// another.
#include <algorithm>

#include "app/session/derived.h"
#include "app/ui/term_tip.h"
#include "app/window/commands/glossary_page.h"
#include "app/window/commands/overlays.h"
#include "app/window/commands/palette_commands.h"
#include "app/window/shell/array_form.h"
#include "app/window/shell/lesson_side.h"
#include "app/window/shell/model_offer.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/rail.h"
#include "app/window/shell/shell.h"
#include "app/window/shell/strip.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;

namespace {

// Whether the mouse is over the cells of a map, which light up themselves.
bool over_map(const views::Parts& parts) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return std::ranges::any_of(parts.maps, [&](const views::Parts::Place& map) {
    return mouse.x >= map.x0 && mouse.x < map.x1 && mouse.y >= map.y0 && mouse.y < map.y1;
  });
}

}  // namespace

void Shell::draw(const Frame& frame) {
  take_published();
  speak_chosen();
  last_scale = frame.scale;
  hover.now = ui.guess.is_secret() ? views::Hot() : hover.next;  // what lights up elsewhere would tell it
  hover.next = {};
  const double now = steady_seconds();
  if (now >= next_frame_at_) next_frame_at_ = -1;
  parts.places.clear();
  parts.maps.clear();
  read_mail();
  const bool opening = models_.opening().has_value();  // asked first: what has been opened since is among the news
  take_model_news(*this);
  waits_ = waits_ && opening;
  if (!waits_) player_.frame(*this);
  parts.spoken_of = player_.current() ? &player_.current()->highlight : nullptr;
  frame_in_progress = &frame;
  follow_keys_and_mouse();
  if (!ui.notice.empty() && now >= ui.notice_until) ui.notice.clear();

  const Look look{theme(), frame.fonts, frame.figures, frame.scale};
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->Pos);
  ImGui::SetNextWindowSize(viewport->Size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
  ImGui::Begin("Headlight", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(3);
  handle_shortcuts(*this);
  // In presentation mode the sentence is shown only while it is typed in, or where a lesson's step speaks of it.
  const bool popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  const bool spoken_of = parts.is_spoken_of("sentence") || parts.is_spoken_of("target");
  ui.sentence_shown = ui.focus_sentence || spoken_of || (ui.sentence_shown && (ImGui::GetIO().WantTextInput || popup));
  draw_rail(*this, look);
  if (!view_.presentation || ui.sentence_shown)
    draw_top_bar(*this, look);
  else
    ImGui::SetCursorPos({0, look.px(4)});
  ui.pickers_width = 0;
  draw_pickers(*this, look);
  Strip strip(*this, look, frame);
  draw_main(*this, look, frame);
  draw_model_offer(*this, look);
  if (ui.guess.covers()) look.figures.cover(&ui.guess.cover, nullptr);  // the strip has the heads' small pictures, too
  strip.draw();
  look.figures.cover(nullptr, nullptr);
  if (view_.presentation) {
    draw_notice(*this, look);
    if (!over_map(parts)) draw_pointer(look);
  } else if (room_of(look) == Room::least) {
    draw_notice(*this, look);
  } else {
    draw_status_bar(*this, look, frame);
  }
  lesson_side::draw_rings(*this, look);
  lesson_side::draw_picking(*this, look);
  if (const double wait = recorder_.tick(*this, now); wait >= 0) frame_in(wait);
  files.draw(look);
  if (exports.open())
    exports.draw(export_host(), look);
  else
    exports.rest();
  draw_array_form(*this, look);
  draw_shortcut_sheet(*this, look);
  draw_glossary(*this, look);
  palette.draw(look, [this] { return palette_commands(*this); });
  if (const double wait = draw_pointed_term(look, steady_seconds()); wait >= 0) frame_in(wait);
  ImGui::End();
  record_view();
  frame_in_progress = nullptr;

  submit_if_changed();
  if (autosave_ && !waits_) autosave_->tick(session(), steady_seconds());
}

}  // namespace headlight::window
