#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/attention/long_texts/gathered.h"

namespace headlight::long_texts {
namespace {

// m(x) of Sukhbaatar et al. 2019, equation 5: 1 up to the span, falling to 0 along the ramp.
double share(std::int64_t distance, std::int64_t span, std::int64_t ramp) {
  return std::clamp(static_cast<double>(ramp + span - distance) / static_cast<double>(ramp), 0.0, 1.0);
}

}  // namespace

Entry adaptive() {
  Entry e;
  e.id = "adaptive";
  e.label = "adaptive span";
  e.formula = "weights = m(|i - j|) exp(scores) / their sum, m(x) = min(max((ramp + span - x) / ramp, 0), 1)";
  e.source = "Sukhbaatar et al. 2019";
  e.group = Group::sparse;
  e.says = "A window with soft ends, whose span a model would learn head by head; here it is chosen.";
  e.parameters = {count_of("span", "span", 6, 0, 1 << 20, "Up to which distance keys count in full."),
                  count_of("ramp", "ramp", 4, 1, 1 << 20, "Over how many keys more the weights fall to 0.")};
  e.prepare = [](backends::Backend& backend, const Values& values, const Task& task) -> Result<std::unique_ptr<Method>> {
    const std::int64_t span = whole(values, "span"), ramp = whole(values, "ramp");
    Blocks blocks = window_blocks(task, span + ramp - 1, 1, 0);
    blocks.allow([&](std::int64_t i, std::int64_t j) { return (!task.causal || j <= i) && std::abs(i - j) < span + ramp; },
                 [&](std::int64_t i, std::int64_t j) { return std::log(share(std::abs(i - j), span, ramp)); }, backend.dtype());
    return blocks_method(backend, task, std::move(blocks), true);
  };
  e.pattern = [](const Values& values, const Task& task, const Rows& rows) -> Result<Pattern> {
    const std::int64_t span = whole(values, "span"), ramp = whole(values, "ramp");
    return softmax_pattern(
        task, rows, [=](std::int64_t i, std::int64_t j) { return std::abs(i - j) < span + ramp; },
        [=](std::int64_t i, std::int64_t j) { return std::log(share(std::abs(i - j), span, ramp)); });
  };
  e.for_length = [](std::int64_t) { return Values{{"span", std::int64_t{48}}, {"ramp", std::int64_t{16}}}; };
  return e;
}

}  // namespace headlight::long_texts
