#include "engine/tokenizers/models/vocabulary.h"

#include <algorithm>

#include "engine/text/utf8.h"

namespace headlight::tokenizers {

Result<Vocabulary> Vocabulary::of(std::vector<std::string> pieces, const std::string& where, bool gaps) {
  Vocabulary vocabulary;
  vocabulary.ids_.reserve(pieces.size());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const std::string& piece = pieces[id];
    if (piece.empty() && gaps) {
      vocabulary.pieces_.emplace_back();
      continue;
    }
    if (piece.empty()) return invalid("the piece with id {} is empty", id).at(where).mend("give every id a text");
    if (!text::is_valid_utf8(piece))
      return invalid("the piece with id {} is not UTF-8", id).at(where).mend("write bytes as the byte alphabet does");
    if (const std::int32_t other = vocabulary.find(piece); other >= 0)
      return invalid("the piece '{}' has two ids, {} and {}", piece, other, id).at(where).mend("keep one of them");
    vocabulary.add(piece);
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
  const auto it = ids_.find(piece);
  return it == ids_.end() ? -1 : it->second;
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
  ids_.emplace(piece, id);
}

std::int32_t Vocabulary::add(const std::string& piece) {
  const auto [it, added] = ids_.try_emplace(piece, size());
  if (added) pieces_.push_back(piece);
  return it->second;
}

void Vocabulary::set_specials_by_name() {
  for (const TrainedSpecial& special : kTrainedSpecials)
    if (const std::int32_t id = find(special.name); id >= 0) set_special(special.role, id);
}

}  // namespace headlight::tokenizers
