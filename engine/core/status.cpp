#include "engine/core/status.h"

// No other source formats by {fmt}, so the program needs none of its libraries.
#define FMT_HEADER_ONLY
#include <fmt/args.h>
#include <fmt/format.h>

#include <ostream>

namespace headlight {

Message::Message() = default;
Message::Message(const Message& other) = default;
Message::Message(Message&& other) noexcept = default;
Message& Message::operator=(const Message& other) = default;
Message& Message::operator=(Message&& other) noexcept = default;
Message::~Message() = default;

Message::Message(std::string_view text, std::initializer_list<Filling> values) : text_(text), is_plain_(false) {
  values_.reserve(values.size());
  for (const Filling& value : values) {
    switch (value.kind_) {
      case Filling::Kind::text: values_.emplace_back(std::string_view(static_cast<const char*>(value.data_), value.size_)); break;
      case Filling::Kind::message: values_.push_back(*static_cast<const Message*>(value.data_)); break;
      case Filling::Kind::whole: values_.emplace_back(std::to_string(static_cast<std::int64_t>(value.size_))); break;
      case Filling::Kind::natural: values_.emplace_back(std::to_string(value.size_)); break;
    }
  }
}

void Message::set_plain(std::string_view plain) { text_ = plain; }

Message Message::term(std::string_view words) {
  Message out;
  out.is_plain_ = false;
  for (const char c : words) out.text_.append(c == '{' || c == '}' ? 2 : 1, c);
  return out;
}

Message Message::of(std::string text, std::vector<Message> values) {
  Message out;
  out.is_plain_ = false;
  out.text_ = std::move(text);
  out.values_ = std::move(values);
  return out;
}

std::string Message::english() const {
  if (is_plain_) return text_;
  std::vector<std::string> values;
  for (const Message& value : values_) values.push_back(value.english());
  return fill_places(text_, values).value_or(text_);
}

bool Message::is(std::string_view english) const { return this->english() == english; }

std::ostream& operator<<(std::ostream& out, const Message& message) { return out << message.english(); }

std::optional<std::string> fill_places(std::string_view text, const std::vector<std::string>& values) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const std::string& value : values) store.push_back(fmt::string_view(value));
  try {
    return fmt::vformat(fmt::string_view(text.data(), text.size()), store);
  } catch (const fmt::format_error&) {
    return std::nullopt;
  }
}

Error::Error() = default;
Error::Error(ErrorKind its_kind, Message its_what, Message its_where, Message its_mend)
    : kind(its_kind), what(std::move(its_what)), where(std::move(its_where)), mend(std::move(its_mend)) {}
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

Message Error::whole() const {
  const Message placed = where.empty() ? what : Message("{}: {}", where, what);
  return mend.empty() ? placed : Message(kWithMend, placed, mend);
}

std::string Error::sentence() const { return whole().english(); }

Failure::Failure(Error error) : error_(new Error(std::move(error))) {}
Failure::Failure(const Failure& other) : error_(other.error_ ? new Error(*other.error_) : nullptr) {}
void Failure::forget(const Error* error) noexcept { delete error; }

Failure&& Failure::at(Message where) && {
  error_->where = std::move(where);
  return std::move(*this);
}

Failure&& Failure::at(std::string_view text, std::initializer_list<Filling> values) && {
  return std::move(*this).at(Message(text, values));
}

Failure&& Failure::mend(std::string_view text, std::initializer_list<Filling> values) && {
  return std::move(*this).mend(Message(text, values));
}

Failure&& Failure::mend(Message how) && {
  error_->mend = std::move(how);
  return std::move(*this);
}

Failure failure(ErrorKind kind, Message what) { return Error(kind, std::move(what)); }
Failure failure(ErrorKind kind, std::string_view text, std::initializer_list<Filling> values) {
  return failure(kind, Message(text, values));
}
Failure usage_error(Message what) { return failure(ErrorKind::usage, std::move(what)); }
Failure invalid(Message what) { return failure(ErrorKind::invalid, std::move(what)); }
Failure not_found(Message what) { return failure(ErrorKind::not_found, std::move(what)); }

Failure cancelled() { return failure(ErrorKind::cancelled, "stopped before it was done"); }

}  // namespace headlight
