// The fields of a view's own state by name, as JSON: for sessions, lessons and the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/session/views/fields.h"
#include "engine/core/json.h"

namespace headlight {

struct FieldKey {
  std::string key, former;
  bool undone = false;
};
// In the order in which the state names them.
std::vector<FieldKey> keys_of(OwnState& state);
// field_value(view.own.at(0), "base") is "gpt3"; null if there is no such field.
Json field_value(OwnState& state, std::string_view key);
// Sets the field, with a number clamped to its range. Returns false and leaves the state unchanged if the value has the wrong
// type or there is no such field.
bool set_field(OwnState& state, std::string_view key, const Json& value);

}  // namespace headlight
