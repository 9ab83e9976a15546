#include "app/views/tokens/lecture_words.h"

#include <array>
#include <cstdio>

#include "app/text/language.h"
#include "engine/text/grouped_number.h"

namespace headlight::views::tokens {
namespace {

struct LectureWords {
  const char *kind, *unknown, *vocabulary, *length, *meaning, *language;
};
constexpr std::array<LectureWords, 4> kLectureWords = {{
    {"characters", tr_later("excellent"), tr_later("very small"), tr_later("very long"), tr_later("weak"), tr_later("agnostic")},
    {"words", tr_later("poor"), tr_later("very large"), tr_later("short"), tr_later("none"), tr_later("specific")},
    {"bpe", tr_later("very good"), tr_later("user-defined"), tr_later("longer than words"), tr_later("very good"),
     tr_later("medium")},
    {"wordpiece", tr_later("slightly worse than BPE"), tr_later("user-defined"), tr_later("longer than words"),
     tr_later("very good"), tr_later("medium")},
}};

// The pieces of one word with hyphens between them.
std::string pieces_of(const tokenizers::Tokenizer& tokenizer, const std::string& word) {
  const auto tokens = tokenizer.encode(word);
  std::string pieces;
  if (!tokens.ok()) return pieces;
  for (const tokenizers::Token& token : *tokens) pieces += (pieces.empty() ? "" : " - ") + tokenizer.display_text(token.id);
  return pieces;
}

}  // namespace

std::string lecture_note(const std::string& kind, const tokenizers::Tokenizer& tokenizer, const tokenizers::Measured& measured) {
  for (const LectureWords& said : kLectureWords) {
    if (kind != said.kind) continue;
    char per_token[32];
    std::snprintf(per_token, sizeof per_token, "%.2f", measured.bytes_per_token);
    std::string note =
        fill(tr("unknown tokens: {} here; a lecture says: {}"), {text::grouped_number(measured.unknown), tr(said.unknown)});
    note += "\n" + fill(tr("vocabulary: {} here; a lecture says: {}"),
                        {text::grouped_number(tokenizer.vocabulary_size()), tr(said.vocabulary)});
    note += "\n" + fill(tr("length: {} tokens of {} bytes here; a lecture says: {}"),
                        {text::grouped_number(measured.tokens), per_token, tr(said.length)});
    note += "\n" + fill(tr("meaning of parts, a lecture says: {}"), {tr(said.meaning)});
    note += "\n" + fill(tr("tied to a language, a lecture says: {}"), {tr(said.language)});
    if (kind == "bpe" || kind == "wordpiece")
      note += "\n" + fill(tr("unhappiness: {} here; a lecture cuts un-ha-pp-iness"), {pieces_of(tokenizer, "unhappiness")});
    return note;
  }
  return {};
}

}  // namespace headlight::views::tokens
