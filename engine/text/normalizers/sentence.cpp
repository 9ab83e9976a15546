// sentence: what SentencePiece does with a text before its model. Its table of replacements is applied, the longest entry first;
// spaces at the ends and beside others may be left out, one may be put before the text (or behind it), and each becomes "▁".
// Pieces that a user defined stay as they are.
#include <algorithm>

#include "engine/core/json.h"
#include "engine/core/sorting.h"
#include "engine/text/charsmaps/charsmap.h"
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

constexpr std::string_view kSign = "▁", kBroken = "\uFFFD";

struct SentenceOptions {
  bool prefix = true, suffix = false, removes = true, escapes = true;
  std::vector<std::string> user_defined;  // the longest first
};

class Sentence final : public Normalizer {
 public:
  Sentence(Charsmap map, SentenceOptions options) : map_(std::move(map)), options_(std::move(options)) {}

  void apply(Normalized& text) const override {
    const std::string_view input = text.text();
    const auto size = static_cast<std::int64_t>(input.size());
    std::string made;
    std::vector<Span> sources;
    std::int64_t at = 0;
    const auto part_at = [&] { return part_of(input.substr(static_cast<std::size_t>(at))); };
    if (options_.removes)
      for (Part part; at < size && (part = part_at()).text == " ";) at += part.length;
    const auto source = [&](std::int64_t start, std::int64_t end) {
      if (start == end)
        return start < size ? Span{text.source(start, start + 1).start, text.source(start, start + 1).start} : Span{};
      return text.source(start, end);
    };
    // The last byte alone comes from the part: so a piece that ends before it stands for nothing, as SentencePiece says it.
    const auto put = [&](std::string_view bytes, Span from) {
      made += bytes;
      sources.resize(made.size(), Span{from.start, from.start});
      if (!bytes.empty()) sources.back() = from;
    };
    const std::string_view space = options_.escapes ? kSign : " ";
    const bool is_empty = at >= size;
    if (!is_empty && options_.prefix && !options_.suffix) put(space, source(at, at));
    bool after_space = options_.removes;
    while (at < size) {
      const Part part = part_at();
      std::string_view rest = part.text;
      while (after_space && rest.starts_with(' ')) rest.remove_prefix(1);
      const Span from = source(at, at + part.length);
      for (std::size_t i = 0; i < rest.size(); ++i) {
        const Span own = i + 1 == rest.size() ? from : Span{from.start, from.start};
        put(rest[i] == ' ' ? space : rest.substr(i, 1), own);
      }
      // What is left out belongs to the space before it.
      if (rest.empty() && !sources.empty()) sources.back().end = from.end;
      if (!rest.empty()) after_space = rest.ends_with(' ');
      at += part.length;
      if (!options_.removes) after_space = false;
    }
    std::int64_t end = size > 0 ? text.source(size - 1, size).end : 0;  // of what the result stands for
    while (options_.removes && made.ends_with(space) && !made.empty()) {
      made.resize(made.size() - space.size());
      end = sources[made.size()].start;
      sources.resize(made.size());
    }
    if (!is_empty && options_.prefix && options_.suffix) put(space, {end, end});
    text.replace(std::move(made), std::move(sources));
  }
  void rewrite(std::string& text) const override {
    std::string made;
    made.reserve(text.size() + 8);
    std::string_view rest = text;
    const auto take = [&] {
      const Part part = part_of(rest);
      rest.remove_prefix(static_cast<std::size_t>(part.length));
      return part.text;
    };
    if (options_.removes)
      while (!rest.empty() && part_of(rest).text == " ") take();
    const std::string_view space = options_.escapes ? kSign : " ";
    const bool is_empty = rest.empty();
    if (!is_empty && options_.prefix && !options_.suffix) made += space;
    bool after_space = options_.removes;
    while (!rest.empty()) {
      std::string_view part = take();
      while (after_space && part.starts_with(' ')) part.remove_prefix(1);
      for (const char c : part)
        if (c == ' ')
          made += space;
        else
          made += c;
      if (!part.empty()) after_space = part.ends_with(' ');
      if (!options_.removes) after_space = false;
    }
    while (options_.removes && made.ends_with(space) && !made.empty()) made.resize(made.size() - space.size());
    if (!is_empty && options_.prefix && options_.suffix) made += space;
    text = std::move(made);
  }
  bool may_cut() const override { return false; }

 private:
  struct Part {
    std::string_view text;  // what stands for it
    std::int64_t length = 0;
  };
  Part part_of(std::string_view rest) const {
    for (const std::string& piece : options_.user_defined)
      if (rest.starts_with(piece)) return {rest.substr(0, piece.size()), static_cast<std::int64_t>(piece.size())};
    if (const auto found = map_.longest(rest)) return {found->replacement, found->length};
    const CodePoint point = decode_at(rest, 0);
    return {point.valid ? rest.substr(0, static_cast<std::size_t>(point.length)) : kBroken, point.length};
  }

  Charsmap map_;
  SentenceOptions options_;
};

Result<std::shared_ptr<const Normalizer>> make_sentence(const Values& values) {
  HL_ASSIGN(Charsmap map, Charsmap::of_base64(std::get<std::string>(values.at("charsmap"))));
  SentenceOptions options;
  options.prefix = std::get<bool>(values.at("prefix"));
  options.suffix = std::get<bool>(values.at("suffix"));
  options.removes = std::get<bool>(values.at("removes"));
  options.escapes = std::get<bool>(values.at("escapes"));
  if (const auto& list = std::get<std::string>(values.at("user_defined")); !list.empty()) {
    HL_ASSIGN(const Json json, Json::parse(list));
    for (const Json& one : json.elements())
      if (!one.string().empty()) options.user_defined.push_back(one.string());
    sort_stably(options.user_defined, [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  }
  return std::shared_ptr<const Normalizer>(std::make_shared<Sentence>(std::move(map), std::move(options)));
}

Parameter flag(const char* id, const char* label, const char* help, bool fallback) {
  return {id, label, help, Parameter::Kind::boolean, fallback, 0, 0, {}};
}

}  // namespace

NormalizerEntry sentence() {
  return {"sentence",
          "SentencePiece's rules",
          "a table's replacements, spaces as ▁",
          "Kudo and Richardson 2018 (SentencePiece)",
          {{"charsmap", "table", "The table of replacements, in base64.", Parameter::Kind::text, std::string(), 0, 0, {}},
           flag("prefix", "space before", "Whether a space is put before the text.", true),
           flag("suffix", "space behind", "Whether it is put behind the text instead.", false),
           flag("removes", "fewer spaces", "Whether spaces at the ends and beside others are left out.", true),
           flag("escapes", "visible spaces", "Whether spaces become ▁.", true),
           {"user_defined",
            "user's pieces",
            "Pieces that stay as they are, as a list in JSON.",
            Parameter::Kind::text,
            std::string(),
            0,
            0,
            {},
            nullptr,
            true}},
          make_sentence};
}

}  // namespace headlight::text
