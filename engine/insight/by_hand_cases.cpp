// The worked cases of the material, and cases as JSON.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "engine/core/json.h"
#include "engine/core/nearest_name.h"
#include "engine/insight/by_hand.h"

namespace headlight::by_hand {
namespace {

Table table_of(std::vector<std::vector<double>> rows) {
  Table table{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows.front().size()), {}};
  for (const auto& row : rows) table.numbers.insert(table.numbers.end(), row.begin(), row.end());
  return table;
}

// Printed with a row a key: kept with a row a query.
Table of_columns(const std::vector<std::vector<double>>& keys_down) {
  std::vector<std::vector<double>> rows(keys_down.front().size());
  for (std::size_t query = 0; query < rows.size(); ++query)
    for (const auto& key : keys_down) rows[query].push_back(key[query]);
  return table_of(rows);
}

Case three_words() {
  Case hand;
  hand.inputs = {{"x", table_of({{1, 0}, {0, 1}, {1, 1}})},
                 {"wq", table_of({{1, 0}, {0, 1}})},
                 {"wk", table_of({{1, 1}, {0, 1}})},
                 {"wv", table_of({{1, 2}, {3, 0}})}};
  hand.query_names = hand.key_names = {"man", "bites", "dog"};
  return hand;
}

Case pattern() {
  Case hand;
  hand.inputs = {{"scores", of_columns({{3.53, 0.80, 1.96, 4.48, 3.74, -1.95},
                                        {0, -0.30, -0.21, 0.82, 0.29, 2.91},
                                        {0, 0, 0.89, 0.67, 2.99, -0.41},
                                        {0, 0, 0, 1.31, 1.73, -1.48},
                                        {0, 0, 0, 0, 3.07, 2.94},
                                        {0, 0, 0, 0, 0, 0.31}})}};
  hand.hides_later = hand.keys_down = true;
  hand.query_names = {"Q1", "Q2", "Q3", "Q4", "Q5", "Q6"};
  hand.key_names = {"K1", "K2", "K3", "K4", "K5", "K6"};
  return hand;
}

Case creature() {
  Case hand;
  hand.inputs = {{"scores", table_of({{-0.8675, -0.5447, -800}, {-800, -800, 0}})}, {"v", table_of({{1, 0}, {0, 1}, {-1, 1}})}};
  hand.query_names = {"creature", "forest"};
  hand.key_names = {"fluffy", "blue", "verdant"};
  return hand;
}

Case search() {
  Case hand;
  hand.inputs = {{"q", table_of({{1, 2}})}, {"source", table_of({{1, 0}, {0, 1}, {1, 1}, {-1, 0}})}};
  hand.query_names = {"b"};
  hand.key_names = {"a1", "a2", "a3", "a4"};
  return hand;
}

Failure wrong(Message what, const std::string& where, Message mend) {
  return failure(ErrorKind::usage, std::move(what)).at(where).mend(std::move(mend));
}

// What JSON has no number for, as Python writes it.
std::optional<double> unbounded(const Json& json) {
  const std::string& text = json.string();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN" || text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity" || text == "inf") return kInfinity;
  if (text == "-Infinity" || text == "-inf") return -kInfinity;
  return {};
}

// The text with these words in quotes, where they stand for numbers.
std::string with_quoted_numbers(std::string_view text) {
  std::string out;
  bool quotes = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quotes && text[at] == '\\' && at + 1 < text.size())
      out += text[at++];
    else if (text[at] == '"')
      quotes = !quotes;
    std::string_view word;
    for (const std::string_view one : {"-Infinity", "Infinity", "NaN"})
      if (!quotes && text.substr(at, one.size()) == one) {
        word = one;
        break;
      }
    if (word.empty()) {
      out += text[at];
      continue;
    }
    out += '"' + std::string(word) + '"';
    at += word.size() - 1;
  }
  return out;
}

// `masked`: null is minus infinity.
Result<Table> table_from(const Json& json, const std::string& where, bool masked) {
  if (!json.is_array() || json.elements().empty())
    return wrong(Message("this is no table"), where, Message("give rows of numbers: [[1, 0], [0, 1]]"));
  Table table;
  table.rows = static_cast<std::int64_t>(json.elements().size());
  for (const Json& row : json.elements()) {
    const auto r = static_cast<std::int64_t>(&row - &json.elements().front());
    if (!row.is_array()) return wrong(Message("row {} is no row of numbers", r), where, Message("give [[1, 0], [0, 1]]"));
    const auto columns = static_cast<std::int64_t>(row.elements().size());
    if (r == 0) table.columns = columns;
    if (columns != table.columns)
      return wrong(Message("row {} has length {} and row 0 has length {}", r, columns, table.columns), where,
                   Message("give every row as many"));
    if (columns > kMostColumns || table.rows > kMostRows)
      return wrong(Message("it is [{}, {}]", table.rows, columns), where,
                   Message("by hand a table has 1 to {} rows and 1 to {} columns", kMostRows, kMostColumns));
    for (const Json& number : row.elements()) {
      const std::optional<double> other = number.is_null() && masked ? -Worked::kInfinity : unbounded(number);
      if (!number.is_number() && !other)
        return wrong(Message("row {}, column {} is {}, no number", r, &number - &row.elements().front(), number.dump()), where,
                     Message("give a number"));
      table.numbers.push_back(other.value_or(number.number()));
    }
  }
  return table;
}

Result<std::vector<std::string>> names_from(const Json& json, const std::string& where) {
  std::vector<std::string> names;
  if (!json.is_array()) return wrong(Message("these are no names"), where, Message("give a list of texts"));
  for (const Json& name : json.elements()) {
    if (!name.is_string()) return wrong(Message("these are no names"), where, Message("give a list of texts"));
    names.push_back(name.string());
  }
  return names;
}

Result<std::vector<Case::Held>> held_from(const Json& json, const std::string& where) {
  const Message mend("give [{{\"stage\": \"scores\", \"row\": 0, \"column\": 1, \"value\": 2}}]");
  std::vector<Case::Held> held;
  if (!json.is_array()) return wrong(Message("these are no held numbers"), where, mend);
  for (const Json& one : json.elements()) {
    const Json *stage = one.find("stage"), *row = one.find("row"), *column = one.find("column"), *value = one.find("value");
    if (!stage || !stage->is_string() || !row || !row->is_integer() || !column || !column->is_integer() || !value ||
        !value->is_number())
      return wrong(Message("these are no held numbers"), where, mend);
    held.push_back({stage->string(), row->integer(), column->integer(), value->number()});
  }
  return held;
}

Json json_of(const Table& table) {
  Json rows = Json::array();
  for (std::int64_t r = 0; r < table.rows; ++r) {
    Json row = Json::array();
    for (std::int64_t c = 0; c < table.columns; ++c) {
      const double x = table.at(r, c);
      row.push_back(std::isfinite(x) ? Json(x) : Json(std::isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity"));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

const Registry<Entry>& registry() {
  static const Registry<Entry> cases(
      "case by hand", {{"three-words",
                        "three words",
                        "softmax(x W_q (x W_k)^T) x W_v",
                        "a lecture's note on attention",
                        three_words,
                        {{"k", table_of({{1, 1}, {0, 1}, {1, 2}})},
                         {"v", table_of({{1, 2}, {3, 0}, {4, 2}})},
                         {"scores", table_of({{1, 0, 1}, {1, 1, 2}, {2, 1, 3}})},
                         {"weights", table_of({{.4223, .1554, .4223}, {.2119, .2119, .5761}, {.2447, .0900, .6652}})},
                         {"output", table_of({{2.5777, 1.6893}, {3.1522, 1.5761}, {3.1758, 1.8199}})}},
                        4,
                        {}},
                       {"pattern",
                        "a 6 x 6 pattern",
                        "softmax of each column, later queries' keys masked",
                        "a lecture's slides on attention",
                        pattern,
                        {{"weights", of_columns({{1.00, 0.75, 0.69, 0.92, 0.46, 0.00},
                                                 {0, 0.25, 0.08, 0.02, 0.01, 0.46},
                                                 {0, 0, 0.24, 0.02, 0.22, 0.02},
                                                 {0, 0, 0, 0.04, 0.06, 0.01},
                                                 {0, 0, 0, 0, 0.24, 0.48},
                                                 {0, 0, 0, 0, 0, 0.03}})}},
                        2,
                        "column 5, row 1 is .465, printed with its last digit cut off"},
                       {"creature",
                        "fluffy blue creature",
                        "creature = .42 fluffy + .58 blue, forest = 1.00 verdant",
                        "a lecture's slides on attention",
                        creature,
                        {{"weights", table_of({{.42, .58, 0}, {0, 0, 1}})}},
                        2,
                        "they print the weights alone, and the scores here are their logarithms"},
                       {"search",
                        "one query searching",
                        "softmax(b A^T) A: keys and values are the source's own rows",
                        "the note on attention as search",
                        search,
                        {},
                        4,
                        {}}});
  return cases;
}

Result<Case> case_from_json(std::string_view text, const std::string& where) {
  HL_ASSIGN(const Json json,
            Json::parse_commented(with_quoted_numbers(text), where, Message("give tables as JSON: {{\"scores\": [[1, 2]]}}")));
  if (!json.is_object())
    return wrong(Message("this is no case"), where, Message("give an object with tables such as \"x\" and \"wq\""));
  if (const Json* given = json.find("case"))  // as --json prints it, beside its stages
    return case_from_json(given->dump(), where + ", case");
  Case hand;
  const std::vector<std::string> tables{"x", "wq", "wk", "wv", "q", "k", "v", "source", "scores"};
  for (const Json::Member& member : json.members()) {
    const std::string at = where + ", " + member.key;
    if (std::find(tables.begin(), tables.end(), member.key) != tables.end()) {
      HL_ASSIGN(hand.inputs[member.key], table_from(member.value, at, member.key == "scores"));
    } else if (member.key == "query_names") {
      HL_ASSIGN(hand.query_names, names_from(member.value, at));
    } else if (member.key == "key_names") {
      HL_ASSIGN(hand.key_names, names_from(member.value, at));
    } else if (member.key == "held") {
      HL_ASSIGN(hand.held, held_from(member.value, at));
    } else if (member.key == "temperature") {
      if (!member.value.is_number() && member.value.string() != "infinity")
        return wrong(Message("this is no temperature"), at, Message("give a number, or \"infinity\""));
      hand.temperature = member.value.is_number() ? member.value.number() : std::numeric_limits<double>::infinity();
    } else if (member.key == "divided" || member.key == "hides_later" || member.key == "keys_down") {
      if (!member.value.is_boolean()) return wrong(Message("this is neither true nor false"), at, Message("give true or false"));
      (member.key == "divided"     ? hand.divided
       : member.key == "keys_down" ? hand.keys_down
                                   : hand.hides_later) = member.value.boolean();
    } else {
      std::vector<std::string> known = tables;
      known.insert(known.end(), {"query_names", "key_names", "temperature", "divided", "hides_later", "keys_down", "held"});
      const std::string nearest = nearest_name(member.key, known);
      if (nearest.empty()) return wrong(Message("'{}' is not known here", member.key), where, Message("leave it out"));
      return wrong(Message("'{}' is not known here; the nearest is '{}'", member.key, nearest), where,
                   Message("leave it out, or name it so"));
    }
  }
  return hand;
}

std::string to_json(const Case& hand) {
  Json json = Json::object();
  for (const auto& [name, table] : hand.inputs) json[name] = json_of(table);
  json["query_names"] = Json(hand.query_names);
  json["key_names"] = Json(hand.key_names);
  json["temperature"] = std::isinf(hand.temperature) ? Json("infinity") : Json(hand.temperature);
  json["divided"] = hand.divided;
  json["hides_later"] = hand.hides_later;
  json["keys_down"] = hand.keys_down;
  Json held = Json::array();
  for (const Case::Held& one : hand.held)
    held.push_back(Json::object({{"stage", one.stage}, {"row", one.row}, {"column", one.column}, {"value", one.value}}));
  if (!hand.held.empty()) json["held"] = std::move(held);
  return json.dump(1);
}

}  // namespace headlight::by_hand
