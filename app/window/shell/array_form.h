// The dialogue that says how the document's arrays are read, why, and lets the person correct it. What it changes is computed at
// once.
#pragma once

#include <filesystem>
#include <string>

#include "app/session/derived.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"
#include "engine/arrays/reading.h"

namespace headlight::window {

class Shell;

// A session that shows the arrays of a file in Heads. `axes` as in --axes; empty: guessed. Errors: those of opening and guessing.
// show_arrays(session, "attn.npz") keeps the session's theme.
Status show_arrays(Session& session, const std::filesystem::path& path, const std::string& axes = {});

// Opens the dialogue in the next frame.
void ask_reading(Shell& shell);
// What the arrays are and why, and what is unusual in them; looked at once, in the background.
Derived::Answer<arrays::Guess> reading_of(Shell& shell);
// The dialogue, if it was asked for.
void draw_array_form(Shell& shell, const ui::Look& look);
// The document's arrays in words: the file's name; what the badge says, its colour and why.
std::string arrays_label(const Document& document);
struct ArraysBadge {
  std::string words, why;
  bool unusual = false;
};
ArraysBadge arrays_badge(Shell& shell);
// The picker of a document of arrays: it opens the dialogue.
void draw_array_pill(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
