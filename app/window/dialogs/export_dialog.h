// The export dialog: where, in which format and at which resolution. The file itself is written in the export lane.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/export/figure_data.h"
#include "app/figures/base/figure.h"
#include "app/ui/widgets.h"
#include "app/window/dialogs/export_lane.h"

namespace headlight::window {

// What the dialog needs from the window that shows it.
struct ExportHost {
  const figures::Theme& theme;                                                 // of the picture
  std::function<std::string()> document;                                       // the session that the file will contain, as JSON
  std::function<void(const std::filesystem::path&, ExportLane::Write)> begin;  // writes in the export lane
  std::function<void(const std::filesystem::path& folder)> remember;           // keeps the folder for the next dialog
};

class ExportDialog {
 public:
  // Exports a picture as it is shown: as PNG, SVG, PDF, or its numbers as CSV, NPY, NPZ.
  void ask(figures::Figure shown, std::filesystem::path folder);
  // Exports a film as GIF or animated PNG.
  void ask(figures::Animation film, std::filesystem::path folder);
  bool open() const { return open_; }
  // Chooses the format with this ending ("svg"), if the film or picture can have it; else does nothing.
  void choose(std::string_view ending);
  void draw(const ExportHost& host, const ui::Look& look);

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
  void draw_numbers(const ui::Look& look);
  void draw_film(const ExportHost& host, const ui::Look& look);
  std::string problem() const;  // why the chosen format cannot be written; empty: it can be

  figures::Figure figure_;
  figures::Animation film_;
  figures::Figure first_frame_;
  std::vector<DataTable> tables_;
  std::string name_, error_;
  std::filesystem::path folder_;
  std::size_t format_ = 0, film_format_ = 6, table_ = 0;
  int dpi_ = 192, film_dpi_ = 96;
  float speed_ = 1;
  bool for_print_ = false, open_ = false, appearing_ = false, overwrite_ = false;
};

}  // namespace headlight::window
