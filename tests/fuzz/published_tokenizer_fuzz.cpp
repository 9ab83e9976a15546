// Any bytes as the file of a published tokenizer: it is opened, or refused with a sentence; what was opened cuts the bytes
// themselves into tokens inside of the text, by ids of the vocabulary, which encode_ids() finds too. The first byte says which
// format is meant. Run: build/fuzz/bin/published_tokenizer_fuzz CORPUS (see cmake/HeadlightFuzz.cmake).
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "engine/tokenizers/files/format.h"

using namespace headlight::tokenizers;

namespace {

void write(const std::filesystem::path& file, std::string_view bytes) { std::ofstream(file, std::ios::binary) << bytes; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder = [] {
    const auto made = std::filesystem::temp_directory_path() / ("headlight_fuzz_" + std::to_string(getpid()));
    std::filesystem::create_directories(made);
    return made;
  }();
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const FormatEntry formats[] = {hugging_face_format(), gpt2_format(),      bert_format(),
                                 tiktoken_format(),     headlight_format(), sentencepiece_format()};
  const FormatEntry& format = formats[data[0] % std::size(formats)];
  const std::filesystem::path file = folder / format.names.front();
  if (format.id == gpt2_format().id) {  // two files: vocab.json, and merges.txt after the first empty line
    const std::size_t end = std::min(bytes.find("\n\n"), bytes.size());
    write(folder / "merges.txt", bytes.substr(std::min(bytes.size(), end + 2)));
    write(file, bytes.substr(0, end));
  } else {
    write(file, bytes);
  }
  const auto tokenizer = format.load(file);
  if (!tokenizer) {
    if (tokenizer.error().what.empty()) std::abort();
    return 0;
  }
  const std::string_view text = bytes.substr(0, 2000);
  const auto tokens = (*tokenizer)->encode(text);
  const auto ids = (*tokenizer)->encode_ids(text);
  // A model without an unknown token may refuse a text, both ways.
  if (tokens.ok() != ids.ok() || (!tokens && tokens.error().what.empty())) std::abort();
  if (!tokens) return 0;
  if (tokens->size() != ids->size()) std::abort();
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    const Token& token = (*tokens)[i];
    if (token.id < 0 || token.id >= (*tokenizer)->vocabulary_size() || token.id != (*ids)[i]) std::abort();
    if (token.start < 0 || token.start > token.end || token.end > static_cast<std::int64_t>(text.size())) std::abort();
  }
  (*tokenizer)->decode(*ids, true);
  return 0;
}
