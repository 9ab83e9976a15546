// The interface of normalisers and their registry. A normaliser changes a text before it is split into words, for example to
// small letters. One file a kind.
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
  // The same of a text alone, without the places that its bytes come from.
  virtual void rewrite(std::string& text) const {
    Normalized whole(text);
    apply(whole);
    text = whole.text();
  }
  // Whether a long text may be normalised part by part: the parts that part_end() cuts, normalised one by one, give the whole
  // text's result and still end in a visible character.
  virtual bool may_cut() const = 0;
};

struct NormalizerEntry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  Result<std::shared_ptr<const Normalizer>> (*make)(const Values& values) = nullptr;
};

const Registry<NormalizerEntry>& normalizer_registry();

using Normalizers = std::vector<Stage<Normalizer>>;
// The normalisers of the choices, which are applied in this order. Errors: make_stage's.
Result<Normalizers> make_normalizers(const std::vector<Choice>& choices);
// The text after all normalisers. With "lowercase", normalize("The Dog", normalizers).text() is "the dog".
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
NormalizerEntry space_ideographs();
NormalizerEntry strip_spaces();
NormalizerEntry nmt();
NormalizerEntry precompiled();
NormalizerEntry byte_alphabet();
NormalizerEntry sentence();

}  // namespace headlight::text
