// headlight value-map: what one head's matrices make of any vector, and that all heads add up to Concat W_O.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/attention_option.h"
#include "app/cli/command.h"
#include "app/cli/document_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "app/cli/output.h"
#include "app/cli/traced.h"
#include "engine/core/json.h"
#include "engine/insight/value_map.h"
#include "engine/text/grouped_number.h"

namespace headlight::cli {
namespace {

struct MapOptions {
  explicit MapOptions(Arguments& arguments) : document(arguments), attention(arguments) {}
  DocumentOptions document;
  AttentionOption attention;
  bool json = false, strict = false;
};

struct Mapped {
  std::shared_ptr<const Trace> trace;
  ValueMap map;
  ValueSum sum;
  Spectrum full;  // of the same norm; without values where the model is too wide or the map is no square
};

std::string formatted(const char* format, double value) {
  char out[64];
  std::snprintf(out, sizeof out, format, value);
  return out;
}

Result<Mapped> map_of(const MapOptions& options) {
  const CancelToken cancel = interrupt_token();
  Mapped mapped;
  HL_ASSIGN(mapped.trace, traced("value-map", options.document, options.strict, cancel));
  HL_ASSIGN(const AttentionSite* const site, options.attention.find(*mapped.trace));
  HL_ASSIGN(mapped.map, value_map(*mapped.trace, *site, options.attention.head, cancel));
  HL_ASSIGN(mapped.sum, value_sum(*mapped.trace, *site, options.attention.sentence, cancel));
  if (mapped.map.d_in == mapped.map.d_out && mapped.map.d_in <= kWidestMap) {
    std::vector<double> values = full_rank_singular_values(mapped.map.d_in, 0, cancel);
    if (cancel.cancelled()) return cancelled();
    for (double& value : values) value *= mapped.map.spectrum.norm;
    mapped.full = spectrum_of(std::move(values), mapped.map.d_in);
  }
  return mapped;
}

std::string row_of(const std::string& name, const Spectrum& s) {
  char line[160];
  const double first = s.values.empty() ? 0 : s.values.front(),
               last = s.rank > 0 ? s.values[static_cast<std::size_t>(s.rank) - 1] : 0;
  std::snprintf(line, sizeof line, "%-12s%6lld%12.2f%12.4f%12.4f%12.4f\n", name.c_str(), static_cast<long long>(s.rank),
                s.effective_rank, s.norm, first, last);
  return line;
}

std::string value_map_as_table(const Mapped& mapped) {
  const ValueMap& m = mapped.map;
  const std::string d_in = std::to_string(m.d_in), d_v = std::to_string(m.d_v), d_out = std::to_string(m.d_out);
  std::string text = m.prefix + " head " + std::to_string(m.head) + " of " + mapped.trace->document().model + ": V_down " + d_in +
                     " x " + d_v + " times V_up " + d_v + " x " + d_out + ", rank " + std::to_string(m.spectrum.rank) + " of " +
                     std::to_string(std::min(m.d_in, m.d_out)) + "\n" + text::grouped_number(m.numbers()) +
                     " numbers; a full-rank map has " + text::grouped_number(m.full_numbers()) + "\n";
  text += "              rank   effective        norm     largest    smallest\n";
  for (std::size_t h = 0; h < m.heads.size(); ++h)
    text += row_of((static_cast<std::int64_t>(h) == m.head ? ">head " : " head ") + std::to_string(h), m.heads[h]);
  if (!mapped.full.values.empty()) text += row_of(" full rank", mapped.full);
  text += "smallest: of those that count to the rank; effective rank: Roy and Vetterli 2007";
  if (!mapped.full.values.empty()) text += "; full rank: random numbers of the same norm, seed 0";
  const ValueSum& s = mapped.sum;
  text += "\nsum over " + std::to_string(s.heads) + (s.heads == 1 ? " head" : " heads") +
          " of A (X V_down) V_up against Concat W_O, " + std::to_string(s.rows) + (s.rows == 1 ? " token" : " tokens") +
          ": largest difference " + formatted("%.1e", s.difference) + " from numbers up to " + formatted("%.3g", s.largest) +
          (s.equal()   ? ", equal within rounding"
           : s.changed ? ", since an intervention changes what the model computed"
                       : ", not equal") +
          "\n";
  return text;
}

Json json_of(const Spectrum& s) {
  return Json::object(
      {{"rank", s.rank}, {"effective_rank", s.effective_rank}, {"norm", s.norm}, {"singular_values", Json(s.values)}});
}

std::string value_map_as_json(const Mapped& mapped) {
  const ValueMap& m = mapped.map;
  const ValueSum& s = mapped.sum;
  Json heads = Json::array();
  for (const Spectrum& head : m.heads) heads.push_back(json_of(head));
  return Json::object(
             {{"model", mapped.trace->document().model},
              {"site", m.prefix},
              {"head", m.head},
              {"v_down",
               Json::object({{"parameter", m.down_name}, {"column", m.down_column}, {"rows", m.d_in}, {"columns", m.d_v}})},
              {"v_up", Json::object({{"parameter", m.up_name}, {"row", m.up_row}, {"rows", m.d_v}, {"columns", m.d_out}})},
              {"numbers", m.numbers()},
              {"full_rank_numbers", m.full_numbers()},
              {"heads", std::move(heads)},
              {"full_rank", mapped.full.values.empty() ? Json() : json_of(mapped.full)},
              {"sum",
               Json::object(
                   {{"tokens", s.rows}, {"difference", s.difference}, {"largest", s.largest}, {"equal", Json(s.equal())}})}})
             .dump() +
         "\n";
}

std::function<int()> define_value_map(Arguments& arguments) {
  auto options = std::make_shared<MapOptions>(arguments);
  add_strict_option(arguments, options->strict);
  arguments.flag("--json", options->json, "as JSON in full precision, with all singular values of all heads");
  return [options] {
    const auto mapped = map_of(*options);
    if (!mapped.ok()) return fail("value-map", mapped.error());
    const Status done = print(options->json ? value_map_as_json(*mapped) : value_map_as_table(*mapped));
    return done.ok() ? kDone : fail("value-map", done.error());
  };
}

}  // namespace

Entry value_map_command() {
  return {"value-map", "Show what a head's two thin value matrices make of any vector, and that all heads add up", "", "S4, S19",
          define_value_map};
}

}  // namespace headlight::cli
