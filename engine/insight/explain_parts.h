// Helpers that write explanations: spans, lines, sums with their largest terms, and numbers read from a trace. Included by
// engine/insight/explain*.cpp and engine/operations/*_words.cpp only.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/attention/scores/score.h"
#include "engine/insight/explain.h"
#include "engine/insight/explain_value.h"

namespace headlight::explaining {

using Tone = ExplainLine::Tone;

// --- spans and lines

// number(0.5) prints "0.5000", factor(-0.5) prints "(-0.5000)": a negative factor stands in parentheses.
ExplainSpan number(double value, ValueAddress at = {});
ExplainSpan factor(double value, ValueAddress at = {});
ExplainSpan whole(std::int64_t value);
ExplainSpan sign(std::string text, std::string latex = {});  // an empty `latex`: the text serves in LaTeX too, and is plain ASCII
ExplainSpan name(std::string text);                          // a token or a step's name: \text{…} in LaTeX

// formula({name("dot"), sign(" = "), number(2)}) is the line "dot = 2.0000".
ExplainLine formula(std::vector<ExplainSpan> spans, Tone tone = Tone::plain);
// say(Tone::plain, "the row sums to {}", {number(1)}) is the line "the row sums to 1.0000".
ExplainLine say(Tone tone, const char* words, std::vector<ExplainSpan> spans = {});

// A row of a table. With a share (0..1) the row is a part of a whole ("e^-2.3 → 0.05"), else a product.
// term("c 0", {number(0.2), number(0.3), number(0.06)}) is the line "c 0: 0.2000 · 0.3000 = 0.0600".
ExplainLine term(std::string label, std::vector<ExplainSpan> spans, bool current = false,
                 double share = std::numeric_limits<double>::quiet_NaN());

// --- sums

// The sum a[0] b[0] + a[1] b[1] + …, or a[0] + a[1] + … if `b` is empty.
struct Products {
  std::vector<double> a, b;
  ValueAddress first_a, first_b;    // the addresses of a[0] and b[0]
  int axis_a = -1, axis_b = -1;     // the axis of `a` and of `b` that the sum runs along
  std::string axis;                 // "c", "d", "key"
  std::vector<std::string> labels;  // of the terms; empty: a term is named by axis and number, "c 17"
  std::int64_t current = -1;        // the index of a term that is always written out; -1: none
};
inline constexpr std::size_t kTermsWritten = 8;

struct Total {
  double value = 0;  // in double
  double sizes = 0;  // sum of |terms|; rounding errors are proportional to it
};
// Appends a small bar chart of all terms, then the kTermsWritten largest terms in the order of the sum, then the sum of all
// others. Sets section.total.
// write_products(section, {{1, 2}, {3, 4}, {}, {}, -1, -1, "d"}): a chart and two terms; the value is 11.
Total write_products(ExplainSection& section, const Products& products);
// Adds one more summand, for example a bias, to `total` and section.total, and writes it as a term of its own.
// write_summand(section, total, "b_q", 0.5, {}): the line "b_q: 0.5000", and total.value is larger by 0.5.
void write_summand(ExplainSection& section, Total& total, const std::string& label, double value, ValueAddress at);

// --- reading

// One number of the trace, or all numbers along one axis. Only these numbers are copied or computed: a kept step shares its
// storage, and of a step that is not kept one tile is computed.
// read_along(*trace, {"layer.0.weights", {0, 2, 5, 0}}, 3): the weights of query 5 of head 2 over all keys.
Result<double> read(const Trace& trace, const ValueAddress& at);
Result<std::vector<double>> read_along(const Trace& trace, ValueAddress at, int axis);
// The address of the number that the site's position adds to a score. Most positions have the same numbers for all sentences.
// bias_address(*trace, site, 0, 2, 5, 3): the bias of head 2 between query 5 and key 3.
ValueAddress bias_address(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                          std::int64_t query, std::int64_t key);

// --- the functions that explain a number: those of operations are in operation_words.h, those of other steps here

// The number that is to be explained, and its place.
struct Question {
  const Trace& trace;
  const ValueAddress& at;
  const Step& step;
  std::string prefix, leaf;             // "layer.0.", "weights"
  const AttentionSite* site = nullptr;  // of the step's attention; null if the step belongs to no attention
  double unit = 0;                      // unit of rounding: 2^-23 for float32 traces, 2^-52 for double
  double value = 0;                     // the number in the trace
  std::int64_t index(int axis) const { return at.index[static_cast<std::size_t>(axis)]; }
  // The name of the step's nth input (from 0) among its inputs that are steps or, with `parameters`, among its inputs that are
  // parameters. Null if there is none. input(1, true) is the second parameter, mostly the bias.
  const std::string* input(int n, bool parameters = false) const;
};
struct Answer {
  std::vector<ExplainSection> sections;
  double computed = 0, tolerance = 0;
  ValueCheck check = ValueCheck::computed;
};
// Draws the number that a seeded matrix must hold at this row and column: a standard normal number times the matrix's deviation,
// as float32. Appends lines that say so. `matrix` names the random stream.
// write_drawn(section, 0, "parameters.layer.0.wq", 0.125, 12, 81): the number in row 12, column 81 of seed 0's W_Q.
double write_drawn(ExplainSection& section, std::uint64_t seed, const std::string& matrix, double deviation, std::int64_t row,
                   std::int64_t column);
using Write = Result<Answer> (*)(const Question&);

// An error where the step belongs to no attention of the trace.
Status needs_site(const Question& ask);
// "query 5 blue, key 3 creature", of a cell of an attention.
ExplainLine whose(const Question& ask);

Result<Answer> write_tokens(const Question&);
Result<Answer> write_position(const Question&);
Result<Answer> write_same(const Question&);        // a step that is another step in another shape
Result<Answer> write_rearranged(const Question&);  // a step with its axes in another order
Result<Answer> write_mask_part(const Question&);   // one mask before they are combined
Result<Answer> write_position_bias(const Question&);
Result<Answer> write_score_places(const Question&);  // rows of a location-based score's table
Result<Answer> write_formula(const Question&);       // any step: its formula and its inputs, without their numbers
Result<Answer> write_mask(const Question&);
// The explanation of one number of a parameter. write_parameter(trace, {"parameters.layer.0.wq", {12, 81}}, wq, value).
Result<Answer> write_parameter(const Trace& trace, const ValueAddress& at, const NamedParameter& parameter, double value);

// Where a published model's file holds a number of a parameter; nothing for other models.
// stored_number(trace, {"parameters.layer.0.wq", {12, 81}})->index is {81, 12}: files hold matrices turned.
struct StoredNumber {
  std::string tensor, type;         // "model.layers.0.self_attn.q_proj.weight", "Q4_1"
  std::vector<std::int64_t> index;  // in the stored tensor
  double added = 0;                 // what the model adds to it (Gemma's norms: 1)
};
std::optional<StoredNumber> stored_number(const Trace& trace, const ValueAddress& at);
// How a published model turns the queries and keys of a layer; nothing for other models and where it turns none.
// rope_of(trace, 0)->base is 100000 for SmolLM2.
struct RopeOfLayer {
  double base = 0, width = 0;  // pair i turns by base^(-2 i / width) a place, before any scaling
  std::string scaling;         // "llama3"; empty: none
};
std::optional<RopeOfLayer> rope_of(const Trace& trace, std::int64_t layer);

// --- shared with explain_cell

// Query heads that share a head of keys and values; 1: each has its own.
std::int64_t group_of(const AttentionSite& site);
// "head 7 reads key head 2, as heads 6 to 8 do". Only for a site whose heads share.
ExplainLine shared_key_line(const AttentionSite& site, std::int64_t head);
// The score after the scale, and bent where the model bends it: c tanh(x / c).
double scaled_score(const AttentionSite& site, double score);
// The words for c tanh(x / c) behind a scaled score x; nothing where the site has no cap.
// cap_spans(site, 3.2) is ", bent: c tanh(x / c), c = 50" for Gemma 2.
std::vector<ExplainSpan> cap_spans(const AttentionSite& site, double scaled);

// Whether one of the masks allows a cell, and why. `allows` takes the other masks into account: a sparse pattern allows a cell
// that it forbids by itself where a widening mask has a 1. So the cell is allowed if every mask's `allows` is true.
// mask_says(causal, all, 0, 0, 3, 5): words is "key 5 > query 3: causal forbids".
CellExplanation::MaskSays mask_says(const masks::Part& part, const masks::Combined& all, std::int64_t batch, std::int64_t head,
                                    std::int64_t query, std::int64_t key);
// Writes the sections of `cell`, whose other fields are set.
void write_cell(const Trace& trace, CellExplanation& cell, const AttentionSite& site);
ExplainLine mask_line(const CellExplanation::MaskSays& says);
std::vector<ExplainSpan> scale_spans(const AttentionSite& site);  // "÷ √64", "× 0.5"
double fill_of(const Document& document);                         // -inf or -1e9
const scores::Entry& score_of(const Document& document);          // for an unknown score the first of the list
// The sentence whose tokens are the step's rows; null: the batch has no such sentence.
// sentence_of(*trace, step, 0): the first text, or the first target if the step is of the targets.
const Sentence* sentence_of(const Trace& trace, const Step& step, std::int64_t batch);

}  // namespace headlight::explaining
