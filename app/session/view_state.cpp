#include "app/session/view_state.h"

#include <algorithm>
#include <cmath>

#include "engine/core/json.h"
#include "engine/pipeline/trace.h"

namespace headlight {

namespace {

// Calls visit(key, member) for every field, so that writing and reading cannot differ.
template <class View, class Visit>
void for_each_field(View& view, Visit visit) {
  visit("tab", view.tab);
  visit("theme", view.theme);
  visit("colormap", view.colormap);
  visit("shown", view.shown);
  visit("site", view.site);
  visit("batch", view.batch);
  visit("layer", view.layer);
  visit("head", view.head);
  visit("pinned_row", view.pinned_row);
  visit("pinned_column", view.pinned_column);
  visit("transposed", view.transposed);
  visit("zoom", view.zoom);
  visit("pan_x", view.pan_x);
  visit("pan_y", view.pan_y);
  visit("ui_scale", view.ui_scale);
  visit("presentation", view.presentation);
  visit("head_view", view.head_view);
  visit("chosen_heads", view.chosen_heads);
  visit("together", view.together);
  visit("head_order", view.head_order);
  visit("head_filter", view.head_filter);
  visit("range", view.range);
  visit("reduction", view.reduction);
  visit("arc_share", view.arc_share);
  visit("walk_step", view.walk_step);
  visit("walk_open", view.walk_open);
  visit("mask_tool", view.mask_tool);
  visit("mask_allows", view.mask_allows);
  visit("mask_shows", view.mask_shows);
  visit("mask_page", view.mask_page);
  visit("mask_row", view.mask_row);
  visit("token_view", view.token_view);
  visit("position_view", view.position_view);
  visit("position_dims", view.position_dims);
  visit("position_count", view.position_count);
  visit("pinned_step", view.pinned_step);
  visit("pinned_index", view.pinned_index);
  visit("lab_word", view.lab_word);
  visit("lab_words", view.lab_words);
  visit("lab_length", view.lab_length);
  visit("lab_vocab", view.lab_vocab);
  visit("lab_d", view.lab_d);
  visit("lab_heads", view.lab_heads);
  visit("lab_cached", view.lab_cached);
  visit("lab_padding", view.lab_padding);
  visit("lab_word_lengths", view.lab_word_lengths);
  visit("lab_every_query", view.lab_every_query);
  visit("lab_log", view.lab_log);
  visit("lab_devices", view.lab_devices);
  visit("lab_precisions", view.lab_precisions);
  visit("lab_shown", view.lab_shown);
  visit("lab_page", view.lab_page);
  visit("lab_across", view.lab_across);
  visit("lab_up", view.lab_up);
  visit("lab_against", view.lab_against);
  visit("lesson", view.lesson);
  visit("lesson_step", view.lesson_step);
}

using Numbers = std::vector<std::int64_t>;

bool is_numbers(const Json& json) {
  return json.is_array() && std::ranges::all_of(json.elements(), [](const Json& number) { return number.is_integer(); });
}

using Names = std::vector<std::string>;

template <class T>
bool has_type(const Json& json) {
  if constexpr (std::is_same_v<T, Numbers>) return is_numbers(json);
  if constexpr (std::is_same_v<T, Names>)
    return json.is_array() && std::ranges::all_of(json.elements(), [](const Json& name) { return name.is_string(); });
  if constexpr (std::is_same_v<T, std::vector<HeadRef>>)
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
  if constexpr (std::is_same_v<T, std::vector<HeadRef>>)
    for (const Json& pair : json.elements()) all.push_back({pair[0].integer(), pair[1].integer()});
  return all;
}

Json json_of(const std::vector<HeadRef>& heads) {  // [[layer, head], ...]
  Json pairs = Json::array();
  for (const HeadRef& head : heads) pairs.push_back(Json::array({head.layer, head.head}));
  return pairs;
}
template <class T>
Json json_of(const T& value) {
  return value;
}

}  // namespace

std::string to_json(const ViewState& view) {
  Json json;
  for_each_field(view, [&](const char* key, const auto& member) { json[key] = json_of(member); });
  return json.dump(2);
}

Result<ViewState> view_state_from_json(std::string_view text, const std::string& where) {
  const auto parsed = Json::parse(text);
  const Json json = parsed ? *parsed : Json();
  if (!json.is_object()) return invalid("this is not a view", where, "give a JSON object");
  ViewState view;
  std::string wrong;
  for_each_field(view, [&](const char* key, auto& member) {
    using T = std::remove_reference_t<decltype(member)>;
    const Json* const field = json.find(key);
    if (!field) return;
    if (has_type<T>(*field)) {
      member = value_of<T>(*field);
    } else if (wrong.empty()) {
      wrong = key;
    }
  });
  if (!wrong.empty()) return invalid("'" + wrong + "' has the wrong type", where, "delete it to get the default");
  // What no window could show is put back into range rather than refused: a view is never worth losing a session for.
  view.zoom = std::clamp(view.zoom, 1e-3, 1e4);
  view.lab_words = std::clamp<std::int64_t>(view.lab_words, 1, 1 << 16);
  view.lab_length = std::clamp<std::int64_t>(view.lab_length, 1, 512);
  view.lab_vocab = std::clamp<std::int64_t>(view.lab_vocab, 1, 1 << 16);
  view.lab_d = std::clamp<std::int64_t>(view.lab_d, 1, 4096);
  view.lab_heads = std::clamp<std::int64_t>(view.lab_heads, 1, 64);
  view.ui_scale = view.ui_scale <= 0 ? 0.0 : std::clamp(view.ui_scale, 0.25, 8.0);
  return view;
}

void fit(ViewState& view, const Trace& trace) {
  const auto sites = trace.sites();
  const auto kind_of = [](const AttentionSite& site) {  // "decoder.layer.3.cross." -> "decoder.cross."
    std::string kind = site.prefix;
    const std::size_t layer = kind.find("layer.");
    if (layer != std::string::npos) {
      const std::size_t number_end = kind.find('.', layer + 6);
      kind.erase(layer, number_end == std::string::npos ? std::string::npos : number_end + 1 - layer);
    }
    return kind;
  };
  const AttentionSite* shown = nullptr;
  std::int64_t layers = 0;
  const auto look = [&] {
    shown = nullptr;
    layers = 0;
    for (const AttentionSite& site : sites)
      if (kind_of(site) == view.site) {
        ++layers;
        if (!shown || site.layer == view.layer) shown = &site;
      }
  };
  look();
  if (!shown && !sites.empty()) {
    view.site = kind_of(sites.front());
    look();
  }
  const auto within = [](std::int64_t value, std::int64_t count) {
    return std::clamp<std::int64_t>(value, 0, std::max<std::int64_t>(0, count - 1));
  };
  view.batch = within(view.batch, static_cast<std::int64_t>(trace.texts().size()));
  view.layer = within(view.layer, layers);
  view.head = within(view.head, shown ? shown->heads : 1);
  if (view.pinned_row < 0 || view.pinned_column < 0 || !shown || view.pinned_row >= shown->queries ||
      view.pinned_column >= shown->keys)
    view.pinned_row = view.pinned_column = -1;
}

}  // namespace headlight
