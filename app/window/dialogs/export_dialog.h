// The export dialog: a picture's folder, format and looks, with a live preview. The export lane writes the file.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/export/arrange.h"
#include "app/export/figure_data.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/files/configuration.h"
#include "app/files/figure_style.h"
#include "app/ui/widgets.h"
#include "app/window/dialogs/export_lane.h"
#include "app/window/dialogs/export_preview.h"
#include "app/window/dialogs/figure_form.h"

namespace headlight::window {

// The dialog's access to the window that shows it.
struct ExportHost {
  const figures::Theme& theme;                                                 // the picture's theme
  std::function<std::string()> document;                                       // the session that the file will contain, as JSON
  std::function<void(const std::filesystem::path&, ExportLane::Write)> begin;  // writes in the export lane
  std::function<void(const std::filesystem::path& folder)> remember;           // keeps the folder for the next dialog
  FigureMemory& memory;                                                        // keeps the looks of pictures
  // `shown` lays the view's picture out in another room, valid in this frame; without items if there is none. `matrix` makes the
  // picture of the view's matrix, whose cells, colours and tokens can be chosen; empty if the picture shows no matrix.
  std::function<figures::Figure(const figures::MakeInput&)> shown;
  std::function<figures::MakeFigure(const FigureStyle&, const std::string& title)> matrix;
  bool has_gl = false;
};

class ExportDialog {
 public:
  // Exports a picture as it is shown: as PNG, SVG, PDF, or its numbers as CSV, NPY, NPZ. `of_view` says that it is the open
  // view's picture and can be laid out again.
  // ask(std::move(figure), folder, memory, true) opens the dialog for the open view's picture.
  void ask(figures::Figure shown, std::filesystem::path folder, const FigureMemory& memory, bool of_view);
  // Exports a film as GIF or animated PNG.
  // ask(std::move(film), folder) opens the dialog for a film.
  void ask(figures::Animation film, std::filesystem::path folder);
  bool open() const { return open_; }
  // Chooses the format with this ending ("svg"), if the film or picture can have it; else does nothing.
  void choose(std::string_view ending);
  // draw(shell.export_host(), look) in each frame.
  void draw(const ExportHost& host, const ui::Look& look);
  // Frees the preview's texture, which the frame of the dialog's closing still shows. Call it in frames without the dialog.
  void rest() { preview_.clear(); }
  // The picture that the file will show, as of the last frame; null for a film, and for a choice that cannot be read.
  const figures::Figure* preview() const { return is_film() || !style_error_.empty() ? nullptr : &arranged_; }
  const std::string& style_error() const { return style_error_; }
  FigureForm& form() { return form_; }

 private:
  struct Format {
    const char *label, *ending;
    bool film, numbers;
  };
  static const std::vector<Format>& formats();
  bool is_film() const { return film_.frames > 0; }
  const Format& format() const { return formats()[is_film() ? film_format_ : format_]; }
  void begin(const std::string& title, std::filesystem::path folder);
  std::filesystem::path target() const;
  void start(const ExportHost& host);
  void draw_formats(const ui::Look& look);
  void draw_picture(const ExportHost& host, const ui::Look& look);
  void draw_resolution(const ui::Look& look);
  void draw_destination(const ExportHost& host, const ui::Look& look);
  void draw_form(const ExportHost& host, const ui::Look& look);
  // Lays the picture out as it was chosen, if a choice changed since the last time.
  void arrange(const ExportHost& host);
  Status arrange_now(const ExportHost& host);
  void draw_numbers(const ui::Look& look);
  void draw_film(const ExportHost& host, const ui::Look& look);
  std::string problem() const;  // why the chosen format cannot be written; empty: it can be

  figures::Figure figure_;  // as it is shown
  bool of_view_ = false;
  FigureForm form_;
  ExportPreview preview_;
  figures::Figure arranged_;   // as the file will show it
  figures::Theme file_theme_;  // the theme of `arranged_`
  FigureStyle style_;
  std::string style_error_;  // why it cannot be drawn as it was chosen
  struct Arranged {
    FigureChoices choices;
    std::string theme;
    bool for_print = false, png = false;
    int dpi = 0;
    bool operator==(const Arranged&) const = default;
  };
  std::optional<Arranged> arranged_for_;
  figures::Animation film_;
  figures::Figure first_frame_;
  std::vector<DataTable> tables_;
  std::string name_, error_;
  std::filesystem::path folder_;
  std::size_t format_ = 0, film_format_ = 6, table_ = 0;
  int dpi_ = 192, film_dpi_ = 96;
  float speed_ = 1;
  bool for_print_ = false, remembered_ = false, open_ = false, appearing_ = false, overwrite_ = false;
};

}  // namespace headlight::window
