#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "engine/attention/long_texts/gathered.h"

namespace headlight::long_texts {
namespace {

// Windows with the global tokens among their keys; then the global tokens' own rows over all keys, which replace theirs.
class Longformer final : public Method {
 public:
  static Result<std::unique_ptr<Method>> make(backends::Backend& backend, const Values& values, const Task& task) {
    const std::int64_t size = whole(values, "window"), first = std::min(whole(values, "global"), task.tokens);
    const auto before = [&task](std::int64_t i, std::int64_t j) { return !task.causal || j <= i; };
    Blocks near = window_blocks(task, size, 1, first), far(1, first, task.tokens);
    near.allow([&](std::int64_t i, std::int64_t j) { return before(i, j) && (j < first || std::abs(i - j) <= size); }, nullptr,
               backend.dtype());
    for (std::int64_t i = 0; i < task.tokens; ++i) {
      if (i < first) far.queries[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
      far.of_keys[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
    }
    far.allow(before, nullptr, backend.dtype());
    HL_ASSIGN(Gathered of_near, Gathered::make(backend, task, near, false));
    HL_ASSIGN(Gathered of_far, Gathered::make(backend, task, far, false));
    return std::unique_ptr<Method>(new Longformer(std::move(near), std::move(far), std::move(of_near), std::move(of_far)));
  }
  Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) override {
    HL_TRY(of_near_.run(near_, rows, out, cancel));
    return of_far_.run(far_, rows, out, cancel);
  }
  double cells() const override { return of_near_.cells() + of_far_.cells(); }
  operations::Cost cost() const override {
    operations::Cost cost = of_near_.cost();
    return cost += of_far_.cost();
  }

 private:
  Longformer(Blocks near, Blocks far, Gathered of_near, Gathered of_far)
      : near_(std::move(near)), far_(std::move(far)), of_near_(std::move(of_near)), of_far_(std::move(of_far)) {}
  Blocks near_, far_;
  Gathered of_near_, of_far_;
};

}  // namespace

Entry global() {
  Entry e;
  e.id = "global";
  e.label = "Longformer";
  e.formula = "query i sees key j if |i - j| <= window, or one of them is among the first `global` tokens";
  e.source = "Beltagy et al. 2020 (Longformer), 3.1";
  e.group = Group::sparse;
  e.says = "A window, and a few first tokens that see all and are seen by all.";
  e.parameters = {count_of("window", "window", 4, 1, 1 << 20, "How many keys a query sees on each side of itself."),
                  count_of("global", "global tokens", 2, 1, 1 << 20, "How many first tokens see all and are seen by all.")};
  e.prepare = Longformer::make;
  e.pattern = [](const Values& values, const Task& task, const Rows& rows) -> Result<Pattern> {
    const std::int64_t size = whole(values, "window"), first = whole(values, "global");
    return softmax_pattern(task, rows,
                           [=](std::int64_t i, std::int64_t j) { return std::abs(i - j) <= size || i < first || j < first; });
  };
  e.for_length = [](std::int64_t) { return Values{{"window", std::int64_t{64}}, {"global", std::int64_t{2}}}; };
  return e;
}

}  // namespace headlight::long_texts
