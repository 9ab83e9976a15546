// The written form of an explanation: sections of lines whose numbers know their addresses in the trace. The inspector draws the
// explanation, and it can be copied as text or LaTeX. Words are English patterns, so that the window can translate them.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/insight/value_address.h"

namespace headlight {

// A piece of a line: a number with its place in the trace, or a sign between numbers.
struct ExplainSpan {
  std::string text;   // as on the screen and the clipboard
  std::string latex;  // the same in LaTeX's math mode
  ValueAddress at;    // an empty step: the span is no number of the trace
  double value = std::numeric_limits<double>::quiet_NaN();
};

struct ExplainLine {
  enum class Tone { plain, quiet, good, wrong } tone = Tone::plain;
  std::string text;   // the whole line in English; empty for pictures
  std::string words;  // the sentence with one {} per span: "the row sums to {}". Empty: the spans in a row are a formula.
  std::vector<ExplainSpan> spans;

  // term: a row of a table: a label, one or two factors (spans), then their result (the last span). rest: the terms that are not
  // written out; its last span is their sum. bars, strip: a picture of `values`.
  enum class Kind { line, term, rest, bars, strip } kind = Kind::line;
  std::string label;                                        // of a term: "c 17", a token
  double share = std::numeric_limits<double>::quiet_NaN();  // of a term: its share of a whole, 0..1; NaN: a signed summand
  bool current = false;                                     // of a term: the question is about this term

  std::vector<double> values;       // of a picture, in order
  std::vector<double> left, right;  // of a picture, either may be empty: the factors of each value
  std::string axis;                 // of a picture: the name of the axis that numbers its values: "d", "c", "key"
  std::vector<std::string> labels;  // of a picture, or empty: the values' names
  ValueAddress first;               // of a picture: the address of values[0] (or left[0]); an empty step: none
  int running = -1;                 // the index of `first` that counts the values
};

struct ExplainSection {
  std::string title;  // "1 dot product"
  std::vector<ExplainLine> lines;
  // The sum of its terms and the rest, in double; NaN if they do not form a sum.
  double total = std::numeric_limits<double>::quiet_NaN();
};

// The sections as plain text, each line indented. Pictures are left out; their numbers are in the terms or in the line before.
std::string to_text(const std::vector<ExplainSection>& sections);
// The sections as LaTeX: align* for formulas and terms (amsmath), sentences as paragraphs.
std::string to_latex(const std::vector<ExplainSection>& sections);

// A number as the explanations print it: four decimals, and a power of ten below 0.0005 or from a million on; "-∞" for -inf.
// number_text(162.67941) gives "162.6794", number_text(0.00001234) gives "1.23e-05".
std::string number_text(double value);
std::string number_latex(double value);  // "-\infty", "1.23 \cdot 10^{-5}"
// Escapes any text for LaTeX's text mode, in ASCII: special characters are escaped, and a letter that plain LaTeX lacks becomes
// its code point. escape_latex("a_我") gives "a\_U+6211".
std::string escape_latex(std::string_view text);

}  // namespace headlight
