#include "engine/core/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

namespace headlight {
namespace {

using Library = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 256;

// Builds a value from what the library's parser reports, and remembers where a text stops being JSON.
class Builder : public nlohmann::json_sax<Library> {
 public:
  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    open_.back().key = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    stopped_at = position;
    return false;
  }

  Json result;
  bool unique = false;                  // a key may stand once in its object
  std::optional<std::string> repeated;  // the key that stood twice, if one did
  std::size_t stopped_at = 0;           // how many bytes were read when the text was found to be no JSON
  bool too_deep = false;

 private:
  struct Open {
    Json value;
    std::string key;
    // The position of each key, so that a large object is not searched once for every member.
    std::unordered_map<std::string, std::size_t> positions;
    std::vector<Json::Member> members;
  };

  bool open(Json value) {
    too_deep = open_.size() >= kDeepest;
    if (too_deep) return false;
    open_.push_back({std::move(value), {}, {}, {}});
    return true;
  }
  bool close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.value.is_object()) done.value = Json::object_of(std::move(done.members));
    return add(std::move(done.value));
  }
  bool add(Json value) {
    if (open_.empty()) {
      result = std::move(value);
    } else if (Open& in = open_.back(); in.value.is_array()) {
      in.value.push_back(std::move(value));
    } else if (const auto [at, fresh] = in.positions.try_emplace(in.key, in.members.size()); fresh) {
      in.members.push_back({in.key, std::move(value)});
    } else {
      if (unique) {
        repeated = in.key;
        return false;
      }
      in.members[at->second].value = std::move(value);
    }
    return true;
  }

  std::vector<Open> open_;
};

Library library_value(const Json& json) {
  switch (json.kind()) {
    case Json::Kind::null: return nullptr;
    case Json::Kind::boolean: return json.boolean();
    case Json::Kind::integer: return json.integer();
    case Json::Kind::unsigned_integer: return static_cast<std::uint64_t>(json.integer());
    case Json::Kind::real: return json.number();
    case Json::Kind::text: return json.string();
    case Json::Kind::array: {
      Library list = Library::array();
      auto& elements = list.get_ref<Library::array_t&>();
      elements.reserve(json.size());
      for (const Json& element : json.elements()) elements.push_back(library_value(element));
      return list;
    }
    case Json::Kind::object: break;
  }
  Library object = Library::object();
  // The keys differ from each other already.
  auto& members = object.get_ref<Library::object_t&>();
  members.reserve(json.size());
  for (const auto& [key, value] : json.members())
    static_cast<Library::object_t::Container&>(members).emplace_back(key, library_value(value));
  return object;
}

}  // namespace

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(const char* text) : kind_(Kind::text), text_(text) {}
Json::Json(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
Json::Json(std::string_view text) : kind_(Kind::text), text_(text) {}
Json::Json(double value) : kind_(Kind::real), real_(value) {}
Json::Json(Kind kind, std::int64_t integer) : kind_(kind), integer_(integer) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json Json::array(std::initializer_list<Json> elements) {
  Json json(Kind::array, 0);
  json.elements_.assign(elements);
  return json;
}

Json Json::object(std::initializer_list<Member> members) { return object_of(std::vector<Member>(members)); }

Json Json::object_of(std::vector<Member> members) {
  Json json(Kind::object, 0);
  json.members_ = std::move(members);
  return json;
}

namespace {

struct Reading {
  bool unique = false, comments = false;
};

Result<Json> build(std::string_view text, Reading reading, const std::string& where, const Message& mend) {
  Builder builder;
  builder.unique = reading.unique;
  constexpr bool kWholeText = true;
  if (Library::sax_parse(text, &builder, Library::input_format_t::json, kWholeText, reading.comments))
    return std::move(builder.result);
  if (builder.repeated) return invalid("'{}' stands twice in one object", *builder.repeated).at(where).mend(mend);
  if (builder.too_deep) return invalid("this JSON is nested more than 256 deep").at(where).mend(mend);
  // The library counts the byte that it could not use; at the end of the text there is none.
  const std::string_view before = text.substr(0, std::min(text.size(), builder.stopped_at == 0 ? 0 : builder.stopped_at - 1));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1;
  const std::string_view rest = text.substr(before.size());
  // Other programs write these words for what is no number.
  if (rest.starts_with("NaN") || rest.starts_with("Inf"))
    return invalid("JSON has no NaN and no infinity, as in line {}, column {}", line, column).at(where).mend(mend);
  return invalid("this is not JSON from line {}, column {} on", line, column).at(where).mend(mend);
}

}  // namespace

Result<Json> Json::parse(std::string_view text, const std::string& where, const Message& mend) {
  return build(text, {}, where, mend);
}
Result<Json> Json::parse_unique(std::string_view text, const std::string& where, const Message& mend) {
  return build(text, {.unique = true}, where, mend);
}
Result<Json> Json::parse_commented(std::string_view text, const std::string& where, const Message& mend) {
  return build(text, {.unique = true, .comments = true}, where, mend);
}

Result<Json> Json::parse_python(std::string_view text, const std::string& where, const Message& mend) {
  std::string json;
  bool inside = false;  // a text
  for (std::size_t i = 0; i < text.size();) {
    std::string_view word;
    if (!inside)
      for (const std::string_view one : {"NaN", "Infinity", "-Infinity"})
        if (text.substr(i).starts_with(one)) word = one;
    if (!word.empty()) {
      json.append(1, '"').append(word).append(1, '"');
      i += word.size();
      continue;
    }
    if (text[i] == '"') inside = !inside;
    if (inside && text[i] == '\\' && i + 1 < text.size()) json += text[i++];
    json += text[i++];
  }
  return parse(json, where, mend);
}

std::string Json::dump(int indent) const {
  return library_value(*this).dump(indent, ' ', false, Library::error_handler_t::replace);
}

bool Json::can_hold(std::string_view text) {
  try {
    (void)Library(text).dump();
    return true;
  } catch (const Library::exception&) {
    return false;
  }
}

bool Json::boolean() const { return kind_ == Kind::boolean && integer_ != 0; }

std::int64_t Json::integer() const {
  if (kind_ == Kind::real) return std::isnan(real_) ? 0 : static_cast<std::int64_t>(std::clamp(real_, -9.2e18, 9.2e18));
  return is_integer() ? integer_ : 0;
}

double Json::number() const {
  if (kind_ == Kind::unsigned_integer) return static_cast<double>(static_cast<std::uint64_t>(integer_));
  return kind_ == Kind::integer ? static_cast<double>(integer_) : real_;
}

const std::string& Json::string() const { return text_; }

std::size_t Json::size() const { return kind_ == Kind::object ? members_.size() : elements_.size(); }

const Json& Json::operator[](std::size_t index) const {
  static const Json none;
  return index < elements_.size() ? elements_[index] : none;
}

void Json::push_back(Json value) {
  if (kind_ == Kind::null) kind_ = Kind::array;
  elements_.push_back(std::move(value));
}

const Json* Json::find(std::string_view key) const {
  const auto at = std::find_if(members_.begin(), members_.end(), [&](const Member& member) { return member.key == key; });
  return at == members_.end() ? nullptr : &at->value;
}

const Json& Json::operator[](std::string_view key) const {
  static const Json none;
  const Json* const found = find(key);
  return found ? *found : none;
}

Json& Json::operator[](std::string_view key) {
  if (kind_ == Kind::null) kind_ = Kind::object;
  if (const Json* const found = find(key)) return const_cast<Json&>(*found);
  members_.push_back({std::string(key), Json()});
  return members_.back().value;
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : other.members_) (*this)[key] = value;
}

bool Json::operator==(const Json& other) const {
  if (is_number() && other.is_number() && kind_ != other.kind_) return number() == other.number();
  if (kind_ != other.kind_) return false;
  if (kind_ == Kind::object)
    return members_.size() == other.members_.size() && std::all_of(members_.begin(), members_.end(), [&](const Member& member) {
             const Json* const same = other.find(member.key);
             return same && *same == member.value;
           });
  return integer_ == other.integer_ && real_ == other.real_ && text_ == other.text_ && elements_ == other.elements_;
}

}  // namespace headlight
