// A session file: {"headlight": 1, "document": {...}, "view": {...}, "pinned": {...}}. A figure contains the same object.
// Vocabularies that were trained in the window are part of the documents that use them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/view_state.h"
#include "engine/core/status.h"
#include "engine/document/document.h"

namespace headlight {

struct Session {
  Document document;
  ViewState view;
  std::optional<Document> pinned = std::nullopt;  // A of the comparison; none: nothing is pinned
  bool operator==(const Session&) const = default;
};

std::string to_json(const Session& session);
// session_from_json(to_json(session), "paste") is equal to `session`.
Result<Session> session_from_json(std::string_view json, const std::string& where);  // accepts a document alone, too
// Reads a session file, or a figure (PNG, SVG, PDF) that contains one.
Result<Session> load_session(const std::filesystem::path& path);
// What there is to see of the session in a file before its models are open.
struct SessionOutline {
  Session session;                  // its texts, in a document of the sandbox, and its view
  std::vector<std::string> models;  // that its documents name
};
// Opens no model. Errors: load_session()'s, of the file and the view.
Result<SessionOutline> session_outline(const std::filesystem::path& path);
// save_session("work.json", session) writes the file completely or leaves the old one as it was.
Status save_session(const std::filesystem::path& path, const Session& session);

}  // namespace headlight
