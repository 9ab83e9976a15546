#include "engine/core/parameter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace headlight {
namespace {

std::string number(double value) {
  char buffer[40];
  // Whole numbers without an exponent: "1000000", not "1e+06".
  const bool whole = std::abs(value) < 1e15 && value == std::trunc(value) && !(value == 0 && std::signbit(value));
  const auto end = whole ? std::to_chars(buffer, buffer + sizeof(buffer), static_cast<std::int64_t>(value)).ptr
                         : std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return {buffer, end};
}

Message range_of(const Parameter& p) { return Message("a number from {} to {}", number(p.least), number(p.most)); }

Message choices_of(const Parameter& p) {
  std::string all;
  for (std::size_t i = 0; i < p.choices.size(); ++i) all += (i ? ", " : "") + p.choices[i];
  return Message("one of {}", all);
}

}  // namespace

std::string to_string(const Value& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&value)) return number(*d);
  return std::get<std::string>(value);
}

namespace {

Status check_kind(const Parameter& p, const Value& value) {
  switch (p.kind) {
    case Parameter::Kind::boolean:
      if (!std::holds_alternative<bool>(value))
        return usage_error("'{}' is not true or false", to_string(value)).at(Message::term(p.id));
      return {};
    case Parameter::Kind::integer: {
      const auto* i = std::get_if<std::int64_t>(&value);
      if (!i || static_cast<double>(*i) < p.least || static_cast<double>(*i) > p.most)
        return usage_error("'{}' is out of range", to_string(value))
            .at(Message::term(p.id))
            .mend("give a whole number from {} to {}", number(p.least), number(p.most));
      return {};
    }
    case Parameter::Kind::real: {
      const auto* d = std::get_if<double>(&value);
      if (!d || !std::isfinite(*d) || *d < p.least || *d > p.most)
        return usage_error("'{}' is out of range", to_string(value)).at(Message::term(p.id)).mend("give {}", range_of(p));
      return {};
    }
    case Parameter::Kind::text:
      if (!std::holds_alternative<std::string>(value))
        return usage_error("'{}' is not a text", to_string(value)).at(Message::term(p.id));
      return {};
    case Parameter::Kind::choice: {
      const auto* s = std::get_if<std::string>(&value);
      if (!s || std::find(p.choices.begin(), p.choices.end(), *s) == p.choices.end())
        return usage_error("'{}' is not known", to_string(value)).at(Message::term(p.id)).mend("give {}", choices_of(p));
      return {};
    }
  }
  return {};
}

}  // namespace

Status check_value(const Parameter& p, const Value& value) {
  HL_TRY(check_kind(p, value));
  if (!p.check) return {};
  const Status status = p.check(value);
  return status.ok() ? Status() : usage_error(status.error().what).at(Message::term(p.id)).mend(status.error().mend);
}

Result<Value> parse_value(const Parameter& p, std::string_view text) {
  Value value = std::string(text);
  const char* const end = text.data() + text.size();
  if (p.kind == Parameter::Kind::boolean) {
    if (text == "true" || text == "on" || text == "yes" || text == "1") value = true;
    if (text == "false" || text == "off" || text == "no" || text == "0") value = false;
  } else if (p.kind == Parameter::Kind::integer) {
    std::int64_t i = 0;
    if (const auto r = std::from_chars(text.data(), end, i); r.ec == std::errc{} && r.ptr == end) value = i;
  } else if (p.kind == Parameter::Kind::real) {
    double d = 0;
    if (const auto r = std::from_chars(text.data(), end, d); r.ec == std::errc{} && r.ptr == end) value = d;
  }
  HL_TRY(check_value(p, value));
  return value;
}

std::string to_string(const Choice& choice) {
  std::string s = choice.id;
  char divider = ':';
  for (const auto& [id, value] : choice.values) {
    s += divider + id + "=" + to_string(value);
    divider = '/';
  }
  return s;
}

Result<Choice> parse_choice(std::string_view text,
                            const std::function<Result<const std::vector<Parameter>*>(std::string_view)>& schema_of) {
  const std::size_t colon = text.find(':');
  Choice choice{std::string(text.substr(0, colon)), {}};
  HL_ASSIGN(const std::vector<Parameter>* schema, schema_of(choice.id));
  for (const Parameter& p : *schema) choice.values[p.id] = p.fallback;
  if (colon == std::string_view::npos) return choice;
  std::string_view rest = text.substr(colon + 1);
  for (std::size_t place = 0; !rest.empty(); ++place) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    const std::size_t equals = part.find('=');
    const Parameter* parameter = nullptr;
    if (equals == std::string_view::npos) {
      if (place < schema->size()) parameter = &(*schema)[place];
    } else {
      for (const Parameter& p : *schema)
        if (p.id == part.substr(0, equals)) parameter = &p;
    }
    if (!parameter) return usage_error("'{}' has no parameter for '{}'", choice.id, part);
    auto value = parse_value(*parameter, equals == std::string_view::npos ? part : part.substr(equals + 1));
    if (!value) return usage_error(value.error().what).at("{} {}", choice.id, parameter->id).mend(value.error().mend);
    choice.values[parameter->id] = *value;
  }
  return choice;
}

}  // namespace headlight
