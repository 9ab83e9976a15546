// What an Error says in the spoken language. The engine makes its sentences in English, out of pieces and values ("d_model 10
// cannot be divided among 4 heads"); here a sentence is recognised by a line of assets/errors.tsv ("d_model {} cannot be divided
// among {} heads") and said as that line's other column says it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/language.h"
#include "engine/core/status.h"

namespace headlight {

// The lines of one language, looked up by sentences that they make.
class ErrorLines {
 public:
  explicit ErrorLines(const Language& language);  // the language outlives this

  // `english` in the language. A line makes it if the line's text stands in it from beginning to end with something in each
  // place; of several the one with the most text of its own is meant, and one with hardly any ("{} is {}") takes only single
  // words and what other lines make. What fills a place is said likewise where the language has it, except names, which stand
  // in quotation marks. A sentence put together already, "where: what; mend", is taken apart. Nothing: no line makes it, or it
  // has so many parts that this would take long.
  std::optional<std::string> say(std::string_view english) const;

 private:
  struct Line {
    std::vector<std::string> pieces;  // around the places: one more than there are places
    std::string other;
    std::size_t own = 0;  // bytes of its own text
  };
  static std::optional<std::vector<std::string_view>> values_of(const Line& line, std::string_view english);
  // `left`: looks at all lines that may still be taken. A sentence can be taken apart in as many ways as it has parts, and again
  // within each; what a broken file puts into one must not hold the window up.
  std::optional<std::string> by_line(std::string_view english, int& left) const;
  std::optional<std::string> with_where(std::string_view english, int& left) const;
  std::optional<std::string> say(std::string_view english, int& left) const;
  std::string join(std::string_view with, const std::string& first, const std::string& second) const;

  const Language& language_;
  std::vector<Line> lines_;  // the most text first
};

// The whole sentence, "where: what; mend", and any part of it; or such a sentence that is no Error any more (a device's reason).
// What no line makes stays English; where English is spoken it is what came in. From any thread; remembered, so that it may be
// called while a frame is built.
std::string spoken(const Error& error);
std::string spoken(std::string_view sentence);
// Only what happened: without the mend behind it, for a place of one line.
std::string spoken_briefly(std::string_view sentence);
// Without a place that is a command's option ("--heads"): beside the control it is no news.
std::string spoken_in_window(const Error& error);

}  // namespace headlight
