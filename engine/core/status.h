// Errors as values. Nothing in the engine exits, prints or throws across a public boundary: a function that can fail returns
// Result<T> (or Status, which is Result<void>), and the window and the command line decide how to show the error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace headlight {

enum class ErrorKind {
  usage,        // the caller's request is malformed: exit status 2 on the command line
  invalid,      // a file, text or value is malformed or out of range
  not_found,    // a file, step, head, entry of a registry does not exist
  io,           // reading or writing failed (permissions, full disk)
  too_large,    // it would exceed a stated limit
  cancelled,    // stopped by a newer edit, the user or a signal; not shown as an error
  unavailable,  // this build or machine lacks something (a GPU, figure libraries, a display)
  internal,     // a bug: our own code broke an invariant
};

// How many values a text takes: its {}. {{ and }} are braces of its own. A text that is malformed does not compile.
consteval std::size_t places_in(std::string_view text) {
  std::size_t places = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' && text[i] != '}') continue;
    if (i + 1 == text.size()) throw "a brace stands alone: write it twice";
    const char next = text[++i];
    if (text[i - 1] == '{' && next == '}')
      ++places;
    else if (next != text[i - 1])
      throw "a brace stands alone: write it twice";
  }
  return places;
}

// A constant text with kPlaces places: "there is no task '{}'" is a Phrase<1>. One with other places does not compile.
template <std::size_t kPlaces>
class Phrase {
 public:
  consteval Phrase(const char* text) : text_(text) {
    if (places_in(text_) != kPlaces) throw "the text has other places than values";
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class Failure;
class Message;

// A value for a place of a Phrase. It refers to its text or message, which must outlive it.
class Filling {
 public:
  Filling(const std::string& text) : data_(text.data()), size_(text.size()) {}
  Filling(std::string_view text) : data_(text.data()), size_(text.size()) {}
  Filling(const char* text) : data_(text), size_(std::char_traits<char>::length(text)) {}
  Filling(const Message& message) : kind_(Kind::message), data_(&message) {}
  // Numbers are whole: how many digits of another one are meant is for the caller to say.
  template <class Whole>
  requires(std::is_integral_v<Whole> && !std::is_same_v<Whole, bool> && !std::is_same_v<Whole, char>) Filling(Whole number)
      : kind_(std::is_signed_v<Whole> ? Kind::whole : Kind::natural), size_(static_cast<std::uint64_t>(number)) {}

 private:
  friend class Message;
  enum class Kind { text, message, whole, natural };
  Kind kind_ = Kind::text;
  const void* data_ = nullptr;
  std::uint64_t size_ = 0;  // of the text, or the number
};

// What the engine says to a person: a text with places, and apart from it the values for them. English is that text with its
// values; a translation is found by the same text. A value is shown as it is, or is a Message and translated too:
//   Message("{} has no parameter '{}'", Message("the mask"), name)
// Whoever can fail makes messages, so that their functions stand in a source of their own.
class Message {
 public:
  Message();
  template <class... Values>
  explicit Message(Phrase<sizeof...(Values)> text, const Values&... values)
      : Message(text.text(), std::initializer_list<Filling>{values...}) {}
  // A name, a path, an option: shown as it is in every language.
  template <class Plain>
  requires(std::is_same_v<Plain, std::string> || std::is_same_v<Plain, std::string_view>) Message(const Plain& plain)
      : Message() {
    set_plain(plain);
  }
  static Message name(std::string_view plain) { return Message(plain); }  // the same of a constant: Message::name("--target")
  // Words that are chosen when the program runs and that a language may have: a parameter's name, what the system says.
  static Message term(std::string_view words);
  // A text with places that comes from outside of the program's sources, with as many values as it has places.
  static Message of(std::string text, std::vector<Message> values);
  Message(const Message& other);
  Message(Message&& other) noexcept;
  Message& operator=(const Message& other);
  Message& operator=(Message&& other) noexcept;
  ~Message();

  bool empty() const { return text_.empty(); }
  bool is_plain() const { return is_plain_; }
  const std::string& text() const { return text_; }  // with its places; the whole of a plain one
  const std::vector<Message>& values() const { return values_; }
  std::string english() const;

  // Compares the English.
  friend bool operator==(const Message& message, std::string_view english) { return message.is(english); }
  friend std::ostream& operator<<(std::ostream& out, const Message& message);

 private:
  friend class Failure;
  friend Failure failure(ErrorKind kind, std::string_view text, std::initializer_list<Filling> values);
  Message(std::string_view text, std::initializer_list<Filling> values);
  void set_plain(std::string_view plain);
  bool is(std::string_view english) const;

  std::string text_;
  std::vector<Message> values_;
  bool is_plain_ = true;
};

// The text with its places filled, by {fmt}: "{} of {}" in order, "{1} von {0}" in the order of another language. Nothing if a
// place has no value or a brace stands alone.
std::optional<std::string> fill_places(std::string_view text, const std::vector<std::string>& values);

inline constexpr Phrase<2> kWithMend = "{}; {}";

// One sentence a person can act on: what happened, where, and how to fix it.
struct Error {
  Error();
  Error(ErrorKind its_kind, Message its_what, Message its_where = {}, Message its_mend = {});
  Error(const Error& other);
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other);
  Error& operator=(Error&& other) noexcept;
  ~Error();

  ErrorKind kind = ErrorKind::internal;
  Message what;   // "the mask does not match the scores: {} x {} against {} x {}"
  Message where;  // a file, option, step or field; may be empty
  Message mend;   // "give a mask with {} rows and {} columns"; may be empty

  // "where: what; mend"; empty parts are left out. With advice its text is kWithMend and its first value the rest.
  Message whole() const;
  std::string sentence() const;  // its English, on one line
};

// An error on its way to whoever shows it: passed on, it moves one pointer. A hundred kinds of results hold one, so that none of
// them needs code for an Error's texts.
class [[nodiscard]] Failure {
 public:
  Failure() noexcept = default;  // none
  Failure(Error error);
  Failure(const Failure& other);
  Failure(Failure&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  Failure& operator=(Failure other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~Failure() {
    if (error_) forget(error_);
  }

  explicit operator bool() const noexcept { return error_; }
  const Error& error() const noexcept { return *error_; }
  operator const Error&() const noexcept { return *error_; }

  // Say where it happened and how to fix it: return invalid("there is no task '{}'", name).at(file).mend("known are {}", known);
  Failure&& at(Message where) &&;
  Failure&& mend(Message how) &&;
  template <class... Values>
  Failure&& at(Phrase<sizeof...(Values)> text, const Values&... values) && {
    return std::move(*this).at(text.text(), {values...});
  }
  template <class... Values>
  Failure&& mend(Phrase<sizeof...(Values)> text, const Values&... values) && {
    return std::move(*this).mend(text.text(), {values...});
  }

 private:
  Failure&& at(std::string_view text, std::initializer_list<Filling> values) &&;
  Failure&& mend(std::string_view text, std::initializer_list<Filling> values) &&;
  static void forget(const Error* error) noexcept;

  Error* error_ = nullptr;
};

// A value or the reason why there is none. The alternatives lie in a union and not in a std::variant, whose twelve layers for
// each of four hundred kinds of results were a third of the functions that an engine source made the compiler write.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : ok_(true), value_(std::move(value)) {}
  Result(Error error) : ok_(false), failure_(std::move(error)) {}
  Result(Failure failure) noexcept : ok_(false), failure_(std::move(failure)) {}
  Result(const Result& other) requires std::is_copy_constructible_v<T> : ok_(other.ok_) {
    if (ok_)
      std::construct_at(&value_, other.value_);
    else
      std::construct_at(&failure_, other.failure_);
  }
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : ok_(other.ok_) {
    if (ok_)
      std::construct_at(&value_, std::move(other.value_));
    else
      std::construct_at(&failure_, std::move(other.failure_));
  }
  // Of a copy or of what is moved from.
  Result& operator=(Result other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    std::destroy_at(this);
    std::construct_at(this, std::move(other));
    return *this;
  }
  ~Result() {
    if (ok_)
      std::destroy_at(&value_);
    else
      std::destroy_at(&failure_);
  }

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  T& value() & { return value_; }
  const T& value() const& { return value_; }
  T&& value() && { return std::move(value_); }
  T& operator*() & { return value_; }
  const T& operator*() const& { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }
  const Error& error() const { return failure_.error(); }
  Failure&& failure() && { return std::move(failure_); }

 private:
  bool ok_;
  union {
    T value_;
    Failure failure_;
  };
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() noexcept = default;
  Result(Error error) : failure_(std::move(error)) {}
  Result(Failure failure) noexcept : failure_(std::move(failure)) {}

  bool ok() const { return !failure_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return failure_.error(); }
  Failure&& failure() && { return std::move(failure_); }

 private:
  Failure failure_;
};

using Status = Result<void>;

// Make an error of a kind. The text is constant, and its values are given apart: invalid("there is no task '{}'", name).
Failure failure(ErrorKind kind, Message what);
Failure failure(ErrorKind kind, std::string_view text, std::initializer_list<Filling> values);  // of a Phrase, as below
template <class... Values>
Failure failure(ErrorKind kind, Phrase<sizeof...(Values)> text, const Values&... values) {
  return failure(kind, text.text(), {values...});
}
template <class... Values>
Failure usage_error(Phrase<sizeof...(Values)> text, const Values&... values) {
  return failure(ErrorKind::usage, text.text(), {values...});
}
template <class... Values>
Failure invalid(Phrase<sizeof...(Values)> text, const Values&... values) {
  return failure(ErrorKind::invalid, text.text(), {values...});
}
template <class... Values>
Failure not_found(Phrase<sizeof...(Values)> text, const Values&... values) {
  return failure(ErrorKind::not_found, text.text(), {values...});
}
Failure usage_error(Message what);
Failure invalid(Message what);
Failure not_found(Message what);
Failure cancelled();

// Return early on an error:  HL_TRY(run_it());   HL_ASSIGN(auto x, make_it());
#define HL_JOIN_(a, b) a##b
#define HL_JOIN(a, b) HL_JOIN_(a, b)
#define HL_TRY(expression) \
  if (auto hl_status = (expression); !hl_status.ok()) return std::move(hl_status).failure()
#define HL_ASSIGN_(name, declaration, expression)   \
  auto name = (expression);                         \
  if (!name.ok()) return std::move(name).failure(); \
  declaration = std::move(name).value()
#define HL_ASSIGN(declaration, expression) HL_ASSIGN_(HL_JOIN(hl_result_, __LINE__), declaration, expression)

}  // namespace headlight
