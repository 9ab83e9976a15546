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

// Two texts as tokens' ids: the source that is read, and the target that is written. Step i writes target[i].
struct BahdanauTexts {
  std::vector<std::int64_t> source, target;
};

// Widths of the vectors. An annotation h_j joins two states of kDirection numbers: the forward state has read the words up to j,
// the backward state the words from the end back to j.
inline constexpr std::size_t kWordWidth = 3, kDirection = 2, kAnnotation = 2 * kDirection, kStateWidth = 3, kAlignWidth = 3;

// A matrix or vector of the network. Its numbers are normal with deviation 1/sqrt(columns), drawn by the seed and its name. The
// embedding of a word is drawn by the word's id, with deviation 1.
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
  std::vector<std::vector<double>> states;       // s_{-1} ... s_i: states[0] is the start, states[i + 1] the state of step i
  std::vector<std::vector<double>> hidden;       // [source][kAlignWidth], tanh(W_a s_{i-1} + U_a h_j)
  std::vector<double> scores, weights_of_words;  // e_ij and alpha_ij
  std::vector<double> context;                   // c_i
  std::vector<double> previous_word;             // y_{i-1}; zeros before the first
  std::vector<std::int64_t> vocabulary;          // the ids that can be written: each id of the target once, in the target's order
  std::vector<double> logits, probabilities;     // [vocabulary]
  std::int64_t right = 0;                        // the index in `vocabulary` of the word that really follows in the text

  const DrawnMatrix& matrix(std::string_view name) const;
  const std::vector<double>& state_before() const { return states[step]; }
  const std::vector<double>& state() const { return states[step + 1]; }
};
// h_j: a network of tanh units reads the words from either end. s_{-1} = tanh(W_s h_0's backward half) (A.2.2 there).
// e_ij = v_a · tanh(W_a s_{i-1} + U_a h_j);  alpha_ij = softmax over j;  c_i = sum_j alpha_ij h_j;
// s_i = f(s_{i-1}, y_{i-1}, c_i) = tanh(W_y y_{i-1} + U s_{i-1} + C c_i);
// p(y_i) = g(y_{i-1}, s_i, c_i) = softmax(O_y y_{i-1} + O_s s_i + O_c c_i). O has one row for each word of the vocabulary.
// In the paper f is a gated unit and g has a maxout layer; here both are as plain as they can be.
// Errors: an empty text (invalid), a step beyond the target's end (not_found), a text of more than kMostBahdanauWords words
// (too_large).
// bahdanau_step({{5, 6, 7}, {8, 9}}, 1, 0): the second word is written over three source words; scores has 3 numbers.
Result<BahdanauStep> bahdanau_step(const BahdanauTexts& texts, std::size_t step, std::uint64_t seed);
inline constexpr std::size_t kMostBahdanauWords = 4096;

// How one number of a step is made: value = function(sum of a b over the terms).
struct BahdanauNumber {
  std::string name;      // the quantity: "e", "s", "p"
  std::string formula;   // "e_ij = v_a · tanh(W_a s + U_a h_j)"
  std::string function;  // "tanh"; empty: the value is the sum itself; "softmax": exp(sum - largest) / total
  struct Term {
    std::string label;  // "v_a[1] · hidden[1]"
    double a = 0, b = 0;
  };
  std::vector<Term> terms;
  double largest = 0, total = 0;  // the softmax's largest score, and its sum of exp(score - largest)
  double value = 0;
};
// `quantity`: h, hidden, e, alpha, c, s, logit, p, y, x or, at step 0, before (s_{-1}). `word`: an index of the source or, for
// logit and p, of the vocabulary. `unit`: the index in a vector. Errors (not_found): the step has no such number.
// trace_number(step, "e", 2, 0): e of source word 2 = v_a · tanh(W_a s + U_a h_2), one term for each of the kAlignWidth numbers.
Result<BahdanauNumber> trace_number(const BahdanauStep& step, std::string_view quantity, std::size_t word, std::size_t unit);

}  // namespace headlight
