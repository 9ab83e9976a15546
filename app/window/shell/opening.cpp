#include "app/window/shell/opening.h"

#include <algorithm>
#include <optional>
#include <system_error>

#include "app/files/embedded.h"
#include "app/views/base/view.h"
#include "app/window/shell/array_form.h"
#include "engine/architectures/architecture.h"
#include "engine/core/files.h"
#include "engine/document/stored_model.h"
#include "engine/images/png_picture.h"
#include "engine/pipeline/array_document.h"

namespace headlight::window {

Session first_session() {
  Session session;
  if (const auto model = open_stored_model("stories"); model.ok()) {
    use_model(session.document, **model);
    // The head that looks from a noun at its adjectives (the model's card).
    session.view.layer = 4;
    session.view.head = 0;
  }
  return session;
}

std::optional<std::filesystem::path> place_of_model(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool inside = path.filename() == kModelConfigFile || path.extension() == ".safetensors";
  const std::filesystem::path place = inside ? path.parent_path() : path;
  const bool is_folder =
      std::filesystem::is_regular_file(place / kModelConfigFile, ignored) || architectures::is_checkpoint(place);
  const bool is_model = place.extension() == ".gguf" || (is_folder && !std::filesystem::exists(place / "session.json", ignored));
  if (!is_model) return std::nullopt;
  const std::filesystem::path whole = std::filesystem::absolute(place, ignored);
  return ignored ? place : whole;
}

Status show_model(Session& session, const std::filesystem::path& place) {
  HL_ASSIGN(const auto model, open_stored_model(place.string()));
  use_model(session.document, *model);
  session.view.layer = session.view.head = 0;
  return {};
}

Result<Session> load_any(const std::filesystem::path& path) {
  std::error_code ignored;
  if (const auto place = place_of_model(path)) {
    Session session = first_session();
    HL_TRY(show_model(session, *place));
    return session;
  }
  if (std::filesystem::is_directory(path, ignored)) {
    if (std::filesystem::exists(path / "session.json", ignored)) return load_session(path / "session.json");
    return not_found("this folder holds no session.json")
        .at(path.string())
        .mend("give a session file, a picture that Headlight exported, or a model's folder");
  }
  if (is_array_file(path)) {
    Session session = first_session();
    HL_TRY(show_arrays(session, path));
    return session;
  }
  HL_ASSIGN(const bool bare, is_bare_picture(path));
  if (!bare) return load_session(path);
  Session session = first_session();
  show_picture(session.view, path);
  return session;
}

bool waits_for_models(const std::filesystem::path& path) {
  if (place_of_model(path)) return false;
  const auto outline = session_outline(path);
  return outline.ok() && !std::all_of(outline->models.begin(), outline->models.end(), opens_at_once);
}

Message put_aside(const std::filesystem::path& autosave, const Error& error) {
  std::error_code ignored;
  const std::filesystem::path aside = autosave.string() + ".unreadable";
  std::filesystem::rename(autosave, aside, ignored);
  return Message("the last session could not be read ({}); it is kept as {}", error.whole(), aside.string());
}

Result<bool> is_bare_picture(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.extension() != ".png" || !std::filesystem::is_regular_file(path, ignored)) return false;
  const auto document = embedded_document(path);
  if (document.ok()) return false;
  HL_TRY(images::read_png(path));
  // It is a picture; what it contains of a session may be damaged.
  if (document.error().kind != ErrorKind::not_found) return document.error();
  return true;
}

void show_picture(ViewState& view, const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  for (const views::View& one : views::registry().entries()) {
    if (!one.open_picture) continue;
    view.tab = one.id;
    one.open_picture(view, (error ? path : whole).string());
  }
}

bool is_session_file(const std::filesystem::path& path) {
  return (path.extension() == ".headlight" || path.extension() == ".json") && !place_of_model(path) && !is_array_file(path);
}

}  // namespace headlight::window
