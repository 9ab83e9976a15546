// Saved fields by name, as JSON: for sessions, lessons and the command line.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/fields/fields.h"
#include "engine/core/json.h"

namespace headlight {

struct FieldKey {
  std::string key, former;
  bool undone = false;
};
// A function that lets a visitor see fields. [&](Fields& field) { state.visit(field); }
using VisitFields = std::function<void(Fields&)>;

// In the order in which they are named.
std::vector<FieldKey> keys_of(const VisitFields& visit);
std::vector<FieldKey> keys_of(OwnState& state);
// field_value(view.own.at(0), "base") is "gpt3"; null if there is no such field.
Json field_value(const VisitFields& visit, std::string_view key);
Json field_value(OwnState& state, std::string_view key);
// Sets the field, with a number clamped to its range. Returns false and leaves the state unchanged if the value has the wrong
// type or there is no such field.
bool set_field(const VisitFields& visit, std::string_view key, const Json& value);
bool set_field(OwnState& state, std::string_view key, const Json& value);

}  // namespace headlight
