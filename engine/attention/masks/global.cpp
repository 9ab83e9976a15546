#include <charconv>

#include "engine/attention/masks/mask_entries.h"
#include "engine/core/sorting.h"

namespace headlight::masks {
namespace {

constexpr Phrase<0> kMend = "give positions divided by +, such as 0 or 0+3";

Status check(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  const auto read = positions_from_text(text ? *text : std::string());
  return read.ok() ? Status() : read.error();
}

}  // namespace

Result<std::vector<std::int64_t>> positions_from_text(std::string_view text) {
  std::vector<std::int64_t> positions;
  const std::string all(text);
  if (text.empty()) return positions;  // no token is global
  while (true) {
    const std::string_view part = text.substr(0, text.find('+'));
    std::int64_t position = 0;
    const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), position);
    if (status != std::errc{} || end != part.data() + part.size() || position < 0 || position > 1000000)
      return usage_error("'{}' names no positions", all).mend(kMend);
    positions.push_back(position);
    if (part.size() == text.size()) break;
    text = text.substr(part.size() + 1);
  }
  sort_stably(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

// Global attention is symmetric: a global token attends to all tokens, and all attend to it.
Entry global() {
  Entry e;
  e.id = "global";
  e.label = "global tokens";
  e.formula = "re-allows what window, dilated and block forbid if i or j is a chosen position: [1, 1, N, M]";
  e.source = "Beltagy et al. 2020 (Longformer), 3.1";
  e.parameters = {{"positions",
                   "positions",
                   "Which tokens attend to all and are attended by all, counted from 0 and divided by +. They widen sliding "
                   "window, dilated window and blocks; causal and padding still hold.",
                   Parameter::Kind::text,
                   std::string("0"),
                   0,
                   0,
                   {},
                   check}};
  e.role = Role::widens;
  e.applies_to_encoder = true;
  e.example = {"1+3", {"01010", "11111", "01010", "11111"}};
  e.make = [](const Request& request, const Values& values, const Matrix*) -> Result<Tensor> {
    const auto at = values.find("positions");
    const auto* text = at == values.end() ? nullptr : std::get_if<std::string>(&at->second);
    HL_ASSIGN(const std::vector<std::int64_t> positions, positions_from_text(text ? *text : std::string("0")));
    std::vector<std::uint8_t> is_global(static_cast<std::size_t>(std::max(request.queries, request.keys)), 0);
    for (const std::int64_t position : positions)
      if (position < static_cast<std::int64_t>(is_global.size())) is_global[static_cast<std::size_t>(position)] = 1;
    return by_cell(request, [&is_global](std::int64_t i, std::int64_t j) {
      return is_global[static_cast<std::size_t>(i)] || is_global[static_cast<std::size_t>(j)];
    });
  };
  return e;
}

}  // namespace headlight::masks
