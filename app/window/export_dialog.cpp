#include "app/window/export_dialog.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include "app/export/figure_file.h"
#include "app/gl/utf8.h"
#include "app/window/export_write.h"
#include "app/window/shell.h"
#include "app/window/style.h"
#include "app/window/text_input.h"
#include "imgui.h"

namespace headlight::window {

namespace fs = std::filesystem;

namespace {

// A file name out of a title: "layer 4, head 11" becomes "layer-4-head-11".
std::string file_name(const std::string& title) {
  std::string name;
  for (const char c : title) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "headlight" : name.substr(0, 80);
}

}  // namespace

void ExportDialog::ask(figures::Figure shown, std::function<figures::Figure()> light, fs::path folder) {
  figure_ = std::move(shown);
  light_ = std::move(light);
  if (!folder.empty()) folder_ = std::move(folder);
  std::error_code error;
  if (folder_.empty()) folder_ = fs::current_path(error);
  name_ = file_name(figure_.title);
  error_.clear();
  overwrite_ = false;
  open_ = appearing_ = true;
}

fs::path ExportDialog::target() const {
  fs::path path = name_;
  if (name_.starts_with("~/"))
    if (const char* home = std::getenv("HOME")) path = fs::path(home) / name_.substr(2);
  if (!path.is_absolute()) path = folder_ / path;
  // The chosen format decides; an extension that was typed for another one is replaced.
  const std::string wanted = std::string(".") + kExportFormats[format_];
  const std::string extension = path.extension().string();
  const bool known = std::any_of(std::begin(kExportFormats), std::end(kExportFormats),
                                 [&](const char* f) { return extension == std::string(".") + f; });
  if (known) path.replace_extension();
  path += wanted;
  return path;
}

void ExportDialog::start(Shell& shell) {
  const fs::path path = target();
  std::error_code ignored;
  if (!fs::is_directory(path.parent_path(), ignored)) {
    error_ = "there is no folder " + gl::valid_utf8(path.parent_path().string());
    return;
  }
  if (fs::exists(path, ignored) && !overwrite_) {
    overwrite_ = true;
    error_ = gl::valid_utf8(path.filename().string()) + " exists: press Export again to replace it";
    return;
  }
  figures::Figure figure = for_print_ && light_ ? light_() : figure_;
  shell.configuration().last_folder = path.parent_path().string();
  shell.say("exporting " + path.filename().string());

  const figures::Theme* theme = for_print_ && light_ ? figures::themes().find("light") : &shell.theme();
  shell.begin_export(path, [path, figure = std::move(figure), theme, session = to_json(shell.session()), dpi = dpi_] {
    return write_figure(path, figure, *theme, session, dpi);
  });
  open_ = false;
}

void ExportDialog::draw(Shell& shell, const Look& look) {
  if (!open_) return;
  if (appearing_) {
    ImGui::OpenPopup("Export");
  }
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(look.px(560), screen.x - look.px(32)), 0});
  if (!ImGui::BeginPopupModal("Export", nullptr,
                              ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoTitleBar))
    return;
  words(look, "Export what is shown", look.theme.text, kHeading);
  words(look, figure_.title, look.theme.secondary);
  if (const int chosen = segmented(look, "format", kExportFormats, kExportFormatCount, format_); chosen >= 0) {
    format_ = chosen;
    overwrite_ = false;
    error_.clear();
  }
  const bool numbers = format_ >= 3;
  if (numbers) {
    const figures::Cells* cells = largest_cells(figure_);
    words(look,
          cells
              ? "the numbers of the largest matrix shown, " + std::to_string(cells->rows) + " x " + std::to_string(cells->columns)
              : "this picture shows no matrix: choose a picture format",
          cells ? look.theme.secondary : look.theme.wrong);
  } else {
    words(look, format_ == 0 ? "pixels; opens in Headlight again" : "text stays text; opens in Headlight again",
          look.theme.secondary);
    if (light_) toggle(look, "light colours, for print", &for_print_);
  }
  if (format_ == 0) {
    caption(look, "dots per inch (72: one pixel a point, as on the screen)");
    const int choices[] = {72, 144, 300, 600};
    const char* const labels[] = {"72", "144", "300", "600"};
    int at = -1;
    for (int i = 0; i < 4; ++i)
      if (choices[i] == dpi_) at = i;
    if (const int chosen = segmented(look, "dpi", labels, 4, at); chosen >= 0) dpi_ = choices[chosen];
    ImGui::SameLine();
    ImGui::SetNextItemWidth(look.px(80));
    ImGui::InputInt("##dpi", &dpi_, 0);
    dpi_ = std::clamp(dpi_, figures::kLeastDpi, figures::kMostDpi);
    words(look,
          std::to_string(std::lround(figure_.width * static_cast<float>(dpi_) / 72)) + " x " +
              std::to_string(std::lround(figure_.height * static_cast<float>(dpi_) / 72)) + " pixels",
          look.theme.faint);
  }
  caption(look, "name or path, in " + gl::valid_utf8(folder_.string()));
  ImGui::SetNextItemWidth(-1);
  if (appearing_) ImGui::SetKeyboardFocusHere();
  appearing_ = false;
  const std::string before = name_;
  const bool entered =
      text_input("##path", name_, "name", ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (before != name_) {
    overwrite_ = false;
    error_.clear();
  }
  words(look, gl::valid_utf8(target().string()), look.theme.faint);
  if (!error_.empty()) words(look, error_, look.theme.wrong);
  const float width = look.px(120);
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - 2 * width - look.px(24));
  if (button(look, "Cancel", width) || ImGui::IsKeyPressed(ImGuiKey_Escape)) open_ = false;
  ImGui::SameLine();
  const bool ready = !name_.empty() && (!numbers || largest_cells(figure_));
  if ((button(look, "Export", width, 34, true, ready) || entered) && ready) start(shell);
  if (!open_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace headlight::window
