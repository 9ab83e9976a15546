// What `headlight open`, Ctrl+O and --session accept: a session file, a picture that contains one, or any PNG.
#pragma once

#include <filesystem>

#include "app/session/session.h"
#include "engine/core/status.h"

namespace headlight::window {

// What someone sees who opens nothing: the default sentence, read by a trained model; by the sandbox where no model is installed.
Session first_session();

// A folder stands for the session.json in it. The error says what the file is not.
Result<Session> load_any(const std::filesystem::path& path);

// Whether the file is a PNG that contains no session: a picture to show in Patches. Errors: it is named as a PNG and is none; it
// is broken, or its sides are 0 or too long.
Result<bool> is_bare_picture(const std::filesystem::path& path);
// The Patches view, on this picture.
void show_picture(ViewState& view, const std::filesystem::path& path);

// Whether a file's name ends as that of a session does: .headlight, which the desktop opens with this program, or .json.
bool is_session_file(const std::filesystem::path& path);

}  // namespace headlight::window
