// Errors as values. Nothing in the engine exits, prints or throws across a public boundary: a function that can fail returns
// Result<T> (or Status, which is Result<void>), and the window and the command line decide how to show the error.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

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

 private:
  static void forget(const Error* error) noexcept;

  const Error* error_ = nullptr;
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

Failure usage_error(std::string_view what, std::string_view where = {}, std::string_view mend = {});
Failure invalid(std::string_view what, std::string_view where = {}, std::string_view mend = {});
Failure not_found(std::string_view what, std::string_view where = {}, std::string_view mend = {});
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
