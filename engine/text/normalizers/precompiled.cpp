// precompiled: the replacements of SentencePiece's compiled table (charsmap.h), as the library tokenizers applies it: a grapheme
// cluster of at most five bytes becomes what the shortest entry at its beginning says, else each of its characters does.
#include "engine/text/charsmaps/charsmap.h"
#include "engine/text/graphemes.h"
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

constexpr std::int64_t kLongestCluster = 5;

class Precompiled final : public Normalizer {
 public:
  explicit Precompiled(Charsmap map) : map_(std::move(map)) {}

  void apply(Normalized& text) const override {
    if (map_.empty()) return;
    Rewrite result(text);
    std::vector<Change> changes;
    const std::string_view input = text.text();
    const auto slice = [&](std::int64_t start, std::int64_t end) {
      return input.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
    };
    for_each_grapheme(input, [&](std::int64_t start, std::int64_t end) {
      if (end - start <= kLongestCluster)
        if (const auto found = map_.shortest(slice(start, end))) return replace(slice(start, end), found->replacement, changes);
      for (std::int64_t at = start; at < end;) {
        const CodePoint point = decode_at(input, at);
        const std::int64_t next = at + point.length;
        if (!point.valid) {
          make(changes, result);
          result.keep(at, next);
        } else if (const auto found = map_.shortest(slice(at, next))) {
          replace(slice(at, next), found->replacement, changes);
        } else {
          changes.push_back({point.value, 0});
        }
        at = next;
      }
    });
    make(changes, result);
    result.into(text);
  }
  bool may_cut() const override { return false; }  // a newline may become a space

 private:
  struct Change {
    char32_t character;
    std::int64_t change;  // as Rewrite::change takes it
  };

  // As many characters as both have come from each other. Those that are too many vanish behind the last one, which at the
  // beginning of a text is none: then what follows comes from places too early, in the library too.
  static void replace(std::string_view old, std::string_view made, std::vector<Change>& changes) {
    const std::int64_t before = count_code_points(old), after = count_code_points(made);
    std::int64_t at = 0;
    for_each_code_point(made, [&](std::int64_t, const CodePoint& point) {
      changes.push_back({point.value, at++ < before ? 0 : 1});
    });
    if (after < before && !changes.empty()) changes.back().change += after - before;
  }
  static void make(std::vector<Change>& changes, Rewrite& result) {
    for (const Change& one : changes) result.change(one.character, one.change);
    changes.clear();
  }

  Charsmap map_;
};

Result<std::shared_ptr<const Normalizer>> make_precompiled(const Values& values) {
  HL_ASSIGN(Charsmap map, Charsmap::of_base64(std::get<std::string>(values.at("charsmap"))));
  return std::shared_ptr<const Normalizer>(std::make_shared<Precompiled>(std::move(map)));
}

}  // namespace

NormalizerEntry precompiled() {
  return {"precompiled",
          "compiled table",
          "the replacements of a table",
          "Kudo and Richardson 2018 (SentencePiece)",
          {{"charsmap", "table", "The table of SentencePiece, in base64.", Parameter::Kind::text, std::string(), 0, 0, {}}},
          make_precompiled};
}

}  // namespace headlight::text
