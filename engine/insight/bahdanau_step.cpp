#include "engine/insight/bahdanau_step.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/core/rng.h"
#include "engine/insight/score_rows.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;

DrawnMatrix drawn_matrix(std::uint64_t seed, const char* name, std::size_t rows, std::size_t columns) {
  DrawnMatrix m{name, rows, columns, {}};
  const Rng rng(seed, std::string("bahdanau.") + name);
  const double deviation = 1 / std::sqrt(static_cast<double>(columns));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) m.values.push_back(deviation * rng.normal(r, c));
  return m;
}

Vector word_vector(std::uint64_t seed, std::int64_t id) {
  const Rng rng(seed, "bahdanau.words");
  Vector x;
  for (std::size_t c = 0; c < kWordWidth; ++c) x.push_back(rng.normal(static_cast<std::uint64_t>(id), c));
  return x;
}

void add_product(const DrawnMatrix& m, const Vector& x, Vector& sum) {
  for (std::size_t r = 0; r < m.rows; ++r)
    for (std::size_t c = 0; c < m.columns; ++c) sum[r] += m.at(r, c) * x[c];
}

// A part of a sum: a matrix and the vector that it multiplies.
struct Factor {
  const char* matrix;
  const char* vector;
  const Vector* x;
};

// tanh(sum of the products), or the sum itself.
Vector layer(const BahdanauStep& step, std::size_t rows, std::span<const Factor> factors, bool bounded) {
  Vector y(rows, 0.0);
  for (const Factor& f : factors) add_product(step.matrix(f.matrix), *f.x, y);
  if (bounded)
    for (double& one : y) one = std::tanh(one);
  return y;
}

void read_source(BahdanauStep& step) {
  const std::size_t count = step.words.size();
  const Vector nothing(kDirection, 0.0);
  step.forward.assign(count, nothing);
  step.backward.assign(count, nothing);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t j = count - 1 - n;
    const Factor on[] = {{"W_f", "x", &step.words[n]}, {"U_f", "f", n > 0 ? &step.forward[n - 1] : &nothing}};
    const Factor back[] = {{"W_b", "x", &step.words[j]}, {"U_b", "b", n > 0 ? &step.backward[j + 1] : &nothing}};
    step.forward[n] = layer(step, kDirection, on, true);
    step.backward[j] = layer(step, kDirection, back, true);
  }
  for (std::size_t j = 0; j < count; ++j) {
    Vector h = step.forward[j];
    h.insert(h.end(), step.backward[j].begin(), step.backward[j].end());
    step.annotations.push_back(std::move(h));
  }
}

// One step from the last of `states` on; its numbers replace those of the step before.
void advance(BahdanauStep& step, const Vector& previous_word) {
  const Vector before = step.states.back();
  step.previous_word = previous_word;
  step.hidden.clear();
  step.scores.clear();
  for (const Vector& h : step.annotations) {
    const Factor both[] = {{"W_a", "s", &before}, {"U_a", "h", &h}};
    step.hidden.push_back(layer(step, kAlignWidth, both, true));
    double e = 0;
    for (std::size_t r = 0; r < kAlignWidth; ++r) e += step.matrix("v_a").at(0, r) * step.hidden.back()[r];
    step.scores.push_back(e);
  }
  step.weights_of_words = softmax_of(step.scores, {}, 1);
  step.context.assign(kAnnotation, 0.0);
  for (std::size_t j = 0; j < step.annotations.size(); ++j)
    for (std::size_t c = 0; c < kAnnotation; ++c) step.context[c] += step.weights_of_words[j] * step.annotations[j][c];
  const Factor three[] = {{"W_y", "y", &step.previous_word}, {"U", "s", &before}, {"C", "c", &step.context}};
  step.states.push_back(layer(step, kStateWidth, three, true));
  const Factor out[] = {{"O_y", "y", &step.previous_word}, {"O_s", "s", &step.states.back()}, {"O_c", "c", &step.context}};
  step.logits = layer(step, step.vocabulary.size(), out, false);
  step.probabilities = softmax_of(step.logits, {}, 1);
}

std::string indexed(const char* name, std::size_t at) { return std::string(name) + "[" + std::to_string(at) + "]"; }

// One row of a sum of products as terms.
void add_terms(const BahdanauStep& step, std::size_t row, std::span<const Factor> factors, BahdanauNumber& number) {
  for (const Factor& f : factors) {
    const DrawnMatrix& m = step.matrix(f.matrix);
    for (std::size_t c = 0; c < m.columns; ++c)
      number.terms.push_back(
          {std::string(f.matrix) + "[" + std::to_string(row) + "," + std::to_string(c) + "] · " + indexed(f.vector, c),
           m.at(row, c), (*f.x)[c]});
  }
}

void as_softmax(const Vector& x, std::size_t at, BahdanauNumber& number) {
  number.function = "softmax";
  number.terms = {{"", 1, x[at]}};
  number.largest = *std::max_element(x.begin(), x.end());
  for (const double one : x) number.total += std::exp(one - number.largest);
}

// What the network reads before it aligns: words and annotations.
bool traced_source(const BahdanauStep& step, std::string_view quantity, std::size_t word, std::size_t unit,
                   BahdanauNumber& number) {
  if (word >= step.words.size()) return false;
  if (quantity == "x" && unit < kWordWidth) {
    number.formula = "xⱼ";
    number.terms = {{"", 1, step.words[word][unit]}};
    number.value = step.words[word][unit];
    return true;
  }
  if (quantity != "h" || unit >= kAnnotation) return false;
  const Vector nothing(kDirection, 0.0);
  const bool on = unit < kDirection;
  const bool first = on ? word == 0 : word + 1 == step.words.size();
  const Vector& before = first ? nothing : on ? step.forward[word - 1] : step.backward[word + 1];
  const Factor both[] = {{on ? "W_f" : "W_b", "x", &step.words[word]}, {on ? "U_f" : "U_b", on ? "hⱼ₋₁" : "hⱼ₊₁", &before}};
  number.formula = on ? "hⱼ = tanh(W_f xⱼ + U_f hⱼ₋₁)" : "hⱼ = tanh(W_b xⱼ + U_b hⱼ₊₁)";
  number.function = "tanh";
  add_terms(step, on ? unit : unit - kDirection, both, number);
  number.value = step.annotations[word][unit];
  return true;
}

bool traced_alignment(const BahdanauStep& step, std::string_view quantity, std::size_t word, std::size_t unit,
                      BahdanauNumber& number) {
  if (quantity == "c") {
    if (unit >= kAnnotation) return false;
    number.formula = "cᵢ = Σⱼ αᵢⱼ hⱼ";
    for (std::size_t j = 0; j < step.words.size(); ++j)
      number.terms.push_back({indexed("α", j) + " · h_" + std::to_string(j) + "[" + std::to_string(unit) + "]",
                              step.weights_of_words[j], step.annotations[j][unit]});
    number.value = step.context[unit];
    return true;
  }
  if (word >= step.words.size()) return false;
  if (quantity == "hidden") {
    if (unit >= kAlignWidth) return false;
    const Factor both[] = {{"W_a", "s", &step.state_before()}, {"U_a", "hⱼ", &step.annotations[word]}};
    number.formula = "tanh(W_a sᵢ₋₁ + U_a hⱼ)";
    number.function = "tanh";
    add_terms(step, unit, both, number);
    number.value = step.hidden[word][unit];
    return true;
  }
  if (quantity == "e") {
    number.formula = "eᵢⱼ = v_a · tanh(W_a sᵢ₋₁ + U_a hⱼ)";
    const Factor one[] = {{"v_a", "tanh", &step.hidden[word]}};
    add_terms(step, 0, one, number);
    number.value = step.scores[word];
    return true;
  }
  if (quantity != "alpha") return false;
  number.formula = "αᵢⱼ = exp(eᵢⱼ) / Σₖ exp(eᵢₖ)";
  as_softmax(step.scores, word, number);
  number.value = step.weights_of_words[word];
  return true;
}

bool traced_output(const BahdanauStep& step, std::string_view quantity, std::size_t word, std::size_t unit,
                   BahdanauNumber& number) {
  if (quantity == "y" && unit < kWordWidth) {
    number.formula = "yᵢ₋₁";
    number.terms = {{"", 1, step.previous_word[unit]}};
    number.value = step.previous_word[unit];
    return true;
  }
  if (quantity == "s" && unit < kStateWidth) {
    const Factor three[] = {{"W_y", "y", &step.previous_word}, {"U", "s", &step.state_before()}, {"C", "c", &step.context}};
    number.formula = "sᵢ = tanh(W_y yᵢ₋₁ + U sᵢ₋₁ + C cᵢ)";
    number.function = "tanh";
    add_terms(step, unit, three, number);
    number.value = step.state()[unit];
    return true;
  }
  if (quantity == "before" && unit < kStateWidth && step.step == 0) {
    const Factor start[] = {{"W_s", "b_0", &step.backward.front()}};
    number.formula = "s₋₁ = tanh(W_s b₀)";
    number.function = "tanh";
    add_terms(step, unit, start, number);
    number.value = step.state_before()[unit];
    return true;
  }
  if (word >= step.vocabulary.size()) return false;
  if (quantity == "logit") {
    const Factor out[] = {{"O_y", "y", &step.previous_word}, {"O_s", "s", &step.state()}, {"O_c", "c", &step.context}};
    number.formula = "O_y yᵢ₋₁ + O_s sᵢ + O_c cᵢ";
    add_terms(step, word, out, number);
    number.value = step.logits[word];
    return true;
  }
  if (quantity != "p") return false;
  number.formula = "p(yᵢ) = softmax(O_y yᵢ₋₁ + O_s sᵢ + O_c cᵢ)";
  as_softmax(step.logits, word, number);
  number.value = step.probabilities[word];
  return true;
}

}  // namespace

const DrawnMatrix& BahdanauStep::matrix(std::string_view name) const {
  return *std::find_if(weights.begin(), weights.end(), [&](const DrawnMatrix& m) { return m.name == name; });
}

Result<BahdanauStep> bahdanau_step(const BahdanauTexts& texts, std::size_t step, std::uint64_t seed) {
  if (texts.source.empty() || texts.target.empty())
    return invalid("there is no word to read or to write").at("scores").mend("give a text");
  if (texts.source.size() > kMostBahdanauWords || texts.target.size() > kMostBahdanauWords)
    return failure(ErrorKind::too_large, "the text has more than {} tokens", kMostBahdanauWords)
        .at("scores")
        .mend("use a shorter text");
  if (step >= texts.target.size())
    return not_found("there is no step {}", step).at("scores").mend("there are {} words to write", texts.target.size());
  BahdanauStep made;
  made.step = step;
  for (const std::int64_t id : texts.target)
    if (std::find(made.vocabulary.begin(), made.vocabulary.end(), id) == made.vocabulary.end()) made.vocabulary.push_back(id);
  const std::size_t v = made.vocabulary.size();
  const struct {
    const char* name;
    std::size_t rows, columns;
  } all[] = {{"W_f", kDirection, kWordWidth},   {"U_f", kDirection, kDirection},  {"W_b", kDirection, kWordWidth},
             {"U_b", kDirection, kDirection},   {"W_s", kStateWidth, kDirection}, {"W_a", kAlignWidth, kStateWidth},
             {"U_a", kAlignWidth, kAnnotation}, {"v_a", 1, kAlignWidth},          {"W_y", kStateWidth, kWordWidth},
             {"U", kStateWidth, kStateWidth},   {"C", kStateWidth, kAnnotation},  {"O_y", v, kWordWidth},
             {"O_s", v, kStateWidth},           {"O_c", v, kAnnotation}};
  for (const auto& one : all) made.weights.push_back(drawn_matrix(seed, one.name, one.rows, one.columns));
  for (const std::int64_t id : texts.source) made.words.push_back(word_vector(seed, id));
  read_source(made);
  const Factor start[] = {{"W_s", "b", &made.backward.front()}};
  made.states = {layer(made, kStateWidth, start, true)};
  // The words that follow are known, as in training: step i reads y_{i-1} of the text, not what the step before would write.
  for (std::size_t i = 0; i <= step; ++i)
    advance(made, i == 0 ? Vector(kWordWidth, 0.0) : word_vector(seed, texts.target[i - 1]));
  made.right = std::find(made.vocabulary.begin(), made.vocabulary.end(), texts.target[step]) - made.vocabulary.begin();
  return made;
}

Result<BahdanauNumber> trace_number(const BahdanauStep& step, std::string_view quantity, std::size_t word, std::size_t unit) {
  BahdanauNumber number;
  if (!traced_source(step, quantity, word, unit, number) && !traced_alignment(step, quantity, word, unit, number) &&
      !traced_output(step, quantity, word, unit, number))
    return not_found("this step has no number {}[{}, {}]", quantity, word, unit);
  number.name = quantity;
  return number;
}

}  // namespace headlight
