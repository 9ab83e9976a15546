// Any bytes as a GGUF file whose tokenizer is asked for: it is made and cuts a text without losing a byte's place, or it is
// refused with a sentence. Run: build/fuzz/bin/gguf_tokenizer_fuzz CORPUS (see cmake/HeadlightFuzz.cmake).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "engine/tokenizers/files/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headlight;
  static const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("headlight-fuzz-" + std::to_string(::rand()) + ".gguf");
  std::FILE* const out = std::fopen(file.c_str(), "wb");
  if (!out) std::abort();
  std::fwrite(data, 1, size, out);
  std::fclose(out);
  const auto tokenizer = tokenizers::gguf_format().load(file);
  if (!tokenizer) {
    if (tokenizer.error().what.empty()) std::abort();
    return 0;
  }
  const std::string text = "The 1234 dogs' <|x|> caf\xc3\xa9  \n\xff!";
  const auto tokens = (*tokenizer)->encode(text);
  if (!tokens) {  // a model without an unknown token may refuse a text
    if (tokens.error().what.empty()) std::abort();
    return 0;
  }
  std::vector<std::int32_t> ids;
  for (const tokenizers::Token& token : *tokens) {
    if (token.start < 0 || token.end < token.start || token.end > static_cast<std::int64_t>(text.size())) std::abort();
    ids.push_back(token.id);
  }
  (void)(*tokenizer)->decode(ids);
  return 0;
}
