// Reads a grammar: lines, then names, tables and templates, then what they refer to.
#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "engine/train/grammar.h"

namespace headlight::train {
namespace {

struct Line {
  std::string text;
  std::size_t number = 0;  // from 1
  bool indented = false;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Lines without comments and empty ones. A line that begins with spaces continues the one before it, unless that is a table, of
// which it is a row; a row goes on with '|'.
std::vector<Line> grammar_reader_lines_of(std::string_view text) {
  std::vector<Line> lines;
  bool in_table = false;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view raw = text.substr(at, end - at), line = trimmed(raw);
    at = end + 1;
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const bool indented = raw[0] == ' ' || raw[0] == '\t';
    if (indented && !lines.empty() && (!in_table || line[0] == '|')) {
      lines.back().text.append(" ").append(line);
      continue;
    }
    if (!indented) in_table = line.starts_with("table ");
    lines.push_back({std::string(line), number, indented});
  }
  return lines;
}

// The word before the first space, and what follows it.
std::pair<std::string_view, std::string_view> first_word(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

// Cuts at '|' outside brackets.
std::vector<std::string_view> at_bars(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
    if (text[i] != '|' || depth != 0) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

// A topic divides the paragraphs by whole numbers below this.
constexpr std::uint64_t kMost = 1'000'000;

}  // namespace

class GrammarReader {
 public:
  explicit GrammarReader(std::string where) : where_(std::move(where)) {}

  Result<Grammar> read(std::string_view text) {
    for (const Line& line : grammar_reader_lines_of(text)) HL_TRY(read_line(line));
    HL_TRY(check_templates());
    for (const auto& [name, entry] : grammar_.names_) HL_TRY(check_name(name));
    for (const Grammar::Topic& topic : grammar_.topics_)
      for (const auto* templates : {&topic.seen, &topic.unseen})
        for (const Grammar::Sequence& sequence : *templates) HL_TRY(check(sequence));
    return std::move(grammar_);
  }

 private:
  using Part = Grammar::Part;

  std::string at(std::size_t line) const { return where_ + ":" + std::to_string(line); }

  Status read_line(const Line& line) {
    if (line.indented) return read_row(line);
    table_.clear();
    const auto [word, rest] = first_word(line.text);
    if (word == "seed") return read_number(rest, line.number, grammar_.seed_);
    if (word == "table") return read_table(rest, line.number);
    if (word == "topic") {
      Grammar::Topic& topic = grammar_.topics_.emplace_back();
      const auto [name, weight] = first_word(rest);
      topic.name = name;
      HL_TRY(read_number(weight, line.number, topic.weight));
      if (topic.weight > 0 && topic.weight < kMost) return {};
      return invalid("a topic has a weight of {}", weight).at(at(line.number)).mend("give a whole number from 1 to 999999");
    }
    if (word == "seen:" || word == "unseen:") {
      if (grammar_.topics_.empty())
        return invalid("this template belongs to no topic").at(at(line.number)).mend("write \"topic NAME 1\" before it");
      HL_ASSIGN(Grammar::Sequence sequence, read_sequence(rest, line.number));
      Grammar::Topic& topic = grammar_.topics_.back();
      (word == "seen:" ? topic.seen : topic.unseen).push_back(std::move(sequence));
      return {};
    }
    if (const auto [sign, text] = first_word(rest); sign == "=") return read_name(word, text, line.number);
    return invalid("this line is none of a grammar")
        .at(at(line.number))
        .mend("begin it with a name and '=', or with seed, table, topic, seen:, unseen: or #");
  }

  Status read_number(std::string_view text, std::size_t line, std::uint64_t& number) const {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return {};
    return invalid("'{}' is no whole number", text).at(at(line)).mend("give one from 0");
  }

  Result<Grammar::Name*> add_name(std::string_view name, std::size_t line) {
    const auto [entry, added] = grammar_.names_.try_emplace(std::string(name));
    if (!added) return invalid("the name '{}' is given twice", name).at(at(line)).mend("choose another");
    entry->second.line = line;
    return &entry->second;
  }

  Status read_name(std::string_view name, std::string_view text, std::size_t line) {
    HL_ASSIGN(Grammar::Name* const entry, add_name(name, line));
    for (const std::string_view alternative : at_bars(text)) {
      HL_ASSIGN(Grammar::Sequence sequence, read_sequence(alternative, line));
      entry->alternatives.push_back({std::move(sequence)});
    }
    return {};
  }

  Status read_table(std::string_view text, std::size_t line) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
      return invalid("this table names no columns").at(at(line)).mend("write \"table NAME: COLUMN COLUMN\"");
    table_ = trimmed(text.substr(0, colon));
    HL_ASSIGN(Grammar::Name* const entry, add_name(table_, line));
    for (std::string_view rest = trimmed(text.substr(colon + 1)); !rest.empty();) {
      const auto [column, more] = first_word(rest);
      entry->columns.emplace_back(column);
      rest = more;
    }
    if (entry->columns.empty())
      return invalid("this table names no columns").at(at(line)).mend("write \"table NAME: COLUMN COLUMN\"");
    return {};
  }

  Status read_row(const Line& line) {
    const auto entry = grammar_.names_.find(table_);
    if (table_.empty() || entry == grammar_.names_.end())
      return invalid("this line continues none").at(at(line.number)).mend("begin it without spaces");
    Grammar::Name& name = entry->second;
    const std::vector<std::string_view> cells = at_bars(line.text);
    if (cells.size() != name.columns.size())
      return invalid("this row has {} columns, and the table '{}' has {}", cells.size(), table_, name.columns.size())
          .at(at(line.number))
          .mend("write as many, divided by '|'");
    std::vector<Grammar::Sequence>& row = name.alternatives.emplace_back();
    for (const std::string_view cell : cells) {
      HL_ASSIGN(Grammar::Sequence sequence, read_sequence(cell, line.number));
      row.push_back(std::move(sequence));
    }
    return {};
  }

  Result<Grammar::Sequence> read_sequence(std::string_view text, std::size_t line, int depth = 0) const {
    constexpr int kDeepest = 16;
    const Error open = invalid("a bracket is not closed, or too many stand within each other")
                           .at(at(line))
                           .mend("close it in the same template");
    if (depth > kDeepest) return open;
    Grammar::Sequence sequence;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t next = std::min(text.find_first_of("{[", i), text.size());
      if (next > i) sequence.push_back({Part::Kind::text, std::string(text.substr(i, next - i)), {}, {}, {}, line});
      i = next;
      if (i == text.size()) break;
      const std::size_t end = closing(text, i);
      if (end == std::string_view::npos) return open;
      const std::string_view inside = text.substr(i + 1, end - i - 1);
      if (text[i] == '{') {
        sequence.push_back(read_reference(inside, line));
      } else {
        Part choice{Part::Kind::choice, {}, {}, {}, {}, line};
        for (const std::string_view alternative : at_bars(inside)) {
          HL_ASSIGN(Grammar::Sequence one, read_sequence(alternative, line, depth + 1));
          choice.alternatives.push_back(std::move(one));
        }
        sequence.push_back(std::move(choice));
      }
      i = end + 1;
    }
    return sequence;
  }

  // The place of the bracket that closes the one at `at`; npos: there is none.
  static std::size_t closing(std::string_view text, std::size_t at) {
    if (text[at] == '{') return text.find('}', at);
    int depth = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
      if (text[i] == '[') ++depth;
      if (text[i] == ']' && --depth == 0) return i;
    }
    return std::string_view::npos;
  }

  // name#tag.column
  static Part read_reference(std::string_view text, std::size_t line) {
    Part part{Part::Kind::name, {}, {}, {}, {}, line};
    if (const std::size_t dot = text.find('.'); dot != std::string_view::npos) {
      part.column = text.substr(dot + 1);
      text = text.substr(0, dot);
    }
    if (const std::size_t sign = text.find('#'); sign != std::string_view::npos) {
      part.tag = text.substr(sign + 1);
      text = text.substr(0, sign);
    }
    part.text = text;
    return part;
  }

  Status check_templates() const {
    for (const bool seen : {true, false}) {
      const bool any = std::any_of(grammar_.topics_.begin(), grammar_.topics_.end(),
                                   [&](const Grammar::Topic& topic) { return !(seen ? topic.seen : topic.unseen).empty(); });
      if (!any)
        return invalid(seen ? Message("the grammar has no seen template") : Message("the grammar has no unseen template"))
            .at(where_)
            .mend("write some under a topic");
    }
    return {};
  }

  // Every name is there, a table's with a column.
  Status check(const Grammar::Sequence& sequence) {
    for (const Part& part : sequence) {
      for (const Grammar::Sequence& alternative : part.alternatives) HL_TRY(check(alternative));
      if (part.kind != Part::Kind::name) continue;
      const auto entry = grammar_.names_.find(part.text);
      if (entry == grammar_.names_.end())
        return invalid("there is no name '{}'", part.text).at(at(part.line)).mend("write \"{} = ...\", or correct it", part.text);
      const std::vector<std::string>& columns = entry->second.columns;
      const bool known = std::find(columns.begin(), columns.end(), part.column) != columns.end();
      if (columns.empty() ? !part.column.empty() : !known)
        return invalid("'{}' has no column '{}'", part.text, part.column).at(at(part.line)).mend("write {{TABLE.COLUMN}}");
      HL_TRY(check_name(part.text));
    }
    return {};
  }

  // The alternatives of a name, which is not part of them; each name is checked once.
  Status check_name(const std::string& name) {
    constexpr std::size_t kDeepest = 64;
    if (checked_.contains(name)) return {};
    const Grammar::Name& entry = grammar_.names_.find(name)->second;
    if (entry.alternatives.empty())
      return invalid("the table '{}' has no rows", name).at(at(entry.line)).mend("write some below it, after spaces");
    if (open_.size() == kDeepest || !open_.insert(name).second)
      return invalid("'{}' stands for itself, or too many names stand within each other", name)
          .at(at(entry.line))
          .mend("take it out of its own alternatives");
    for (const auto& alternative : entry.alternatives)
      for (const Grammar::Sequence& sequence : alternative) HL_TRY(check(sequence));
    open_.erase(name);
    checked_.insert(name);
    return {};
  }

  std::string where_;
  Grammar grammar_;
  std::string table_;                     // whose rows come
  std::set<std::string> open_, checked_;  // names: of those that are being checked, and those that are
};

Result<Grammar> Grammar::parse(std::string_view text, const std::string& where) { return GrammarReader(where).read(text); }

}  // namespace headlight::train
