// Values that are not sums of products: tokens, table rows, positions, sums of two steps, steps that are passed on, parameters.
#include <cmath>

#include "engine/attention/positions/position.h"
#include "engine/core/rng.h"
#include "engine/insight/explain_parts.h"

namespace headlight::explaining {

Result<Answer> write_tokens(const Question& ask) {
  const Sentence* sentence = sentence_of(ask.trace, ask.step, ask.index(0));
  if (!sentence) return not_found("there is no sentence {}", ask.index(0)).at(ask.at.step);
  const std::int64_t i = ask.index(1), count = static_cast<std::int64_t>(sentence->tokens.size());
  Answer answer;
  ExplainSection piece{"the piece", {}};
  if (i < count) {
    const tokenizers::Token& token = sentence->tokens[static_cast<std::size_t>(i)];
    answer.computed = token.id;
    piece.lines.push_back(
        say(Tone::plain, "piece {} has the number {} in the vocabulary", {name("\"" + token.piece + "\""), whole(token.id)}));
    if (token.end > token.start)
      piece.lines.push_back(say(Tone::quiet, "bytes {}..{} of the sentence: {}",
                                {whole(token.start), whole(token.end),
                                 name(sentence->text.substr(static_cast<std::size_t>(token.start),
                                                            static_cast<std::size_t>(token.end - token.start)))}));
    else
      piece.lines.push_back(say(Tone::quiet, "added by us: no bytes of the text"));
  } else {
    const auto tokenizer = ask.step.of_targets ? ask.trace.target_tokenizer() : ask.trace.tokenizer();
    const bool behind = ask.trace.document().padding == "row";
    answer.computed = !tokenizer ? ask.value : behind ? tokenizer->vocabulary_size() : tokenizer->special(tokenizers::Role::pad);
    const std::vector<ExplainSpan> numbers{whole(count), whole(static_cast<std::int64_t>(answer.computed))};
    if (behind)
      piece.lines.push_back(
          say(Tone::plain, "the sentence has {} tokens: from here on it is filled up with {}, the index behind the vocabulary",
              numbers));
    else
      piece.lines.push_back(
          say(Tone::plain, "the sentence has {} tokens: from here on it is filled up with [PAD], id {}", numbers));
  }
  answer.sections = {
      {"formula", {formula({sign("tokens[i] = number of piece i", "\\text{tokens}_i = \\text{number of piece } i")})}},
      std::move(piece)};
  return answer;
}

Result<Answer> write_position(const Question& ask) {
  const Document& document = ask.trace.document();
  const positions::Entry* entry = positions::registry().find(document.position);
  if (!entry || !entry->make) return invalid("there is no position encoding called '{}'", document.position).at(ask.at.step);
  const std::int64_t pos = ask.index(0), c = ask.index(1), d = ask.step.shape[1];
  Answer answer;
  if (const std::string* const table = ask.input(0, true)) {  // trained: a row of a parameter
    const ValueAddress cell{*table, {pos, c}};
    HL_ASSIGN(answer.computed, read(ask.trace, cell));
    answer.sections = {
        {"formula", {formula({sign("position[i, c] = P[i, c]", "\\text{position}_{i,c} = P[i,\\, c]")})}},
        {"with its numbers",
         {formula({sign("P[" + std::to_string(pos) + ", " + std::to_string(c) + "] = "), number(answer.computed, cell)})}}};
    return answer;
  }
  ExplainSection rule{"formula", {say(Tone::plain, entry->formula.c_str())}};
  ExplainSection numbers{"with its numbers", {}};
  if (entry->id == "sinusoidal") {
    const std::int64_t i = c / 2;
    const double w = std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(d)),
                 angle = static_cast<double>(pos) * w;
    answer.computed = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
    // The angle has a rounding error in proportion to its size; the slopes of sine and cosine are at most 1.
    answer.tolerance = ask.unit * 2 + 0x1p-50 * (1 + std::abs(angle));
    const std::string two_i = std::to_string(2 * i), width = std::to_string(d), at = std::to_string(pos),
                      f = c % 2 == 0 ? "sin" : "cos";
    numbers.lines.push_back(say(Tone::quiet, "dimension {} = 2 · {} + {}", {whole(c), whole(i), whole(c % 2)}));
    numbers.lines.push_back(
        formula({sign("w = 10000^(-" + two_i + "/" + width + ") = ", "w = 10000^{-" + two_i + "/" + width + "} = "), number(w)}));
    numbers.lines.push_back(formula(
        {sign(f + "(" + at + " · ", "\\" + f + "(" + at + " \\cdot "), number(w), sign(") = "), number(answer.computed)}));
  } else if (entry->id == "binary") {
    const std::int64_t bits = entry->used(ask.step.shape[0], d);
    std::string digits;
    for (std::int64_t b = bits; b-- > 0;) digits += (pos >> b & 1) != 0 ? '1' : '0';
    answer.computed = c < bits ? static_cast<double>(digits[static_cast<std::size_t>(c)] - '0') : 0;
    answer.tolerance = 0;
    numbers.lines.push_back(
        formula({sign(std::to_string(pos) + " = " + digits + "₂", std::to_string(pos) + " = " + digits + "_2")}));
    numbers.lines.push_back(c < bits ? say(Tone::quiet, "digit {} of {}, from the left, counted from 0", {whole(c), whole(bits)})
                                     : say(Tone::quiet, "there are {} digits: dimension {} is empty", {whole(bits), whole(c)}));
    numbers.lines.push_back(formula({sign("= "), number(answer.computed)}));
  } else if (entry->id == "learned") {
    // The table has the mean square of the sinusoidal one.
    answer.check = ValueCheck::drawn;
    answer.computed = write_drawn(numbers, document.seed, "parameters.position", std::sqrt(0.5), pos, c);
  } else {
    answer.check = ValueCheck::none;
    numbers.lines.push_back(say(Tone::quiet, "position {}, dimension {}", {whole(pos), whole(c)}));
    numbers.lines.push_back(formula({sign("= "), number(ask.value)}));
  }
  answer.sections = {std::move(rule), std::move(numbers)};
  return answer;
}

Result<Answer> write_same(const Question& ask) {
  const std::string* from = ask.input(0);
  const Step* step = from ? ask.trace.find(*from) : nullptr;
  if (!step) return invalid("this step names no input").at(ask.at.step);
  // The same numbers in the same order, cut into axes in another way.
  std::int64_t place = 0;
  for (std::size_t axis = 0; axis < ask.step.shape.size(); ++axis) place = place * ask.step.shape[axis] + ask.at.index[axis];
  ValueAddress at{*from, std::vector<std::int64_t>(step->shape.size())};
  for (std::size_t axis = step->shape.size(); axis-- > 0; place /= step->shape[axis]) at.index[axis] = place % step->shape[axis];
  Answer answer;
  HL_ASSIGN(answer.computed, read(ask.trace, at));
  answer.sections = {{"formula",
                      {formula({name(ask.leaf), sign(" = "), name(own_name(*from))}),
                       say(Tone::quiet, "passed on as it is: nothing is computed")}},
                     {"with its numbers", {formula({sign("= "), number(answer.computed, at)})}}};
  return answer;
}

double write_drawn(ExplainSection& section, std::uint64_t seed, const std::string& matrix, double deviation, std::int64_t row,
                   std::int64_t column) {
  const double normal = Rng(seed, matrix).normal(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column));
  // Weights are float32 numbers on every backend.
  const double drawn = static_cast<float>(deviation * normal);
  section.lines.push_back(say(Tone::plain, "drawn from seed {}, standard deviation {}: nothing is trained here",
                              {name(std::to_string(seed)), number(deviation)}));
  section.lines.push_back(
      say(Tone::quiet, "the standard normal number of {}, row {}, column {}", {name(matrix), whole(row), whole(column)}));
  section.lines.push_back(formula({number(deviation), sign(" · ", " \\cdot "), factor(normal), sign(" = "), number(drawn)}));
  return drawn;
}

namespace {

// The matrix, or the token's row of it, in which the document gives this number of a parameter; null: it gives none.
const GivenMatrix* given_for(const Trace& trace, const std::string& parameter, std::int64_t row) {
  const auto tokenizer = parameter == "parameters.target_embedding" ? trace.target_tokenizer() : trace.tokenizer();
  for (const GivenMatrix& given : trace.document().matrices) {
    if ("parameters." + given.name != parameter) continue;
    if (given.token.empty() || (tokenizer && tokenizer->piece(static_cast<std::int32_t>(row)) == given.token)) return &given;
  }
  return nullptr;
}

}  // namespace

Result<Answer> write_parameter(const Trace& trace, const ValueAddress& at, const NamedParameter& parameter, double value) {
  Answer answer;
  ExplainSection how{"where it comes from", {}};
  const std::int64_t row = at.index.size() > 1 ? at.index[0] : 0, column = at.index.back();
  if (const GivenMatrix* given = given_for(trace, at.step, row)) {
    answer.check = ValueCheck::given;
    const std::int64_t given_row = given->token.empty() ? row : 0;
    answer.computed = static_cast<double>(given->values[static_cast<std::size_t>(given_row * given->columns + column)]);
    how.lines.push_back(
        say(Tone::plain, "the document gives {} in numbers: nothing is drawn or trained here", {name(given->name)}));
    if (!given->token.empty()) how.lines.push_back(say(Tone::quiet, "row {} is that of {}", {whole(row), name(given->token)}));
  } else if (const auto stored = stored_number(trace, at)) {
    answer.check = ValueCheck::none;
    how.lines.push_back(say(Tone::plain, "trained by others: nothing is drawn here"));
    const std::string place = to_string(Shape(stored->index.begin(), stored->index.end()));
    how.lines.push_back(
        say(Tone::quiet, "the file's tensor {} at {}, stored as {}", {name(stored->tensor), name(place), name(stored->type)}));
    if (stored->added != 0)
      how.lines.push_back(formula({number(stored->added), sign(" + w = "), number(stored->added), sign(" + "),
                                   factor(value - stored->added), sign(" = "), number(value)}));
    else
      how.lines.push_back(formula({sign("= "), number(value)}));
  } else if (parameter.origin == Origin::trained || parameter.origin == Origin::file) {
    answer.check = ValueCheck::none;
    how.lines.push_back(say(Tone::plain, "trained: the number stands in the model's file"));
    how.lines.push_back(formula({sign("= "), number(value)}));
  } else if (parameter.origin != Origin::random) {
    answer.check = ValueCheck::none;
    how.lines.push_back(say(Tone::plain, "not drawn: every number of {} starts as {}", {name(own_name(at.step)), number(value)}));
  } else if (at.index.size() > 1 && row == parameter.zero_row) {
    how.lines.push_back(say(Tone::plain, "row {} belongs to [PAD] and is zero", {whole(row)}));
  } else {
    answer.check = ValueCheck::drawn;
    answer.computed = write_drawn(how, trace.document().seed, at.step, parameter.deviation, row, column);
  }
  answer.sections = {std::move(how)};
  return answer;
}

}  // namespace headlight::explaining
