// The written form of an explanation: sections of lines whose numbers know where they came from. The inspector draws it, and it
// copies as text or LaTeX. Words are English patterns, so that the window can say them in its own language.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/insight/value_address.h"

namespace headlight {

// A piece of a line: a number, with the place in the trace where it stands, or a sign between numbers.
struct ExplainSpan {
  std::string text;   // as the screen and the clipboard print it
  std::string latex;  // the same inside LaTeX's mathematics
  ValueAddress at;    // an empty step: it is no number of the trace
  double value = std::numeric_limits<double>::quiet_NaN();
};

struct ExplainLine {
  enum class Tone { plain, quiet, good, wrong } tone = Tone::plain;
  std::string text;   // the whole line in English; for pictures empty
  std::string words;  // "the row sums to {}": the sentence, one {} a span. Empty: the spans side by side are a formula.
  std::vector<ExplainSpan> spans;

  // term: a row of a table: a label, one or two factors (spans), then their result (the last span).
  // rest: the terms that are not written out; its last span is their sum.
  // bars, strip: a picture of `values`.
  enum class Kind { line, term, rest, bars, strip } kind = Kind::line;
  std::string label;                                        // of a term: "c 17", a token
  double share = std::numeric_limits<double>::quiet_NaN();  // of a term: 0..1, a part of a whole; NaN: a signed summand
  bool current = false;                                     // of a term: the one that is asked about

  std::vector<double> values;       // of a picture, in order
  std::vector<double> left, right;  // of a picture, either empty: what was multiplied to make each value
  std::string axis;                 // of a picture: what its values are numbered by: "d", "c", "key"
  std::vector<std::string> labels;  // of a picture, or empty: the values' names
  ValueAddress first;               // of a picture: where values[0] (or left[0]) stands; empty: nowhere
  int running = -1;                 // the index of `first` that runs with the values
};

struct ExplainSection {
  std::string title;  // "1 dot product"
  std::vector<ExplainLine> lines;
  // What its terms and the rest add up to, in double; NaN where they are no sum.
  double total = std::numeric_limits<double>::quiet_NaN();
};

// The sections as plain text, each line indented; pictures are left out, their numbers are in terms or in the line before.
std::string to_text(const std::vector<ExplainSection>& sections);
// The sections as LaTeX: align* for formulas and terms (amsmath), words as paragraphs.
std::string to_latex(const std::vector<ExplainSection>& sections);

// A number as the explanations print it: four decimals, powers of ten where that would say nothing, "-∞" for -inf.
std::string number_text(double value);
std::string number_latex(double value);  // "-\infty", "1.23 \cdot 10^{-5}"
// Any text inside LaTeX's text mode, in ASCII: special characters escaped, a letter that plain LaTeX lacks as U+6211.
std::string escape_latex(std::string_view text);

}  // namespace headlight
