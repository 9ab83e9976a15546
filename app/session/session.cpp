#include "app/session/session.h"

#include <algorithm>

#include "app/files/data_file.h"
#include "app/files/embedded.h"
#include "engine/core/files.h"
#include "engine/core/foreign_file.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/files/trained.h"

namespace headlight {
namespace {

constexpr int kVersion = 1;
constexpr std::uint64_t kLargest = std::uint64_t{256} << 20;

// Sessions were once written with the vocabulary that the document names as "trained:NAME" beside the document: `key` is
// "tokenizer", or "pinned_tokenizer" for the pinned one.
Status take_tokenizer(const Json& session, const char* key, Document& document, const std::string& where) {
  if (!session.contains(key)) return {};
  if (!session[key].is_string())
    return invalid("'{}' has the wrong type", key).at(where).mend("give a tokenizer's file as a text");
  if (!document.tokenizer.starts_with(tokenizers::kTrainedPrefix))
    return invalid("the session carries a tokenizer that it does not name").at(where).mend("name it as trained:NAME");
  HL_ASSIGN(auto trained, tokenizers::trained_from_json(document.tokenizer, session[key].string(), where + " tokenizer"));
  use_trained(document, std::move(trained));
  return {};
}

// Whether a JSON object holds arrays of numbers and nothing else.
bool holds_arrays(std::string_view text) {
  const auto json = Json::parse(text);
  if (!json.ok() || !json->is_object() || json->empty()) return false;
  return std::all_of(json->members().begin(), json->members().end(),
                     [](const Json::Member& one) { return one.value[0].is_number() || one.value[0].is_array(); });
}

}  // namespace

std::string to_json(const Session& session) {
  Json json = Json::object({{"headlight", kVersion},
                            {"document", *Json::parse(to_json(session.document))},
                            {"view", *Json::parse(to_json(session.view))}});
  if (session.pinned) json["pinned"] = *Json::parse(to_json(*session.pinned));
  return json.dump(2) + "\n";
}

Result<Session> session_from_json(std::string_view text, const std::string& where) {
  HL_ASSIGN(const Json json, Json::parse(text, where, Message("give a session as Headlight saves it")));
  if (!json.is_object())
    return invalid("this is not a session").at(where).mend("give a JSON object with \"headlight\" and \"document\"");
  Session session;
  if (!json.contains("headlight")) {
    HL_ASSIGN(session.document, document_from_json(text, where));
    return session;
  }
  const Json& version = json["headlight"];
  if (!version.is_integer()) return invalid("'headlight' has the wrong type").at(where).mend("give the session's version, 1");
  if (version.number() > kVersion)
    return invalid("this session has version {} and this program reads up to {}", version.dump(), kVersion)
        .at(where)
        .mend("open it with a newer Headlight");
  if (!json.contains("document")) return invalid("the session has no document").at(where).mend("give \"document\": {{...}}");
  for (const auto& [key, value] : json.members())
    if (key != "headlight" && key != "document" && key != "view" && key != "pinned" && key != "tokenizer" &&
        key != "pinned_tokenizer")
      return invalid("there is no field '{}' in a session", key)
          .at(where)
          .mend("known are headlight, document, view, pinned, tokenizer, pinned_tokenizer");
  HL_ASSIGN(session.document, document_from_json(json["document"].dump(), where));
  HL_TRY(take_tokenizer(json, "tokenizer", session.document, where));
  if (json.contains("view")) {
    HL_ASSIGN(session.view, view_state_from_json(json["view"].dump(), where));
  }
  if (json.contains("pinned")) {
    HL_ASSIGN(session.pinned, document_from_json(json["pinned"].dump(), where + ", pinned"));
    // Older sessions hold a trained vocabulary that both documents name only once, for the present one.
    if (session.pinned->trained.empty() && session.pinned->tokenizer == session.document.tokenizer)
      session.pinned->trained = session.document.trained;
    HL_TRY(take_tokenizer(json, "pinned_tokenizer", *session.pinned, where));
  }
  return session;
}

namespace {

// The JSON of the session in a file.
Result<std::string> session_text(const std::filesystem::path& path) {
  if (may_embed_document(path)) return embedded_document(path);  // a figure exported by Headlight
  HL_ASSIGN(std::string bytes, read_file(path, kLargest));
  const std::string_view text = without_byte_order_mark(bytes);
  const auto foreign = foreign_file(bytes, path.string(), "weights");
  const std::size_t first = text.find_first_not_of(" \r\n\t");
  const bool object = first < text.size() && text[first] == '{';
  if (data_kind(path) == DataKind::csv || (object ? holds_arrays(text) : foreign && !foreign->plain))
    return no_document_in(bytes, path);
  return text_from(std::move(bytes), path.string());
}

}  // namespace

Result<Session> load_session(const std::filesystem::path& path) {
  HL_ASSIGN(const std::string text, session_text(path));
  return session_from_json(text, path.string());
}

Result<SessionOutline> session_outline(const std::filesystem::path& path) {
  HL_ASSIGN(const std::string text, session_text(path));
  HL_ASSIGN(const Json json, Json::parse(text, path.string(), Message("give a session as Headlight saves it")));
  const Json& document = json.contains("headlight") ? json["document"] : json;
  SessionOutline outline;
  for (const Json* one : {&document, &json["pinned"]})
    if (const std::string name = (*one)["model"].string(); !name.empty()) outline.models.push_back(name);
  if (const Json* const texts = document.find("texts")) {
    HL_ASSIGN(outline.session.document, document_from_json(Json::object({{"texts", *texts}}).dump(), path.string()));
  }
  if (json.contains("headlight") && json.contains("view")) {
    HL_ASSIGN(outline.session.view, view_state_from_json(json["view"].dump(), path.string()));
  }
  return outline;
}

Status save_session(const std::filesystem::path& path, const Session& session) { return write_file(path, to_json(session)); }

}  // namespace headlight
