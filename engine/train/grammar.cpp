// What a grammar writes. grammar_reader.cpp reads it.
#include "engine/train/grammar.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "engine/core/rng.h"

namespace headlight::train {
namespace {

// So many parts of templates make a paragraph at most; names that stand for several others could multiply without end.
constexpr std::uint64_t kGrammarMostParts = 10'000;

bool is_vowel(char c) { return std::string_view("aeiouAEIOU").find(c) != std::string_view::npos; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// Single spaces, none at the ends and none before a mark.
std::string with_single_spaces(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
    if ((c == '.' || c == ',' || c == '?') && !out.empty() && out.back() == ' ') out.pop_back();
    out += c;
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

// "a" before a vowel becomes "an"; "one" begins like "won".
std::string with_articles(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool starts = i == 0 || text[i - 1] == ' ';
    if (!starts || (text[i] != 'a' && text[i] != 'A') || i + 2 >= text.size() || text[i + 1] != ' ') continue;
    const std::string_view next = text.substr(i + 2);
    if (is_vowel(next[0]) && !next.starts_with("one") && !next.starts_with("uni")) out += 'n';
  }
  return out;
}

// A capital letter begins every sentence; the first one only if `first`.
std::string with_capitals(std::string text, bool first) {
  bool begins = first;
  for (char& c : text) {
    if (begins && is_letter(c)) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (is_letter(c)) begins = false;
    if (c == '.' || c == '?') begins = true;
  }
  return text;
}

}  // namespace

// Writes one paragraph; what is drawn for a tag is kept for it.
class GrammarWriter {
 public:
  GrammarWriter(const Grammar& grammar, const Rng& rng, std::uint64_t number) : grammar_(grammar), rng_(rng), number_(number) {}

  std::string write(bool seen) {
    const Grammar::Sequence& sequence = choose_template(seen);
    std::string text;
    append(sequence, text);
    text = with_articles(with_single_spaces(text));
    const bool as_typed = draw(4) == 0;
    if (as_typed && text.ends_with('.')) text.pop_back();
    return with_capitals(std::move(text), !as_typed);
  }

 private:
  std::uint64_t draw(std::uint64_t count) { return rng_.bits(number_, drawn_++) % count; }

  const Grammar::Sequence& choose_template(bool seen) {
    const auto templates = [&](const Grammar::Topic& topic) -> const std::vector<Grammar::Sequence>& {
      return seen ? topic.seen : topic.unseen;
    };
    std::uint64_t all = 0;
    for (const Grammar::Topic& topic : grammar_.topics_) all += templates(topic).empty() ? 0 : topic.weight;
    std::uint64_t place = draw(all);
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < grammar_.topics_.size(); ++i) {
      if (templates(grammar_.topics_[i]).empty()) continue;
      chosen = i;
      if (place < grammar_.topics_[i].weight) break;
      place -= grammar_.topics_[i].weight;
    }
    const std::vector<Grammar::Sequence>& list = templates(grammar_.topics_[chosen]);
    return list[draw(list.size())];
  }

  void append(const Grammar::Sequence& sequence, std::string& text) {
    for (const Grammar::Part& part : sequence) {
      if (++parts_ > kGrammarMostParts) return;
      if (part.kind == Grammar::Part::Kind::text) {
        text += part.text;
      } else if (part.kind == Grammar::Part::Kind::choice) {
        append(part.alternatives[draw(part.alternatives.size())], text);
      } else {
        text += value_of(part);
      }
    }
  }

  std::string value_of(const Grammar::Part& part) {
    const Grammar::Name& name = grammar_.names_.find(part.text)->second;
    std::string text;
    if (!name.columns.empty()) {
      const auto column = std::find(name.columns.begin(), name.columns.end(), part.column) - name.columns.begin();
      append(name.alternatives[choice_of(part, name)][static_cast<std::size_t>(column)], text);
      return text;
    }
    if (part.tag.empty()) {
      append(name.alternatives[draw(name.alternatives.size())][0], text);
      return text;
    }
    const std::string key = part.text + "#" + part.tag;
    if (const auto kept = texts_.find(key); kept != texts_.end()) return kept->second;
    append(name.alternatives[choice_of(part, name)][0], text);
    texts_[key] = text;
    return text;
  }

  // The alternative of a name and tag; different tags have different ones as long as there are any.
  std::size_t choice_of(const Grammar::Part& part, const Grammar::Name& name) {
    std::map<std::string, std::size_t>& of_name = choices_[part.text];
    if (const auto kept = of_name.find(part.tag); kept != of_name.end()) return kept->second;
    std::set<std::size_t> taken;
    for (const auto& [tag, choice] : of_name) taken.insert(choice);
    const std::size_t count = name.alternatives.size();
    std::size_t choice = draw(count);
    for (std::size_t tries = 0; tries < count && taken.contains(choice); ++tries) choice = (choice + 1) % count;
    of_name[part.tag] = choice;
    return choice;
  }

  const Grammar& grammar_;
  const Rng& rng_;
  std::uint64_t number_, drawn_ = 0, parts_ = 0;
  std::map<std::string, std::map<std::string, std::size_t>> choices_;  // name, tag -> alternative
  std::map<std::string, std::string> texts_;                           // "name#tag" -> what was written for it
};

std::string Grammar::paragraph(bool seen, std::uint64_t number) const {
  const Rng rng(seed_, seen ? "seen" : "unseen");
  return GrammarWriter(*this, rng, number).write(seen);
}

}  // namespace headlight::train
