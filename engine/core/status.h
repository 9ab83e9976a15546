// Errors as values. Nothing in the engine exits, prints or throws across a public boundary: a function that can fail returns
// Result<T> (or Status, which is Result<void>), and the window and the command line decide how to show the error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

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

// One sentence a person can act on: what happened, where, and how to fix it. Whoever can fail makes one, so its functions stand
// in a source of their own: written out at each of those places they would be a tenth of what is compiled.
struct Error {
  Error();
  Error(ErrorKind its_kind, std::string_view its_what, std::string_view its_where = {}, std::string_view its_mend = {});
  Error(const Error& other);
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other);
  Error& operator=(Error&& other) noexcept;
  ~Error();

  ErrorKind kind = ErrorKind::internal;
  std::string what;   // "the mask does not match the scores: 4 x 5 against 6 x 6"
  std::string where;  // a file, option, step or field; may be empty
  std::string mend;   // "give a mask with 6 rows and 6 columns"; may be empty

  // "where: what; mend" on one line; empty parts are left out.
  std::string sentence() const;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : data_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : data_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return data_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(data_); }
  const T& value() const& { return std::get<0>(data_); }
  T&& value() && { return std::get<0>(std::move(data_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(data_); }

 private:
  std::variant<T, Error> data_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

Error usage_error(std::string_view what, std::string_view where = {}, std::string_view mend = {});
Error invalid(std::string_view what, std::string_view where = {}, std::string_view mend = {});
Error not_found(std::string_view what, std::string_view where = {}, std::string_view mend = {});
Error cancelled();

// Return early on an error:  HL_TRY(run_it());   HL_ASSIGN(auto x, make_it());
#define HL_JOIN_(a, b) a##b
#define HL_JOIN(a, b) HL_JOIN_(a, b)
#define HL_TRY(expression) \
  if (auto hl_status = (expression); !hl_status.ok()) return hl_status.error()
#define HL_ASSIGN_(name, declaration, expression) \
  auto name = (expression);                       \
  if (!name.ok()) return name.error();            \
  declaration = std::move(name).value()
#define HL_ASSIGN(declaration, expression) HL_ASSIGN_(HL_JOIN(hl_result_, __LINE__), declaration, expression)

}  // namespace headlight
