#include "engine/tokenizers/models/vocabulary.h"

#include <algorithm>
#include <bit>

#include "engine/text/utf8.h"

namespace headlight::tokenizers {

namespace {

constexpr std::uint64_t kUpper = 0xFFFFFFFF00000000;

std::size_t hash_of(std::string_view piece) { return StringHash()(piece); }

}  // namespace

void Vocabulary::reserve(std::size_t pieces) {
  pieces_.reserve(pieces);
  if (2 * pieces <= slots_.size()) return;
  slots_.assign(std::bit_ceil(2 * pieces), 0);
  used_ = 0;
  for (std::size_t id = 0; id < pieces_.size(); ++id)
    if (!pieces_[id].empty()) insert(pieces_[id], static_cast<std::int32_t>(id));
}

void Vocabulary::insert(std::string_view piece, std::int32_t id) {
  const std::size_t hash = hash_of(piece), mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at] != 0) at = (at + 1) & mask;
  slots_[at] = (hash & kUpper) | static_cast<std::uint32_t>(id + 1);
  ++used_;
}

Result<Vocabulary> Vocabulary::of(std::vector<std::string> pieces, const std::string& where, bool gaps) {
  Vocabulary vocabulary;
  vocabulary.reserve(pieces.size());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    std::string& piece = pieces[id];
    if (piece.empty() && gaps) {
      vocabulary.pieces_.emplace_back();
      continue;
    }
    if (piece.empty()) return invalid("the piece with id {} is empty", id).at(where).mend("give every id a text");
    if (!text::is_valid_utf8(piece))
      return invalid("the piece with id {} is not UTF-8", id).at(where).mend("write bytes as the byte alphabet does");
    if (const std::int32_t other = vocabulary.find(piece); other >= 0)
      return invalid("the piece '{}' has two ids, {} and {}", piece, other, id).at(where).mend("keep one of them");
    vocabulary.insert(piece, static_cast<std::int32_t>(id));
    vocabulary.pieces_.push_back(std::move(piece));
  }
  return vocabulary;
}

Vocabulary Vocabulary::with_specials() {
  Vocabulary vocabulary;
  for (const TrainedSpecial& special : kTrainedSpecials) vocabulary.set_special(special.role, vocabulary.add(special.name));
  return vocabulary;
}

const std::string& Vocabulary::piece(std::int32_t id) const {
  static const std::string none;
  return id >= 0 && id < size() ? pieces_[static_cast<std::size_t>(id)] : none;
}

std::int32_t Vocabulary::find(std::string_view piece) const {
  if (slots_.empty()) return -1;
  const std::size_t hash = hash_of(piece), mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const std::uint64_t slot = slots_[at];
    if (slot == 0) return -1;
    const auto id = static_cast<std::int32_t>(slot & ~kUpper) - 1;
    if ((slot & kUpper) == (hash & kUpper) && pieces_[static_cast<std::size_t>(id)] == piece) return id;
  }
}

std::int32_t Vocabulary::find_text(std::string_view piece) const {
  const std::int32_t id = find(piece);
  return id >= 0 && !is_text(id) ? -1 : id;
}

bool Vocabulary::is_text(std::int32_t id) const {
  return published_ ? !std::binary_search(no_texts_.begin(), no_texts_.end(), id) : !is_special(id);
}

void Vocabulary::as_published(std::vector<std::int32_t> added) {
  std::sort(added.begin(), added.end());
  no_texts_ = std::move(added);
  published_ = true;
}

void Vocabulary::add_at(const std::string& piece, std::int32_t id) {
  if (find(piece) >= 0 || !this->piece(id).empty()) return;
  if (id >= size()) pieces_.resize(static_cast<std::size_t>(id) + 1);
  pieces_[static_cast<std::size_t>(id)] = piece;
  if (2 * (used_ + 1) > slots_.size()) return reserve(std::max<std::size_t>(2 * used_, 8));
  insert(piece, id);
}

std::int32_t Vocabulary::add(const std::string& piece) {
  if (const std::int32_t id = find(piece); id >= 0) return id;
  if (2 * (used_ + 1) > slots_.size()) reserve(std::max<std::size_t>(2 * used_, 8));
  insert(piece, size());
  pieces_.push_back(piece);
  return size() - 1;
}

void Vocabulary::set_specials_by_name() {
  for (const TrainedSpecial& special : kTrainedSpecials)
    if (const std::int32_t id = find(special.name); id >= 0) set_special(special.role, id);
}

}  // namespace headlight::tokenizers
