#include <algorithm>

#include "engine/core/json.h"
#include "engine/document/array_source.h"
#include "engine/document/document.h"
#include "engine/document/mask_text.h"
#include "engine/document/stored_model.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/files/trained.h"

namespace headlight {
namespace {

using Kind = Parameter::Kind;

// JSON strings are Unicode; a text with other bytes is written as {"hex": "ff61"}, so that nothing is lost.
Json text_to_json(const std::string& text) {
  if (Json::can_hold(text)) return text;
  static constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return Json::object({{"hex", hex}});
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> text_from_json(const Json& json, const std::string& where) {
  if (json.is_string()) return json.string();
  if (json.is_object() && json.size() == 1 && json.contains("hex") && json["hex"].is_string()) {
    const std::string& hex = json["hex"].string();
    std::string text;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
      const int high = digit(hex[i]), low = digit(hex[i + 1]);
      if (high < 0 || low < 0) return invalid("these are not hexadecimal digits").at(where).mend("give two for each byte");
      text += static_cast<char>(high * 16 + low);
    }
    if (hex.size() % 2 == 0) return text;
    return invalid("half a byte is missing").at(where).mend("give two hexadecimal digits for each byte");
  }
  return invalid("this is not a text").at(where).mend("give a string");
}

Json field_to_json(const Field& field, const Document& document) {
  const std::vector<std::string> texts = field.get(document);
  if (field.repeatable) {
    Json list = Json::array();
    for (const std::string& t : texts) list.push_back(text_to_json(t));
    return list;
  }
  if (field.parameter.id == "custom_mask") {
    if (!document.custom_mask) return nullptr;
    Json rows = Json::array();
    const std::string& t = texts[0];
    for (std::size_t begin = 0; begin <= t.size();) {
      const std::size_t end = std::min(t.find('/', begin), t.size());
      rows.push_back(t.substr(begin, end - begin));
      begin = end + 1;
    }
    return rows;
  }
  if (field.parameter.kind == Kind::text) return text_to_json(texts[0]);
  if (field.parameter.kind == Kind::choice) return texts[0];
  const auto value = parse_value(field.parameter, texts[0]);
  if (!value) return texts[0];  // out of range: written as it is, refused when read
  if (const auto* b = std::get_if<bool>(&*value)) return *b;
  if (const auto* i = std::get_if<std::int64_t>(&*value)) return *i;
  if (const auto* d = std::get_if<double>(&*value)) return *d;
  return texts[0];
}

Message kind_words(const Field& field) {
  if (field.parameter.id == "custom_mask") return Message("a list of rows such as \"110\", or null");
  if (field.repeatable) return Message("a list of texts");
  switch (field.parameter.kind) {
    case Kind::boolean: return Message("true or false");
    case Kind::integer: return Message("a whole number");
    case Kind::real: return Message("a number");
    default: return Message("a text");
  }
}

// The value as the texts that Field::set reads.
Result<std::vector<std::string>> texts_of(const Field& field, const Json& json, const std::string& where) {
  const Error wrong = invalid("'{}' has the wrong type", field.parameter.id).at(where).mend("give {}", kind_words(field));
  if (field.parameter.id == "custom_mask") {
    if (json.is_null()) return std::vector<std::string>{""};
    if (!json.is_array() || json.empty()) return wrong;
    std::string rows;
    for (const Json& row : json.elements()) {
      if (!row.is_string()) return wrong;
      rows += (rows.empty() ? "" : "/") + row.string();
    }
    return std::vector<std::string>{rows};
  }
  if (field.repeatable) {
    if (!json.is_array()) return wrong;
    std::vector<std::string> texts;
    for (const Json& item : json.elements()) {
      HL_ASSIGN(std::string t, text_from_json(item, where + " " + field.parameter.id));
      texts.push_back(std::move(t));
    }
    return texts;
  }
  if (field.parameter.id == "scale" && json.is_number()) return std::vector<std::string>{to_string(Value(json.number()))};
  switch (field.parameter.kind) {
    case Kind::boolean:
      if (!json.is_boolean()) return wrong;
      return std::vector<std::string>{json.boolean() ? "true" : "false"};
    case Kind::integer:
      if (!json.is_integer()) return wrong;
      return std::vector<std::string>{json.dump()};
    case Kind::real:
      if (!json.is_number()) return wrong;
      return std::vector<std::string>{to_string(Value(json.number()))};
    case Kind::text:
    case Kind::choice: {
      auto t = text_from_json(json, where + " " + field.parameter.id);
      if (!t) return wrong;
      return std::vector<std::string>{std::move(t).value()};
    }
  }
  return wrong;
}

Status set_field(const Field& field, const Json& json, Document& document, const std::string& where) {
  HL_ASSIGN(const std::vector<std::string> texts, texts_of(field, json, where));
  if (const Status set = field.set(document, texts); !set)
    return invalid(set.error().what).at("{} {}", where, field.parameter.id).mend(set.error().mend);
  return {};
}

// "trained": {"trained:NAME": "{...}"}, each a vocabulary on one line: it is nothing to read.
Status read_trained(const Json& json, Document& document, const std::string& where) {
  const Error wrong = invalid("'trained' has the wrong type").at(where).mend("give an object of vocabularies, each as a text");
  if (!json.is_object()) return wrong;
  for (const auto& [name, vocabulary] : json.members()) {
    if (!vocabulary.is_string()) return wrong;
    if (!name.starts_with(tokenizers::kTrainedPrefix))
      return invalid("'{}' is no name of a trained vocabulary", name).at(where).mend("name it as trained:NAME");
    HL_ASSIGN(auto trained, tokenizers::trained_from_json(name, vocabulary.string(), where + " " + name));
    document.trained.push_back(std::move(trained));
  }
  return {};
}

}  // namespace

std::string to_json(const Document& document) {
  Json json;
  json["version"] = Document::kVersion;
  const Document plain;
  const bool stored = document.model != "sandbox" && !is_of_arrays(document);  // it says itself what it is made of
  for (const Field& field : document_schema()) {
    if (field.parameter.id == "model" && is_of_arrays(document)) continue;
    if (stored && is_architecture_field(field.parameter.id)) continue;
    if (field.omitted_default && field.get(document) == field.get(plain)) continue;
    json[field.parameter.id] = field_to_json(field, document);
  }
  if (const auto source = arrays_of(document)) json["arrays"] = to_json(*source);
  for (const auto& trained : trained_in_use(document)) json["trained"][trained->name] = trained->json;
  return json.dump(2);
}

Result<Document> document_from_json(std::string_view text, const std::string& where) {
  HL_ASSIGN(const Json json, Json::parse(text, where, Message("give a document as Headlight saves it")));
  if (!json.is_object())
    return invalid("this is not a document").at(where).mend("give a JSON object with fields such as \"texts\"");
  if (json.contains("version")) {
    const Json& version = json["version"];
    if (!version.is_integer()) return invalid("'version' has the wrong type").at(where).mend("give a whole number");
    if (version.number() > Document::kVersion)
      return invalid("this document has version {} and this program reads up to {}", version.dump(), Document::kVersion)
          .at(where)
          .mend("open it with a newer Headlight");
    if (version.number() < 1) return invalid("there is no document version {}", version.dump()).at(where).mend("give 1");
  }
  Document document;
  // First the model, wherever it stands: a stored one sets fields, which the others then change.
  if (const Json* const model = json.find("model")) {
    const Status set = set_field(*find_field("model"), *model, document, where);
    // A saved document is read also where its model is gone, which is said when the document is computed: nothing that was typed
    // is lost.
    const bool gone = !set.ok() && model->is_string() && json.contains("version");
    if (!set.ok() && !gone) return set.error();
    if (gone) document.model = model->string();
  }
  for (const auto& [key, value] : json.members()) {
    if (key == "version" || key == "model") continue;
    if (key == "trained") {
      HL_TRY(read_trained(value, document, where));
      continue;
    }
    if (key == "arrays") {
      HL_ASSIGN(ArraySource source, array_source_from_json(value, where));
      use_arrays(document, source);
      continue;
    }
    const Field* field = find_field(key);
    if (!field) {
      std::string known;
      for (const Field& f : document_schema()) known += (known.empty() ? "" : ", ") + f.parameter.id;
      return invalid("there is no field '{}'", key).at(where).mend("known are {}", known);
    }
    HL_TRY(set_field(*field, value, document, where));
  }
  return document;
}

}  // namespace headlight
