// headlight by-hand: attention over matrices small enough to write down, every stage as a table.
#include "engine/insight/by_hand.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/not_finite.h"
#include "app/cli/output.h"
#include "engine/core/foreign_file.h"
#include "engine/core/json.h"
#include "engine/core/one_nan.h"
#include "engine/core/tensor.h"
#include "engine/core/text_file.h"

namespace headlight::cli {
namespace {

struct ByHandOptions {
  std::string preset = "three-words", in, temperature;
  bool divided = false, json = false, strict = false;
};

std::string number(double value, int digits) {
  char text[40];
  if (std::isnan(value)) return "nan";
  if (value == std::floor(value) && std::abs(value) < 1e9)
    std::snprintf(text, sizeof text, "%.0f", one_nan(value));
  else if (std::abs(value) < 1e9)
    std::snprintf(text, sizeof text, "%.*f", digits, one_nan(value));
  else
    std::snprintf(text, sizeof text, "%.6g", one_nan(value));
  return text;
}

// A table with names at its rows and, where they have any, its columns. A masked cell is a point.
struct Shown {
  std::vector<std::string> rows, columns;
  std::vector<std::vector<std::string>> cells;
};

// As many digits as the input's own numbers need, at least `digits` and at most 6.
int digits_of(const by_hand::Table& table, int digits) {
  for (; digits < 6; ++digits) {
    const double unit = std::pow(10.0, digits);
    if (std::all_of(table.numbers.begin(), table.numbers.end(),
                    [&](double value) { return std::abs(value * unit - std::round(value * unit)) < 1e-6; }))
      break;
  }
  return digits;
}

Shown shown_table(const by_hand::Case& hand, const by_hand::Worked& worked, const std::string& stage, int digits) {
  const by_hand::Table& table = worked.stages.at(stage);
  const bool square = stage == "scores" || stage == "divided" || stage == "weights";
  const bool of_keys = stage == "k" || stage == "v" || stage == "source",
             of_queries = square || stage == "x" || stage == "q" || stage == "output";
  Shown shown;
  const auto names = [](const std::vector<std::string>& given, std::int64_t count) {
    std::vector<std::string> all = given;
    all.resize(static_cast<std::size_t>(count));
    return all;
  };
  shown.rows = names(of_keys ? hand.key_names : of_queries ? hand.query_names : std::vector<std::string>(), table.rows);
  if (square) shown.columns = names(hand.key_names, table.columns);
  for (std::int64_t r = 0; r < table.rows; ++r) {
    std::vector<std::string>& row = shown.cells.emplace_back();
    for (std::int64_t c = 0; c < table.columns; ++c)
      row.push_back(square && !worked.visible(r, c) ? (stage == "weights" ? "0" : ".") : number(table.at(r, c), digits));
  }
  if (!square || !hand.keys_down) return shown;
  Shown turned{shown.columns, shown.rows, {}};
  for (std::int64_t c = 0; c < table.columns; ++c) {
    std::vector<std::string>& row = turned.cells.emplace_back();
    for (std::int64_t r = 0; r < table.rows; ++r)
      row.push_back(shown.cells[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]);
  }
  return turned;
}

std::string by_hand_padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width > text.size() ? width - text.size() : 0, ' ');
  return right ? space + text : text + space;
}

std::string by_hand_as_text(const Shown& shown) {
  std::size_t name = 0, cell = 1;
  for (const std::string& row : shown.rows) name = std::max(name, row.size());
  for (const std::string& column : shown.columns) cell = std::max(cell, column.size());
  for (const auto& row : shown.cells)
    for (const std::string& text : row) cell = std::max(cell, text.size());
  std::string all;
  const auto line = [&](const std::string& first, const std::vector<std::string>& cells) {
    all += "  " + by_hand_padded(first, name, false);
    for (const std::string& text : cells) all += "  " + by_hand_padded(text, cell, true);
    all += "\n";
  };
  if (!shown.columns.empty()) line({}, shown.columns);
  for (std::size_t r = 0; r < shown.cells.size(); ++r) line(shown.rows[r], shown.cells[r]);
  return all;
}

const char* formula_of(const std::string& stage, const by_hand::Case& hand) {
  if (stage == "q") return " = x wq";
  if (stage == "k") return hand.inputs.contains("source") ? " = source" : " = x wk";
  if (stage == "v") return hand.inputs.contains("source") ? " = source" : " = x wv";
  if (stage == "scores") return " = q k^T";
  if (stage == "divided") return " = scores / sqrt(d)";
  if (stage == "weights") return hand.keys_down ? " = softmax of each column" : " = softmax of each row";
  return stage == "output" ? " = weights v" : "";
}

std::string as_tables(const by_hand::Case& hand, const by_hand::Worked& worked, const by_hand::Entry* entry) {
  const int digits = entry ? entry->digits : 4;
  std::string all;
  for (const char* const stage : by_hand::kStages) {
    const std::string name = stage;
    if (!worked.stages.contains(name) || (name == "divided" && !hand.divided)) continue;
    const bool input = hand.inputs.contains(name);
    const bool turned = hand.keys_down && (name == "scores" || name == "weights");
    all += name + (input ? "" : formula_of(name, hand)) + (turned ? ", keys down, queries across" : "") + "\n";
    all += by_hand_as_text(shown_table(hand, worked, name, input ? digits_of(worked.stages.at(name), digits) : digits));
  }
  return all;
}

// Whether the numbers are those of the source, to its digits: said only where something was printed there.
std::string checked(const by_hand::Entry& entry, const by_hand::Worked& worked) {
  if (entry.printed.empty()) return {};
  std::size_t different = 0;
  for (const auto& [stage, printed] : entry.printed)
    if (const auto found = worked.stages.find(stage); found != worked.stages.end())
      different += by_hand::misprints(entry, stage, found->second).size();
  return (different == 0 ? "every number as printed in " : "every number but " + std::to_string(different) + " as printed in ") +
         entry.source + ", to " + std::to_string(entry.digits) + " digits" + (entry.remark.empty() ? "" : ": " + entry.remark) +
         "\n";
}

std::string by_hand_as_json(const by_hand::Case& hand, const by_hand::Worked& worked) {
  Json json = *Json::parse(by_hand::to_json(hand));
  Json stages = Json::object();
  for (const auto& [stage, table] : worked.stages) {
    Json rows = Json::array();
    for (std::int64_t r = 0; r < table.rows; ++r) {
      Json row = Json::array();
      for (std::int64_t c = 0; c < table.columns; ++c) row.push_back(table.at(r, c));
      rows.push_back(std::move(row));
    }
    stages[stage] = std::move(rows);
  }
  return Json::object({{"case", std::move(json)}, {"stages", std::move(stages)}}).dump() + "\n";
}

Status set_temperature(const std::string& written, by_hand::Case& hand) {
  if (written.empty()) return {};
  char* end = nullptr;
  const double value = written == "infinity" ? std::numeric_limits<double>::infinity() : std::strtod(written.c_str(), &end);
  if ((end && *end != 0) || !(value >= 0))
    return usage_error("'{}' is no temperature", written).at("--temperature").mend("give a number from 0, or infinity");
  hand.temperature = value;
  return {};
}

// Arrays of NumPy and files of other formats are named, with the line that makes a case of arrays.
Status check_is_json(const std::string& text, const std::string& where) {
  const bool npz = text.starts_with("PK\3\4"), npy = text.starts_with("\x93NUMPY");
  if (npz || npy) {
    std::filesystem::path to = where;
    const std::string load = "numpy.load(\"" + where + "\")";
    const std::string tables =
        npz ? "a = " + load + "; t = {n: a[n].tolist() for n in a}" : "t = {\"scores\": " + load + ".tolist()}";
    return invalid("holds arrays of NumPy, and by hand a case is JSON")
        .at(where)
        .mend("convert it with python3 -c 'import json, numpy; {}; json.dump(t, open(\"{}\", \"w\"))'", tables,
              to.replace_extension(".json").string());
  }
  const auto foreign = foreign_file(text, where, "scores");
  if (!foreign || foreign->plain || foreign->what == "is a JSON file") return {};
  HL_TRY(refuse_pointer(text, where));
  return invalid("{}, and by hand a case is JSON", foreign->what).at(where).mend("give tables as JSON: {{\"scores\": [[1, 2]]}}");
}

Status work_by_hand(const ByHandOptions& options) {
  by_hand::Case hand;
  NotFinite not_finite;
  const by_hand::Entry* entry = nullptr;
  if (!options.in.empty()) {
    HL_ASSIGN(const std::string text, read_text_input(options.in));
    const std::string where = options.in == "-" ? "standard input" : options.in;
    HL_TRY(check_is_json(text, where));
    HL_ASSIGN(hand, by_hand::case_from_json(text, where));
    for (const auto& [name, table] : hand.inputs)
      not_finite.look(name, Tensor::of(table.numbers, {table.rows, table.columns}), {"row", "column"}, name == "scores");
    HL_TRY(not_finite.check(where, options.strict));
    not_finite.say("by-hand", where);
  } else {
    const auto found = by_hand::registry().get(options.preset);
    if (!found) return usage_error(found.error().what).at("--preset").mend(found.error().mend);
    entry = *found;
    hand = entry->make();
  }
  const by_hand::Case written = hand;
  HL_TRY(set_temperature(options.temperature, hand));
  hand.divided |= options.divided;
  HL_ASSIGN(const by_hand::Worked worked, by_hand::work(hand, not_finite.empty()));
  if (options.json) return print(by_hand_as_json(hand, worked));
  return print(as_tables(hand, worked, entry) + (entry && hand == written ? checked(*entry, worked) : std::string()));
}

std::function<int()> define_by_hand(Arguments& arguments) {
  auto options = std::make_shared<ByHandOptions>();
  std::string known;
  for (const by_hand::Entry& entry : by_hand::registry().entries()) known += (known.empty() ? "" : ", ") + entry.id;
  const Option preset = arguments.option("--preset", options->preset, "a worked case: " + known).shows_default();
  arguments
      .option("--in", options->in,
              "a case of your own (JSON): tables x, wq, wk, wv, or q, k, v, or scores and v; - for standard input")
      .type("FILE|-")
      .excludes(preset);
  arguments
      .option("--temperature", options->temperature, "of the softmax, from 0 (the largest score alone) to infinity (the mean)")
      .type("T");
  arguments.flag("--divided", options->divided, "divide the scores by sqrt(d)");
  arguments.flag("--strict", options->strict, "NaN or infinity in a table is an error; -inf in scores is a masked cell");
  arguments.flag("--json", options->json, "the case and every stage as JSON, in full precision");
  return [options] {
    const Status done = work_by_hand(*options);
    return done.ok() ? kDone : fail("by-hand", done.error());
  };
}

}  // namespace

Entry by_hand_command() {
  return {"by-hand", "Attention over small matrices, every stage as a table", "", "S10, S13, S18", define_by_hand};
}

}  // namespace headlight::cli
