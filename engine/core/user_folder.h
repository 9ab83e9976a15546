// Where the program keeps what belongs to its user: HEADLIGHT_CONFIG_DIR if it is set, else the folders of the XDG specification.
#pragma once

#include <filesystem>
#include <string>

namespace headlight {

// The variable's text; "" if it is not set.
std::string environment(const char* name);
// user_folder("XDG_DATA_HOME", ".local/share") is $XDG_DATA_HOME/headlight, else ~/.local/share/headlight.
std::filesystem::path user_folder(const char* xdg, const char* in_home);
// The folder of the user's own models, a folder each: those saved in the window, and those that `headlight models get` brought.
std::filesystem::path own_models_folder();

}  // namespace headlight
