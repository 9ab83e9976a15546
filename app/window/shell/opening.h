// The files that `headlight open`, Ctrl+O and --session accept: a session file, a picture that contains one, any PNG, a model, or
// arrays of attention.
#pragma once

#include <filesystem>
#include <optional>

#include "app/session/session.h"
#include "engine/core/status.h"

namespace headlight::window {

// The session of a person who opens nothing: the default sentence, read by a trained model, or by the sandbox if no model is
// installed.
Session first_session();

// The folder or .gguf file of the model that `path` means, as an absolute path: the folder with its config.json or .gguf
// file, a file in the former, or the .gguf file itself. Nothing where `path` is no model's.
// place_of_model("gpt2/model.safetensors") gives the folder gpt2.
std::optional<std::filesystem::path> place_of_model(const std::filesystem::path& path);
// Makes the session's document one of this model, at its first layer and head. Errors: those of open_stored_model().
// show_model(session, *place_of_model("gpt2")): the session keeps its texts.
Status show_model(Session& session, const std::filesystem::path& place);

// Loads a session. A folder stands for the session.json in it, a model for the first session read by it. The error says what the
// file is not.
Result<Session> load_any(const std::filesystem::path& path);

// Whether the file is a session that names a model which takes its time to open: it is opened in the background.
bool waits_for_models(const std::filesystem::path& path);
// Renames the file of the last session, which could not be read, so that saving does not overwrite it; what to say of it.
Message put_aside(const std::filesystem::path& autosave, const Error& error);

// Whether the file is a PNG without a session, to be shown in the view that opens pictures. Errors: the file is named as a PNG
// and is none; the file is broken, or its sides are 0 or too long.
Result<bool> is_bare_picture(const std::filesystem::path& path);
// Turns to that view, with this picture.
// show_picture(view, "lake.png")
void show_picture(ViewState& view, const std::filesystem::path& path);

// Whether a file's name ends as a session's does: .headlight, which the desktop opens with this program, or .json. A model's
// config.json is none.
bool is_session_file(const std::filesystem::path& path);

}  // namespace headlight::window
