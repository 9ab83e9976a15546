#include "app/views/why/patcher.h"

#include "engine/backends/backends.h"

namespace headlight::views::why {

Patcher::Answer Patcher::of(std::string_view key, const std::function<Request()>& request) {
  using Effects = std::shared_ptr<const void>;
  const BackgroundAnswer::Answer answer = answer_.of(key, [&]() -> BackgroundAnswer::Work {
    return [asked = request()](const CancelToken& cancel, const BackgroundAnswer::Progress& progress) -> Result<Effects> {
      HL_ASSIGN(auto effects, patched(asked, cancel, progress));
      return Effects(std::make_shared<const PatchEffects>(std::move(effects)));
    };
  });
  return {std::static_pointer_cast<const PatchEffects>(answer.value), answer.error, answer.running, answer.done, answer.total};
}

Result<PatchEffects> patched(const Patcher::Request& request, const CancelToken& cancel,
                             const BackgroundAnswer::Progress& progress) {
  HL_ASSIGN(const auto backend, backends::open("cpu"));
  HL_ASSIGN(const auto patching, PathPatching::open(request.document, request.question, *backend, cancel));
  return patch_effects(*patching, request.routes, *request.shares, cancel, progress);
}

}  // namespace headlight::views::why
