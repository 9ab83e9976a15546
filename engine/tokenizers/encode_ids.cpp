// Ids alone, fast: words that were seen before are looked up, whatever stages stand before the model.
#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <mutex>

#include "engine/core/parallel.h"
#include "engine/text/charsmaps/charsmap.h"
#include "engine/text/parts.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/word_cache.h"

namespace headlight::tokenizers {

// The caches of a tokenizer, one for every encoding that runs at a time. They stay warm from call to call.
struct Tokenizer::Caches {
  std::mutex mutex;
  std::vector<std::unique_ptr<WordCache>> idle;
  bool keeps_ascii = false;  // a stretch " ab" of a space and visible ASCII characters reaches the model as "▁ab"
  bool cuts_lines = false;   // and a stretch "\nab" too
};

namespace {

bool is_one_of(const std::string& id, std::initializer_list<std::string_view> ids) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

constexpr std::string_view kWordSign = "▁";

// What a normaliser does with visible ASCII characters behind a single space, or behind a single newline.
struct OnAscii {
  bool joins_spaces = false;  // the space may become part of something else
  bool keeps = false;         // the characters stay, whatever stands around them
  bool newline_is_space = false;
};
OnAscii on_ascii(const Choice& normalizer) {
  if (normalizer.id == "precompiled" || normalizer.id == "sentence") {
    const auto map = text::Charsmap::of_base64(std::get<std::string>(normalizer.values.at("charsmap")));
    std::string characters = " \n";
    for (char c = '!'; c < '\x7f'; ++c) characters += c;
    const auto texts = map.ok() ? map->texts_of(characters) : std::nullopt;
    if (!texts) return {true};
    const bool newline = *texts == std::vector<std::string>{"\n"} && map->longest("\n")->replacement == " ";
    return {!texts->empty() && !newline, texts->empty() || newline, newline};
  }
  // Of replacements only those of several spaces come here.
  if (normalizer.id == "replace") return {false, std::get<bool>(normalizer.values.at("regular"))};
  return {false, is_one_of(normalizer.id, {"nmt", "nfc", "nfd", "nfkc", "nfkd", "strip_accents", "strip_spaces"})};
}

bool is_breaking(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

}  // namespace

std::shared_ptr<Tokenizer::Caches> Tokenizer::make_caches() { return std::make_shared<Caches>(); }

// Where a text may be cut so that each stretch can be looked up before it is normalised: at whitespace, which gives no tokens; or
// before a single space between visible ASCII characters, which nothing joins or changes there; the same for a model with a
// running sum; or nowhere.
Tokenizer::Stretches Tokenizer::stretches_of() const {
  if (model_->running() && normalizers_.size() == 1 && splitters_.empty() && !added_.any(true)) {
    const Choice& stage = normalizers_.front().choice;
    const auto is = [&](const char* option) { return std::get<bool>(stage.values.at(option)); };
    if (stage.id == "sentence" && is("prefix") && !is("suffix") && is("removes") && is("escapes") &&
        std::get<std::string>(stage.values.at("user_defined")).empty()) {
      const OnAscii ascii = on_ascii(stage);
      caches_->keeps_ascii = ascii.keeps;
      caches_->cuts_lines = ascii.newline_is_space;
      return ascii.joins_spaces ? Stretches::none : Stretches::running;
    }
  }
  if (normalizers_.empty() || !model_->may_cut() || added_.any(true)) return Stretches::none;
  const auto all_normalizers = [&](std::initializer_list<std::string_view> ids) {
    return std::all_of(normalizers_.begin(), normalizers_.end(), [&](const auto& stage) {
      if (stage.choice.id == "replace") {  // what has no single space changes none
        const auto& pattern = std::get<std::string>(stage.choice.values.at("pattern"));
        return std::get<bool>(stage.choice.values.at("regular")) ? pattern == " {2,}" : pattern.find(' ') == std::string::npos;
      }
      if (stage.choice.id == "strip_spaces") return !std::get<bool>(stage.choice.values.at("left"));
      return is_one_of(stage.choice.id, ids);
    });
  };
  const auto splitter = [&](std::size_t i) { return i < splitters_.size() ? splitters_[i].choice.id : std::string(); };
  if (splitters_.size() == 1 && splitter(0) == "words" &&
      std::all_of(normalizers_.begin(), normalizers_.end(), [](const auto& stage) {
        return is_one_of(stage.choice.id,
                         {"clean_text", "space_ideographs", "nfc", "nfd", "nfkc", "nfkd", "strip_accents", "lowercase"});
      }))
    return Stretches::between_whitespace;
  const bool whitespace_first = splitter(0) == "pattern" &&
                                splitters_.front().choice.values.at("expression") == Value(std::string("\\s")) &&
                                splitters_.front().choice.values.at("matches") == Value(std::string("removed"));
  const std::size_t metaspace = whitespace_first ? 1 : 0;
  if (splitter(metaspace) == "metaspace" && splitters_.size() == metaspace + 1 &&
      (whitespace_first || std::get<bool>(splitters_[metaspace].choice.values.at("cuts"))) &&
      splitters_[metaspace].choice.values.at("prepend") != Value(std::string("first")) &&
      all_normalizers({"precompiled", "nmt", "nfc", "nfd", "nfkc", "nfkd", "strip_accents", "lowercase"})) {
    const Values& values = splitters_[metaspace].choice.values;
    bool keeps = values.at("sign") == Value(std::string(kWordSign)) && values.at("prepend") == Value(std::string("always"));
    for (const auto& stage : normalizers_) {
      const OnAscii ascii = on_ascii(stage.choice);
      if (ascii.joins_spaces) return Stretches::none;
      keeps = keeps && ascii.keeps;
    }
    caches_->keeps_ascii = keeps;
    caches_->cuts_lines = keeps && whitespace_first;  // a newline is left out, or what it became
    return Stretches::before_spaces;
  }
  return Stretches::none;
}

// Encodes one text. The cache must be this encoding's own.
class Tokenizer::IdEncoder {
 public:
  IdEncoder(const Tokenizer& tokenizer, WordCache& cache, std::vector<std::int32_t>& ids, const CancelToken& cancel)
      : tokenizer_(tokenizer), cache_(cache), ids_(ids), cancel_(cancel) {}

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
    if (tokenizer_.stretches_ == Stretches::between_whitespace) return between_whitespace(begin, end);
    if (tokenizer_.stretches_ != Stretches::none) return before_spaces(begin, end);
    while (begin < end) {
      if (cancel_.cancelled()) return cancelled();
      const std::int64_t cut = tokenizer_.may_cut_ ? text::part_end(input_.substr(0, static_cast<std::size_t>(end)), begin) : end;
      HL_TRY(part(slice(begin, cut), begin == 0));
      begin = cut;
    }
    return {};
  }

  Status between_whitespace(std::int64_t begin, std::int64_t end) {
    std::int64_t round = 0;
    while (begin < end) {
      while (begin < end && is_breaking(input_[static_cast<std::size_t>(begin)])) ++begin;
      std::int64_t cut = begin;
      while (cut < end && !is_breaking(input_[static_cast<std::size_t>(cut)])) ++cut;
      if (cut > begin) HL_TRY(stretch(begin, cut, round++));
      begin = cut;
    }
    return {};
  }

  Status before_spaces(std::int64_t begin, std::int64_t end) {
    const bool running = tokenizer_.stretches_ == Stretches::running, cuts_lines = tokenizer_.caches_->cuts_lines;
    std::int64_t round = 0;
    sum_ = 0;
    while (begin < end) {
      std::int64_t cut = begin + 1;
      for (; cut < end; ++cut) {
        const char* const at = input_.data() + cut;
        if ((*at == ' ' || (*at == '\n' && cuts_lines)) && is_visible(at[-1]) && cut + 1 < end && is_visible(at[1])) break;
      }
      HL_TRY(running ? running_stretch(begin, cut, round++) : stretch(begin, cut, round++));
      begin = cut;
    }
    return {};
  }

  // Of a model with a running sum. The cache keeps the limit, the number of scores, the scores and the ids.
  Status running_stretch(std::int64_t begin, std::int64_t end, std::int64_t round) {
    if (round % 4096 == 4095 && cancel_.cancelled()) return cancelled();
    const std::string_view text = slice(begin, end);
    const WordCache::Key key = WordCache::key_of(text, input_.size() - static_cast<std::size_t>(begin));
    const RunningModel& model = *tokenizer_.model_->running();
    auto known = cache_.find(text, key);
    if (!known.data()) {
      HL_TRY(model.weigh(is_ascii_word(text) ? as_word(text) : text::normalize(text, tokenizer_.normalizers_).text(), weighed_,
                         cancel_));
      made_ = {std::bit_cast<std::int32_t>(weighed_.limit), static_cast<std::int32_t>(weighed_.scores.size())};
      for (const float score : weighed_.scores) made_.push_back(std::bit_cast<std::int32_t>(score));
      for (const Piece& piece : weighed_.pieces) made_.push_back(piece.id);
      cache_.add(text, key, made_);
      known = made_;
    }
    if (std::abs(sum_) < std::bit_cast<float>(known[0])) {
      const auto ids = known.subspan(2 + static_cast<std::size_t>(known[1]));
      for (const std::int32_t score : known.subspan(2, static_cast<std::size_t>(known[1]))) sum_ += std::bit_cast<float>(score);
      ids_.insert(ids_.end(), ids.begin(), ids.end());
      return {};
    }
    const text::Normalized normalized = text::normalize(text, tokenizer_.normalizers_);
    HL_TRY(model.encode_from(normalized.text(), sum_, pieces_, cancel_));
    for (const Piece& piece : pieces_) ids_.push_back(piece.id);
    return {};
  }

  Status stretch(std::int64_t begin, std::int64_t end, std::int64_t round) {
    if (round % 4096 == 4095 && cancel_.cancelled()) return cancelled();
    const std::string_view text = slice(begin, end);
    const WordCache::Key key = WordCache::key_of(text, input_.size() - static_cast<std::size_t>(begin));
    if (const auto known = cache_.find(text, key); known.data()) {
      ids_.insert(ids_.end(), known.begin(), known.end());
      return {};
    }
    made_.clear();
    if (is_ascii_word(text)) {
      HL_TRY(encode_word(as_word(text)));
    } else {
      const text::Split split = text::split(text::normalize(text, tokenizer_.normalizers_), tokenizer_.splitters_, begin == 0);
      for (const text::Span& word : split.words) HL_TRY(encode_word(word_of(split, word)));
    }
    cache_.add(text, key, made_);
    ids_.insert(ids_.end(), made_.begin(), made_.end());
    return {};
  }

  // Whether a stretch is a space (or a newline that is one) and visible ASCII characters, of a tokenizer that keeps these.
  bool is_ascii_word(std::string_view text) const {
    return tokenizer_.caches_->keeps_ascii && text.size() > 1 &&
           (text.front() == ' ' || (text.front() == '\n' && tokenizer_.caches_->cuts_lines)) &&
           std::all_of(text.begin() + 1, text.end(), is_visible);
  }
  // What its model reads; it lasts until the next call.
  const std::string& as_word(std::string_view text) {
    word_.assign(kWordSign);
    word_.append(text.substr(1));
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
  WordCache& cache_;
  std::vector<std::int32_t>& ids_;
  const CancelToken& cancel_;
  std::string_view input_;
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> made_;
  RunningModel::Weighed weighed_;
  std::string word_;
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
  ids.reserve(text.size() / 4 + 8);
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
