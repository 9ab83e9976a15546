// Where a document's attention lies if it was computed elsewhere: a file of arrays, and what its arrays are.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/arrays/reading.h"
#include "engine/core/json.h"
#include "engine/core/status.h"
#include "engine/document/document.h"

namespace headlight {

struct ArraySource {
  std::string file;      // where it lies
  std::string checksum;  // arrays::checksum() of it
  // The file's bytes, if the session keeps a copy of them; null: it refers to the file, and refuses another one in its place.
  std::shared_ptr<const std::string> copy;
  arrays::Reading reading;
  bool operator==(const ArraySource& other) const;
};

// A document of arrays names them where others name a model: its field `model` is "arrays:" and the source as JSON on one line,
// without the copy, whose bytes are kept once for all documents of this process. A document that then names a model leaves its
// arrays.
inline constexpr std::string_view kArraysPrefix = "arrays:";
inline bool is_of_arrays(const Document& document) { return document.model.starts_with(kArraysPrefix); }
std::shared_ptr<const ArraySource> arrays_of(const Document& document);  // null: it is of a model
void use_arrays(Document& document, const ArraySource& source);
// "arrays:{...}" of a model's field. Errors: array_source_from_json()'s.
Result<ArraySource> array_source_from_name(std::string_view name);

// The file, opened once for all documents that name it. Errors: those of arrays::open(); not_found, and invalid where the file at
// this place is another one by now.
Result<std::shared_ptr<const arrays::File>> open_arrays(const ArraySource& source);

Json to_json(const ArraySource& source);  // the copy included
// Errors (invalid), naming `where`: a missing or malformed field.
Result<ArraySource> array_source_from_json(const Json& json, const std::string& where);

}  // namespace headlight
