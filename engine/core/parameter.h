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
  // A check that the kind alone cannot express, such as how a text must be written; null: none. check_value() adds the place to
  // its error.
  Status (*check)(const Value&) = nullptr;
  // A file leaves it out where it has its fallback, so that programs older than the parameter can read the file.
  bool omitted_fallback = false;
};

std::string to_string(const Value& value);
// Parses `text` as this parameter's kind and checks its range; the error names the parameter and the range.
// parse_value(size, "4") gives the integer 4 where `size` is an integer from 1 on; "0" and "4x" are errors.
Result<Value> parse_value(const Parameter& parameter, std::string_view text);
// Checks kind and range. check_value(size, std::int64_t{0}) is an error for the same `size`.
Status check_value(const Parameter& parameter, const Value& value);

// An entry of a registry with its parameters, as the Document holds it. It is written "window:size=4"; several parameters are
// separated by '/'. Values without a name go to the parameters in order: "window:4", "dilated:2/3".
struct Choice {
  std::string id;
  Values values;
  bool operator==(const Choice&) const = default;
};
std::string to_string(const Choice& choice);
// Parses "id:a=1/b=2" and checks the values against the schema that `schema_of(id)` returns; its errors are passed on. Parameters
// that are not given get their fallbacks. parse_choice("window:4", schema_of) gives {"window", {{"size", 4}}}.
Result<Choice> parse_choice(std::string_view text,
                            const std::function<Result<const std::vector<Parameter>*>(std::string_view)>& schema_of);

}  // namespace headlight
