#include "app/window/dialogs/export_dialog.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "app/export/clipboard.h"
#include "app/export/figure_file.h"
#include "app/export/film_file.h"
#include "app/export/recolor.h"
#include "app/gl/shaping.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;

namespace fs = std::filesystem;

namespace {

// A file name from a title: "layer 4, head 11" becomes "layer-4-head-11".
std::string file_name(const std::string& title) {
  std::string name;
  for (const char c : title) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  name = name.substr(0, 80);
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "headlight" : name;
}

// The room in which a view's picture is laid out, in points.
constexpr float kShownWidth = 1000, kShownHeight = 760;
constexpr float kFormWide = 440, kDialogWide = 560, kWithPreview = 1000;  // of the dialog, in points

std::string pixels(float width, float height, int dpi) {
  const auto size = [&](float points) { return std::to_string(std::lround(std::ceil(points * static_cast<float>(dpi) / 96))); };
  return fill(tr("{} x {} pixels"), {size(width), size(height)});
}

// How large the file's picture is: in the unit that was chosen, and in pixels where it has some.
std::string size_words(const figures::Figure& figure, const FigureStyle& style, bool png, int dpi) {
  const Length::Unit unit = figures::unit_of(style);
  if (png) {
    if (unit == Length::none) return pixels(figure.width, figure.height, dpi);
    const auto size = [&](float points) { return std::to_string(std::lround(points * static_cast<float>(dpi) / 96)); };
    return fill(tr("{} x {} pixels"), {size(figure.width), size(figure.height)});
  }
  const Length::Unit said = unit == Length::none ? Length::mm : unit;
  const auto size = [&](float points) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", static_cast<double>(points) / Length{said, 1}.points());
    return std::string(text);
  };
  return size(figure.width) + " x " + size(figure.height) + " " + name_of(said);
}

}  // namespace

const std::vector<ExportDialog::Format>& ExportDialog::formats() {
  static const std::vector<Format> all{{"PNG", "png", false, false}, {"SVG", "svg", false, false}, {"PDF", "pdf", false, false},
                                       {"CSV", "csv", false, true},  {"NPY", "npy", false, true},  {"NPZ", "npz", false, true},
                                       {"GIF", "gif", true, false},  {"APNG", "png", true, false}};
  return all;
}

void ExportDialog::begin(const std::string& title, fs::path folder) {
  if (!folder.empty()) folder_ = std::move(folder);
  std::error_code error;
  if (folder_.empty()) folder_ = fs::current_path(error);
  name_ = file_name(title);
  error_.clear();
  overwrite_ = false;
  open_ = appearing_ = true;
}

void ExportDialog::ask(figures::Figure shown, fs::path folder, const FigureMemory& memory, bool of_view) {
  film_ = {};
  const bool same = figure_.title == shown.title;
  figure_ = std::move(shown);
  tables_ = figures::tables_of(figure_);
  table_ = 0;
  of_view_ = of_view;
  arranged_for_.reset();
  if (!remembered_) {
    remembered_ = true;
    form_.set(memory.choices);
    dpi_ = std::clamp(memory.dpi, figures::kLeastDpi, figures::kMostDpi);
    for_print_ = memory.light;
    choose(memory.format);
  }
  // Words, tokens and limits were chosen for one picture.
  if (!same) form_.forget_content();
  begin(figure_.title, std::move(folder));
}

void ExportDialog::ask(figures::Animation film, fs::path folder) {
  film_ = std::move(film);
  figure_ = {};
  tables_.clear();
  first_frame_ = {};
  if (!figures::can_write(figures::FilmKind::gif).ok()) film_format_ = 7;
  begin(film_.title, std::move(folder));
}

void ExportDialog::choose(std::string_view ending) {
  for (std::size_t i = 0; i < formats().size(); ++i)
    if (formats()[i].film == is_film() && formats()[i].ending == ending) (is_film() ? film_format_ : format_) = i;
}

fs::path ExportDialog::target() const {
  fs::path path = name_;
  if (name_.starts_with("~/"))
    if (const char* home = std::getenv("HOME")) path = fs::path(home) / name_.substr(2);
  if (!path.is_absolute()) path = folder_ / path;
  // The chosen format decides; another format's extension that the user typed is replaced.
  const std::string extension = path.extension().string();
  const bool known =
      std::any_of(formats().begin(), formats().end(), [&](const Format& f) { return extension == std::string(".") + f.ending; });
  if (known) path.replace_extension();
  path += std::string(".") + format().ending;
  return path;
}

std::string ExportDialog::problem() const {
  if (format().numbers && tables_.empty()) return tr("this picture shows no array of numbers: choose a picture format");
  if (!is_film() && !format().numbers && !style_error_.empty()) return style_error_;
  if (is_film())
    if (const Status able = figures::can_write(film_format_ == 6 ? figures::FilmKind::gif : figures::FilmKind::apng); !able.ok())
      return spoken(able.error());
  return {};
}

void ExportDialog::start(const ExportHost& host) {
  const fs::path path = target();
  std::error_code ignored;
  if (!fs::is_directory(path.parent_path(), ignored)) {
    error_ = fill(tr("there is no folder {}"), {gl::valid_utf8(path.parent_path().string())});
    return;
  }
  if (fs::exists(path, ignored) && !overwrite_) {
    overwrite_ = true;
    error_ = fill(tr("{} exists: press Export again to replace it"), {gl::valid_utf8(path.filename().string())});
    return;
  }
  host.remember(path.parent_path());
  const figures::Theme* light = figures::themes().find("light");
  const figures::Theme* shown = &host.theme;
  const figures::Theme* theme = for_print_ && light ? light : shown;
  std::string session = host.document();
  using Run = ExportLane::Run;
  if (is_film()) {
    host.begin(path, [path, film = film_, shown, theme, session = std::move(session), dpi = film_dpi_,
                      speed = static_cast<double>(speed_)](const Run& run) {
      figures::Animation recolored = film;
      recolored.frame = [&](int index, const figures::TextMeasure& measure) {
        return figures::recolored(film.frame(index, measure), *shown, *theme);
      };
      figures::FilmFileOptions options;
      options.dpi = dpi;
      options.speed = speed;
      options.document = session;
      options.cancel = run.cancel;
      options.progress = run.progress;
      return figures::save_film(path, recolored, *theme, options);
    });
  } else if (format().numbers) {
    host.begin(path, [path, tables = tables_, table = table_, session = std::move(session)](const Run&) {
      return figures::save_tables(path, tables, table, session);
    });
  } else {
    host.begin(path, [path, figure = arranged_, drawn = file_theme_, session = std::move(session), dpi = dpi_,
                      unit = figures::unit_of(style_)](const Run&) {
      return figures::save_figure(path, figure, drawn, {dpi, session, unit});
    });
  }
  open_ = false;
}

void ExportDialog::draw_formats(const Look& look) {
  std::vector<const char*> labels;
  std::size_t first = 0;
  for (std::size_t i = 0; i < formats().size(); ++i) {
    if (formats()[i].film != is_film()) continue;
    if (labels.empty()) first = i;
    labels.push_back(formats()[i].label);
  }
  std::size_t& chosen = is_film() ? film_format_ : format_;
  if (const int clicked =
          segmented(look, "format", labels.data(), static_cast<int>(labels.size()), static_cast<int>(chosen - first),
                    tr("The kind of file: pictures for pages and slides, numbers for other programs"));
      clicked >= 0) {
    chosen = first + static_cast<std::size_t>(clicked);
    overwrite_ = false;
    error_.clear();
  }
}

// In the window's theme first, as all its pictures are laid out, then in the colours of the file.
Status ExportDialog::arrange_now(const ExportHost& host) {
  HL_ASSIGN(style_, read_style(form_.choices()));
  const figures::Theme* light = figures::themes().find("light");
  // On white, light words could not be read.
  const bool to_light = for_print_ || (style_.background == Ground::white && !figures::theme_on(host.theme, Ground::white).ok());
  HL_ASSIGN(file_theme_, figures::theme_on(to_light && light ? *light : host.theme, style_.background));
  if (style_ == FigureStyle()) {  // exactly what is shown
    arranged_ = figures::recolored(figure_, host.theme, file_theme_);
    return {};
  }
  figures::Arrangement room{kShownWidth, kShownHeight};
  room.dpi = format_ == 0 ? dpi_ : 96;
  room.fills = false;
  figures::MakeFigure make;
  if (of_view_ && host.matrix && (!style_.matrix_choice().empty() || style_.width.exact() || style_.height.exact()))
    make = host.matrix(style_, figure_.title);
  if (make) {
    room.fills = true;
  } else if (of_view_ && host.shown) {
    make = [&](const figures::MakeInput& in) -> Result<figures::Figure> { return host.shown(in); };
  } else {
    make = [&](const figures::MakeInput&) -> Result<figures::Figure> { return figure_; };
  }
  if (const std::string choice = style_.matrix_choice(); !choice.empty() && !room.fills)
    return usage_error("this picture has its own form").at(choice).mend("leave it out");
  HL_ASSIGN(figures::Figure figure, figures::arranged(make, style_, room, host.theme));
  arranged_ = figures::recolored(std::move(figure), host.theme, file_theme_);
  return {};
}

void ExportDialog::arrange(const ExportHost& host) {
  const Arranged wanted{form_.choices(), host.theme.id, for_print_, format_ == 0, dpi_};
  if (arranged_for_ == wanted) return;
  arranged_for_ = wanted;
  const Status status = arrange_now(host);
  style_error_ = status.ok() ? "" : spoken(status.error());
  if (status.ok()) preview_.change();
}

void ExportDialog::draw_resolution(const Look& look) {
  if (format_ != 0) return;
  constexpr int kChoices[] = {96, 192, 300, 600};
  constexpr const char* kLabels[] = {"96", "192", "300", "600"};
  int at = -1;
  for (int i = 0; i < 4; ++i)
    if (kChoices[i] == dpi_) at = i;
  if (const int chosen = segmented(look, "dpi", kLabels, 4, at,
                                   tr("Dots per inch: 96 is one pixel a point, as on the screen; 300 and more for print"));
      chosen >= 0)
    dpi_ = kChoices[chosen];
  ImGui::SameLine();
  ImGui::SetNextItemWidth(look.px(80));
  ImGui::InputInt("##dpi", &dpi_, 0);
  tooltip(look, tr("Any resolution from 72 to 1200"));
  dpi_ = std::clamp(dpi_, figures::kLeastDpi, figures::kMostDpi);
}

void ExportDialog::draw_form(const ExportHost& host, const Look& look) {
  if (host.theme.id != "light") {
    toggle(look, tr("light colours, for print"), &for_print_);
    tooltip(look, tr("The same picture in the light theme, for paper and for white slides"));
  }
  draw_resolution(look);
  FigureForm::Offer offer;
  offer.type = of_view_;
  offer.matrix = of_view_ && host.matrix && host.matrix(FigureStyle(), {});
  form_.draw(look, offer);
  if (form_.choices() == FigureChoices()) return;
  if (button(look, tr("as on the screen"), 0, 28)) form_.set({});
  tooltip(look, tr("Takes all choices back"));
}

// The choices beside the preview; in a low window they scroll.
void ExportDialog::draw_picture(const ExportHost& host, const Look& look) {
  words(look, format_ == 0 ? tr("pixels; opens in Headlight again") : tr("text stays text; opens in Headlight again"),
        look.theme.secondary);
  const float around = look.px(286);  // the rows above and below
  const float high = std::clamp(ImGui::GetMainViewport()->Size.y - around, look.px(140), look.px(470));
  const float wide = std::min(look.px(kFormWide), ImGui::GetContentRegionAvail().x * 0.6f);
  ImGui::BeginChild("form", {wide, high}, ImGuiChildFlags_NavFlattened);
  draw_form(host, look);
  ImGui::EndChild();
  arrange(host);
  host.memory = {form_.style(), dpi_, format().ending, for_print_};
  ImGui::SameLine(0, look.px(16));
  ImGui::BeginGroup();
  const float line = ImGui::GetTextLineHeightWithSpacing();
  preview_.draw(arranged_, file_theme_, {ImGui::GetContentRegionAvail().x, high - line - look.px(6)}, host.has_gl, look);
  words(look, style_error_.empty() ? size_words(arranged_, style_, format_ == 0, dpi_) : style_error_,
        style_error_.empty() ? look.theme.faint : look.theme.wrong);
  ImGui::EndGroup();
}

void ExportDialog::draw_numbers(const Look& look) {
  if (tables_.empty()) return;
  const bool all = format_ == 5;
  words(look,
        all            ? tr("every array with its labels; opens in Headlight again and in numpy.load")
        : format_ == 3 ? tr("one array as a table, its tokens as headers")
                       : tr("one array, for numpy.load"),
        look.theme.secondary);
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const std::string label = figures::words_of(tables_[i]);
    if (all || tables_.size() == 1) {
      words(look, label, look.theme.text, 14);
      continue;
    }
    ImGui::PushID(static_cast<int>(i));
    if (button(look, label.c_str(), 0, 28, i == table_)) {
      table_ = i;
      overwrite_ = false;
    }
    ImGui::PopID();
  }
}

void ExportDialog::draw_film(const ExportHost& host, const Look& look) {
  words(look,
        film_format_ == 6 ? tr("GIF: slides and mail take it everywhere; 256 colours a picture; opens in Headlight again")
                          : tr("animated PNG: exact colours, for browsers; opens in Headlight again"),
        look.theme.secondary);
  if (host.theme.id != "light") {
    toggle(look, tr("light colours, for print"), &for_print_);
    tooltip(look, tr("The same film in the light theme, for white slides"));
  }
  if (first_frame_.width <= 0) first_frame_ = film_.frame(0, look.figures);
  caption(look, tr("size"));
  constexpr int kChoices[] = {72, 96, 144, 192};
  constexpr const char* kLabels[] = {"75 %", "100 %", "150 %", "200 %"};
  int at = -1;
  for (int i = 0; i < 4; ++i)
    if (kChoices[i] == film_dpi_) at = i;
  if (const int chosen = segmented(look, "size", kLabels, 4, at, tr("Larger films are sharper and take longer to write"));
      chosen >= 0)
    film_dpi_ = kChoices[chosen];
  caption(look, tr("speed"));
  constexpr float kSpeeds[] = {0.5f, 1, 2, 4};
  constexpr const char* kSpeedLabels[] = {"0.5 x", "1 x", "2 x", "4 x"};
  int speed = -1;
  for (int i = 0; i < 4; ++i)
    if (std::abs(kSpeeds[i] - speed_) < 0.01f) speed = i;
  if (const int chosen = segmented(look, "speed", kSpeedLabels, 4, speed, tr("How fast the film plays")); chosen >= 0)
    speed_ = kSpeeds[chosen];
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f", film_.frames * film_.seconds_per_frame / static_cast<double>(speed_));
  words(look,
        fill(tr("{} pictures, {} seconds"), {std::to_string(film_.frames), seconds}) + ", " +
            pixels(first_frame_.width, first_frame_.height, film_dpi_),
        look.theme.faint);
}

void ExportDialog::draw(const ExportHost& host, const Look& look) {
  if (!open_) return;
  if (appearing_) ImGui::OpenPopup("Export");
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  const bool picture = !is_film() && !format().numbers;
  ImGui::SetNextWindowSize({std::min(look.px(picture ? kWithPreview : kDialogWide), screen.x - look.px(32)), 0});
  if (!ImGui::BeginPopupModal("Export", nullptr,
                              ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoTitleBar))
    return;
  words(look, is_film() ? tr("Export this film") : tr("Export what is shown"), look.theme.text, kHeading);
  words(look, is_film() ? film_.title : figure_.title, look.theme.secondary);
  draw_formats(look);
  if (is_film())
    draw_film(host, look);
  else if (format().numbers)
    draw_numbers(look);
  else
    draw_picture(host, look);
  draw_destination(host, look);
  if (!open_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

void ExportDialog::draw_destination(const ExportHost& host, const Look& look) {
  const std::string lacking = problem();
  if (!lacking.empty() && lacking != style_error_) words(look, lacking, look.theme.wrong);  // that stands below the preview
  caption(look, fill(tr("name or path, in {}"), {gl::valid_utf8(folder_.string())}));
  ImGui::SetNextItemWidth(-1);
  if (appearing_) ImGui::SetKeyboardFocusHere();
  appearing_ = false;
  const std::string before = name_;
  const bool entered =
      text_input("##path", name_, tr("name"), ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (before != name_) {
    overwrite_ = false;
    error_.clear();
  }
  words(look, gl::valid_utf8(target().string()), look.theme.faint);
  if (!error_.empty()) words(look, error_, look.theme.wrong);
  const float width = look.px(120);
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - 2 * width - look.px(24));
  if (button(look, tr("Cancel"), width) || ImGui::IsKeyPressed(ImGuiKey_Escape)) open_ = false;
  ImGui::SameLine();
  const bool ready = !name_.empty() && lacking.empty();
  if ((button(look, tr("Export"), width, 34, true, ready) || entered) && ready) start(host);
}

}  // namespace headlight::window
