#include "engine/train/vocabulary_training.h"

#include <algorithm>
#include <array>

#include "engine/core/parallel.h"
#include "engine/text/normalizers/normalizer.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::train {
namespace {

using tokenizers::Role;
using tokenizers::Tokenizer;

constexpr std::int64_t kEverything = 1'000'000;  // the most pieces that a vocabulary may have
constexpr std::int64_t kWhole = 1000;            // how often a word that is to be kept whole is counted besides
constexpr const char* kMask = "[MASK]";

std::vector<Choice> plain_spaces() {
  std::vector<Choice> normalizers;
  for (const char* space : {"\u00a0", "\u202f"})
    normalizers.push_back({"replace", {{"pattern", std::string(space)}, {"content", std::string(" ")}}});
  return normalizers;
}

// The texts in lines, normalised.
Result<std::string> joined(const std::vector<std::string_view>& texts, const std::vector<Choice>& normalizers,
                           const CancelToken& cancel) {
  HL_ASSIGN(const text::Normalizers before, text::make_normalizers(normalizers));
  std::string all;
  for (const std::string_view one : texts) {
    if (cancel.cancelled()) return cancelled();
    if (before.empty()) {
      all += one;
    } else {
      all += text::normalize(one, before).text();
    }
    all += '\n';
  }
  return all;
}

Error at(const std::string& where, Error error) {
  if (error.kind != ErrorKind::cancelled) error = invalid(error.what).at(where).mend(error.mend);
  return error;
}

// The ids of texts [begin, end), as encode_all() returns them.
Result<Encoded> encode_some(const Tokenizer& tokenizer, const std::vector<std::string_view>& texts, std::size_t begin,
                            std::size_t end, std::int32_t last, const CancelToken& cancel) {
  Encoded encoded;
  for (std::size_t i = begin; i < end; ++i) {
    HL_ASSIGN(const std::vector<tokenizers::Token> tokens, tokenizer.encode(texts[i], cancel));
    std::int64_t done = 0;
    for (const tokenizers::Token& token : tokens) {
      encoded.ids.push_back(token.id);
      encoded.bytes.push_back(static_cast<std::int32_t>(std::max<std::int64_t>(token.end - done, 0)));
      done = std::max(done, token.end);
    }
    if (last >= 0) {
      encoded.ids.push_back(last);
      encoded.bytes.push_back(1);
    }
    encoded.begins.push_back(static_cast<std::int64_t>(encoded.ids.size()));
  }
  return encoded;
}

}  // namespace

Result<TokenizerPointer> train_vocabulary(const VocabularyWanted& wanted, const std::vector<std::string_view>& texts,
                                          bool with_mask, const std::string& where, const CancelToken& cancel) {
  const std::vector<Choice> normalizers = wanted.plain_spaces ? plain_spaces() : std::vector<Choice>{};
  HL_ASSIGN(const std::string text, joined(texts, normalizers, cancel));
  tokenizers::TrainingOptions options;
  options.vocabulary_size = wanted.size == 0 ? kEverything : wanted.size - (with_mask ? 1 : 0);
  options.min_pair_count = wanted.least_count;
  options.record_steps = false;
  options.lowercase = wanted.lowercase;
  HL_ASSIGN(const tokenizers::Entry* const kind, tokenizers::registry().get(wanted.kind));
  auto words = kind->count_words(text, options, cancel);
  if (!words) return at(where, words.error());
  for (const std::string& word : wanted.whole) words->push_back({" " + word, kWhole});
  auto training = kind->train(*words, options, cancel);
  if (!training) return at(where, training.error());
  if (training->ran_out_of_pairs && wanted.size > 0) {
    const std::string most = std::to_string(training->tokenizer->vocabulary_size() + (with_mask ? 1 : 0));
    return invalid("the text gives a vocabulary of {} pieces, and {} are asked for", most, wanted.size)
        .at(where)
        .mend("ask for at most {}, or give more text", most);
  }
  tokenizers::TokenizerPlan plan = training->tokenizer->plan();
  plan.normalizers.insert(plan.normalizers.begin(), normalizers.begin(), normalizers.end());
  if (with_mask) plan.vocabulary.set_special(Role::mask, plan.vocabulary.add(kMask));
  return Tokenizer::make(plan, where);
}

Result<TokenizerPointer> syllables(std::int64_t count) {
  constexpr std::string_view kFirst = "bcdfghjklmnprstvwyz", kVowels = "aeiou", kLast = "nrlstmkpdgb";
  tokenizers::Vocabulary vocabulary = tokenizers::Vocabulary::with_specials();
  const std::int64_t all = vocabulary.size() + count;
  for (std::size_t ending = 0; ending <= kLast.size(); ++ending)
    for (const char vowel : kVowels)
      for (const char first : kFirst) {
        if (vocabulary.size() == all) break;
        std::string syllable{first, vowel};
        if (ending > 0) syllable += kLast[ending - 1];
        vocabulary.add(syllable);
      }
  if (vocabulary.size() < all)
    return invalid("there are only {} syllables", vocabulary.size()).at("repeat symbols").mend("ask for fewer");
  return Tokenizer::make(tokenizers::plan_of("words", std::move(vocabulary)), "the syllables");
}

Result<Encoded> encode_all(const Tokenizer& tokenizer, const std::vector<std::string_view>& texts, std::int32_t last,
                           const CancelToken& cancel) {
  constexpr std::size_t kPart = 256;
  const std::size_t count = (texts.size() + kPart - 1) / kPart;
  std::vector<Result<Encoded>> parts(count, Encoded());
  parallel_for(
      static_cast<std::int64_t>(count), 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          parts[i] = encode_some(tokenizer, texts, i * kPart, std::min(texts.size(), (i + 1) * kPart), last, cancel);
      },
      cancel);
  if (cancel.cancelled()) return cancelled();
  Encoded all;
  for (Result<Encoded>& part : parts) {
    if (!part) return part.error();
    const auto offset = static_cast<std::int64_t>(all.ids.size());
    all.ids.insert(all.ids.end(), part->ids.begin(), part->ids.end());
    all.bytes.insert(all.bytes.end(), part->bytes.begin(), part->bytes.end());
    for (std::size_t i = 1; i < part->begins.size(); ++i) all.begins.push_back(part->begins[i] + offset);
  }
  return all;
}

}  // namespace headlight::train
