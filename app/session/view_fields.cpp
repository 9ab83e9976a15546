#include "app/session/view_fields.h"

#include <algorithm>
#include <utility>

#include "app/fields/field_values.h"

namespace headlight {
namespace {

// A struct of fields in a ViewState: the key of its object in a session, and how it names its fields.
struct Part {
  std::string key;
  std::function<void(ViewState&, Fields&)> visit;
};

// What all views share, then what each has of its own.
std::vector<Part> parts() {
  std::vector<Part> all = {
      {"", [](ViewState& view, Fields& field) { view.fields(field); }},
      {"heads", [](ViewState& view, Fields& field) { view.fields_in_heads(field); }},
      {"inspector", [](ViewState& view, Fields& field) { view.inspector.fields(field); }},
      {"next_word", [](ViewState& view, Fields& field) { view.sampling.fields(field); }},
  };
  for (std::size_t kind = 0; kind < state_kinds().size(); ++kind)
    all.push_back({state_kinds()[kind].key, [kind](ViewState& view, Fields& field) { view.own.at(kind).visit(field); }});
  return all;
}

}  // namespace

const std::vector<SavedField>& saved_fields() {
  static const std::vector<SavedField> fields = [] {
    std::vector<SavedField> all;
    ViewState any;
    for (const Part& part : parts()) {
      const auto& visit = part.visit;
      for (const FieldKey& name : keys_of([&](Fields& field) { visit(any, field); })) {
        SavedField& saved = all.emplace_back();
        saved.object = part.key;
        saved.key = name.key;
        saved.former = saved.object.empty() ? name.key : name.former;
        saved.undone = name.undone;
        saved.value = [visit, key = name.key](const ViewState& view) {
          // A reading visitor changes nothing.
          return field_value([&](Fields& field) { visit(const_cast<ViewState&>(view), field); }, key);
        };
        saved.set = [visit, key = name.key](ViewState& view, const Json& json) {
          return set_field([&](Fields& field) { visit(view, field); }, key, json);
        };
        saved.same = [value = saved.value](const ViewState& a, const ViewState& b) { return value(a) == value(b); };
      }
    }
    return all;
  }();
  return fields;
}

namespace {

const SavedField* field_at(std::string_view path) {
  const auto at = std::ranges::find_if(saved_fields(), [&](const SavedField& field) { return field.path() == path; });
  return at == saved_fields().end() ? nullptr : &*at;
}

}  // namespace

Json value_at(const ViewState& view, std::string_view path) {
  const SavedField* const field = field_at(path);
  return field ? field->value(view) : Json();
}
bool set_at(ViewState& view, std::string_view path, const Json& value) {
  const SavedField* const field = field_at(path);
  return field && field->set(view, value);
}

Json json_of(const ViewState& view, const std::function<bool(const SavedField&)>& wanted) {
  Json json = Json::object();
  for (const SavedField& field : saved_fields()) {
    if (!wanted(field)) continue;
    Json& part = field.object.empty() ? json : json[field.object];
    part[field.key] = field.value(view);
  }
  return json;
}

Status take_over(ViewState& view, const Json& json, const std::string& where, std::set<std::string>* said,
                 std::set<std::string>* unknown) {
  std::set<std::string> left;  // the paths in `json` that no field has taken
  for (const auto& [key, value] : json.members()) {
    const bool object = std::ranges::any_of(saved_fields(), [&, &name = key](const SavedField& f) { return f.object == name; });
    if (!object) {
      left.insert(key);
      continue;
    }
    if (!value.is_object()) return invalid("'{}' has the wrong type", key).at(where).mend("delete it to get the default");
    for (const auto& member : value.members()) left.insert(key + "." + member.key);
  }
  for (const SavedField& field : saved_fields()) {
    const Json* value = field.object.empty() ? nullptr : json[field.object].find(field.key);
    std::string name = field.path();
    left.erase(field.former);
    left.erase(name);
    if (!value) {
      value = json.find(field.former);
      name = field.former;
    }
    if (!value) continue;
    if (!field.set(view, *value)) return invalid("'{}' has the wrong type", name).at(where).mend("delete it to get the default");
    if (said) said->insert(field.path());
  }
  if (unknown) *unknown = std::move(left);
  return {};
}

}  // namespace headlight
