// All fields of a ViewState by name, whatever view they belong to. Lessons write, read and compare single fields.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/view_state.h"
#include "engine/core/json.h"
#include "engine/core/status.h"

namespace headlight {

struct SavedField {
  std::string object;   // the key of the object that it lies in: "heads"; empty: it lies beside these objects
  std::string key;      // the key in that object, or in the view's own object: "picture", "layer"
  std::string former;   // the key in the single object of older files: "head_view"; equal to `key` for shared fields
  bool undone = false;  // Ctrl+Z takes a change back
  std::function<Json(const ViewState&)> value;
  // Sets the field, with a number clamped to its range. Returns false and leaves the view unchanged if the value has the wrong
  // type.
  std::function<bool(ViewState&, const Json&)> set;
  std::function<bool(const ViewState&, const ViewState&)> same;

  std::string path() const { return object.empty() ? key : object + "." + key; }  // "heads.picture", "layer"
};
// All fields, in the order in which they are written.
const std::vector<SavedField>& saved_fields();

// The fields of `view` that are `wanted`, as a JSON object with an object for each view.
// json_of(view, [](const SavedField& field) { return field.path() == "layer"; }) is {"layer": 2} for a view of layer 2.
Json json_of(const ViewState& view, const std::function<bool(const SavedField&)>& wanted);

// One field by its path: value_at(view, "heads.picture") is "dots". Null if there is no such field.
Json value_at(const ViewState& view, std::string_view path);
// Returns false if there is no such field, or if the value has another type.
bool set_at(ViewState& view, std::string_view path, const Json& value);

// Sets the fields that `json` names, under present keys or those of older files. `said` receives the paths of these fields,
// `unknown` the paths of unknown keys; either may be null. An error leaves `view` partly changed.
// take_over(view, json, "step 3", &said) puts "heads.picture" into `said` if `json` is {"heads": {"picture": "dots"}}.
Status take_over(ViewState& view, const Json& json, const std::string& where, std::set<std::string>* said = nullptr,
                 std::set<std::string>* unknown = nullptr);

}  // namespace headlight
