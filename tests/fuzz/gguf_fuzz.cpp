// Any bytes as a GGUF file: the header is read, or refused with a sentence and its place; every tensor lies in the file, and
// every byte of those that can be read is widened; metadata is decoded. Run: build/fuzz/bin/gguf_fuzz CORPUS (see
// cmake/HeadlightFuzz.cmake). A corpus to begin with: tests/data/checkpoints/blocks.gguf.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "engine/checkpoints/gguf_header.h"
#include "engine/checkpoints/tensor_file.h"

namespace {

using namespace headlight::checkpoints;

void decode(const GgufMetadata& metadata) {
  for (const auto& [key, value] : metadata.all()) {
    if (metadata.find(key) != &value) std::abort();
    (void)metadata.integer(key);
    (void)metadata.real(key);
    (void)metadata.boolean(key);
    (void)metadata.text(key);
    (void)metadata.integers(key);
    (void)metadata.reals(key);
    (void)metadata.texts(key);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto file = read_gguf_header(bytes, "fuzz");
  const auto metadata = read_gguf_metadata(bytes, "fuzz", "tokenizer.");
  if (metadata) decode(*metadata);
  if (!file) {
    if (file.error().what.empty() || file.error().where.empty()) std::abort();
    return 0;
  }
  decode(file->metadata);
  const std::byte* const begin = reinterpret_cast<const std::byte*>(data);
  for (const StoredTensor& tensor : file->tensors) {
    if (tensor.bytes.empty()) continue;
    if (tensor.bytes.data() < begin || tensor.bytes.data() + tensor.bytes.size() > begin + size) std::abort();
    const std::int64_t count = headlight::element_count(tensor.shape);
    if (count < 0) std::abort();
    std::vector<float> out(static_cast<std::size_t>(count));  // at most 12 numbers a byte
    if (widen(tensor, 0, count, out.data()).ok() != can_widen(tensor.type)) std::abort();
    if (count > 1 && can_widen(tensor.type)) (void)widen(tensor, 1, count - 1, out.data());
  }
  return 0;
}
