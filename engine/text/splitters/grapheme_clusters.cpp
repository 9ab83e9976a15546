// graphemes: every grapheme cluster is a word of its own, spaces included.
#include "engine/text/graphemes.h"
#include "engine/text/splitters/splitter.h"

namespace headlight::text {
namespace {

std::vector<Span> clusters(std::string_view text) {
  std::vector<Span> spans;
  spans.reserve(text.size());
  for_each_grapheme(text, [&](std::int64_t start, std::int64_t end) { spans.push_back({start, end}); });
  return spans;
}

class Graphemes final : public Splitter {
 public:
  void split(Split& split) const override { refine(split, clusters); }
  bool may_cut() const override { return true; }
};

Result<std::shared_ptr<const Splitter>> make_grapheme_clusters(const Values&) {
  return std::shared_ptr<const Splitter>(std::make_shared<Graphemes>());
}

}  // namespace

SplitterEntry graphemes() {
  return {"graphemes", "grapheme clusters",   "every grapheme cluster alone", "Unicode Standard Annex 29",
          {},          make_grapheme_clusters};
}

}  // namespace headlight::text
