// The files that `headlight open`, Ctrl+O and --session accept: a session file, a picture that contains one, or any PNG.
#pragma once

#include <filesystem>

#include "app/session/session.h"
#include "engine/core/status.h"

namespace headlight::window {

// The session of a person who opens nothing: the default sentence, read by a trained model, or by the sandbox if no model is
// installed.
Session first_session();

// Loads a session. A folder stands for the session.json in it. The error says what the file is not.
Result<Session> load_any(const std::filesystem::path& path);

// Whether the file is a PNG without a session, to be shown in Patches. Errors: the file is named as a PNG and is none; the file
// is broken, or its sides are 0 or too long.
Result<bool> is_bare_picture(const std::filesystem::path& path);
// Turns the view to Patches, with this picture.
// show_picture(view, "lake.png") sets view.patches.picture.
void show_picture(ViewState& view, const std::filesystem::path& path);

// Whether a file's name ends as a session's does: .headlight, which the desktop opens with this program, or .json.
bool is_session_file(const std::filesystem::path& path);

}  // namespace headlight::window
