// Where the configuration and the last session are stored, and what is remembered about the window. HEADLIGHT_CONFIG_DIR holds
// both files; otherwise config.json is in $XDG_CONFIG_HOME/headlight (~/.config/headlight) and session.json in
// $XDG_STATE_HOME/headlight (~/.local/state/headlight).
#pragma once

#include <filesystem>
#include <string>

#include "app/files/figure_style.h"
#include "engine/core/status.h"

namespace headlight {

// What the export dialog was last told of pictures.
struct FigureMemory {
  FigureChoices choices;
  int dpi = 192;
  std::string format = "png";  // an ending
  bool light = false;          // in the light theme, whatever the window's is
  bool operator==(const FigureMemory&) const = default;
};

struct Configuration {
  int width = 1600, height = 1000;  // of the window, in screen coordinates
  bool maximised = false;
  bool inspector_open = true;
  std::string last_folder;     // of the file dialog
  std::string language;        // "en", "zh", ...; empty: the system's locale
  bool reduce_motion = false;  // no motions
  FigureMemory figure;
  bool operator==(const Configuration&) const = default;
};

std::filesystem::path configuration_path();
std::filesystem::path last_session_path();
// The models that were saved in the window, a folder each: $XDG_DATA_HOME/headlight/models (~/.local/share/headlight/models), or
// models in HEADLIGHT_CONFIG_DIR.
std::filesystem::path models_path();
// Word vectors that were saved in the window, likewise: word-vectors beside models.
std::filesystem::path word_vectors_path();
// A missing file gives the defaults, a malformed one an error (the caller then uses the defaults).
Result<Configuration> load_configuration(const std::filesystem::path& path);
Status save_configuration(const std::filesystem::path& path, const Configuration& configuration);  // creates the folder

}  // namespace headlight
