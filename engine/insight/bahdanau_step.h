// One step of the decoder of Bahdanau et al. 2015 with every number (S11): alignment, context, the new state, and the next word.
// The network is small and its weights are random: a step to be followed by hand, not a model that has learnt something. Plain
// loops in double.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// Two texts as tokens' ids: the source that is read, and the words that are written, of which step i writes number i.
struct BahdanauTexts {
  std::vector<std::int64_t> source, target;
};

// Widths. An annotation h_j is two states of kDirection numbers, of the words before and behind j.
inline constexpr std::size_t kWordWidth = 3, kDirection = 2, kAnnotation = 2 * kDirection, kStateWidth = 3, kAlignWidth = 3;

// A matrix or vector of the network, drawn from normal numbers with deviation 1/sqrt(columns) by the seed and its name; the
// embedding of a word by its id, with deviation 1.
struct DrawnMatrix {
  std::string name;  // "W_a"
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  // row by row
  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

struct BahdanauStep {
  std::size_t step = 0;  // i, from 0
  std::vector<DrawnMatrix> weights;
  std::vector<std::vector<double>> words;              // [source][kWordWidth], x_j
  std::vector<std::vector<double>> forward, backward;  // [source][kDirection]
  std::vector<std::vector<double>> annotations;        // [source][kAnnotation], h_j = [forward; backward]
  std::vector<std::vector<double>> states;             // s_{-1} ... s_i: states[0] is the start, states[i + 1] that of step i
  std::vector<std::vector<double>> hidden;             // [source][kAlignWidth], tanh(W_a s_{i-1} + U_a h_j)
  std::vector<double> scores, weights_of_words;        // e_ij and alpha_ij
  std::vector<double> context;                         // c_i
  std::vector<double> previous_word;                   // y_{i-1}; zeros before the first
  std::vector<std::int64_t> vocabulary;                // the ids that can be written: the target's, each once, in their order
  std::vector<double> logits, probabilities;           // [vocabulary]
  std::int64_t right = 0;                              // the vocabulary's number of the word that follows in the text

  const DrawnMatrix& matrix(std::string_view name) const;
  const std::vector<double>& state_before() const { return states[step]; }
  const std::vector<double>& state() const { return states[step + 1]; }
};
// h_j: a network of tanh units reads the words from either end. s_{-1} = tanh(W_s h_0's backward half) (A.2.2 there).
// e_ij = v_a · tanh(W_a s_{i-1} + U_a h_j);  alpha_ij = softmax over j;  c_i = sum_j alpha_ij h_j;
// s_i = f(s_{i-1}, y_{i-1}, c_i) = tanh(W_y y_{i-1} + U s_{i-1} + C c_i);
// p(y_i) = g(y_{i-1}, s_i, c_i) = softmax(O_y y_{i-1} + O_s s_i + O_c c_i), a row of O a word of the vocabulary.
// f is a gated unit and g has a maxout layer in the paper; here both are as plain as they can be.
// Errors: an empty text (invalid), a step beyond the target's end (not_found), a text of more than kMostBahdanauWords
// (too_large).
Result<BahdanauStep> bahdanau_step(const BahdanauTexts& texts, std::size_t step, std::uint64_t seed);
inline constexpr std::size_t kMostBahdanauWords = 4096;

// How one number of a step comes about: value = function(sum of a b over the terms).
struct BahdanauNumber {
  std::string name;      // "e[3]", "s[0]", "p[2]"
  std::string formula;   // "e_ij = v_a · tanh(W_a s + U_a h_j)"
  std::string function;  // "tanh"; empty: the sum itself; "softmax": exp(sum - largest) / total
  struct Term {
    std::string label;  // "v_a[1] · hidden[1]"
    double a = 0, b = 0;
  };
  std::vector<Term> terms;
  double largest = 0, total = 0;  // of a softmax
  double value = 0;
};
// `quantity`: h, hidden, e, alpha, c, s, logit, p, y, x. `word`: of the source or, for logit and p, of the vocabulary; `unit`:
// which number of a vector. Errors (not_found): there is no such number.
Result<BahdanauNumber> trace_number(const BahdanauStep& step, std::string_view quantity, std::size_t word, std::size_t unit);

}  // namespace headlight
