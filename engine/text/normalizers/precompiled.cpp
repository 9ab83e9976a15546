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
  void rewrite(std::string& text) const override {
    const std::string_view input = text;
    if (!changes(input)) return;
    std::string made;
    made.reserve(text.size() + 8);
    const auto put = [&](std::string_view part) {
      for_each_code_point(part, [&](std::int64_t, const CodePoint& point) { append_utf8(made, point.value); });
    };
    for_each_grapheme(input, [&](std::int64_t start, std::int64_t end) {
      const std::string_view cluster = input.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
      if (end - start <= kLongestCluster)
        if (const auto found = map_.shortest(cluster)) return put(found->replacement);
      for_each_code_point(cluster, [&](std::int64_t at, const CodePoint& point) {
        const std::string_view one = cluster.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(point.length));
        if (const auto found = point.valid ? map_.shortest(one) : std::nullopt)
          put(found->replacement);
        else
          made += one;
      });
    });
    text = std::move(made);
  }
  bool may_cut() const override { return false; }  // a newline may become a space

 private:
  // Whether an entry stands anywhere; if not, the text stays as it is and its clusters need not be found.
  bool changes(std::string_view text) const {
    if (map_.empty()) return false;
    for (std::size_t at = 0; at < text.size();) {
      if (map_.shortest(text.substr(at))) return true;
      at += static_cast<std::size_t>(decode_at(text, static_cast<std::int64_t>(at)).length);
    }
    return false;
  }

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
