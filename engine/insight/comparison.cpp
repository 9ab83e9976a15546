#include "engine/insight/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/core/sorting.h"

namespace headlight {
namespace {

bool same_token(const tokenizers::Token& a, const tokenizers::Token& b) { return a.piece == b.piece; }
bool added(const tokenizers::Token& token) { return token.start >= token.end; }  // [BOS] and [EOS] stand for no bytes of the text

std::string label_of(const Sentence& sentence, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  return i < sentence.labels.size() ? sentence.labels[i] : sentence.tokens[i].piece;
}

Alignment one_to_one(const Sentence& a) {
  Alignment out;
  out.kind = Alignment::Kind::same;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(a.tokens.size()); ++i) out.groups.push_back({label_of(a, i), {i}, {i}});
  return out;
}

std::string joined(const Sentence& sentence, const std::vector<std::int64_t>& tokens) {
  std::string label;
  for (const std::int64_t i : tokens) label += label_of(sentence, i);
  return label;
}

// Both advance along the same text; a group ends where tokens of both end.
Alignment by_bytes(const Sentence& a, const Sentence& b) {
  Alignment out;
  out.kind = Alignment::Kind::by_bytes;
  const auto na = static_cast<std::int64_t>(a.tokens.size()), nb = static_cast<std::int64_t>(b.tokens.size());
  const auto at = [](const Sentence& s, std::int64_t i) -> const tokenizers::Token& {
    return s.tokens[static_cast<std::size_t>(i)];
  };
  Alignment::Group group;
  std::int64_t i = 0, j = 0, end_a = 0, end_b = 0;
  while (i < na || j < nb) {
    // Tokens that stand for no text are paired if both sides have one.
    if (group.a.empty() && group.b.empty() && i < na && j < nb && added(at(a, i)) && added(at(b, j)) &&
        same_token(at(a, i), at(b, j))) {
      out.groups.push_back({label_of(a, i), {i}, {j}});
      ++i;
      ++j;
      continue;
    }
    if (i < na && added(at(a, i))) {
      ++out.left_a;
      ++i;
      continue;
    }
    if (j < nb && added(at(b, j))) {
      ++out.left_b;
      ++j;
      continue;
    }
    const bool take_a = i < na && (j >= nb || at(a, i).end <= at(b, j).end);
    if (take_a) {
      group.a.push_back(i);
      end_a = at(a, i++).end;
    } else {
      group.b.push_back(j);
      end_b = at(b, j++).end;
    }
    if (group.a.empty() || group.b.empty() || end_a != end_b) continue;
    group.label = group.a.size() == 1   ? label_of(a, group.a[0])
                  : group.b.size() == 1 ? label_of(b, group.b[0])
                                        : joined(a, group.a);
    out.groups.push_back(std::move(group));
    group = {};
  }
  out.left_a += static_cast<std::int64_t>(group.a.size());
  out.left_b += static_cast<std::int64_t>(group.b.size());
  if (out.groups.empty()) out.kind = Alignment::Kind::none;
  return out;
}

// The longest common subsequence of the pieces; if there are several, the one that pairs earliest in A.
Alignment by_token(const Sentence& a, const Sentence& b) {
  Alignment out;
  const std::size_t na = a.tokens.size(), nb = b.tokens.size(), wide = nb + 1;
  std::vector<std::uint32_t> length((na + 1) * wide, 0);
  for (std::size_t i = na; i-- > 0;)
    for (std::size_t j = nb; j-- > 0;)
      length[i * wide + j] = same_token(a.tokens[i], b.tokens[j])
                                 ? length[(i + 1) * wide + j + 1] + 1
                                 : std::max(length[(i + 1) * wide + j], length[i * wide + j + 1]);
  for (std::size_t i = 0, j = 0; i < na && j < nb;) {
    if (same_token(a.tokens[i], b.tokens[j])) {
      const auto x = static_cast<std::int64_t>(i), y = static_cast<std::int64_t>(j);
      out.groups.push_back({label_of(a, x), {x}, {y}});
      ++i;
      ++j;
    } else if (length[(i + 1) * wide + j] >= length[i * wide + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  out.left_a = static_cast<std::int64_t>(na - out.groups.size());
  out.left_b = static_cast<std::int64_t>(nb - out.groups.size());
  out.kind = out.groups.empty() ? Alignment::Kind::none : Alignment::Kind::by_token;
  return out;
}

struct Gathered {
  double value = 0;
  bool visible = false;
};

Gathered gathered(const Attended& from, const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                  Quantity quantity) {
  const std::int64_t wide = from.values.dim(1);
  const float* values = from.values.data<float>();
  const std::uint8_t* mask = from.mask.empty() ? nullptr : from.mask.data<std::uint8_t>();
  Gathered out;
  double sum = 0;
  std::int64_t seen = 0;
  for (const std::int64_t r : rows)
    for (const std::int64_t c : columns) {
      if (mask && mask[r * wide + c] == 0) continue;
      sum += static_cast<double>(values[r * wide + c]);
      ++seen;
    }
  out.visible = seen > 0;
  if (seen > 0)
    out.value = sum / static_cast<double>(quantity == Quantity::weights ? static_cast<std::int64_t>(rows.size()) : seen);
  return out;
}

std::int64_t last_of(const Alignment& alignment, bool a) {
  std::int64_t last = -1;
  for (const auto& group : alignment.groups)
    for (const std::int64_t i : a ? group.a : group.b) last = std::max(last, i);
  return last;
}

}  // namespace

Alignment align(const Sentence& a, const Sentence& b) {
  if (a.tokens.size() == b.tokens.size() && std::equal(a.tokens.begin(), a.tokens.end(), b.tokens.begin(), same_token))
    return one_to_one(a);
  if (a.text == b.text) return by_bytes(a, b);
  return by_token(a, b);
}

std::int64_t group_of_a(const Alignment& alignment, std::int64_t index) {
  for (std::size_t g = 0; g < alignment.groups.size(); ++g)
    for (const std::int64_t i : alignment.groups[g].a)
      if (i == index) return static_cast<std::int64_t>(g);
  return -1;
}
std::int64_t group_of_b(const Alignment& alignment, std::int64_t index) {
  for (std::size_t g = 0; g < alignment.groups.size(); ++g)
    for (const std::int64_t i : alignment.groups[g].b)
      if (i == index) return static_cast<std::int64_t>(g);
  return -1;
}

Result<HeadDifference> compare(const Attended& a, const Attended& b, const Alignment& rows, const Alignment& columns,
                               Quantity quantity) {
  for (const bool of_a : {true, false}) {
    const Attended& side = of_a ? a : b;
    if (side.values.rank() != 2 || last_of(rows, of_a) >= side.values.dim(0) || last_of(columns, of_a) >= side.values.dim(1))
      return invalid("the matrix {} is smaller than its tokens", to_string(side.values.shape()))
          .at(Message::name(of_a ? "A" : "B"));
  }
  const auto n = static_cast<std::int64_t>(rows.groups.size()), m = static_cast<std::int64_t>(columns.groups.size());
  HeadDifference out;
  out.a = Tensor(DType::f32, {n, m}, {"query", "key"});
  out.b = Tensor(DType::f32, {n, m}, {"query", "key"});
  out.difference = Tensor(DType::f32, {n, m}, {"query", "key"});
  out.mask = Tensor(DType::u8, {n, m}, {"query", "key"});
  std::int64_t seen = 0;
  std::vector<HeadDifference::Change> all;
  for (std::int64_t r = 0; r < n; ++r) {
    const auto& row = rows.groups[static_cast<std::size_t>(r)];
    double moved = 0;
    for (std::int64_t c = 0; c < m; ++c) {
      const auto& column = columns.groups[static_cast<std::size_t>(c)];
      const Gathered x = gathered(a, row.a, column.a, quantity), y = gathered(b, row.b, column.b, quantity);
      const std::int64_t at = r * m + c;
      const bool visible = quantity == Quantity::weights ? x.visible || y.visible : x.visible && y.visible;
      out.a.data<float>()[at] = static_cast<float>(x.value);
      out.b.data<float>()[at] = static_cast<float>(y.value);
      out.mask.data<std::uint8_t>()[at] = visible;
      if (!visible) continue;
      const double difference = x.value - y.value;
      out.difference.data<float>()[at] = static_cast<float>(difference);
      out.largest = std::max(out.largest, std::abs(difference));
      out.mean += std::abs(difference);
      moved += std::abs(difference) / 2;
      ++seen;
      if (difference == 0) continue;
      // A heap of the largest differences, the smallest of them on top.
      const auto smaller = [](const HeadDifference::Change& p, const HeadDifference::Change& q) {
        const double dp = std::abs(p.a - p.b), dq = std::abs(q.a - q.b);
        return dp != dq ? dp > dq : std::pair(p.row, p.column) < std::pair(q.row, q.column);
      };
      if (all.size() == kMostChanges && std::abs(difference) <= std::abs(all.front().a - all.front().b)) continue;
      if (all.size() == kMostChanges) {
        std::pop_heap(all.begin(), all.end(), smaller);
        all.pop_back();
      }
      all.push_back({r, c, x.value, y.value});
      std::push_heap(all.begin(), all.end(), smaller);
    }
    if (n > 0) out.moved += moved / static_cast<double>(n);
  }
  if (seen > 0) out.mean /= static_cast<double>(seen);
  sort_stably(all, [](const auto& p, const auto& q) {
    const double dp = std::abs(p.a - p.b), dq = std::abs(q.a - q.b);
    return dp != dq ? dp > dq : std::pair(p.row, p.column) < std::pair(q.row, q.column);
  });
  out.changes = std::move(all);
  return out;
}

}  // namespace headlight
