// Finds what depends on the values of the indices, once for each buffer of them. This work is not repeated in a call.
#include <algorithm>
#include <unordered_map>

#include "engine/backends/cuda/isdpa/cuda_isdpa_parts.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/isdpa_rules.h"

namespace headlight::backends::cuda {
namespace {

using Method = Isdpa::Method;

// Below this many symbols a GPU saves no time by projecting only the symbols that occur: 59 rows take as long as 96.
constexpr std::int64_t kWorthProjectingOnly = 2000;
// How many buffers of ids are remembered at a time.
constexpr std::size_t kKnown = 16;
// If symbols times positions exceed this, the pairs are numbered by a hash map instead of a table of 64 MiB.
constexpr std::int64_t kNumberedDirectly = std::int64_t{1} << 24;

bool is_distinct(Method method) { return method == Method::direct_distinct || method == Method::direct_distinct_folded; }

}  // namespace

bool IsdpaWork::rests_on_ids() const {
  if (is_distinct(op_.method)) return !keeps_every_pair(op_);
  if (op_.method == Method::direct_attention) return op_.pad_index >= 0;
  return op_.method == Method::index && op_.vocabulary >= kWorthProjectingOnly && worth_projecting_only(op_, 0);
}

Result<std::uint64_t> IsdpaWork::prepare(const std::shared_ptr<const IndexRange>& ids) {
  facts_ = nullptr;
  if (keeps_every_pair(op_) && !pair_symbols_) {
    std::vector<std::int32_t> symbols(static_cast<std::size_t>(op_.vocabulary * op_.length));
    for (std::size_t i = 0; i < symbols.size(); ++i)
      symbols[i] = static_cast<std::int32_t>(static_cast<std::int64_t>(i) / op_.length);
    HL_ASSIGN(pair_symbols_, uploaded(symbols));
  }
  if (op_.method == Method::direct_attention && op_.pad_index < 0 && !equal_shares_) {
    const std::vector<float> shares(static_cast<std::size_t>(op_.length), 1.0f / static_cast<float>(op_.length));
    HL_ASSIGN(equal_shares_, uploaded(shares));
  }
  if (rests_on_ids()) {
    const auto at = std::find_if(known_.begin(), known_.end(), [&](const auto& facts) { return facts->ids == ids; });
    if (at != known_.end()) {
      std::rotate(at, at + 1, known_.end());
    } else {
      auto facts = std::make_unique<Facts>();
      facts->ids = ids;
      facts->number = ++numbers_;
      HL_TRY(find_facts(*facts));
      if (known_.size() == kKnown) known_.erase(known_.begin());
      known_.push_back(std::move(facts));
    }
    facts_ = known_.back().get();
  }
  return static_cast<std::uint64_t>(moved_) << 32 | (facts_ ? facts_->number : 0);
}

Status IsdpaWork::find_facts(Facts& facts) {
  if (is_distinct(op_.method)) return find_pairs(facts);
  if (op_.method == Method::direct_attention) return find_padding(facts);
  const std::vector<std::int32_t> used = symbols_among(facts.ids->values, op_.vocabulary);
  if (!worth_projecting_only(op_, static_cast<std::int64_t>(used.size()))) return {};
  // The same words, with the symbols that occur numbered from 0.
  std::vector<std::int32_t> number(static_cast<std::size_t>(op_.vocabulary), -1);
  for (std::size_t i = 0; i < used.size(); ++i) number[static_cast<std::size_t>(used[i])] = static_cast<std::int32_t>(i);
  std::vector<std::int32_t> renumbered = facts.ids->values;
  for (std::int32_t& id : renumbered) id = number[static_cast<std::size_t>(id)];
  if (op_.pad_index >= 0) facts.pad = number[static_cast<std::size_t>(op_.pad_index)];  // -1 where no word is padded
  facts.rows = static_cast<std::int64_t>(used.size());
  HL_ASSIGN(facts.symbols, uploaded(used));
  HL_ASSIGN(facts.row_of, uploaded(renumbered));
  return {};
}

// The different (symbol, position) pairs, in the order in which they first occur.
Status IsdpaWork::find_pairs(Facts& facts) {
  const std::int64_t l = op_.length;
  const std::vector<std::int32_t>& ids = facts.ids->values;
  std::vector<std::int32_t> row_of(ids.size()), symbols, places;
  const auto number_cells = [&](auto&& row_at) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::int64_t place = static_cast<std::int64_t>(i) % l;
      std::int32_t& row = row_at(ids[i] * l + place);
      if (row < 0) {
        row = static_cast<std::int32_t>(symbols.size());
        symbols.push_back(ids[i]);
        places.push_back(static_cast<std::int32_t>(place));
      }
      row_of[i] = row;
    }
  };
  if (op_.vocabulary * l <= kNumberedDirectly) {
    std::vector<std::int32_t> number(static_cast<std::size_t>(op_.vocabulary * l), -1);
    number_cells([&](std::int64_t pair) -> std::int32_t& { return number[static_cast<std::size_t>(pair)]; });
  } else {
    std::unordered_map<std::int64_t, std::int32_t> number;
    number_cells([&](std::int64_t pair) -> std::int32_t& { return number.try_emplace(pair, -1).first->second; });
  }
  facts.rows = static_cast<std::int64_t>(symbols.size());
  HL_ASSIGN(facts.symbols, uploaded(symbols));
  HL_ASSIGN(facts.places, uploaded(places));
  HL_ASSIGN(facts.row_of, uploaded(row_of));
  return {};
}

Status IsdpaWork::find_padding(Facts& facts) {
  const auto l = static_cast<std::size_t>(op_.length);
  const std::vector<std::int32_t>& ids = facts.ids->values;
  std::vector<std::uint8_t> keep(ids.size());
  std::vector<float> mean(ids.size(), 0.0f);
  for (std::size_t word = 0; word < ids.size(); word += l) {
    int queries = 0;
    for (std::size_t i = word; i < word + l; ++i) {
      keep[i] = ids[i] == op_.pad_index ? 0 : 1;
      queries += keep[i];
    }
    for (std::size_t i = word; i < word + l; ++i)
      if (keep[i]) mean[i] = 1.0f / static_cast<float>(queries);
  }
  HL_ASSIGN(facts.keep, uploaded(keep));
  HL_ASSIGN(facts.mean, uploaded(mean));
  return {};
}

template <class T>
Result<std::shared_ptr<void>> IsdpaWork::uploaded(const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  HL_ASSIGN(std::shared_ptr<void> memory, gpu_.allocate(bytes));
  const auto turn = gpu_.turn();
  HL_TRY(gpu_.checked(gpu_.module().to_device(gpu_.session(), memory.get(), values.data(), bytes)));
  return memory;
}

}  // namespace headlight::backends::cuda
