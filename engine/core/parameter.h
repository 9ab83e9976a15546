// Parameters: the schema of a registry entry or of the Document. One description draws the control in the window, validates
// JSON and command-line arguments, and writes the help text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

using Value = std::variant<bool, std::int64_t, double, std::string>;
using Values = std::map<std::string, Value>;

struct Parameter {
  enum class Kind { boolean, integer, real, text, choice };
  std::string id;     // "window"
  std::string label;  // "window"
  std::string help;   // one sentence: what it does and why one would change it
  Kind kind = Kind::integer;
  Value fallback = std::int64_t{0};
  double least = 0;  // integer and real: the allowed range, both ends included
  double most = 0;
  std::vector<std::string> choices;  // kind choice
  // What the kind alone does not say, e.g. how a text must be written; null: nothing more. The error names no place.
  Status (*check)(const Value&) = nullptr;
};

std::string to_string(const Value& value);
// Reads `text` as this parameter's kind and checks its range; the error names the parameter and the range.
Result<Value> parse_value(const Parameter& parameter, std::string_view text);
Status check_value(const Parameter& parameter, const Value& value);

// An entry of a registry with its parameters, as the Document holds it: written "window:size=4"; several parameters are divided
// by '/'. Values without a name go to the parameters in order: "window:4", "dilated:2/3".
struct Choice {
  std::string id;
  Values values;
  bool operator==(const Choice&) const = default;
};
std::string to_string(const Choice& choice);
// Splits "id:a=1/b=2"; the values are checked against the schema that `schema_of(id)` names (an error if it returns null).
Result<Choice> parse_choice(std::string_view text,
                            const std::function<Result<const std::vector<Parameter>*>(std::string_view)>& schema_of);

}  // namespace headlight
