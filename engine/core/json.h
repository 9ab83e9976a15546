// Json: a JSON value, as sessions, lessons, tokenizers, configurations and tables of results hold it.
// Only json.cpp includes the library that reads and writes the text, so that no other source has to compile it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

class Json {
 public:
  struct Member;  // of an object: key and value
  // unsigned_integer: an integer above the range of int64.
  enum class Kind : std::uint8_t { null, boolean, integer, unsigned_integer, real, text, array, object };

  Json();  // null
  Json(std::nullptr_t);
  Json(const char* text);
  Json(std::string text);
  Json(std::string_view text);
  template <std::same_as<bool> T>  // bool alone: no type that merely converts to bool, such as a pointer
  Json(T value) : Json(Kind::boolean, value ? 1 : 0) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value) : Json(integer_kind(value), static_cast<std::int64_t>(value)) {}
  Json(double value);
  template <class T>
  Json(const std::vector<T>& values) : Json(array()) {
    for (const auto& value : values) push_back(Json(value));
  }
  template <class T>
  Json(const std::map<std::string, T>& values) : Json(object()) {
    for (const auto& [key, value] : values) (*this)[key] = Json(value);
  }
  static Json array(std::initializer_list<Json> elements = {});
  static Json object(std::initializer_list<Member> members = {});
  static Json object_of(std::vector<Member> members);  // the keys must differ from each other

  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  // Reads a text. An object's members keep their order; of two members with one key the later value counts.
  // parse("{\"a\": 1, \"b\": 2, \"a\": 3}") gives {"a":3,"b":2}.
  // Errors (invalid), with `where` and `mend` as the error's: a text that stops being JSON at a line and column (from 1, in
  // bytes); a text nested more than 256 deep.
  static Result<Json> parse(std::string_view text, const std::string& where = {}, const Message& mend = {});
  // Like parse, but an object that has a key twice is an error that names the key: parse_unique("{\"a\": 1, \"a\": 2}").
  static Result<Json> parse_unique(std::string_view text, const std::string& where = {}, const Message& mend = {});
  // Like parse_unique, for a text that people write: comments, from // to the end of the line and from /* to */, count as spaces.
  // parse_commented("[1, 2] // two") gives [1,2].
  static Result<Json> parse_commented(std::string_view text, const std::string& where = {}, const Message& mend = {});

  // Like parse, for a text that Python's json module wrote: NaN, Infinity and -Infinity, which JSON lacks, become these texts.
  // parse_python("[Infinity]") gives ["Infinity"].
  static Result<Json> parse_python(std::string_view text, const std::string& where = {}, const Message& mend = {});

  // The value as text: on one line, or with `indent` spaces a level. A number comes back from it exactly as it is. Bytes in texts
  // that are not UTF-8 are written as U+FFFD.
  std::string dump(int indent = -1) const;

  // Whether a text is UTF-8, so that dump() keeps it.
  static bool can_hold(std::string_view text);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  bool is_boolean() const { return kind_ == Kind::boolean; }
  bool is_integer() const { return kind_ == Kind::integer || kind_ == Kind::unsigned_integer; }
  bool is_number() const { return is_integer() || kind_ == Kind::real; }
  bool is_real() const { return kind_ == Kind::real; }
  bool is_string() const { return kind_ == Kind::text; }
  bool is_array() const { return kind_ == Kind::array; }
  bool is_object() const { return kind_ == Kind::object; }

  // The value as this type; false, 0 or "" if it is of another kind. integer() cuts a real number off, and wraps an integer
  // beyond int64 around.
  bool boolean() const;
  std::int64_t integer() const;
  double number() const;
  const std::string& string() const;

  // The number of an array's elements or of an object's members; 0 for any other kind.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // The elements of an array; empty for any other kind.
  const std::vector<Json>& elements() const { return elements_; }
  const Json& operator[](std::size_t index) const;  // null beyond the last
  void push_back(Json value);                       // null becomes an array

  // The members of an object in their order; empty for any other kind.
  const std::vector<Member>& members() const { return members_; }
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  const Json* find(std::string_view key) const;        // null where there is no such member
  const Json& operator[](std::string_view key) const;  // a null value where there is no such member
  Json& operator[](std::string_view key);              // adds the member where there is none; null becomes an object
  void update(const Json& other);                      // sets every member of `other`, an object, in this object

  // Equal kinds and values; integers and reals compare as numbers, objects whatever the order of their members.
  bool operator==(const Json& other) const;

 private:
  Json(Kind kind, std::int64_t integer);
  template <std::integral T>
  static constexpr Kind integer_kind(T value) {
    return std::in_range<std::int64_t>(value) ? Kind::integer : Kind::unsigned_integer;
  }

  Kind kind_ = Kind::null;
  std::int64_t integer_ = 0;  // also of boolean (0 or 1) and unsigned_integer (its bits)
  double real_ = 0;
  std::string text_;
  std::vector<Json> elements_;
  std::vector<Member> members_;
};

struct Json::Member {
  std::string key;
  Json value;
};

}  // namespace headlight
