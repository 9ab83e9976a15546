// The recorder in the side column, and choosing parts with the mouse.
#include <algorithm>
#include <cmath>

#include "app/lessons/places.h"
#include "app/lessons/player.h"
#include "app/lessons/prose.h"
#include "app/lessons/recorder.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/window/shell/lesson_side.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window::lesson_side {

using lessons::Lesson;
using lessons::Player;
using lessons::Recorder;
using lessons::Step;
using namespace lessons;
using namespace ui;
namespace {

using figures::Font;
using ui::Look;

std::string labelled(const char* text, const char* id) { return std::string(text) + "##" + id; }

void push_words(const Look& look, float size) { ImGui::PushFont(look.fonts.words, size * look.scale * look.fonts.words_em); }

// A field for the text of one language.
void field(const Look& look, const char* id, std::string& text, const char* hint, float width = 0) {
  push_words(look, ui::kBody);
  ImGui::SetNextItemWidth(width > 0 ? width : ImGui::GetContentRegionAvail().x);
  ui::text_input(id, text, hint);
  ImGui::PopFont();
}

void area(const Look& look, const char* id, std::string& text, float lines) {
  push_words(look, ui::kBody);
  ui::text_area(id, text, {ImGui::GetContentRegionAvail().x, look.px(8) + ImGui::GetTextLineHeight() * lines});
  ImGui::PopFont();
}

void heading(Shell& shell, const Look& look) {
  Recorder& recorder = shell.recorder();
  const ImVec2 start = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x, close = look.px(28);
  look.figures.text(*ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), tr("A lesson of your own"), ui::kHeading + 1,
                    Font::words_bold, look.theme.text, width - close);
  ImGui::SetCursorPos({start.x + width - close, start.y - look.px(4)});
  if (ui::button(look, "×##close recorder", close, 28)) recorder.close(shell);
  ui::tooltip(look, tr("Put the recorder away; what you wrote is kept and is here again next time"));
  ImGui::SetCursorPos({start.x, start.y + look.px(30)});
}

void about(Shell& shell, const Look& look) {
  Recorder& recorder = shell.recorder();
  Lesson& draft = recorder.draft();
  (void)shell.takes_focus("lesson");
  field(look, "##lesson title", draft.title[recorder.language], tr("title of the lesson"));
  const auto known = shell.derived().now<std::vector<LanguageName>>(
      DerivedKey("languages"), [](const CancelToken&) -> Result<std::vector<LanguageName>> { return languages(); });
  std::vector<const char*> labels;
  int at = 0;
  for (const LanguageName& one : *known.value) {
    if (one.id == recorder.language) at = static_cast<int>(labels.size());
    labels.push_back(one.label.c_str());
  }
  if (const int clicked = ui::segmented(look, "lesson language", labels.data(), static_cast<int>(labels.size()), at,
                                        tr("The language in which this text is written"));
      clicked >= 0)
    recorder.language = (*known.value)[static_cast<std::size_t>(clicked)].id;
  ui::tooltip(look, tr("The language you are writing; a lesson may have several"));
  ImGui::SameLine(0, look.px(16));
  const std::string minutes = fill(tr("{} min"), {std::to_string(draft.minutes)});
  if (ui::button(look, "-##minutes", look.px(28), 28, false, draft.minutes > 1)) --draft.minutes;
  ui::tooltip(look, tr("How many minutes the lesson takes"));
  ImGui::SameLine(0, look.px(6));
  ImGui::AlignTextToFramePadding();
  ui::words(look, minutes, look.theme.secondary);
  ImGui::SameLine(0, look.px(6));
  if (ui::button(look, "+##minutes", look.px(28), 28, false, draft.minutes < 90)) ++draft.minutes;
  ui::tooltip(look, tr("How many minutes the lesson takes"));
}

void steps(Shell& shell, const Look& look) {
  Recorder& recorder = shell.recorder();
  Lesson& draft = recorder.draft();
  ImGui::Dummy({0, look.px(2)});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float width = ImGui::GetContentRegionAvail().x, high = look.px(30);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(draft.steps.size()); ++i) {
    const bool selected = i == recorder.selected();
    ImGui::PushID(static_cast<int>(i));
    const ImVec2 low = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton("recorded step", {width, high}, ImGuiButtonFlags_EnableNav)) recorder.select(shell, i);
    const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
    ui::tooltip(look, tr("Show this step: its sentence and view"));
    ImGui::PopID();
    if (selected || hot)
      list.AddRectFilled(low, {low.x + width, low.y + high},
                         gl::packed(selected ? look.theme.selected : look.theme.raised, selected ? 0.16f : 1), look.px(6));
    std::string words = in_language(draft.steps[static_cast<std::size_t>(i)].text, recorder.language);
    if (const std::size_t end = words.find('\n'); end != std::string::npos) words.resize(end);
    if (words.empty()) words = tr("no text yet");
    const float y = std::round(low.y + (high - look.figures.line_height(ui::kBody, Font::words) * look.scale) / 2);
    look.figures.text(list, {low.x + look.px(8), y}, std::to_string(i + 1), ui::kBody, Font::words,
                      selected ? look.theme.selected : look.theme.secondary);
    look.figures.text(list, {low.x + look.px(32), y}, words, ui::kBody, Font::words, look.theme.text, width - look.px(40));
  }
  if (ui::button(look, labelled(tr("Record step"), "recorder").c_str(), 0, 30, true)) recorder.record(shell);
  ui::tooltip(look, tr("What the window shows now becomes a new step after the selected one"));
  ImGui::SameLine(0, look.px(6));
  if (ui::button(look, "↑##step", look.px(30), 30, false, recorder.selected() > 0)) recorder.move(-1);
  ui::tooltip(look, tr("Move the step up"));
  ImGui::SameLine(0, look.px(6));
  if (ui::button(look, "↓##step", look.px(30), 30, false,
                 recorder.selected() + 1 < static_cast<std::int64_t>(draft.steps.size())))
    recorder.move(1);
  ui::tooltip(look, tr("Move the step down"));
  ImGui::SameLine(0, look.px(6));
  if (ui::button(look, labelled(tr("Delete"), "step").c_str(), 0, 30, false, draft.steps.size() > 1)) recorder.remove();
  ui::tooltip(look, tr("Delete the selected step"));
}

void preview(Shell& shell, const Look& look, const Step& step, const std::string& text) {
  if (text.empty()) return;
  const auto runs = fill_places(text, source_of(shell, step));
  const float width = std::floor(ImGui::GetContentRegionAvail().x / look.scale) - 1;
  ImGui::Dummy({0, look.px(2)});
  (void)look.figures.draw(prose(runs, width, ui::kBody, look.theme.secondary, look.theme, look.figures).figure, "preview");
  for (const Run& run : runs)
    if (run.why) {
      ui::words(look, spoken(Error(run.why->kind, run.why->what, run.why->where)), look.theme.wrong);
      break;
    }
}

void parts(Shell& shell, const Look& look) {
  Recorder& recorder = shell.recorder();
  ui::caption(look, tr("parts that are ringed"));
  const auto listed = recorder.step().highlight;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  bool first = true;
  for (const std::string& part : listed) {
    const std::string label = part + "  ×";
    const float wide = look.figures.width(label, 14, Font::words) * look.scale + look.px(32);
    if (!first) {
      ImGui::SameLine(0, look.px(6));
      if (ImGui::GetCursorPosX() + wide > right) ImGui::NewLine();
    }
    first = false;
    if (ui::button(look, (label + "##" + part).c_str(), 0, 28)) recorder.toggle_part(part);
    ui::tooltip(look, tr("Do not ring it any more"));
  }
  if (ui::button(look, labelled(recorder.picking ? tr("Done") : tr("Click parts"), "pick").c_str(), 0, 28, recorder.picking))
    recorder.picking = !recorder.picking;
  ui::tooltip(look, tr("While this is on, a click on a part of the window rings it or lets it go"));
  ImGui::SameLine(0, look.px(6));
  push_words(look, 14);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (ImGui::BeginCombo("##parts", tr("from a list"))) {
    for (const auto& [part, place] : shell.parts.places) {
      const bool chosen = std::find(listed.begin(), listed.end(), part) != listed.end();
      if (ImGui::Selectable(part.c_str(), chosen, ImGuiSelectableFlags_NoAutoClosePopups)) recorder.toggle_part(part);
    }
    ImGui::EndCombo();
  }
  ImGui::PopFont();
  ui::tooltip(look, tr("All parts of the window that have a name"));
}

void question(Shell& shell, const Look& look) {
  Recorder& recorder = shell.recorder();
  Step& step = recorder.step();
  bool asks = step.question.has_value();
  if (ui::toggle(look, labelled(tr("ask a question"), "question").c_str(), &asks)) {
    if (asks) {
      step.question.emplace();
      step.question->text[recorder.language] = step.question->why[recorder.language] = "";
      for (int i = 0; i < 3; ++i) step.question->choices.push_back({{recorder.language, ""}});
    } else {
      step.question.reset();
    }
  }
  ui::tooltip(look, tr("A question at the end of the step; its answer is shown on a click"));
  if (!step.question) return;
  Question& q = *step.question;
  field(look, "##question text", q.text[recorder.language], tr("the question"));
  for (std::size_t i = 0; i < q.choices.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const bool right = static_cast<std::int64_t>(i) == q.answer;
    if (ui::button(look, right ? "✓##right" : "○##right", look.px(32), 32, false)) q.answer = static_cast<std::int64_t>(i);
    ui::tooltip(look, tr("The right answer"));
    ImGui::SameLine(0, look.px(6));
    field(look, "##choice", q.choices[i][recorder.language], tr("an answer"));
    ImGui::PopID();
  }
  field(look, "##why", q.why[recorder.language], tr("why it is right"));
}

void files(Shell& shell, const Look& look) {
  Recorder& recorder = shell.recorder();
  const float gap = look.px(6), one = std::floor((ImGui::GetContentRegionAvail().x - 3 * gap) / 4);
  if (ui::button(look, labelled(tr("Play"), "draft").c_str(), one, 34)) {
    const auto lesson = std::make_shared<const Lesson>(recorder.draft());
    const std::int64_t at = recorder.selected();
    recorder.close(shell);
    shell.player().play(shell, lesson, at);
    return;
  }
  ui::tooltip(look, tr("Play the lesson from the selected step, as others will see it"));
  ImGui::SameLine(0, gap);
  if (ui::button(look, labelled(tr("Save…"), "draft").c_str(), one, 34, true)) {
    const std::string name = id_from(in_language(recorder.draft().title, recorder.language)) + ".json";
    const auto path = recorder.draft().path;
    std::error_code ignored;
    std::filesystem::create_directories(own_folder(), ignored);
    shell.files.ask({FileDialog::Mode::save_file,
                     tr("Save the lesson; in this folder it appears in the menu"),
                     {".json"},
                     path.empty() ? own_folder() : path.parent_path(),
                     path.empty() ? std::filesystem::path(name) : path.filename(),
                     [&shell](const std::filesystem::path& chosen) -> Status {
                       HL_TRY(shell.recorder().save(chosen));
                       shell.player().reload();
                       shell.say(fill(tr("saved {}"), {chosen.filename().string()}));
                       return {};
                     }});
  }
  ui::tooltip(look, tr("Write the lesson into a file, to play it and to share it"));
  ImGui::SameLine(0, gap);
  if (ui::button(look, labelled(tr("Open…"), "draft").c_str(), one, 34))
    shell.files.ask({FileDialog::Mode::open_file,
                     tr("Open a lesson to work on it"),
                     {".json"},
                     own_folder(),
                     {},
                     [&shell](const std::filesystem::path& chosen) { return shell.recorder().load(shell, chosen); }});
  ui::tooltip(look, tr("Work on a lesson that was saved"));
  ImGui::SameLine(0, gap);
  if (ui::button(look, labelled(tr("New"), "draft").c_str(), one, 34)) ImGui::OpenPopup("new lesson");
  ui::tooltip(look, tr("Begin another lesson"));
  if (ImGui::BeginPopup("new lesson")) {
    ui::words(look, tr("The draft will be cleared. A saved file stays."), look.theme.text, ui::kBody);
    if (ui::button(look, labelled(tr("Clear the draft"), "sure").c_str())) {
      recorder.begin_anew(shell);
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
}

}  // namespace

void draw_recorder(Shell& shell, const Look& look) {
  Recorder& recorder = shell.recorder();
  heading(shell, look);
  if (!recorder.active()) return;
  const float footer = look.px(34 + 14);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("recorder", {0, std::max(look.px(80), ImGui::GetContentRegionAvail().y - footer)},
                        ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground)) {
    about(shell, look);
    steps(shell, look);
    ImGui::Dummy({0, look.px(4)});
    ImGui::PushID(static_cast<int>(recorder.selected()));
    ui::caption(look, fill(tr("text of step {}; **bold**, `formula`, {weights 0 0 2 3} is a live number"),
                           {std::to_string(recorder.selected() + 1)}));
    std::string& text = recorder.step().text[recorder.language];
    area(look, "##step text", text, 5);
    preview(shell, look, recorder.step(), text);
    if (ui::button(look, labelled(tr("Take the window as it is now"), "recorder").c_str(), 0, 30)) recorder.take(shell);
    ui::tooltip(look, tr("The selected step gets the present sentence, settings and view"));
    parts(shell, look);
    question(shell, look);
    ImGui::PopID();
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  files(shell, look);
}

void draw_picking(Shell& shell, const Look& look) {
  Recorder& recorder = shell.recorder();
  if (!recorder.active()) return;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const auto ring = [&](ImDrawList& list, const views::Parts::Place& p, float strength) {
    const float out = look.px(3);
    list.AddRect({p.x0 - out, p.y0 - out}, {p.x1 + out, p.y1 + out}, gl::packed(look.theme.selected, strength), look.px(9), 0,
                 std::max(2.0f, std::round(2.5f * look.scale)));
  };
  ImGui::SetNextWindowPos(viewport->Pos);
  const float column = look.px(column_width(viewport->Size.x / look.scale));
  ImGui::SetNextWindowSize({std::max(1.0f, viewport->Size.x - (recorder.picking ? column : 0.0f)), viewport->Size.y});
  const ImGuiWindowFlags none = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                                ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoMove;
  // While parts are being chosen, this window takes the mouse: a click chooses a part instead of pressing it.
  if (ImGui::Begin("lesson parts", nullptr, recorder.picking ? none : none | ImGuiWindowFlags_NoInputs)) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const std::string& part : recorder.step().highlight)
      if (const auto at = shell.parts.places.find(part); at != shell.parts.places.end()) ring(list, at->second, 1);
    if (recorder.picking) {
      ImGui::SetCursorPos({0, 0});
      const bool clicked = ImGui::InvisibleButton("pick", ImGui::GetWindowSize());
      const std::string* best = nullptr;
      float least = 0;
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      if (ImGui::IsItemHovered())
        for (const auto& [part, p] : shell.parts.places) {
          if (mouse.x < p.x0 || mouse.y < p.y0 || mouse.x >= p.x1 || mouse.y >= p.y1) continue;
          const float size = (p.x1 - p.x0) * (p.y1 - p.y0);
          if (best && size >= least) continue;
          best = &part;
          least = size;
        }
      if (best) {
        ring(list, shell.parts.places.at(*best), 0.5f);
        if (ImGui::BeginTooltip()) {
          ui::words(look, *best, look.theme.text);
          ImGui::EndTooltip();
        }
        if (clicked) recorder.toggle_part(*best);
      }
      if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) recorder.picking = false;
    }
  }
  ImGui::End();
}

}  // namespace headlight::window::lesson_side
