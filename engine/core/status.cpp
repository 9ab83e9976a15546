#include "engine/core/status.h"

namespace headlight {

Error::Error() = default;
Error::Error(ErrorKind its_kind, std::string_view its_what, std::string_view its_where, std::string_view its_mend)
    : kind(its_kind), what(its_what), where(its_where), mend(its_mend) {}
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

Failure::Failure(Error error) : error_(new Error(std::move(error))) {}
Failure::Failure(const Failure& other) : error_(other.error_ ? new Error(*other.error_) : nullptr) {}
void Failure::forget(const Error* error) noexcept { delete error; }

std::string Error::sentence() const {
  std::string s = where.empty() ? what : where + ": " + what;
  if (!mend.empty()) s += "; " + mend;
  return s;
}

Failure usage_error(std::string_view what, std::string_view where, std::string_view mend) {
  return Error(ErrorKind::usage, what, where, mend);
}

Failure invalid(std::string_view what, std::string_view where, std::string_view mend) {
  return Error(ErrorKind::invalid, what, where, mend);
}

Failure not_found(std::string_view what, std::string_view where, std::string_view mend) {
  return Error(ErrorKind::not_found, what, where, mend);
}

Failure cancelled() { return Error(ErrorKind::cancelled, "stopped before it was done"); }

}  // namespace headlight
