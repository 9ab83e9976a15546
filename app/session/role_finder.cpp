#include "app/session/role_finder.h"

#include <utility>

#include "engine/insight/cached_heads.h"

namespace headlight {
namespace {

// The scores of a model, from the cache or measured.
Result<MeasuredHeads> found(const std::string& model, bool measures, const CancelToken& cancel,
                            const BackgroundAnswer::Progress& progress) {
  HL_ASSIGN(auto stored, open_stored_model(model));
  if (auto cached = cached_heads(*stored); cached.ok() || !measures) return cached;
  return measure_heads(stored, cancel, progress);
}

RoleFinder::Answer typed(const BackgroundAnswer::Answer& answer) {
  return {std::static_pointer_cast<const MeasuredHeads>(answer.value), answer.error, answer.running, answer.done, answer.total};
}

}  // namespace

RoleFinder::RoleFinder(std::function<void()> wake, std::function<bool()> busy, bool measures)
    : answer_(std::move(busy), std::move(wake)), measures_(measures) {}

RoleFinder::Answer RoleFinder::of(const std::string& model) {
  using Scores = std::shared_ptr<const void>;
  return typed(answer_.of(model, [&]() -> BackgroundAnswer::Work {
    return
        [model, measures = measures_](const CancelToken& cancel, const BackgroundAnswer::Progress& progress) -> Result<Scores> {
          auto heads = found(model, measures, cancel, progress);
          if (heads.ok()) return Scores(std::make_shared<const MeasuredHeads>(std::move(heads).value()));
          if (measures) return heads.error();
          return Scores();  // the cache has none, which is no error
        };
  }));
}

RoleFinder::Answer RoleFinder::asked(const std::string& model) const { return typed(answer_.asked(model)); }

void RoleFinder::wait() { answer_.wait(); }

}  // namespace headlight
