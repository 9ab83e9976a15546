#include "engine/text/splitters/splitter.h"

namespace headlight::text {

const Registry<SplitterEntry>& splitter_registry() {
  static const Registry<SplitterEntry> kinds("splitter", {words(), gpt2(), cl100k(), graphemes(), byte_level(), pattern(),
                                                          punctuation(), metaspace(), prefix_space(), scripts(), fixed_length()});
  return kinds;
}

Result<Splitters> make_splitters(const std::vector<Choice>& choices) {
  Splitters made;
  for (const Choice& choice : choices) {
    HL_ASSIGN(Stage<Splitter> stage, make_stage<Splitter>(splitter_registry(), choice));
    made.push_back(std::move(stage));
  }
  return made;
}

Split split(Normalized text, const Splitters& splitters, bool at_start) {
  Split split{std::move(text), {}, at_start};
  if (const auto size = static_cast<std::int64_t>(split.text.text().size()); size > 0) split.words.push_back({0, size});
  for (const Stage<Splitter>& stage : splitters) stage->split(split);
  return split;
}

}  // namespace headlight::text
