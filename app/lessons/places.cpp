#include "app/lessons/places.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <set>
#include <variant>

#include "app/text/language.h"
#include "engine/attention/masks/combined.h"
#include "engine/insight/explain.h"
#include "engine/insight/predictions.h"

namespace headlight::lessons {
namespace {

using Index = std::vector<std::int64_t>;
constexpr std::int64_t kWhole = -1;  // the index *

struct Row {
  std::vector<double> values;
  ValueAddress from;  // kWhole at the axis along which the row runs
};
using Answer = std::variant<double, std::string, Row>;

std::string grouped(double whole) {
  char digits[48];
  std::snprintf(digits, sizeof digits, "%.0f", std::abs(whole));
  std::string out = digits;
  if (out.size() > 4)
    for (std::size_t i = out.size(); i > 3;) out.insert(i -= 3, "\xE2\x80\xAF");  // a narrow space: clear in every language
  return (whole < 0 ? "-" : "") + out;
}

std::string printed(double value, const std::string& format) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
  char text[64];
  if (format == "%") {
    std::snprintf(text, sizeof text, "%.1f %%", value * 100);
    return text;
  }
  if (!format.empty()) {
    std::snprintf(text, sizeof text, "%.*f", std::min(12, std::atoi(format.c_str())), value);
    return text;
  }
  if (value == std::round(value) && std::abs(value) < 1e18) return grouped(value);
  if (value != 0 && std::abs(value) < 5e-4)
    std::snprintf(text, sizeof text, "%.2g", value);
  else
    std::snprintf(text, sizeof text, "%.*f", std::abs(value) < 10 ? 3 : std::abs(value) < 100 ? 2 : 1, value);
  return text;
}

// A recursive-descent parser that computes while it reads.
class Reader {
 public:
  Reader(const std::string& text, const Source& source) : text_(text), source_(source), trace_(source.trace) {}

  Result<Run> run() {
    HL_ASSIGN(const Answer answer, sum());
    std::string format;
    if (next() == ':') {
      ++at_;
      next();
      format = text_.substr(at_);
      while (format.ends_with(' ')) format.pop_back();
      at_ = text_.size();
    }
    if (next() != '\0') return wrong(Message("'{}' is not understood", text_.substr(at_)));
    Run run;
    run.live = run.mono = true;
    if (const auto number = number_of(answer); number.ok()) run.number = *number;
    if (const auto* text = std::get_if<std::string>(&answer)) run.text = *text;
    if (const auto* value = std::get_if<double>(&answer)) {
      run.text = printed(*value, format);
      if (one_value_) run.value = single_;
    }
    if (const auto* row = std::get_if<Row>(&answer)) {
      for (std::size_t i = 0; i < std::min<std::size_t>(row->values.size(), 8); ++i)
        run.text += (i ? ", " : "[") + printed(row->values[i], format.empty() ? "2" : format);
      run.text += row->values.size() > 8 ? ", …]" : "]";
    }
    return run;
  }

 private:
  Error wrong(const Message& what) const {
    return invalid(what).at("{{{}}}", text_).mend("docs/lessons.md lists what may stand in braces; write {{{{ for a brace");
  }
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  // An id is a text, so that it is printed as it stands, and a number where one is wanted.
  Result<double> number_of(const Answer& answer) const {
    if (const auto* value = std::get_if<double>(&answer)) return *value;
    if (const auto* text = std::get_if<std::string>(&answer)) {
      double value = 0;
      const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
      if (read.ec == std::errc{} && read.ptr == text->data() + text->size()) return value;
    }
    return wrong(Message("a number is wanted here"));
  }
  // left OP right over numbers, or number by number over rows; the result is no longer a single value of a step.
  template <class Operation>
  Status combine(Answer& left, Result<Answer> right, Operation operation) {
    if (!right.ok()) return right.error();
    one_value_ = false;
    const Row *const first = std::get_if<Row>(&left), *const second = std::get_if<Row>(&*right);
    if (!first && !second) {
      HL_ASSIGN(const double a, number_of(left));
      HL_ASSIGN(const double b, number_of(*right));
      left = operation(a, b);
      return {};
    }
    if (first && second && first->values.size() != second->values.size())
      return wrong(Message("the two rows have different lengths"));
    double one = 0;
    if (!first || !second) {
      HL_ASSIGN(one, number_of(first ? *right : left));
    }
    Row row;
    const std::size_t count = (first ? first : second)->values.size();
    for (std::size_t i = 0; i < count; ++i)
      row.values.push_back(operation(first ? first->values[i] : one, second ? second->values[i] : one));
    left = std::move(row);
    return {};
  }

  Result<Answer> sum() {
    HL_ASSIGN(Answer left, product());
    for (char c = next(); c == '+' || c == '-'; c = next()) {
      ++at_;
      HL_TRY(combine(left, product(), [c](double a, double b) { return c == '+' ? a + b : a - b; }));
    }
    return left;
  }
  Result<Answer> product() {
    HL_ASSIGN(Answer left, power());
    for (char c = next(); c == '*' || c == '/'; c = next()) {
      ++at_;
      HL_TRY(combine(left, power(), [c](double a, double b) { return c == '*' ? a * b : a / b; }));
    }
    return left;
  }
  Result<Answer> power() {
    HL_ASSIGN(Answer left, unary());
    if (!take('^')) return left;
    HL_TRY(combine(left, power(), [](double a, double b) { return std::pow(a, b); }));
    return left;
  }
  Result<Answer> unary() {
    if (take('-')) {
      HL_ASSIGN(const Answer inner, unary());
      HL_ASSIGN(const double value, number_of(inner));
      one_value_ = false;
      return Answer(-value);
    }
    if (take('(')) {
      HL_ASSIGN(Answer inner, sum());
      if (!take(')')) return wrong(Message("a ')' is missing"));
      return inner;
    }
    const char c = next();
    if ((c >= '0' && c <= '9') || c == '.') return literal();
    if (c == '\'') return quoted();
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return named();
    return wrong(c ? Message("'{}' is not understood", text_.substr(at_)) : Message("something is missing at its end"));
  }
  Result<Answer> literal() {
    double value = 0;
    const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (read.ec != std::errc{}) return wrong(Message("'{}' is no number", text_.substr(at_)));
    at_ = static_cast<std::size_t>(read.ptr - text_.data());
    return Answer(value);
  }
  Result<Answer> quoted() {
    if (!take('\'')) return wrong(Message("a text stands in single quotes here"));
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string::npos) return wrong(Message("a single quote is missing"));
    std::string inside = text_.substr(at_, end - at_);
    at_ = end + 1;
    return Answer(std::move(inside));
  }
  std::string word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  Result<Answer> named() {
    const std::string name = word();
    const char c = next();
    if (c == '(') return function(name);
    if (c == '[') return indexed(name);
    if ((c >= '0' && c <= '9') || (star_is_index() && names_a_step(name))) return spaced(name);
    return variable(name);
  }

  // --- values of steps ---

  // "weights 0 0 2 *" ends with an index, while "tokens * d" goes on with a product.
  bool star_is_index() {
    if (next() != '*') return false;
    const std::size_t after = text_.find_first_not_of(' ', at_ + 1);
    return after == std::string::npos || text_[after] == ')' || text_[after] == ',' || text_[after] == ':';
  }

  bool names_a_step(const std::string& name) const { return trace_ && !full_name(name).empty(); }
  std::string full_name(const std::string& name) const {
    const Trace& trace = *trace_;
    const auto known = [&](const std::string& full) {
      if (trace.find(full)) return true;
      const auto parameters = trace.parameters();
      return std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == full; });
    };
    if (known(name)) return name;
    // "decoder.cross." and layer 2 -> "decoder.layer.2.cross."
    const std::string layer = "layer." + std::to_string(source_.view.layer) + ".";
    std::string site = source_.view.site;
    if (site.ends_with("cross."))
      site = site.substr(0, site.size() - 6) + layer + "cross.";
    else
      site += layer;
    for (const std::string& full : {site + name, layer + name, "decoder." + name, "encoder." + name})
      if (known(full)) return full;
    return {};
  }
  Result<Shape> shape_of(const std::string& full) const {
    if (const headlight::Step* step = trace_->find(full)) return step->shape;
    for (const NamedParameter& p : trace_->parameters())
      if (p.name == full) return p.shape;
    return wrong(Message("there is no step '{}'", full));
  }
  Result<std::string> step_named(const std::string& name) const {
    if (!trace_) return wrong(Message("nothing is computed yet"));
    const std::string full = full_name(name);
    if (full.empty()) return wrong(Message("there is no step or name '{}'", name));
    return full;
  }

  Result<Answer> spaced(const std::string& name) {
    Index index;
    while (true) {
      const char c = next();
      if (star_is_index()) {
        ++at_;
        index.push_back(kWhole);
        continue;
      }
      if (c < '0' || c > '9') break;
      HL_ASSIGN(const Answer value, literal());
      index.push_back(static_cast<std::int64_t>(std::get<double>(value)));
    }
    return value_of(name, index);
  }
  Result<Answer> indexed(const std::string& name) {
    Index index;
    ++at_;
    do {
      if (take('*')) {
        index.push_back(kWhole);
        continue;
      }
      HL_ASSIGN(const Answer inner, sum());
      HL_ASSIGN(const double value, number_of(inner));
      index.push_back(static_cast<std::int64_t>(std::llround(value)));
    } while (take(','));
    if (!take(']')) return wrong(Message("a ']' is missing"));
    return value_of(name, index);
  }
  Result<Answer> value_of(const std::string& name, const Index& index) {
    HL_ASSIGN(const std::string full, step_named(name));
    HL_ASSIGN(const Shape shape, shape_of(full));
    if (index.size() != shape.size()) return wrong(Message("{} has {} axes, {}", full, shape.size(), to_string(shape)));
    if (std::count(index.begin(), index.end(), kWhole) > 1) return wrong(Message("only one index may be *"));
    for (std::size_t i = 0; i < index.size(); ++i)
      if (index[i] != kWhole && (index[i] < 0 || index[i] >= shape[i]))
        return wrong(Message("{} has no such place: it is {}", full, to_string(shape)));
    HL_ASSIGN(const std::vector<double> values, read(full, shape, index));
    const bool row = std::find(index.begin(), index.end(), kWhole) != index.end();
    if (row) return Answer(Row{values, {full, index}});
    one_value_ = true;
    single_ = {full, index};
    return Answer(values.front());
  }
  Result<std::vector<double>> read(const std::string& full, const Shape& shape, const Index& index) const {
    std::vector<double> out;
    const headlight::Step* step = trace_->find(full);
    if (step && shape.size() == 4 && index[0] != kWhole && index[1] != kWhole) {
      Trace::Tile tile{index[0], index[1], 0, -1, 0, -1};
      if (index[2] != kWhole) tile.row = index[2], tile.rows = 1;
      if (index[3] != kWhole) tile.column = index[3], tile.columns = 1;
      HL_ASSIGN(const Tensor part, trace_->tile(full, tile));
      for (std::int64_t i = 0; i < part.dim(0); ++i)
        for (std::int64_t j = 0; j < part.dim(1); ++j) out.push_back(part.at({i, j}));
      return out;
    }
    HL_ASSIGN(const Tensor whole, trace_->values(full));
    Index place = index;
    const auto star = std::find(place.begin(), place.end(), kWhole);
    if (star == place.end()) return std::vector<double>{whole.at(std::span<const std::int64_t>(place))};
    const auto length = shape[static_cast<std::size_t>(star - place.begin())];
    for (*star = 0; *star < length; ++*star) out.push_back(whole.at(std::span<const std::int64_t>(place)));
    return out;
  }

  // --- names and functions ---

  std::size_t shown_batch() const { return static_cast<std::size_t>(std::max<std::int64_t>(0, source_.view.batch)); }
  const Sentence* shown_sentence() const {
    const std::size_t batch = shown_batch();
    return trace_ && batch < trace_->texts().size() ? &trace_->texts()[batch] : nullptr;
  }

  Result<Answer> variable(const std::string& name) {
    if (const auto own = source_.names.find(name); own != source_.names.end()) return Answer(own->second);
    if (name == "isdpa") {
      if (!source_.isdpa) return Answer(std::string(tr("not measured yet")));
      return Answer(*source_.isdpa);
    }
    if (name == "merges") {
      if (!source_.training) return wrong(Message("no training is there"));
      return Answer(static_cast<double>(source_.training->film->steps()));
    }
    if (!trace_) return wrong(Message("nothing is computed yet"));
    const Document& d = trace_->document();
    const auto number = [](auto value) { return Answer(static_cast<double>(value)); };
    const auto batch = shown_batch();
    const auto count = [&](std::span<const Sentence> all) {
      return batch < all.size() ? all[batch].tokens.size() : std::size_t{0};
    };
    if (name == "sentence") return number(batch);
    if (name == "removed") {
      std::int64_t changed = 0;
      for (const Intervention& one : d.interventions) changed += one.at.part == ModelAddress::Part::head ? 1 : d.heads;
      return number(changed);
    }
    if (const Sentence* const sentence = shown_sentence()) {
      const std::string& text = sentence->text;
      if (name == "different") {
        std::set<std::int32_t> ids;
        for (const auto& token : sentence->tokens) ids.insert(token.id);
        return number(ids.size());
      }
      if (name == "characters")
        return number(
            std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
    }
    if (name == "tokens") return number(count(trace_->texts()));
    if (name == "targets") return number(count(trace_->targets()));
    if (name == "d") return number(d.d_model);
    if (name == "heads") return number(d.heads);
    if (name == "d_k") return number(head_width(d));
    if (name == "layers") return number(d.layers);
    if (name == "d_ff") return number(d.d_ff ? d.d_ff : 4 * d.d_model);
    if (name == "seed") return number(d.seed);
    if (name == "temperature") return number(d.temperature);
    if (name == "scale") return Answer(scale_of(d, head_width(d)));
    if (name == "layer") return number(source_.view.layer);
    if (name == "head") return number(source_.view.head);
    if (name == "vocabulary" && trace_->tokenizer()) return number(trace_->tokenizer()->vocabulary_size());
    return wrong(Message("there is no step or name '{}'", name));
  }

  Result<Answer> function(const std::string& name) {
    ++at_;
    if (name == "shape" || name == "size") return sizes(name == "size");
    if (name == "before") return before();
    if (name == "piece") return piece();
    std::vector<Answer> inputs;
    if (next() != ')') do {
        HL_ASSIGN(Answer input, sum());
        inputs.push_back(std::move(input));
      } while (take(','));
    if (!take(')')) return wrong(Message("a ')' is missing"));
    const bool single = one_value_;
    one_value_ = false;
    if (inputs.empty()) return wrong(Message("{}() wants something in its brackets", name));
    if (const auto* row = std::get_if<Row>(&inputs[0])) return of_row(name, *row, inputs);
    if (name == "at") return place_of_token(inputs);
    HL_ASSIGN(const double value, number_of(inputs[0]));
    if (name == "sqrt") return Answer(std::sqrt(value));
    if (name == "exp") return Answer(std::exp(value));
    if (name == "ln") return Answer(std::log(value));
    if (name == "abs") return Answer(std::abs(value));
    if (name == "round") return Answer(std::round(value));
    one_value_ = single;
    one_value_ = false;
    const auto at = static_cast<std::int64_t>(std::llround(value));
    if (name == "token" || name == "id") return token(trace_ ? trace_->texts() : std::span<const Sentence>(), at, name == "id");
    if (name == "follows") return follows(at);
    if (name == "written") return written(at);
    if (name == "target") return token(trace_ ? trace_->targets() : std::span<const Sentence>(), at, false);
    return of_film(name, at);
  }
  Result<Answer> sizes(bool one_axis) {
    next();
    const std::string name = word();
    HL_ASSIGN(const std::string full, step_named(name));
    HL_ASSIGN(const Shape shape, shape_of(full));
    double axis = 0;
    if (one_axis) {
      if (!take(',')) return wrong(Message("size() wants a step and an axis"));
      HL_ASSIGN(const Answer inner, sum());
      HL_ASSIGN(axis, number_of(inner));
    }
    if (!take(')')) return wrong(Message("a ')' is missing"));
    one_value_ = false;
    if (!one_axis) return Answer(to_string(shape));
    if (axis < 0 || axis >= static_cast<double>(shape.size()))
      return wrong(Message("{} has the axes {}", full, to_string(shape)));
    return Answer(static_cast<double>(shape[static_cast<std::size_t>(axis)]));
  }
  Result<Answer> of_row(const std::string& name, const Row& row, const std::vector<Answer>& inputs) {
    const auto& v = row.values;
    if (v.empty()) return wrong(Message("the row is empty"));
    double sum = 0, square = 0;
    for (const double x : v) sum += x, square += x * x;
    if (name == "sum") return Answer(sum);
    if (name == "mean") return Answer(sum / static_cast<double>(v.size()));
    if (name == "max") return Answer(*std::max_element(v.begin(), v.end()));
    if (name == "min") return Answer(*std::min_element(v.begin(), v.end()));
    if (name == "norm") return Answer(std::sqrt(square));
    if (name == "seen") {
      const AttentionSite* site = row.from.step.empty() ? nullptr : find_site(*trace_, place_of(row.from.step));
      if (!site || row.from.index.size() != 4 || row.from.index[3] != kWhole)
        return wrong(Message("seen() wants a row of scores or weights"));
      Row seen = row;
      for (std::size_t key = 0; key < seen.values.size() && !site->mask.mask.empty(); ++key)
        if (!masks::allows(site->mask.mask, row.from.index[0], row.from.index[1], row.from.index[2],
                           static_cast<std::int64_t>(key)))
          seen.values[key] = -std::numeric_limits<double>::infinity();
      return Answer(std::move(seen));
    }
    if (name == "strongest") {
      const auto best = std::max_element(v.begin(), v.end()) - v.begin();
      const AttentionSite* site = row.from.step.empty() ? nullptr : find_site(*trace_, place_of(row.from.step));
      if (!site) return wrong(Message("strongest() wants a row of scores or weights"));
      return Answer(key_label(*trace_, *site, row.from.index[0], best));
    }
    if (name == "dot" || name == "cosine") {
      const Row* other = inputs.size() == 2 ? std::get_if<Row>(&inputs[1]) : nullptr;
      if (!other || other->values.size() != v.size()) return wrong(Message("{}() wants two rows of one length", name));
      double product = 0, far = 0;
      for (std::size_t i = 0; i < v.size(); ++i) product += v[i] * other->values[i], far += other->values[i] * other->values[i];
      return Answer(name == "dot" ? product : product / std::sqrt(square * far));
    }
    if (name == "word" || name == "largest") return ranked(name == "word", row, inputs);
    return wrong(Message("there is no function '{}' of a row", name));
  }

  // --- next tokens, and the model without its interventions ---

  // The k-th largest of a row, or the token that it belongs to in a row over the vocabulary. Of equal ones the first comes first.
  Result<Answer> ranked(bool as_word, const Row& row, const std::vector<Answer>& inputs) {
    if (inputs.size() != 2) return wrong(Message("word() and largest() want a row and a rank"));
    HL_ASSIGN(const double rank, number_of(inputs[1]));
    if (!(rank >= 1) || rank > static_cast<double>(row.values.size())) return wrong(Message("there is no such rank"));
    std::vector<std::size_t> order(row.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto k = static_cast<std::ptrdiff_t>(rank) - 1;
    std::nth_element(order.begin(), order.begin() + k, order.end(), [&](std::size_t a, std::size_t b) {
      return row.values[a] != row.values[b] ? row.values[a] > row.values[b] : a < b;
    });
    const std::size_t found = order[static_cast<std::size_t>(k)];
    if (!as_word) return Answer(row.values[found]);
    if (row.from.step != "logits" && row.from.step != "probabilities")
      return wrong(Message("word() wants a row of logits or probabilities"));
    return Answer(predicted_tokenizer(*trace_).display_text(static_cast<std::int32_t>(found)));
  }
  Result<Answer> follows(std::int64_t at) {
    if (!trace_ || !predicts_next(*trace_)) return wrong(Message("this model predicts no next token"));
    const std::int64_t batch = std::max<std::int64_t>(0, source_.view.batch);
    const auto& tokens = predicted_sentence(*trace_, batch).tokens;
    if (at < 0 || at + 1 >= static_cast<std::int64_t>(tokens.size())) return wrong(Message("nothing follows position {}", at));
    HL_ASSIGN(Answer answer, value_of("probabilities", {batch, at, tokens[static_cast<std::size_t>(at + 1)].id}));
    one_value_ = false;
    return answer;
  }
  // The position of a token in the shown sentence, by its label; the second one that has it with the number 2.
  Result<Answer> place_of_token(const std::vector<Answer>& inputs) const {
    const auto* wanted = std::get_if<std::string>(&inputs[0]);
    if (!wanted || inputs.size() > 2) return wrong(Message("at() wants a token in single quotes, and which of several it is"));
    double left = 1;
    if (inputs.size() == 2) {
      HL_ASSIGN(left, number_of(inputs[1]));
    }
    const Sentence* const sentence = shown_sentence();
    for (std::size_t i = 0; sentence && i < sentence->labels.size(); ++i)
      if (sentence->labels[i] == *wanted && --left < 1) return Answer(static_cast<double>(i));
    return wrong(Message("the sentence has no token '{}'", *wanted));
  }
  // The id of the piece that stands between single quotes, as the chips show it.
  Result<Answer> piece() {
    if (next() != '\'') return wrong(Message("piece() wants a piece in single quotes"));
    HL_ASSIGN(const Answer inside, quoted());
    const std::string& wanted = std::get<std::string>(inside);
    if (!take(')')) return wrong(Message("a ')' is missing"));
    if (!trace_ || !trace_->tokenizer()) return wrong(Message("nothing is computed yet"));
    one_value_ = false;
    const auto& tokenizer = predicted_tokenizer(*trace_);
    for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id)
      if (tokenizer.display_text(id) == wanted) return Answer(static_cast<double>(id));
    return wrong(Message("the vocabulary has no piece '{}'", wanted));
  }
  Result<Answer> before() {
    if (!trace_) return wrong(Message("nothing is computed yet"));
    const auto shown = trace_;
    if (!trace_->document().interventions.empty()) {
      if (!source_.compared.before) return wrong(Message("the model without its interventions is still being computed"));
      trace_ = source_.compared.before;
    }
    before_ = true;
    Result<Answer> inner = sum();
    before_ = false;
    trace_ = shown;
    if (!inner.ok()) return inner;
    if (!take(')')) return wrong(Message("a ')' is missing"));
    one_value_ = false;
    if (auto* row = std::get_if<Row>(&*inner)) row->from = {};
    return inner;
  }
  Result<Answer> written(std::int64_t at) const {
    const auto& all = before_ ? source_.compared.written_before : source_.compared.written;
    if (!all) return wrong(Message("the translation is still being computed, or this model does not translate"));
    if (at < 0 || at >= static_cast<std::int64_t>(all->size())) return wrong(Message("there is no sentence {}", at));
    return Answer((*all)[static_cast<std::size_t>(at)]);
  }
  Result<Answer> token(std::span<const Sentence> sentences, std::int64_t at, bool id) const {
    const auto batch = shown_batch();
    if (batch >= sentences.size() || at < 0 || at >= static_cast<std::int64_t>(sentences[batch].tokens.size()))
      return wrong(Message("there is no token {}", at));
    const Sentence& s = sentences[batch];
    if (id) return Answer(std::to_string(s.tokens[static_cast<std::size_t>(at)].id));
    return Answer(s.labels[static_cast<std::size_t>(at)]);
  }
  Result<Answer> of_film(const std::string& name, std::int64_t at) const {
    static const char* const known[] = {"left", "right", "fused", "count", "score", "left_count", "right_count"};
    if (std::none_of(std::begin(known), std::end(known), [&](const char* k) { return name == k; }))
      return wrong(Message("there is no function '{}'", name));
    if (!source_.training) return wrong(Message("no training is there"));
    const auto& film = *source_.training->film;
    if (at < 1 || at > film.steps()) return wrong(Message("there is no merge {}: there are {}", at, film.steps()));
    const auto& step = source_.training->training->steps[static_cast<std::size_t>(at - 1)];
    if (name == "left") return Answer(film.display(step.left));
    if (name == "right") return Answer(film.display(step.right));
    if (name == "fused") return Answer(film.display(step.token));
    if (name == "count") return Answer(static_cast<double>(step.count));
    if (name == "score") return Answer(step.score);
    return Answer(static_cast<double>(film.frequency(name == "left_count" ? step.left : step.right, at - 1)));
  }

  const std::string& text_;
  const Source& source_;
  std::shared_ptr<const Trace> trace_;  // the shown one; within before() that of the untouched model
  bool before_ = false;                 // within before()
  std::size_t at_ = 0;
  bool one_value_ = false;  // the last operand was a single value of a step, `single_`
  ValueAddress single_;
};

}  // namespace

Result<Run> evaluate(const std::string& place, const Source& source) { return Reader(place, source).run(); }

}  // namespace headlight::lessons
