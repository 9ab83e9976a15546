// The patching of the shown sentence, in the background: every part of the
// drawn graph and every head, one run each. It is the job of the view Why this
// word.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "app/session/background_answer.h"
#include "app/session/job.h"
#include "engine/insight/information_routes.h"
#include "engine/insight/path_patching.h"

namespace headlight::views::why {

class Patcher final : public Job {
 public:
  struct Request {
    Document document;  // with the one clean sentence
    PatchQuestion question;
    std::shared_ptr<const InformationShares> shares;
    InformationRoutes routes;
  };
  struct Answer {
    std::shared_ptr<const PatchEffects> effects;
    std::shared_ptr<const Error> error;
    bool running = false;
    std::int64_t done = 0, total = 0;  // runs; total 0: not begun
  };

  // `wake` is called on the job's thread when there is something new to show;
  // no run begins while `busy`.
  Patcher(std::function<bool()> busy, std::function<void()> wake) : answer_(std::move(busy), std::move(wake)) {}

  // The answer for a key, which says everything that the request is made of.
  // The first call for another key begins it and gives up the last one's.
  Answer of(std::string_view key, const std::function<Request()>& request);
  void make_way() override { answer_.give_up(); }
  bool settled() const override { return !answer_.running(); }

 private:
  BackgroundAnswer answer_;
};

// The same at once, where there is no job. patched(request, cancel)
Result<PatchEffects> patched(const Patcher::Request& request, const CancelToken& cancel,
                             const BackgroundAnswer::Progress& progress = {});

}  // namespace headlight::views::why
