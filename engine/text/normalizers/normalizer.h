// The interface of normalisers and their registry: what a text becomes before it is split into words. One file a kind.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/registry_stage.h"
#include "engine/text/normalized.h"

namespace headlight::text {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  // Any bytes are accepted; bytes that are no UTF-8 pass unchanged.
  virtual void apply(Normalized& text) const = 0;
  // Whether the parts that part_end() cuts, normalised one by one, give what the whole text gives, and still end in a visible
  // character.
  virtual bool may_cut() const = 0;
};

struct NormalizerEntry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  Result<std::shared_ptr<const Normalizer>> (*make)(const Values& values) = nullptr;
};

const Registry<NormalizerEntry>& normalizer_registry();

using Normalizers = std::vector<Stage<Normalizer>>;
// In the order in which they are applied. Errors: make_stage's.
Result<Normalizers> make_normalizers(const std::vector<Choice>& choices);
// The text after all of them.
Normalized normalize(std::string_view text, const Normalizers& normalizers);

// The entries, each in its own file.
NormalizerEntry nfc();
NormalizerEntry nfd();
NormalizerEntry nfkc();
NormalizerEntry nfkd();
NormalizerEntry lowercase();
NormalizerEntry strip_accents();
NormalizerEntry replace();
NormalizerEntry prepend();
NormalizerEntry clean_text();

}  // namespace headlight::text
