#include "app/session/view_fields.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "app/session/field_values.h"

namespace headlight {
namespace {

using Numbers = std::vector<std::int64_t>;
using Names = std::vector<std::string>;
using Heads = std::vector<HeadRef>;

bool is_numbers(const Json& json) {
  return json.is_array() && std::ranges::all_of(json.elements(), [](const Json& number) { return number.is_integer(); });
}

template <class T>
bool has_type(const Json& json) {
  if constexpr (std::is_same_v<T, Numbers>) return is_numbers(json);
  if constexpr (std::is_same_v<T, Names>)
    return json.is_array() && std::ranges::all_of(json.elements(), [](const Json& name) { return name.is_string(); });
  if constexpr (std::is_same_v<T, Heads>)
    return json.is_array() &&
           std::ranges::all_of(json.elements(), [](const Json& pair) { return is_numbers(pair) && pair.size() == 2; });
  if constexpr (std::is_same_v<T, bool>) return json.is_boolean();
  if constexpr (std::is_same_v<T, std::int64_t>) return json.is_integer();
  if constexpr (std::is_same_v<T, double>) return json.is_number() && std::isfinite(json.number());
  return json.is_string();
}

// Reads a value that has_type<T> has found to be one.
template <class T>
T value_of(const Json& json) {
  if constexpr (std::is_same_v<T, bool>) return json.boolean();
  if constexpr (std::is_same_v<T, std::int64_t>) return json.integer();
  if constexpr (std::is_same_v<T, double>) return json.number();
  if constexpr (std::is_same_v<T, std::string>) return json.string();
  T all;
  if constexpr (std::is_same_v<T, Numbers>)
    for (const Json& number : json.elements()) all.push_back(number.integer());
  if constexpr (std::is_same_v<T, Names>)
    for (const Json& name : json.elements()) all.push_back(name.string());
  if constexpr (std::is_same_v<T, Heads>)
    for (const Json& pair : json.elements()) all.push_back({pair[0].integer(), pair[1].integer()});
  return all;
}

Json json_of(const Heads& heads) {  // [[layer, head], ...]
  Json pairs = Json::array();
  for (const HeadRef& head : heads) pairs.push_back(Json::array({head.layer, head.head}));
  return pairs;
}
template <class T>
Json json_of(const T& value) {
  return value;
}

template <class T>
T in_range(T value, double least, double most) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>) {
    if (static_cast<double>(value) < least) return static_cast<T>(least);
    if (static_cast<double>(value) > most) return static_cast<T>(most);
  }
  return value;
}

// A field of type T by its place in a ViewState, in bytes: these functions are then compiled once a type, not once a panel and
// type.
template <class T>
struct Place {
  std::ptrdiff_t offset = 0;
  double least = 0, most = 0;

  const T& in(const ViewState& view) const {
    return *reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(&view) + offset);
  }
  T& in(ViewState& view) const { return *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(&view) + offset); }
};
template <class T>
void give_functions(SavedField& field, Place<T> place) {
  field.value = [place](const ViewState& view) { return json_of(place.in(view)); };
  field.set = [place](ViewState& view, const Json& json) {
    if (!has_type<T>(json)) return false;
    place.in(view) = in_range(value_of<T>(json), place.least, place.most);
    return true;
  };
  field.same = [place](const ViewState& a, const ViewState& b) { return place.in(a) == place.in(b); };
}

// Adds the fields of one schema; `part` is the struct that they are in, in `whole`.
template <class View>
void add_fields(std::vector<SavedField>& all, const std::string& panel, const ViewSchema<View>& schema, const ViewState& whole,
                const View& part) {
  for (const ViewField<View>& field : schema) {
    SavedField& saved = all.emplace_back();
    saved.panel = panel;
    saved.key = field.key;
    saved.former = field.former;
    std::visit(
        [&](auto member) {
          using T = std::remove_cvref_t<decltype(part.*member)>;
          const auto* const at = reinterpret_cast<const std::byte*>(&(part.*member));
          give_functions(saved, Place<T>{at - reinterpret_cast<const std::byte*>(&whole), field.least, field.most});
        },
        field.member);
  }
}

const ViewSchema<ViewState>& shared_schema() {
  static const ViewSchema<ViewState> schema = {
      {"tab", "tab", &ViewState::tab},
      {"theme", "theme", &ViewState::theme},
      {"colormap", "colormap", &ViewState::colormap},
      {"ui_scale", "ui_scale", &ViewState::ui_scale},
      {"presentation", "presentation", &ViewState::presentation},
      {"rail_folded", "rail_folded", &ViewState::rail_folded},
      {"translates", "translates", &ViewState::translates},
      {"lesson", "lesson", &ViewState::lesson},
      {"lesson_step", "lesson_step", &ViewState::lesson_step},
      {"shown", "shown", &ViewState::shown},
      {"site", "site", &ViewState::site},
      {"batch", "batch", &ViewState::batch},
      {"layer", "layer", &ViewState::layer},
      {"head", "head", &ViewState::head},
      {"pinned_row", "pinned_row", &ViewState::pinned_row},
      {"pinned_column", "pinned_column", &ViewState::pinned_column},
      {"transposed", "transposed", &ViewState::transposed},
      {"words_together", "words_together", &ViewState::words_together},
      {"zoom", "zoom", &ViewState::zoom, 1e-3, 1e4},
      {"pan_x", "pan_x", &ViewState::pan_x},
      {"pan_y", "pan_y", &ViewState::pan_y},
      {"range", "range", &ViewState::range},
      {"reduction", "reduction", &ViewState::reduction},
  };
  return schema;
}

// Shared fields that lie in the object of the view which once had them alone.
const ViewSchema<ViewState>& schema_in_heads() {
  static const ViewSchema<ViewState> schema = {
      {"chosen", "chosen_heads", &ViewState::chosen_heads},
      {"row_word", "row_word", &ViewState::row_word},
  };
  return schema;
}

// The fields of the views in app/views.
void own_fields(std::vector<SavedField>& all, const ViewState& view) {
  for (std::size_t kind = 0; kind < state_kinds().size(); ++kind)
    for (const FieldKey& name : keys_of(view.own.at(kind))) {
      SavedField& saved = all.emplace_back();
      saved.panel = state_kinds()[kind].key;
      saved.key = name.key;
      saved.former = name.former;
      saved.value = [kind, key = name.key](const ViewState& v) { return field_value(v.own.at(kind), key); };
      saved.set = [kind, key = name.key](ViewState& v, const Json& json) { return set_field(v.own.at(kind), key, json); };
      saved.same = [value = saved.value](const ViewState& a, const ViewState& b) { return value(a) == value(b); };
    }
}

// A line for each panel whose view is saved.
void panel_views(std::vector<SavedField>& all, const ViewState& view) {
  add_fields(all, "positions", positions_view_schema(), view, view.positions);
  add_fields(all, "inspector", inspector_view_schema(), view, view.inspector);
  add_fields(all, "index_lab", index_lab_view_schema(), view, view.index_lab);
  add_fields(all, "next_word", next_word_view_schema(), view, view.next_word);
  add_fields(all, "patches", patches_view_schema(), view, view.patches);
}

}  // namespace

const std::vector<SavedField>& saved_fields() {
  static const std::vector<SavedField> fields = [] {
    std::vector<SavedField> all;
    const ViewState view;
    add_fields(all, "", shared_schema(), view, view);
    add_fields(all, "heads", schema_in_heads(), view, view);
    panel_views(all, view);
    own_fields(all, view);
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
    Json& object = field.panel.empty() ? json : json[field.panel];
    object[field.key] = field.value(view);
  }
  return json;
}

Status take_over(ViewState& view, const Json& json, const std::string& where, std::set<std::string>* said,
                 std::set<std::string>* unknown) {
  std::set<std::string> left;  // the paths in `json` that no field has taken
  for (const auto& [key, value] : json.members()) {
    const bool panel = std::ranges::any_of(saved_fields(), [&, &name = key](const SavedField& f) { return f.panel == name; });
    if (!panel) {
      left.insert(key);
      continue;
    }
    if (!value.is_object()) return invalid("'{}' has the wrong type", key).at(where).mend("delete it to get the default");
    for (const auto& member : value.members()) left.insert(key + "." + member.key);
  }
  for (const SavedField& field : saved_fields()) {
    const Json* value = field.panel.empty() ? nullptr : json[field.panel].find(field.key);
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
