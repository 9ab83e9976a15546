#include "app/cli/heads_at.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/backend_option.h"
#include "app/cli/interrupt.h"
#include "engine/core/json.h"
#include "engine/core/one_nan.h"
#include "engine/core/sorting.h"
#include "engine/insight/heads_at_cells.h"
#include "engine/pipeline/run.h"

namespace headlight::cli {
namespace {

// The kind of attention, as heads scored for patterns are listed.
std::string kind_of(const std::string& prefix) {
  if (prefix.find("cross.") != std::string::npos) return "cross";
  if (prefix.starts_with("encoder.")) return "encoder";
  return prefix.starts_with("decoder.") ? "decoder" : "self";
}

// "creature -> fluffy": the tokens of a cell.
std::string tokens_of(const Trace& trace, const AttentionSite& site, const MapCell& cell) {
  const auto label = [](const Sentence& sentence, std::int64_t at) {
    return at < static_cast<std::int64_t>(sentence.labels.size()) ? sentence.labels[static_cast<std::size_t>(at)]
                                                                  : std::string("?");
  };
  const Sentence& rows = (site.rows_are_targets ? trace.targets() : trace.texts()).front();
  const Sentence& columns = (site.columns_are_targets ? trace.targets() : trace.texts()).front();
  return label(rows, cell.query) + " -> " + label(columns, cell.key);
}

}  // namespace

Status heads_at(const ModelOptions& chosen, const HeadsOutOptions& options, const std::vector<std::string>& texts, bool json) {
  if (options.text.empty())
    return usage_error("there is no text whose maps have cells").at("--text").mend("give --text with --cell");
  std::vector<MapCell> cells;
  for (const std::string& text : texts) {
    const auto cell = cell_from_text(text);
    if (!cell) return usage_error("'{}' is no cell", text).at("--cell").mend("write the query and the key, as 3,1");
    cells.push_back(*cell);
  }
  HL_ASSIGN(const auto model, open_model(chosen));
  HL_ASSIGN(const auto backend, open_backend(chosen.backend));
  const Document document = document_of_heads(*model, options.text, options.target);
  const CancelToken cancel = interrupt_token();
  HL_ASSIGN(const auto trace, run(document, *backend, cancel));
  std::vector<AttentionSite> sites;
  for (const AttentionSite& site : trace->sites())
    if (std::all_of(cells.begin(), cells.end(),
                    [&](const MapCell& cell) { return cell.query < site.queries && cell.key < site.keys; }))
      sites.push_back(site);
  if (sites.empty()) {
    const AttentionSite& site = trace->sites().front();
    return usage_error("no map has all of these cells: the first has {} queries and {} keys", site.queries, site.keys)
        .at("--cell")
        .mend("count from 0; `headlight tokenize` shows the tokens");
  }
  HL_ASSIGN(std::vector<HeadAtCells> heads, heads_at_cells(*trace, sites, 0, cells, cancel));
  sort_stably(heads, [](const HeadAtCells& a, const HeadAtCells& b) {
    const auto place = [](const HeadAtCells& one) { return one.weight && *one.weight == *one.weight ? *one.weight : -1; };
    return place(a) > place(b);
  });
  if (json) {
    Json all = Json::array();
    for (const HeadAtCells& head : heads)
      all.push_back(Json::object({{"site", kind_of(head.prefix)},
                                  {"layer", head.layer},
                                  {"head", head.head},
                                  {"weight", head.weight ? Json(*head.weight) : Json(nullptr)}}));
    return print(all.dump() + "\n");
  }
  std::string table;
  for (const MapCell& cell : cells) table += "cell " + text_of_cell(cell) + "  " + tokens_of(*trace, sites.front(), cell) + "\n";
  table += "site     layer  head  weight\n";
  for (const HeadAtCells& head : heads) {
    char line[96];
    std::snprintf(line, sizeof line, "%-8s%6lld%6lld%8s\n", kind_of(head.prefix).c_str(), static_cast<long long>(head.layer),
                  static_cast<long long>(head.head), "-");
    if (head.weight)
      std::snprintf(line, sizeof line, "%-8s%6lld%6lld%8.3f\n", kind_of(head.prefix).c_str(), static_cast<long long>(head.layer),
                    static_cast<long long>(head.head), one_nan(*head.weight));
    table += line;
  }
  return print(table);
}

}  // namespace headlight::cli
