// Ids alone, fast: words that were seen before are looked up, whatever stages stand before the model.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>

#include "engine/core/parallel.h"
#include "engine/text/parts.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/stretches.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/word_cache.h"

namespace headlight::tokenizers {

// The caches of a tokenizer, one for every encoding that runs at a time. They stay warm from call to call.
struct Tokenizer::Caches {
  std::mutex mutex;
  std::vector<std::unique_ptr<WordCache>> idle;
};

namespace {

constexpr std::string_view kWordSign = "▁";
constexpr std::int64_t kLongestCut = 8192;  // bytes of a word that is cut into parts, as Model::encode_part() says

bool is_breaking(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

bool is_letter(char c) { return (c | '\x20') >= 'a' && (c | '\x20') <= 'z'; }

constexpr std::uint64_t kOnes = 0x0101010101010101u, kHigh = 0x8080808080808080u;

// The first byte from `at` on that is no visible ASCII character, or `end`. Eight are looked at together.
inline std::int64_t visible_end(std::string_view text, std::int64_t at, std::int64_t end) {
  for (; at + 8 <= end; at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, 8);
    // Below the lowest such byte nothing is borrowed or carried, so the lowest mark is right.
    const std::uint64_t marks = (((bytes - 0x21u * kOnes) & ~bytes) | (bytes + kOnes) | bytes) & kHigh;
    if (marks != 0) return at + std::countr_zero(marks) / 8;
  }
  while (at < end && is_visible(text[static_cast<std::size_t>(at)])) ++at;
  return at;
}
// The same of ASCII letters.
inline std::int64_t letters_end(std::string_view text, std::int64_t at, std::int64_t end) {
  for (; at + 8 <= end; at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, 8);
    const std::uint64_t small = (bytes | 0x20u * kOnes) & ~kHigh;
    const std::uint64_t letters = (small + (0x80u - 'a') * kOnes) & ~(small + (0x7Fu - 'z') * kOnes) & ~bytes & kHigh;
    if (letters != kHigh) return at + std::countr_zero(letters ^ kHigh) / 8;
  }
  while (at < end && is_letter(text[static_cast<std::size_t>(at)])) ++at;
  return at;
}

// Letters that no space joins into one character: no marks, which follow one, and no signs that take what follows in.
constexpr std::pair<char32_t, char32_t> kLetters[] = {
    {0xC0, 0x24F},    {0x391, 0x3CE},   {0x400, 0x481},   {0x48A, 0x52F},   {0x531, 0x556},   {0x561, 0x587},   {0x5D0, 0x5EA},
    {0x620, 0x64A},   {0x671, 0x6D3},   {0x904, 0x939},   {0x985, 0x9B9},   {0xA05, 0xA39},   {0xA85, 0xAB9},   {0xB05, 0xB39},
    {0xB85, 0xBB9},   {0xC05, 0xC39},   {0xC85, 0xCB9},   {0xD05, 0xD39},   {0xE01, 0xE30},   {0xE40, 0xE46},   {0xE81, 0xEB0},
    {0xEC0, 0xEC4},   {0x10D0, 0x10FA}, {0x1200, 0x1248}, {0x1780, 0x17B3}, {0x1E00, 0x1EFF}, {0x3001, 0x3002}, {0x3041, 0x3096},
    {0x30A1, 0x30FA}, {0x4E00, 0x9FA5}, {0xAC00, 0xD7A3}};
bool is_letter(char32_t c) {
  const auto* const range = std::ranges::lower_bound(kLetters, c, {}, &std::pair<char32_t, char32_t>::second);
  return range != std::end(kLetters) && c >= range->first;
}
// Vowel signs from Devanagari to Lao, which may stand before a space; U+0D4E takes in what follows.
bool is_vowel_sign(char32_t c) { return c >= 0x900 && c <= 0xEDF && c != 0xD4E; }

}  // namespace

std::shared_ptr<Tokenizer::Caches> Tokenizer::make_caches() { return std::make_shared<Caches>(); }

// Encodes one text. The cache must be this encoding's own.
class Tokenizer::IdEncoder {
 public:
  IdEncoder(const Tokenizer& tokenizer, WordCache& cache, std::vector<std::int32_t>& ids, const CancelToken& cancel)
      : tokenizer_(tokenizer),
        stretches_(*tokenizer.stretches_),
        joints_(tokenizer.model_->joints()),
        cache_(cache),
        ids_(ids),
        cancel_(cancel) {}

  Status encode(std::string_view input) {
    input_ = input;
    if (!tokenizer_.added_.any(false)) return input.empty() ? Status() : plain(0, static_cast<std::int64_t>(input.size()));
    for (const AddedTokens::Piece& piece : tokenizer_.added_.pieces(input, false, tokenizer_.plain_)) {
      if (piece.id >= 0) {
        ids_.push_back(piece.id);
      } else {
        HL_TRY(plain(piece.start, piece.end));
      }
    }
    return {};
  }

 private:
  // What stands between two added tokens.
  Status plain(std::int64_t begin, std::int64_t end) {
    switch (stretches_.kind) {
      case Stretches::Kind::between_whitespace: return between_whitespace(begin, end);
      case Stretches::Kind::before_spaces: return before_spaces(begin, end);
      case Stretches::Kind::words: return words_between(begin, end);
      case Stretches::Kind::none: break;
    }
    while (begin < end) {
      if (cancel_.cancelled()) return cancelled();
      const std::int64_t cut = tokenizer_.may_cut_ ? text::part_end(input_.substr(0, static_cast<std::size_t>(end)), begin) : end;
      HL_TRY(part(slice(begin, cut), begin == 0));
      begin = cut;
    }
    return {};
  }

  Status between_whitespace(std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      while (begin < end && is_breaking(input_[static_cast<std::size_t>(begin)])) ++begin;
      std::int64_t cut = begin;
      while (cut < end && !is_breaking(input_[static_cast<std::size_t>(cut)])) ++cut;
      if (cut > begin) HL_TRY(stretch(begin, cut));
      begin = cut;
    }
    return {};
  }

  Status before_spaces(std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      std::int64_t cut = begin + 1;
      for (; cut < end; ++cut) {
        const char* const at = input_.data() + cut;
        if (*at == ' ' && is_visible(at[-1]) && cut + 1 < end && is_visible(at[1])) break;
      }
      HL_TRY(stretch(begin, cut));
      begin = cut;
    }
    return {};
  }

  bool is_space(std::int64_t at) const {
    return stretches_.spaces[static_cast<unsigned char>(input_[static_cast<std::size_t>(at)])];
  }
  bool is_visible_at(std::int64_t at) const { return is_visible(input_[static_cast<std::size_t>(at)]); }
  // Where the spaces at `at` end.
  std::int64_t spaces_end(std::int64_t at, std::int64_t end) const {
    while (at < end && is_space(at)) ++at;
    return at;
  }
  // Whether a word that begins at `begin` may end at the spaces [at, next).
  bool ends_word(std::int64_t begin, std::int64_t at, std::int64_t next, std::int64_t end) const {
    // At the end of a text signs vanish as spaces do, also before characters that become spaces, and a word is normalised as a
    // text.
    if (stretches_.anywhere)
      return next == end || (at > begin && is_visible_at(at - 1)) || slice(begin, at).find(kWordSign) == std::string_view::npos;
    return at > begin && may_stand_before_space(begin, at) && (next == end || may_stand_behind_space(next, end));
  }
  bool may_stand_before_space(std::int64_t begin, std::int64_t at) const {
    if (is_visible_at(at - 1)) return true;
    std::int64_t first = at - 1;
    while (first > begin && first > at - 3 &&
           (static_cast<unsigned char>(input_[static_cast<std::size_t>(first)]) & 0xC0u) == 0x80)
      --first;
    const text::CodePoint point = text::decode_at(input_.substr(0, static_cast<std::size_t>(at)), first);
    return point.valid && first + point.length == at && (is_letter(point.value) || is_vowel_sign(point.value));
  }
  bool may_stand_behind_space(std::int64_t at, std::int64_t end) const {
    if (is_visible_at(at)) return true;
    const text::CodePoint point = text::decode_at(input_.substr(0, static_cast<std::size_t>(end)), at);
    return point.valid && is_letter(point.value);
  }

  Status words_between(std::int64_t begin, std::int64_t end) {
    sum_ = 0;
    if (const std::int64_t next = spaces_end(begin, end); stretches_.anywhere || next == end || is_visible_at(next)) begin = next;
    while (begin < end) {
      const std::int64_t letters = letters_end(input_, begin, end);
      std::int64_t cut = letters, next = end;
      bool is_ascii = true;
      for (;;) {
        cut = visible_end(input_, cut, end);
        if (cut == end) break;
        if (is_space(cut)) {
          next = spaces_end(cut, end);
          if (ends_word(begin, cut, next, end)) break;
          cut = next;
          next = end;
        } else {
          while (cut < end && !is_visible_at(cut) && !is_space(cut)) ++cut;
        }
        is_ascii = false;
      }
      const Word word{begin, cut};
      if (!is_ascii || !stretches_.keeps_ascii) {
        HL_TRY(part_of_word(word, begin, cut, Form::raw));
      } else if (letters == cut || !joints_ || (!stretches_.runs && cut - begin > kLongestCut)) {
        HL_TRY(part_of_word(word, begin, cut, Form::beginning));
      } else {
        HL_TRY(ascii_word(word, letters));
      }
      begin = next;
    }
    return look_up_waiting();
  }

  struct Word {
    std::int64_t begin = 0, end = 0;
  };
  enum class Form {
    raw,        // a whole word, to be normalised
    beginning,  // the model sees it behind a sign
    inside,     // the model sees it as it is
  };

  // A word of visible ASCII characters, cut where no piece lies across; up to byte `letters` all are letters, and as they mostly
  // join they are not cut.
  Status ascii_word(const Word& word, std::int64_t letters) {
    Form form = Form::beginning;
    std::int64_t begin = word.begin;
    for (std::int64_t at = std::max(letters, begin + 1); at < word.end; ++at) {
      if (joints_->join(input_[static_cast<std::size_t>(at) - 1], input_[static_cast<std::size_t>(at)])) continue;
      HL_TRY(part_of_word(word, begin, at, form));
      form = Form::inside;
      begin = at;
    }
    return part_of_word(word, begin, word.end, form);
  }

  // Parts are looked up a few behind where they are found, so that the table's entries are read from memory before.
  struct Waiting {
    std::string_view text;
    WordCache::Key key;
    Form form = Form::raw;
    Word word;
  };
  static constexpr std::size_t kWaiting = 8;

  Status part_of_word(const Word& word, std::int64_t begin, std::int64_t end, Form form) {
    Waiting& place = waiting_[found_ % kWaiting];
    if (found_ % 65536 == 65535 && cancel_.cancelled()) return cancelled();
    if (found_ >= kWaiting && !add_known(place)) HL_TRY(look_up(place));
    place.text = slice(begin, end);
    place.key = WordCache::key_of(place.text, input_.size() - static_cast<std::size_t>(begin), form == Form::inside);
    place.form = form;
    place.word = word;
    cache_.prefetch(place.key);
    ++found_;
    return {};
  }
  Status look_up_waiting() {
    for (std::size_t one = found_ > kWaiting ? found_ - kWaiting : 0; one < found_; ++one)
      HL_TRY(look_up(waiting_[one % kWaiting]));
    found_ = 0;
    return {};
  }
  // Adds the ids of a part that is known and has a single piece.
  bool add_known(const Waiting& part) {
    const auto known = cache_.find(part.text, part.key);
    if (stretches_.runs) {
      if (known.size() != kSinglePiece || std::abs(sum_) >= std::bit_cast<float>(known[0])) return false;
      sum_ += std::bit_cast<float>(known[1]);
      ids_.push_back(known[2]);
      return true;
    }
    if (known.size() != 1 || known[0] == kDepends) return false;
    ids_.push_back(known[0]);
    return true;
  }
  Status look_up(const Waiting& part) {
    if (++round_ % 1024 == 0 && cancel_.cancelled()) return cancelled();
    if (stretches_.runs && static_cast<std::int64_t>(part.text.size()) > kLongestCut) return encode_running(part.text, part.form);
    auto known = cache_.find(part.text, part.key);
    if (!known.data()) {
      HL_TRY(stretches_.runs ? weigh(part.text, part.form) : encode_part(part.text, part.form));
      cache_.add(part.text, part.key, made_);
      known = made_;
    }
    if (stretches_.runs) return add_weighed(part.text, part.form, known);
    if (known.size() == 1 && known[0] == kDepends) return encode_in_word(part);
    ids_.insert(ids_.end(), known.begin(), known.end());
    return {};
  }
  static constexpr std::int32_t kDepends = -1;  // instead of ids: they depend on the word that the part is in

  // The ids of a part, in made_.
  Status encode_part(std::string_view text, Form form) {
    made_.clear();
    if (form == Form::beginning && static_cast<std::int64_t>(text.size()) > kLongestCut) return encode_word(as_word(text));
    if (form != Form::raw) {
      bool holds = true;
      HL_TRY(tokenizer_.model_->encode_part(form == Form::inside ? text : as_word(text), pieces_, holds, cancel_));
      for (const Piece& piece : pieces_) made_.push_back(piece.id);
      if (!holds) made_ = {kDepends};
      return {};
    }
    return encode_raw(text, false);
  }
  // The ids of a stretch through all stages, in made_. No place is asked for, so that the normalisers only rewrite it.
  Status encode_raw(std::string_view text, bool at_start) {
    normal_.assign(text);
    for (const auto& stage : tokenizer_.normalizers_) stage->rewrite(normal_);
    if (stretches_.signs && !normal_.empty() && is_one_word(normal_)) return encode_word(as_word(normal_));
    const text::Split split = text::split(text::Normalized(normal_), tokenizer_.splitters_, at_start);
    for (const text::Span& word : split.words) HL_TRY(encode_word(word_of(split, word)));
    return {};
  }
  // Whether a text has no whitespace and no sign of it. Of control characters and of what is cut off false is said as well.
  static bool is_one_word(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    for (std::size_t at = 0; at < text.size(); ++at) {
      const unsigned first = byte(at), second = byte(at + 1), third = byte(at + 2);
      if (first <= ' ' || (first == 0xC2 && (second == 0x85 || second == 0xA0))) return false;
      if (first < 0xE1 || first > 0xE3) continue;
      if (first == 0xE1 && second == 0x9A && third <= 0x80) return false;  // U+1680
      if (first == 0xE2 && second == 0x80 && (third <= 0x8A || third == 0xA8 || third == 0xA9 || third == 0xAF)) return false;
      if (first == 0xE2 && ((second == 0x81 && third == 0x9F) || (second == 0x96 && third == 0x81))) return false;  // U+205F, ▁
      if (first == 0xE3 && second == 0x80 && third <= 0x80) return false;                                           // U+3000
    }
    return true;
  }

  // A part whose ids depend on its word: those of the word that lie in it.
  Status encode_in_word(const Waiting& part) {
    const std::string_view word = slice(part.word.begin, part.word.end);
    if (word.data() != cut_.word.data()) {
      HL_TRY(tokenizer_.model_->encode(as_word(word), cut_.pieces, cancel_));
      cut_.word = word;
    }
    const auto sign = static_cast<std::int64_t>(kWordSign.size());
    const std::int64_t begin = part.form == Form::beginning ? 0 : part.text.data() - word.data() + sign;
    const std::int64_t end = part.text.data() + part.text.size() - word.data() + sign;
    for (auto piece = std::ranges::upper_bound(cut_.pieces, begin, {}, &Piece::end);
         piece != cut_.pieces.end() && piece->end <= end; ++piece)
      ids_.push_back(piece->id);
    return {};
  }

  // The same of a model with a running sum: the limit, the number of scores, the scores and the ids; of a single piece the limit,
  // the score and the id.
  Status weigh(std::string_view text, Form form) {
    HL_TRY(tokenizer_.model_->running()->weigh(as_model_sees(text, form), weighed_, cancel_));
    made_ = {std::bit_cast<std::int32_t>(weighed_.limit)};
    if (weighed_.scores.size() != 1 || weighed_.pieces.size() != 1)
      made_.push_back(static_cast<std::int32_t>(weighed_.scores.size()));
    for (const float score : weighed_.scores) made_.push_back(std::bit_cast<std::int32_t>(score));
    for (const Piece& piece : weighed_.pieces) made_.push_back(piece.id);
    return {};
  }
  Status add_weighed(std::string_view text, Form form, std::span<const std::int32_t> known) {
    if (std::abs(sum_) >= std::bit_cast<float>(known[0])) return encode_running(text, form);
    if (known.size() == kSinglePiece) {
      sum_ += std::bit_cast<float>(known[1]);
      ids_.push_back(known[2]);
      return {};
    }
    const auto count = static_cast<std::size_t>(known[1]);
    for (const std::int32_t score : known.subspan(2, count)) sum_ += std::bit_cast<float>(score);
    const auto ids = known.subspan(2 + count);
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    return {};
  }
  Status encode_running(std::string_view text, Form form) {
    HL_TRY(tokenizer_.model_->running()->encode_from(as_model_sees(text, form), sum_, pieces_, cancel_));
    for (const Piece& piece : pieces_) ids_.push_back(piece.id);
    return {};
  }
  static constexpr std::size_t kSinglePiece = 3;

  Status stretch(std::int64_t begin, std::int64_t end) {
    if (++round_ % 4096 == 0 && cancel_.cancelled()) return cancelled();
    const std::string_view text = slice(begin, end);
    const WordCache::Key key = WordCache::key_of(text, input_.size() - static_cast<std::size_t>(begin));
    if (const auto known = cache_.find(text, key); known.data()) {
      ids_.insert(ids_.end(), known.begin(), known.end());
      return {};
    }
    made_.clear();
    if (stretches_.keeps_ascii && text.size() > 1 && text.front() == ' ' &&
        std::all_of(text.begin() + 1, text.end(), is_visible)) {
      HL_TRY(encode_word(as_word(text.substr(1))));
    } else {
      HL_TRY(encode_raw(text, begin == 0));
    }
    cache_.add(text, key, made_);
    ids_.insert(ids_.end(), made_.begin(), made_.end());
    return {};
  }

  // What the model reads; it lasts until the next call.
  std::string_view as_word(std::string_view text) {
    word_.assign(kWordSign);
    word_.append(text);
    return word_;
  }
  std::string_view as_model_sees(std::string_view text, Form form) {
    if (form == Form::inside) return text;
    if (form == Form::beginning) return as_word(text);
    word_.assign(text);
    for (const auto& stage : tokenizer_.normalizers_) stage->rewrite(word_);
    return word_;
  }

  // A part that all stages see whole.
  Status part(std::string_view text, bool at_start) {
    text::Normalized normalized = text::normalize(text, tokenizer_.normalizers_);
    if (!tokenizer_.added_.any(true)) return words(text::split(std::move(normalized), tokenizer_.splitters_, at_start));
    for (const AddedTokens::Piece& one : tokenizer_.added_.pieces(normalized.text(), true, tokenizer_.plain_)) {
      if (one.id < 0) {
        HL_TRY(words(text::split(normalized.slice(one.start, one.end), tokenizer_.splitters_, at_start)));
      } else if (one.end > one.start) {
        ids_.push_back(one.id);
      }
    }
    return {};
  }

  Status words(const text::Split& split) {
    const std::string_view text = split.text.text();
    std::int64_t round = 0;
    for (const text::Span& span : split.words) {
      if (++round % 4096 == 0 && cancel_.cancelled()) return cancelled();
      const std::string_view word = word_of(split, span);
      const WordCache::Key key = WordCache::key_of(word, text.size() - static_cast<std::size_t>(span.start));
      const auto known = cache_.find(word, key);
      if (known.data()) {
        if (known.size() == 1)
          ids_.push_back(known.front());
        else
          ids_.insert(ids_.end(), known.begin(), known.end());
        continue;
      }
      made_.clear();
      HL_TRY(encode_word(word));
      cache_.add(word, key, made_);
      ids_.insert(ids_.end(), made_.begin(), made_.end());
    }
    return {};
  }

  // Adds the word's ids to made_.
  Status encode_word(std::string_view word) {
    HL_TRY(tokenizer_.model_->encode(word, pieces_, cancel_));
    for (const Piece& piece : pieces_) made_.push_back(piece.id);
    return {};
  }

  std::string_view slice(std::int64_t begin, std::int64_t end) const {
    return input_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
  static std::string_view word_of(const text::Split& split, const text::Span& span) {
    return std::string_view(split.text.text())
        .substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start));
  }

  const Tokenizer& tokenizer_;
  const Stretches& stretches_;
  const Joints* const joints_;
  WordCache& cache_;
  std::vector<std::int32_t>& ids_;
  const CancelToken& cancel_;
  std::string_view input_;
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> made_;
  RunningModel::Weighed weighed_;
  struct {
    std::string_view word;
    std::vector<Piece> pieces;
  } cut_;  // the last word that was read whole for one of its parts
  std::string word_, normal_;
  std::array<Waiting, kWaiting> waiting_;
  std::size_t found_ = 0;  // parts that waited or wait
  std::int64_t round_ = 0;
  float sum_ = 0;  // of a running model
};

Result<std::vector<std::int32_t>> Tokenizer::encode_ids(std::string_view text, const CancelToken& cancel) const {
  std::unique_ptr<WordCache> cache;
  {
    const std::lock_guard lock(caches_->mutex);
    if (!caches_->idle.empty()) {
      cache = std::move(caches_->idle.back());
      caches_->idle.pop_back();
    }
  }
  if (!cache) cache = std::make_unique<WordCache>();
  std::vector<std::int32_t> ids;
  ids.reserve(text.size() / 3 + 8);
  const Status done = IdEncoder(*this, *cache, ids, cancel).encode(text);
  const std::lock_guard lock(caches_->mutex);
  caches_->idle.push_back(std::move(cache));
  if (!done) return done.error();
  return ids;
}

Result<std::vector<std::vector<std::int32_t>>> Tokenizer::encode_all(const std::vector<std::string_view>& texts,
                                                                     const CancelToken& cancel) const {
  std::vector<std::vector<std::int32_t>> all(texts.size());
  std::mutex mutex;
  Status problem;
  const bool whole = parallel_for(
      static_cast<std::int64_t>(texts.size()), 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          auto ids = encode_ids(texts[i], cancel);
          if (ids.ok()) {
            all[i] = std::move(ids).value();
            continue;
          }
          const std::lock_guard lock(mutex);
          problem = ids.error();
        }
      },
      cancel);
  if (!problem) return problem.error();
  if (!whole) return cancelled();
  return all;
}

void Tokenizer::forget_words() const {
  const std::lock_guard lock(caches_->mutex);
  caches_->idle.clear();
}

}  // namespace headlight::tokenizers
