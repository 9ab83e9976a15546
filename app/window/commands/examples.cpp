#include "app/window/commands/examples.h"

#include "engine/core/files.h"
#include "engine/core/json.h"

namespace headlight::window {

Result<std::vector<Example>> examples_from_json(std::string_view text, const std::string& where) {
  const auto parsed = Json::parse(text);
  const Json json = parsed ? *parsed : Json();
  if (!json.is_array()) return invalid("this is no list of examples").at(where).mend("write a JSON array of objects");
  std::vector<Example> out;
  for (const Json& item : json.elements()) {
    const Message at("{}, example {}", where, out.size() + 1);
    if (!item.is_object())
      return invalid("an example is an object").at(at).mend("write {{\"id\", \"label\", \"why\", \"document\"}}");
    Example example;
    for (const auto& [key, field] : {std::pair{"id", &Example::id}, {"label", &Example::label}, {"why", &Example::why}}) {
      if (!item[key].is_string()) return invalid("'{}' is missing", key).at(at).mend("give a text");
      example.*field = item[key].string();
    }
    if (!item.contains("document")) return invalid("'document' is missing").at(at).mend("say at least its texts");
    HL_ASSIGN(example.session.document, document_from_json(item["document"].dump(), at.english()));
    if (item.contains("view")) {
      HL_ASSIGN(example.session.view, view_state_from_json(item["view"].dump(), at.english()));
      example.shows_tab = item["view"].contains("tab");
    }
    out.push_back(std::move(example));
  }
  return out;
}

Result<std::vector<Example>> load_examples() {
  HL_ASSIGN(const std::filesystem::path assets, assets_folder());
  const std::filesystem::path path = assets / "examples.json";
  HL_ASSIGN(const std::string text, read_file(path, 1 << 20));
  return examples_from_json(text, path.string());
}

}  // namespace headlight::window
