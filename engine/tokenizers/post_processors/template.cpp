// template: special tokens around $A, or around $A and $B, as a text says: "[CLS] $A [SEP] $B:1 [SEP]:1". Parts are divided by
// spaces; ":1" is the type id of a part, 0 where it is not said. Other names are special tokens of the vocabulary.
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

Result<TemplatePart> read_part(std::string_view word, const Vocabulary& vocabulary) {
  TemplatePart part;
  // A colon may belong to a token's name: only digits after it are a type id.
  if (const std::size_t colon = word.rfind(':'); colon != std::string_view::npos && colon > 0) {
    const char *begin = word.data() + colon + 1, *end = word.data() + word.size();
    const auto read = std::from_chars(begin, end, part.type);
    if (begin != end && read.ec == std::errc{} && read.ptr == end && part.type >= 0) {
      word = word.substr(0, colon);
    } else {
      part.type = 0;
    }
  }
  if (word == "$A" || word == "$B") {
    part.sentence = word == "$A" ? 0 : 1;
    return part;
  }
  part.piece = std::string(word);
  part.id = vocabulary.find(word);
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
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) {
      HL_ASSIGN(TemplatePart part, read_part(std::string_view(text).substr(at, end - at), vocabulary));
      if (part.sentence >= 0) ++seen[part.sentence];
      parts.push_back(std::move(part));
    }
    at = end + 1;
  }
  if (seen[0] != 1 || seen[1] != (sentences == 2 ? 1 : 0))
    return invalid("the template '{}' does not name each sentence once", text)
        .at("template")
        .mend(sentences == 2 ? Message("give one $A and one $B") : Message("give one $A"));
  return parts;
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
  void place(std::vector<Token>& tokens, std::size_t first, std::string_view text) const override {
    if (!trims_) return;
    for (std::size_t i = first; i < tokens.size(); ++i) {
      Token& token = tokens[i];
      // An added token may have taken whitespace of the text along.
      const std::string_view piece =
          token.added ? text.substr(static_cast<std::size_t>(token.start), static_cast<std::size_t>(token.end - token.start))
                      : std::string_view(token.piece);
      std::vector<std::int64_t> lengths;  // of the piece's characters as bytes of the text; 0: it is no space
      text::for_each_code_point(piece, [&](std::int64_t, const text::CodePoint& point) {
        const bool space = point.value == kByteSpace || text::is_whitespace(point.value);
        lengths.push_back(!space ? 0 : point.value == kByteSpace ? 1 : point.length);
      });
      std::size_t begin = 0, end = lengths.size();
      std::int64_t leading = 0, trailing = 0;
      // The space that was put before the text is none of it.
      if (prefixed_ && (i == 0 || token.start == 0) && begin < end && lengths[begin] > 0) ++begin;
      while (begin < lengths.size() && lengths[begin] > 0) leading += lengths[begin++];
      while (end > 0 && lengths[end - 1] > 0) trailing += lengths[--end];
      token.start = std::min(token.start + leading, token.end);
      if (token.end >= trailing) token.end = std::max(token.end - trailing, token.start);
    }
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

Choice bracket_template(const std::string& before, const std::string& after) {
  const std::string head = before.empty() ? "" : before + " ", tail = after.empty() ? "" : " " + after;
  return {"template",
          {{"single", head + "$A" + tail}, {"pair", head + "$A" + tail + " $B:1" + (after.empty() ? "" : " " + after + ":1")}}};
}

}  // namespace headlight::tokenizers
