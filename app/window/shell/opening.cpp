#include "app/window/shell/opening.h"

#include <system_error>

#include "engine/document/stored_model.h"

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

Result<Session> load_any(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    if (std::filesystem::exists(path / "session.json", ignored)) return load_session(path / "session.json");
    return not_found("this folder holds no session.json", path.string(),
                     "give a session file, or a picture that Headlight exported");
  }
  return load_session(path);
}

bool is_session_file(const std::filesystem::path& path) {
  return path.extension() == ".headlight" || path.extension() == ".json";
}

}  // namespace headlight::window
