// Any bytes as a training's configuration: it is read, or refused with a sentence and its place; what was read can be compared
// with itself. Run: build/fuzz/bin/train_config_fuzz CORPUS (see cmake/HeadlightFuzz.cmake).
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/train/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto config = headlight::train::config_from_json({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!config) {
    if (config.error().what.empty() || config.error().where.empty()) std::abort();
    return 0;
  }
  if (!headlight::train::check_same_training(headlight::train::what_determines(*config), *config, "fuzz")) std::abort();
  return 0;
}
