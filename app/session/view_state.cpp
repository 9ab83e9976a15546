#include "app/session/view_state.h"

#include <algorithm>

#include "app/session/view_fields.h"
#include "engine/pipeline/trace.h"

namespace headlight {

ViewState::ViewState() = default;
ViewState::ViewState(const ViewState& other) = default;
ViewState::ViewState(ViewState&& other) noexcept = default;
ViewState& ViewState::operator=(const ViewState& other) = default;
ViewState& ViewState::operator=(ViewState&& other) noexcept = default;
ViewState::~ViewState() = default;

bool ViewState::operator==(const ViewState& other) const = default;

void InspectorState::fields(Fields& field) {
  field({"step", "pinned_step"}, step);
  field({"index", "pinned_index"}, index);
  field({"shows", "inspector_shows"}, shows);
}

void SamplingState::fields(Fields& field) {
  field({"temperature", "next_temperature", kUndone}, temperature, 0.05, 5);
  field({"top_k", "next_top_k", kUndone}, top_k, 0, 10'000'000);
  field({"top_p", "next_top_p", kUndone}, top_p, 0, 1);
  field({"sample", "next_sample", kUndone}, sample);
  field({"seed", "next_seed", kUndone}, seed, 0, 9007199254740991);
}

void ViewState::fields(Fields& field) {
  field({"tab"}, tab);
  field({"theme"}, theme);
  field({"colormap"}, colormap);
  field({"ui_scale"}, ui_scale);
  field({"presentation"}, presentation);
  field({"rail_folded"}, rail_folded);
  field({"translates"}, translates);
  field({"lesson"}, lesson);
  field({"lesson_step"}, lesson_step);
  field({"shown"}, shown);
  field({"site"}, site);
  field({"batch"}, batch);
  field({"layer"}, layer);
  field({"head"}, head);
  field({"pinned_row"}, pinned_row);
  field({"pinned_column"}, pinned_column);
  field({"transposed"}, transposed);
  field({.key = "words_together", .undone = kUndone}, words_together);
  field({"zoom"}, zoom, 1e-3, 1e4);
  field({"pan_x"}, pan_x);
  field({"pan_y"}, pan_y);
  field({"range"}, range);
  field({"reduction"}, reduction);
}

void ViewState::fields_in_heads(Fields& field) {
  field({"chosen", "chosen_heads"}, chosen_heads);
  field({"row_word"}, row_word);
}

std::string to_json(const ViewState& view) {
  return json_of(view, [](const SavedField&) { return true; }).dump(2);
}

Result<ViewState> view_state_from_json(std::string_view text, const std::string& where) {
  const auto parsed = Json::parse(text);
  if (!parsed || !parsed->is_object()) return invalid("this is not a view").at(where).mend("give a JSON object");
  ViewState view;
  HL_TRY(take_over(view, *parsed, where));
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
