// WordCache: the ids of words that were encoded before. Words repeat, and most are short: a word of up to 15 bytes and up to
// three ids lie in the table's own entry, so that finding them takes one read of memory. Longer ones lie beside the table.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headlight::tokenizers {

class WordCache {
 public:
  WordCache() : entries_(kFirst), mask_(kFirst - 1) {}

  // A word as the table knows it. `readable` is how many bytes may be read from the word's first one on: sixteen are read at once
  // where there are as many. With `other` the same text is another word.
  struct Key {
    std::uint64_t low = 0, high = 0;
    std::uint64_t hash = 0;
  };
  static Key key_of(std::string_view word, std::size_t readable, bool other = false) {
    Key key;
    if (word.size() < 16) {
      if (readable >= 16) {
        std::memcpy(&key.low, word.data(), 8);
        std::memcpy(&key.high, word.data() + 8, 8);
        const std::size_t bits = 8 * word.size();
        if (bits < 64) {
          key.low &= (std::uint64_t{1} << bits) - 1;
          key.high = 0;
        } else {
          key.high &= (std::uint64_t{1} << (bits - 64)) - 1;
        }
      } else {
        std::memcpy(&key.low, word.data(), word.size() < 8 ? word.size() : 8);
        if (word.size() > 8) std::memcpy(&key.high, word.data() + 8, word.size() - 8);
      }
      key.high |= static_cast<std::uint64_t>(word.size()) << 56;
    } else {
      key.low = long_hash(word);
      key.high = kLong | word.size();
    }
    if (other) key.high |= kOther;
    key.hash = mix(key.low ^ mix(key.high));
    return key;
  }

  // The ids of a word; null data: it is not known. They last until the next add().
  std::span<const std::int32_t> find(std::string_view word, const Key& key) const {
    for (std::size_t at = static_cast<std::size_t>(key.hash) & mask_;; at = (at + 1) & mask_) {
      const Entry& entry = entries_[at];
      if (entry.high == key.high && entry.low == key.low && (key.high < kLong || is_word(entry, word)))
        return {entry.count <= kInline && key.high < kLong ? entry.ids : ids_.data() + entry.ids[0], entry.count};
      if (entry.high == 0) return {};
    }
  }
  // Begins to read from memory what find() will look at first.
  void prefetch(const Key& key) const { __builtin_prefetch(&entries_[static_cast<std::size_t>(key.hash) & mask_]); }
  void add(std::string_view word, const Key& key, std::span<const std::int32_t> ids);

 private:
  static constexpr std::size_t kFirst = 1024, kMost = std::size_t{1} << 19;  // entries; beyond the most all are forgotten
  static constexpr std::size_t kMostBeside = std::size_t{1} << 26;           // bytes of long words, and ids beside the table
  static constexpr std::uint64_t kLong = std::uint64_t{1} << 63, kOther = std::uint64_t{1} << 62;
  static constexpr std::uint32_t kInline = 3;

  struct Entry {
    std::uint64_t low = 0, high = 0;  // high 0: the entry is free
    std::int32_t ids[kInline] =
        {};  // of more ids, and of a long word, the place of the first; of a long word its text's place too
    std::uint32_t count = 0;
  };

  static std::uint64_t mix(std::uint64_t bits) {
    bits *= 0x9E3779B97F4A7C15u;
    return bits ^ bits >> 32;
  }
  static std::uint64_t long_hash(std::string_view word) {
    std::uint64_t hash = word.size();
    std::size_t at = 0;
    for (; at + 8 <= word.size(); at += 8) {
      std::uint64_t part = 0;
      std::memcpy(&part, word.data() + at, 8);
      hash = mix(hash ^ part);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, word.data() + at, word.size() - at);
    return mix(hash ^ rest);
  }
  bool is_word(const Entry& entry, std::string_view word) const {
    return std::string_view(texts_).substr(static_cast<std::size_t>(entry.ids[1]), word.size()) == word;
  }
  void put(const Entry& entry, std::uint64_t hash);
  void grow();

  std::vector<Entry> entries_;
  std::size_t mask_, used_ = 0;
  std::vector<std::int32_t> ids_;
  std::string texts_;
};

}  // namespace headlight::tokenizers
