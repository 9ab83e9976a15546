#include "app/views/by_hand/data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "app/text/language.h"

namespace headlight::views::hand {
namespace {

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

void check_sums(Shown& state) {
  ByHandInput& input = state.input;
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

void check_print(Shown& state) {
  check_sums(state);
  ByHandInput& input = state.input;
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

Shown shown_case(const State& view) {
  Shown state;
  state.preset = by_hand::registry().find(view.preset);
  if (!state.preset) state.preset = &by_hand::registry().entries().front();
  ByHandInput& input = state.input;
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
  input.hint = tr(
      "Click a number twice, type, Enter: what follows is computed again. A result typed over is held until Delete. A click on a "
      "name renames it.");
  return state;
}

void set_case(State& state, const by_hand::Case& changed) {
  std::string json = by_hand::to_json(changed);
  const by_hand::Entry* const preset = by_hand::registry().find(state.preset);
  if (json != (state.own.empty() && preset ? by_hand::to_json(preset->make()) : state.own)) state.own = std::move(json);
}

void choose_preset(State& state, const std::string& id) {
  state.preset = id;
  state.own.clear();
}

Status type_number(State& state, const by_hand::Case& hand, const std::string& text) {
  const std::string where =
      fill(tr("{}, row {}, column {}"), {state.stage, std::to_string(state.row), std::to_string(state.column)});
  HL_ASSIGN(const double value, by_hand::number_from(text, where));
  HL_ASSIGN(const by_hand::Case changed, by_hand::with_number(hand, state.stage, state.row, state.column, value));
  set_case(state, changed);
  return {};
}

Status paste_table(State& state, const by_hand::Case& hand, const std::string& text) {
  HL_ASSIGN(const by_hand::Table table, by_hand::table_from_text(text, state.stage));
  by_hand::Case changed = hand;
  for (std::int64_t r = 0; r < table.rows; ++r)
    for (std::int64_t c = 0; c < table.columns; ++c) {
      HL_ASSIGN(changed, by_hand::with_number(changed, state.stage, state.row + r, state.column + c, table.at(r, c)));
    }
  set_case(state, changed);
  return {};
}

void rename(State& state, const by_hand::Case& hand, const HandName& name, const std::string& text) {
  if (text.empty() || name.index < 0) return;
  by_hand::Case changed = hand;
  const auto name_in = [&](std::vector<std::string>& names, bool key) {
    while (static_cast<std::int64_t>(names.size()) <= name.index) {
      const auto next = static_cast<std::int64_t>(names.size());
      names.push_back(key ? key_name(hand, next) : query_name(hand, next));
    }
    names[static_cast<std::size_t>(name.index)] = text;
  };
  // Queries and keys that are made of the rows of one table are the same words.
  const bool both = hand.inputs.contains("x") && !hand.query_names.empty() && hand.query_names == hand.key_names;
  if (both || !name.key) name_in(changed.query_names, false);
  if (both || name.key) name_in(changed.key_names, true);
  set_case(state, changed);
}

double temperature_at(double place) {
  if (place >= 0.999) return std::numeric_limits<double>::infinity();
  if (std::abs(place - 0.5) < 0.012) return 1;
  return place < 0.001 ? 0 : place / (1 - place);
}
double place_of_temperature(double temperature) { return std::isinf(temperature) ? 1 : temperature / (1 + temperature); }

}  // namespace headlight::views::hand
