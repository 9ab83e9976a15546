// All fields of a view by name, whatever panel they belong to: what is written, read and compared one by one, as lessons do.
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
  std::string panel;   // the key of the panel's object: "heads"; empty: a field that all panels share
  std::string key;     // in that object, or in the view's own: "picture", "layer"
  std::string former;  // in the view's own object, as files before had it: "head_view"; of shared fields the key itself
  std::function<Json(const ViewState&)> value;
  // Takes a value over, numbers put back into their range; false, and the view as it was, where it has the wrong type.
  std::function<bool(ViewState&, const Json&)> set;
  std::function<bool(const ViewState&, const ViewState&)> same;

  std::string path() const { return panel.empty() ? key : panel + "." + key; }  // "heads.picture", "layer"
};
// In the order in which they are written.
const std::vector<SavedField>& saved_fields();

// The fields of `view` that are `wanted`, as a JSON object with an object for each panel.
Json json_of(const ViewState& view, const std::function<bool(const SavedField&)>& wanted);

// Takes over into `view` what `json` says, under present keys or those of older files. `said` gets the paths of the fields that
// it names and `unknown` those of what is no field; either may be null. An error leaves `view` half taken over.
Status take_over(ViewState& view, const Json& json, const std::string& where, std::set<std::string>* said = nullptr,
                 std::set<std::string>* unknown = nullptr);

}  // namespace headlight
