#include "engine/tokenizers/models/merge_table.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>
#include <tuple>

#include "engine/core/parallel.h"

namespace headlight::tokenizers {
namespace {

// Up to here a scan of all ranks a merge is faster than a queue.
constexpr std::size_t kShortPiece = 48;
constexpr std::int64_t kShare = 8192;  // merges whose pieces a thread finds at once
constexpr std::int32_t kNoRank = std::numeric_limits<std::int32_t>::max();

}  // namespace

Result<MergeTable> MergeTable::of(const std::vector<std::pair<std::string, std::string>>& merges, const Vocabulary& vocabulary,
                                  const std::string& where, std::string_view prefix, const std::vector<std::int64_t>& tied) {
  MergeTable table = with_room(merges.size());
  std::vector<std::int32_t> ranks(merges.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<std::int32_t>(i);
  std::size_t grouped = 0;
  for (const std::int64_t count : tied) {
    if (count < 1 || count > static_cast<std::int64_t>(merges.size() - grouped))
      return invalid("its tied merges are not those that it has").at(where);
    for (std::int64_t i = 1; i < count; ++i) ranks[grouped + static_cast<std::size_t>(i)] = ranks[grouped];
    grouped += static_cast<std::size_t>(count);
  }
  // Finding pieces waits for memory, so that a long list is shared between the threads.
  struct Ids {
    std::int32_t left = -1, right = -1, made = -1;
  };
  std::vector<Ids> found(merges.size());
  const auto joined = [&](std::size_t rank, std::string& text) {
    const auto& [left, right] = merges[rank];
    text.assign(left).append(right, right.starts_with(prefix) ? prefix.size() : 0);
  };
  parallel_for(static_cast<std::int64_t>(merges.size()), kShare, [&](std::int64_t begin, std::int64_t end) {
    std::string text;
    for (auto rank = static_cast<std::size_t>(begin); rank < static_cast<std::size_t>(end); ++rank) {
      joined(rank, text);
      found[rank] = {vocabulary.find_text(merges[rank].first), vocabulary.find_text(merges[rank].second),
                     vocabulary.find_text(text)};
    }
  });
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const Ids& ids = found[rank];
    if (ids.left < 0 || ids.right < 0 || ids.made < 0) {
      const auto& [left, right] = merges[rank];
      std::string piece = ids.left < 0 ? left : right;
      if (ids.left >= 0 && ids.right >= 0) joined(rank, piece);
      return invalid("merge {} ('{}', '{}') needs the piece '{}', which is not in the vocabulary", rank, left, right, piece)
          .at(where)
          .mend("add the piece or remove the merge");
    }
    table.add(ids.left, ids.right, ids.made, ranks[rank]);
  }
  return table;
}

MergeTable MergeTable::with_room(std::size_t most) {
  MergeTable table;
  table.merges_.reserve(most);
  table.table_.resize(std::bit_ceil(2 * most + 2));
  table.mask_ = table.table_.size() - 1;
  return table;
}

void MergeTable::add(std::int32_t left, std::int32_t right, std::int32_t made, std::int32_t rank) {
  merges_.emplace_back(left, right);
  const std::uint64_t key = pair_key(left, right);
  std::size_t at = place(key) & mask_;
  while (table_[at].key != kFree && table_[at].key != key) at = (at + 1) & mask_;
  if (table_[at].key == kFree) table_[at] = {key, rank, made};
}

Status MergeTable::replay(std::vector<Part>& parts, std::vector<Join>* joins, const CancelToken& cancel) const {
  if (parts.size() > kShortPiece || joins) return replay_long(parts, joins, cancel);
  replay_short(parts);
  return {};
}

void MergeTable::replay_short(std::vector<Part>& parts) const {
  std::size_t count = parts.size();
  Merge found[kShortPiece];  // found[i]: the merge of parts i and i + 1
  const auto look = [&](std::size_t i) {
    const Merge* merge = i + 1 < count ? find(parts[i].id, parts[i + 1].id) : nullptr;
    found[i] = merge ? *merge : Merge{kFree, kNoRank, -1};
  };
  for (std::size_t i = 0; i < count; ++i) look(i);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i)
      if (found[i].rank < found[best].rank) best = i;
    if (found[best].rank == kNoRank) break;
    parts[best] = {found[best].id, parts[best].length + parts[best + 1].length};
    for (std::size_t i = best + 1; i + 1 < count; ++i) parts[i] = parts[i + 1], found[i] = found[i + 1];
    --count;
    look(best);
    if (best > 0) look(best - 1);
  }
  parts.resize(count);
}

Status MergeTable::replay_long(std::vector<Part>& parts, std::vector<Join>* joins, const CancelToken& cancel) const {
  // A linked list of parts and a queue of possible merges; one that no longer fits when its turn comes is dropped.
  using Candidate =
      std::tuple<std::int32_t, std::int64_t, std::int32_t, std::int32_t, std::int32_t>;  // rank, place, left, right, made
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  constexpr std::int64_t kGone = -1;  // of a part that another one took in
  const auto size = static_cast<std::int64_t>(parts.size());
  std::vector<std::int64_t> next(parts.size()), previous(parts.size());
  const auto id = [&](std::int64_t place) { return parts[static_cast<std::size_t>(place)].id; };
  const auto offer = [&](std::int64_t place) {
    const std::int64_t after = next[static_cast<std::size_t>(place)];
    if (after >= size) return;
    if (const Merge* merge = find(id(place), id(after))) queue.emplace(merge->rank, place, id(place), id(after), merge->id);
  };
  for (std::int64_t i = 0; i < size; ++i)
    next[static_cast<std::size_t>(i)] = i + 1, previous[static_cast<std::size_t>(i)] = i - 1;
  for (std::int64_t i = 0; i < size; ++i) offer(i);
  for (std::int64_t round = 0; !queue.empty(); ++round) {
    if (round % 4096 == 0 && cancel.cancelled()) return cancelled();
    const auto [rank, place, left, right, made] = queue.top();
    queue.pop();
    const auto p = static_cast<std::size_t>(place);
    if (next[p] == kGone || id(place) != left) continue;
    const std::int64_t after = next[p];
    if (after >= size || id(after) != right) continue;
    if (joins) joins->push_back({place, after, rank, made});
    parts[p] = {made, parts[p].length + parts[static_cast<std::size_t>(after)].length};
    next[p] = std::exchange(next[static_cast<std::size_t>(after)], kGone);
    if (next[p] < size) previous[static_cast<std::size_t>(next[p])] = place;
    offer(place);
    if (previous[p] >= 0) offer(previous[p]);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (next[i] != kGone) parts[kept++] = parts[i];
  parts.resize(kept);
  return {};
}

}  // namespace headlight::tokenizers
