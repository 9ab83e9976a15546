#include "app/window/opening.h"

#include <system_error>

#include "app/export/embedded.h"

#include "app/export/embedded.h"

namespace headlight::window {

Result<Session> load_any(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    if (std::filesystem::exists(path / "session.json", ignored)) return load_session(path / "session.json");
    return not_found("this folder holds no session.json", path.string(), "give a session file, or a picture that Headlight exported");
  }
  if (may_embed_document(path)) {
    HL_ASSIGN(const std::string document, embedded_document(path));
    return session_from_json(document, path.string());
  }
  if (!may_embed_document(path)) return load_session(path);
  HL_ASSIGN(const std::string json, embedded_document(path));
  return session_from_json(json, path.string());
}

}  // namespace headlight::window
