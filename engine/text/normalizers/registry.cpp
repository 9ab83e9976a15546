#include "engine/text/normalizers/normalizer.h"

namespace headlight::text {

const Registry<NormalizerEntry>& normalizer_registry() {
  static const Registry<NormalizerEntry> kinds(
      "normaliser", {nfc(), nfd(), nfkc(), nfkd(), lowercase(), strip_accents(), replace(), prepend(), clean_text(),
                     space_ideographs(), strip_spaces(), nmt(), precompiled(), byte_alphabet(), sentence()});
  return kinds;
}

Result<Normalizers> make_normalizers(const std::vector<Choice>& choices) {
  Normalizers made;
  for (const Choice& choice : choices) {
    HL_ASSIGN(Stage<Normalizer> stage, make_stage<Normalizer>(normalizer_registry(), choice));
    made.push_back(std::move(stage));
  }
  return made;
}

Normalized normalize(std::string_view text, const Normalizers& normalizers) {
  Normalized normalized(text);
  for (const Stage<Normalizer>& stage : normalizers) stage->apply(normalized);
  return normalized;
}

}  // namespace headlight::text
