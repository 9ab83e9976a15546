#include "app/panels/by_hand/by_hand_data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "app/text/language.h"

namespace headlight::panels {
namespace {

constexpr std::size_t kMostSteps = 200;

ByHandTransient::Before now_of(const ViewState& view) { return {view.by_hand.preset, view.by_hand.own}; }

void record(ViewState& view, ByHandTransient& kept, const std::string& moving) {
  kept.redo.clear();
  if (!moving.empty() && moving == kept.moving) return;
  kept.moving = moving;
  kept.undo.push_back(now_of(view));
  if (kept.undo.size() > kMostSteps) kept.undo.erase(kept.undo.begin());
}

bool take(ViewState& view, std::vector<ByHandTransient::Before>& from, std::vector<ByHandTransient::Before>& to) {
  if (view.tab != "by-hand" || from.empty()) return false;
  to.push_back(now_of(view));
  view.by_hand.preset = from.back().preset;
  view.by_hand.own = from.back().own;
  from.pop_back();
  return true;
}

// How far the rows of the weights are from 1, at most.
double unrest(const by_hand::Table& weights) {
  double most = 0;
  for (std::int64_t r = 0; r < weights.rows; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < weights.columns; ++c) sum += weights.at(r, c);
    most = std::max(most, std::abs(sum - 1));
  }
  return most;
}

void check_sums(ByHandState& state) {
  figures::ByHandInput& input = state.input;
  const double off = unrest(input.worked.stages.at("weights"));
  input.check_good = off < 1e-9;
  const bool down = input.hand.keys_down;
  if (input.check_good) {
    input.check = down ? tr("every column of the weights sums to 1") : tr("every row of the weights sums to 1");
  } else {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", off);
    input.check = fill(tr("with what is held the weights sum to 1 no more: {} off"), {text});
  }
}

void check_print(ByHandState& state) {
  check_sums(state);
  figures::ByHandInput& input = state.input;
  if (state.own || state.preset->printed.empty()) return;
  for (const auto& [stage, printed] : state.preset->printed)
    if (const auto found = input.worked.stages.find(stage); found != input.worked.stages.end())
      for (const auto& [row, column] : by_hand::misprints(*state.preset, stage, found->second))
        input.misprints.push_back({stage, row, column});
  const std::string digits = std::to_string(state.preset->digits), source = tr(state.preset->source.c_str());
  input.check += "; " + (input.misprints.empty() ? fill(tr("every number as printed in {}, to {} digits"), {source, digits})
                                                 : fill(tr("every number but {} as printed in {}, to {} digits"),
                                                        {std::to_string(input.misprints.size()), source, digits}));
  if (!state.preset->remark.empty()) input.check += std::string(": ") + tr(state.preset->remark.c_str());
}

}  // namespace

ByHandState by_hand_state(const Context& context) {
  const ByHandView& view = context.view.by_hand;
  ByHandState state;
  state.preset = by_hand::registry().find(view.preset);
  if (!state.preset) state.preset = &by_hand::registry().entries().front();
  figures::ByHandInput& input = state.input;
  input.hand = state.preset->make();
  if (!view.own.empty()) {
    auto own = by_hand::case_from_json(view.own, tr("By hand"));
    if (!own.ok()) {
      state.status = own.error();
      return state;
    }
    state.own = !(*own == input.hand);
    input.hand = std::move(own).value();
  }
  auto worked = by_hand::work(input.hand);
  if (!worked.ok()) {
    state.status = worked.error();
    return state;
  }
  input.worked = std::move(worked).value();
  input.digits = state.preset->digits;
  input.chosen = {view.stage, view.row, view.column};
  // The cell that was chosen in another case may not be in this one.
  const auto found = input.worked.stages.find(view.stage);
  if (found == input.worked.stages.end() || view.row >= found->second.rows || view.column >= found->second.columns)
    input.chosen = {"scores", 0, 0};
  input.formula = tr(state.preset->formula.c_str());
  check_print(state);
  input.hint = tr("Click a number twice, type, Enter: what follows is computed again. A result typed over is held until Delete.");
  return state;
}

void set_case(ViewState& view, ByHandTransient& kept, const by_hand::Case& changed, const std::string& moving) {
  std::string json = by_hand::to_json(changed);
  const by_hand::Entry* const preset = by_hand::registry().find(view.by_hand.preset);
  if (json == (view.by_hand.own.empty() && preset ? by_hand::to_json(preset->make()) : view.by_hand.own)) return;
  record(view, kept, moving);
  view.by_hand.own = std::move(json);
}

void choose_preset(ViewState& view, ByHandTransient& kept, const std::string& id) {
  if (view.by_hand.preset == id && view.by_hand.own.empty()) return;
  record(view, kept, {});
  view.by_hand.preset = id;
  view.by_hand.own.clear();
  kept.editing = false;
}

bool undo_by_hand(ViewState& view, Transient& transient) {
  ByHandTransient& kept = transient.of<ByHandTransient>();
  kept.moving.clear();
  return take(view, kept.undo, kept.redo);
}
bool redo_by_hand(ViewState& view, Transient& transient) {
  ByHandTransient& kept = transient.of<ByHandTransient>();
  kept.moving.clear();
  return take(view, kept.redo, kept.undo);
}

Status type_number(ViewState& view, ByHandTransient& kept, const by_hand::Case& hand, const std::string& text) {
  const ByHandView& at = view.by_hand;
  const std::string where = fill(tr("{}, row {}, column {}"), {at.stage, std::to_string(at.row), std::to_string(at.column)});
  HL_ASSIGN(const double value, by_hand::number_from(text, where));
  HL_ASSIGN(const by_hand::Case changed, by_hand::with_number(hand, at.stage, at.row, at.column, value));
  set_case(view, kept, changed);
  return {};
}

Status paste_table(ViewState& view, ByHandTransient& kept, const by_hand::Case& hand, const std::string& text) {
  const ByHandView& at = view.by_hand;
  HL_ASSIGN(const by_hand::Table table, by_hand::table_from_text(text, at.stage));
  by_hand::Case changed = hand;
  for (std::int64_t r = 0; r < table.rows; ++r)
    for (std::int64_t c = 0; c < table.columns; ++c) {
      HL_ASSIGN(changed, by_hand::with_number(changed, at.stage, at.row + r, at.column + c, table.at(r, c)));
    }
  set_case(view, kept, changed);
  return {};
}

double temperature_at(double place) {
  if (place >= 0.999) return std::numeric_limits<double>::infinity();
  if (std::abs(place - 0.5) < 0.012) return 1;
  return place < 0.001 ? 0 : place / (1 - place);
}
double place_of_temperature(double temperature) { return std::isinf(temperature) ? 1 : temperature / (1 + temperature); }

}  // namespace headlight::panels
