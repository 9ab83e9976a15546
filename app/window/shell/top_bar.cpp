// The first row: the sentence, the second sentence, Export, Lesson, View.
#include <algorithm>
#include <cmath>

#include "app/gl/figure_view.h"
#include "app/text/direction.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/ui/turned_input.h"
#include "app/window/shell/export_menu.h"
#include "app/window/shell/lesson_side.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/rail.h"
#include "app/window/shell/shell.h"
#include "engine/document/array_source.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

constexpr float kFieldHeight = 40, kLowField = 34, kTopBarNarrow = 800;
constexpr float kLeastLabelled = 200;  // points: a field narrower than this has no room for the name of its language
constexpr float kPadding = 16, kAfterLanguage = 10;  // a long text that is scrolled in its field does not touch that name
// The height of the fields in a window of this height.
float field_height(const Look& look) { return is_low(look) ? kLowField : kFieldHeight; }

// The frame of a field whose sentence's language is known, with the name of that language at its left. Returns the width that
// this takes from the input.
float draw_language(Shell& shell, const Look& look, const std::string& id, const std::string& language, float width) {
  const ImVec2 start = ImGui::GetCursorPos(), low = ImGui::GetCursorScreenPos();
  const float height = look.px(field_height(look)), rounding = ImGui::GetStyle().FrameRounding;
  const ImVec2 high{low.x + width, low.y + height};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, high, ImGui::GetColorU32(ImGuiCol_FrameBg), rounding);
  list.AddRect(low, high, ImGui::GetColorU32(ImGuiCol_Border), rounding);
  const float text_height = look.figures.line_height(kSmall, Font::words) * look.scale;
  look.figures.text(list, {low.x + look.px(kPadding), low.y + std::floor((height - text_height) / 2)}, language, kSmall,
                    Font::words, look.theme.secondary);
  const float taken =
      look.px(kPadding) + std::ceil(look.figures.width(language, kSmall, Font::words) * look.scale) + look.px(kAfterLanguage);
  shell.parts.add("language:" + id, low.x, low.y, low.x + taken, high.y);
  ImGui::SetCursorPos({start.x + taken, start.y});
  return taken;
}

// Begins a field of our height; the caller draws the input and calls end_field() with what this returns: whether the name of a
// language stands before the input. `language` is empty where it is not known.
bool begin_field(Shell& shell, const Look& look, const std::string& id, float width, const std::string& language) {
  const bool labelled = !language.empty() && width >= look.px(kLeastLabelled);
  if (labelled) {
    width -= draw_language(shell, look, id, language, width);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, IM_COL32(0, 0, 0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  }
  const float size = kToken * look.scale * look.fonts.words_em;
  ImGui::PushFont(look.fonts.words, size);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.px(labelled ? kPadding - kAfterLanguage : kPadding),
                                                         std::floor((look.px(field_height(look)) - size) / 2)));
  ImGui::SetNextItemWidth(width);
  return labelled;
}
void end_field(Shell& shell, const std::string& id, bool labelled) {
  ImGui::PopStyleVar();
  ImGui::PopFont();
  shell.name_part(id);
  if (!labelled) return;
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  auto& places = shell.parts.places;
  if (const auto field = places.find(id); field != places.end()) field->second.x0 = places["language:" + id].x0;  // one field
}

// The field follows the document when something else changed it (undo, an opened session, another sentence of the batch).
void follow(std::string& buffer, const std::string& text, const char* id) {
  if (buffer == text) return;
  buffer = text;
  reload_text_input(ImGui::GetID(id));
}

// The input itself, in the direction of its text.
void draw_input(const Look& look, const char* id, std::string& text, const char* hint) {
  if (reads_right_to_left(text))
    turned_text_input(look, id, text, ImGuiInputTextFlags_NoUndoRedo, kToken);
  else
    live_text_input(id, text, hint, ImGuiInputTextFlags_NoUndoRedo);
}

// What the open view offers (a candidate under the mouse), as a grey ghost behind the text of the field that was drawn last; Tab
// takes it.
void draw_ghost(Shell& shell, const Look& look, const std::string& text) {
  const auto& [ghost, view] = shell.transient.of<views::OfferedText>();
  if (ghost.empty() || shell.view().tab != view || reads_right_to_left(text)) return;
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), padding = ImGui::GetStyle().FramePadding;
  const float begin = low.x + padding.x + ImGui::CalcTextSize(text.c_str()).x, wide = ImGui::CalcTextSize(ghost.c_str()).x;
  if (begin + wide > high.x - padding.x) return;  // a longer text scrolls in its field
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText({begin, low.y + padding.y}, gl::packed(look.theme.faint), ghost.c_str());
  look.figures.tell({begin, low.y + padding.y}, {begin + wide, high.y - padding.y}, ghost, kToken, Font::words);
  const std::string hint = tr("Tab takes it");
  const float hint_wide = look.figures.width(hint, 13, Font::words) * look.scale, at = high.x - padding.x - hint_wide;
  if (at < begin + wide + look.px(16)) return;
  const float line = look.figures.line_height(13, Font::words) * look.scale;
  look.figures.text(list, {at, std::round((low.y + high.y - line) / 2)}, hint, 13, Font::words, look.theme.secondary);
}

// The fields: what is typed changes the document at once.
void draw_sentence(Shell& shell, const Look& look, std::size_t batch, const std::string& language, float width) {
  const std::string& text = shell.document().texts.empty() ? std::string() : shell.document().texts[batch];
  follow(shell.ui.sentence, text, "##sentence");
  const bool given = is_of_arrays(shell.document());  // their tokens are what they are
  if (given) shell.ui.focus_sentence = false;
  if (shell.ui.focus_sentence) focus_next_control();
  const bool labelled = begin_field(shell, look, "sentence", width, language);
  ImGui::BeginDisabled(given);
  draw_input(look, "##sentence", shell.ui.sentence, tr("type a sentence"));
  if (shell.document().targets.empty()) draw_ghost(shell, look, shell.ui.sentence);
  ImGui::EndDisabled();
  end_field(shell, "sentence", labelled);
  if (given)
    tooltip(look, tr("The tokens of these arrays: a model, chosen below, computes a sentence that you type"));
  else
    tooltip(look, tr("The sentence that is computed: every keystroke is tokenized and attended to anew (Ctrl+L)"));
  if (shell.ui.focus_sentence && ImGui::IsItemActive()) {
    // If the program sets the focus, the caret is at the end and nothing is selected, so that typing appends.
    reload_text_input(ImGui::GetItemID());
    shell.ui.focus_sentence = false;
  }
  if (shell.ui.sentence != text) {
    Document next = shell.document();
    if (next.texts.empty()) next.texts.emplace_back();
    next.texts[batch] = shell.ui.sentence;
    shell.edit(std::move(next));
  }
}

// Of a model that translates: whether the second sentence is its own, beside the field.
float translate_width(const Look& look) {
  return look.figures.width(tr("translate"), 14, Font::words) * look.scale + look.px(28);
}
void draw_translate(Shell& shell, const Look& look, float width) {
  ViewState& view = shell.view();
  if (button(look, labelled(tr("translate"), "translate").c_str(), width, field_height(look), view.translates))
    view.translates = !view.translates;
  shell.name_part("translate");
  tooltip(look, view.translates ? tr("The second sentence is the model's own translation, written as you type. Type into it, or "
                                     "click here, to have one of your own read instead.")
                                : tr("The model reads the second sentence that you typed. Click here for its own translation."));
}

void draw_target(Shell& shell, const Look& look, std::size_t batch, const std::string& language, float width) {
  const std::string target = batch < shell.document().targets.size() ? shell.document().targets[batch] : "";
  follow(shell.ui.target, target, "##target");
  const bool labelled = begin_field(shell, look, "target", width, language);
  const char* hint = tr("second sentence (target)");
  for (const char* shorter : {tr("second sentence"), tr("target")})
    if (look.px(32) + look.figures.width(hint, kToken, Font::words) * look.scale >= ImGui::CalcItemWidth()) hint = shorter;
  ImGui::BeginDisabled(is_of_arrays(shell.document()));
  draw_input(look, "##target", shell.ui.target, hint);
  ImGui::EndDisabled();
  if (!shell.document().targets.empty()) draw_ghost(shell, look, shell.ui.target);
  end_field(shell, "target", labelled);
  tooltip(look,
          tr("With a second sentence an encoder reads the first and a decoder the second, with cross-attention between them."));
  if (shell.ui.target != target) {
    shell.view().translates = false;  // it is the person's own now
    Document next = shell.document();
    next.targets.resize(next.texts.size());
    next.targets[batch] = shell.ui.target;
    if (std::all_of(next.targets.begin(), next.targets.end(), [](const std::string& t) { return t.empty(); }))
      next.targets.clear();
    shell.edit(std::move(next));
  }
}

// The buttons and their menus, which are at most `below` pixels high.
void draw_export_button(Shell& shell, const Look& look, float export_width, float field) {
  if (button(look, labelled(tr("Export"), "export").c_str(), export_width, field)) ImGui::OpenPopup("popup/export");
  tooltip(look, tr("What is shown, as a file or on the clipboard; a report of everything (Ctrl+E)"));
  ImGui::SetNextWindowPos({ImGui::GetItemRectMax().x, ImGui::GetItemRectMax().y + look.px(4)}, ImGuiCond_Always, {1, 0});
  if (ImGui::BeginPopup("popup/export")) {
    draw_export_menu(shell, look);
    ImGui::EndPopup();
  }
  shell.name_part("export");
}

void draw_lesson_button(Shell& shell, const Look& look, float lesson_width, float field, float below) {
  const bool playing = shell.player().active();
  if (button(look, labelled(tr("Lesson"), "lesson").c_str(), lesson_width, field, playing) || shell.player().menu_wanted) {
    shell.player().menu_wanted = false;
    shell.player().reload();
    ImGui::OpenPopup("popup/lesson");
  }
  shell.name_part("lesson");
  tooltip(look, tr("Lessons of a few minutes, and writing one of your own (Ctrl+Shift+L)"));
  ImGui::SetNextWindowPos({ImGui::GetItemRectMax().x, ImGui::GetItemRectMax().y + look.px(4)}, ImGuiCond_Always, {1, 0});
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowSizeConstraints({std::min(look.px(376), screen.x - look.px(16)), 0}, {look.px(420), below});
  if (ImGui::BeginPopup("popup/lesson")) {
    lesson_side::draw_menu(shell, look);
    ImGui::EndPopup();
  }
}

void draw_view_button(Shell& shell, const Look& look, float view_width, float field, float below) {
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  if (button(look, labelled(tr("View"), "view").c_str(), view_width, field)) {
    ++shell.ui.view_opened;
    ImGui::OpenPopup("popup/view");
  }
  shell.name_part("view");
  tooltip(look, tr("How it looks: theme, colours, orientation, size, language"));
  ImGui::SetNextWindowPos({ImGui::GetItemRectMax().x, ImGui::GetItemRectMax().y + look.px(4)}, ImGuiCond_Always, {1, 0});
  const float widest = std::min(look.px(450), screen.x - look.px(16));
  ImGui::SetNextWindowSizeConstraints({std::min(look.px(340), widest), 0}, {widest, std::min(look.px(600), below)});
  if (ImGui::BeginPopup("popup/view")) {
    view_popup(shell, look);
    ImGui::EndPopup();
  }
}

}  // namespace

void draw_top_bar(Shell& shell, const Look& look) {
  const bool low = is_low(look);
  const float width = ImGui::GetWindowWidth(), left = look.px(16), top = look.px(low ? 6 : is_tall(look) ? 16 : 8);
  const float field = field_height(look), height = look.px(field);
  // In a narrow window the sentence needs the room more than the buttons' margins.
  const bool narrow = width - shell.ui.rail < look.px(kTopBarNarrow);
  const auto button_width = [&](const char* label, float points) {
    const float needs = look.figures.width(label, 14, Font::words) * look.scale + look.px(20);
    return narrow ? needs : std::max(look.px(points), needs);
  };
  const float export_width = button_width(tr("Export"), 88), view_width = button_width(tr("View"), 72),
              lesson_width = button_width(tr("Lesson"), 88), gap = look.px(narrow ? 8 : 12);
  // In presentation mode the sentence is there for typing: the buttons, whose keys all work, are hidden. They stay while a popup
  // of theirs is open.
  const bool alone = shell.view().presentation && (shell.ui.rail_over || !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  const float buttons = alone ? left + gap : export_width + view_width + lesson_width + left + 4 * gap;
  // Without the rail, which has the lamp at its top, the lamp or the rail's button stands before the sentence.
  const float brand_end = shell.ui.rail > 0 ? shell.ui.rail + left : left + look.px(60);
  if (shell.ui.rail <= 0 && !shell.view().presentation)
    draw_rail_button(shell, look, top, height);
  else if (shell.ui.rail <= 0)
    draw_lamp(look, {left + look.px(16), top + height / 2}, 11, {});

  const float room = std::max(look.px(160), width - brand_end - buttons);
  // A translation is as long as its sentence; another second sentence is rarely needed.
  const bool two = translates(shell.document());
  const float second =
                  two ? std::floor(room * 0.5f) : std::clamp(room * 0.27f, std::min(look.px(140), room * 0.4f), look.px(380)),
              sentence_width = room - second;
  const auto batch = static_cast<std::size_t>(
      std::clamp<std::int64_t>(shell.view().batch, 0, static_cast<std::int64_t>(shell.document().texts.size()) - 1));

  // In a batch: which of its sentences the fields show.
  float start = brand_end, first = sentence_width;
  if (const std::size_t count = shell.document().texts.size(); count > 1) {
    const float which = look.px(64);
    ImGui::SetCursorPos({start, top});
    if (button(look, (std::to_string(batch + 1) + " / " + std::to_string(count) + "##batch").c_str(), which, field))
      shell.view().batch = static_cast<std::int64_t>((batch + 1) % count);
    tooltip(look, tr("The sentence of the batch that is shown; click for the next"));
    start += which + gap;
    first = std::max(look.px(60), first - which - gap);
  }

  ImGui::SetCursorPos({start, top});
  const SentenceLanguages languages = languages_of(shell.document());
  draw_sentence(shell, look, batch, languages.text, first);
  ImGui::SetCursorPos({start + first + gap, top});
  const float translating = two ? translate_width(look) : 0;
  draw_target(shell, look, batch, languages.target, second - (two ? translating + gap : 0));
  if (two) {
    ImGui::SetCursorPos({start + first + gap + second - translating, top});
    draw_translate(shell, look, translating);
  }

  const float end = top + height + look.px(low ? 6 : 8);
  if (alone) return ImGui::SetCursorPos({0, end});
  ImGui::SetCursorPos({width - left - view_width - lesson_width - 2 * gap - export_width, top});
  draw_export_button(shell, look, export_width, field);
  ImGui::SetCursorPos({width - left - view_width - lesson_width - gap, top});
  const float below = std::max(look.px(120), ImGui::GetMainViewport()->Size.y - top - height - look.px(12));
  draw_lesson_button(shell, look, lesson_width, field, below);
  ImGui::SetCursorPos({width - left - view_width, top});
  draw_view_button(shell, look, view_width, field, below);
  ImGui::SetCursorPos({0, end});
}

}  // namespace headlight::window
