#include "engine/tokenizers/added_tokens.h"

#include <algorithm>
#include <set>

#include "engine/core/sorting.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::tokenizers {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80; }

// The character that ends at `at` > 0.
text::CodePoint before(std::string_view text, std::int64_t at) {
  std::int64_t start = at - 1;
  while (start > 0 && start > at - 4 && continues(text[static_cast<std::size_t>(start)])) --start;
  const text::CodePoint point = text::decode_at(text, start);
  return point.valid && start + point.length == at ? point : text::CodePoint{0, 1, false};
}

bool is_space(const text::CodePoint& point) { return point.valid && text::is_whitespace(point.value); }
bool is_word(const text::CodePoint& point) { return point.valid && text::is_word(point.value); }

// Whether a place where a text may be cut, before whitespace behind a visible character, can lie inside the token.
bool may_be_cut(const std::string& content, bool rstrip) {
  bool visible = false, inside = rstrip;
  text::for_each_code_point(content, [&](std::int64_t, const text::CodePoint& point) {
    inside = inside || (visible && is_space(point));
    visible = visible || !is_space(point);
  });
  return inside;
}

}  // namespace

void AddedTokens::Trie::add(std::string_view text, std::int32_t token) {
  if (text.empty()) return;
  if (nodes.empty()) {
    nodes.emplace_back();
    begins.assign(256, false);
  }
  begins[static_cast<unsigned char>(text.front())] = true;
  std::size_t at = 0;
  for (const char c : text) {
    std::int32_t next = child(at, c);
    if (next < 0) {
      next = static_cast<std::int32_t>(nodes.size());
      nodes.push_back({static_cast<unsigned char>(c), -1, nodes[at].child});
      nodes[at].child = next;
    }
    at = static_cast<std::size_t>(next);
  }
  if (nodes[at].token < 0) nodes[at].token = token;
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const text::Normalizers& normalizers) : all_(std::move(tokens)) {
  for (std::size_t i = 0; i < all_.size(); ++i) by_id_.emplace_back(all_[i].id, i);
  sort_stably(by_id_);
  for (const AddedToken& token : all_)
    decoded_.push_back({token.normalized ? text::normalize(token.content, normalizers).text() : token.content});
  std::set<std::string_view> special_contents;
  for (const AddedToken& token : all_)
    if (token.special) special_contents.insert(token.content);
  for (Decoded& one : decoded_) one.left_out = special_contents.contains(one.text);
  // Of two tokens whose texts are one after normalising, the special one counts, else the first of the file, as in the library up
  // to 0.22. From 0.23 on, the library's choice depends on the seed of its hash tables, and changes from process to process.
  for (const bool special : {true, false})
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const AddedToken& token = all_[i];
      if (token.special != special) continue;
      tries_[token.normalized].add(decoded_[i].text, static_cast<std::int32_t>(i));
      if (token.normalized && may_be_cut(decoded_[i].text, token.rstrip)) may_cut_ = false;
    }
}

bool AddedTokens::any_special() const {
  return std::any_of(all_.begin(), all_.end(), [](const AddedToken& token) { return token.special; });
}

const AddedToken* AddedTokens::find(std::int32_t id) const {
  const auto found = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair{id, std::size_t{0}});
  return found != by_id_.end() && found->first == id ? &all_[found->second] : nullptr;
}

const AddedTokens::Decoded* AddedTokens::decoded(std::int32_t id) const {
  const AddedToken* const found = find(id);
  return found ? &decoded_[static_cast<std::size_t>(found - all_.data())] : nullptr;
}

std::vector<AddedTokens::Piece> AddedTokens::pieces(std::string_view text, bool normalized, bool plain) const {
  const Trie& trie = tries_[normalized];
  const auto size = static_cast<std::int64_t>(text.size());
  std::vector<Piece> found;
  std::int64_t done = 0;  // up to here the pieces go
  for (std::int64_t at = 0; !trie.nodes.empty() && at < size;) {
    if (!trie.begins[static_cast<unsigned char>(text[static_cast<std::size_t>(at)])]) {
      ++at;
      continue;
    }
    std::int32_t token = -1;
    std::int64_t start = at, end = at;
    std::size_t node = 0;
    for (std::int64_t i = at; i < size; ++i) {
      const std::int32_t next = trie.child(node, text[static_cast<std::size_t>(i)]);
      if (next < 0) break;
      node = static_cast<std::size_t>(next);
      if (trie.nodes[node].token >= 0) token = trie.nodes[node].token, end = i + 1;
    }
    if (token < 0) {
      ++at;
      continue;
    }
    at = end;  // the search goes on behind the match, also behind one that does not count
    const AddedToken& added = all_[static_cast<std::size_t>(token)];
    if (plain && added.special) continue;
    if (added.single_word && ((start > 0 && is_word(before(text, start))) || (end < size && is_word(text::decode_at(text, end)))))
      continue;
    if (added.lstrip) {
      while (start > done && is_space(before(text, start))) start -= before(text, start).length;
      start = std::max(start, done);
    }
    if (added.rstrip)
      while (end < size && is_space(text::decode_at(text, end))) end += text::decode_at(text, end).length;
    if (done < start) found.push_back({-1, done, start});
    if (start < end) found.push_back({added.id, start, end});  // else the token before took all of its whitespace along
    done = end;
  }
  if (done < size) found.push_back({-1, done, size});
  return found;
}

}  // namespace headlight::tokenizers
