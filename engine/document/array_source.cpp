#include "engine/document/array_source.h"

#include <map>
#include <mutex>

#include "engine/core/base64.h"

namespace headlight {
namespace {

// Opened files by what names them; an entry without a user is opened anew.
std::mutex array_files_mutex;
std::map<std::string, std::weak_ptr<const arrays::File>>& array_files() {
  static std::map<std::string, std::weak_ptr<const arrays::File>> all;
  return all;
}

// The bytes of copies, by their files' checksums, as long as a document that was read here may name them.
std::map<std::string, std::shared_ptr<const std::string>>& copies() {
  static std::map<std::string, std::shared_ptr<const std::string>> all;
  return all;
}

// Named arrays are asked for in every frame.
std::map<std::string, std::shared_ptr<const ArraySource>>& named_sources() {
  static std::map<std::string, std::shared_ptr<const ArraySource>> all;
  return all;
}

// The source without the copy's bytes.
Json brief(const ArraySource& source) {
  Json uses = Json::array();
  for (const arrays::Use& use : source.reading.uses)
    uses.push_back(
        Json::object({{"part", use.part}, {"is", arrays::name_of(use.what)}, {"array", use.pattern}, {"axes", use.axes}}));
  return Json::object({{"file", source.file},
                       {"checksum", source.checksum},
                       {"read", std::move(uses)},
                       {"tokens", source.reading.tokens},
                       {"source_tokens", source.reading.source_tokens},
                       {"tokenizer", source.reading.tokenizer}});
}

Result<std::string> text_of(const Json& json, const char* key, const std::string& where) {
  if (!json[key].is_string()) return invalid("'{}' has the wrong type", key).at("{} arrays", where).mend("give a text");
  return json[key].string();
}

}  // namespace

bool ArraySource::operator==(const ArraySource& other) const {
  return file == other.file && checksum == other.checksum && (copy != nullptr) == (other.copy != nullptr) &&
         reading == other.reading;
}

Result<std::shared_ptr<const arrays::File>> open_arrays(const ArraySource& source) {
  const std::string key = source.checksum + " " + source.file;
  const std::lock_guard lock(array_files_mutex);
  if (auto known = array_files()[key].lock()) return known;
  std::shared_ptr<const arrays::File> file;
  if (source.copy) {
    HL_ASSIGN(file, arrays::open(source.copy, source.file));
  } else {
    auto sum = arrays::checksum(source.file);
    if (!sum)
      return not_found("the arrays that this session shows are not here")
          .at(source.file)
          .mend("put the file there again, or open it at its new place");
    if (*sum != source.checksum)
      return invalid("is another file than the one that this session shows: its checksum differs")
          .at(source.file)
          .mend("open the file itself, to show what is in it now");
    HL_ASSIGN(file, arrays::open(std::filesystem::path(source.file)));
  }
  array_files()[key] = file;
  return file;
}

Json to_json(const ArraySource& source) {
  Json json = brief(source);
  if (source.copy) json["copy"] = to_base64(*source.copy);
  return json;
}

void use_arrays(Document& document, const ArraySource& source) {
  Json json = brief(source);
  if (source.copy) {
    json["copied"] = true;
    const std::lock_guard lock(array_files_mutex);
    copies()[source.checksum] = source.copy;
  }
  document.model = std::string(kArraysPrefix) + json.dump();
}

Result<ArraySource> array_source_from_name(std::string_view name) {
  HL_ASSIGN(const Json json, Json::parse(name.substr(kArraysPrefix.size()), "--model", Message("open the arrays' own file")));
  HL_ASSIGN(ArraySource source, array_source_from_json(json, "--model"));
  if (!json["copied"].boolean()) return source;
  const std::lock_guard lock(array_files_mutex);
  source.copy = copies()[source.checksum];
  if (!source.copy) return invalid("the copy of the arrays is damaged").at("--model").mend("open the arrays' own file");
  return source;
}

std::shared_ptr<const ArraySource> arrays_of(const Document& document) {
  if (!is_of_arrays(document)) return nullptr;
  constexpr std::size_t kKept = 64;
  {
    const std::lock_guard lock(array_files_mutex);
    if (const auto known = named_sources().find(document.model); known != named_sources().end()) return known->second;
    if (named_sources().size() >= kKept) named_sources().clear();
  }
  auto read = array_source_from_name(document.model);
  // A name that says nothing is that of a file that is not here.
  auto source = std::make_shared<const ArraySource>(read ? std::move(*read) : ArraySource());
  const std::lock_guard lock(array_files_mutex);
  return named_sources()[document.model] = std::move(source);
}

Result<ArraySource> array_source_from_json(const Json& json, const std::string& where) {
  ArraySource source;
  HL_ASSIGN(source.file, text_of(json, "file", where));
  HL_ASSIGN(source.checksum, text_of(json, "checksum", where));
  HL_ASSIGN(source.reading.tokens, text_of(json, "tokens", where));
  HL_ASSIGN(source.reading.source_tokens, text_of(json, "source_tokens", where));
  HL_ASSIGN(source.reading.tokenizer, text_of(json, "tokenizer", where));
  for (const Json& one : json["read"].elements()) {
    arrays::Use use;
    HL_ASSIGN(use.part, text_of(one, "part", where));
    HL_ASSIGN(const std::string what, text_of(one, "is", where));
    HL_ASSIGN(use.pattern, text_of(one, "array", where));
    const auto known = arrays::what_from(what);
    if (!known) return invalid("'{}' is nothing that an array can be", what).at("{} arrays", where).mend("give weights");
    use.what = *known;
    for (const Json& axis : one["axes"].elements()) use.axes.push_back(axis.string());
    source.reading.uses.push_back(std::move(use));
  }
  if (json.contains("copy")) {
    HL_ASSIGN(const std::string text, text_of(json, "copy", where));
    auto bytes = from_base64(text);
    if (!bytes) return invalid("the copy of the arrays is damaged").at("{} arrays", where).mend("open the arrays' own file");
    source.copy = std::make_shared<const std::string>(std::move(*bytes));
  }
  return source;
}

}  // namespace headlight
