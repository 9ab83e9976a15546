// The interactive worker: the newest document wins. A newer document cancels a running computation, and results that are no
// longer wanted are dropped. Results are published by swapping one pointer under a mutex.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The window's contents: the last good trace, and the reason why the newest document has none.
struct Published {
  std::shared_ptr<const Trace> trace;
  std::optional<Error> error;
  std::uint64_t generation = 0;  // of the document whose result this is
  double seconds = 0;            // from submit to publication
};

class Worker {
 public:
  using Compute = std::function<Result<std::shared_ptr<const Trace>>(const Document&, const CancelToken&)>;
  // `notify` is called on the worker's thread after each publication.
  explicit Worker(Compute compute, std::function<void()> notify = {});
  ~Worker();  // cancels and joins

  // Queues the document and cancels an older one. Returns the document's generation: 1, 2, ...
  std::uint64_t submit(Document document);
  std::shared_ptr<const Published> latest() const;  // never null
  bool computing() const;                           // a submitted document is not published yet
  double computing_for() const;                     // seconds since the oldest unanswered submission; 0: none
  std::uint64_t submitted() const;
  void wait() const;  // returns once no document is being computed

 private:
  void loop();

  Compute compute_;
  std::function<void()> notify_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::optional<Document> next_;
  CancelSource running_;
  std::uint64_t submitted_ = 0;
  double waiting_since_ = 0;  // steady clock, seconds; 0: nothing is waiting
  double newest_at_ = 0;
  bool quit_ = false;
  std::shared_ptr<const Published> published_ = std::make_shared<Published>();
  std::thread thread_;
};

// headlight::run on the document's backend, with one step cache that lives as long as the returned function.
Worker::Compute run_on_backend();

// Seconds on the steady clock.
double steady_seconds();

}  // namespace headlight
