#include <cstdlib>

#include "engine/attention/long_texts/gathered.h"

namespace headlight::long_texts {
namespace {

Result<std::unique_ptr<Method>> prepare_window(backends::Backend& backend, const Task& task, std::int64_t size,
                                               std::int64_t step) {
  Blocks blocks = window_blocks(task, size, step, 0);
  blocks.allow([&](std::int64_t i, std::int64_t j) { return (!task.causal || j <= i) && std::abs(i - j) <= size * step; },
               nullptr, backend.dtype());
  return blocks_method(backend, task, std::move(blocks), false);
}

}  // namespace

Entry window() {
  Entry e;
  e.id = "window";
  e.label = "sliding window";
  e.formula = "query i sees key j if |i - j| <= window";
  e.source = "Beltagy et al. 2020 (Longformer)";
  e.group = Group::sparse;
  e.says = "Every token sees its neighbours and nothing else.";
  e.parameters = {count_of("window", "window", 4, 1, 1 << 20, "How many keys a query sees on each side of itself.")};
  e.prepare = [](backends::Backend& backend, const Values& values, const Task& task) {
    return prepare_window(backend, task, whole(values, "window"), 1);
  };
  e.pattern = [](const Values& values, const Task& task, const Rows& rows) -> Result<Pattern> {
    const std::int64_t size = whole(values, "window");
    return softmax_pattern(task, rows, [size](std::int64_t i, std::int64_t j) { return std::abs(i - j) <= size; });
  };
  e.for_length = [](std::int64_t) { return Values{{"window", std::int64_t{64}}}; };
  return e;
}

Entry dilated() {
  Entry e;
  e.id = "dilated";
  e.label = "dilated window";
  e.formula = "query i sees key j if |i - j| <= window * dilation and dilation divides i - j";
  e.source = "Beltagy et al. 2020 (Longformer), 3.1";
  e.group = Group::sparse;
  e.says = "A window with holes: as many keys, further apart.";
  e.parameters = {count_of("window", "window", 4, 1, 1 << 20, "How many keys a query sees on each side of itself."),
                  count_of("dilation", "dilation", 2, 1, 1 << 20, "How far apart the keys stand that a query sees.")};
  e.prepare = [](backends::Backend& backend, const Values& values, const Task& task) {
    return prepare_window(backend, task, whole(values, "window"), whole(values, "dilation"));
  };
  e.pattern = [](const Values& values, const Task& task, const Rows& rows) -> Result<Pattern> {
    const std::int64_t step = whole(values, "dilation"), reach = whole(values, "window") * step;
    return softmax_pattern(task, rows,
                           [=](std::int64_t i, std::int64_t j) { return std::abs(i - j) <= reach && (i - j) % step == 0; });
  };
  e.for_length = [](std::int64_t) { return Values{{"window", std::int64_t{64}}, {"dilation", std::int64_t{2}}}; };
  return e;
}

}  // namespace headlight::long_texts
