// The paths of the configuration and of the last session, and the remembered settings of the window. If HEADLIGHT_CONFIG_DIR is
// set, this folder holds both files; otherwise config.json is in $XDG_CONFIG_HOME/headlight (~/.config/headlight) and
// session.json in $XDG_STATE_HOME/headlight (~/.local/state/headlight).
#pragma once

#include <filesystem>
#include <string>

#include "app/files/figure_style.h"
#include "engine/core/status.h"

namespace headlight {

// The last choices in the export dialog for pictures.
struct FigureMemory {
  FigureChoices choices;
  int dpi = 192;
  std::string format = "png";  // the file name's ending
  bool light = false;          // in the light theme, whatever the window's theme
  bool operator==(const FigureMemory&) const = default;
};

struct Configuration {
  int width = 1600, height = 1000;  // the window's size at a scale of 1, in screen coordinates
  bool maximised = false;
  bool inspector_open = true;
  int inspector_width = 0;     // points, as the person dragged its border; 0: as the program chooses
  std::string last_folder;     // the last folder in the file dialog
  std::string language;        // "en", "zh", ...; empty: the system's locale
  bool reduce_motion = false;  // the window shows no motions
  bool offers_model = true;    // a line offers a published model that is not here; false: the person declined it
  FigureMemory figure;
  bool operator==(const Configuration&) const = default;
};

std::filesystem::path configuration_path();
std::filesystem::path last_session_path();
// The folder of the models that were saved in the window, with a folder for each model: $XDG_DATA_HOME/headlight/models
// (~/.local/share/headlight/models), or models in HEADLIGHT_CONFIG_DIR.
std::filesystem::path models_path();
// The folder of the word vectors that were saved in the window: word-vectors, beside models.
std::filesystem::path word_vectors_path();
// A missing file gives the defaults. Errors: (invalid) a malformed file; the caller then uses the defaults.
Result<Configuration> load_configuration(const std::filesystem::path& path);
// Writes the file as JSON and makes its folder if needed. Errors (io): a folder or file that cannot be made.
// save_configuration(configuration_path(), configuration) writes the user's own file.
Status save_configuration(const std::filesystem::path& path, const Configuration& configuration);

}  // namespace headlight
