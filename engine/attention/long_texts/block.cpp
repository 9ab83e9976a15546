#include <algorithm>

#include "engine/attention/long_texts/gathered.h"

namespace headlight::long_texts {

// "Blockwise" names two things: this pattern, and the exact computation block by block (blockwise.cpp).
Entry block() {
  Entry e;
  e.id = "block";
  e.label = "block-sparse";
  e.formula = "query i sees key j if floor(i / block) = floor(j / block)";
  e.source = "Qiu et al. 2020 (BlockBERT)";
  e.group = Group::sparse;
  e.says = "The text is cut into blocks, and a token sees its own block only.";
  e.parameters = {count_of("block", "block", 8, 1, 1 << 20, "How many neighbouring tokens share a block.")};
  e.prepare = [](backends::Backend& backend, const Values& values, const Task& task) -> Result<std::unique_ptr<Method>> {
    const std::int64_t size = std::min(whole(values, "block"), task.tokens), count = (task.tokens + size - 1) / size;
    Blocks blocks(count, size, size);
    for (std::int64_t i = 0; i < task.tokens; ++i)
      blocks.queries[static_cast<std::size_t>(i)] = blocks.of_keys[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
    blocks.allow([&](std::int64_t i, std::int64_t j) { return !task.causal || j <= i; }, nullptr, backend.dtype());
    return blocks_method(backend, task, std::move(blocks), false);
  };
  e.pattern = [](const Values& values, const Task& task, const Rows& rows) -> Result<Pattern> {
    const std::int64_t size = whole(values, "block");
    return softmax_pattern(task, rows, [size](std::int64_t i, std::int64_t j) { return i / size == j / size; });
  };
  e.for_length = [](std::int64_t) { return Values{{"block", std::int64_t{128}}}; };
  return e;
}

}  // namespace headlight::long_texts
