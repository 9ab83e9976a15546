#include "engine/text/patterns/oniguruma.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/text/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace headlight::text {
namespace {

// What kinds of characters are for Oniguruma, as the inside of a class; PCRE2's own differ in a few characters.
constexpr const char* kSpaces = "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}";
constexpr const char* kWordsInClass =
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{1f189}";
// Outside of a class it takes Latin-1's raised digits and fractions for letters, too.
constexpr const char* kWords =
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{1f189}"
    "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}";
constexpr const char* kHexadecimal = "0-9a-fA-F";
// Some marks became alphabetic after PCRE2's tables.
constexpr const char* kAlphabetic =
    "\\p{Alphabetic}\\x{363}-\\x{36f}\\x{c04}\\x{f82}\\x{f83}\\x{1dd3}-\\x{1de6}\\x{11080}\\x{11081}";

Failure differs(std::string_view part) {
  return invalid("'{}' in a regular expression cannot be read", part).mend("give a file whose pattern does without it");
}

// A set of characters: the inside of a class, or all characters but these.
struct Characters {
  std::string inside;
  bool negated = false;
};

// A name in small letters without spaces, hyphens and underscores, as Oniguruma compares them.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != ' ' && c != '-' && c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return plain;
}

// The sets that POSIX names; an empty inside: `name` is none of them.
Characters posix_characters(const std::string& name) {
  const std::pair<const char*, Characters> sets[] = {{"alpha", {kAlphabetic}},
                                                     {"alnum", {std::string(kAlphabetic) + "\\p{Nd}"}},
                                                     {"ascii", {"\\x00-\\x7f"}},
                                                     {"blank", {"\\p{Zs}\\t"}},
                                                     {"cntrl", {"\\p{Cc}"}},
                                                     {"digit", {"\\p{Nd}"}},
                                                     {"graph", {std::string(kSpaces) + "\\p{Cc}\\p{Cn}\\p{Cs}", true}},
                                                     {"lower", {"\\p{Lowercase}"}},
                                                     {"print", {"\\p{Cc}\\p{Cn}\\p{Cs}", true}},
                                                     {"punct", {"\\p{P}\\p{S}"}},
                                                     {"space", {kSpaces}},
                                                     {"upper", {"\\p{Uppercase}"}},
                                                     {"xdigit", {kHexadecimal}},
                                                     {"word", {kWordsInClass}}};
  for (const auto& [known, set] : sets)
    if (name == known) return set;
  return {};
}

// The short name of a general category by its long one; empty: `name` is none.
std::string category_named(const std::string& name) {
  constexpr std::pair<std::string_view, const char*> names[] = {{"letter", "L"},
                                                                {"uppercaseletter", "Lu"},
                                                                {"lowercaseletter", "Ll"},
                                                                {"titlecaseletter", "Lt"},
                                                                {"casedletter", "L&"},
                                                                {"modifierletter", "Lm"},
                                                                {"otherletter", "Lo"},
                                                                {"mark", "M"},
                                                                {"combiningmark", "M"},
                                                                {"nonspacingmark", "Mn"},
                                                                {"spacingmark", "Mc"},
                                                                {"enclosingmark", "Me"},
                                                                {"number", "N"},
                                                                {"decimalnumber", "Nd"},
                                                                {"letternumber", "Nl"},
                                                                {"othernumber", "No"},
                                                                {"punctuation", "P"},
                                                                {"dashpunctuation", "Pd"},
                                                                {"connectorpunctuation", "Pc"},
                                                                {"openpunctuation", "Ps"},
                                                                {"closepunctuation", "Pe"},
                                                                {"otherpunctuation", "Po"},
                                                                {"initialpunctuation", "Pi"},
                                                                {"finalpunctuation", "Pf"},
                                                                {"symbol", "S"},
                                                                {"mathsymbol", "Sm"},
                                                                {"currencysymbol", "Sc"},
                                                                {"modifiersymbol", "Sk"},
                                                                {"othersymbol", "So"},
                                                                {"separator", "Z"},
                                                                {"spaceseparator", "Zs"},
                                                                {"lineseparator", "Zl"},
                                                                {"paragraphseparator", "Zp"},
                                                                {"other", "C"},
                                                                {"control", "Cc"},
                                                                {"format", "Cf"},
                                                                {"unassigned", "Cn"},
                                                                {"privateuse", "Co"},
                                                                {"surrogate", "Cs"}};
  for (const auto& [known, category] : names)
    if (name == known) return category;
  return {};
}

bool is_script(const std::string& name) {
  const std::string pattern = "\\p{sc:" + name + "}";
  int number = 0;
  PCRE2_SIZE place = 0;
  pcre2_code* const code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF, &number, &place, nullptr);
  pcre2_code_free(code);
  return code != nullptr;
}

// The set of \p{name}.
Characters property(std::string_view name) {
  bool negated = name.starts_with('^');
  if (negated) name.remove_prefix(1);
  const std::string plain = plain_name(name);
  Characters made = posix_characters(plain == "alphabetic" ? "alpha" : plain);
  if (made.inside.empty()) {
    const std::string category = category_named(plain);
    // By itself PCRE2 adds to a script what other scripts use as well.
    made.inside = "\\p{" + (!category.empty() ? category : (is_script(plain) ? "sc:" : "") + plain) + "}";
  }
  made.negated = made.negated != negated;
  return made;
}

// A property alone, which is found faster without the brackets of a class.
bool is_single(const Characters& set) { return set.inside.starts_with("\\p{") && set.inside.find('}') + 1 == set.inside.size(); }

// A set as a pattern of one character.
std::string alone(const Characters& set) {
  if (is_single(set)) return (set.negated ? "\\P" : "\\p") + set.inside.substr(2);
  return (set.negated ? "[^" : "[") + set.inside + "]";
}

class Translation {
 public:
  explicit Translation(std::string_view from) : from_(from) {}

  Result<std::string> run() {
    groups_.emplace_back();
    while (at_ < from_.size()) {
      const char c = from_[at_];
      if (c == '\\') {
        HL_TRY(escape());
      } else if (c == '[') {
        begin_atom();
        ++at_;
        HL_ASSIGN(const std::string set, character_class());
        to_ += set;
      } else if (c == '(') {
        HL_TRY(open_group());
      } else if (c == ')') {
        if (groups_.size() == 1) return differs(")");
        to_ += std::string(groups_.back().closing, ')') + ")";
        atom_ = groups_.back().begin;
        groups_.pop_back();
        ++at_;
      } else if (c == '{' && atom_ != kNone && interval()) {
      } else if (c == '*' || c == '+' || c == '?') {
        to_ += c;
        ++at_;
      } else {
        if (c == '|' && groups_.size() == 1 && keeps_) return differs("\\K");
        begin_atom();
        to_ += from_.substr(at_, length_here());
        at_ += length_here();
      }
    }
    if (keeps_ && calls_) return differs("\\K");
    return to_ + std::string(groups_.front().closing, ')');
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Group {
    std::size_t begin = 0;    // in to_
    std::size_t closing = 0;  // groups that were opened inside for (?i), which ends where this group does
  };

  void begin_atom() { atom_ = to_.size(); }
  std::size_t length_here() const { return static_cast<std::size_t>(decode_at(from_, static_cast<std::int64_t>(at_)).length); }
  std::string_view rest() const { return from_.substr(at_); }

  // {2,3} behind an atom; false: it is none and stands for its characters.
  bool interval() {
    std::size_t end = at_ + 1, digits = 0;
    bool comma = false;
    for (; end < from_.size() && from_[end] != '}'; ++end) {
      const char c = from_[end];
      if (c >= '0' && c <= '9')
        ++digits;
      else if (c == ',' && !comma)
        comma = true;
      else
        return false;
    }
    if (end >= from_.size() || digits == 0) return false;
    std::string body(from_.substr(at_ + 1, end - at_ - 1));
    if (body.front() == ',') body = "0" + body;
    to_ += "{" + body + "}";
    at_ = end + 1;
    // For Oniguruma the + of {1,3}+ and the ? of {3}? repeat the repetition.
    if (const char next = at_ < from_.size() ? from_[at_] : '\0'; next == '+' || (next == '?' && !comma)) {
      to_ = to_.substr(0, atom_) + "(?:" + to_.substr(atom_) + ")" + next;
      ++at_;
    }
    return true;
  }

  Status open_group() {
    Group group{to_.size(), 0};
    if (rest().starts_with("(?#")) {
      const std::size_t end = from_.find(')', at_);
      at_ = end == std::string_view::npos ? from_.size() : end + 1;
      return {};
    }
    constexpr std::string_view kinds[] = {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!"};
    for (const std::string_view kind : kinds)
      if (rest().starts_with(kind)) return open(group, kind);
    if (!rest().starts_with("(?")) return open(group, "(");
    if (rest().starts_with("(?<") || rest().starts_with("(?'")) return open(group, from_.substr(at_, 3));
    // (?i) and (?i:…)
    std::string flags = "(?";
    std::size_t end = at_ + 2;
    for (; end < from_.size() && from_[end] != ':' && from_[end] != ')'; ++end) {
      const char flag = from_[end];
      if (flag != 'i' && flag != 'm' && flag != 'x' && flag != '-') return differs(from_.substr(at_, end + 1 - at_));
      flags += flag == 'm' ? 's' : flag;  // Ruby's m lets . match line ends
    }
    if (end >= from_.size()) return differs("(?");
    const bool whole = from_[end] == ':';
    at_ = end + 1;
    to_ += flags + ":";
    atom_ = kNone;
    if (whole)
      groups_.push_back(group);
    else
      ++groups_.back().closing;
    return {};
  }
  Status open(const Group& group, std::string_view beginning) {
    groups_.push_back(group);
    to_ += beginning;
    at_ += beginning.size();
    atom_ = kNone;
    return {};
  }

  // \p{Name} and \P{Name}, behind the backslash.
  Result<Characters> braced_property() {
    const bool negated = from_[at_] == 'P';
    const std::size_t end = from_.find('}', at_);
    if (end == std::string_view::npos) return differs("\\p{");
    Characters made = property(from_.substr(at_ + 2, end - at_ - 2));
    made.negated = made.negated != negated;
    at_ = end + 1;
    return made;
  }

  // An escape that is a set of characters; an empty inside: it is another one, and nothing was read.
  Result<Characters> escaped_set(bool in_class) {
    const char next = at_ + 1 < from_.size() ? from_[at_ + 1] : '\0';
    if ((next == 'p' || next == 'P') && at_ + 2 < from_.size() && from_[at_ + 2] == '{') {
      ++at_;
      return braced_property();
    }
    Characters made;
    if (next == 's' || next == 'S') made = {kSpaces, next == 'S'};
    if (next == 'w' || next == 'W') made = {in_class ? kWordsInClass : kWords, next == 'W'};
    if (next == 'h' || next == 'H') made = {kHexadecimal, next == 'H'};
    if (next == 'd' || next == 'D') made = {"\\p{Nd}", next == 'D'};
    if (!made.inside.empty()) at_ += 2;
    return made;
  }

  // An escape that is one character, as PCRE2 writes it. \u0041 is \x{0041}, and a letter without a meaning is itself.
  std::string escaped_character(bool in_class) {
    const char next = from_[at_ + 1];
    if (next == 'u' && from_.size() - at_ >= 6) {
      std::string made = "\\x{" + std::string(from_.substr(at_ + 2, 4)) + "}";
      at_ += 6;
      return made;
    }
    if (std::string_view("pPQEULlFN").find(next) != std::string_view::npos && (in_class || next != 'N')) {
      at_ += 2;
      return std::string(1, next);
    }
    ++at_;
    const std::size_t length = length_here();
    std::string made = "\\" + std::string(from_.substr(at_, length));
    at_ += length;
    return made;
  }

  Status escape() {
    if (at_ + 1 >= from_.size()) return differs("\\");
    HL_ASSIGN(const Characters set, escaped_set(false));
    if (!set.inside.empty()) {
      begin_atom();
      to_ += alone(set);
      return {};
    }
    const char next = from_[at_ + 1];
    if (std::string_view("GKyY").find(next) != std::string_view::npos) return position();
    if (next == 'g') calls_ = true;
    begin_atom();
    if (next == 'b' || next == 'B') {
      const std::string word = "[" + std::string(kWords) + "]";
      to_ += next == 'b' ? "(?:(?<=" + word + ")(?!" + word + ")|(?<!" + word + ")(?=" + word + "))"
                         : "(?:(?<=" + word + ")(?=" + word + ")|(?<!" + word + ")(?!" + word + "))";
      at_ += 2;
      return {};
    }
    if (next == 'X') {  // PCRE2's own joins other pictures
      to_ += "(?>(?s:.)(?:(?C2)(?s:.))*)";
      at_ += 2;
      return {};
    }
    if (next == 'O') {
      to_ += "(?s:.)";
      at_ += 2;
      return {};
    }
    to_ += escaped_character(false);
    return {};
  }

  // \G, where the search began, \K, from where on the match counts, and \y and \Y, where a grapheme cluster ends and where none
  // does. PCRE2 has no such boundary, and asks whoever searches (pattern.cpp).
  Status position() {
    const std::string_view name = from_.substr(at_, 2);
    const char behind = at_ + 2 < from_.size() ? from_[at_ + 2] : '\0';
    if (std::string_view("*+?{").find(behind) != std::string_view::npos) return differs(name);
    if (name == "\\K") {
      // Oniguruma does not take back a \K on a way that fails later, so only one that every further way passes is the same.
      if (groups_.size() > 1) return differs(name);
      keeps_ = true;
    }
    to_ += name == "\\y" ? "(?C1)" : name == "\\Y" ? "(?C2)" : name;
    at_ += 2;
    atom_ = kNone;
    return {};
  }

  // What stands in a class: characters and ranges as the inside of one of PCRE2's, and patterns of other sets.
  struct ClassParts {
    std::string inside;
    std::vector<std::string> others;
    std::string pattern() const {
      if (others.empty()) return inside.empty() ? "(?!)" : "[" + inside + "]";
      std::string all = inside.empty() ? "" : "[" + inside + "]";
      for (const std::string& other : others) all += (all.empty() ? "" : "|") + other;
      return "(?:" + all + ")";
    }
    void add(const Characters& set) {
      if (inside.ends_with('-') && !inside.ends_with("\\-")) inside.insert(inside.size() - 1, "\\");
      if (set.negated && !is_single(set))
        others.push_back(alone(set));
      else
        inside += set.negated ? alone(set) : set.inside;
    }
  };

  // From behind "[" to behind "]": classes inside of classes, and intersections.
  Result<std::string> character_class() {
    if (++depth_ > kDeepest) return differs("[[[");
    const bool negated = rest().starts_with('^');
    if (negated) ++at_;
    ClassParts parts;
    std::string before;  // what stood left of &&
    const auto met = [&] {
      const std::string right = parts.pattern();
      return before.empty() ? right : "(?:(?=" + before + ")" + right + ")";
    };
    for (bool first = true;; first = false) {
      if (at_ >= from_.size()) return differs("[");
      const char c = from_[at_];
      if (c == ']' && !first) break;
      if (rest().starts_with("&&")) {
        before = met();
        parts = {};
        at_ += 2;
      } else if (rest().starts_with("[:") && from_.find(":]", at_) != std::string_view::npos) {
        const std::size_t end = from_.find(":]", at_);
        std::string_view name = from_.substr(at_ + 2, end - at_ - 2);
        const bool not_these = name.starts_with('^');
        if (not_these) name.remove_prefix(1);
        Characters set = posix_characters(std::string(name));
        if (set.inside.empty()) return differs(from_.substr(at_, end + 2 - at_));
        set.negated = set.negated != not_these;
        parts.add(set);
        at_ = end + 2;
      } else if (c == '[') {
        ++at_;
        HL_ASSIGN(std::string inner, character_class());
        parts.others.push_back(std::move(inner));
      } else if (c == '\\' && at_ + 1 < from_.size()) {
        HL_ASSIGN(const Characters set, escaped_set(true));
        if (!set.inside.empty()) {
          parts.add(set);
          if (rest().starts_with('-')) parts.inside += "\\-", ++at_;  // no range begins with a set
        } else {
          parts.inside += escaped_character(true);
        }
      } else if (c == ']' || c == '^') {
        parts.inside += std::string("\\") + c;
        ++at_;
      } else {
        parts.inside += from_.substr(at_, length_here());
        at_ += length_here();
      }
    }
    ++at_;
    --depth_;
    if (!negated) return met();
    if (before.empty() && parts.others.empty()) return "[^" + parts.inside + "]";
    return "(?:(?!" + met() + ")(?s:.))";
  }

  static constexpr int kDeepest = 50;  // classes in classes

  std::string_view from_;
  std::size_t at_ = 0;
  std::string to_;
  std::vector<Group> groups_;  // that are open; the first is the whole expression
  std::size_t atom_ = kNone;   // where in to_ what a repetition repeats begins; none behind an opened group
  int depth_ = 0;
  bool keeps_ = false, calls_ = false;  // it has \K; it has \g, a call of a group
};

}  // namespace

Result<std::string> from_oniguruma(std::string_view expression) { return Translation(expression).run(); }

}  // namespace headlight::text
