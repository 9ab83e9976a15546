#include "app/session/view_fields.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

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

// Adds the fields of one schema; `part` gives the struct that they are in.
template <class View, class Part>
void add_fields(std::vector<SavedField>& all, const std::string& panel, const ViewSchema<View>& schema, Part part) {
  for (const ViewField<View>& field : schema)
    std::visit(
        [&](auto member) {
          using T = std::remove_cvref_t<decltype(std::declval<View>().*member)>;
          all.push_back({panel, std::string(field.key), std::string(field.former),
                         [=](const ViewState& view) { return json_of(part(view).*member); },
                         [=, least = field.least, most = field.most](ViewState& view, const Json& json) {
                           if (!has_type<T>(json)) return false;
                           part(view).*member = in_range(value_of<T>(json), least, most);
                           return true;
                         },
                         [=](const ViewState& a, const ViewState& b) { return part(a).*member == part(b).*member; }});
        },
        field.member);
}
template <class View>
void add_panel(std::vector<SavedField>& all, const char* panel, const ViewSchema<View>& schema, View ViewState::*member) {
  add_fields(
      all, panel, schema, [member](auto& view) -> auto& { return view.*member; });
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
      {"zoom", "zoom", &ViewState::zoom, 1e-3, 1e4},
      {"pan_x", "pan_x", &ViewState::pan_x},
      {"pan_y", "pan_y", &ViewState::pan_y},
      {"range", "range", &ViewState::range},
      {"reduction", "reduction", &ViewState::reduction},
  };
  return schema;
}

// A line for each panel whose view is saved.
void panel_views(std::vector<SavedField>& all) {
  add_panel(all, "heads", heads_view_schema(), &ViewState::heads);
  add_panel(all, "walk", walk_view_schema(), &ViewState::walk);
  add_panel(all, "masks", masks_view_schema(), &ViewState::masks);
  add_panel(all, "tokens", tokens_view_schema(), &ViewState::tokens);
  add_panel(all, "positions", positions_view_schema(), &ViewState::positions);
  add_panel(all, "inspector", inspector_view_schema(), &ViewState::inspector);
  add_panel(all, "index_lab", index_lab_view_schema(), &ViewState::index_lab);
  add_panel(all, "next_word", next_word_view_schema(), &ViewState::next_word);
  add_panel(all, "train", train_view_schema(), &ViewState::train);
  add_panel(all, "values", values_view_schema(), &ViewState::values);
  add_panel(all, "embeddings", embeddings_view_schema(), &ViewState::embeddings);
  add_panel(all, "context", context_view_schema(), &ViewState::context);
  add_panel(all, "counting", counting_view_schema(), &ViewState::counting);
  add_panel(all, "scores", scores_view_schema(), &ViewState::scores);
  add_panel(all, "by_hand", by_hand_view_schema(), &ViewState::by_hand);
  add_panel(all, "long_texts", long_texts_view_schema(), &ViewState::long_texts);
  add_panel(all, "recurrence", recurrence_view_schema(), &ViewState::recurrence);
  add_panel(all, "patches", patches_view_schema(), &ViewState::patches);
}

}  // namespace

const std::vector<SavedField>& saved_fields() {
  static const std::vector<SavedField> fields = [] {
    std::vector<SavedField> all;
    add_fields(
        all, "", shared_schema(), [](auto& view) -> auto& { return view; });
    panel_views(all);
    return all;
  }();
  return fields;
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
    if (!value.is_object()) return invalid("'" + key + "' has the wrong type", where, "delete it to get the default");
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
    if (!field.set(view, *value)) return invalid("'" + name + "' has the wrong type", where, "delete it to get the default");
    if (said) said->insert(field.path());
  }
  if (unknown) *unknown = std::move(left);
  return {};
}

}  // namespace headlight
