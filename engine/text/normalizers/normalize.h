// Normalisers: they change a text and remember, byte by byte, which bytes of the input each result came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"
#include "engine/text/splitters/pre_tokenize.h"

namespace headlight::text {

// nfc, nfd, nfkc: Unicode Standard Annex 15 (utf8proc's tables). lowercase: simple case mapping, and U+0130 as i + dot.
// strip_accents: removes nonspacing marks (category Mn); after nfd that turns "é" into "e", as BERT's uncased models do.
enum class Normalizer { nfc, nfd, nfkc, lowercase, strip_accents };
const char* name_of(Normalizer normalizer);  // "nfc", ...
Result<Normalizer> normalizer_named(std::string_view name);

class Normalized {
 public:
  explicit Normalized(std::string_view input) : text_(input) {}

  const std::string& text() const { return text_; }
  // The input bytes that bytes [start, end) of text() came from; start < end.
  Span source(std::int64_t start, std::int64_t end) const;
  // Bytes that are no UTF-8 pass unchanged.
  void apply(Normalizer normalizer);

 private:
  void apply_form(Normalizer normalizer);
  void apply_each(Normalizer normalizer);
  void replace(std::string text, std::vector<Span> sources);
  std::string text_;
  std::vector<Span> sources_;  // one a byte of text_; empty: each byte stands for itself
};

Normalized normalize(std::string_view text, const std::vector<Normalizer>& normalizers);

}  // namespace headlight::text
