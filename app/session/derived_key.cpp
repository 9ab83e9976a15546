#include "app/session/derived_key.h"

#include <algorithm>
#include <cstring>

namespace headlight {
namespace {

template <class Value>
void put(std::string& bytes, const Value& value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

void put_text(std::string& bytes, std::string_view text) {
  put(bytes, text.size());
  bytes += text;
}

}  // namespace

DerivedKey::DerivedKey(Tag tag, std::initializer_list<Part> parts) {
  bytes_.reserve(192);
  put_text(bytes_, tag.name);
  put_text(bytes_, tag.file);
  put(bytes_, tag.line);
  for (const Part& part : parts) add(part);
}

DerivedKey& DerivedKey::add(const Part& part) {
  bytes_ += part.kind_;
  switch (part.kind_) {
    case 'i': put(bytes_, part.number_); break;
    case 'd': put(bytes_, part.real_); break;
    default: put_text(bytes_, part.text_);
  }
  if (part.key_) objects_.insert(objects_.end(), part.key_->objects_.begin(), part.key_->objects_.end());
  return *this;
}

DerivedKey& DerivedKey::of(const std::shared_ptr<const void>& object) {
  bytes_ += 'o';
  put(bytes_, object.get());
  if (object) objects_.push_back(object);
  return *this;
}

// FNV-1a.
std::uint64_t DerivedKey::hash() const {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : bytes_) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

bool DerivedKey::outdated() const {
  return std::any_of(objects_.begin(), objects_.end(), [](const auto& object) { return object.expired(); });
}

}  // namespace headlight
