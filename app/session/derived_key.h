// The name of a derived value: the place in the source that asks for it, and everything that the value is made of.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace headlight {

// Numbers, texts and other keys are written down with their type and length, so two different lists of parts are two keys:
//   const DerivedKey key("heads/statistics", {trace->generation(), site.prefix, head});
//   const DerivedKey row("heads/row", {key, query});
// Two places of the source make two keys, also from equal parts. What is shared is asked for by one function.
class DerivedKey {
 public:
  // A literal becomes one where it is written, so a function that takes a Tag makes a key of its caller's place.
  struct Tag {
    constexpr Tag(const char* of, const char* in = __builtin_FILE(), int at = __builtin_LINE())  // NOLINT: a literal is a tag
        : name(of), file(in), line(at) {}
    const char* name;
    const char* file;
    int line;
  };

  class Part {
   public:
    template <std::integral Number>
    Part(Number number) : kind_('i'), number_(static_cast<std::int64_t>(number)) {}  // NOLINT: parts are written in braces
    template <class Enum>
    requires std::is_enum_v<Enum> Part(Enum one) : kind_('i'), number_(static_cast<std::int64_t>(one)) {}  // NOLINT: likewise
    Part(double number) : kind_('d'), real_(number) {}                                                     // NOLINT: likewise
    Part(std::string_view text) : kind_('s'), text_(text) {}                                               // NOLINT: likewise
    Part(const std::string& text) : Part(std::string_view(text)) {}                                        // NOLINT: likewise
    Part(const char* text) : Part(std::string_view(text)) {}                                               // NOLINT: likewise
    Part(const DerivedKey& key) : kind_('k'), text_(key.bytes_), key_(&key) {}                             // NOLINT: likewise
    template <class T>
    Part(T*) = delete;  // an address may come to be another object's: see of()

   private:
    friend class DerivedKey;
    char kind_;
    std::int64_t number_ = 0;
    double real_ = 0;
    std::string_view text_;
    const DerivedKey* key_ = nullptr;
  };

  DerivedKey() = default;  // of nothing; equal to no other key
  explicit DerivedKey(Tag tag, std::initializer_list<Part> parts = {});
  DerivedKey& add(const Part& part);
  // Adds an object. The key is a new one when the object is gone, also if another one then has the same address.
  DerivedKey& of(const std::shared_ptr<const void>& object);

  bool empty() const { return bytes_.empty(); }
  std::string_view bytes() const { return bytes_; }
  std::uint64_t hash() const;  // for pictures, which are stored by a number
  bool outdated() const;       // one of its objects is gone
  bool operator==(const DerivedKey& other) const { return bytes_ == other.bytes_; }

 private:
  std::string bytes_;
  std::vector<std::weak_ptr<const void>> objects_;
};

}  // namespace headlight
