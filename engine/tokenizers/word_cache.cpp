#include "engine/tokenizers/word_cache.h"

#include <algorithm>
#include <utility>

namespace headlight::tokenizers {

void WordCache::add(std::string_view word, const Key& key, std::span<const std::int32_t> ids) {
  if (used_ >= kMost || texts_.size() + 4 * ids_.size() + word.size() > kMostBeside) *this = WordCache();
  if (word.size() > kMostBeside / 4) return;
  Entry entry{key.low, key.high, {}, static_cast<std::uint32_t>(ids.size())};
  const bool is_long = key.high >= kLong;
  if (is_long || ids.size() > kInline) {
    entry.ids[0] = static_cast<std::int32_t>(ids_.size());
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    if (ids_.empty()) ids_.push_back(0);  // so that no ids are not taken for an unknown word
  } else {
    std::copy(ids.begin(), ids.end(), entry.ids);
  }
  if (is_long) {
    entry.ids[1] = static_cast<std::int32_t>(texts_.size());
    texts_ += word;
  }
  if (2 * ++used_ > entries_.size()) grow();
  put(entry, key.hash);
}

void WordCache::put(const Entry& entry, std::uint64_t hash) {
  std::size_t at = static_cast<std::size_t>(hash) & mask_;
  while (entries_[at].high != 0) at = (at + 1) & mask_;
  entries_[at] = entry;
}

void WordCache::grow() {
  constexpr std::size_t kLarge = 1 << 14;  // from there on larger tables cost more than copying
  const std::size_t size = (entries_.size() < kLarge ? 4 : 2) * entries_.size();
  const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(size));
  mask_ = entries_.size() - 1;
  for (const Entry& entry : old)
    if (entry.high != 0) put(entry, mix(entry.low ^ mix(entry.high)));
}

}  // namespace headlight::tokenizers
