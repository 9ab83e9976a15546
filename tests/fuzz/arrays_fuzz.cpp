// Attention as somebody's file of arrays: whatever the bytes say, they are read as they are or refused, and nothing else is
// touched.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/arrays/array_file.h"
#include "engine/arrays/reading.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headlight;
  auto bytes = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size);
  const auto file = arrays::open(std::move(bytes), "fuzzed");
  if (!file) return 0;
  const auto guess = arrays::guess(**file);
  if (!guess) return 0;
  const auto parts = arrays::parts_of(*file, guess->reading);
  if (!parts) return 0;
  for (const arrays::Part& part : *parts)
    for (const arrays::Cells& cells : part.cells)
      if (cells.rows * cells.columns < 1 << 16)
        cells.tile(cells.layers - 1, cells.sentences - 1, cells.heads - 1, 0, cells.rows, 0, cells.columns);
  return 0;
}
