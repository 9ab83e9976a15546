// scripts: cut where the script changes, as the library tokenizers does it: kana count as Chinese characters, a space belongs to
// what stands before it, and spaces at the beginning are left out.
#include "engine/text/patterns/scripts.h"
#include "engine/text/splitters/splitter.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

std::vector<Span> split_scripts(std::string_view text) {
  std::vector<Span> spans;
  int last = 0;
  for_each_code_point(text, [&](std::int64_t at, const CodePoint& point) {
    const int script = !point.valid || point.value == ' ' ? 0 : script_of(point.value);
    if (script != 0 && script != last) {
      if (!spans.empty()) spans.back().end = at;
      spans.push_back({at, at});
      last = script;
    }
  });
  if (!spans.empty()) spans.back().end = static_cast<std::int64_t>(text.size());
  return spans;
}

class ScriptsSplitter final : public Splitter {
 public:
  void split(Split& split) const override { refine(split, split_scripts); }
  bool may_cut() const override { return false; }  // spaces at the beginning of a part would be left out
};

Result<std::shared_ptr<const Splitter>> make_scripts(const Values&) {
  return std::shared_ptr<const Splitter>(std::make_shared<ScriptsSplitter>());
}

}  // namespace

SplitterEntry scripts() {
  return {"scripts", "scripts", "cut where the script changes", "Hugging Face tokenizers, UnicodeScripts", {}, make_scripts};
}

}  // namespace headlight::text
