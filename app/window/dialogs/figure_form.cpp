#include "app/window/dialogs/figure_form.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;

namespace {

bool is_own(const std::string& words) { return !words.empty() && words != "on" && words != "off"; }

constexpr float kNames = 116;     // of the names left of what is chosen, in points
constexpr float kOwnWords = 276;  // of a field for words of one's own

// The name of what follows on its line.
void name_row(const Look& look, const char* name) {
  const ImVec2 at = ImGui::GetCursorPos();
  ImGui::SetCursorPosY(at.y + look.px(6));
  words(look, name, look.theme.secondary);
  ImGui::SetCursorPos({at.x + look.px(kNames), at.y});
}

// A field on the line of its name, `points` wide.
void field(const Look& look, const char* id, std::string& text, const char* hint, float points, const char* why) {
  ImGui::SetNextItemWidth(look.px(points));
  text_input(id, text, hint);
  tooltip(look, why);
}

// The next field, with a name of its own between.
void next_field(const Look& look, const char* name, const char* id, std::string& text, const char* hint, float points,
                const char* why) {
  ImGui::SameLine(0, look.px(10));
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, gl::vec4(look.theme.secondary));
  ImGui::TextUnformatted(name);
  ImGui::PopStyleColor();
  ImGui::SameLine(0, look.px(6));
  field(look, id, text, hint, points, why);
}

// A switch of a part that is on where nothing is said.
bool part_switch(const Look& look, const char* label, std::string& choice) {
  bool on = choice != "off";
  const bool clicked = toggle(look, label, &on);
  if (clicked) choice = on ? "" : "off";
  return clicked;
}

}  // namespace

void FigureForm::set(const FigureChoices& choices) {
  choices_ = choices;
  own_title_ = is_own(choices.title) ? choices.title : "";
  own_caption_ = is_own(choices.caption) ? choices.caption : "";
}

FigureChoices FigureForm::style() const {
  FigureChoices style = choices_;
  if (is_own(style.title)) style.title.clear();
  if (is_own(style.caption)) style.caption.clear();
  style.tokens.clear();
  style.limits.clear();
  style.centre.clear();
  style.transposed = false;
  return style;
}

void FigureForm::forget_content() { set(style()); }

void FigureForm::draw(const Look& look, const Offer& offer) {
  draw_size(look, offer);
  draw_parts(look);
  if (offer.matrix) draw_matrix(look);
}

void FigureForm::draw_size(const Look& look, const Offer& offer) {
  const char* const exact = tr("Exactly this, in every kind of file: 84mm, 238pt, 3.3in, 600px. Empty: as on the screen");
  name_row(look, tr("width"));
  field(look, "##width", choices_.width, "84mm", 70, exact);
  next_field(look, tr("height"), "##height", choices_.height, "60mm", 70, exact);
  if (offer.matrix)
    next_field(look, tr("cell"), "##cell", choices_.cell, "6mm", 60,
               tr("The side of every cell; the picture's size follows from it"));
  if (offer.type) {
    name_row(look, tr("font"));
    field(look, "##font", choices_.font, "DejaVu Serif", 150, tr("The font of all texts in the file; empty: the program's own"));
    next_field(look, tr("size"), "##font size", choices_.font_size, "8pt", 64,
               tr("Of axis names and the words below; tokens and titles go with it. Empty: as on the screen"));
  }
  name_row(look, tr("background"));
  constexpr std::array kGrounds{"", "white", "transparent"};
  const char* const labels[] = {tr("theme's"), tr("white"), tr("transparent")};
  const auto at = std::find(kGrounds.begin(), kGrounds.end(), choices_.background == "theme" ? "" : choices_.background);
  const int chosen = segmented(look, "background", labels, 3, static_cast<int>(std::distance(kGrounds.begin(), at)),
                               tr("White takes the light colours"));
  if (chosen >= 0) choices_.background = kGrounds[static_cast<std::size_t>(chosen)];
}

void FigureForm::draw_parts(const Look& look) {
  const std::pair<const char*, std::string*> parts[] = {{tr("title"), &choices_.title},
                                                        {tr("axis names"), &choices_.axes},
                                                        {tr("legend"), &choices_.legend},
                                                        {tr("caption"), &choices_.caption},
                                                        {tr("random weights"), &choices_.note}};
  const float column = look.px(138), left = ImGui::GetCursorPosX();
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    if (i % 3) ImGui::SameLine(left + column * static_cast<float>(i % 3));
    part_switch(look, parts[i].first, *parts[i].second);
    tooltip(look,
            i == 4 ? tr("The line that says where the numbers come from") : tr("Drawn, or left out: the rest moves together"));
  }
  name_row(look, tr("numbers in cells"));
  const char* const labels[] = {tr("where they fit"), tr("all"), tr("none")};
  constexpr std::array kNumbers{"", "on", "off"};
  const auto at = std::find(kNumbers.begin(), kNumbers.end(), choices_.numbers);
  const int chosen = segmented(look, "numbers", labels, 3, static_cast<int>(std::distance(kNumbers.begin(), at)),
                               tr("In large cells; in small ones too, in small type; in none"));
  if (chosen >= 0) choices_.numbers = kNumbers[static_cast<std::size_t>(chosen)];
  if (choices_.title != "off") {
    name_row(look, tr("own title"));
    field(look, "##own title", own_title_, tr("as it is"), kOwnWords, tr("In place of the picture's title"));
    choices_.title = own_title_;
  }
  if (choices_.caption != "off") {
    name_row(look, tr("own caption"));
    field(look, "##own caption", own_caption_, tr("as it is"), kOwnWords, tr("In place of the words below the picture"));
    choices_.caption = own_caption_;
  }
}

void FigureForm::draw_matrix(const Look& look) {
  name_row(look, tr("tokens"));
  field(look, "##tokens", choices_.tokens, "0,2-5", 96, tr("Only these rows and columns; rows and columns apart: 0-3/1,2"));
  ImGui::SameLine(0, look.px(10));
  toggle(look, tr("exchanged"), &choices_.transposed);
  tooltip(look, tr("Rows become columns, and columns rows"));
  name_row(look, tr("colours"));
  field(look, "##limits", choices_.limits, "-3,3", 76, tr("The numbers at the ends of the colours"));
  next_field(look, tr("centre"), "##centre", choices_.centre, "0", 56, tr("The number in the middle of the colours"));
}

}  // namespace headlight::window
