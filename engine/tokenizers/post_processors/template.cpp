// template: special tokens around $A, or around $A and $B, as a text says: "[CLS] $A [SEP] $B:1 [SEP]:1". Parts are divided by
// spaces; ":1" is the type id of a part, 0 where it is not said. Other names are special tokens of the vocabulary; in a name a
// backslash stands before a space, a colon, a dollar or a backslash.
#include <algorithm>
#include <charconv>

#include "engine/text/unicode.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/post_processors/post_processor.h"

namespace headlight::tokenizers {
namespace {

struct TemplatePart {
  int sentence = -1;  // 0: $A, 1: $B, -1: the special token `id`
  std::int32_t id = -1;
  std::string piece;
  std::int32_t type = 0;
};
using TemplateParts = std::vector<TemplatePart>;

Result<TemplatePart> part_of(const TemplateWord& word, const Vocabulary& vocabulary) {
  TemplatePart part;
  part.type = word.type;
  if (word.sentence) {
    part.sentence = word.name == "A" ? 0 : 1;
    return part;
  }
  part.piece = word.name;
  part.id = vocabulary.find(part.piece);
  if (part.id < 0 || !vocabulary.is_special(part.id))
    return invalid("'{}' is no special token of this vocabulary", part.piece)
        .at("template")
        .mend("give $A, $B or a special token");
  return part;
}

// The parts of one template; `sentences` says which of $A and $B it must name, each once.
Result<TemplateParts> read_template(const std::string& text, int sentences, const Vocabulary& vocabulary) {
  TemplateParts parts;
  int seen[2] = {0, 0};
  for (const TemplateWord& word : template_words(text)) {
    HL_ASSIGN(TemplatePart part, part_of(word, vocabulary));
    if (part.sentence >= 0) ++seen[part.sentence];
    parts.push_back(std::move(part));
  }
  if (seen[0] != 1 || seen[1] != (sentences == 2 ? 1 : 0))
    return invalid("the template '{}' does not name each sentence once", text)
        .at("template")
        .mend(sentences == 2 ? Message("give one $A and one $B") : Message("give one $A"));
  return parts;
}

// Where the character that byte `at` belongs to begins.
std::int64_t character_start(std::string_view text, std::int64_t at) {
  while (at > 0 && at < static_cast<std::int64_t>(text.size()) &&
         (static_cast<unsigned char>(text[static_cast<std::size_t>(at)]) & 0xC0u) == 0x80)
    --at;
  return at;
}

class Template final : public PostProcessor {
 public:
  Template(TemplateParts single, TemplateParts pair, const std::string& spaces)
      : single_(std::move(single)), pair_(std::move(pair)), trims_(spaces != "kept"), prefixed_(spaces == "prefixed") {}

  Encoding process(const std::vector<Token>& a, const std::vector<Token>* b) const override {
    Encoding out;
    std::int64_t end = 0;  // of the sentence so far
    for (const TemplatePart& part : b ? pair_ : single_) {
      if (part.sentence < 0) {
        out.tokens.push_back({part.id, part.piece, end, end});
        out.types.push_back(part.type);
        out.sentences.push_back(-1);
        continue;
      }
      const std::vector<Token>& tokens = part.sentence == 0 ? a : *b;
      out.tokens.insert(out.tokens.end(), tokens.begin(), tokens.end());
      out.types.insert(out.types.end(), tokens.size(), part.type);
      out.sentences.insert(out.sentences.end(), tokens.size(), part.sentence);
      end = tokens.empty() ? 0 : tokens.back().end;
    }
    return out;
  }
  void place(Token& token, std::string_view read, bool begins, std::string_view text) const override {
    if (!trims_) return;
    std::int64_t leading = 0, trailing = 0, count = 0;  // characters of the piece that are spaces
    text::for_each_code_point(read, [&](std::int64_t, const text::CodePoint& point) {
      const bool space = point.value == kByteSpace || text::is_whitespace(point.value);
      trailing = space ? trailing + 1 : 0;
      if (space && leading == count) ++leading;
      ++count;
    });
    // One space may be what was put before the text.
    if (prefixed_ && (begins || character_start(text, token.start) == 0) && leading == 1) leading = 0;
    // As the library does it, as many characters of the text are left out.
    if (leading > 0) token.start = character_start(text, token.start);
    for (; leading > 0 && token.start < token.end; --leading) token.start += text::decode_at(text, token.start).length;
    token.end = std::max(token.end, token.start);
    std::int64_t end = token.end;
    for (; trailing > 0 && end > 0; --trailing) end = character_start(text, end - 1);
    if (trailing > 0 || end == token.end) return;  // there are not as many characters
    if (end <= token.start) token.start = end = character_start(text, token.start);
    token.end = end;
  }
  bool may_cut() const override { return single_.size() == 1; }

 private:
  static constexpr char32_t kByteSpace = 0x120;  // how the byte alphabet writes a space

  TemplateParts single_, pair_;
  bool trims_, prefixed_;
};

Result<std::shared_ptr<const PostProcessor>> make(const Values& values, const Vocabulary& vocabulary) {
  HL_ASSIGN(TemplateParts single, read_template(std::get<std::string>(values.at("single")), 1, vocabulary));
  HL_ASSIGN(TemplateParts pair, read_template(std::get<std::string>(values.at("pair")), 2, vocabulary));
  return std::shared_ptr<const PostProcessor>(
      std::make_shared<Template>(std::move(single), std::move(pair), std::get<std::string>(values.at("spaces"))));
}

}  // namespace

PostProcessorEntry template_post_processor() {
  return {"template",
          "template",
          "special tokens around $A and $B, with type ids",
          "Devlin et al. 2018 (BERT), input representation",
          {{"single", "single", "Around one sentence.", Parameter::Kind::text, std::string("$A"), 0, 0, {}},
           {"pair", "pair", "Around two sentences.", Parameter::Kind::text, std::string("$A $B:1"), 0, 0, {}},
           {"spaces",
            "spaces",
            "Whether a token's place has the spaces around it: kept, trimmed, or trimmed but for the one put before a text.",
            Parameter::Kind::choice,
            std::string("kept"),
            0,
            0,
            {"kept", "trimmed", "prefixed"},
            nullptr,
            true}},
          make};
}

std::vector<TemplateWord> template_words(const std::string& text) {
  std::vector<TemplateWord> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    TemplateWord word;
    std::size_t colon = std::string::npos;  // in word.name, the last one without a backslash
    const bool names_sentence = text.compare(at, 2, "$A") == 0 || text.compare(at, 2, "$B") == 0;
    for (; at < text.size() && text[at] != ' '; ++at) {
      if (text[at] == '\\' && at + 1 < text.size())
        ++at;
      else if (text[at] == ':')
        colon = word.name.size();
      word.name += text[at];
    }
    // A colon may belong to a token's name: only digits after it are a type id.
    if (colon != std::string::npos && colon > 0) {
      const char *begin = word.name.data() + colon + 1, *end = word.name.data() + word.name.size();
      const auto read = std::from_chars(begin, end, word.type);
      if (begin != end && read.ec == std::errc{} && read.ptr == end && word.type >= 0)
        word.name.resize(colon);
      else
        word.type = 0;
    }
    word.sentence = names_sentence && word.name.size() == 2;
    if (word.sentence) word.name.erase(0, 1);
    if (!word.name.empty()) words.push_back(std::move(word));
  }
  return words;
}

std::string in_template(const std::string& name) {
  std::string written;
  for (const char c : name) {
    if (c == ' ' || c == ':' || c == '$' || c == '\\') written += '\\';
    written += c;
  }
  return written;
}

Choice bracket_template(const std::string& before, const std::string& after) {
  const std::string head = before.empty() ? "" : in_template(before) + " ", tail = after.empty() ? "" : " " + in_template(after);
  return {"template",
          {{"single", head + "$A" + tail}, {"pair", head + "$A" + tail + " $B:1" + (after.empty() ? "" : tail + ":1")}}};
}

}  // namespace headlight::tokenizers
