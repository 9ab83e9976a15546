// Any bytes as a safetensors file: they are read, or refused with a sentence and its place; no tensor is larger than the file
// allows. Run: build/fuzz/bin/safetensors_fuzz CORPUS (see cmake/HeadlightFuzz.cmake).
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "engine/core/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = headlight::read_safetensors({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!file) {
    if (file.error().what.empty() || file.error().where.empty()) std::abort();
    return 0;
  }
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : file->tensors) {
    bytes += tensor.bytes();
    volatile std::byte last{};  // every byte that the tensor claims is there
    if (tensor.bytes() > 0) last = tensor.raw()[tensor.bytes() - 1];
    (void)last;
  }
  // float16 becomes float32: never more than twice what the file has.
  if (bytes > 2 * size) std::abort();
  return 0;
}
